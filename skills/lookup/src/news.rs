use std::sync::Arc;
use std::time::Duration;

use feed_rs::model::Entry;
use futures::StreamExt as _;
use nova_market::tools::{self, Web};
use nova_market::{Request, Transport as _};
use nova_skill::figures::folded;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, Source, ToolContext, ToolError, ToolOutput, Value,
    WebSource, async_trait, json, schemars,
};
use serde::Deserialize;
use url::Url;

use crate::SOURCES;
use crate::pull_up_symbol::problem;
use crate::resolve::{Held, Resolved, resolve};

pub(crate) struct News;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists news about a company."))]
pub(crate) struct NewsOf {
    /// A symbol such as UBER, or a company's name.
    #[schemars(extend("x-help" = "Or a company's name"))]
    symbol: String,
    /// At most so many; default: 20.
    #[schemars(range(min = 1, max = 100))]
    #[schemars(extend("x-help" = "20 if left empty"))]
    limit: Option<usize>,
}

/// Time limit of a feed.
const PATIENCE: Duration = Duration::from_secs(10);
/// Number of concurrent feed requests.
const AT_ONCE: usize = 4;
/// The placeholder for the symbol in an address.
const SYMBOL: &str = "{symbol}";
/// Maximum characters of a title.
const TITLE: usize = 200;

#[async_trait]
impl NativeTool for News {
    type Args = NewsOf;
    const ID: &'static str = "news";
    const EFFECT: Effect = Effect::External;
    const CALLS_TOOLS: bool = true;

    fn description(&self) -> Description {
        Description::purpose(
            "Lists headlines about a company from the feeds that the user configured, newest first.",
        )
        .use_when("the user asks for headlines about a symbol")
        .not_when("the web is to be searched", "core.web_search")
        .cite("source and day of a headline")
        .example("Any headlines about UBER?")
    }

    fn hosts(&self, _: &Value, config: &Value) -> Option<Vec<String>> {
        let host = |feed: &str| {
            let url = Url::parse(feed).ok()?;
            let host = url.host_str()?.to_owned();
            Some(url.port().map_or(host.clone(), |port| format!("{host}:{port}")))
        };
        Some(feeds(config).filter_map(host).collect())
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        let none = feeds(config).next().is_none();
        none.then(|| "It needs a feed: name one in Settings, Skills, Lookup, Feeds.".into())
    }

    async fn run(&self, of: NewsOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let sources = tools::sources(ctx, "sources", &SOURCES).await;
        let resolved = resolve(&of.symbol, &Held::read(ctx).await, &sources, ctx).await?;
        let feeds: Vec<String> = feeds(ctx.config()).map(str::to_owned).collect();
        let mut asking = Vec::new();
        for feed in &feeds {
            asking.push(read(feed, &resolved, ctx));
        }
        let answers: Vec<_> = futures::stream::iter(asking).buffered(AT_ONCE).collect().await;
        let (mut news, mut problems) = (Vec::new(), Vec::new());
        for answer in answers {
            match answer {
                Ok(headlines) => news.extend(headlines),
                Err(why) => problems.push(problem(why)),
            }
        }
        news.sort_by(|one, other| other.date.cmp(&one.date));
        let count = news.len();
        news.truncate(of.limit.unwrap_or(20));
        let rows = news.iter().map(|headline| {
            json!({
                "title": headline.title,
                "url": headline.url,
                "source": headline.source,
                "date": headline.date,
            })
        });
        let rows: Value = rows.collect();
        let mut read: Vec<Source> = Vec::new();
        for headline in &news {
            if !read.contains(&headline.feed) {
                read.push(headline.feed.clone());
            }
        }
        let mut output = Output::new(json!({"news": rows, "count": count, "problems": problems}));
        output.untrusted = true;
        output.sources.extend(read);
        Ok(output.into())
    }
}

struct Headline {
    title: String,
    url: String,
    source: String,
    /// `YYYY-MM-DD`
    date: Option<String>,
    feed: Source,
}

fn feeds(config: &Value) -> impl Iterator<Item = &str> {
    let feeds = config.get("feeds").and_then(Value::as_array).into_iter().flatten();
    feeds.filter_map(Value::as_str).filter(|feed| !feed.trim().is_empty())
}

/// A feed's entries about a company. For a general feed, only entries that name it.
async fn read(feed: &str, resolved: &Resolved, ctx: &dyn ToolContext) -> Result<Vec<Headline>, String> {
    let symbol = &resolved.listing.symbol;
    let encoded: String = url::form_urlencoded::byte_serialize(symbol.as_bytes()).collect();
    let url = Url::parse(&feed.replace(SYMBOL, &encoded)).map_err(|error| format!("{feed}: {error}"))?;
    let host = url.host_str().unwrap_or_default().to_owned();
    let request = Request { url: url.clone(), headers: Default::default(), timeout: PATIENCE };
    let answer = Web(ctx).get(request).await.map_err(|error| format!("{host} {error}"))?;
    if answer.status != 200 {
        return Err(format!("{host} answered with status {}", answer.status));
    }
    let parsed =
        feed_rs::parser::Builder::new().base_uri(Some(url.as_str())).build().parse(answer.body.as_slice());
    let parsed = parsed.map_err(|_| format!("{host} did not answer with a feed"))?;
    let source =
        parsed.title.as_ref().map(|title| one_line(&title.content)).filter(|title| !title.is_empty());
    let source = source.unwrap_or_else(|| host.clone());
    let mut web = WebSource::new(answer.url.as_str(), &answer.at);
    web.title = Some(source.clone());
    let is_its_own = feed.contains(SYMBOL);
    let headlines =
        parsed.entries.iter().filter(|entry| is_its_own || names(entry, resolved)).filter_map(|entry| {
            let link = entry.links.iter().find_map(|link| Url::parse(&link.href).ok())?;
            Some(Headline {
                title: one_line(&entry.title.as_ref()?.content),
                url: matches!(link.scheme(), "http" | "https").then(|| link.to_string())?,
                source: source.clone(),
                date: entry.published.or(entry.updated).map(|time| time.date_naive().to_string()),
                feed: Source::Web(web.clone()),
            })
        });
    Ok(headlines.filter(|headline| !headline.title.is_empty()).collect())
}

/// Whether an entry names the company, or the symbol as a whole word.
fn names(entry: &Entry, resolved: &Resolved) -> bool {
    let texts = entry.title.iter().chain(&entry.summary).map(|text| text.content.as_str());
    let company = resolved.name.as_deref().map(folded).filter(|name| name.chars().count() > 3);
    texts.into_iter().any(|text| {
        let mut words = text.split(|letter: char| !letter.is_alphanumeric() && !".-".contains(letter));
        words.any(|word| word.trim_matches('.') == resolved.listing.symbol)
            || company.as_ref().is_some_and(|company| folded(text).contains(company))
    })
}

/// A feed's text on one line, without markup.
fn one_line(html: &str) -> String {
    let mut text = String::new();
    let mut in_tag = false;
    for letter in html.chars() {
        match letter {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            letter if !in_tag => text.push(letter),
            _ => {}
        }
    }
    let text = quick_xml::escape::unescape(&text).map_or_else(|_| text.clone(), Into::into);
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|letter| !letter.is_control()).take(TITLE).collect()
}
