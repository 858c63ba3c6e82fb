//! URLs that the user has to visit before a server answers a request: listed in error -32042; a notification
//! reports completion.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ElicitRequestParams, ElicitationAction};
use rmcp::service::ServiceError;
use serde_json::Value;
use tokio::sync::{broadcast, mpsc};

use super::Connection;
use crate::asking::{self, Asked};
use crate::limits;
use crate::trouble::Trouble;

const URL_ELICITATION_REQUIRED: i32 = -32042;
pub(super) const COMPLETE: &str = "notifications/elicitation/complete";

/// `None` for another error, or one without URLs.
pub(super) fn wanted(error: &ServiceError) -> Option<Vec<ElicitRequestParams>> {
    let ServiceError::McpError(error) = error else { return None };
    if error.code.0 != URL_ELICITATION_REQUIRED {
        return None;
    }
    let listed = error.data.as_ref().and_then(|data| data["elicitations"].as_array())?;
    let pages = listed.iter().take(limits::QUESTIONS).filter_map(page).collect::<Vec<_>>();
    (!pages.is_empty()).then_some(pages)
}

fn page(listed: &Value) -> Option<ElicitRequestParams> {
    let page = serde_json::from_value(listed.clone()).ok()?;
    matches!(page, ElicitRequestParams::UrlElicitationParams { .. }).then_some(page)
}

impl Connection {
    /// Asks the user to visit the pages, and waits for the completion notification; without one, the request
    /// is retried after the limit.
    pub(super) async fn visit(
        self: &Arc<Self>,
        pages: Vec<ElicitRequestParams>,
        mut visited: broadcast::Receiver<String>,
        limit: Duration,
        asks: &mpsc::Sender<Asked>,
    ) -> Result<(), Trouble> {
        let mut open = BTreeSet::new();
        for page in pages {
            if let ElicitRequestParams::UrlElicitationParams { elicitation_id, .. } = &page {
                open.insert(elicitation_id.clone());
            }
            if asking::ask(page, asks).await.action != ElicitationAction::Accept {
                return Err(Trouble::failed(
                    format!("{} needs you to open a page first, and it was not opened.", self.server),
                    "Call it again where the page can be opened.",
                ));
            }
        }
        let all = async {
            while !open.is_empty() {
                match visited.recv().await {
                    Ok(id) => {
                        open.remove(&id);
                    }
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return,
                }
            }
        };
        let _ = tokio::time::timeout(limit, all).await;
        Ok(())
    }
}
