//! A draft that a mail takes the place of. It is deleted for good once that mail is safe, so it must be a draft.

use nova_mail::{MailError, MessageId};
use nova_skill::{Detail, ToolContext, ToolError};

use crate::accounts::{Account, message};
use crate::opened::{Opened, told};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OldDraft {
    /// As the call names it.
    pub(crate) said: String,
    pub(crate) id: MessageId,
    subject: String,
}

impl OldDraft {
    /// The draft that the argument `key` names; `None` if it names none, or one that no longer exists.
    ///
    /// # Errors
    /// For an invalid id, a message of another mailbox, and one that is not a draft.
    pub(crate) async fn find(
        ctx: &dyn ToolContext,
        account: &Account,
        key: &str,
        said: Option<&str>,
    ) -> Result<Option<Self>, ToolError> {
        let Some(said) = said.map(str::trim).filter(|said| !said.is_empty()) else { return Ok(None) };
        let (of, id) = message(ctx.config(), said, None)?;
        if of != *account {
            return Err(ToolError::InvalidArguments {
                path: format!("/{key}"),
                rule: format!("must be a draft of {}, as the mail is", account.name),
                allowed: Vec::new(),
            });
        }
        let mut opened = Opened::new(ctx, of).await?;
        let found = opened.mailbox.draft(&id).await;
        opened.close().await;
        match found {
            Ok(draft) => Ok(Some(Self { said: said.to_owned(), id, subject: draft.envelope.subject })),
            Err(MailError::NoMessage) => Ok(None),
            Err(error) => Err(told(account, &error)),
        }
    }

    pub(crate) fn detail(&self) -> Detail {
        Detail::new("Deletes the draft", self.subject.clone()).noted(self.id.folder.clone())
    }
}
