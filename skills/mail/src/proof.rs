//! The credential of a mailbox's user: a password, or an access token of a sign-in.

use nova_mail::{Proof, SignIn};
use nova_skill::{Secret, ToolContext, ToolError};

use crate::accounts::Account;

/// # Errors
/// If the credential is missing or was not granted, nobody has signed in, or a token would go to another server.
pub(crate) async fn proof(ctx: &dyn ToolContext, account: &Account) -> Result<SignIn, ToolError> {
    // A sign-in itself reports what is missing.
    if account.sign_in.is_none() && !ctx.credentials().has(&account.credential).await {
        return Err(ToolError::CredentialNeeded { credential: account.credential.clone() });
    }
    if let Some(fault) = account.misplaced() {
        return Err(ToolError::failed(fault, "Correct it in Settings, Skills, Mail."));
    }
    Ok(said(account, ctx.credentials().get(&account.credential).await?))
}

/// Renews a token that a server refused.
///
/// # Errors
/// If that fails: the user has to sign in again.
pub(crate) async fn renewed(
    ctx: &dyn ToolContext,
    account: &Account,
    refused: &SignIn,
) -> Result<SignIn, ToolError> {
    let (Proof::Token(secret) | Proof::Password(secret)) = &refused.proof;
    Ok(said(account, ctx.credentials().renewed(&account.credential, secret).await?))
}

/// A server refused a token that was just renewed.
pub(crate) fn lapsed(account: &Account, said: &str) -> ToolError {
    ToolError::NeedsSignIn {
        credential: account.credential.clone(),
        reason: format!("{} does not accept it for {} ({said})", account.name, account.user),
    }
}

pub(crate) fn said(account: &Account, secret: Secret) -> SignIn {
    let proof = if account.sign_in.is_some() { Proof::Token(secret) } else { Proof::Password(secret) };
    SignIn { user: account.user.clone(), proof }
}
