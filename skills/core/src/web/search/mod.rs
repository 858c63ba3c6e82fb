mod brave;
mod searxng;
mod tavily;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nova_skill::{
    Description, Effect, HttpRequest, HttpResponse, JsonSchema, NativeTool, Output, Secret, ToolContext,
    ToolError, ToolOutput, Value, async_trait, json, schemars, serde_json,
};
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use url::Url;

use self::brave::Brave;
use self::searxng::SearXng;
use self::tavily::Tavily;
use super::date::day;

/// Maximum number of results in an answer.
const RESULTS: usize = 10;
/// Maximum characters of a result's title or excerpt.
const EXCERPT: usize = 500;
const PATIENCE: Duration = Duration::from_secs(15);

/// A web search service.
trait SearchSource: Send + Sync {
    fn name(&self) -> &'static str;
    /// Its default address.
    fn address(&self) -> Option<&'static str>;
    /// The required credential.
    fn credential(&self) -> Option<&'static str>;
    /// `key` is that of [`SearchSource::credential`], or "" if none is required.
    fn request(&self, base: &Url, query: &str, key: &str) -> HttpRequest;
    /// The results in a response; `None` if it has no list of results.
    fn results(&self, answer: &Value) -> Option<Vec<Found>>;
    /// The reason and the remedy for an error status, one sentence each.
    fn refusal(&self, status: u16) -> Option<(&'static str, &'static str)>;
}

/// A search result.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    title: String,
    url: String,
    snippet: String,
    /// In the source's format.
    date: Option<String>,
}

pub(crate) struct WebSearch;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Searches the web."))]
pub(crate) struct Words {
    /// What to search for.
    #[schemars(length(min = 1, max = 400))]
    #[schemars(extend("x-label" = "Search for"))]
    query: String,
}

#[async_trait]
impl NativeTool for WebSearch {
    type Args = Words;
    const ID: &'static str = "web_search";
    const EFFECT: Effect = Effect::External;
    const HOSTS: &'static [&'static str] = &[brave::HOST, tavily::HOST];
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &[brave::CREDENTIAL, tavily::CREDENTIAL];

    fn description(&self) -> Description {
        Description::purpose("Finds web pages: title, address, date and excerpt of each.")
            .use_when("the answer is on the web and no address is known")
            .example("Search the web for heat pump prices")
    }

    fn hosts(&self, _: &Value, config: &Value) -> Option<Vec<String>> {
        let base =
            source_of(config).and_then(|source| address_of(source.as_ref(), config)).map(|(base, _)| base);
        Some(base.as_ref().and_then(super::host).into_iter().collect())
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        let Some(source) = source_of(config) else {
            return Some(
                "Web search is not set up. Choose SearXNG, Brave or Tavily in Settings, Skills, Core.".into(),
            );
        };
        address_of(source.as_ref(), config).is_none().then(|| {
            format!("{} has no address. Set it in Settings, Skills, Core: search_addresses.", source.name())
        })
    }

    async fn run(&self, words: Words, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let missing = || ToolError::failed(self.unavailable(ctx.config()).unwrap_or_default(), "");
        let source = source_of(ctx.config()).ok_or_else(missing)?;
        let (base, configured) = address_of(source.as_ref(), ctx.config()).ok_or_else(missing)?;
        let key = match source.credential() {
            Some(name) => key(name, ctx.as_ref()).await?,
            None => Secret::from(""),
        };
        let mut request = source.request(&base, &words.query, key.expose_secret());
        request.timeout = Some(PATIENCE);
        let response = match configured {
            true => ctx.http().send_to_configured(request).await?,
            false => ctx.http().send(request).await?,
        };
        let found = results(source.as_ref(), &response)?;
        let results: Vec<Value> = found.into_iter().filter_map(shown).take(RESULTS).collect();
        Ok(Output::new(json!({"searched": source.name(), "results": results})).untrusted().into())
    }
}

/// The source that the user selected.
fn source_of(config: &Value) -> Option<Box<dyn SearchSource>> {
    Some(match config.get("search_source")?.as_str()? {
        "searxng" => Box::new(SearXng),
        "brave" => Box::new(Brave),
        "tavily" => Box::new(Tavily),
        _ => return None,
    })
}

/// The source's address, and whether the user configured it.
fn address_of(source: &dyn SearchSource, config: &Value) -> Option<(Url, bool)> {
    let key = source.name().to_lowercase();
    let named = config.get("search_addresses").and_then(|all| all.get(key)).and_then(Value::as_str);
    match named.map(str::trim).filter(|address| !address.is_empty()) {
        Some(address) => {
            let mut base = Url::parse(address).ok().filter(|base| !base.cannot_be_a_base())?;
            if !base.path().ends_with('/') {
                // A trailing slash, so that joined paths stay below it.
                base.set_path(&format!("{}/", base.path()));
            }
            Some((base, true))
        }
        None => Some((Url::parse(source.address()?).ok()?, false)),
    }
}

async fn key(name: &str, ctx: &dyn ToolContext) -> Result<Secret, ToolError> {
    if !ctx.credentials().has(name).await {
        return Err(ToolError::CredentialNeeded { credential: name.to_owned() });
    }
    ctx.credentials().get(name).await
}

fn get(url: Url, headers: &[(&str, &str)]) -> HttpRequest {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let mut headers: BTreeMap<String, String> = headers.collect();
    headers.insert("accept".into(), "application/json".into());
    HttpRequest { method: "GET".into(), url, headers, body: None, timeout: None }
}

fn results(source: &dyn SearchSource, response: &HttpResponse) -> Result<Vec<Found>, ToolError> {
    let (name, status) = (source.name(), response.status);
    let failed =
        |why: &str, hint: &str| Err(ToolError::failed(format!("{name} {why} (status {status})."), hint));
    if let Some((why, hint)) = source.refusal(status) {
        return failed(why, hint);
    }
    match status {
        200..300 => {}
        429 => return failed("receives too many requests", "Wait a minute before searching again."),
        500.. => return failed("has a server error", "Try again later."),
        _ => return failed("did not answer the search", "Check its settings in Settings, Skills, Core."),
    }
    let answer: Option<Value> = serde_json::from_slice(&response.body).ok();
    match answer.and_then(|answer| source.results(&answer)) {
        Some(found) => Ok(found),
        None => failed("did not answer with search results", "Check its address in Settings, Skills, Core."),
    }
}

/// `None` unless the result is a web page.
fn shown(found: Found) -> Option<Value> {
    let url = Url::parse(found.url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let mut value =
        json!({"title": text(&found.title), "url": url.as_str(), "snippet": text(&found.snippet)});
    if let Some(date) = found.date.as_deref().and_then(day) {
        value["date"] = date.into();
    }
    Some(value)
}

/// On one line, without markup and within its limit.
fn text(html: &str) -> String {
    let end = html.char_indices().nth(4 * EXCERPT).map_or(html.len(), |(end, _)| end);
    let plain = dom_query::Document::fragment(&html[..end]).text();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The results in a source's list, given its keys.
fn listed(results: &Value, snippet: &str, date: &str) -> Option<Vec<Found>> {
    let said = |result: &Value, key: &str| result.get(key).and_then(Value::as_str).map(str::to_owned);
    let found = results.as_array()?.iter().map(|result| Found {
        title: said(result, "title").unwrap_or_default(),
        url: said(result, "url").unwrap_or_default(),
        snippet: said(result, snippet).unwrap_or_default(),
        date: said(result, date),
    });
    Some(found.collect())
}
