//! Revokes tokens at their server (RFC 7009).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use oauth2::HttpRequest;
use oauth2::http::{Method, Request, header};
use secrecy::{ExposeSecret as _, SecretString};
use url::form_urlencoded::{Serializer, byte_serialize};

use super::http::TokenHttp;
use super::{Endpoint, OAuth, OAuthClient};
use crate::store::Stored;
use crate::{CredentialError, CredentialName};

impl OAuth {
    /// Revokes the tokens of a sign-in if its server has a revocation endpoint; returns whether there was
    /// anything to revoke. The tokens stay in the store.
    ///
    /// # Errors
    /// If the store cannot be read, or the server refuses.
    pub async fn revoke(&self, name: &CredentialName) -> Result<bool, CredentialError> {
        let Some(Stored::SignIn(tokens)) = self.store.stored(name).await? else { return Ok(false) };
        let Some(client) = &tokens.client else { return Ok(false) };
        let revoke = client.found.as_ref().and_then(|found| found.revoke.as_deref());
        let Some(revoke) = revoke else { return Ok(false) };
        let at = Endpoint::parse("address to revoke tokens at", revoke)?;
        let http = TokenHttp::filtered(&at, self.names.clone());
        let http = http.map_err(|error| not_revoked(&at, error.to_string()))?;
        // Revoking the refresh token ends both at most servers.
        if let Some(refresh) = &tokens.refresh {
            self.revoke_token(&http, &at, client, "refresh_token", refresh).await?;
        }
        self.revoke_token(&http, &at, client, "access_token", &tokens.access).await?;
        Ok(true)
    }

    /// The same at a given endpoint, for tokens of this client, where revoking one token ends both.
    ///
    /// # Errors
    /// As for [`Self::revoke`].
    pub async fn revoke_at(
        &self,
        name: &CredentialName,
        client: &OAuthClient,
        at: &Endpoint,
    ) -> Result<bool, CredentialError> {
        let Some(Stored::SignIn(tokens)) = self.store.stored(name).await? else { return Ok(false) };
        if !tokens.belong_to(client) {
            return Ok(false);
        }
        let (kind, token) = match &tokens.refresh {
            Some(refresh) => ("refresh_token", refresh),
            None => ("access_token", &tokens.access),
        };
        self.revoke_token(&self.http, at, client, kind, token).await?;
        Ok(true)
    }

    async fn revoke_token(
        &self,
        http: &TokenHttp,
        at: &Endpoint,
        client: &OAuthClient,
        kind: &str,
        token: &SecretString,
    ) -> Result<(), CredentialError> {
        let failed = |reason| not_revoked(at, reason);
        let request = request(at, client, kind, token).map_err(|error| failed(error.to_string()))?;
        let answer =
            http.send(request, self.response_timeout).await.map_err(|error| failed(error.to_string()))?;
        // RFC 7009, 2.2: revoking an invalid token is not an error.
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(failed(format!("it did not revoke the token (status {})", status.as_u16()))),
        }
    }
}

fn not_revoked(at: &Endpoint, reason: String) -> CredentialError {
    CredentialError::TokenServer { host: at.host().to_owned(), reason }
}

fn request(
    at: &Endpoint,
    client: &OAuthClient,
    kind: &str,
    token: &SecretString,
) -> Result<HttpRequest, oauth2::http::Error> {
    let in_body = client.found.as_ref().is_some_and(|found| found.secret_in_body);
    let mut form = Serializer::new(String::new());
    form.append_pair("token", token.expose_secret()).append_pair("token_type_hint", kind);
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(at.url().as_str())
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    match &client.client_secret {
        Some(secret) if !in_body => {
            let part = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
            let both = format!("{}:{}", part(&client.client_id), part(secret.expose_secret()));
            request = request.header(header::AUTHORIZATION, format!("Basic {}", STANDARD.encode(both)));
        }
        secret => {
            form.append_pair("client_id", &client.client_id);
            if let Some(secret) = secret {
                form.append_pair("client_secret", secret.expose_secret());
            }
        }
    }
    request.body(form.finish().into_bytes())
}
