//! Signing in with a password or an access token.

use std::sync::atomic::{AtomicBool, Ordering};

use async_imap::error::Error;
use async_imap::{Authenticator, Client, Session};
use secrecy::{ExposeSecret as _, SecretString};

use super::{PATIENCE, Stream, failed};
use crate::bounded::Bounded;
use crate::sign_in::{Bearer, can_be_said};
use crate::{MailError, Proof, SignIn, SignInFault};

/// # Errors
/// `SignIn`, `NoPassword`, `Token`, `NoToken`, and as [`MailError`] lists.
pub(super) async fn sign_in<S: Stream>(
    client: Client<Bounded<S>>,
    who: &SignIn,
) -> Result<Session<Bounded<S>>, MailError> {
    match &who.proof {
        Proof::Password(password) => by_password(client, &who.user, password).await,
        Proof::Token(token) => by_token(client, &who.user, token).await,
    }
}

async fn by_password<S: Stream>(
    client: Client<Bounded<S>>,
    user: &str,
    password: &SecretString,
) -> Result<Session<Bounded<S>>, MailError> {
    // PLAIN carries any password; LOGIN is limited to ASCII.
    let signed_in =
        tokio::time::timeout(PATIENCE, client.authenticate("PLAIN", Plain { user, password })).await;
    match signed_in.map_err(|_| MailError::TooSlow { after: PATIENCE })? {
        Ok(session) => Ok(session),
        // Some servers support only LOGIN.
        Err((Error::Bad(_), client)) => {
            let login = client.login(user, password.expose_secret());
            let signed_in = tokio::time::timeout(PATIENCE, login).await;
            signed_in
                .map_err(|_| MailError::TooSlow { after: PATIENCE })?
                .map_err(|(error, _)| refused(error))
        }
        Err((error, _)) => Err(refused(error)),
    }
}

async fn by_token<S: Stream>(
    mut client: Client<Bounded<S>>,
    user: &str,
    token: &SecretString,
) -> Result<Session<Bounded<S>>, MailError> {
    if !can_be_said(user, token) {
        return Err(MailError::Argument { what: "The user or the token", most: 1_000 });
    }
    // The mechanism that Google and Microsoft document, else the standard one. A server that supports it prompts for
    // the token.
    for mechanism in [Bearer::Xoauth2, Bearer::Oauthbearer] {
        let said = AtomicBool::new(false);
        let bearer = SentOnce { mechanism, user, token, said: &said };
        let signed_in = tokio::time::timeout(PATIENCE, client.authenticate(mechanism.name(), bearer)).await;
        client = match signed_in.map_err(|_| MailError::TooSlow { after: PATIENCE })? {
            Ok(session) => return Ok(session),
            Err((error, client)) => match (refused(error), said.load(Ordering::Relaxed)) {
                (MailError::SignIn { said, .. }, true) => return Err(MailError::Token { said }),
                (MailError::NoPassword, true) => return Err(MailError::NoToken),
                (MailError::SignIn { .. } | MailError::NoPassword, false) => client,
                (error, _) => return Err(error),
            },
        };
    }
    Err(MailError::NoToken)
}

/// SASL PLAIN (RFC 4616).
struct Plain<'a> {
    user: &'a str,
    password: &'a SecretString,
}

impl Authenticator for Plain<'_> {
    type Response = String;

    fn process(&mut self, _: &[u8]) -> String {
        format!("\0{}\0{}", self.user, self.password.expose_secret())
    }
}

/// Sends a token once: any further challenge is the server's refusal, to be acknowledged.
struct SentOnce<'a> {
    mechanism: Bearer,
    user: &'a str,
    token: &'a SecretString,
    said: &'a AtomicBool,
}

impl Authenticator for SentOnce<'_> {
    type Response = String;

    fn process(&mut self, _: &[u8]) -> String {
        if self.said.swap(true, Ordering::Relaxed) {
            return self.mechanism.acknowledgement().to_owned();
        }
        self.mechanism.initial(self.user, self.token)
    }
}

/// Why the sign-in failed.
fn refused(error: Error) -> MailError {
    match failed(error) {
        MailError::Refused { said } => {
            // RFC 5530: failures that are not the fault of the user or the password.
            if said.contains("UNAVAILABLE") || said.contains("[INUSE]") {
                MailError::Refused { said }
            } else if said.contains("LOGINDISABLED") || said.contains("not supported") {
                MailError::NoPassword
            } else {
                MailError::SignIn { why: SignInFault::of(&said), said }
            }
        }
        error => error,
    }
}
