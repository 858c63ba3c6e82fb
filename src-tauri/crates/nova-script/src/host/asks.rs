use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use nova_skill::{CallError, HttpRequest, LogLevel, Progress, ToolContext, ToolError, Value, VaultAccess};
use secrecy::ExposeSecret;
use tokio_util::sync::CancellationToken;

use super::records;
use crate::protocol::{Answer, Level, Refusal, StoreWant, Want};

/// What a running script can reach outside of its process.
#[async_trait]
pub(super) trait Outside: Send + Sync {
    async fn answer(&self, want: Want) -> Result<Answer, Refused>;
    fn log(&self, level: Level, message: &str);
    fn progress(&self, progress: Progress);
    fn cancel(&self) -> &CancellationToken;
}

/// A refusal as the script receives it.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) message: String,
    /// Set for a call of another tool.
    pub(super) code: Option<String>,
    /// Set if only the user can resolve it.
    pub(super) missing: Option<Missing>,
}

/// Why a credential is missing. It becomes the error of the call, however the script handles it.
#[derive(Debug, Clone)]
pub(super) enum Missing {
    Needed { credential: String },
    NotGranted { credential: String, consumer: String, destination: String },
    NeedsSignIn { credential: String, reason: String },
}

impl From<Missing> for ToolError {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Needed { credential } => Self::CredentialNeeded { credential },
            Missing::NotGranted { credential, consumer, destination } => {
                Self::CredentialNotGranted { credential, consumer, destination }
            }
            Missing::NeedsSignIn { credential, reason } => Self::NeedsSignIn { credential, reason },
        }
    }
}

/// The context of a call, restricted to what the tool declares.
pub(super) struct InCall {
    pub(super) context: Arc<dyn ToolContext>,
    /// As declared: `service` or `service/key`.
    pub(super) credentials: Vec<String>,
    /// Declared access to notes.
    pub(super) vault: Option<VaultAccess>,
    /// Prefix of all keys in the store.
    pub(super) store_prefix: String,
    pub(super) file: String,
}

/// The result of another tool for the script.
pub(super) fn called(result: Result<Value, CallError>) -> Result<Answer, Refused> {
    match result {
        Ok(value) => Ok(Answer::Called { value }),
        Err(error) => {
            let message = format!("{} {}", error.message, error.hint).trim_end().to_owned();
            Err(Refused { code: Some(error.code), ..Refused::new(message) })
        }
    }
}

#[async_trait]
impl Outside for InCall {
    async fn answer(&self, want: Want) -> Result<Answer, Refused> {
        match want {
            Want::Fetch { method, url, headers, body } => self.fetch(method, &url, headers, body).await,
            Want::Credential { service, key } => {
                let name = format!("{service}/{key}");
                if !self.credentials.iter().any(|declared| *declared == service || *declared == name) {
                    return Err(self.undeclared(&name));
                }
                let secret = self.context.credentials().get(&name).await?;
                // The secret goes into the message only.
                Ok(Answer::Credential { value: secret.expose_secret().to_owned() })
            }
            Want::HasCredential { service } => {
                let of_service = |declared: &&String| {
                    **declared == service || declared.split('/').next() == Some(service.as_str())
                };
                let declared: Vec<_> = self.credentials.iter().filter(of_service).collect();
                if declared.is_empty() {
                    return Err(self.undeclared(&service));
                }
                let mut has = true;
                for name in declared {
                    has &= self.context.credentials().has(name).await;
                }
                Ok(Answer::HasCredential { has })
            }
            Want::Call { tool, args } => called(self.context.tools().call(&tool, args).await),
            Want::Vault { tool, args } => called(self.context.tools().vault(&tool, args).await),
            Want::Records(want) => {
                let value = records::answer(self.context.as_ref(), self.vault, want).await?;
                Ok(Answer::Called { value })
            }
            Want::Store(want) => self.store(want).await,
        }
    }

    fn log(&self, level: Level, message: &str) {
        let level = match level {
            Level::Debug => LogLevel::Debug,
            Level::Info => LogLevel::Info,
            Level::Warn => LogLevel::Warn,
            Level::Error => LogLevel::Error,
        };
        self.context.log(level, message);
    }

    fn progress(&self, progress: Progress) {
        self.context.progress(progress);
    }

    fn cancel(&self) -> &CancellationToken {
        self.context.cancel()
    }
}

impl InCall {
    async fn fetch(
        &self,
        method: String,
        url: &str,
        headers: Vec<(String, String)>,
        body: Option<String>,
    ) -> Result<Answer, Refused> {
        let url = url::Url::parse(url).map_err(|error| Refused::new(format!("fetch: {error}.")))?;
        let body = match body {
            Some(body) => Some(
                blocking(move || BASE64.decode(body))
                    .await?
                    .map_err(|_| Refused::new("fetch: the body is invalid."))?,
            ),
            None => None,
        };
        let request = HttpRequest { method, url, headers: joined(headers), body, timeout: None };
        let response = self.context.http().send(request).await?;
        let body = response.body;
        Ok(Answer::Fetched {
            status: response.status,
            headers: response.headers.into_iter().collect(),
            body: blocking(move || BASE64.encode(body)).await?,
            url: response.url.to_string(),
        })
    }

    async fn store(&self, want: StoreWant) -> Result<Answer, Refused> {
        let store = self.context.store();
        let key = |key: String| format!("{}{key}", self.store_prefix);
        let value = match want {
            StoreWant::Get { key: name } => store.get(&key(name)).await?.unwrap_or_default(),
            StoreWant::Set { key: name, value } => {
                store.set(&key(name), value).await?;
                Value::Null
            }
            StoreWant::Remove { key: name } => {
                store.remove(&key(name)).await?;
                Value::Null
            }
        };
        Ok(Answer::Called { value })
    }

    fn undeclared(&self, name: &str) -> Refused {
        Refused::new(format!(
            "{} does not declare the credential {name}. Add it to requires_credentials.",
            self.file
        ))
    }
}

impl Refused {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: None, missing: None }
    }

    pub(super) fn refusal(&self) -> Refusal {
        Refusal { message: self.message.clone(), code: self.code.clone() }
    }
}

impl From<ToolError> for Refused {
    fn from(error: ToolError) -> Self {
        let message = format!("{error} {}", error.hint()).trim_end().to_owned();
        let missing = match error {
            ToolError::CredentialNeeded { credential } => Some(Missing::Needed { credential }),
            ToolError::CredentialNotGranted { credential, consumer, destination } => {
                Some(Missing::NotGranted { credential, consumer, destination })
            }
            ToolError::NeedsSignIn { credential, reason } => {
                Some(Missing::NeedsSignIn { credential, reason })
            }
            _ => None,
        };
        Self { message, code: None, missing }
    }
}

/// Joins repeated headers, as in RFC 9110 §5.3.
fn joined(headers: Vec<(String, String)>) -> BTreeMap<String, String> {
    let mut joined = BTreeMap::new();
    for (name, value) in headers {
        joined
            .entry(name.to_ascii_lowercase())
            .and_modify(|values: &mut String| {
                values.push_str(", ");
                values.push_str(&value);
            })
            .or_insert(value);
    }
    joined
}

/// Large bodies would block a shared thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refused> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Refused::new("Nova is shutting down its tools."))
}
