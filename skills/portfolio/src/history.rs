use std::collections::BTreeSet;
use std::sync::Arc;

use nova_market::QUOTE_DAYS;
use nova_skill::figures::days_between;
use nova_skill::jiff::{Span, ToSpan as _};
use nova_skill::{
    Date, Description, Effect, JsonSchema, NativeTool, Output, Problem, ToolContext, ToolError, ToolOutput,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::currency;
use crate::books::{Books, problems_json};
use crate::prices::Prices;
use crate::valuation::{Snapshot, day_text};

pub(crate) struct History;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows the value over time."))]
pub(crate) struct HistoryOf {
    /// How far back; default: six months.
    #[schemars(extend("x-help" = "Six months if left empty"))]
    range: Option<Range>,
    /// Which currency's positions, such as EUR; default: those worth most.
    #[schemars(extend("x-values-from" = ["position.currency", "trade.currency"], "x-values" = "part"))]
    currency: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub(crate) enum Range {
    #[serde(rename = "1m")]
    Month,
    #[default]
    #[serde(rename = "6m")]
    HalfYear,
    #[serde(rename = "1y")]
    Year,
    #[serde(rename = "all")]
    All,
}

impl Range {
    /// The first day; `None` if the range is unbounded.
    pub(crate) fn begins(self, day: Date) -> Option<Date> {
        let back: Span = match self {
            Self::Month => 1.month(),
            Self::HalfYear => 6.months(),
            Self::Year => 1.year(),
            Self::All => return None,
        };
        Some(day.saturating_sub(back))
    }
}

/// The approximate number of points in a line.
const POINTS: i64 = 130;

#[async_trait]
impl NativeTool for History {
    type Args = HistoryOf;
    const ID: &'static str = "history";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Computes what the positions of one currency were worth over time, from the known prices. \"carried\" marks days \
             whose value rests on an old price; days that lack a price are left out.",
        )
        .use_when("the user asks how the worth of their portfolio developed over months, or for its chart")
        .not_when("the worth of one day is asked for", "portfolio.value")
        .example("How did my portfolio develop since summer?")
    }

    async fn run(&self, of: HistoryOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let snapshot = Snapshot::priced(ctx.as_ref(), None, None).await?;
        let prices = snapshot.prices();
        let all = snapshot.value(&prices)?;
        let wanted = currency(of.currency.as_deref())?;
        let most = all.value.iter().max_by_key(|(_, value)| *value).map(|(currency, _)| currency);
        let Some(currency) = wanted.or(most) else {
            let value = json!({
                "currency": null, "points": [], "missing": null,
                "problems": problems_json(&all.problems), "unreadable": snapshot.books.unreadable_json(),
            });
            return Ok(value.into());
        };
        let first = begins(&snapshot.books, &prices, currency).unwrap_or(snapshot.day).min(snapshot.day);
        let begins = of.range.unwrap_or_default().begins(snapshot.day);
        let from = begins.unwrap_or(first).max(first);
        let mut points = Vec::new();
        // A holding without any price does not block the others; it is reported.
        let is_priced =
            |symbol: &str| prices.first(symbol, currency).is_some_and(|first| first <= snapshot.day);
        let mut never = BTreeSet::new();
        for day in days(from, snapshot.day) {
            let then = snapshot.value_on(&prices, day)?;
            let rows = || then.rows.iter().filter(|row| row.holding.currency == currency);
            let (missing, without): (Vec<&str>, Vec<&str>) = rows()
                .filter(|row| row.value.is_none())
                .map(|row| row.holding.symbol)
                .partition(|symbol| is_priced(symbol));
            never.extend(without.into_iter().map(str::to_owned));
            let Some(value) = then.value.get(currency).filter(|_| missing.is_empty()) else { continue };
            let is_old = rows().any(|row| {
                row.price.is_some_and(|price| prices.is_carried(row.holding.symbol, price, day, snapshot.day))
            });
            points.push(json!({"date": day.to_string(), "value": value.to_string(), "carried": is_old}));
        }
        let notes = all.notes(&snapshot.books);
        let is_held = |symbol: &str| {
            all.rows.iter().any(|row| row.holding.symbol == symbol && row.holding.currency == currency)
        };
        let missing = missing(&snapshot, &prices, currency, begins, is_held);
        let held = |symbol: &String| all.rows.iter().any(|row| row.holding.symbol == symbol);
        let gone = never.iter().filter(|symbol| !held(symbol)).map(|symbol| Problem {
            path: String::new(),
            line: 0,
            problem: format!("{symbol} has no price in {currency} and is not in the line"),
            remedy: "Fetch its history, or add price notes of the days when it was held.".into(),
        });
        let problems: Vec<Problem> = all.problems.iter().cloned().chain(gone).collect();
        let value = json!({
            "currency": currency,
            "from": from.to_string(),
            "to": snapshot.day.to_string(),
            "points": points,
            "missing": missing,
            "problems": problems_json(&problems),
            "unreadable": snapshot.books.unreadable_json(),
        });
        Ok(Output::new(value).from_notes(notes).into())
    }
}

/// The problems of holdings whose prices begin well after they were bought, or after the start of the range.
fn missing(
    snapshot: &Snapshot,
    prices: &Prices,
    currency: &str,
    range: Option<Date>,
    is_held: impl Fn(&str) -> bool,
) -> Option<String> {
    const NAMED: usize = 3;
    let books = &snapshot.books;
    let begins = |symbol: &&str| {
        let from = range.max(books.first_held(symbol))?;
        let to = if is_held(symbol) { snapshot.day } else { books.last_moved(symbol)? };
        let first = prices.first(symbol, currency)?;
        let lacks = from <= to && days_between(from, first) > QUOTE_DAYS;
        lacks.then(|| format!("{symbol} before {}", day_text(first, snapshot.day)))
    };
    let mut lacking: Vec<String> = books.symbols().iter().filter_map(begins).collect();
    if lacking.len() > NAMED {
        let more = lacking.len() - NAMED;
        lacking.truncate(NAMED);
        lacking.push(format!("{more} more"));
    }
    (!lacking.is_empty()).then(|| format!("No prices of {}.", lacking.join(", ")))
}

/// The first day on which a holding in this currency has a value: it is held and has a price.
fn begins(books: &Books, prices: &Prices, currency: &str) -> Option<Date> {
    let trades = books.trades.iter().filter(|note| note.currency == currency && note.trade.event.moves());
    let trades = trades.map(|note| (note.symbol.as_str(), Some(note.trade.date)));
    let positions = books.positions.iter().filter(|position| position.currency == currency);
    let positions = positions.map(|position| (position.symbol.as_str(), position.opened));
    let worth = trades.chain(positions).filter_map(|(symbol, held)| {
        let priced = prices.first(symbol, currency)?;
        Some(held.map_or(priced, |held| held.max(priced)))
    });
    worth.min()
}

/// The weekdays, or every nth day if there are too many for a line; always including the last.
fn days(from: Date, to: Date) -> Vec<Date> {
    use nova_skill::jiff::civil::Weekday;
    let all = days_between(from, to).max(0);
    let step = all / (POINTS * 7 / 5) + 1;
    let mut days = Vec::new();
    let mut day = from;
    while day < to {
        let rests = step == 1 && matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
        if !rests {
            days.push(day);
        }
        let Ok(next) = day.checked_add(step.days()) else { break };
        day = next;
    }
    days.push(to);
    days
}
