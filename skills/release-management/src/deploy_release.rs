use std::sync::Arc;
use std::time::Duration;

use nova_skill::{
    CommandInput, ConfiguredCommand, Description, Effect, JsonSchema, NativeTool, ToolContext, ToolError,
    ToolOutput, Value, async_trait, schemars,
};
use serde::Deserialize;

/// Of `deploy_command` and the keys beside it.
const COMMAND: &str = "deploy";

pub(crate) struct DeployRelease;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Runs your deploy command."))]
pub(crate) struct Release {
    /// The version, passed to the command as NOVA_VERSION.
    #[schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$"))]
    #[schemars(extend("x-label" = "Version"))]
    version: String,
}

#[async_trait]
impl NativeTool for DeployRelease {
    type Args = Release;
    const ID: &'static str = "deploy_release";
    const EFFECT: Effect = Effect::Destructive;
    const TIME_LIMIT: Option<Duration> = Some(ConfiguredCommand::TIME_LIMIT);
    const RUNS_CONFIGURED: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Deploys a version with the command that the user configured.")
            .use_when("the user says to deploy, and the release is a go")
            .example("Deploy 2.4 now")
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        ConfiguredCommand::missing(config, "release-management", COMMAND)
    }

    fn question(&self, args: &Value, config: &Value) -> Option<String> {
        let command = ConfiguredCommand::of(config, COMMAND)?;
        let version = args.get("version").and_then(Value::as_str).unwrap_or_default();
        Some(format!("Deploy {version} by running {} in {}?", command.shown(), command.folder))
    }

    async fn run(&self, release: Release, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let variables = vec![("NOVA_VERSION".to_owned(), release.version)];
        Ok(ConfiguredCommand::run(COMMAND, CommandInput { variables, ..CommandInput::default() }, ctx))
    }
}
