use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Preview, ToolContext, ToolError, ToolOutput, Value,
    async_trait, schemars,
};
use serde::Deserialize;

use crate::accounts::{hosts, unavailable};
use crate::changing::{Change, change, count, preview};

pub(crate) struct Archive;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Moves messages to the archive."))]
pub(crate) struct Which {
    /// Ids of messages, as mail.list or mail.search returns them; of any mailboxes.
    #[schemars(length(min = 1, max = 100))]
    #[schemars(extend("x-label" = "Messages"))]
    ids: Vec<String>,
    /// Their mailbox, by name.
    #[schemars(extend("x-label" = "Mailbox"))]
    mailbox: Option<String>,
}

#[async_trait]
impl NativeTool for Archive {
    type Args = Which;
    const ID: &'static str = "archive";
    const EFFECT: Effect = Effect::External;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];
    const PREVIEWS: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Moves mails to the archive of their mailbox.")
            .use_when("the user wants mails archived, or out of the inbox and kept")
            .not_when("they are to go to a certain folder", "mail.move")
            .example("Archive the mails from Fernhill")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    fn question(&self, args: &Value, _: &Value) -> Option<String> {
        Some(format!("Archive {}?", count(args)))
    }

    async fn preview(&self, args: Which, ctx: Arc<dyn ToolContext>) -> Result<Option<Preview>, ToolError> {
        preview(ctx.as_ref(), &args.ids, args.mailbox.as_deref(), &Change::Archive).await
    }

    async fn run(&self, args: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        change(ctx.as_ref(), &args.ids, args.mailbox.as_deref(), &Change::Archive).await
    }
}
