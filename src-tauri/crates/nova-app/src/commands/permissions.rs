//! Commands for credentials and rules.

use nova_protocol::{
    CredentialRef, CredentialsView, GrantCredential, Nothing, PermissionsView, SetCredential,
    UnlockCredentials, UserError,
};

use crate::app::App;

impl App {
    pub(crate) async fn list_credentials(&self, _: Nothing) -> Result<CredentialsView, UserError> {
        Ok(self.credentials().await)
    }

    pub(crate) async fn set_credential(&self, set: SetCredential) -> Result<CredentialsView, UserError> {
        self.set_credential_value(&set.name, set.value, set.grant_to.as_deref()).await?;
        Ok(self.credentials().await)
    }

    pub(crate) async fn remove_credential(
        &self,
        credential: CredentialRef,
    ) -> Result<CredentialsView, UserError> {
        self.remove_credential_named(&credential.name).await?;
        Ok(self.credentials().await)
    }

    pub(crate) async fn grant_credential(
        &self,
        grant: GrantCredential,
    ) -> Result<CredentialsView, UserError> {
        self.grant_credential_to(&grant.name, &grant.to)?;
        Ok(self.credentials().await)
    }

    pub(crate) async fn revoke_credential(
        &self,
        grant: GrantCredential,
    ) -> Result<CredentialsView, UserError> {
        self.revoke_credential_from(&grant.name, &grant.to)?;
        Ok(self.credentials().await)
    }

    pub(crate) async fn unlock_credentials(
        &self,
        unlock: UnlockCredentials,
    ) -> Result<CredentialsView, UserError> {
        self.unlock(unlock.passphrase).await?;
        Ok(self.credentials().await)
    }

    pub(crate) async fn list_rules(&self, _: Nothing) -> Result<PermissionsView, UserError> {
        Ok(self.permissions())
    }
}
