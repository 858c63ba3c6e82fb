use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Preview, ToolContext, ToolError, ToolOutput, Value,
    async_trait, schemars,
};
use serde::Deserialize;

use crate::accounts::{hosts, unavailable};
use crate::changing::{Change, change, count, preview};

pub(crate) struct Delete;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Moves messages to the trash."))]
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
impl NativeTool for Delete {
    type Args = Which;
    const ID: &'static str = "delete";
    const EFFECT: Effect = Effect::External;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];
    const PREVIEWS: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Moves mails to the trash of their mailbox; none is deleted for good.")
            .use_when("the user wants mails deleted or thrown away")
            .not_when("they are to be kept out of the inbox", "mail.archive")
            .example("Delete the mail about the lottery")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    fn question(&self, args: &Value, _: &Value) -> Option<String> {
        Some(format!("Move {} to the trash?", count(args)))
    }

    async fn preview(&self, args: Which, ctx: Arc<dyn ToolContext>) -> Result<Option<Preview>, ToolError> {
        preview(ctx.as_ref(), &args.ids, args.mailbox.as_deref(), &Change::Delete).await
    }

    async fn run(&self, args: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        change(ctx.as_ref(), &args.ids, args.mailbox.as_deref(), &Change::Delete).await
    }
}
