use std::sync::Arc;

use nova_market::sources::sec;
use nova_market::tools::{self, Web};
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, Source, ToolContext, ToolError, ToolOutput, Value,
    WebSource, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::SOURCES;
use crate::resolve::{Held, resolve};
use nova_market::tools::filers::{filer, said, sec as configured};

pub(crate) struct Filings;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists what a company filed."))]
pub(crate) struct FilingsOf {
    /// A symbol such as UBER, or a company's name.
    #[schemars(extend("x-help" = "Or a company's name"))]
    symbol: String,
    /// Only this form, such as 10-K.
    #[schemars(extend("x-help" = "Such as 10-K"))]
    form: Option<String>,
    /// At most so many; default: 20.
    #[schemars(range(min = 1, max = 100))]
    #[schemars(extend("x-help" = "20 if left empty"))]
    limit: Option<usize>,
}

#[async_trait]
impl NativeTool for Filings {
    type Args = FilingsOf;
    const ID: &'static str = "filings";
    const EFFECT: Effect = Effect::External;
    const CALLS_TOOLS: bool = true;
    const HOSTS: &'static [&'static str] = &sec::HOSTS;

    fn description(&self) -> Description {
        Description::purpose("Lists what a company filed with the SEC, newest first, each with its address.")
            .use_when("the user asks for the filings or reports of a company")
            .not_when("its figures are asked for", "lookup.fundamentals")
            .cite("form and day of a filing")
            .example("Which filings did UBER make this year?")
    }

    async fn run(&self, of: FilingsOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let sec = configured("Lookup", ctx)?;
        let sources = tools::sources(ctx, "sources", &SOURCES).await;
        let resolved = resolve(&of.symbol, &Held::read(ctx).await, &sources, ctx).await?;
        let filer = filer(&resolved.listing, &sec, ctx).await?;
        let found = sec.filings(filer.cik, &Web(ctx)).await.map_err(|error| said(&error))?;
        let form = of.form.as_deref().map(str::trim).filter(|form| !form.is_empty());
        let is_wanted =
            |filing: &&sec::Filing| form.is_none_or(|form| filing.form.eq_ignore_ascii_case(form));
        let all: Vec<&sec::Filing> = found.filings.iter().filter(is_wanted).collect();
        let row = |filing: &&sec::Filing| {
            json!({
                "form": filing.form,
                "title": title(filing),
                "date": filing.filed.to_string(),
                "url": filing.url,
            })
        };
        let mut output = Output::new(json!({
            "symbol": resolved.listing.symbol,
            "name": found.name,
            "count": all.len(),
            "filings": all.iter().take(of.limit.unwrap_or(20)).map(row).collect::<Value>(),
        }));
        output.sources.push(Source::Web(WebSource::new(&found.url, &found.fetched)));
        Ok(output.into())
    }
}

/// "Annual report for the year to 2025-12-31", if the filer gave no title.
fn title(filing: &sec::Filing) -> String {
    let about = match filing.form.trim_end_matches("/A") {
        "10-K" | "20-F" | "40-F" => "Annual report",
        "10-Q" => "Quarterly report",
        "8-K" => "Report of an event",
        "6-K" => "Report of a foreign issuer",
        "DEF 14A" => "Proxy statement",
        "3" | "4" | "5" => "Shares of an insider",
        form => form,
    };
    match (filing.title.as_str(), filing.period) {
        ("", Some(period)) => format!("{about}, {period}"),
        ("", None) => about.to_owned(),
        (title, _) => title.to_owned(),
    }
}
