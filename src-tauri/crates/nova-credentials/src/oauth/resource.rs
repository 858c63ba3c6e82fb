//! Signs in for a server that publishes where and how.

use std::sync::Arc;
use std::time::Duration;

use nova_http::Names;
use url::Url;

use super::discovery::discover;
use super::loopback::Loopback;
use super::reach::Reach;
use super::registration::{ClientSettings, obtain_client};
use super::{Challenge, DiscoveredServer, OAuth, OAuthClient, Opener, cannot_sign_in, scopes};
use crate::store::Stored;
use crate::{CredentialError, CredentialName};

/// A server that requires tokens, and the settings for signing in.
#[derive(Clone)]
pub struct ProtectedResource {
    pub url: Url,
    /// The challenge with which it refused a request.
    pub challenge: Challenge,
    pub client: ClientSettings,
}

impl OAuth {
    /// Resolves host names differently from the system.
    #[must_use]
    pub fn with_names(mut self, names: Arc<dyn Names>) -> Self {
        self.names = names;
        self
    }

    /// Discovers how to sign in for a server, lets the user sign in, and stores the tokens as credential
    /// `name`, with the client that renews them. A step-up requests the previous scopes as well as the
    /// additional ones.
    ///
    /// # Errors
    /// If the server's documents are missing or lead to a forbidden address, and as for [`Self::sign_in`].
    pub async fn sign_in_for(
        &self,
        name: &CredentialName,
        resource: &ProtectedResource,
        opener: &dyn Opener,
    ) -> Result<(), CredentialError> {
        let before = self.client_for(name, &resource.url).await?;
        let loopback = Loopback::bind_to(resource.client.port).await?;
        let finding = self.discover_client(resource, before, &loopback);
        let limit = self.response_timeout * 2;
        let client = tokio::time::timeout(limit, finding).await.map_err(|_| timed_out(resource, limit))??;
        self.sign_in_through(loopback, name, &client, opener).await
    }

    /// The host at which the user would sign in.
    ///
    /// # Errors
    /// As for [`Self::sign_in_for`] before anything is opened.
    pub async fn sign_in_host(&self, resource: &ProtectedResource) -> Result<String, CredentialError> {
        let reach = Reach { server: &resource.url, names: self.names.clone(), limit: self.response_timeout };
        let finding = discover(&reach, &resource.challenge);
        let found = tokio::time::timeout(self.response_timeout * 2, finding).await;
        let found = found.map_err(|_| timed_out(resource, self.response_timeout * 2))??;
        Ok(found.authorize.host().to_owned())
    }

    async fn discover_client(
        &self,
        resource: &ProtectedResource,
        before: Option<OAuthClient>,
        loopback: &Loopback,
    ) -> Result<OAuthClient, CredentialError> {
        let ProtectedResource { url, challenge, client: settings } = resource;
        let reach = Reach { server: url, names: self.names.clone(), limit: self.response_timeout };
        let found = discover(&reach, challenge).await?;
        let mut wanted = match before {
            Some(before) if challenge.insufficient_scope => before.scopes,
            _ => Vec::new(),
        };
        wanted.extend(settings.scopes.iter().chain(&challenge.scopes).cloned());
        if wanted.is_empty() {
            wanted.clone_from(&found.scopes);
        }
        if !wanted.is_empty() && found.offers_offline_access {
            wanted.push("offline_access".into());
        }
        let wanted = scopes(wanted);
        let client = obtain_client(&reach, &found, settings, loopback.redirect(), &wanted).await?;
        Ok(OAuthClient {
            authorize: found.authorize,
            token: found.token,
            client_id: client.id,
            client_secret: client.secret,
            issuer: Some(found.issuer),
            scopes: wanted,
            extra: Vec::new(),
            found: Some(DiscoveredServer {
                server: url.to_string(),
                resource: found.resource,
                sends_issuer: found.sends_issuer,
                secret_in_body: client.secret_in_body,
                revoke: found.revoke.map(|revoke| revoke.url().to_string()),
            }),
        })
    }

    /// The client of the stored sign-in for this server; `None` without one or if it is for another server.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn client_for(
        &self,
        name: &CredentialName,
        server: &Url,
    ) -> Result<Option<OAuthClient>, CredentialError> {
        let Some(Stored::SignIn(tokens)) = self.store.stored(name).await? else { return Ok(None) };
        let client = tokens
            .client
            .filter(|client| client.found.as_ref().is_some_and(|found| found.server == server.as_str()));
        Ok(client.map(|client| *client))
    }
}

fn timed_out(resource: &ProtectedResource, limit: Duration) -> CredentialError {
    let host = resource.url.host_str().unwrap_or_default();
    cannot_sign_in(
        format!("{host} did not say where in {} s", limit.as_secs_f32()),
        "Check the connection, then try again.",
    )
}
