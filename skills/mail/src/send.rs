use std::sync::Arc;
use std::time::Duration;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, Preview, ToolContext, ToolError, ToolOutput, Value,
    async_trait, schemars,
};
use serde::Deserialize;

use crate::accounts::{Account, one, sending_hosts, unavailable};
use crate::old_draft::OldDraft;
use crate::outgoing::{Given, Outgoing};
use crate::sent_once;

pub(crate) struct Send;

/// Large messages take long to upload, and some servers are slow to answer.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(900);

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Sends a mail from one of your mailboxes."))]
pub(crate) struct NewMail {
    /// The mailbox, by its name; needed if several can send.
    #[schemars(extend("x-label" = "Mailbox"))]
    mailbox: Option<String>,
    /// Addresses, such as jane@example.org or Jane Doe <jane@example.org>.
    #[schemars(length(min = 1, max = 1000))]
    #[schemars(extend("x-label" = "To"))]
    to: Vec<String>,
    /// Recipients of a copy, visible to all.
    #[schemars(length(max = 1000))]
    #[schemars(extend("x-label" = "Cc"))]
    cc: Option<Vec<String>>,
    /// Recipients of a copy, hidden from the others.
    #[schemars(length(max = 1000))]
    #[schemars(extend("x-label" = "Bcc"))]
    bcc: Option<Vec<String>>,
    /// One line.
    #[schemars(length(min = 1, max = 1000))]
    #[schemars(extend("x-label" = "Subject"))]
    subject: String,
    /// Plain text, as it is to arrive.
    #[schemars(length(min = 1, max = 200_000))]
    #[schemars(extend("x-label" = "Text"))]
    text: String,
    /// Paths of files in the vault.
    #[schemars(length(max = 20))]
    #[schemars(extend("x-label" = "Attachments"))]
    attachments: Option<Vec<String>>,
    /// The id of the draft that is sent; it is removed afterwards.
    #[schemars(extend("x-label" = "Draft"))]
    draft: Option<String>,
}

impl NewMail {
    fn account(&self, ctx: &dyn ToolContext) -> Result<Account, ToolError> {
        let account = one(ctx.config(), self.mailbox.as_deref(), |account| account.sends)?;
        account.check_sending()?;
        Ok(account)
    }

    async fn outgoing(self, ctx: &dyn ToolContext) -> Result<Outgoing, ToolError> {
        let account = self.account(ctx)?;
        let given = Given {
            to: self.to,
            cc: self.cc.unwrap_or_default(),
            bcc: self.bcc.unwrap_or_default(),
            subject: self.subject,
            text: self.text,
            attachments: self.attachments.unwrap_or_default(),
        };
        let mut outgoing = Outgoing::new(ctx, account, given).await?;
        outgoing.check(ctx).await?;
        outgoing.replaced = OldDraft::find(ctx, &outgoing.account, "draft", self.draft.as_deref()).await?;
        Ok(outgoing)
    }
}

#[async_trait]
impl NativeTool for Send {
    type Args = NewMail;
    const ID: &'static str = "send";
    const EFFECT: Effect = Effect::Send;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];
    const TIME_LIMIT: Option<Duration> = Some(TIME_LIMIT);
    const PREVIEWS: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Sends a new mail from one of the user's mailboxes; the user sees it first.")
            .use_when("the user wants a mail sent to somebody")
            .not_when("a mail is answered", "mail.reply")
            .not_when("the user wants to look at it first in a mail program", "mail.draft")
            .example("Send Noor a mail that the meeting is at three")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(sending_hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    fn question(&self, args: &Value, _: &Value) -> Option<String> {
        let recipients = |key: &str| args[key].as_array().map_or(0, Vec::len);
        Some(match recipients("to") + recipients("cc") + recipients("bcc") {
            1 => "Send 1 mail?".into(),
            many => format!("Send 1 mail to {many} people?"),
        })
    }

    async fn preview(&self, mail: NewMail, ctx: Arc<dyn ToolContext>) -> Result<Option<Preview>, ToolError> {
        mail.outgoing(ctx.as_ref()).await?.preview(ctx.as_ref()).await.map(Some)
    }

    async fn run(&self, mail: NewMail, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let outgoing = mail.outgoing(ctx).await?;
        outgoing.check_shown(ctx)?;
        Ok(Output::new(sent_once::send(ctx, &outgoing).await?).into())
    }
}
