use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt;
use nova_skill::{
    Date, Description, Effect, Figure, JsonSchema, LogLevel, NativeTool, Output, OutputPart, Problem,
    Progress, Source, ToolContext, ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::{date, price as price_shown, shown};
use crate::books::{as_symbol, problems_json};
use crate::kept::KeptQuote;
use crate::prices::{Age, Price, PriceFrom, age, as_pair};
use crate::sources::{self, Asked, CREDENTIAL, QuoteSource, Quoted, SourceError};
use crate::valuation::{Snapshot, day_text};
use crate::watchlist::Watched;

pub(crate) struct Quote;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct QuotesOf {
    /// Symbols such as NGTL, or a pair of currencies such as USD/EUR for a rate; everything that is held or watched
    /// where nothing is given.
    symbols: Option<Vec<String>>,
    /// Also fetch the closes since this day, YYYY-MM-DD, for the chart.
    #[schemars(extend("format" = "date"))]
    since: Option<String>,
}

/// How many symbols are asked about at once.
const AT_ONCE: usize = 8;
/// After so many failures in a row a source is not asked again in this call.
const FAILURES: u32 = 3;
/// A partial result each so many symbols.
const PARTIAL: usize = 10;
/// More than anybody holds.
const MOST: usize = 1_000;

#[async_trait]
impl NativeTool for Quote {
    type Args = QuotesOf;
    const ID: &'static str = "quote";
    const EFFECT: Effect = Effect::External;
    const HOSTS: &'static [&'static str] = &["stooq.com", "query1.finance.yahoo.com", "finnhub.io"];
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &[CREDENTIAL];

    fn description(&self) -> Description {
        Description::purpose(
            "Fetches what shares trade at now from quote sources in their configured order, or currency rates. What no source knows has \
             its reason under \"problems\", and the last price is used when it is at most a week old.",
        )
        .use_when("the user wants fresh prices or quotes, asks what a share or symbol is trading at now, or for an exchange rate")
        .not_when("known prices are enough", "portfolio.value")
        .cite("source and time of each price, and the day of an old one")
        .example("What is UBER trading at right now?")
    }

    async fn run(&self, of: QuotesOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let snapshot = Snapshot::read(ctx.as_ref(), None).await?;
        let since = of.since.as_deref().filter(|text| !text.trim().is_empty());
        let since = since.map(|text| date(text, "since")).transpose()?;
        let symbols = symbols(of.symbols, &snapshot, ctx.as_ref()).await?;
        let sources = sources::in_order(ctx.as_ref()).await;
        if sources.is_empty() {
            return Err(ToolError::failed(
                "No quote source is on.",
                "Name one under skills.portfolio.config.sources: stooq, yahoo, or finnhub with FINNHUB_API_KEY.",
            ));
        }
        let kept = Mutex::new(snapshot.kept.clone());
        let run = Arc::new(Run { ctx, snapshot, symbols, sources, since, kept, failures: Mutex::default() });
        Ok(ToolOutput::Stream(Box::pin(async_stream::stream! {
            let total = run.symbols.len();
            let mut answers: Vec<Option<Answer>> = (0..total).map(|_| None).collect();
            let asking = (0..total).map(|place| {
                let run = run.clone();
                async move { (place, run.ask(place).await) }
            });
            let mut asking = futures::stream::iter(asking).buffer_unordered(AT_ONCE);
            let mut done = 0;
            while let Some((place, answer)) = asking.next().await {
                if run.ctx.cancel().is_cancelled() {
                    // What came until now is not asked for again.
                    run.keep().await;
                    yield OutputPart::End(Err(ToolError::Cancelled));
                    return;
                }
                answers[place] = Some(answer);
                done += 1;
                yield OutputPart::Progress(Progress {
                    fraction: Some(done as f64 / total.max(1) as f64),
                    message: Some(format!("{done} of {total}")),
                });
                if done % PARTIAL == 0 && done < total {
                    run.keep().await;
                    yield OutputPart::Partial(run.output(&answers).value);
                }
            }
            run.keep().await;
            yield OutputPart::End(run.end(&answers));
        })))
    }
}

/// What was asked for, each once and in order; else all that is held or watched.
async fn symbols(
    asked: Option<Vec<String>>,
    snapshot: &Snapshot,
    ctx: &dyn ToolContext,
) -> Result<Vec<String>, ToolError> {
    let invalid = |rule: String| crate::amount::invalid("symbols", &rule);
    let mut symbols = Vec::new();
    let mut seen = BTreeSet::new();
    let asked: Vec<String> =
        asked.unwrap_or_default().into_iter().filter(|said| !said.trim().is_empty()).collect();
    for said in &asked {
        let symbol = as_symbol(said);
        let symbol = match snapshot.books.find(said) {
            Ok(known) => known,
            Err(error @ ToolError::Ambiguous { .. }) => return Err(error),
            Err(_) if symbol.contains('/') && as_pair(&symbol).is_none() => {
                return Err(invalid(format!("\"{said}\" is no pair of two currencies such as USD/EUR")));
            }
            Err(_) if symbol.contains(char::is_whitespace) || symbol.chars().count() > 20 => {
                return Err(invalid(format!("\"{said}\" is no symbol and no position's name")));
            }
            Err(_) => symbol,
        };
        if seen.insert(symbol.clone()) {
            symbols.push(symbol);
        }
    }
    if asked.is_empty() {
        let held = snapshot.holdings()?;
        let held = held.held.iter().filter(|holding| !holding.quantity.is_zero());
        let held = held.map(|holding| holding.symbol.to_owned());
        let watched = Watched::read(ctx).await?.entries.into_iter().map(|entry| entry.symbol);
        symbols.extend(held.chain(watched).filter(|symbol| seen.insert(symbol.clone())));
    }
    match symbols.len() {
        0 => Err(ToolError::failed(
            "Nothing is held or watched.",
            "Name the symbols, or record a trade with portfolio.add_trade.",
        )),
        count if count > MOST => Err(invalid(format!("{count} are too many at once; {MOST} are allowed"))),
        _ => Ok(symbols),
    }
}

/// One call.
struct Run {
    ctx: Arc<dyn ToolContext>,
    snapshot: Snapshot,
    symbols: Vec<String>,
    sources: Vec<Box<dyn QuoteSource>>,
    since: Option<Date>,
    kept: Mutex<crate::kept::Kept>,
    /// How often in a row each source failed, and why the last time.
    failures: Mutex<HashMap<&'static str, (u32, String)>>,
}

/// What became of one symbol.
#[derive(Clone)]
struct Answer {
    price: Option<Answered>,
    problem: Option<Problem>,
}

#[derive(Clone)]
struct Answered {
    row: Value,
    price: nova_skill::Decimal,
    currency: String,
    source: Source,
    caution: Option<String>,
}

impl Run {
    async fn ask(&self, place: usize) -> Answer {
        let symbol = &self.symbols[place];
        let day = self.snapshot.day;
        let asked = Asked::new(symbol, &self.snapshot.books, self.ctx.as_ref());
        let prices = self.snapshot.prices();
        let unit = as_pair(symbol).map(|(_, to)| to).or_else(|| asked.currency.clone());
        let last = unit.as_deref().and_then(|unit| prices.last(symbol, unit, day));
        // What the user has written down for today goes before any source.
        if let Some(price) =
            last.filter(|price| price.date == day && matches!(price.from, PriceFrom::Note(_)))
        {
            return Answer { price: Some(known(symbol, price, day)), problem: None };
        }
        let mut reasons = Vec::new();
        for source in &self.sources {
            if let Some(why) = self.is_off(source.name()) {
                reasons.push(format!("{} {why}", source.name()));
                continue;
            }
            match self.quote(source.as_ref(), &asked, last.map(|price| price.amount)).await {
                Ok(quoted) => {
                    self.worked(source.name());
                    let answered = fresh(symbol, &quoted, source.name(), day);
                    self.add(symbol, source.name(), quoted);
                    self.fetch_history(source.as_ref(), &asked).await;
                    return Answer { price: Some(answered), problem: None };
                }
                Err(error) => {
                    reasons.push(format!("{} {error}", source.name()));
                    self.failed(source.name(), &error);
                }
            }
        }
        let usable = unit.as_deref().and_then(|unit| prices.usable(symbol, unit, day));
        let why = reasons.join("; ");
        match usable {
            Some(price) => {
                let used = format!(
                    "The last price, {} from {}, is used",
                    price_shown(price.amount),
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
                Answer { price: Some(answered), problem: Some(problem) }
            }
            None => Answer {
                price: None,
                problem: Some(Problem {
                    path: String::new(),
                    line: 0,
                    problem: format!("{symbol}: {why}"),
                    remedy: "Try again, choose another source, or add a price note.".into(),
                }),
            },
        }
    }

    async fn quote(
        &self,
        source: &dyn QuoteSource,
        asked: &Asked,
        last: Option<nova_skill::Decimal>,
    ) -> Result<Quoted, SourceError> {
        let ctx = self.ctx.as_ref();
        let quoted = match as_pair(&asked.symbol) {
            Some((from, to)) => source.rate(&from, &to, ctx).await?,
            None => source.quote(asked, ctx).await?,
        };
        quoted.checked(asked, self.snapshot.day, last)
    }

    /// Past closes are nice to have: without them the quote is as good.
    async fn fetch_history(&self, source: &dyn QuoteSource, asked: &Asked) {
        let Some(since) = self.since.filter(|_| as_pair(&asked.symbol).is_none()) else { return };
        match source.history(asked, since, self.ctx.as_ref()).await {
            Ok(closes) => {
                let sane = |close: &Quoted| {
                    let own = asked.currency.as_ref().is_none_or(|currency| *currency == close.currency);
                    own && close.price > nova_skill::Decimal::ZERO
                        && close.date >= since
                        && close.date <= self.snapshot.day
                };
                for close in closes.into_iter().filter(sane) {
                    self.add(&asked.symbol, source.name(), close);
                }
            }
            Err(error) => {
                let message = format!("{}: {} {error}", asked.symbol, source.name());
                self.ctx.log(LogLevel::Warn, &message);
            }
        }
    }

    fn add(&self, symbol: &str, source: &str, quoted: Quoted) {
        let Quoted { price, currency, date, at, before, url, fetched } = quoted;
        let kept = KeptQuote { price, currency, source: source.into(), url, at, fetched, before };
        lock(&self.kept).add(symbol, date, kept);
    }

    /// That quotes could not be kept is no reason to give none.
    async fn keep(&self) {
        let kept = lock(&self.kept).clone();
        if let Err(error) = kept.write(self.ctx.as_ref()).await {
            self.ctx.log(LogLevel::Warn, &format!("The quotes were not kept: {error}"));
        }
    }

    fn is_off(&self, source: &str) -> Option<String> {
        lock(&self.failures).get(source).filter(|(times, _)| *times >= FAILURES).map(|(_, why)| why.clone())
    }

    fn worked(&self, source: &'static str) {
        lock(&self.failures).remove(source);
    }

    fn failed(&self, source: &'static str, error: &SourceError) {
        let mut failures = lock(&self.failures);
        let (times, why) = failures.entry(source).or_default();
        match error {
            SourceError::Symbol(_) | SourceError::Stopped => *times = 0,
            SourceError::Source(_) => *times += 1,
            SourceError::Refused(_) => *times = FAILURES,
        }
        *why = error.to_string();
    }

    fn output(&self, answers: &[Option<Answer>]) -> Output {
        let answers = || answers.iter().flatten();
        let quotes: Vec<&Answered> = answers().filter_map(|answer| answer.price.as_ref()).collect();
        let problems: Vec<Problem> = answers().filter_map(|answer| answer.problem.clone()).collect();
        let mut output = Output::new(json!({
            "quotes": quotes.iter().map(|answered| answered.row.clone()).collect::<Value>(),
            "problems": problems_json(&problems),
        }));
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
    /// When there is not one price.
    fn end(&self, answers: &[Option<Answer>]) -> Result<Output, ToolError> {
        let output = self.output(answers);
        if !output.figures.is_empty() {
            return Ok(output);
        }
        let first = answers.iter().flatten().find_map(|answer| answer.problem.as_ref());
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

fn fresh(symbol: &str, quoted: &Quoted, source: &str, day: Date) -> Answered {
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
    Answered {
        row,
        price: quoted.price,
        currency: quoted.currency.clone(),
        source: Source::Web { url: quoted.url.clone(), at: quoted.fetched.clone() },
        caution: (age != Age::Fresh).then(|| format!("price of {}", day_text(quoted.date, day))),
    }
}

fn known(symbol: &str, price: &Price, day: Date) -> Answered {
    let age = price.age(day);
    Answered {
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
    let change = before.and_then(|before| {
        let by = price.checked_sub(before)?.checked_mul(nova_skill::Decimal::ONE_HUNDRED)?;
        let mut change = by.checked_div(before)?.round_dp(2);
        change.rescale(2);
        Some(change)
    });
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
