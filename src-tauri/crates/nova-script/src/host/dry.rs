use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use nova_registry::DryRequest;
use nova_skill::Progress;
use tokio_util::sync::CancellationToken;

use super::asks::{Outside, Refused};
use crate::protocol::{Answer, Level, Want};

/// Environment of a dry run: every request is answered with an empty JSON object and recorded.
#[derive(Default)]
pub(super) struct DryRunEnvironment {
    recorded: Mutex<Recorded>,
    never: CancellationToken,
}

/// The recorded requests and logs, in order.
#[derive(Default)]
pub(super) struct Recorded {
    pub(super) requests: Vec<DryRequest>,
    /// `service/key`, deduplicated.
    pub(super) credentials: Vec<String>,
    pub(super) logs: Vec<String>,
}

impl DryRunEnvironment {
    pub(super) fn take(&self) -> Recorded {
        std::mem::take(&mut *self.recorded.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, what: impl FnOnce(&mut Recorded)) {
        what(&mut self.recorded.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[async_trait]
impl Outside for DryRunEnvironment {
    async fn answer(&self, want: Want) -> Result<Answer, Refused> {
        match want {
            Want::Fetch { method, url, headers, .. } => {
                let headers = headers.into_iter().map(|(name, _)| name).collect();
                self.note(|recorded| {
                    recorded.requests.push(DryRequest { method, url: url.clone(), headers });
                });
                Ok(Answer::Fetched {
                    status: 200,
                    headers: vec![("content-type".into(), "application/json".into())],
                    body: BASE64.encode("{}"),
                    url,
                })
            }
            Want::Credential { service, key } => {
                let name = format!("{service}/{key}");
                let placeholder = format!("<{name}>");
                self.note(|recorded| {
                    if !recorded.credentials.contains(&name) {
                        recorded.credentials.push(name);
                    }
                });
                // A placeholder, recognisable in a request that contains it.
                Ok(Answer::Credential { value: placeholder })
            }
            Want::HasCredential { .. } => Ok(Answer::HasCredential { has: true }),
            Want::Vault { .. } | Want::Records(_) => Err(Refused::new("A dry run sees no notes.")),
            Want::Store(_) => Ok(Answer::Called { value: serde_json::Value::Null }),
            Want::Call { tool, .. } => Err(Refused::new(format!("A dry run does not call {tool}."))),
        }
    }

    fn log(&self, _: Level, message: &str) {
        self.note(|recorded| recorded.logs.push(message.to_owned()));
    }

    fn progress(&self, _: Progress) {}

    fn cancel(&self) -> &CancellationToken {
        &self.never
    }
}
