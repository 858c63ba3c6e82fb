//! Commands about credentials and rules.

use nova_protocol::{
    ApprovedHostRef, ApprovedToolRef, CredentialRef, CredentialsView, GrantCredential, Nothing,
    PermissionsView, SetCredential, SignIn, UnlockCredentials, UserError,
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

    pub(crate) async fn sign_in(&self, sign_in: SignIn) -> Result<CredentialsView, UserError> {
        self.sign_in_at_desktop(&sign_in.name, sign_in.host).await?;
        Ok(self.credentials().await)
    }

    pub(crate) async fn list_rules(&self, _: Nothing) -> Result<PermissionsView, UserError> {
        Ok(self.permissions())
    }

    pub(crate) async fn revoke_tool(&self, approved: ApprovedToolRef) -> Result<PermissionsView, UserError> {
        self.revoke_approved_tool(&approved.tool)?;
        Ok(self.permissions())
    }

    pub(crate) async fn revoke_host(&self, approved: ApprovedHostRef) -> Result<PermissionsView, UserError> {
        self.revoke_approved_host(&approved.tool, &approved.host)?;
        Ok(self.permissions())
    }
}
