mod challenge;
mod discovery;
mod endpoint;
mod http;
mod known;
mod loopback;
mod reach;
mod registration;
mod resource;
mod revocation;
pub(crate) mod tokens;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nova_http::{Names, SystemNames};
use nova_skill::Clock;
use oauth2::basic::{BasicClient, BasicErrorResponse};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet, EndpointSet,
    PkceCodeChallenge, RedirectUrl, RefreshToken, RequestTokenError, Scope, TokenUrl,
};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;

pub use challenge::Challenge;
pub use endpoint::Endpoint;
pub use known::{Access, Provider, ProviderServers};
pub use registration::ClientSettings;
pub use resource::ProtectedResource;

use crate::store::Stored;
use crate::{CredentialError, CredentialName, CredentialStore, private_file};
use http::{HttpFailure, TokenHttp};
use loopback::Loopback;
use tokens::Tokens;

/// The default time limit for the user.
const SIGN_IN_TIMEOUT: Duration = Duration::from_secs(3 * 60);
/// The default time limit for a response of the token server.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
/// The parameters that Nova sets itself.
const RESERVED: [&str; 7] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "state",
    "code_challenge",
    "code_challenge_method",
    "scope",
];

/// A client at an OAuth server.
#[derive(Debug, Clone)]
pub struct OAuthClient {
    /// The authorisation endpoint.
    pub authorize: Endpoint,
    /// The token endpoint.
    pub token: Endpoint,
    pub client_id: String,
    /// `None` for a public client, as desktop programs are.
    pub client_secret: Option<SecretString>,
    /// The issuer in the server's responses (RFC 9207), if known.
    pub issuer: Option<String>,
    pub scopes: Vec<String>,
    /// Additional parameters of the authorisation URL: `access_type=offline` for Google, `resource` for MCP.
    pub extra: Vec<(String, String)>,
    /// Set if the client was discovered from the server's documents rather than configured.
    pub found: Option<DiscoveredServer>,
}

/// Further facts from the server's documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredServer {
    /// The server that the user signed in for.
    pub server: String,
    /// The resource of the tokens (RFC 8707).
    pub resource: String,
    /// Whether authorisation responses contain the issuer.
    #[serde(rename = "says_issuer")]
    pub sends_issuer: bool,
    /// Whether the client secret is sent in the body of requests rather than in a header.
    pub secret_in_body: bool,
    /// The revocation endpoint (RFC 7009).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoke: Option<String>,
}

/// Opens an address for the user, usually in a browser.
#[async_trait]
pub trait Opener: Send + Sync {
    /// # Errors
    /// Why it could not be opened; the sign-in fails.
    async fn open(&self, address: &Url) -> Result<(), String>;
}

/// OAuth 2 sign-in (authorisation code with PKCE, loopback redirect), and renewal of tokens before they
/// expire. Tokens are stored as credentials. Cheap to clone.
#[derive(Clone)]
pub struct OAuth {
    store: CredentialStore,
    locks: PathBuf,
    clock: Arc<dyn Clock>,
    http: TokenHttp,
    names: Arc<dyn Names>,
    sign_in_timeout: Duration,
    response_timeout: Duration,
}

type Client = BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;
type RequestFailure = RequestTokenError<HttpFailure, BasicErrorResponse>;

impl OAuth {
    /// # Errors
    /// If TLS cannot be initialised.
    pub fn new(store: CredentialStore, data: &Path, clock: Arc<dyn Clock>) -> Result<Self, CredentialError> {
        Ok(Self {
            store,
            locks: data.join("oauth"),
            clock,
            http: TokenHttp::new()?,
            names: Arc::new(SystemNames),
            sign_in_timeout: SIGN_IN_TIMEOUT,
            response_timeout: RESPONSE_TIMEOUT,
        })
    }

    /// Overrides the limits of three minutes for the user and 30 s for the token server.
    #[must_use]
    pub fn with_limits(mut self, sign_in: Duration, response: Duration) -> Self {
        self.sign_in_timeout = sign_in;
        self.response_timeout = response;
        self
    }

    /// Lets the user sign in and stores the tokens as credential `name`. Dropping the future cancels it.
    ///
    /// # Errors
    /// If the user declines or takes too long, or if a response is invalid.
    pub async fn sign_in(
        &self,
        name: &CredentialName,
        server: &OAuthClient,
        opener: &dyn Opener,
    ) -> Result<(), CredentialError> {
        self.sign_in_through(Loopback::bind().await?, name, server, opener).await
    }

    async fn sign_in_through(
        &self,
        loopback: Loopback,
        name: &CredentialName,
        server: &OAuthClient,
        opener: &dyn Opener,
    ) -> Result<(), CredentialError> {
        let redirect = RedirectUrl::from_url(loopback.redirect().clone());
        let client = client(server).set_redirect_uri(redirect);
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut request = client
            .authorize_url(CsrfToken::new_random)
            .set_pkce_challenge(challenge)
            .add_scopes(server.scopes.iter().cloned().map(Scope::new));
        for (key, value) in &server.extra {
            if RESERVED.contains(&key.as_str()) {
                return Err(failed(format!("the parameter {key} is Nova's own")));
            }
            request = request.add_extra_param(key, value);
        }
        if let Some(found) = &server.found {
            request = request.add_extra_param("resource", &found.resource);
        }
        let (address, state) = request.url();

        let answered = async {
            opener
                .open(&address)
                .await
                .map_err(|reason| failed(format!("the address was not opened: {reason}")))?;
            loopback.code(state.secret(), server).await
        };
        let code = tokio::time::timeout(self.sign_in_timeout, answered)
            .await
            .map_err(|_| failed(format!("nobody signed in within {} s", self.sign_in_timeout.as_secs())))??;

        let to = self.http_for(server)?;
        let http = |request| to.send(request, self.response_timeout);
        let mut request = client
            .exchange_code(AuthorizationCode::new(code.expose_secret().to_owned()))
            .set_pkce_verifier(verifier);
        if let Some(found) = &server.found {
            request = request.add_extra_param("resource", &found.resource);
        }
        let answer = request.request_async(&http).await.map_err(|failure| match refusal(&failure) {
            Some(code) => failed(format!("{} refused ({code})", server.token.host())),
            None => invalid_response(server, failure),
        })?;
        let tokens = Tokens::of(server, &answer, None, self.now())?;
        // A concurrent refresh of the old tokens must not overwrite these.
        let _lock = private_file::lock_async(&self.lock_file(name), self.lock_timeout()).await?;
        self.store.set(name, tokens.to_secret()?).await
    }

    /// A valid access token, renewed first if it is about to expire.
    ///
    /// # Errors
    /// [`CredentialError::Missing`] and [`CredentialError::NeedsSignIn`] if the user must act,
    /// [`CredentialError::TokenServer`] if a retry may help.
    pub async fn access_token(
        &self,
        name: &CredentialName,
        server: &OAuthClient,
    ) -> Result<SecretString, CredentialError> {
        let tokens = self.tokens(name, server).await?;
        if tokens.is_fresh(self.now()) {
            return Ok(tokens.access);
        }
        self.renew(name, server, None).await
    }

    /// A new token after a server refused `refused` before its expiry. If it was renewed in the meantime,
    /// that one is returned.
    ///
    /// # Errors
    /// As for [`Self::access_token`].
    pub async fn after_refusal(
        &self,
        name: &CredentialName,
        server: &OAuthClient,
        refused: &SecretString,
    ) -> Result<SecretString, CredentialError> {
        self.renew(name, server, Some(refused.clone())).await
    }

    /// Sends one request for all callers in all processes: the holder of the lock first checks whether
    /// another has renewed the token. The request continues if the caller is dropped, because the server may
    /// already have invalidated the old refresh token.
    async fn renew(
        &self,
        name: &CredentialName,
        server: &OAuthClient,
        refused: Option<SecretString>,
    ) -> Result<SecretString, CredentialError> {
        let (this, name, server) = (self.clone(), name.clone(), server.clone());
        let renewing = tokio::spawn(async move { this.renew_locked(&name, &server, refused).await });
        renewing.await.unwrap_or_else(|_| Err(failed("internal failure".to_owned())))
    }

    async fn renew_locked(
        &self,
        name: &CredentialName,
        server: &OAuthClient,
        refused: Option<SecretString>,
    ) -> Result<SecretString, CredentialError> {
        let _lock = private_file::lock_async(&self.lock_file(name), self.lock_timeout()).await?;
        let mut tokens = self.tokens(name, server).await?;
        let is_refused =
            refused.is_some_and(|refused| refused.expose_secret() == tokens.access.expose_secret());
        if !is_refused && tokens.is_fresh(self.now()) {
            return Ok(tokens.access);
        }
        let Some(refresh) = tokens.refresh.take() else {
            return Err(needs_sign_in(name, "the sign-in has ended"));
        };
        let to = self.http_for(server)?;
        let http = |request| to.send(request, self.response_timeout);
        let (client, used) = (client(server), RefreshToken::new(refresh.expose_secret().to_owned()));
        let mut request = client.exchange_refresh_token(&used);
        if let Some(found) = &server.found {
            request = request.add_extra_param("resource", &found.resource);
        }
        let answer = request.request_async(&http).await;
        match answer {
            Ok(answer) => {
                let tokens = Tokens::of(server, &answer, Some(refresh), self.now())?;
                self.store.set(name, tokens.to_secret()?).await?;
                Ok(tokens.access)
            }
            Err(failure) => match refusal(&failure) {
                // Stored, so that the refresh token is not tried again.
                Some(code) if ends_sign_in(&code) => {
                    tokens.end();
                    self.store.set(name, tokens.to_secret()?).await?;
                    Err(needs_sign_in(name, &format!("{} refused to renew it ({code})", server.token.host())))
                }
                Some(code) => Err(token_server(server, format!("it refused ({code})"))),
                // The old token may be valid for some more seconds.
                None if !is_refused && tokens.is_valid(self.now()) => {
                    tracing::warn!(credential = %name, "a token was not renewed, but is still valid for a while");
                    Ok(tokens.access)
                }
                None => Err(invalid_response(server, failure)),
            },
        }
    }

    /// The stored tokens, if this server issued them: a refresh token is sent to no other.
    async fn tokens(&self, name: &CredentialName, server: &OAuthClient) -> Result<Tokens, CredentialError> {
        let kept = self.store.stored(name).await?;
        let tokens = match kept.ok_or_else(|| CredentialError::Missing { name: name.clone() })? {
            Stored::SignIn(tokens) => tokens,
            Stored::Secret(_) => return Err(needs_sign_in(name, "it is not signed in yet")),
        };
        if !tokens.belong_to(server) {
            return Err(needs_sign_in(name, "it was made at another server"));
        }
        Ok(tokens)
    }

    /// A token server named by another server is reached only at addresses allowed for such a server.
    fn http_for(&self, server: &OAuthClient) -> Result<TokenHttp, CredentialError> {
        match &server.found {
            None => Ok(self.http.clone()),
            Some(_) => TokenHttp::filtered(&server.token, self.names.clone())
                .map_err(|failure| token_server(server, failure.to_string())),
        }
    }

    fn now(&self) -> i64 {
        self.clock.now().as_second()
    }

    /// The lock may be held while a slow server responds.
    fn lock_timeout(&self) -> Duration {
        self.response_timeout * 2 + Duration::from_secs(10)
    }

    fn lock_file(&self, name: &CredentialName) -> PathBuf {
        self.locks.join(name.as_str().replace('/', "+"))
    }
}

fn client(server: &OAuthClient) -> Client {
    let client = BasicClient::new(ClientId::new(server.client_id.clone()))
        .set_auth_uri(AuthUrl::from_url(server.authorize.url().clone()))
        .set_token_uri(TokenUrl::from_url(server.token.url().clone()));
    let in_body = server.found.as_ref().is_some_and(|found| found.secret_in_body);
    let client = if in_body { client.set_auth_type(AuthType::RequestBody) } else { client };
    match &server.client_secret {
        Some(secret) => client.set_client_secret(ClientSecret::new(secret.expose_secret().to_owned())),
        None => client,
    }
}

/// The error code of a refusal by the token server. The description is omitted: it is untrusted text and may
/// repeat the request.
fn refusal(failure: &RequestFailure) -> Option<String> {
    match failure {
        RequestTokenError::ServerResponse(response) => Some(error_code(response.error().as_ref())),
        _ => None,
    }
}

/// Errors that no retry resolves (RFC 6749, 5.2).
fn ends_sign_in(code: &str) -> bool {
    matches!(code, "invalid_grant" | "invalid_client" | "unauthorized_client" | "invalid_scope")
}

/// The OAuth error code, if it is well-formed.
fn error_code(text: &str) -> String {
    let is_code = (1..=40).contains(&text.len()) && text.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    if is_code { text.to_owned() } else { "without a reason".to_owned() }
}

fn invalid_response(server: &OAuthClient, failure: RequestFailure) -> CredentialError {
    let reason = match failure {
        RequestTokenError::Request(failure) => failure.to_string(),
        // The response may contain a token, so nothing of it is shown.
        _ => "its answer is not a token response".to_owned(),
    };
    token_server(server, reason)
}

fn token_server(server: &OAuthClient, reason: String) -> CredentialError {
    CredentialError::TokenServer { host: server.token.host().to_owned(), reason }
}

fn failed(reason: String) -> CredentialError {
    CredentialError::SignIn { reason }
}

/// An error that no retry resolves.
fn cannot_sign_in(reason: String, remedy: &str) -> CredentialError {
    CredentialError::CannotSignIn { reason, remedy: remedy.to_owned() }
}

/// Valid scopes (RFC 6749, 3.3), deduplicated and limited in number.
fn scopes(named: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let mut scopes: Vec<String> = Vec::new();
    let fits = |scope: &str| {
        (1..=200).contains(&scope.len())
            && scope.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\'))
    };
    for scope in named {
        let scope = scope.as_ref();
        if scopes.len() < 100 && fits(scope) && !scopes.iter().any(|other| other == scope) {
            scopes.push(scope.to_owned());
        }
    }
    scopes
}

fn needs_sign_in(name: &CredentialName, reason: &str) -> CredentialError {
    CredentialError::NeedsSignIn { name: name.clone(), reason: reason.to_owned() }
}
