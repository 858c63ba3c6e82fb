use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nova_skill::{
    Description, Effect, HttpRequest, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput,
    Value, WebSource, async_trait, json, schemars,
};
use serde::Deserialize;
use url::Url;

use super::page::Page;
use super::page_cache::PageCache;

/// The time limit of one request.
const PATIENCE: Duration = Duration::from_secs(20);
const ACCEPTED: &str = "text/html, application/xhtml+xml, application/pdf, application/feed+json, \
    application/rss+xml, application/atom+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5";

#[derive(Default)]
pub(crate) struct WebFetch {
    cache: PageCache,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Reads a web page."))]
pub(crate) struct Address {
    /// The address of the page, with https://.
    #[schemars(regex(pattern = r"^https?://\S+$"))]
    #[schemars(extend("x-label" = "Address"))]
    url: String,
    /// The first line, from 1: `next_offset` of the previous answer.
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[schemars(extend("x-label" = "From line"))]
    offset: Option<u64>,
}

#[async_trait]
impl NativeTool for WebFetch {
    type Args = Address;
    const ID: &'static str = "web_fetch";
    const EFFECT: Effect = Effect::External;

    fn description(&self) -> Description {
        Description::purpose("Reads a web page, PDF or feed as Markdown, a long one in parts.")
            .use_when("a page is known by its address")
            .example("Read https://example.com/prices")
    }

    fn hosts(&self, args: &Value, _: &Value) -> Option<Vec<String>> {
        let url = args.get("url").and_then(Value::as_str).and_then(|url| Url::parse(url).ok());
        Some(url.as_ref().and_then(super::host).into_iter().collect())
    }

    async fn run(&self, address: Address, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let offset = address.offset.unwrap_or(1);
        let page = match self.cache.get(ctx.request(), &address.url) {
            Some(page) => page,
            None => {
                let page = Arc::new(fetched(&address.url, ctx.as_ref()).await?);
                self.cache.put(ctx.request(), &address.url, &page);
                page
            }
        };
        let (part, kind) = page.part(offset, ctx.as_ref()).await?;
        let title = page.title.clone().unwrap_or_else(|| page.name());
        let mut value = json!({"url": page.url, "title": title, "kind": kind});
        let known = [("author", &page.author), ("date", &page.date), ("site", &page.site)];
        for (name, said) in
            known.into_iter().filter_map(|(name, said)| said.as_ref().map(|said| (name, said)))
        {
            value[name] = said.as_str().into();
        }
        if let Some(words) = page.words() {
            value["words"] = words.into();
        }
        if let Some(note) = page.note {
            value["note"] = note.into();
        }
        value["text"] = part.text.into();
        if let Some(next) = part.next {
            value["next_offset"] = next.into();
        }
        let source = WebSource {
            url: page.url.clone(),
            at: page.at.clone(),
            title: Some(title),
            date: page.date.clone(),
        };
        Ok(Output::new(value).from_web(source).untrusted().into())
    }
}

async fn fetched(url: &str, ctx: &dyn ToolContext) -> Result<Page, ToolError> {
    let url = Url::parse(url).map_err(|error| ToolError::InvalidArguments {
        path: "/url".into(),
        rule: format!("it is not an address: {error}"),
        allowed: Vec::new(),
    })?;
    let request = HttpRequest {
        method: "GET".into(),
        url,
        headers: BTreeMap::from([("accept".to_owned(), ACCEPTED.to_owned())]),
        body: None,
        timeout: Some(PATIENCE),
    };
    let response = ctx.http().send(request).await?;
    if !(200..300).contains(&response.status) {
        return Err(refused(response.url.host_str().unwrap_or_default(), response.status));
    }
    Page::of(response, ctx).await
}

fn refused(host: &str, status: u16) -> ToolError {
    let (why, hint) = match status {
        401 | 402 | 407 => {
            ("requires a sign-in or a payment", "Look for another page about it, or ask the user.")
        }
        403 | 451 => ("refuses to show the page", "Look for another page about it, or ask the user."),
        404 | 410 => ("has no such page", "Check the address, or search for the page."),
        429 => ("receives too many requests", "Wait a minute before asking it again."),
        500.. => ("has a server error", "Try again later, or look for another page about it."),
        _ => ("has no page there", "Check the address, or search for the page."),
    };
    ToolError::failed(format!("{host} {why} (status {status})."), hint)
}
