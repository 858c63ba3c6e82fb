//! What a record keeps to when it is saved with its form: the same that the tools keep to.

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{RecordDraft, RecordRules, ToolContext, ToolError, Value, async_trait};

use crate::deals::Deals;
use crate::details::Details;
use crate::find::{Target, link_text};
use crate::records::{COMPANY, CONTACT, DEAL, Records};

pub(crate) struct Rules;

#[async_trait]
impl RecordRules for Rules {
    async fn apply(&self, draft: &mut RecordDraft, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        let declared = ctx.records().get(draft.record_type())?;
        let mut details = Details::of(declared, &entered(draft))?;
        match draft.record_type() {
            CONTACT => details.link_company(ctx).await.map_err(|error| at(COMPANY, error))?,
            DEAL => details.link_in_form(ctx).await?,
            COMPANY => {}
            _ => return Ok(()),
        }
        details.fill(draft);
        if draft.record_type() == DEAL {
            currency(draft, &Deals::read(ctx).await?)?;
        }
        Ok(())
    }
}

fn currency(draft: &mut RecordDraft, deals: &Deals) -> Result<(), ToolError> {
    let has_value = draft.text("value").is_some();
    let says = draft.text("currency");
    let Some(note) = draft.note() else {
        if has_value && says.is_none() {
            let usual = deals.currency_by_default()?.to_owned();
            draft.set("currency", usual);
            return Ok(());
        }
        return deals.leaves_others(None, says);
    };
    match (draft.text_before("currency"), says) {
        // A note that left it open stays so, where the others say which is meant.
        (None, None) if has_value => return deals.currency_by_default().map(drop),
        // One that is taken out changes no figure, neither here nor in the deals that go by it.
        (Some(said), None) if has_value => deals.keeps_without(&note.path, said)?,
        _ => {}
    }
    // Nor does one that is changed.
    if draft.changes("currency") { deals.leaves_others(Some(&note.path), says) } else { Ok(()) }
}

/// What the form says anew; what the note had before is not looked at again.
fn entered(draft: &RecordDraft) -> Map<String, Value> {
    let values = draft.values().iter().filter(|(field, _)| draft.changes(field));
    values.map(|(field, value)| (field.clone(), value.clone())).collect()
}

impl Details {
    /// As [`Details::link`] for what the form names. A form proposes notes by their names, so that a
    /// note of that very name is the one that is meant, where no other has it. What has no note yet is no problem: the form
    /// shows the link.
    async fn link_in_form(&mut self, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        for field in [CONTACT, COMPANY] {
            let Some(Value::String(said)) = self.0.get(field) else { continue };
            let mut named = ctx.vault().find(said).await?;
            named.retain(|path| folded(path.name()) == folded(said));
            let target = match named.as_slice() {
                [only] => only.name().to_owned(),
                _ => {
                    match Records::read(ctx, field).await?.link_to(said).map_err(|error| at(field, error))? {
                        Target::Record(note) => link_text(&note, ctx.vault()).await?,
                        Target::New { name, .. } => name,
                    }
                }
            };
            self.0.insert(field.into(), target.into());
        }
        Ok(())
    }

    fn fill(self, draft: &mut RecordDraft) {
        for (field, value) in self.0 {
            draft.set(&field, value);
        }
    }
}

/// Several matches are reported beside the field.
fn at(field: &str, error: ToolError) -> ToolError {
    match error {
        ToolError::Ambiguous { name, matches, .. } => ToolError::InvalidArguments {
            path: format!("/{field}"),
            rule: format!("\"{name}\" could be several; write which one is meant"),
            allowed: matches,
        },
        error => error,
    }
}
