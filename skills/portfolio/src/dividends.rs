use std::collections::BTreeMap;
use std::sync::Arc;

use nova_skill::figures::{Month, Sums, TooLarge, money, plus};
use nova_skill::jiff::ToSpan as _;
use nova_skill::{
    Date, Decimal, Description, Effect, Figure, JsonSchema, NativeTool, Output, Problem, Source, ToolContext,
    ToolError, ToolOutput, Value, async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::amount::{currency, invalid, shown};
use crate::books::{Books, problems_json};
use crate::history::Range;
use crate::holdings::Holding;
use crate::rates::{Rates, old_rates};
use crate::valuation::{PARTS, Snapshot, day_text};

pub(crate) struct Dividends;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds up dividends by month."))]
pub(crate) struct DividendsOf {
    /// The first day, YYYY-MM-DD; default: all of them.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "The first day"))]
    from: Option<String>,
    /// The last day, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "Today if left empty"))]
    to: Option<String>,
    /// This many whole months up to the last day, instead of a first day.
    #[schemars(extend("x-help" = "How far back"))]
    range: Option<Range>,
    /// Only this symbol, or the position of this name.
    #[schemars(extend("x-help" = "Only this position"))]
    #[schemars(extend("x-values-from" = ["position.symbol", "trade.symbol", "position.name"]))]
    #[schemars(extend("x-values" = "only"))]
    symbol: Option<String>,
    /// The currency of the totals, such as EUR, at the rate of each day of payment; default: that of the payments, else
    /// the usual one.
    #[schemars(extend("x-help" = "Convert the totals into this"))]
    #[schemars(extend("x-values-from" = ["position.currency", "trade.currency"], "x-values" = "part"))]
    currency: Option<String>,
}

/// The maximum number of months with rows of their own between payments: fifty years.
const MONTHS: usize = 600;

/// A payment, as a row.
struct Payment<'a> {
    holding: &'a Holding<'a>,
    date: Date,
    /// In the currency of its holding, net of withheld tax.
    amount: Decimal,
    /// In the currency of the totals, at the rate of the day.
    converted: Option<Decimal>,
    origin: usize,
}

#[async_trait]
impl NativeTool for Dividends {
    type Args = DividendsOf;
    const ID: &'static str = "dividends";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Adds up the dividends that were received, by month and by symbol, less what was withheld, with totals in one \
             currency at the rate of each day of payment.",
        )
        .use_when("the user asks for dividends of each month or of each share")
        .not_when("realised gains are asked for, or all for taxes", "portfolio.gains")
        .cite("the period, and the rates where a total was converted")
        .example("How much did I get in dividends each month?")
    }

    async fn run(&self, of: DividendsOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let from = given(of.from).map(|text| date_argument("from", &text)).transpose()?;
        let to = given(of.to).map(|text| date_argument("to", &text)).transpose()?;
        let wanted = currency(of.currency.as_deref())?;
        let mut snapshot = Snapshot::priced(ctx.as_ref(), None, wanted).await?;
        snapshot.day = to.unwrap_or(snapshot.today);
        let whole =
            from.is_none().then_some(of.range).flatten().and_then(|range| begins(range, snapshot.day));
        let from = from.or(whole);
        if let Some(from) = from.filter(|from| *from > snapshot.day) {
            return Err(invalid("from", &format!("{from} is after {}", snapshot.day)));
        }
        let books = &snapshot.books;
        let symbol = given(of.symbol).map(|said| books.find(&said)).transpose()?;
        let is_asked = |other: &str| symbol.as_deref().is_none_or(|symbol| symbol == other);
        let holdings = snapshot.holdings()?;
        let left_out = holdings.left_out.iter().find(|(left_out, _)| is_asked(left_out));
        if let Some((_, problem)) = left_out.filter(|_| symbol.is_some()) {
            return Err(ToolError::BrokenRecord(problem.clone()));
        }
        let mut payments: Vec<Payment> = Vec::new();
        for holding in holdings.held.iter().filter(|holding| is_asked(holding.symbol)) {
            for paid in holding.ledger.income.iter().filter(|paid| from.is_none_or(|from| from <= paid.date))
            {
                payments.push(Payment {
                    holding,
                    date: paid.date,
                    amount: money(paid.amount, holding.currency),
                    converted: None,
                    origin: paid.origin,
                });
            }
        }
        payments.sort_by_key(|payment| (payment.date, payment.holding.symbol));

        let prices = snapshot.prices();
        let unit = wanted.or_else(|| unit_of(&payments, books));
        let mut rates = unit.map(|unit| Rates::new(&prices, unit, snapshot.today));
        if let Some(rates) = &mut rates {
            for payment in &mut payments {
                payment.converted = rates.money(payment.amount, payment.holding.currency, payment.date)?;
            }
        }
        let report =
            DividendReport { payments: &payments, rates: rates.as_ref(), books, today: snapshot.today };
        let mut problems = holdings.problems.clone();
        problems.extend(report.problems());
        let mut output = Output::default().from_notes(
            payments.iter().filter_map(|paid| books.trades.get(paid.origin)).map(|note| note.path.clone()),
        );
        let positions = payments.iter().filter_map(|paid| books.position(paid.holding.symbol));
        output.sources.extend(positions.map(|position| Source::Note(position.path.clone())));
        output.sources.extend(rates.iter().flat_map(Rates::sources));
        let (months, figures) =
            report.months(whole.map(|first| (Month::of(first), Month::of(snapshot.day))))?;
        output.figures.extend(figures);
        let (symbols, figures) = report.symbols()?;
        output.figures.extend(figures);
        let all: Vec<&Payment> = payments.iter().collect();
        let mut total = report.row(&all)?;
        total["symbol"] = json!("Total");
        total["name"] = json!(rates.as_ref().and_then(Rates::detail));
        output.figures.extend(report.figure("/total/total".into(), "Dividends".into(), &all)?);
        output.value = json!({
            "from": from.or_else(|| payments.first().map(|paid| paid.date)).map(|day| day.to_string()),
            "to": snapshot.day.to_string(),
            "currency": unit,
            "months": months,
            "symbols": symbols,
            "total": total,
            "rates": rates.as_ref().map(Rates::to_json).unwrap_or_default(),
            "rates_detail": rates.as_ref().and_then(Rates::detail),
            "problems": problems_json(&problems),
            "unreadable": books.unreadable_json(),
        });
        Ok(output.into())
    }
}

/// The first day of the whole months that a range covers.
fn begins(range: Range, day: Date) -> Option<Date> {
    let before = range.begins(day)?;
    Some(Month::of(before.saturating_add(1.month())).days().first)
}

/// The common currency of all payments, or else the default.
fn unit_of(payments: &[Payment], books: &Books) -> Option<&'static str> {
    let first = payments.first()?.holding.currency;
    let is_one = payments.iter().all(|payment| payment.holding.currency == first);
    let code = if is_one { Some(first) } else { books.currency.as_deref() };
    code.and_then(nova_skill::figures::currency_code)
}

struct DividendReport<'a> {
    payments: &'a [Payment<'a>],
    rates: Option<&'a Rates<'a>>,
    books: &'a Books,
    today: Date,
}

impl DividendReport<'_> {
    /// A row for each month from the first payment to the last, or of the range if there is one.
    fn months(&self, range: Option<(Month, Month)>) -> Result<(Vec<Value>, Vec<Figure>), TooLarge> {
        let mut by_month: BTreeMap<Month, Vec<&Payment>> = BTreeMap::new();
        for payment in self.payments {
            by_month.entry(Month::of(payment.date)).or_default().push(payment);
        }
        let ends = by_month.keys().next().copied().zip(by_month.keys().next_back().copied());
        let Some((mut month, last)) = ends.map(|ends| range.unwrap_or(ends)) else {
            return Ok(Default::default());
        };
        for _ in 0..MONTHS {
            by_month.entry(month).or_default();
            if month >= last {
                break;
            }
            month = month.back(-1);
        }
        let (mut rows, mut figures) = (Vec::new(), Vec::new());
        for (month, payments) in by_month {
            let at = format!("/months/{}/total", rows.len());
            figures.extend(self.figure(at, format!("Dividends, {}", month.in_full()), &payments)?);
            let mut row = self.row(&payments)?;
            row["month"] = json!(month.to_string());
            rows.push(row);
        }
        Ok((rows, figures))
    }

    /// A row for each symbol.
    fn symbols(&self) -> Result<(Vec<Value>, Vec<Figure>), TooLarge> {
        let mut by_symbol: BTreeMap<&str, Vec<&Payment>> = BTreeMap::new();
        for payment in self.payments {
            by_symbol.entry(payment.holding.symbol).or_default().push(payment);
        }
        let (mut rows, mut figures) = (Vec::new(), Vec::new());
        for (symbol, payments) in by_symbol {
            let Some(last) = payments.last() else { continue };
            let position = self.books.position(symbol);
            let at = format!("/symbols/{}/total", rows.len());
            figures.extend(self.figure(at, format!("{}: dividends", last.holding.name()), &payments)?);
            let mut row = self.row(&payments)?;
            row["symbol"] = json!(symbol);
            row["name"] = json!(last.holding.name());
            row["last"] = json!(last.date.to_string());
            row["path"] = json!(position.map(|position| position.path.to_string()));
            rows.push(row);
        }
        Ok((rows, figures))
    }

    /// The sums of some payments, in their own currencies and in that of the totals.
    fn row(&self, payments: &[&Payment]) -> Result<Value, TooLarge> {
        let mut received = Sums::default();
        for payment in payments {
            received.add(payment.holding.currency, payment.amount)?;
        }
        Ok(json!({
            "payments": payments.len(),
            "received": received.to_json(),
            "total": shown(self.total(payments)?),
            "currency": self.rates.map(|rates| rates.to),
        }))
    }

    /// `None` if a rate is missing.
    fn total(&self, payments: &[&Payment]) -> Result<Option<Decimal>, TooLarge> {
        let Some(rates) = self.rates else { return Ok(None) };
        let mut total = money(Decimal::ZERO, rates.to);
        for payment in payments {
            let Some(converted) = payment.converted else { return Ok(None) };
            total = plus(total, converted)?;
        }
        Ok(Some(total))
    }

    fn figure(&self, at: String, label: String, payments: &[&Payment]) -> Result<Option<Figure>, TooLarge> {
        let (Some(total), Some(rates)) = (self.total(payments)?, self.rates) else { return Ok(None) };
        if payments.is_empty() {
            return Ok(None);
        }
        let notes = payments.iter().filter_map(|paid| self.books.trades.get(paid.origin));
        let is_converted = |paid: &&&Payment| paid.holding.currency != rates.to;
        let converted = || payments.iter().filter(is_converted);
        let old = converted().filter(|paid| rates.is_old(paid.holding.currency, paid.date)).count();
        let mut figure = Figure::new(at, label, total, rates.to)
            .formula("Σ quantity × payment for each share, less what was withheld")
            .from_notes(notes.map(|note| note.path.clone()))
            .from_sources(converted().filter_map(|paid| rates.source(paid.holding.currency, paid.date)))
            .caution(old_rates(old));
        for paid in payments.iter().take(PARTS) {
            let (symbol, day) = (paid.holding.symbol, day_text(paid.date, self.today));
            let label = match paid.holding.currency {
                currency if currency == rates.to => format!("{symbol}, {day}"),
                currency => {
                    format!("{symbol}, {day}, {} {}", paid.amount, rates.label(currency, paid.date))
                }
            };
            figure = figure.part(label, paid.converted.unwrap_or_default(), rates.to);
        }
        if let Some(more) = payments.get(PARTS..).filter(|more| !more.is_empty()) {
            let rest = self.total(more)?.unwrap_or_default();
            figure = figure.part(format!("{} more", more.len()), rest, rates.to);
        }
        Ok(Some(figure))
    }

    /// The problems that prevent totals.
    fn problems(&self) -> Vec<Problem> {
        match self.rates {
            Some(rates) => rates.problems(),
            None if self.payments.is_empty() => Vec::new(),
            None => vec![Problem {
                path: String::new(),
                line: 0,
                problem:
                    "the payments are in several currencies and none is the usual one, so there is no total"
                        .into(),
                remedy: "Name a currency for the total.".into(),
            }],
        }
    }
}
