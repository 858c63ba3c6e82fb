//! One call of the tool: the order of the sources, and the result.

use std::sync::Arc;

use nova_market::tools::quotes::{self, StoredQuote};
use nova_market::tools::{Web, cited};
use nova_market::{Age, Listing, Quoted, Reasons, Sources, age};
use nova_skill::figures::percent;
use nova_skill::{Date, Figure, LogLevel, Output, Problem, Source, ToolContext, ToolError, Value, json};

use super::wanted::SymbolRequest;
use crate::amount::{price as price_shown, shown};
use crate::books::problems_json;
use crate::pair::as_pair;
use crate::prices::{Price, PriceFrom};
use crate::stored::listing;
use crate::valuation::{Snapshot, day_text};

pub(super) struct Run {
    pub(super) ctx: Arc<dyn ToolContext>,
    pub(super) snapshot: Snapshot,
    pub(super) wanted: Vec<SymbolRequest>,
    pub(super) quotes: Sources,
    pub(super) rates: Sources,
}

/// The result for one symbol.
#[derive(Clone, Default)]
pub(super) struct Answer {
    price: Option<QuotedPrice>,
    /// The summary of the fetched closes.
    closes: Option<Value>,
    problems: Vec<Problem>,
}

#[derive(Clone)]
struct QuotedPrice {
    row: Value,
    price: nova_skill::Decimal,
    currency: String,
    source: Source,
    caution: Option<String>,
}

impl Run {
    pub(super) fn new(
        ctx: Arc<dyn ToolContext>,
        snapshot: Snapshot,
        wanted: Vec<SymbolRequest>,
        quotes: Sources,
        rates: Sources,
    ) -> Self {
        Self { ctx, snapshot, wanted, quotes, rates }
    }

    pub(super) async fn ask(&self, place: usize) -> Answer {
        let wanted = &self.wanted[place];
        let listing = listing(&wanted.symbol, &self.snapshot.books, self.ctx.as_ref());
        let mut answer = if wanted.newest { self.newest(&listing).await } else { Answer::default() };
        if let Some(since) = wanted.since {
            match self.closes(&listing, since).await {
                Ok(closes) => answer.closes = Some(closes),
                Err(problem) => answer.problems.push(problem),
            }
        }
        answer
    }

    async fn newest(&self, listing: &Listing) -> Answer {
        let symbol = &listing.symbol;
        let day = self.snapshot.day;
        let prices = self.snapshot.prices_of(symbol);
        // A symbol that is not held is quoted in the currency of its last price.
        let quoted_in = || prices.newest(symbol, day).map(|price| price.currency.to_owned());
        let unit = as_pair(symbol).map(|(_, to)| to).or_else(|| listing.currency.clone()).or_else(quoted_in);
        let last = unit.as_deref().and_then(|unit| prices.last(symbol, unit, day));
        // The user's own price for today takes precedence over any source.
        if let Some(price) =
            last.filter(|price| price.date == day && matches!(price.from, PriceFrom::Note(_)))
        {
            return Answer { price: Some(known(symbol, price, day)), ..Answer::default() };
        }
        let why = match self.quote(listing, last.map(|price| price.amount)).await {
            Ok((source, quoted)) => {
                let answered = fresh(symbol, &quoted, &source, day);
                self.store(listing, &source, quoted).await;
                return Answer { price: Some(answered), ..Answer::default() };
            }
            Err(why) => why,
        };
        let usable = unit.as_deref().and_then(|unit| prices.usable(symbol, unit, day));
        match usable {
            Some(price) => {
                let used = format!(
                    "The last price, {} {} from {}, is used",
                    price_shown(price.amount),
                    price.currency,
                    day_text(price.date, day)
                );
                let problem = Problem {
                    path: String::new(),
                    line: 0,
                    problem: format!("{symbol}: {why}. {used}"),
                    remedy: "Try another source, or add a price note.".into(),
                };
                let mut answered = known(symbol, price, day);
                answered.caution = Some(format!("price of {}", day_text(price.date, day)));
                answered.row["carried"] = json!(true);
                Answer { price: Some(answered), problems: vec![problem], ..Answer::default() }
            }
            None => Answer {
                problems: vec![Problem {
                    path: String::new(),
                    line: 0,
                    problem: format!("{symbol}: {why}"),
                    remedy: "Try again, choose another source, or add a price note.".into(),
                }],
                ..Answer::default()
            },
        }
    }

    async fn quote(
        &self,
        listing: &Listing,
        last: Option<nova_skill::Decimal>,
    ) -> Result<(String, Quoted), Reasons> {
        let (day, web) = (self.snapshot.day, Web(self.ctx.as_ref()));
        match as_pair(&listing.symbol) {
            Some((from, to)) => self.rates.rate((&from, &to), day, last, &web).await,
            None => self.quotes.quote(listing, day, last, &web).await,
        }
    }

    /// A cache error does not fail the call.
    async fn store(&self, listing: &Listing, source: &str, quoted: Quoted) {
        let new = [(quoted.date, StoredQuote::new(source, quoted))];
        if let Err(error) = quotes::add(listing, new, self.ctx.as_ref()).await {
            self.ctx.log(LogLevel::Warn, &format!("The quote was not stored: {error}"));
        }
    }

    pub(super) fn output(&self, answers: &[Option<Answer>]) -> Output {
        let answers = || answers.iter().flatten();
        let quotes: Vec<&QuotedPrice> = answers().filter_map(|answer| answer.price.as_ref()).collect();
        let problems: Vec<Problem> = answers().flat_map(|answer| answer.problems.clone()).collect();
        let mut value = json!({
            "quotes": quotes.iter().map(|answered| answered.row.clone()).collect::<Value>(),
            "problems": problems_json(&problems),
        });
        if self.wanted.iter().any(|wanted| wanted.since.is_some()) {
            value["closes"] = answers().filter_map(|answer| answer.closes.clone()).collect();
        }
        let mut output = Output::new(value);
        for (place, answered) in quotes.iter().enumerate() {
            let symbol = answered.row["symbol"].as_str().unwrap_or_default().to_owned();
            output = output.figure(
                Figure::new(
                    format!("/quotes/{place}/price"),
                    symbol,
                    price_shown(answered.price),
                    &answered.currency,
                )
                .from_sources([answered.source.clone()])
                .caution(answered.caution.clone()),
            );
        }
        output
    }

    /// # Errors
    /// If there is neither a price nor a close.
    pub(super) fn end(&self, answers: &[Option<Answer>]) -> Result<Output, ToolError> {
        let output = self.output(answers);
        if !output.figures.is_empty() || answers.iter().flatten().any(|answer| answer.closes.is_some()) {
            return Ok(output);
        }
        let first = answers.iter().flatten().find_map(|answer| answer.problems.first());
        let (problem, remedy) =
            first.map(|problem| (problem.problem.clone(), problem.remedy.clone())).unwrap_or_default();
        let others = match answers.len().saturating_sub(1) {
            0 => String::new(),
            1 => " And 1 other symbol has no price.".into(),
            others => format!(" And {others} other symbols have no price."),
        };
        Err(ToolError::failed(format!("{problem}.{others}"), remedy))
    }
}

fn fresh(symbol: &str, quoted: &Quoted, source: &str, day: Date) -> QuotedPrice {
    let age = age(quoted.date, day);
    let row = row(
        symbol,
        quoted.price,
        &quoted.currency,
        quoted.at.clone().unwrap_or_else(|| quoted.date.to_string()),
        source,
        age,
        quoted.before,
    );
    QuotedPrice {
        row,
        price: quoted.price,
        currency: quoted.currency.clone(),
        source: cited(&quoted.url, &quoted.fetched),
        caution: (age != Age::Fresh).then(|| format!("price of {}", day_text(quoted.date, day))),
    }
}

fn known(symbol: &str, price: &Price, day: Date) -> QuotedPrice {
    let age = price.age(day);
    QuotedPrice {
        row: row(symbol, price.amount, price.currency, price.when(), price.source_name(), age, price.before),
        price: price.amount,
        currency: price.currency.to_owned(),
        source: price.source(),
        caution: (age != Age::Fresh).then(|| format!("price of {}", day_text(price.date, day))),
    }
}

fn row(
    symbol: &str,
    price: nova_skill::Decimal,
    currency: &str,
    at: String,
    source: &str,
    age: Age,
    before: Option<nova_skill::Decimal>,
) -> Value {
    let change = before.and_then(|before| percent(price.checked_sub(before)?, before, 2));
    json!({
        "symbol": symbol,
        "price": price_shown(price).to_string(),
        "currency": currency,
        "price_at": at,
        "price_source": source,
        "stale": age.word(),
        "day_change": shown(change),
    })
}
