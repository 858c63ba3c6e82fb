use std::sync::Arc;

use nova_skill::figures::{TooLarge, money};
use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Decimal, Description, Effect, JsonSchema, NativeTool, NotePath, Output, OwnFields, RecordUse,
    ToolContext, ToolError, ToolOutput, Value, async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::amount::{invalid, price as price_shown, shown};
use crate::books::{Books, TRADE, TradeNote, Transfer, problems_json};
use crate::ledger::{Event, Method};
use crate::valuation::Snapshot;

pub(crate) struct ListTrades;

// Explicit parameters instead of fields: a symbol may be given as its position's name, and a period has two
// dates.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists your trades."))]
pub(crate) struct Filters {
    /// Only this symbol, or the position of this name.
    #[schemars(extend("x-help" = "Only trades in this"))]
    #[schemars(extend("x-values-from" = ["position.symbol", "trade.symbol", "position.name"]))]
    #[schemars(extend("x-values" = "only"))]
    symbol: Option<String>,
    /// Only since this day, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "The first day"))]
    from: Option<String>,
    /// Only up to this day, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "The last day"))]
    to: Option<String>,
    /// Fields that the user added.
    #[serde(flatten)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for ListTrades {
    type Args = Filters;
    const ID: &'static str = "list_trades";
    const EFFECT: Effect = Effect::Read;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Lists(TRADE));

    fn description(&self) -> Description {
        Description::purpose("Lists recorded trades, the newest first: buys, sells, dividends, splits, fees, deposits and withdrawals, with what each came to.")
            .use_when("the user asks what they bought or sold, and when")
            .not_when("gains are asked for", "portfolio.gains")
            .not_when("what a share is trading at now is asked for", "portfolio.quote")
            .example("When did I buy Brightwater?")
    }

    async fn run(&self, filters: Filters, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let snapshot = Snapshot::read(ctx.as_ref(), None).await?;
        let books = &snapshot.books;
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let symbol = given(&filters.symbol).map(|said| books.find(&said)).transpose()?;
        let from = given(&filters.from).map(|text| date_argument("from", &text)).transpose()?;
        let to = given(&filters.to).map(|text| date_argument("to", &text)).transpose()?;
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            return Err(invalid("from", &format!("{from} is after {to}")));
        }
        let own = OwnFields::read(ctx.as_ref(), &[TRADE], &filters.own).await?;
        let within = |date| from.is_none_or(|from| from <= date) && to.is_none_or(|to| date <= to);
        let trades = books
            .trades
            .iter()
            .filter(|note| symbol.as_ref().is_none_or(|symbol| *symbol == note.symbol))
            .filter(|note| within(note.trade.date) && own.fit(&note.path));
        let transfers = books
            .transfers
            .iter()
            .filter(|transfer| symbol.is_none() && within(transfer.date) && own.fit(&transfer.path));
        let mut rows: Vec<(Date, &NotePath, Value)> = Vec::new();
        for note in trades {
            rows.push((note.trade.date, &note.path, row(note, books, &own)?));
        }
        for transfer in transfers {
            rows.push((transfer.date, &transfer.path, transfer_row(transfer, &own)?));
        }
        rows.sort_by(|(a, path, _), (b, other, _)| b.cmp(a).then_with(|| path.cmp(other)));
        let notes: Vec<NotePath> = rows.iter().map(|(_, path, _)| (*path).clone()).collect();
        let rows: Vec<Value> = rows.into_iter().map(|(_, _, row)| row).collect();
        let value = json!({
            "trades": rows,
            "problems": problems_json(&books.holdings(Method::Fifo, snapshot.day, true)?.problems),
            "unreadable": books.unreadable_json(),
        });
        Ok(Output::new(value).from_notes(notes).into())
    }
}

fn row(note: &TradeNote, books: &Books, own: &OwnFields) -> Result<Value, TooLarge> {
    let (quantity, price, fee) = parts(&note.trade.event);
    let amount = match note.trade.event {
        Event::Split { .. } => None,
        ref event => Some(event.cash()?),
    };
    let in_row = |amount: Decimal| money(amount, &note.currency);
    let name = books.position(&note.symbol).and_then(|position| position.name.as_deref());
    let mut row = json!({
        "date": note.trade.date.to_string(),
        "kind": note.kind,
        "symbol": note.symbol,
        "name": name.unwrap_or(&note.symbol),
        "quantity": quantity,
        "price": shown(price.map(price_shown)),
        "fee": shown(fee.map(in_row)),
        "amount": shown(amount.map(in_row)),
        "currency": note.currency,
        "path": note.path.to_string(),
    });
    own.add_to(&mut row, &note.path);
    Ok(row)
}

/// The quantity, the price and the fee.
type Parts = (Value, Option<Decimal>, Option<Decimal>);

fn parts(event: &Event) -> Parts {
    match *event {
        Event::Buy { quantity, price, fee }
        | Event::Sell { quantity, price, fee }
        | Event::Dividend { quantity, price, fee } => (shown(Some(quantity)), Some(price), Some(fee)),
        Event::Split { new, old } => (json!(format!("{new} for {old}")), None, None),
        Event::Fee { amount } => (Value::Null, None, Some(amount)),
    }
}

/// A deposit or a withdrawal, as a row without a symbol.
fn transfer_row(transfer: &Transfer, own: &OwnFields) -> Result<Value, TooLarge> {
    let in_row = |amount: Decimal| money(amount, &transfer.currency);
    let mut row = json!({
        "date": transfer.date.to_string(),
        "kind": transfer.kind,
        "symbol": null,
        "name": null,
        "quantity": null,
        "price": null,
        "fee": in_row(transfer.fee).to_string(),
        "amount": in_row(transfer.cash()?).to_string(),
        "currency": transfer.currency,
        "path": transfer.path.to_string(),
    });
    own.add_to(&mut row, &transfer.path);
    Ok(row)
}
