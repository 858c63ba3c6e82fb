use std::sync::Arc;
use std::time::Duration;

use nova_skill::{
    CommandInput, ConfiguredCommand, Description, Effect, JsonSchema, NativeTool, ToolContext, ToolError,
    ToolOutput, Value, async_trait, mail_text, schemars,
};
use serde::Deserialize;

/// Of `send_command` and the keys beside it.
const COMMAND: &str = "send";

pub(crate) struct SendReleaseNotes;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Sends release notes with your send command."))]
pub(crate) struct Mail {
    /// Addresses, such as users@example.org.
    #[schemars(length(min = 1, max = 50))]
    #[schemars(extend("x-label" = "To"))]
    to: Vec<String>,
    /// One line.
    #[schemars(length(min = 1, max = 200))]
    #[schemars(extend("x-label" = "Subject"))]
    subject: String,
    /// Plain text, sent as is.
    #[schemars(length(min = 1, max = 100_000))]
    #[schemars(extend("x-label" = "Text"))]
    text: String,
}

#[async_trait]
impl NativeTool for SendReleaseNotes {
    type Args = Mail;
    const ID: &'static str = "send_release_notes";
    const EFFECT: Effect = Effect::Send;
    const TIME_LIMIT: Option<Duration> = Some(ConfiguredCommand::TIME_LIMIT);
    const RUNS_CONFIGURED: bool = true;

    fn description(&self) -> Description {
        Description::purpose(
            "Sends release notes or an announcement with the command that the user configured.",
        )
        .use_when("the text is written, and the user says to send it")
        .example("Send the release notes to the customers")
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        ConfiguredCommand::missing(config, "release-management", COMMAND)
    }

    fn question(&self, args: &Value, config: &Value) -> Option<String> {
        let command = ConfiguredCommand::of(config, COMMAND)?;
        let to = args.get("to").and_then(Value::as_array).map_or(0, Vec::len);
        let people = if to == 1 { "1 person".to_owned() } else { format!("{to} people") };
        Some(format!("Send this to {people} by running {} in {}?", command.shown(), command.folder))
    }

    async fn run(&self, mail: Mail, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let stdin = mail_text(&mail.to, &mail.subject, &mail.text)?;
        Ok(ConfiguredCommand::run(COMMAND, CommandInput { stdin, ..CommandInput::default() }, ctx))
    }
}
