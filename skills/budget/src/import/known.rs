//! Remembers the mapping of a bank's files.

use nova_skill::{Note, NotePath, ToolContext, ToolError};
use nova_statement::Table;

use super::mapping::Mapping;
use super::{BANK, File};
use crate::arguments::line;
use crate::ledger::Ledger;
use crate::properties::text;

/// A mapping with the other facts known about the bank.
pub(super) struct Known {
    pub(super) mapping: Mapping,
    pub(super) account: Option<String>,
    pub(super) currency: Option<String>,
    pub(super) note: Option<Note>,
}

impl File {
    /// The mapping to use; `None` if the user must confirm one first.
    pub(super) async fn known(
        &self,
        ctx: &dyn ToolContext,
        table: &Table,
        ledger: &Ledger,
    ) -> Result<Option<Known>, ToolError> {
        let mut known = None;
        if let Some(note) = nova_statement::remembered(ctx, BANK, table).await? {
            let record = ctx.records().get(BANK)?.read(&note);
            known = Some(Known {
                mapping: Mapping::remembered(&record)?,
                account: text(&record, "account")?,
                currency: text(&record, "currency")?,
                note: Some(note.clone()),
            });
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

    /// Stores the mapping in the bank's note, editing only what differs.
    pub(super) async fn remember(
        &self,
        ctx: &dyn ToolContext,
        table: &Table,
        known: &Known,
    ) -> Result<NotePath, ToolError> {
        let mut values = known.mapping.to_fields();
        values.insert("account".into(), known.account.clone().into());
        values.insert("currency".into(), known.currency.clone().into());
        let name = line("bank", self.bank.as_deref())?;
        nova_statement::remember(ctx, BANK, table, known.note.as_ref(), name, values).await
    }
}
