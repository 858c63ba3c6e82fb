//! The commands of one call, in the sandbox that its card shows.

use std::sync::Arc;

use async_trait::async_trait;
use nova_skill::{
    OpenedNotes, ProcessNews, ProcessOutput, ProcessRun, ProcessSoFar, Sandbox, ToolError, ToolProcess,
    ToolVault as _, VaultError,
};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use crate::draft_vault::DraftVault;
use crate::refused::refused;

pub(crate) struct CallProcess {
    /// None for a tool that does not run commands.
    pub(crate) sandbox: Option<Arc<dyn Sandbox>>,
    pub(crate) vault: DraftVault,
    pub(crate) call: String,
    pub(crate) cancel: CancellationToken,
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
        let (tells, mut told) = unbounded_channel();
        let hear = move |news| {
            // After its end nobody listens any more.
            let _ = tells.send(news);
        };
        let running = sandbox.run(run, &self.call, Box::new(hear), &self.cancel);
        tokio::pin!(running);
        let ended = loop {
            tokio::select! {
                biased;
                Some(news) = told.recv() => self.hear(news, &so_far).await?,
                ended = &mut running => break ended,
            }
        };
        while let Ok(news) = told.try_recv() {
            self.hear(news, &so_far).await?;
        }
        ended
    }
}

impl CallProcess {
    /// What the command has opened it may say: the notes are this call's reads before any of it is told.
    async fn hear(&self, news: ProcessNews, so_far: &ProcessSoFar) -> Result<(), ToolError> {
        let opened = match news.opened {
            OpenedNotes::These(notes) => notes,
            OpenedNotes::Any => self.vault.paths().await?,
        };
        for note in opened {
            // Any other error is of a note that is gone, or of a file that is no note. The text of a private one was
            // given away before the user took it back, and goes no further.
            if let Err(ToolError::Vault(error @ VaultError::Private { .. })) = self.vault.read(&note).await {
                return Err(error.into());
            }
        }
        if let Some(said) = news.said {
            so_far(&said);
        }
        Ok(())
    }
}
