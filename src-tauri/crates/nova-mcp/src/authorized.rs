//! HTTP requests to a server, with an OAuth token if the server requires one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::stream::BoxStream;
use nova_calls::Secrets;
use nova_credentials::{Challenge, CredentialError};
use nova_skill::Secret;
use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use secrecy::ExposeSecret as _;
use sse_stream::{Error as SseError, Sse};

use crate::config::{ServerConfig, Way};
use crate::definition::short;
use crate::host::Agreements;
use crate::paced::Pace;
use crate::trouble::{Trouble, TroubleKind};

type Headers = HashMap<HeaderName, HeaderValue>;
type Failure = StreamableHttpError<reqwest::Error>;

/// The token of one server, and the last challenge. A token is only loaded after the server has refused a
/// request without one: most servers need none, and the store may have to be unlocked.
pub(crate) struct Gate {
    config: ServerConfig,
    agreements: Arc<dyn Agreements>,
    secrets: Arc<Secrets>,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    token: Option<Secret>,
    wanted: Option<Challenge>,
    /// Why an existing token could not be loaded.
    trouble: Option<Trouble>,
}

impl Gate {
    pub(crate) fn new(
        config: &ServerConfig,
        agreements: Arc<dyn Agreements>,
        secrets: Arc<Secrets>,
    ) -> Arc<Self> {
        Arc::new(Self { config: config.clone(), agreements, secrets, now: Mutex::default() })
    }

    /// The server's last challenge; `None` if signing in would not help.
    pub(crate) fn wanted(&self) -> Option<Challenge> {
        self.now().wanted.clone()
    }

    /// Resets the state after the user has signed in or out.
    pub(crate) fn forget(&self) {
        *self.now() = Now::default();
    }

    /// Explains a request that was refused for lack of authorization.
    pub(crate) fn trouble(&self) -> Trouble {
        let now = self.now();
        let name = &self.config.name;
        if self.config.has_own_authorization() {
            return Trouble {
                kind: TroubleKind::Failed,
                what: format!("{name} refuses the token in its headers."),
                remedy: format!("Correct mcpServers.{name}.headers.Authorization, or remove it to sign in."),
            };
        }
        if let Some(trouble) = &now.trouble {
            return trouble.clone();
        }
        let what = match &now.wanted {
            Some(wanted) if wanted.insufficient_scope && !wanted.scopes.is_empty() => {
                format!("{name} needs a sign-in with more permissions: {}.", short(&wanted.scopes.join(", ")))
            }
            Some(wanted) if wanted.insufficient_scope => {
                format!("{name} needs a sign-in with more permissions.")
            }
            _ => format!("{name} needs a sign-in."),
        };
        let word = if name.contains(' ') { format!("{name:?}") } else { name.clone() };
        Trouble {
            kind: TroubleKind::NeedsSignIn,
            what,
            remedy: format!("Sign in under Settings, MCP servers, or run: nova mcp probe {word} --auth."),
        }
    }

    /// Sends a request, and repeats it once with another token if the server demands one and it is available.
    async fn pass<T, F>(&self, ask: impl Fn(Option<String>) -> F) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let token = self.now().token.clone();
        let text = |token: &Option<Secret>| token.as_ref().map(|token| token.expose_secret().to_owned());
        let error = match ask(text(&token)).await.map_err(with_challenge) {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let (challenge, is_refused) = match &error {
            StreamableHttpError::AuthRequired(wanted) => {
                (Challenge::read(&wanted.www_authenticate_header), true)
            }
            StreamableHttpError::InsufficientScope(wanted) => {
                (Challenge::read(&wanted.www_authenticate_header), false)
            }
            _ => return Err(error),
        };
        if self.config.has_own_authorization() || !(is_refused || challenge.insufficient_scope) {
            return Err(error);
        }
        let refused = token.as_ref().filter(|_| is_refused);
        match self.agreements.token(&self.config, refused).await {
            Ok(Some(other)) if text(&token).as_deref() != Some(other.expose_secret()) => {
                self.secrets.add(&other);
                self.now().token = Some(other.clone());
                let again = ask(text(&Some(other))).await.map_err(with_challenge);
                match &again {
                    Err(StreamableHttpError::AuthRequired(wanted)) => {
                        self.want(Challenge::read(&wanted.www_authenticate_header), None);
                    }
                    Err(StreamableHttpError::InsufficientScope(wanted)) => {
                        self.want(Challenge::read(&wanted.www_authenticate_header), None);
                    }
                    _ => {}
                }
                again
            }
            Ok(_) | Err(CredentialError::NeedsSignIn { .. } | CredentialError::Missing { .. }) => {
                self.want(challenge, None);
                Err(error)
            }
            Err(unread) => {
                self.want(challenge, Some(Trouble::from(&unread)));
                Err(error)
            }
        }
    }

    fn want(&self, challenge: Challenge, trouble: Option<Trouble>) {
        let mut now = self.now();
        (now.wanted, now.trouble) = (Some(challenge), trouble);
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerConfig {
    /// Whether the configured headers contain an authorization.
    fn has_own_authorization(&self) -> bool {
        match &self.way {
            Way::Command { .. } => false,
            Way::Address { headers, .. } => {
                headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
            }
        }
    }
}

/// Treats a 401 without a challenge as one.
fn with_challenge(error: Failure) -> Failure {
    let is_refused = match &error {
        StreamableHttpError::Client(error) => error.status().is_some_and(|status| status.as_u16() == 401),
        StreamableHttpError::UnexpectedServerResponse(text) => text.starts_with("HTTP 401"),
        _ => false,
    };
    if is_refused { StreamableHttpError::AuthRequired(AuthRequiredError::new(String::new())) } else { error }
}

/// A `reqwest` client that goes through the gate.
#[derive(Clone)]
pub(crate) struct Authorized {
    pub(crate) client: Client,
    pub(crate) gate: Arc<Gate>,
    pub(crate) pace: Pace,
}

impl StreamableHttpClient for Authorized {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, auth, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let ask = |token| {
            let (uri, message, session) = (uri.clone(), message.clone(), session.clone());
            self.client.post_message_with_response_limits(
                uri,
                message,
                session,
                token,
                headers.clone(),
                limits,
            )
        };
        Ok(match self.gate.pass(ask).await? {
            StreamableHttpPostResponse::Sse(stream, session) => {
                StreamableHttpPostResponse::Sse(self.pace.keep(stream), session)
            }
            other => other,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        let ask = |token| self.client.delete_session(uri.clone(), session.clone(), token, headers.clone());
        self.gate.pass(ask).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let limit = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last, auth, headers, limit).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let ask = |token| {
            let (uri, session, last) = (uri.clone(), session.clone(), last.clone());
            self.client.get_stream_with_max_sse_event_size(uri, session, last, token, headers.clone(), limit)
        };
        Ok(self.pace.keep(self.gate.pass(ask).await?))
    }
}
