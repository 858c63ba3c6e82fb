//! Sign-ins made, tokens renewed and revoked.

use nova_credentials::{CredentialError, CredentialName, CredentialStore, OAuth, OAuthClient, Opener};
use secrecy::SecretString;

use super::known_sign_ins::KnownSignIn;
use super::sign_ins::SignIn;
use super::store::{NEVER_SIGNED_IN, TIMEOUT, UserCredentials, within};

impl UserCredentials {
    pub(crate) async fn sign_in(
        &self,
        name: &CredentialName,
        sign_in: &SignIn,
        opener: &dyn Opener,
    ) -> Result<(), CredentialError> {
        let server = self.client(name, sign_in).await?;
        self.oauth(self.store().await?)?.sign_in(name, &server, opener).await?;
        self.signed_in(name);
        Ok(())
    }

    pub(super) fn signed_in(&self, name: &CredentialName) {
        self.signed_out().remove(name);
        self.changed(name, "kept");
    }

    /// A token that is good for now, and another one than a server refused.
    pub(super) async fn token(
        &self,
        name: &CredentialName,
        sign_in: &SignIn,
        refused: Option<&SecretString>,
    ) -> Result<SecretString, CredentialError> {
        let server = self.client(name, sign_in).await?;
        let oauth = self.oauth(self.store().await?)?;
        let token = match refused {
            None => oauth.access_token(name, &server).await,
            Some(refused) => oauth.after_refusal(name, &server, refused).await,
        };
        match &token {
            Ok(_) => {
                if self.signed_out().remove(name).is_some() {
                    self.changed(name, "kept");
                }
            }
            Err(CredentialError::NeedsSignIn { reason, .. }) => {
                // The first says why; those after it, that it has ended.
                let is_new = {
                    let mut signed_out = self.signed_out();
                    let is_new = !signed_out.contains_key(name);
                    signed_out.entry(name.clone()).or_insert_with(|| reason.clone());
                    is_new
                };
                if is_new {
                    self.changed(name, "needs_sign_in");
                }
            }
            Err(CredentialError::Missing { .. }) => return Err(not_signed_in(name)),
            Err(_) => {}
        }
        token
    }

    pub(super) async fn check_signed_in(
        &self,
        name: &CredentialName,
        sign_in: &SignIn,
    ) -> Result<(), CredentialError> {
        self.client(name, sign_in).await?;
        match within(TIMEOUT, self.store().await?.has(name)).await? {
            true => Ok(()),
            false => Err(not_signed_in(name)),
        }
    }

    pub(super) fn oauth(&self, store: CredentialStore) -> Result<OAuth, CredentialError> {
        OAuth::new(store, &self.data, self.clock.clone())
    }

    /// As what Nova signs in. The client's secret is one that was granted for the token server; that of the user's own
    /// client at a known provider goes to no other server.
    pub(super) async fn client(
        &self,
        name: &CredentialName,
        sign_in: &SignIn,
    ) -> Result<OAuthClient, CredentialError> {
        let sign_in = match sign_in {
            SignIn::Configured(configured) => configured,
            SignIn::Known(known) => return self.own_client(known).await,
        };
        let (consumer, destination) = (&sign_in.consumer(name), &sign_in.destination()?);
        let secret = match sign_in.client_secret() {
            None => None,
            Some(template) => Some(
                template
                    .resolve(|wanted: CredentialName| async move {
                        self.granted_secret(consumer, destination, &wanted).await
                    })
                    .await?,
            ),
        };
        sign_in.client(secret)
    }

    async fn own_client(&self, known: &KnownSignIn) -> Result<OAuthClient, CredentialError> {
        let [id, secret] = known.client()?;
        let (kept_id, kept_secret) =
            (self.kept_or_variable(&id).await?, self.kept_or_variable(&secret).await?);
        let kept_id = kept_id.ok_or(CredentialError::Missing { name: id })?;
        self.providers.client(known.provider, known.access, &kept_id, kept_secret, known.user.as_deref())
    }

    async fn kept_or_variable(&self, name: &CredentialName) -> Result<Option<SecretString>, CredentialError> {
        let stored = match self.store().await {
            Ok(store) => within(TIMEOUT, store.get(name)).await?,
            Err(_) if !self.may_have_stored() => None,
            Err(error) => return Err(error),
        };
        Ok(stored.or_else(|| self.variable_of(name)))
    }

    /// The variable of the environment that a credential's key names.
    pub(super) fn variable_of(&self, name: &CredentialName) -> Option<SecretString> {
        let (_, variable) = name.as_str().split_once('/')?;
        self.context.get()?.upgrade()?.variable(variable)
    }

    pub(super) async fn revoke_at_provider(
        &self,
        name: &CredentialName,
        known: &KnownSignIn,
    ) -> Result<bool, CredentialError> {
        let Some(at) = self.providers.revoke(known.provider)? else { return Ok(false) };
        let client = self.own_client(known).await?;
        self.oauth(self.store().await?)?.revoke_at(name, &client, &at).await
    }

    /// The host at which the user signs in for a credential.
    pub(crate) fn sign_in_host(&self, name: &str) -> Option<String> {
        self.sign_ins().get(&name.parse().ok()?)?.host(&self.providers)
    }
}

fn not_signed_in(name: &CredentialName) -> CredentialError {
    CredentialError::NeedsSignIn { name: name.clone(), reason: NEVER_SIGNED_IN.into() }
}
