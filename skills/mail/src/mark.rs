use std::sync::Arc;

use nova_mail::Mark;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Preview, ToolContext, ToolError, ToolOutput, Value,
    async_trait, schemars,
};
use serde::Deserialize;

use crate::accounts::{hosts, unavailable};
use crate::changing::{Change, change, count, preview};

pub(crate) struct MarkAs;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Marks messages as read or flagged."))]
pub(crate) struct Which {
    /// Ids of messages, as mail.list or mail.search returns them; of any mailboxes.
    #[schemars(length(min = 1, max = 100))]
    #[schemars(extend("x-label" = "Messages"))]
    ids: Vec<String>,
    #[schemars(extend("x-label" = "As"))]
    r#as: As,
    /// Their mailbox, by name.
    #[schemars(extend("x-label" = "Mailbox"))]
    mailbox: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum As {
    Read,
    Unread,
    Flagged,
    Unflagged,
}

impl As {
    fn mark(self) -> Mark {
        match self {
            Self::Read => Mark::Read,
            Self::Unread => Mark::Unread,
            Self::Flagged => Mark::Flagged,
            Self::Unflagged => Mark::Unflagged,
        }
    }
}

#[async_trait]
impl NativeTool for MarkAs {
    type Args = Which;
    const ID: &'static str = "mark";
    const EFFECT: Effect = Effect::External;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];
    const PREVIEWS: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Marks mails as read or unread, or flags them.")
            .use_when("the user wants mails marked as read, unread, flagged or no longer flagged")
            .example("Mark the mail from Noor as unread")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    fn question(&self, args: &Value, _: &Value) -> Option<String> {
        Some(format!("Mark {} as {}?", count(args), args["as"].as_str()?))
    }

    async fn preview(&self, args: Which, ctx: Arc<dyn ToolContext>) -> Result<Option<Preview>, ToolError> {
        preview(ctx.as_ref(), &args.ids, args.mailbox.as_deref(), &Change::Mark(args.r#as.mark())).await
    }

    async fn run(&self, args: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        change(ctx.as_ref(), &args.ids, args.mailbox.as_deref(), &Change::Mark(args.r#as.mark())).await
    }
}
