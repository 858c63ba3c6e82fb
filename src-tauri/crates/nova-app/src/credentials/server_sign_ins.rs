//! OAuth sign-ins for MCP servers, which publish their authorization server themselves.

use std::time::Duration;

use nova_credentials::{
    Challenge, ClientSettings, CredentialError, CredentialName, OAuth, Opener, ProtectedResource,
};
use nova_mcp::{GivenSignIn, ServerConfig, Way};
use nova_protocol::{ErrorCode, ServerRef, ServerSignIn, UserError};
use nova_skill::Secret;

use super::SignIn;
use super::store::UserCredentials;
use crate::app::App;

/// Service name of their credentials; the key is the server's id.
const SERVICE: &str = "mcp-sign-in";
/// Timeout of token revocation when signing out.
const REVOKING: Duration = Duration::from_secs(10);

/// # Errors
/// Never for a parsed server: its id is a valid key.
fn name_of(server: &ServerConfig) -> Result<CredentialName, CredentialError> {
    format!("{SERVICE}/{}", server.id).parse()
}

impl UserCredentials {
    /// An OAuth token for this server other than the refused one.
    pub(crate) async fn server_token(
        &self,
        server: &ServerConfig,
        refused: Option<&Secret>,
    ) -> Result<Option<Secret>, CredentialError> {
        let Way::Address { url, .. } = &server.way else { return Ok(None) };
        if !self.may_have_stored() {
            return Ok(None);
        }
        let name = name_of(server)?;
        let oauth = self.oauth(self.store().await?)?;
        let Some(client) = oauth.client_for(&name, url).await? else { return Ok(None) };
        let token = match refused {
            None => oauth.access_token(&name, &client).await,
            Some(refused) => oauth.after_refusal(&name, &client, refused).await,
        };
        token.map(Some)
    }

    /// Revokes the tokens of a sign-in where their server supports it. A server that does not answer does not prevent
    /// their removal here.
    pub(crate) async fn revoke_tokens(&self, name: &CredentialName, sign_in: Option<&SignIn>) {
        let revoked = async {
            match sign_in {
                Some(SignIn::Known(known)) => self.revoke_at_provider(name, known).await,
                _ if name.service() == SERVICE => self.oauth(self.store().await?)?.revoke(name).await,
                _ => Ok(false),
            }
        };
        match tokio::time::timeout(REVOKING, revoked).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(credential = %name, %error, "cannot revoke the tokens"),
            Err(_) => tracing::warn!(credential = %name, "timed out revoking the tokens"),
        }
    }

    async fn sign_in_for_server(
        &self,
        server: &ServerConfig,
        challenge: Challenge,
        opener: &dyn Opener,
    ) -> Result<(), CredentialError> {
        let resource = self.resource_of(server, challenge).await?;
        let (name, oauth): (_, OAuth) = (name_of(server)?, self.oauth(self.store().await?)?);
        oauth.sign_in_for(&name, &resource, opener).await?;
        self.signed_in(&name);
        Ok(())
    }

    async fn resource_of(
        &self,
        server: &ServerConfig,
        challenge: Challenge,
    ) -> Result<ProtectedResource, CredentialError> {
        let Way::Address { url, oauth: given, .. } = &server.way else {
            return Err(CredentialError::CannotSignIn {
                reason: format!("{} is a program of this machine", server.name),
                remedy: "Give it what it needs in its env.".into(),
            });
        };
        let GivenSignIn { client_id, client_secret, scopes, port } = given.clone();
        let (consumer, destination) = server.grantee();
        let secret = match &client_secret {
            None => None,
            Some(text) => {
                let secret = |name: CredentialName| {
                    let (consumer, destination) = (&consumer, &destination);
                    async move { self.granted_secret(consumer, destination, &name).await }
                };
                Some(text.resolve(secret).await?)
            }
        };
        let client = ClientSettings { id: client_id, secret, scopes, port };
        Ok(ProtectedResource { url: url.clone(), challenge, client })
    }
}

impl App {
    /// Signs in for a server that demanded it.
    ///
    /// # Errors
    /// When discovery fails, the user refuses, or the tokens cannot be stored.
    pub(crate) async fn sign_in_for(
        &self,
        server: &ServerConfig,
        challenge: Challenge,
        opener: &dyn Opener,
    ) -> Result<(), UserError> {
        let signed_in = self.inner.user_credentials.sign_in_for_server(server, challenge, opener).await;
        signed_in?;
        self.inner.mcp.sign_ins_changed();
        Ok(())
    }

    /// The host where the user signs in for a server. Opens nothing.
    ///
    /// # Errors
    /// When discovery fails.
    pub(crate) async fn server_sign_in(&self, server: ServerRef) -> Result<ServerSignIn, UserError> {
        let config = self.mcp_server(&server.server)?;
        self.check_agreed(&config)?;
        let challenge = self.inner.mcp.sign_in_wanted(&config.name).unwrap_or_default();
        let credentials = &self.inner.user_credentials;
        let resource = credentials.resource_of(&config, challenge).await?;
        let host = credentials.oauth(credentials.store().await?)?.sign_in_host(&resource).await?;
        Ok(ServerSignIn { host })
    }

    fn check_agreed(&self, server: &ServerConfig) -> Result<(), UserError> {
        if self.mcp_servers().iter().any(|status| status.id == server.id && status.agreed) {
            return Ok(());
        }
        Err(UserError::new(
            ErrorCode::SkillNeedsReview,
            format!("You have not agreed to contact {}.", server.name),
            format!("Review it first: nova mcp review {}.", server.name),
        ))
    }

    /// Deletes the tokens of a server that is not in the configuration.
    pub(crate) async fn remove_server_sign_in(&self, server: &ServerConfig) -> Result<(), UserError> {
        let name = name_of(server)?;
        self.inner.user_credentials.remove(&name).await?;
        Ok(())
    }

    /// Name and host of the server with this sign-in, as far as configured. `None` if it is not the sign-in
    /// of a server.
    pub(super) fn server_of_sign_in(&self, name: &str) -> Option<(Option<String>, Option<String>)> {
        let id = name.strip_prefix(SERVICE)?.strip_prefix('/')?;
        let Some(server) = self.inner.mcp.config(id).filter(|server| server.id == id) else {
            return Some((None, None));
        };
        let host = match &server.way {
            Way::Address { url, .. } => url.host_str().map(str::to_owned),
            Way::Command { .. } => None,
        };
        Some((Some(server.name), host))
    }

    /// Signs in for the server with this sign-in, and restarts it; `None` if there is no such server.
    pub(super) async fn sign_in_named(
        &self,
        name: &CredentialName,
        opener: &dyn Opener,
    ) -> Option<Result<(), UserError>> {
        let id = name.as_str().strip_prefix(SERVICE)?.strip_prefix('/')?;
        let server = self.inner.mcp.config(id).filter(|server| server.id == id)?;
        if let Err(refused) = self.check_agreed(&server) {
            return Some(Err(refused));
        }
        let wanted = self.inner.mcp.sign_in_wanted(&server.name);
        if let (None, Some(own)) = (&wanted, server.credentials().first()) {
            return Some(Err(UserError::new(
                ErrorCode::CredentialInvalid,
                format!("{} has its token from the credential {own}.", server.name),
                "Renew that credential.",
            )));
        }
        let challenge = wanted.unwrap_or_default();
        let signed_in = self.sign_in_for(&server, challenge, opener).await;
        if signed_in.is_ok() {
            // The sign-in succeeded, whether or not the server runs.
            let (mcp, name) = (self.inner.mcp.clone(), server.name);
            tokio::spawn(async move { mcp.restart(&name).await });
        }
        Some(signed_in)
    }
}
