//! Runs a snippet once, with the tools of a chat and nothing else.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use nova_skill::{Output, Parts, Progress, ToolContext, ToolError, ToolOutput, json};
use tokio_util::sync::CancellationToken;

use super::asks::{Outside, Refused, called};
use super::call::{CallUpdate, Conversation};
use super::callee::{Bounds, Callee};
use super::pool::Pool;
use super::request;
use crate::protocol::{Answer, Given, Level, Want};

/// Name for error messages.
const FILE: &str = "script";
/// Maximum number of log lines retained.
const MOST_LINES: usize = 200;
/// Maximum length of a log line, in bytes.
const LONGEST_LINE: usize = 1_000;

/// Runs a snippet and returns its value. If it logs, the log so far is reported as partial result, and the
/// final one is `{value, log}`.
pub(super) async fn run(
    pool: &Arc<Pool>,
    source: Arc<str>,
    context: Arc<dyn ToolContext>,
    bounds: Bounds,
) -> Result<ToolOutput, ToolError> {
    let request = request(context.request());
    let what = Callee {
        owner: format!("snippet/{}", request.session_id),
        file: FILE.to_owned(),
        hash: blake3::hash(source.as_bytes()),
        source,
        more: false,
        snippet: true,
    };
    let pool = pool.clone();
    Ok(ToolOutput::streamed(move |parts| async move {
        let outside = Arc::new(InSnippet { context, parts, log: Mutex::default() });
        let mut conversation =
            Conversation::begin(&pool, what, json!({}), (request, Given::default()), outside.clone(), bounds)
                .await?;
        // Another snippet may follow soon.
        pool.warm();
        loop {
            if let CallUpdate::End(ended) = conversation.next().await {
                let (value, log) = (ended?, std::mem::take(&mut *outside.lines()));
                return Ok(Output::new(if log.is_empty() {
                    value
                } else {
                    json!({ "value": value, "log": log })
                }));
            }
        }
    }))
}

struct InSnippet {
    context: Arc<dyn ToolContext>,
    parts: Parts,
    log: Mutex<Vec<String>>,
}

impl InSnippet {
    fn lines(&self) -> MutexGuard<'_, Vec<String>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Outside for InSnippet {
    async fn answer(&self, want: Want) -> Result<Answer, Refused> {
        match want {
            Want::Call { tool, args } => called(self.context.tools().call(&tool, args).await),
            Want::Vault { .. } | Want::Records(_) | Want::Store(_) => {
                Err(Refused::new("A script reaches notes by tools: tools.vault.read_note({ path })."))
            }
            Want::Fetch { .. } => Err(Refused::new("fetch: a script reaches the web only through tools.")),
            Want::Credential { .. } | Want::HasCredential { .. } => {
                Err(Refused::new("A script has no credentials; the tools that it calls have theirs."))
            }
        }
    }

    fn log(&self, _: Level, message: &str) {
        let mut log = self.lines();
        if log.len() > MOST_LINES {
            return;
        }
        let line = if log.len() == MOST_LINES {
            "Further log lines were dropped.".to_owned()
        } else {
            message[..message.floor_char_boundary(LONGEST_LINE)].to_owned()
        };
        log.push(line);
        self.parts.partial(json!({ "log": *log }));
    }

    fn progress(&self, progress: Progress) {
        self.context.progress(progress);
    }

    fn cancel(&self) -> &CancellationToken {
        self.context.cancel()
    }
}
