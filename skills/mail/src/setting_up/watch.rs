use nova_mail::Watched;
use nova_skill::{Connection, Secret, ToolHttp, Value};

use super::StepProblem;
use crate::accounts::account;
use crate::connection::{refused, to_imap};
use crate::proof::said;

/// The inbox of a mailbox, watched over a connection of its own.
#[derive(Debug)]
pub struct WatchedInbox(Watched<Box<dyn Connection>>);

/// Signs in with the password or the access token and watches the inbox, read-only.
///
/// # Errors
/// For an entry without a server or whose token would go to another server, and if the server fails.
pub async fn watch(http: &dyn ToolHttp, entry: &Value, secret: Secret) -> Result<WatchedInbox, StepProblem> {
    let account = account(entry).filter(|account| account.misplaced().is_none());
    let account = account.ok_or_else(|| StepProblem {
        message: "The mailbox has no server.".into(),
        hint: "Set its IMAP server.".into(),
        refused: true,
    })?;
    let who = said(&account, secret);
    if let Some(error) = refused(&account, &who) {
        return Err(error.into());
    }
    let imap = to_imap(http, &account).await?.sign_in(&who).await?;
    Ok(WatchedInbox(imap.watch("INBOX").await?))
}

impl WatchedInbox {
    /// Returns once messages were added, removed or flagged.
    ///
    /// # Errors
    /// If the connection fails.
    pub async fn changed(self) -> Result<Self, StepProblem> {
        Ok(Self(self.0.changed().await?))
    }
}
