use std::time::Duration;

use oauth2::TokenResponse;
use oauth2::basic::{BasicTokenResponse, BasicTokenType};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::{DiscoveredServer, Endpoint, OAuthClient};
use crate::CredentialError;

/// How many seconds before its expiry a token is renewed, to allow for transmission and clock skew.
const SKEW: i64 = 60;
/// The lifetime assumed if the server names none, in seconds.
const DEFAULT_LIFETIME: i64 = 60 * 60;

/// The tokens of a sign-in. Times are Unix timestamps in seconds.
pub(crate) struct Tokens {
    pub(crate) access: SecretString,
    pub(super) refresh: Option<SecretString>,
    renew_at: i64,
    ends_at: i64,
    /// The origin of the tokens, to which alone the refresh token is sent.
    server: String,
    client_id: String,
    /// The client that renews them, if none is configured.
    pub(super) client: Option<Box<OAuthClient>>,
}

/// The tokens as the secret of a credential.
#[derive(Serialize, Deserialize)]
struct StoredTokens<T> {
    /// Absent in records of older versions.
    #[serde(rename = "type", default)]
    kind: Kind,
    access: T,
    refresh: Option<T>,
    renew_at: i64,
    ends_at: i64,
    server: String,
    client_id: String,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    client: Option<StoredClient<T>>,
}

/// A discovered client in the store.
#[derive(Serialize, Deserialize)]
struct StoredClient<T> {
    authorize: String,
    secret: Option<T>,
    issuer: Option<String>,
    scopes: Vec<String>,
    found: DiscoveredServer,
}

/// Distinguishes a sign-in from a key that the user entered.
#[derive(Default, Serialize, Deserialize)]
enum Kind {
    #[default]
    #[serde(rename = "nova.sign_in")]
    SignIn,
}

impl Tokens {
    /// `before` is the refresh token used, which remains valid if the server sends no new one.
    ///
    /// # Errors
    /// [`CredentialError::TokenServer`] for a token that cannot be sent in a header.
    pub(super) fn of(
        server: &OAuthClient,
        answer: &BasicTokenResponse,
        before: Option<SecretString>,
        now: i64,
    ) -> Result<Self, CredentialError> {
        check(server, answer)?;
        let lifetime = answer
            .expires_in()
            .map(|lifetime: Duration| i64::try_from(lifetime.as_secs()).unwrap_or(DEFAULT_LIFETIME));
        let lifetime = lifetime.unwrap_or(DEFAULT_LIFETIME);
        // A token that lasts a minute would otherwise never count as fresh.
        let used = (lifetime - SKEW).max(lifetime / 2);
        Ok(Self {
            access: answer.access_token().secret().as_str().into(),
            refresh: answer.refresh_token().map(|token| token.secret().as_str().into()).or(before),
            renew_at: now.saturating_add(used),
            ends_at: now.saturating_add(lifetime),
            server: server.token.url().to_string(),
            client_id: server.client_id.clone(),
            client: server.found.is_some().then(|| Box::new(server.clone())),
        })
    }

    pub(super) fn is_fresh(&self, now: i64) -> bool {
        now < self.renew_at
    }

    pub(super) fn is_valid(&self, now: i64) -> bool {
        now < self.ends_at
    }

    pub(super) fn belong_to(&self, server: &OAuthClient) -> bool {
        self.server == server.token.url().as_str() && self.client_id == server.client_id
    }

    /// Drops the refresh token, so that the user must sign in again.
    pub(super) fn end(&mut self) {
        self.refresh = None;
        (self.renew_at, self.ends_at) = (0, 0);
    }

    /// `None` if the text is something else, such as a key that the user entered.
    pub(crate) fn from_secret(secret: &SecretString) -> Option<Self> {
        let stored: StoredTokens<String> = serde_json::from_str(secret.expose_secret()).ok()?;
        let client = stored.client.and_then(|client| {
            Some(Box::new(OAuthClient {
                authorize: Endpoint::parse("address to sign in at", &client.authorize).ok()?,
                token: Endpoint::parse("address of the token server", &stored.server).ok()?,
                client_id: stored.client_id.clone(),
                client_secret: client.secret.map(Into::into),
                issuer: client.issuer,
                scopes: client.scopes,
                extra: Vec::new(),
                found: Some(client.found),
            }))
        });
        Some(Self {
            client,
            access: stored.access.into(),
            refresh: stored.refresh.map(Into::into),
            renew_at: stored.renew_at,
            ends_at: stored.ends_at,
            server: stored.server,
            client_id: stored.client_id,
        })
    }

    pub(super) fn to_secret(&self) -> Result<SecretString, CredentialError> {
        let stored = StoredTokens {
            kind: Kind::SignIn,
            access: self.access.expose_secret(),
            refresh: self.refresh.as_ref().map(ExposeSecret::expose_secret),
            renew_at: self.renew_at,
            ends_at: self.ends_at,
            server: self.server.clone(),
            client_id: self.client_id.clone(),
            client: self.client.as_ref().and_then(|client| {
                Some(StoredClient {
                    authorize: client.authorize.url().to_string(),
                    secret: client.client_secret.as_ref().map(ExposeSecret::expose_secret),
                    issuer: client.issuer.clone(),
                    scopes: client.scopes.clone(),
                    found: client.found.clone()?,
                })
            }),
        };
        let text = serde_json::to_string(&stored)
            .map_err(|_| CredentialError::SignIn { reason: "the tokens cannot be stored".to_owned() })?;
        Ok(Zeroizing::new(text).as_str().into())
    }
}

/// Accepts bearer tokens of characters that a header may contain (RFC 6750, 2.1).
fn check(server: &OAuthClient, answer: &BasicTokenResponse) -> Result<(), CredentialError> {
    let bad = |reason: &str| {
        Err(CredentialError::TokenServer { host: server.token.host().to_owned(), reason: reason.to_owned() })
    };
    if *answer.token_type() != BasicTokenType::Bearer {
        return bad("its token is of a type that is not used here");
    }
    let refresh = answer.refresh_token().map(|token| token.secret());
    let unfit = |text: &&String| text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic());
    if std::iter::once(answer.access_token().secret()).chain(refresh).any(|text| unfit(&text)) {
        return bad("its token is empty or has characters that cannot be sent");
    }
    Ok(())
}
