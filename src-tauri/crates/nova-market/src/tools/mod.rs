//! Connects sources to a tool's context: settings, credentials, HTTP.

pub mod closes;
pub mod filers;
pub mod quotes;

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use nova_skill::{HttpRequest, NotePath, Source as CitedSource, ToolContext, ToolError, WebSource};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::sources::{Description, Known, described};
use crate::{File, Request, Response, Source, SourceError, Sources, Transport};

/// The setting with the sources of prices; another one lists those of exchange rates.
const PRICES: &str = "sources";

/// The sources listed in the skill's setting `list`, in that order, otherwise `default`. A source whose key
/// is missing or not granted is skipped.
pub async fn sources(ctx: &dyn ToolContext, list: &str, default: &[&str]) -> Sources {
    let config = ctx.config();
    let chosen = config.get(list).and_then(Value::as_array);
    let names: Vec<&str> = match chosen {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => default.to_vec(),
    };
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    // First, because the user added them on purpose.
    let own =
        config.get("own_sources").filter(|_| list == PRICES).and_then(Value::as_array).into_iter().flatten();
    let own = own.filter_map(|own| serde_json::from_value::<Description>(own.clone()).ok());
    sources.extend(own.map(|own| described(own, ctx.clock().today())));
    for known in names.into_iter().filter_map(Known::of) {
        let key = match known.key {
            Some(name) => match key(ctx, name).await {
                None => continue,
                key => key,
            },
            None => None,
        };
        let own = config.get("base_urls").and_then(|urls| urls.get(known.name)).and_then(Value::as_str);
        let base = Url::parse(own.unwrap_or(known.address)).ok();
        sources.extend(base.map(|base| known.at(base, key)));
    }
    Sources::new(sources)
}

async fn key(ctx: &dyn ToolContext, name: &str) -> Option<SecretString> {
    if !ctx.credentials().has(name).await {
        return None;
    }
    ctx.credentials().get(name).await.ok().filter(|key| !key.expose_secret().trim().is_empty())
}

/// The user's symbols by source: the setting `symbols` of the skill.
pub fn own_names(ctx: &dyn ToolContext, symbol: &str) -> BTreeMap<String, String> {
    let own = ctx.config().get("symbols").and_then(|symbols| symbols.get(symbol)).and_then(Value::as_object);
    let own = own.into_iter().flatten();
    own.filter_map(|(source, name)| Some((source.clone(), name.as_str()?.to_owned()))).collect()
}

/// HTTP as available to a tool call.
pub struct Web<'a>(pub &'a dyn ToolContext);

#[async_trait]
impl Transport for Web<'_> {
    async fn get(&self, request: Request) -> Result<Response, SourceError> {
        let request = HttpRequest {
            method: "GET".into(),
            url: request.url,
            headers: request.headers,
            body: None,
            timeout: Some(request.timeout),
        };
        let answer = match is_of_this_machine(&request.url) {
            true => self.0.http().send_to_configured(request).await,
            false => self.0.http().send(request).await,
        };
        match answer {
            Ok(response) => Ok(Response {
                status: response.status,
                headers: response.headers,
                body: response.body,
                url: response.url,
                at: response.at,
            }),
            Err(ToolError::Cancelled) => Err(SourceError::Stopped),
            Err(error @ (ToolError::NotAllowed { .. } | ToolError::NotDeclared { .. })) => {
                Err(SourceError::Refused(clause(&error)))
            }
            Err(error) => Err(SourceError::Source(clause(&error))),
        }
    }

    async fn file(&self, path: &str) -> Result<File, SourceError> {
        let unreadable = |error: ToolError| SourceError::Symbol(clause(&error));
        let file = NotePath::parse(path)
            .map_err(|error| SourceError::Source(format!("has an invalid path: {error}")))?;
        let bytes = self.0.vault().read_file(&file).await.map_err(unreadable)?;
        Ok(File { bytes, at: self.0.clock().now().to_string() })
    }

    async fn wait(&self, time: Duration) -> Result<(), SourceError> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            () = self.0.cancel().cancelled() => Err(SourceError::Stopped),
        }
    }
}

/// Cites a URL or a file of the vault.
pub fn cited(url: &str, fetched: &str) -> CitedSource {
    match NotePath::parse(url) {
        Ok(path) if !url.contains("://") => CitedSource::Note(path),
        _ => CitedSource::Web(WebSource::new(url, fetched)),
    }
}

/// Whether the source runs on this machine, where plain http is allowed; only if it is named in the settings.
fn is_of_this_machine(url: &Url) -> bool {
    let here = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    here && url.scheme() == "http"
}

/// A sentence in the form that follows "Stooq ".
fn clause(error: &ToolError) -> String {
    format!("gave no answer: {}", error.to_string().trim_end_matches('.'))
}
