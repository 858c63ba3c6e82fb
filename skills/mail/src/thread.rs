use std::collections::HashMap;
use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::accounts::{hosts, message, unavailable};
use crate::opened::{Opened, told};
use crate::row::row;

pub(crate) struct Thread;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists the messages of a conversation."))]
pub(crate) struct Which {
    /// The id of one of its messages, as mail.list or mail.search returns it.
    id: String,
    /// Also how each text begins, whether files are attached, and whether its sender could not be verified.
    preview: Option<bool>,
    /// Its mailbox, by name.
    mailbox: Option<String>,
}

#[async_trait]
impl NativeTool for Thread {
    type Args = Which;
    const ID: &'static str = "thread";
    const EFFECT: Effect = Effect::Read;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];

    fn description(&self) -> Description {
        Description::purpose("Lists the mails of a conversation, oldest first, with the user's own.")
            .use_when("the user asks for the whole thread of a mail, or whether it was answered")
            .not_when("one mail is to be read", "mail.read")
            .example("Show the whole thread of that mail")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let (account, id) = message(ctx.config(), &which.id, which.mailbox.as_deref())?;
        let mut opened = Opened::new(ctx.as_ref(), account.clone()).await?;
        let found = opened.mailbox.thread(&id).await.map_err(|error| told(&account, &error));
        let previews = match &found {
            Ok(found) if which.preview.unwrap_or_default() => opened.previews(&found.messages).await,
            _ => HashMap::new(),
        };
        opened.close().await;
        let found = found?;
        let messages: Value = found
            .messages
            .iter()
            .map(|message| row(ctx.as_ref(), &account, message, previews.get(&message.id)))
            .collect();
        Ok(Output::new(json!({"total": found.total, "messages": messages})).untrusted().into())
    }
}
