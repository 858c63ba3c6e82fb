use std::sync::Arc;

use nova_mail::Picture;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::accounts::{hosts, message, unavailable};
use crate::bodies;
use crate::opened::{Opened, told};

/// A picture that is attached to a message, as a `data:` URI.
pub(crate) struct ShowAttachment;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Which {
    /// The id of the message.
    id: String,
    /// The place of the attachment in `mail.show`, from 0.
    at: usize,
}

/// The most bytes of a picture that are fetched.
const FETCHED: u64 = Picture::MOST_BYTES as u64;

#[async_trait]
impl NativeTool for ShowAttachment {
    type Args = Which;
    const ID: &'static str = "show_attachment";
    const EFFECT: Effect = Effect::Read;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];

    fn description(&self) -> Description {
        Description::purpose("Shows a picture that is attached to a mail.")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let (account, id) = message(ctx.config(), &which.id, None)?;
        let mut opened = Opened::new(ctx.as_ref(), account.clone()).await?;
        let bytes = async {
            let fetched = bodies::fetch(&mut opened, &id).await?;
            opened.mailbox.fetch_part(&id, &fetched, which.at, FETCHED).await
        };
        let bytes = bytes.await.map_err(|error| told(&account, &error));
        opened.close().await;
        let picture = Picture::read(bytes?).map_err(|error| {
            ToolError::failed(
                format!("The attachment is not shown: {error}."),
                "Save it to the vault instead.",
            )
        })?;
        Ok(Output::new(json!({"picture": picture.data_uri()})).untrusted().into())
    }
}
