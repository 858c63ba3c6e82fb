use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use url::Url;

use crate::SourceError;

/// Sends requests and returns the answers, whatever their status. How many a second a host is asked is its business.
#[async_trait]
pub trait Transport: Send + Sync {
    /// # Errors
    /// [`SourceError::Stopped`] when the call was stopped, [`SourceError::Refused`] when the host may not be asked,
    /// [`SourceError::Source`] when there is no answer.
    async fn get(&self, request: Request) -> Result<Response, SourceError>;
    /// A file of the vault.
    ///
    /// # Errors
    /// When it cannot be read.
    async fn file(&self, path: &str) -> Result<File, SourceError> {
        Err(SourceError::Source(format!("cannot read {path} here")))
    }
    /// # Errors
    /// [`SourceError::Stopped`] when the call was stopped before the time was over.
    async fn wait(&self, time: Duration) -> Result<(), SourceError>;
}

/// A GET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub url: Url,
    pub headers: BTreeMap<String, String>,
    /// How long the answer may take.
    pub timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    /// With names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// Where the answer came from after redirects.
    pub url: Url,
    /// When it came, RFC 3339.
    pub at: String,
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub bytes: Vec<u8>,
    /// When it was read, RFC 3339.
    pub at: String,
}

/// How often one thing is asked.
const TRIES: u32 = 3;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a source may ask for to be left alone; one that wants more is not asked again.
const LONGEST_WAIT: u64 = 5;

/// What came back: checked to be text, and not a page for a person.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) status: u16,
    /// Without a query, which can carry keys.
    pub(crate) url: String,
    pub(crate) at: String,
}

impl Answer {
    /// # Errors
    /// When it is not JSON.
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

    /// Sends it with a few tries.
    ///
    /// # Errors
    /// When there is no answer, or one that cannot be data whatever is in it.
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

/// How long to wait before another try; None where there is none.
fn wait(response: &Response, tries: u32) -> Option<Duration> {
    let busy = response.status == 429 || (500..600).contains(&response.status);
    if !busy || tries >= TRIES {
        return None;
    }
    match response.headers.get("retry-after") {
        // A date, or longer than anybody waits for a quote.
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
    // XML is data, a page is not.
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
