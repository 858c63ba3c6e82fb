use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Note, Output, PropertyEdit, PropertyValue, RecordUse,
    ToolContext, ToolError, ToolFields, ToolOutput, ToolVault, Value, async_trait, json, schemars, summarize,
};
use serde::Deserialize;

use crate::details::Details;
use crate::records::{COMPANY, CONTACT, Records};

pub(crate) struct UpdateContact;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Changes a contact."))]
pub(crate) struct ChangedContact {
    /// Name, alias or e-mail, or the note's path.
    #[schemars(extend("x-label" = "Contact", "x-help" = "Name or e-mail address", "x-record" = "contact"))]
    name: String,
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

#[async_trait]
impl NativeTool for UpdateContact {
    type Args = ChangedContact;
    const ID: &'static str = "update_contact";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Changes(CONTACT));
    const FIELDS: ToolFields<'static> = ToolFields::AllBut(&["last_contact"]);

    fn description(&self) -> Description {
        Description::purpose(
            "Changes the given properties of one contact and nothing else in its note. Answers with what changed.",
        )
        .use_when("somebody is a customer now, is to be called on Friday, or has a new employer, e-mail address, telephone, stage or tag")
        .not_when("the person is not a contact yet", "crm.add_contact")
        .example("Theo is a customer now, call him on Friday")
    }

    async fn run(&self, changed: ChangedContact, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let declared = ctx.records().get(CONTACT)?;
        let mut details = Details::of(declared, &changed.fields)?.require_changes(declared, Self::FIELDS)?;
        let contacts = Records::read(ctx.as_ref(), CONTACT).await?;
        let contact = contacts.find(&changed.name)?;
        let before = contact.note();
        let own = contact.record.text(COMPANY)?;
        if own.as_deref() != details.0.get(COMPANY).and_then(Value::as_str) {
            details.link_company(ctx.as_ref()).await?;
        }
        let edits = declared.edits(before, &declared.with_links(&details.0, ctx.vault()).await?)?;
        let edits = effective_edits(before, edits, ctx.vault()).await?;
        ctx.vault().set_properties(&before.path, &edits).await?;

        let after = ctx.vault().read(&before.path).await?;
        let out = json!({
            "name": contact.name,
            "changed": summarize(&before.text, &after.text),
            "path": before.path,
        });
        Ok(Output::new(out).from_notes([before.path.clone()]).into())
    }
}

/// Drops the edits that would not change the note.
pub(crate) async fn effective_edits(
    note: &Note,
    edits: Vec<PropertyEdit>,
    vault: &dyn ToolVault,
) -> Result<Vec<PropertyEdit>, ToolError> {
    let mut effective = Vec::new();
    for edit in edits {
        if !has_value(note, &edit) && !links_to_same_note(note, &edit, vault).await? {
            effective.push(edit);
        }
    }
    Ok(effective)
}

/// Whether the property already links to the same note, possibly in another notation.
async fn links_to_same_note(
    note: &Note,
    edit: &PropertyEdit,
    vault: &dyn ToolVault,
) -> Result<bool, ToolError> {
    let PropertyEdit::Set { key, value: PropertyValue::Link(new) } = edit else { return Ok(false) };
    let Some(PropertyValue::Link(old)) = note.document.property(key) else { return Ok(false) };
    let leads_to = vault.resolve(old).await?;
    Ok(leads_to.is_some() && leads_to == vault.resolve(new).await?)
}

/// Whether the property has that value in any notation: `company: Quillon Labs` equals a link to it, and
/// stays as the user wrote it.
fn has_value(note: &Note, edit: &PropertyEdit) -> bool {
    let PropertyEdit::Set { key, value } = edit else { return false };
    let Some(present) = note.document.property(key) else { return false };
    match (present, value) {
        (PropertyValue::List(old), PropertyValue::List(new)) => {
            old.iter().map(PropertyValue::as_text).eq(new.iter().map(PropertyValue::as_text))
        }
        (old, new) => old.as_text().is_some() && old.as_text() == new.as_text(),
    }
}
