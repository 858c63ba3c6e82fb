use std::collections::BTreeMap;
use std::time::Duration;

use nova_skill::{HttpRequest, HttpResponse, ToolContext, ToolError};
use url::Url;

use super::SourceError;

/// One request with a few tries. How many a second a host is asked is Nova's own business.
pub(super) struct Get {
    pub(super) url: Url,
    pub(super) headers: BTreeMap<String, String>,
}

/// How often one thing is asked.
const TRIES: u32 = 3;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a source may ask for to be left alone; one that wants more is not asked again.
const LONGEST_WAIT: u64 = 5;

/// What came back: checked to be text, and not a page for a person.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) status: u16,
    /// Without a query, which can carry keys.
    pub(super) url: String,
    pub(super) at: String,
}

impl Get {
    pub(super) fn new(url: Url) -> Self {
        Self { url, headers: BTreeMap::new() }
    }

    /// # Errors
    /// When there is no answer, or one that cannot be a quote whatever is in it.
    pub(super) async fn send(self, ctx: &dyn ToolContext) -> Result<Answer, SourceError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let request = HttpRequest {
                method: "GET".into(),
                url: self.url.clone(),
                headers: self.headers.clone(),
                body: None,
                timeout: Some(PATIENCE),
            };
            let response = match ctx.http().send(request).await {
                Ok(response) => response,
                Err(ToolError::Cancelled) => return Err(SourceError::Stopped),
                Err(error @ (ToolError::NotAllowed { .. } | ToolError::NotDeclared { .. })) => {
                    return Err(SourceError::Refused(clause(&error)));
                }
                Err(error) => return Err(SourceError::Source(clause(&error))),
            };
            match wait(&response, tries) {
                Some(wait) => {
                    tokio::select! {
                        () = tokio::time::sleep(wait) => {}
                        () = ctx.cancel().cancelled() => return Err(SourceError::Stopped),
                    }
                }
                None => return answer(response),
            }
        }
    }
}

/// How long to wait before another try; None where there is none.
fn wait(response: &HttpResponse, tries: u32) -> Option<Duration> {
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

fn answer(response: HttpResponse) -> Result<Answer, SourceError> {
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
    let begins = text.trim_start_matches('\u{feff}').trim_start();
    if begins.starts_with('<') || kind.contains("text/html") {
        return failed("answered with a web page instead of a quote".into());
    }
    if begins.is_empty() {
        return Err(SourceError::Symbol("answered with nothing".into()));
    }
    let mut url = response.url;
    url.set_query(None);
    Ok(Answer { text, status, url: url.into(), at: response.at })
}

/// A sentence as what follows "Stooq:".
fn clause(error: &ToolError) -> String {
    format!("gave no answer: {}", error.to_string().trim_end_matches('.'))
}
