//! The rules for saving a record with its form: the same as for the tools.

use nova_skill::figures::{currency_code, folded, plain_date};
use nova_skill::{Date, Decimal, RecordDraft, RecordRules, ToolContext, ToolError, async_trait};

use crate::add_entry::check_until;
use crate::arguments::{invalid_argument, line};
use crate::ledger::{CurrencyChange, DefaultCurrency, EXPENSE, INCOME, LIMIT, Ledger, RULE, TRANSFER};
use crate::rules::{Pattern, first_match};
use crate::transfer::{Mismatch, NEEDS_TO_AMOUNT, Side, mismatch};

pub(crate) struct Rules;

#[async_trait]
impl RecordRules for Rules {
    async fn apply(&self, draft: &mut RecordDraft, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        match draft.record_type() {
            EXPENSE | INCOME => {
                let ledger = Ledger::read(ctx).await?;
                check_currency_change(draft, &ledger, ctx).await?;
                entry(draft, &ledger)
            }
            TRANSFER => {
                let ledger = Ledger::read(ctx).await?;
                check_currency_change(draft, &ledger, ctx).await?;
                transfer(draft, &ledger)
            }
            RULE => rule(draft, &Ledger::read(ctx).await?),
            LIMIT => {
                let ledger = Ledger::read(ctx).await?;
                check_currency_change(draft, &ledger, ctx).await?;
                limit(draft, &ledger)
            }
            _ => Ok(()),
        }
    }
}

fn entry(draft: &mut RecordDraft, ledger: &Ledger) -> Result<(), ToolError> {
    if let Some(day) = date(draft, "date") {
        let is_recurring = draft.text("recurring").is_some_and(|recurring| recurring != "none");
        // Existing notes may have `until` without `recurring`; only a change of either is rejected.
        let changes_end = draft.changes("until") || draft.changes("recurring");
        check_until(day, date(draft, "until"), is_recurring || !changes_end)?;
    }
    one_line(draft, &["category", "payee", "account", "memo"])?;
    require_currency(draft, ledger)?;
    match draft.text("category") {
        Some(category) => {
            let spelled = ledger.spelling(category);
            if draft.changes("category") {
                draft.set("category", spelled);
            }
        }
        // A category that the user cleared is not filled in again.
        None if draft.text_before("category").is_none() => {
            let changes_text = draft.changes("payee") || draft.changes("memo");
            let payee = draft.text("payee").unwrap_or_default();
            let rule = first_match(&ledger.rules, payee, draft.text("memo")).filter(|_| changes_text);
            if let Some(category) = rule.map(|rule| rule.category.clone()) {
                draft.set("category", category);
            }
        }
        None => {}
    }
    Ok(())
}

fn transfer(draft: &mut RecordDraft, ledger: &Ledger) -> Result<(), ToolError> {
    one_line(draft, &["from", "to", "memo", "payee", "category", "to_memo", "to_payee", "to_category"])?;
    require_currency(draft, ledger)?;
    for field in ["from", "to"] {
        if let Some(account) = draft.text(field).filter(|_| draft.changes(field)) {
            let spelled = ledger.account_spelling(account);
            draft.set(field, spelled);
        }
    }
    let text = |field: &str| draft.text(field).map(str::to_owned);
    let decimal = |field: &str| draft.text(field).and_then(|text| Decimal::from_str_exact(text).ok());
    let (Some(date), Some(amount), Some(currency)) =
        (date(draft, "date"), decimal("amount"), text("currency"))
    else {
        return Ok(());
    };
    let out = Side { date, amount, currency, account: text("from"), ..Side::default() };
    let to_currency = text("to_currency").unwrap_or_else(|| out.currency.clone());
    let to_amount = decimal("to_amount");
    if to_amount.is_none() && to_currency != out.currency {
        return Err(invalid_argument("to_amount", NEEDS_TO_AMOUNT.into()));
    }
    let into = Side {
        amount: to_amount.unwrap_or(amount),
        currency: to_currency,
        account: text("to"),
        ..out.clone()
    };
    match mismatch(&out, &into) {
        Some(Mismatch { field, rule }) => Err(invalid_argument(field, rule)),
        None => Ok(()),
    }
}

fn rule(draft: &mut RecordDraft, ledger: &Ledger) -> Result<(), ToolError> {
    one_line(draft, &["match", "category"])?;
    let pattern = draft.text("match").unwrap_or_default().to_owned();
    Pattern::parse(&pattern)
        .map_err(|why| invalid_argument("match", format!("is not a regular expression: {why}")))?;
    let own = draft.note().map(|note| &note.path);
    let mut others = ledger.rules.iter().filter(|rule| Some(&rule.path) != own);
    if draft.changes("match")
        && let Some(existing) = others.find(|rule| folded(&rule.pattern_text) == folded(&pattern))
    {
        return Err(invalid_argument(
            "match",
            format!("is the same rule as {}, with the category {}", existing.path, existing.category),
        ));
    }
    if let Some(category) = draft.text("category").filter(|_| draft.changes("category")) {
        let spelled = ledger.spelling(category);
        draft.set("category", spelled);
    }
    Ok(())
}

fn limit(draft: &mut RecordDraft, ledger: &Ledger) -> Result<(), ToolError> {
    one_line(draft, &["category"])?;
    require_currency(draft, ledger)?;
    let Some(category) = draft.text("category").map(folded) else { return Ok(()) };
    let currency = draft.text("currency").or(ledger.currency.as_deref());
    let own = draft.note().map(|note| &note.path);
    let limits = ledger.limits.iter().chain(&ledger.repeated_limits);
    let mut others = limits.filter(|limit| Some(&limit.path) != own);
    let is_same = |limit: &&crate::ledger::Limit| {
        folded(&limit.category) == category && Some(limit.currency.as_str()) == currency
    };
    if (draft.changes("category") || draft.changes("currency"))
        && let Some(existing) = others.find(is_same)
    {
        return Err(invalid_argument(
            "category",
            format!("has a limit in {} already, {}", existing.currency, existing.path),
        ));
    }
    Ok(())
}

/// Checks that the changed fields are single lines, as for a tool's arguments.
fn one_line(draft: &RecordDraft, fields: &[&str]) -> Result<(), ToolError> {
    let mut changed = fields.iter().filter(|field| draft.changes(field));
    changed.try_for_each(|field| line(field, draft.text(field)).map(drop))
}

/// Checks that adding, changing or removing the currency changes no figure of another note that relies on the
/// default currency. When it is removed, the default must equal it.
async fn check_currency_change(
    draft: &RecordDraft,
    ledger: &Ledger,
    ctx: &dyn ToolContext,
) -> Result<(), ToolError> {
    let currency = draft.text("currency");
    let Some(note) = draft.note() else {
        return match currency.and_then(currency_code).map(str::to_owned) {
            Some(code) => ledger.check_other_currencies(ctx, &[(&code, 1)]).await,
            None => Ok(()),
        };
    };
    if !draft.changes("currency") {
        return Ok(());
    }
    let default = DefaultCurrency::after_change(ctx, CurrencyChange::OfNote(&note.path, currency)).await?;
    if let (Some(before), None) = (draft.text_before("currency"), currency) {
        let after = default.after.as_ref().ok_or_else(no_currency)?;
        if currency_code(before).is_some_and(|before| before != *after) {
            let rule = format!("is needed: without it the amount counts in {after}; name the currency");
            return Err(invalid_argument("currency", rule));
        }
    }
    default.check_other_currencies()
}

fn no_currency() -> ToolError {
    invalid_argument(
        "currency",
        "is needed: the notes name no usual currency; give a code such as EUR".into(),
    )
}

/// Writes the default currency into a new record, so that later notes cannot change it. Without a default,
/// the record would be in no sum, so it is rejected.
fn require_currency(draft: &mut RecordDraft, ledger: &Ledger) -> Result<(), ToolError> {
    if draft.text("currency").is_some() {
        return Ok(());
    }
    match &ledger.currency {
        Some(default) if draft.note().is_none() => draft.set("currency", default.clone()),
        Some(_) => {}
        None => return Err(no_currency()),
    }
    Ok(())
}

fn date(draft: &RecordDraft, field: &str) -> Option<Date> {
    draft.text(field).and_then(plain_date)
}
