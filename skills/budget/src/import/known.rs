//! What is remembered of a bank's files.

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{NewNote, Note, NotePath, ToolContext, ToolError, Value};

use super::mapping::Mapping;
use super::table::Table;
use super::{BANK, File};
use crate::arguments::line;
use crate::ledger::Ledger;
use crate::properties::text;

/// A mapping, and what else is known of the bank.
pub(super) struct Known {
    pub(super) mapping: Mapping,
    pub(super) account: Option<String>,
    pub(super) currency: Option<String>,
    pub(super) note: Option<Note>,
}

impl File {
    /// The mapping to use; none where one has to be confirmed first.
    pub(super) async fn known(
        &self,
        ctx: &dyn ToolContext,
        table: &Table,
        ledger: &Ledger,
    ) -> Result<Option<Known>, ToolError> {
        let declared = ctx.records().get(BANK)?;
        let header = folded(&table.fingerprint());
        let mut known = None;
        for note in ctx.vault().records(BANK).await? {
            let record = declared.read(&note);
            if text(&record, "header")?.is_some_and(|own| folded(&own) == header) {
                known = Some(Known {
                    mapping: Mapping::remembered(&record)?,
                    account: text(&record, "account")?,
                    currency: text(&record, "currency")?,
                    note: Some(note.clone()),
                });
                break;
            }
        }
        if let Some(mapping) = &self.mapping {
            let before = known.take();
            known = Some(Known {
                mapping: mapping.clone(),
                account: before.as_ref().and_then(|known| known.account.clone()),
                currency: before.as_ref().and_then(|known| known.currency.clone()),
                note: before.and_then(|known| known.note),
            });
        }
        let Some(mut known) = known else { return Ok(None) };
        if let Some(account) = line("account", self.account.as_deref())? {
            known.account = Some(account);
        }
        if let Some(currency) = self.currency.as_deref().or(known.currency.as_deref()) {
            known.currency = Some(ledger.currency_or(Some(currency))?);
        }
        Ok(Some(known))
    }

    /// Keeps the mapping in the bank's note, and changes there only what differs.
    pub(super) async fn remember(
        &self,
        ctx: &dyn ToolContext,
        table: &Table,
        known: &Known,
    ) -> Result<NotePath, ToolError> {
        let declared = ctx.records().get(BANK)?;
        let mut values = known.mapping.to_fields();
        values.insert("account".into(), known.account.clone().into());
        values.insert("currency".into(), known.currency.clone().into());
        if let Some(note) = &known.note {
            let own = declared.read(note).to_json();
            let differing = values.into_iter().filter(|(field, value)| match own.get(field) {
                Some(own) => own != value,
                None => !value.is_null(),
            });
            let edits = declared.edits(note, &differing.collect::<Map<String, Value>>())?;
            if !edits.is_empty() {
                ctx.vault().set_properties(&note.path, &edits).await?;
            }
            return Ok(note.path.clone());
        }
        let file = table.file.rsplit('/').next().unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let name = line("bank", self.bank.as_deref())?.unwrap_or_else(|| stem.to_owned());
        values.retain(|_, value| !value.is_null());
        values.insert("name".into(), name.as_str().into());
        values.insert("header".into(), table.fingerprint().into());
        let note = NewNote { folder: declared.folder.clone(), name, text: declared.new_note(&values)? };
        Ok(ctx.vault().create_all(vec![note]).await?.remove(0))
    }
}
