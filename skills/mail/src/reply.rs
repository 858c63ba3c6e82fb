use std::sync::Arc;
use std::time::Duration;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, Preview, ToolContext, ToolError, ToolOutput, Value,
    async_trait, schemars,
};
use serde::Deserialize;

use crate::accounts::{message, sending_hosts, unavailable};
use crate::old_draft::OldDraft;
use crate::outgoing::Outgoing;
use crate::send::TIME_LIMIT;
use crate::sent_once;

pub(crate) struct Reply;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Answers a mail."))]
pub(crate) struct Answer {
    /// The id of the message to answer, as mail.list or mail.search returns it.
    #[schemars(extend("x-label" = "Message"))]
    id: String,
    /// Plain text, as it is to arrive; the message is quoted below it.
    #[schemars(length(min = 1, max = 200_000))]
    #[schemars(extend("x-label" = "Text"))]
    text: String,
    /// Also to its other recipients.
    #[schemars(extend("x-label" = "Reply to all"))]
    all: Option<bool>,
    /// Paths of files in the vault.
    #[schemars(length(max = 20))]
    #[schemars(extend("x-label" = "Attachments"))]
    attachments: Option<Vec<String>>,
    /// Its mailbox, by name.
    #[schemars(extend("x-label" = "Mailbox"))]
    mailbox: Option<String>,
    /// The id of the draft that is sent; it is removed afterwards.
    #[schemars(extend("x-label" = "Draft"))]
    draft: Option<String>,
}

impl Answer {
    async fn outgoing(self, ctx: &dyn ToolContext) -> Result<Outgoing, ToolError> {
        let (account, _) = message(ctx.config(), &self.id, self.mailbox.as_deref())?;
        account.check_sending()?;
        let files = self.attachments.unwrap_or_default();
        let all = self.all.unwrap_or_default();
        let mut outgoing = Outgoing::reply(ctx, &self.id, &self.text, all, files).await?;
        outgoing.check(ctx).await?;
        outgoing.replaced = OldDraft::find(ctx, &outgoing.account, "draft", self.draft.as_deref()).await?;
        Ok(outgoing)
    }
}

#[async_trait]
impl NativeTool for Reply {
    type Args = Answer;
    const ID: &'static str = "reply";
    const EFFECT: Effect = Effect::Send;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];
    const TIME_LIMIT: Option<Duration> = Some(TIME_LIMIT);
    const PREVIEWS: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Answers a mail, with it quoted below; the user sees it first.")
            .use_when("the user wants a mail answered")
            .not_when("the mail is no answer", "mail.send")
            .example("Reply to Noor that noon is fine")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(sending_hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    fn question(&self, args: &Value, _: &Value) -> Option<String> {
        let all = args["all"].as_bool() == Some(true);
        Some(if all { "Send 1 reply to all?" } else { "Send 1 reply?" }.into())
    }

    async fn preview(&self, answer: Answer, ctx: Arc<dyn ToolContext>) -> Result<Option<Preview>, ToolError> {
        answer.outgoing(ctx.as_ref()).await?.preview(ctx.as_ref()).await.map(Some)
    }

    async fn run(&self, answer: Answer, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let outgoing = answer.outgoing(ctx.as_ref()).await?;
        outgoing.check_shown(ctx.as_ref())?;
        Ok(Output::new(sent_once::send(ctx.as_ref(), &outgoing).await?).into())
    }
}
