//! The commands of one call, in the sandbox that its card shows.

use std::sync::Arc;

use async_trait::async_trait;
use nova_skill::{
    CommandInput, CommandProxy, ConfiguredCommand, NetworkLog, OpenedNotes, ProcessNews, ProcessOutput,
    ProcessRun, ProcessSoFar, SaidSoFar, Sandbox, SandboxSource, ToolError, ToolProcess, ToolVault as _,
    UserRun, Value, VaultError,
};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use crate::draft_vault::DraftVault;
use crate::refused::refused;
use crate::secrets::Secrets;

pub(crate) struct CallProcess {
    /// `None` for a tool that does not run commands.
    pub(crate) sandbox: Option<Arc<dyn Sandbox>>,
    /// `None` if the call names no host.
    pub(crate) proxy: Option<Arc<dyn CommandProxy>>,
    /// `None` for a tool that runs no configured command.
    pub(crate) configured: Option<Configured>,
    pub(crate) vault: DraftVault,
    pub(crate) call: String,
    pub(crate) cancel: CancellationToken,
}

/// The commands that the user configured for a call's skill.
pub(crate) struct Configured {
    pub(crate) source: Arc<dyn SandboxSource>,
    pub(crate) chat: Option<String>,
    pub(crate) config: Arc<Value>,
    pub(crate) secrets: Arc<Secrets>,
}

#[async_trait]
impl ToolProcess for CallProcess {
    async fn run(&self, run: ProcessRun, so_far: ProcessSoFar) -> Result<ProcessOutput, ToolError> {
        let Some(sandbox) = &self.sandbox else {
            let program = run.command.first().map(String::as_str).unwrap_or_default();
            return refused(
                &format!("This skill may not start \"{program}\"."),
                "Only native skills that request it start processes.",
            );
        };
        let proxy = self.proxy.clone();
        self.with_updates(so_far, |on_news| sandbox.run(run, &self.call, on_news, proxy, &self.cancel)).await
    }

    async fn run_configured(
        &self,
        name: &str,
        input: CommandInput,
        so_far: ProcessSoFar,
    ) -> Result<ProcessOutput, ToolError> {
        let Some(Configured { source, chat, config, secrets }) = &self.configured else {
            return refused("This tool may not run a configured command.", "Report it to the tool's author.");
        };
        let Some(command) = ConfiguredCommand::of(config, name) else {
            return refused(&format!("{name}_command is not set."), "Set it in the skill's configuration.");
        };
        let mut environment = Vec::new();
        for name in &command.environment {
            let value = source.variable(name).ok_or_else(|| {
                ToolError::failed(
                    format!("The command did not run: {name} is not set in Nova's environment."),
                    "Start Nova with it, or remove it from the skill's configuration.",
                )
            })?;
            secrets.add(&value);
            environment.push((name.clone(), value));
        }
        let (chat, call) = (chat.clone(), self.call.clone());
        let run = UserRun { chat, call, command, input, environment };
        self.with_updates(so_far, |on_news| source.run_as_user(run, on_news, &self.cancel)).await
    }
}

type Hear = Box<dyn Fn(ProcessNews) + Send + Sync>;

impl CallProcess {
    /// Runs a command and forwards news about it.
    async fn with_updates<R>(
        &self,
        so_far: ProcessSoFar,
        run: impl FnOnce(Hear) -> R,
    ) -> Result<ProcessOutput, ToolError>
    where
        R: Future<Output = Result<ProcessOutput, ToolError>>,
    {
        let (sender, mut updates) = unbounded_channel();
        let running = run(Box::new(move |news| {
            // After the end of the call, nobody listens.
            let _ = sender.send(news);
        }));
        tokio::pin!(running);
        let mut so_far = SoFar { said: SaidSoFar::default(), tell: so_far };
        let ended = loop {
            tokio::select! {
                biased;
                Some(news) = updates.recv() => self.on_news(news, &mut so_far).await?,
                ended = &mut running => break ended,
            }
        };
        while let Ok(news) = updates.try_recv() {
            self.on_news(news, &mut so_far).await?;
        }
        ended.map(|output| ProcessOutput { network: self.network(), ..output })
    }

    /// A command may print the files it opened, so these notes count as read before any output is shown.
    async fn on_news(&self, news: ProcessNews, so_far: &mut SoFar) -> Result<(), ToolError> {
        let opened = match news.opened {
            OpenedNotes::These(notes) => notes,
            OpenedNotes::Any => self.vault.paths().await?,
        };
        for note in opened {
            // Any other error is about a deleted note, or a file that is no note. The text of a private one
            // was released before the user made it private, and goes no further.
            if let Err(ToolError::Vault(error @ VaultError::Private { .. })) = self.vault.read(&note).await {
                return Err(error.into());
            }
        }
        let network = self.network();
        if news.said.is_some() || network != so_far.said.network {
            let said = news.said.unwrap_or_else(|| so_far.said.clone());
            so_far.said = SaidSoFar { network, ..said };
            (so_far.tell)(&so_far.said);
        }
        Ok(())
    }

    fn network(&self) -> NetworkLog {
        self.proxy.as_ref().map(|proxy| proxy.log()).unwrap_or_default()
    }
}

/// The latest report about a running command.
struct SoFar {
    said: SaidSoFar,
    tell: ProcessSoFar,
}
