//! The rules for saving a record with its form: the same as for the tools.

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
        let mut details = Details::of(declared, &changed_values(draft))?;
        match draft.record_type() {
            CONTACT => details.link_company(ctx).await.map_err(|error| with_field(COMPANY, error))?,
            DEAL => details.link_in_form(ctx).await?,
            COMPANY => {}
            _ => return Ok(()),
        }
        details.fill(draft);
        if draft.record_type() == DEAL {
            check_currency(draft, &Deals::read(ctx).await?)?;
        }
        Ok(())
    }
}

fn check_currency(draft: &mut RecordDraft, deals: &Deals) -> Result<(), ToolError> {
    let has_value = draft.text("value").is_some();
    let currency = draft.text("currency");
    let Some(note) = draft.note() else {
        if has_value && currency.is_none() {
            let default = deals.default_currency()?.to_owned();
            draft.set("currency", default);
            return Ok(());
        }
        return deals.check_other_currencies(None, currency);
    };
    match (draft.text_before("currency"), currency) {
        // The currency stays implicit if the other deals determine it.
        (None, None) if has_value => return deals.default_currency().map(drop),
        // Removing a currency must not change this value, nor that of a deal without its own currency.
        (Some(removed), None) if has_value => deals.check_currency_removal(&note.path, removed)?,
        _ => {}
    }
    // The same applies to a changed currency.
    if draft.changes("currency") { deals.check_other_currencies(Some(&note.path), currency) } else { Ok(()) }
}

/// The values changed in the form; the others are not checked again.
fn changed_values(draft: &RecordDraft) -> Map<String, Value> {
    let values = draft.values().iter().filter(|(field, _)| draft.changes(field));
    values.map(|(field, value)| (field.clone(), value.clone())).collect()
}

impl Details {
    /// Like [`Details::link`], for names from a form. A form suggests notes by name, so the only note of
    /// exactly this name is taken. A name without a note is no problem: the form shows the unresolved link.
    async fn link_in_form(&mut self, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        for field in [CONTACT, COMPANY] {
            let Some(Value::String(name)) = self.0.get(field) else { continue };
            let mut named = ctx.vault().find(name).await?;
            named.retain(|path| folded(path.name()) == folded(name));
            let target = match named.as_slice() {
                [only] => only.name().to_owned(),
                _ => {
                    match Records::read(ctx, field)
                        .await?
                        .link_to(name)
                        .map_err(|error| with_field(field, error))?
                    {
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

/// Moves an ambiguity to the field, so that the form shows it there.
fn with_field(field: &str, error: ToolError) -> ToolError {
    match error {
        ToolError::Ambiguous { name, matches, .. } => ToolError::InvalidArguments {
            path: format!("/{field}"),
            rule: format!("\"{name}\" could be several; write which one is meant"),
            allowed: matches,
        },
        error => error,
    }
}
