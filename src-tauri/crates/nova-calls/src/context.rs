use std::sync::Arc;

use nova_skill::{
    Clock, Credentials, Delegate, GivenFile, GivenFiles, LogLevel, OutputPart, Progress, RecordTypes,
    RequestInfo, ToolCache, ToolCalls, ToolContext, ToolFiles, ToolHttp, ToolProcess, ToolStore, ToolUser,
    ToolVault,
};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::credentials::CallCredentials;
use crate::delegate::CallDelegate;
use crate::draft_vault::DraftVault;
use crate::elicitations::CallUser;
use crate::files::CallFiles;
use crate::log::CallLog;
use crate::process::CallProcess;
use crate::reach::CallHttp;
use crate::refused::Refused;
use crate::run::inner::InnerCalls;
use crate::secrets::Secrets;

/// The context of one running tool.
pub(crate) struct CallContext {
    pub(crate) vault: DraftVault,
    pub(crate) files: CallFiles,
    pub(crate) http: CallHttp,
    pub(crate) process: CallProcess,
    pub(crate) credentials: CallCredentials,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) given: Arc<dyn GivenFiles>,
    pub(crate) store: Box<dyn ToolStore>,
    pub(crate) cache: Box<dyn ToolCache>,
    /// `Some` for tools that declare it.
    pub(crate) delegate: Option<CallDelegate>,
    pub(crate) user: CallUser,
    /// `Some` for tools that may call others.
    pub(crate) tools: Option<InnerCalls>,
    pub(crate) request: RequestInfo,
    pub(crate) records: Arc<RecordTypes>,
    pub(crate) config: Arc<Value>,
    /// The digest of the preview that the user was shown.
    pub(crate) shown: Option<String>,
    pub(crate) cancel: CancellationToken,
    /// Receives the tool's output while it runs, to be judged before it is emitted.
    pub(crate) says: UnboundedSender<OutputPart>,
    pub(crate) secrets: Arc<Secrets>,
    pub(crate) log: Arc<CallLog>,
}

impl ToolContext for CallContext {
    fn vault(&self) -> &dyn ToolVault {
        &self.vault
    }

    fn files(&self) -> &dyn ToolFiles {
        &self.files
    }

    fn http(&self) -> &dyn ToolHttp {
        &self.http
    }

    fn credentials(&self) -> &dyn Credentials {
        &self.credentials
    }

    fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    fn given_file(&self, name: &str) -> Option<Arc<GivenFile>> {
        self.given.get(name)
    }

    fn store(&self) -> &dyn ToolStore {
        self.store.as_ref()
    }

    fn cache(&self) -> &dyn ToolCache {
        self.cache.as_ref()
    }

    fn process(&self) -> &dyn ToolProcess {
        &self.process
    }

    fn delegate(&self) -> &dyn Delegate {
        match &self.delegate {
            Some(delegate) => delegate,
            None => &Refused,
        }
    }

    fn tools(&self) -> &dyn ToolCalls {
        match &self.tools {
            Some(tools) => tools,
            None => &(),
        }
    }

    fn user(&self) -> &dyn ToolUser {
        &self.user
    }

    fn request(&self) -> &RequestInfo {
        &self.request
    }

    fn records(&self) -> &RecordTypes {
        &self.records
    }

    fn config(&self) -> &Value {
        &self.config
    }

    fn shown(&self) -> Option<&str> {
        self.shown.as_deref()
    }

    fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    fn progress(&self, progress: Progress) {
        // After the end of the call, nobody listens.
        let _ = self.says.send(OutputPart::Progress(progress));
    }

    fn log(&self, level: LogLevel, message: &str) {
        let call = &self.request.call;
        let mut message = message.to_owned();
        self.secrets.scrub(&mut message);
        self.log.add(level, &message);
        match level {
            LogLevel::Debug => tracing::debug!(%call, "{message}"),
            LogLevel::Info => tracing::info!(%call, "{message}"),
            LogLevel::Warn => tracing::warn!(%call, "{message}"),
            LogLevel::Error => tracing::error!(%call, "{message}"),
        }
    }
}
