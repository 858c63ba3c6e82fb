use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nova_skill::figures::{TooLarge, currency_code, money, percent, plus};
use nova_skill::{
    Date, Decimal, Description, Effect, Figure, JsonSchema, NativeTool, Output, Problem, Source, ToolContext,
    ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::{currency, shown};
use crate::books::problems_json;
use crate::cash::Cash;
use crate::pair::pair;
use crate::prices::Prices;
use crate::rates::Rates;
use crate::valuation::{Snapshot, Valuation};

pub(crate) struct Allocation;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows each position’s share."))]
pub(crate) struct AllocationBy {
    /// How to group; default: by position.
    #[schemars(extend("x-label" = "Group by", "x-help" = "Position if left empty"))]
    by: Option<By>,
    /// Compare all currencies in this one, such as EUR, with the known rates; without it each currency is a whole of
    /// its own, unless the shares are those of currencies.
    #[schemars(extend("x-help" = "Convert everything into this"))]
    #[schemars(extend("x-values-from" = ["position.currency", "trade.currency"], "x-values" = "part"))]
    currency: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum By {
    #[default]
    Position,
    Currency,
    Exchange,
}

#[async_trait]
impl NativeTool for Allocation {
    type Args = AllocationBy;
    const ID: &'static str = "allocation";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Computes how the portfolio is spread: the share of each position, currency or exchange in per cent.")
            .use_when("the user asks how their investments are spread, how much of the portfolio is in one position, or about concentration and weights")
            .not_when("amounts of single positions are asked for", "portfolio.positions")
            .example("How much of my portfolio is in one stock?")
    }

    async fn run(&self, of: AllocationBy, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let by = of.by.unwrap_or_default();
        let wanted = currency(of.currency.as_deref())?;
        let snapshot = Snapshot::priced(ctx.as_ref(), None, wanted).await?;
        let prices = snapshot.prices();
        let mut all = snapshot.value(&prices)?;
        // Shares need one currency for all values; any one will do.
        let holdings = snapshot.holdings()?;
        let cash = snapshot.cash(&holdings.held, snapshot.day)?;
        let valued = valued(&all, cash.as_ref());
        let apart = By::Currency == by && wanted.is_none() && valued.len() > 1;
        let wanted = if apart { common_unit(&valued, &prices, &snapshot) } else { wanted };
        let has_shares = !apart || wanted.is_some();
        let wholes = Wholes::of(&all, cash.as_ref(), by, wanted, &prices, &snapshot)?;
        let (rows, figures) = wholes.shares(&all, has_shares)?;
        all.problems.extend(wholes.problem(has_shares));
        all.problems.extend(cash.iter().flat_map(|cash| cash.problems(snapshot.today)));
        let value = json!({
            "shares": rows,
            "rates": wholes.rates.as_ref().map(Rates::to_json).unwrap_or_default(),
            "rates_detail": wholes.rates.as_ref().and_then(Rates::detail),
            "problems": problems_json(&all.problems),
            "unreadable": snapshot.books.unreadable_json(),
        });
        let mut output = Output::new(value).from_notes(all.notes(&snapshot.books));
        output.sources.extend(cash.iter().flat_map(Cash::notes).cloned().map(Source::Note));
        output.figures = figures;
        Ok(output.into())
    }
}

/// Values by group. There is a single whole if all are in one currency or have a rate, and otherwise one for
/// each currency.
struct Wholes<'a> {
    /// By unit, then by label; the flag tells cash from a position with the same label.
    groups: BTreeMap<String, BTreeMap<(String, bool), Group>>,
    /// Set if everything is converted to one currency.
    rates: Option<Rates<'a>>,
}

#[derive(Default)]
struct Group {
    /// The sum of the rounded rows.
    value: Decimal,
    exact: Decimal,
    symbols: Vec<String>,
    sources: Vec<Source>,
}

impl<'a> Wholes<'a> {
    fn of(
        all: &Valuation<'a>,
        cash: Option<&Cash>,
        by: By,
        wanted: Option<&'static str>,
        prices: &'a Prices<'a>,
        snapshot: &Snapshot,
    ) -> Result<Self, ToolError> {
        let mut wholes = Self { groups: BTreeMap::new(), rates: None };
        let mut rates = wanted.map(|wanted| Rates::new(prices, wanted, snapshot.today));
        for row in &all.rows {
            let (Some(value), Some(exact)) = (row.value, row.exact.value) else { continue };
            let currency = row.holding.currency;
            let label = match by {
                By::Position => row.holding.name().to_owned(),
                By::Currency => currency.to_owned(),
                By::Exchange => {
                    let exchange = row.holding.position.and_then(|position| position.exchange.clone());
                    exchange.unwrap_or_else(|| "no exchange".into())
                }
            };
            let in_unit = in_unit(&mut rates, value, exact, currency, snapshot.day)?;
            let group = wholes.add((label, false), in_unit)?;
            group.symbols.push(row.holding.symbol.to_owned());
            group.sources.extend(row.sources(&snapshot.books));
        }
        // Negative balances have no share; they are reported as problems.
        let has = |(_, balance): &(&str, Decimal)| *balance > Decimal::ZERO;
        for (currency, balance) in cash.iter().flat_map(|cash| cash.balances.iter().filter(has)) {
            let key =
                if by == By::Currency { (currency.to_owned(), false) } else { ("Cash".to_owned(), true) };
            let in_unit = in_unit(&mut rates, balance, balance, currency, snapshot.day)?;
            let notes = cash.iter().flat_map(|cash| cash.notes_of(currency)).cloned();
            wholes.add(key, in_unit)?.sources.extend(notes.map(Source::Note));
        }
        wholes.rates = rates;
        Ok(wholes)
    }

    /// Adds an amount to the group `key`.
    fn add(&mut self, key: (String, bool), (unit, value, exact): InUnit) -> Result<&mut Group, TooLarge> {
        let group = self.groups.entry(unit).or_default().entry(key).or_default();
        group.value = plus(group.value, value)?;
        group.exact = group.exact.checked_add(exact).ok_or(TooLarge)?;
        Ok(group)
    }

    /// The rows of the groups, largest first, with the figures of their shares.
    fn shares(&self, all: &Valuation, has_shares: bool) -> Result<(Vec<Value>, Vec<Figure>), TooLarge> {
        let mut rows = Vec::new();
        let mut figures = Vec::new();
        for (unit, groups) in &self.groups {
            let (mut total, mut exact) = (Decimal::ZERO, Decimal::ZERO);
            let mut sources: Vec<Source> = self.rates.iter().flat_map(Rates::sources).collect();
            for group in groups.values() {
                sources.extend(group.sources.iter().cloned());
                total = plus(total, group.value)?;
                exact = exact.checked_add(group.exact).ok_or(TooLarge)?;
            }
            let caution = caution(all, unit, self.rates.as_ref());
            let mut groups: Vec<(&(String, bool), &Group)> = groups.iter().collect();
            groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.value));
            for ((label, is_cash), group) in groups {
                let share = percent(group.exact, exact, 1).filter(|_| has_shares);
                if let Some(share) = share {
                    let at = format!("/shares/{}/share", rows.len());
                    let figure = Figure::new(at, format!("{label}: share"), share, "%")
                        .formula("value ÷ value of all")
                        .part(label, money(group.value, unit), unit)
                        .part("All", money(total, unit), unit)
                        .from_sources(sources.iter().cloned())
                        .caution(caution.clone());
                    figures.push(match &self.rates {
                        Some(rates) => rates.explain(figure),
                        None => figure,
                    });
                }
                let mut row = json!({
                    "label": label,
                    "symbols": group.symbols,
                    "share": shown(share),
                    "value": money(group.value, unit).to_string(),
                    "currency": unit,
                });
                if *is_cash {
                    row["kind"] = json!("cash");
                }
                rows.push(row);
            }
        }
        Ok((rows, figures))
    }

    /// The problem if the values have no common currency.
    fn problem(&self, has_shares: bool) -> Option<Problem> {
        let units: Vec<&str> = self.groups.keys().map(String::as_str).collect();
        let (problem, remedy) = match units.as_slice() {
            [first, .., last] if !has_shares => (
                format!("There are no rates between {}, so shares are unknown", units.join(", ")),
                format!("Fetch the quote {}.", pair(first, last)),
            ),
            [_, _, ..] => (
                format!(
                    "{} currencies are not compared with each other: shares are of each currency",
                    units.len()
                ),
                "Name a currency to compare them in one.".into(),
            ),
            _ => return None,
        };
        Some(Problem { path: String::new(), line: 0, problem, remedy })
    }
}

/// The unit, the amount as shown in the row, and the exact amount.
type InUnit = (String, Decimal, Decimal);

/// Converts an amount to the common currency, if there is one.
fn in_unit(
    rates: &mut Option<Rates>,
    value: Decimal,
    exact: Decimal,
    currency: &str,
    day: Date,
) -> Result<InUnit, ToolError> {
    let Some(rates) = rates else { return Ok((currency.to_owned(), value, exact)) };
    let converted = (rates.money(value, currency, day)?, rates.exact(exact, currency, day)?);
    let (Some(value), Some(exact)) = converted else { return Err(no_rate(currency, rates.to)) };
    Ok((rates.to.to_owned(), value, exact))
}

fn no_rate(from: &str, to: &str) -> ToolError {
    ToolError::failed(
        format!("There is no rate from {from} to {to}."),
        format!("Call portfolio.quote with the symbol {from}/{to}, or leave the currency out."),
    )
}

/// The currencies of everything that has a value.
fn valued<'a>(all: &Valuation<'a>, cash: Option<&'a Cash>) -> BTreeSet<&'a str> {
    let rows = all.rows.iter().filter(|row| row.value.is_some()).map(|row| row.holding.currency);
    let cash = cash.into_iter().flat_map(|cash| cash.balances.iter());
    rows.chain(cash.filter(|(_, balance)| *balance > Decimal::ZERO).map(|(currency, _)| currency)).collect()
}

/// The currency for comparison: the default if every rate to it is known, or else any with all rates.
fn common_unit(held: &BTreeSet<&str>, prices: &Prices, snapshot: &Snapshot) -> Option<&'static str> {
    let usual = snapshot.books.currency.as_deref();
    let has_rates =
        |unit: &&str| held.iter().all(|held| held == unit || prices.rate(held, unit, snapshot.day).is_some());
    usual.into_iter().chain(held.iter().copied()).find(has_rates).and_then(currency_code)
}

/// The caution for the shares of one whole.
fn caution(all: &Valuation, unit: &str, rates: Option<&Rates>) -> Option<String> {
    let whole = if rates.is_none() { vec![unit] } else { all.currencies() };
    let mut said: Vec<String> = whole
        .iter()
        .filter_map(|currency| {
            let caution = all.caution(currency)?;
            Some(if whole.len() > 1 { format!("{currency}: {caution}") } else { caution })
        })
        .collect();
    said.extend(rates.and_then(Rates::caution));
    (!said.is_empty()).then(|| said.join(", "))
}
