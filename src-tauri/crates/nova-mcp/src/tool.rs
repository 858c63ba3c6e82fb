use std::sync::{Arc, Weak};

use nova_calls::Secrets;
use nova_registry::LoadedTool;
use nova_skill::{
    CallToken, Description, Effect, Elicited, Output, Progress, Tool, ToolContext, ToolError, ToolOutput,
    ToolSpec, Value, async_trait,
};
use rmcp::model::ProgressNotificationParam;
use tokio::sync::mpsc;

use crate::asking::{Asked, elicitation, result};
use crate::config::ServerConfig;
use crate::connection::{Connection, PROGRESS_TIMEOUT_FACTOR, ProgressListener, sentence};
use crate::definition::{Definition, Kind};
use crate::limits;
use crate::media::Media;
use crate::output::output;
use crate::resources;
use crate::trouble::Trouble;

/// The server of a tool, as seen by a call.
#[async_trait]
pub(crate) trait Called: Send + Sync {
    fn config(&self) -> &ServerConfig;
    fn secrets(&self) -> &Secrets;
    fn media(&self) -> &Media;
    /// The live connection; starts the server if necessary. A failed start is not retried before its back-off
    /// ends.
    async fn connection(self: Arc<Self>) -> Result<Arc<Connection>, Trouble>;
    /// A call succeeded: resets the failure count.
    fn call_succeeded(&self);
    fn call_failed(&self, trouble: &Trouble);
}

/// A tool of a server.
pub(crate) struct McpTool {
    spec: ToolSpec,
    definition: Definition,
    /// Weak, so that a retained tool does not keep the server running.
    server: Weak<dyn Called>,
    server_name: String,
}

impl McpTool {
    pub(crate) fn loaded(server: Arc<dyn Called>, definition: &Definition) -> LoadedTool {
        let spec = Self::spec_of(server.config(), definition);
        let tool: Arc<dyn Tool> = Arc::new(Self {
            spec,
            definition: definition.clone(),
            server: Arc::downgrade(&server),
            server_name: server.config().name.clone(),
        });
        tool.into()
    }

    fn spec_of(config: &ServerConfig, definition: &Definition) -> ToolSpec {
        // The server's own claims are not trusted; the user can configure the effect.
        let effect = config.tools.effects.get(&definition.name).copied().unwrap_or(Effect::Undeclared);
        let description = Description::purpose(definition.description_for_model(&config.name));
        ToolSpec {
            time_limit: Some(config.startup_timeout + config.timeout * (PROGRESS_TIMEOUT_FACTOR + 1)),
            nonblocking: true,
            ..ToolSpec::new(definition.name.clone(), description, definition.schema(), effect)
        }
    }

    /// Whether a tool built from this definition would be identical.
    pub(crate) fn is_of(tool: &LoadedTool, config: &ServerConfig, definition: &Definition) -> bool {
        match tool {
            LoadedTool::Ready { tool, .. } => *tool.spec() == Self::spec_of(config, definition),
            LoadedTool::NotReady { .. } => false,
        }
    }
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Dropping the future cancels the call at the server.
    async fn run(
        &self,
        _token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let gone = || ToolError::failed(format!("{} is gone.", self.server_name), "Use another tool.");
        let server = self.server.upgrade().ok_or_else(gone)?;
        let (asks, asked) = mpsc::channel(limits::QUESTIONS);
        let calling = async {
            let connection = server.clone().connection().await?;
            let on_progress = |notification| ctx.progress(progress(&notification));
            ask(&connection, &self.definition, args, server.as_ref(), &asks, &on_progress).await
        };
        let result = tokio::select! {
            result = calling => result,
            refused = self.answer_questions(asked, ctx.as_ref()) => return Err(refused),
        };
        let result = result.map_err(|mut trouble| {
            server.secrets().scrub(&mut trouble.what);
            server.call_failed(&trouble);
            trouble
        })?;
        server.call_succeeded();
        result.map(ToolOutput::from)
    }
}

impl McpTool {
    /// Forwards the server's questions to the user; returns when the call must end.
    async fn answer_questions(&self, mut asked: mpsc::Receiver<Asked>, ctx: &dyn ToolContext) -> ToolError {
        while let Some(question) = asked.recv().await {
            if let Err(refused) = self.ask_user(question, ctx).await {
                return refused;
            }
        }
        std::future::pending().await
    }

    async fn ask_user(&self, asked: Asked, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        let Asked { params, mut answer } = asked;
        let elicitation = match elicitation(&self.server_name, params) {
            Ok(elicitation) => elicitation,
            Err(refused) => {
                ctx.progress(Progress { fraction: None, message: Some(refused) });
                let _ = answer.send(result(Elicited::Declined));
                return Ok(());
            }
        };
        let elicited = tokio::select! {
            elicited = ctx.user().ask(&elicitation) => elicited?,
            // The server withdrew the question.
            () = answer.closed() => return Ok(()),
        };
        let _ = answer.send(result(elicited));
        Ok(())
    }
}

fn progress(notification: &ProgressNotificationParam) -> Progress {
    let whole = notification.total.filter(|total| total.is_finite() && *total > 0.0);
    Progress {
        fraction: whole
            .map(|total| (notification.progress / total).clamp(0.0, 1.0))
            .filter(|part| part.is_finite()),
        message: notification.message.as_deref().map(sentence),
    }
}

/// Sends the request for this kind of tool.
async fn ask(
    connection: &Arc<Connection>,
    definition: &Definition,
    args: Value,
    server: &dyn Called,
    asks: &mpsc::Sender<Asked>,
    on_progress: &ProgressListener<'_>,
) -> Result<Result<Output, ToolError>, Trouble> {
    let (name, limit) = (&server.config().name, server.config().timeout);
    match (definition.kind, args["uri"].as_str()) {
        (Kind::Tool, _) => {
            let args = args.as_object().cloned();
            let result = connection.call(&definition.name, args, limit, asks, on_progress).await?;
            Ok(output(name, result, definition.output.as_ref(), server.media()))
        }
        (Kind::Resources, Some(uri)) => {
            let read = connection.read_resource(uri, limit, asks, on_progress).await?;
            connection.follow(uri, limit);
            Ok(resources::output(&read, server.media()))
        }
        (Kind::Resources, None) => {
            let list = connection.list_resources(limit).await?;
            Ok(Ok(Output::new(list).untrusted()))
        }
    }
}
