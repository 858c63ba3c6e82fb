use std::sync::Arc;

use nova_market::tools::{self, Web};
use nova_market::{Figure, KeyFigure, Listing, SHARES_DAYS, Sources, Unit, key_figures, sources};
use nova_skill::figures::{at_least, days_between, percent};
use nova_skill::jiff::ToSpan as _;
use nova_skill::{
    Date, Decimal, Description, Effect, JsonSchema, NativeTool, Output, Source, ToolContext, ToolError,
    ToolOutput, Value, WebSource, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::SOURCES;
use crate::resolve::{Held, resolve};
use nova_market::tools::closes::{Closes, closes};
use nova_market::tools::filers::{filer, said, sec as configured};

pub(crate) struct Fundamentals;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows the key figures of a company."))]
pub(crate) struct FundamentalsOf {
    /// A symbol such as UBER, or a company's name.
    #[schemars(extend("x-help" = "Or a company's name"))]
    symbol: String,
}

#[async_trait]
impl NativeTool for Fundamentals {
    type Args = FundamentalsOf;
    const ID: &'static str = "fundamentals";
    const EFFECT: Effect = Effect::External;
    const CALLS_TOOLS: bool = true;
    const HOSTS: &'static [&'static str] = &sources::WITH_REPORTS;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &sources::CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose(
            "Computes the key figures of a company from its reports to the SEC and its last close: market value, profit, revenue \
             and its growth, margins, debt, dividends. Each says its formula or report and its day; \"missing\" says why one is not known.",
        )
        .use_when("the user asks how a company does, for its profit, or how it is valued")
        .not_when("only its price is asked for", "lookup.pull_up_symbol")
        .cite("day and report or formula of each figure")
        .example("What are the price-earnings ratio and the margins of UBER?")
    }

    async fn run(&self, of: FundamentalsOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let sources = tools::sources(ctx, "sources", &SOURCES).await;
        let resolved = resolve(&of.symbol, &Held::read(ctx).await, &sources, ctx).await?;
        let listing = &resolved.listing;
        // The SEC first: its figures are those of the reports.
        let error = match of_reports(listing, &sources, ctx).await {
            Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
            Err(error) => error,
            Ok(output) => return Ok(output.into()),
        };
        match sources.fundamentals(listing, &Web(ctx)).await {
            Ok((_, overview)) => {
                let source = Source::Web(WebSource::new(&overview.url, &overview.fetched));
                let of = Company {
                    symbol: &listing.symbol,
                    name: &overview.name,
                    url: &overview.url,
                    figures: &overview.figures,
                };
                Ok(of.output(source, None).into())
            }
            Err(_) => Err(error),
        }
    }
}

/// The figures of the reports to the SEC and of the closes.
async fn of_reports(
    listing: &Listing,
    sources: &Sources,
    ctx: &dyn ToolContext,
) -> Result<Output, ToolError> {
    let sec = configured("Lookup", ctx)?;
    let filer = filer(listing, &sec, ctx).await?;
    let today = ctx.clock().today();
    // Starts early enough to include every split since the share count, even if markets were closed on
    // the first days.
    let begin = today.saturating_sub((SHARES_DAYS + 20).days());
    let web = Web(ctx);
    let (reported, closes) =
        futures::join!(sec.reported(filer.cik, &web), closes(listing, begin, sources, ctx));
    let reported = reported.map_err(|error| said(&error))?;
    let known = closes.as_ref().ok();
    let mut figures = key_figures(&reported, known.and_then(Closes::close).as_ref());
    figures.extend(dividends(known));
    let source = Source::Web(WebSource::new(&reported.url, &reported.fetched));
    let of = Company { symbol: &listing.symbol, name: &reported.name, url: &reported.url, figures: &figures };
    let mut output = of.output(source, closes.as_ref().err());
    output.sources.extend(known.map(Closes::cited));
    Ok(output)
}

struct Company<'a> {
    symbol: &'a str,
    name: &'a str,
    url: &'a str,
    figures: &'a [KeyFigure],
}

impl Company<'_> {
    fn output(&self, source: Source, no_closes: Option<&String>) -> Output {
        let figures = self.figures;
        let newest = figures.iter().filter_map(|figure| Some(figure.value.as_ref().ok()?.date)).max();
        // A close is newer than any report.
        let report = reports_end(figures).or(newest);
        let rows: Value = figures.iter().map(|figure| row(figure, report, no_closes)).collect();
        let mut output = Output::new(json!({
            "symbol": self.symbol,
            "name": self.name,
            "url": self.url,
            "figures": rows,
        }));
        output.sources.push(source.clone());
        for (place, figure) in figures.iter().enumerate() {
            if let Ok(Figure { value, unit: Unit::Currency(currency), .. }) = &figure.value {
                let at = format!("/figures/{place}/value");
                let figure = nova_skill::Figure::new(at, figure.name, *value, currency);
                output = output.figure(figure.from_sources([source.clone()]));
            }
        }
        output
    }
}

/// The last day covered by the twelve-month sums.
fn reports_end(figures: &[KeyFigure]) -> Option<Date> {
    let sums = figures.iter().filter(|figure| ["revenue", "earnings_per_share"].contains(&figure.key));
    sums.filter_map(|figure| Some(figure.value.as_ref().ok()?.date)).max()
}

/// Dividends per share in the twelve months up to the last close, and as a part of that close.
fn dividends(closes: Option<&Closes>) -> Vec<KeyFigure> {
    let paid = || -> Result<(Decimal, Decimal, &Closes, Date), String> {
        let closes = closes.ok_or("there is no close")?;
        let last = closes.last().ok_or("there is no close")?;
        let events = closes.history.events.as_ref();
        let events = events.ok_or_else(|| format!("{} reports no dividends", closes.source))?;
        let begin = last.date.saturating_sub(1.year());
        let of_year = events.dividends.iter().filter(|(day, _)| *day > begin && *day <= last.date);
        let sum = of_year.fold(Decimal::ZERO, |sum, (_, amount)| sum + amount);
        Ok((sum, last.close, closes, last.date))
    };
    let each = paid().map(|(sum, _, closes, date)| Figure {
        value: at_least(sum.normalize(), 2),
        unit: Unit::Currency(closes.history.currency.clone()),
        how: closes.source.clone(),
        date,
    });
    let yielded = paid().and_then(|(sum, close, _, date)| {
        let value = percent(sum, close, 1).ok_or("the close is zero")?;
        Ok(Figure { value, unit: Unit::Percent, how: "Dividends, 12 m ÷ close".into(), date })
    });
    vec![
        KeyFigure { key: "dividend", name: "Dividend, last 12 m", value: each },
        KeyFigure { key: "dividend_yield", name: "Dividend yield", value: yielded },
    ]
}

fn row(figure: &KeyFigure, report: Option<Date>, no_closes: Option<&String>) -> Value {
    let mut row = json!({
        "key": figure.key, "name": figure.name, "value": null, "unit": null, "how": null, "date": null,
        "newer": null, "missing": null, "remedy": null,
    });
    match &figure.value {
        Ok(Figure { value, unit, how, date }) => {
            row["value"] = json!(value.to_string());
            row["unit"] = match unit {
                Unit::Currency(code) => json!(code),
                Unit::Percent => json!("percent"),
                Unit::Ratio => json!("ratio"),
            };
            row["how"] = json!(how);
            row["date"] = json!(date.to_string());
            // Dates within some weeks belong to the same report.
            let newer = report.filter(|report| days_between(*date, *report) > 30);
            row["newer"] = json!(newer.map(|report| report.to_string()));
        }
        Err(why) => {
            let reasons = no_closes.filter(|_| why == "there is no close");
            row["missing"] =
                json!(reasons.map_or_else(|| why.clone(), |reasons| format!("{why}: {reasons}")));
            if reasons.is_some() {
                row["remedy"] = json!("Try again, or choose another source.");
            }
        }
    }
    row
}
