use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Preview, ToolContext, ToolError, ToolOutput, Value,
    async_trait, schemars,
};
use serde::Deserialize;

use crate::accounts::{hosts, unavailable};
use crate::changing::{Change, change, count, preview};

pub(crate) struct Move;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Moves messages to a folder."))]
pub(crate) struct Which {
    /// Ids of messages, as mail.list or mail.search returns them; of any mailboxes.
    #[schemars(length(min = 1, max = 100))]
    #[schemars(extend("x-label" = "Messages"))]
    ids: Vec<String>,
    /// The target folder, by name or role: inbox, archive, junk, trash.
    #[schemars(length(min = 1, max = 200))]
    #[schemars(extend("x-label" = "To"))]
    to: String,
    /// Their mailbox, by name.
    #[schemars(extend("x-label" = "Mailbox"))]
    mailbox: Option<String>,
}

#[async_trait]
impl NativeTool for Move {
    type Args = Which;
    const ID: &'static str = "move";
    const EFFECT: Effect = Effect::External;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];
    const PREVIEWS: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Moves mails to another folder of their mailbox.")
            .use_when("the user wants mails in another folder, or back in the inbox")
            .not_when("they are to be archived", "mail.archive")
            .example("Move the newsletters to the folder Reading")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    fn question(&self, args: &Value, _: &Value) -> Option<String> {
        Some(format!("Move {} to {}?", count(args), args["to"].as_str()?))
    }

    async fn preview(&self, args: Which, ctx: Arc<dyn ToolContext>) -> Result<Option<Preview>, ToolError> {
        preview(ctx.as_ref(), &args.ids, args.mailbox.as_deref(), &Change::Move(args.to)).await
    }

    async fn run(&self, args: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        change(ctx.as_ref(), &args.ids, args.mailbox.as_deref(), &Change::Move(args.to)).await
    }
}
