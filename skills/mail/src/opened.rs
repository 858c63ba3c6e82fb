//! Mailboxes signed in for one call.

use std::collections::HashMap;

use futures::future::join_all;
use nova_mail::{Imap, Listed, MailError, Mailbox, MessageId, Preview, Role, SignIn, SignInFault};
use nova_skill::figures::folded;
use nova_skill::{Connection, ToolContext, ToolError, Value, json};

use crate::accounts::Account;
use crate::connection::{refused, to_imap};
use crate::proof::{lapsed, proof, renewed};

/// A signed-in mailbox of the user.
pub(crate) struct Opened {
    pub(crate) account: Account,
    pub(crate) mailbox: Box<dyn Mailbox>,
}

/// Mailboxes that could not be read, as an answer reports them.
pub(crate) type Problems = Vec<Value>;

impl Opened {
    /// # Errors
    /// If the credential is missing or was not granted, the server is unreachable, or it refuses the credential: a
    /// token even after it was renewed.
    pub(crate) async fn new(ctx: &dyn ToolContext, account: Account) -> Result<Self, ToolError> {
        let who = proof(ctx, &account).await?;
        let mut signed_in = sign_in(ctx, &account, &who).await?;
        if matches!(signed_in, Err(MailError::Token { .. })) {
            let renewed = renewed(ctx, &account, &who).await?;
            signed_in = sign_in(ctx, &account, &renewed).await?;
        }
        match signed_in {
            Ok(imap) => Ok(Self { account, mailbox: Box::new(imap) }),
            Err(error) => Err(told(&account, &error)),
        }
    }

    /// The folder with this role or name; the inbox if nothing is given. `None` if no folder has that name.
    ///
    /// # Errors
    /// If the folders cannot be listed.
    pub(crate) async fn folder(&mut self, said: Option<&str>) -> Result<Option<String>, ToolError> {
        let Some(said) = said.map(str::trim).filter(|said| !said.is_empty()) else {
            return Ok(Some("INBOX".into()));
        };
        let folders = self.mailbox.folders().await.map_err(|error| told(&self.account, &error))?;
        let by_name = folders.iter().find(|folder| folder.name == said);
        let by_name = by_name.or_else(|| folders.iter().find(|folder| folded(&folder.name) == folded(said)));
        let role = Role::named(said);
        let by_role = || folders.iter().find(|folder| role.is_some() && folder.role == role);
        Ok(by_name.or_else(by_role).map(|folder| folder.name.clone()))
    }

    /// The folder with this role, whatever its name.
    ///
    /// # Errors
    /// If the folders cannot be listed.
    pub(crate) async fn with_role(&mut self, role: Role) -> Result<Option<String>, ToolError> {
        let folders = self.mailbox.folders().await.map_err(|error| told(&self.account, &error))?;
        Ok(folders.into_iter().find(|folder| folder.role == Some(role)).map(|folder| folder.name))
    }

    /// How these messages begin. Previews are optional: those that fail are left out.
    pub(crate) async fn previews(&mut self, messages: &[Listed]) -> HashMap<MessageId, Preview> {
        let ids: Vec<MessageId> = messages.iter().map(|message| message.id.clone()).collect();
        let receiver: Vec<&str> = self.account.checked_by.as_deref().into_iter().collect();
        self.mailbox.previews(&ids, &receiver).await.unwrap_or_default()
    }

    pub(crate) async fn close(mut self) {
        self.mailbox.close().await;
    }
}

async fn sign_in(
    ctx: &dyn ToolContext,
    account: &Account,
    who: &SignIn,
) -> Result<Result<Imap<Box<dyn Connection>>, MailError>, ToolError> {
    if let Some(error) = refused(account, who) {
        return Ok(Err(error));
    }
    Ok(to_imap(ctx.http(), account).await?.sign_in(who).await)
}

/// As an error for the user.
pub(crate) fn told(account: &Account, error: &MailError) -> ToolError {
    match error {
        MailError::SignIn { said, why } => ToolError::SignInRefused {
            account: account.name.clone(),
            said: said.clone(),
            remedy: match why {
                SignInFault::Password => format!(
                    "Check the user in Settings, Skills, Mail, and set the password with: nova credential set {}. {}",
                    account.credential,
                    "Many servers want an app password. The refused one is tried again only by Test in Settings."
                ),
                why => why.remedy().into(),
            },
        },
        MailError::Token { said } => lapsed(account, said),
        error => ToolError::failed(format!("{}: {error}.", account.name), error.hint()),
    }
}

/// Signs in to all of them concurrently and reports failures as problems; if all fail, the call fails with the first
/// error.
///
/// # Errors
/// `Cancelled`, and if none can be opened.
pub(crate) async fn open(
    ctx: &dyn ToolContext,
    accounts: Vec<Account>,
) -> Result<(Vec<Opened>, Problems), ToolError> {
    let opening = accounts.into_iter().map(|account| async move {
        let name = account.name.clone();
        (name, Opened::new(ctx, account).await)
    });
    some(join_all(opening).await)
}

/// The results, and the failures as problems.
///
/// # Errors
/// `Cancelled`, and the first failure if nothing succeeded.
pub(crate) fn some<T>(answers: Vec<(String, Result<T, ToolError>)>) -> Result<(Vec<T>, Problems), ToolError> {
    let (mut all, mut problems, mut first) = (Vec::new(), Vec::new(), None);
    for (name, answer) in answers {
        match answer {
            Ok(answer) => all.push(answer),
            Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
            Err(error) => {
                problems.push(json!({
                    "mailbox": name, "code": error.code().as_str(), "problem": error.to_string(),
                    "remedy": error.hint(),
                }));
                first.get_or_insert(error);
            }
        }
    }
    match first {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok((all, problems)),
    }
}
