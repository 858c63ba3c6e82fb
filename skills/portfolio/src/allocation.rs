use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nova_market::Age;
use nova_skill::figures::{TooLarge, currency_code, money, percent, plus};
use nova_skill::{
    Decimal, Description, Effect, Figure, JsonSchema, NativeTool, Output, Problem, Source, ToolContext,
    ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::shown;
use crate::books::problems_json;
use crate::prices::{Prices, Rate, pair};
use crate::valuation::{Snapshot, Valuation, day_text};
use crate::value::rate_json;

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
        let wanted = wanted_currency(of.currency.as_deref())?;
        let snapshot = Snapshot::read(ctx.as_ref(), None).await?;
        let prices = snapshot.prices();
        let mut all = snapshot.value(&prices)?;
        // Currencies can only be compared in one of them; which one does not matter.
        let apart = By::Currency == by && wanted.is_none() && valued(&all).len() > 1;
        let wanted = if apart { common_unit(&all, &prices, &snapshot) } else { wanted };
        let has_shares = !apart || wanted.is_some();
        let wholes = Wholes::of(&all, by, wanted, &prices, &snapshot)?;
        let (rows, figures) = wholes.shares(&all, &snapshot, has_shares)?;
        all.problems.extend(wholes.problem(has_shares));
        let value = json!({
            "shares": rows,
            "rates": wholes.rates_json(wanted.unwrap_or_default()),
            "problems": problems_json(&all.problems),
            "unreadable": snapshot.books.unreadable_json(),
        });
        let mut output = Output::new(value).from_notes(all.notes(&snapshot.books));
        output.figures = figures;
        Ok(output.into())
    }
}

fn wanted_currency(given: Option<&str>) -> Result<Option<&'static str>, ToolError> {
    let Some(text) = given.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let code = currency_code(text);
    code.map(Some).ok_or_else(|| crate::amount::invalid("currency", &format!("\"{text}\" is not a currency")))
}

/// What is held, grouped. One whole where there is one currency, or a rate for each; else one for each currency.
struct Wholes<'a> {
    /// By unit, then by label.
    groups: BTreeMap<String, BTreeMap<String, Group>>,
    /// The rates used, by the currency they convert from.
    rates: BTreeMap<&'a str, Rate<'a>>,
}

#[derive(Default)]
struct Group {
    /// The sum of the rows shown.
    value: Decimal,
    exact: Decimal,
    symbols: Vec<String>,
    sources: Vec<Source>,
}

impl<'a> Wholes<'a> {
    fn of(
        all: &Valuation<'a>,
        by: By,
        wanted: Option<&'static str>,
        prices: &'a Prices<'a>,
        snapshot: &Snapshot,
    ) -> Result<Self, ToolError> {
        let mut wholes = Self { groups: BTreeMap::new(), rates: BTreeMap::new() };
        for row in &all.rows {
            let (Some(value), Some(exact)) = (row.value, row.exact.value) else { continue };
            let currency = row.holding.currency;
            let (unit, value, exact) = match wanted {
                Some(wanted) if wanted != currency => {
                    let rate = prices
                        .rate(currency, wanted, snapshot.day)
                        .ok_or_else(|| no_rate(currency, wanted))?;
                    let by_rate = |amount: Decimal| amount.checked_mul(rate.rate).ok_or(TooLarge);
                    let (value, exact) = (money(by_rate(value)?, wanted), by_rate(exact)?);
                    wholes.rates.insert(currency, rate);
                    (wanted, value, exact)
                }
                _ => (currency, value, exact),
            };
            let label = match by {
                By::Position => row.holding.name().to_owned(),
                By::Currency => currency.to_owned(),
                By::Exchange => {
                    let exchange = row.holding.position.and_then(|position| position.exchange.clone());
                    exchange.unwrap_or_else(|| "no exchange".into())
                }
            };
            let group = wholes.groups.entry(unit.to_owned()).or_default().entry(label).or_default();
            group.value = plus(group.value, value)?;
            group.exact = group.exact.checked_add(exact).ok_or(TooLarge)?;
            group.symbols.push(row.holding.symbol.to_owned());
            group.sources.extend(row.sources(&snapshot.books));
        }
        Ok(wholes)
    }

    /// A row for each group, the largest first, with the figure of its share.
    fn shares(
        &self,
        all: &Valuation,
        snapshot: &Snapshot,
        has_shares: bool,
    ) -> Result<(Vec<Value>, Vec<Figure>), TooLarge> {
        let mut rows = Vec::new();
        let mut figures = Vec::new();
        for (unit, groups) in &self.groups {
            let (mut total, mut exact) = (Decimal::ZERO, Decimal::ZERO);
            let mut sources: Vec<Source> = self.rates.values().map(|rate| rate.price.source()).collect();
            for group in groups.values() {
                sources.extend(group.sources.iter().cloned());
                total = plus(total, group.value)?;
                exact = exact.checked_add(group.exact).ok_or(TooLarge)?;
            }
            let caution = caution(all, unit, &self.rates, snapshot);
            let mut groups: Vec<(&String, &Group)> = groups.iter().collect();
            groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.value));
            for (label, group) in groups {
                let share = percent(group.exact, exact, 1).filter(|_| has_shares);
                if let Some(share) = share {
                    let at = format!("/shares/{}/share", rows.len());
                    let figure = Figure::new(at, format!("{label}: share"), share, "%")
                        .formula("value ÷ value of all")
                        .part(label, money(group.value, unit), unit)
                        .part("All", money(total, unit), unit)
                        .from_sources(sources.iter().cloned())
                        .caution(caution.clone());
                    figures.push(self.with_rates(figure, unit, snapshot));
                }
                rows.push(json!({
                    "label": label,
                    "symbols": group.symbols,
                    "share": shown(share),
                    "value": money(group.value, unit).to_string(),
                    "currency": unit,
                }));
            }
        }
        Ok((rows, figures))
    }

    fn with_rates(&self, figure: Figure, unit: &str, snapshot: &Snapshot) -> Figure {
        self.rates.iter().fold(figure, |figure, (from, rate)| {
            let day = day_text(rate.price.date, snapshot.today);
            let said = format!("{from} in {unit}, {}, {day}", rate.price.source_name());
            figure.part(said, rate.rate, "")
        })
    }

    /// Why not everything is compared with everything.
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

    fn rates_json(&self, to: &str) -> Vec<Value> {
        self.rates.iter().map(|(from, rate)| rate_json(from, to, rate.rate, rate.price)).collect()
    }
}

fn no_rate(from: &str, to: &str) -> ToolError {
    ToolError::failed(
        format!("There is no rate from {from} to {to}."),
        format!("Call portfolio.quote with the symbol {from}/{to}, or leave the currency out."),
    )
}

/// The currencies of what has a value.
fn valued<'a>(all: &'a Valuation) -> BTreeSet<&'a str> {
    all.rows.iter().filter(|row| row.value.is_some()).map(|row| row.holding.currency).collect()
}

/// The currency in which all can be compared: the usual one where there is a rate for each, else any.
fn common_unit(all: &Valuation, prices: &Prices, snapshot: &Snapshot) -> Option<&'static str> {
    let held = valued(all);
    let usual = snapshot.books.currency.as_deref();
    let has_rates =
        |unit: &&str| held.iter().all(|held| held == unit || prices.rate(held, unit, snapshot.day).is_some());
    usual.into_iter().chain(held.iter().copied()).find(has_rates).and_then(currency_code)
}

/// What a person should know before they trust the shares of one whole.
fn caution(all: &Valuation, unit: &str, rates: &BTreeMap<&str, Rate>, snapshot: &Snapshot) -> Option<String> {
    let whole = if rates.is_empty() { vec![unit] } else { all.currencies() };
    let mut said: Vec<String> = whole
        .iter()
        .filter_map(|currency| {
            let caution = all.caution(currency)?;
            Some(if whole.len() > 1 { format!("{currency}: {caution}") } else { caution })
        })
        .collect();
    if rates.values().any(|rate| rate.price.age(snapshot.day) != Age::Fresh) {
        said.push("an old rate".into());
    }
    (!said.is_empty()).then(|| said.join(", "))
}
