//! The rules for saving a record with its form: the same as for the tools.

use nova_skill::figures::currency_code;
use nova_skill::{
    Decimal, NotePath, RecordDraft, RecordRules, ToolContext, ToolError, Value, async_trait, date_argument,
};

use crate::amount::invalid;
use crate::books::{Books, POSITION, PRICE, PlannedRecord, TRADE, TradeNote, as_symbol};
use crate::trade_rules::{
    Change, Kind, Numbers, Saved, currency_of, currency_of_transfer, event, no_symbol, not_in_future,
    quantity_held_for_payment, symbol, transfer,
};
use crate::valuation::Snapshot;

pub(crate) struct Rules;

#[async_trait]
impl RecordRules for Rules {
    async fn apply(&self, draft: &mut RecordDraft, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        match draft.record_type() {
            TRADE => trade(draft, ctx).await,
            PRICE => price(draft, ctx).await,
            POSITION => check_currency(draft, ctx).await,
            _ => Ok(()),
        }
    }
}

async fn trade(draft: &mut RecordDraft, ctx: &dyn ToolContext) -> Result<(), ToolError> {
    let snapshot = Snapshot::read(ctx, None).await?;
    let books = &snapshot.books;
    let old = draft.note().and_then(|note| books.trades.iter().find(|old| old.path == note.path));
    let day = date_argument("date", draft.text("date").unwrap_or_default())?;
    not_in_future(day, snapshot.today)?;
    if let Some(kind) =
        draft.text("kind").and_then(Kind::parse).filter(|kind| kind.is_of_account(draft.text("symbol")))
    {
        transferred(kind, draft, books)?;
        check_currency(draft, ctx).await?;
        let change = Change::new(&snapshot, old, None);
        change.check()?;
        return change.follow(ctx).await;
    }
    let symbol = match old {
        Some(old) if !draft.changes("symbol") => old.symbol.clone(),
        _ => symbol(draft.text("symbol").unwrap_or_default(), books)?,
    };
    if draft.note().is_some() {
        check_currency(draft, ctx).await?;
    }
    let currency = match draft.text("currency") {
        // An implicit currency stays implicit.
        None if draft.note().is_some() => books.read_in(&symbol).cloned().ok_or_else(no_currency)?,
        said => currency_of(said, &symbol, books)?,
    };
    if draft.changes("symbol") {
        draft.set("symbol", symbol.as_str());
    }
    // An unchanged currency keeps its notation.
    if draft.note().is_none() || (draft.changes("currency") && draft.text("currency").is_some()) {
        draft.set("currency", currency.as_str());
    }
    if draft.note().is_none() {
        check_currency(draft, ctx).await?;
    }
    let event = match old {
        Some(old) if !NUMBERS.iter().chain(&["kind"]).any(|field| draft.changes(field)) => {
            old.trade.event.clone()
        }
        _ => {
            let word = draft.text("kind").unwrap_or_default();
            let kind = Kind::parse(word).ok_or_else(|| invalid("kind", "is needed"))?;
            let numbers = numbers(draft, old);
            let (event, fields) =
                event(kind, &numbers, || quantity_held_for_payment(&snapshot, &symbol, &currency, day))?;
            // Given numbers keep their notation; only missing ones are filled in.
            let left_out = |field: &str| draft.text(field).is_none();
            let quantity = fields.get("quantity").filter(|_| left_out("quantity") && old.is_none());
            if let Some(quantity) = quantity.and_then(Value::as_str).map(str::to_owned) {
                draft.set("quantity", quantity);
            }
            event
        }
    };
    let change = Change::new(&snapshot, old, Some(Saved::new(&symbol, &currency, day, event)));
    change.check()?;
    change.follow(ctx).await
}

/// Checks a deposit or a withdrawal. Unchanged fields that its kind does not use are ignored, as when the
/// note is read.
fn transferred(kind: Kind, draft: &mut RecordDraft, books: &Books) -> Result<(), ToolError> {
    let is_touched = |draft: &RecordDraft, field: &str| {
        draft.note().is_none() || draft.changes("kind") || draft.changes(field)
    };
    if draft.text("symbol").is_some() && is_touched(draft, "symbol") {
        return Err(no_symbol(kind));
    }
    let number = |field: &str| draft.text(field).and_then(|text| Decimal::from_str_exact(text).ok());
    let touched = |field: &str| number(field).filter(|_| is_touched(draft, field));
    let numbers = Numbers {
        quantity: touched("quantity"),
        per: touched("per"),
        price: if kind.is_transfer() { number("price") } else { touched("price") },
        fee: number("fee"),
    };
    transfer(kind, &numbers)?;
    let currency = currency_of_transfer(draft.text("currency"), books)?;
    if draft.note().is_none() || (draft.changes("currency") && draft.text("currency").is_some()) {
        draft.set("currency", currency.as_str());
    }
    Ok(())
}

/// Checks that adding, changing or removing the currency changes no figure of another note without a currency
/// of its own. When it is removed, this note's default must equal it.
async fn check_currency(draft: &RecordDraft, ctx: &dyn ToolContext) -> Result<(), ToolError> {
    let note = draft.note();
    let is_moved = draft.changes("symbol") && draft.record_type() != PRICE;
    if note.is_some() && !draft.changes("currency") && !is_moved {
        return Ok(());
    }
    let says = draft.text("currency");
    let name = note.map(|note| note.path.name()).unwrap_or_default();
    let is_transfer =
        draft.text("kind").and_then(Kind::parse).is_some_and(|kind| kind.is_of_account(draft.text("symbol")));
    // The symbol of a transfer is ignored.
    let symbol = if is_transfer { String::new() } else { as_symbol(draft.text("symbol").unwrap_or(name)) };
    let code = says.and_then(currency_code);
    let path = note.map(|note| &note.path);
    let said = PlannedRecord { note: path, kind: draft.record_type(), symbol: &symbol, currency: code };
    let then = Books::read_with_record(ctx, said).await?;
    if let (true, Some(before), None) = (draft.changes("currency"), draft.text_before("currency"), says) {
        let read_in = then.read_in(&symbol).ok_or_else(no_currency)?;
        if currency_code(before).is_some_and(|before| before != *read_in) {
            let rule = format!("is needed: without it the amount counts in {read_in}; name the currency");
            return Err(invalid("currency", &rule));
        }
    }
    check_other_currencies(&then, &Books::read(ctx).await?, path, says)
}

/// Checks that no other record has a different currency in `then` than in `now`.
///
/// # Errors
/// `InvalidArguments`, saying what to do first.
pub(crate) fn check_other_currencies(
    then: &Books,
    now: &Books,
    path: Option<&NotePath>,
    says: Option<&str>,
) -> Result<(), ToolError> {
    let rule = match then.currency_changes(now, path).as_slice() {
        [] => return Ok(()),
        [(other, _), ..] if says.is_none() => format!("is needed: {other} names none and uses this one"),
        [(other, now), more @ ..] => {
            let and = if more.is_empty() { String::new() } else { format!(" (and of {} more)", more.len()) };
            format!("decides the currency of {other}{and}, which names none; write {now} there first")
        }
    };
    Err(invalid("currency", &rule))
}

fn no_currency() -> ToolError {
    invalid("currency", "is needed: the vault names no usual currency")
}

pub(crate) const NUMBERS: [&str; 4] = ["quantity", "per", "price", "fee"];

/// The numbers in the draft. Unchanged fields of an existing note that its kind does not use are ignored, as
/// when the note is read.
fn numbers(draft: &RecordDraft, old: Option<&TradeNote>) -> Numbers {
    let number = |field: &str| draft.text(field).and_then(|text| Decimal::from_str_exact(text).ok());
    let mut numbers = Numbers {
        quantity: number("quantity"),
        per: number("per"),
        price: number("price"),
        fee: number("fee"),
    };
    if old.is_some() && !draft.changes("kind") {
        let kind = draft.text("kind").unwrap_or_default();
        let untouched = |field: &str| !draft.changes(field);
        if kind != "split" && untouched("per") {
            numbers.per = None;
        }
        if matches!(kind, "split" | "fee") && untouched("price") {
            numbers.price = None;
        }
        if kind == "fee" && untouched("quantity") {
            numbers.quantity = None;
        }
        // Without a number of shares, the amount is the whole payment.
        if kind == "dividend" && numbers.quantity.is_none() {
            numbers.quantity = Some(Decimal::ONE);
        }
    }
    numbers
}

async fn price(draft: &RecordDraft, ctx: &dyn ToolContext) -> Result<(), ToolError> {
    let close = draft.text("close").and_then(|text| Decimal::from_str_exact(text).ok());
    if close.is_some_and(|close| close.is_zero()) {
        return Err(invalid("close", "must be above zero"));
    }
    check_currency(draft, ctx).await
}
