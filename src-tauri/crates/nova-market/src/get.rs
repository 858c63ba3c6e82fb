use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use url::Url;

use crate::SourceError;

/// Sends requests and returns the responses, whatever their status. It is responsible for rate limits per
/// host.
#[async_trait]
pub trait Transport: Send + Sync {
    /// # Errors
    /// [`SourceError::Stopped`] when the call was cancelled, [`SourceError::Refused`] when the host is not
    /// allowed, [`SourceError::Source`] when there is no response.
    async fn get(&self, request: Request) -> Result<Response, SourceError>;
    /// Reads a file of the vault.
    ///
    /// # Errors
    /// When it cannot be read.
    async fn file(&self, path: &str) -> Result<File, SourceError> {
        Err(SourceError::Source(format!("cannot read {path} here")))
    }
    /// # Errors
    /// [`SourceError::Stopped`] when the call was cancelled meanwhile.
    async fn wait(&self, time: Duration) -> Result<(), SourceError>;
}

/// A GET request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub url: Url,
    pub headers: BTreeMap<String, String>,
    /// Timeout for the response.
    pub timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    /// Names are in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// The final URL after redirects.
    pub url: Url,
    /// Time of the response, RFC 3339.
    pub at: String,
}

/// The contents of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub bytes: Vec<u8>,
    /// Time of reading, RFC 3339.
    pub at: String,
}

/// Attempts per request.
const TRIES: u32 = 3;
/// Timeout per attempt.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum `Retry-After` in seconds; beyond that there is no retry.
const LONGEST_WAIT: u64 = 5;

/// A response body, checked to be text and not an HTML page.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) status: u16,
    /// Without the query, which can contain keys.
    pub(crate) url: String,
    pub(crate) at: String,
}

impl Answer {
    /// # Errors
    /// When the body is not JSON.
    pub(crate) fn json(&self) -> Result<Value, SourceError> {
        serde_json::from_str(&self.text)
            .map_err(|_| SourceError::Source("sent an answer that is not JSON".into()))
    }
}

impl Request {
    pub(crate) fn new(url: Url) -> Self {
        Self { url, headers: BTreeMap::new(), timeout: PATIENCE }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Sends the request, with retries.
    ///
    /// # Errors
    /// When there is no response, or it cannot be data.
    pub(crate) async fn send(self, transport: &dyn Transport) -> Result<Answer, SourceError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let response = transport.get(self.clone()).await?;
            match wait(&response, tries) {
                Some(time) => transport.wait(time).await?,
                None => return answer(response),
            }
        }
    }
}

/// The delay before the next attempt; `None` if there is none.
fn wait(response: &Response, tries: u32) -> Option<Duration> {
    let busy = response.status == 429 || (500..600).contains(&response.status);
    if !busy || tries >= TRIES {
        return None;
    }
    match response.headers.get("retry-after") {
        // A date, or a longer wait than a quote justifies.
        Some(said) => {
            said.trim().parse().ok().filter(|seconds| *seconds <= LONGEST_WAIT).map(Duration::from_secs)
        }
        None if response.status == 429 => None,
        None => Some(Duration::from_millis(200 * u64::from(tries))),
    }
}

fn answer(response: Response) -> Result<Answer, SourceError> {
    let failed = |what: String| Err(SourceError::Source(what));
    let status = response.status;
    if status == 429 {
        return failed("receives too many requests".into());
    }
    if status == 401 || status == 403 {
        return failed(format!("refuses to answer (status {status})"));
    }
    if status >= 500 {
        return failed(format!("has a server error (status {status})"));
    }
    let Ok(text) = String::from_utf8(response.body) else {
        return failed("sent an answer that is not text".into());
    };
    let kind = response.headers.get("content-type").map(String::as_str).unwrap_or_default();
    let begins: String = text.trim_start_matches('\u{feff}').trim_start().chars().take(15).collect();
    // XML is data, an HTML page is not.
    if kind.contains("text/html") || (begins.starts_with('<') && !begins.starts_with("<?xml")) {
        return failed("answered with a web page instead of a quote".into());
    }
    if begins.is_empty() {
        return Err(SourceError::Symbol("answered with nothing".into()));
    }
    let mut url = response.url;
    url.set_query(None);
    Ok(Answer { text, status, url: url.into(), at: response.at })
}
