use std::sync::Arc;

use nova_protocol::Event;
use nova_skill::{
    Clock, Credentials, Delegate, LogLevel, Progress, RecordTypes, RequestInfo, ToolContext, ToolHttp,
    ToolProcess, ToolStore, ToolVault,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::CallEvents;
use crate::credentials::CallCredentials;
use crate::draft_vault::DraftVault;
use crate::reach::CallHttp;
use crate::refused::Refused;
use crate::secrets::Secrets;

/// What one running tool is given.
pub(crate) struct CallContext {
    pub(crate) vault: DraftVault,
    pub(crate) http: CallHttp,
    pub(crate) credentials: CallCredentials,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) request: RequestInfo,
    pub(crate) records: Arc<RecordTypes>,
    pub(crate) config: Arc<Value>,
    pub(crate) cancel: CancellationToken,
    pub(crate) events: Arc<dyn CallEvents>,
    pub(crate) secrets: Arc<Secrets>,
}

impl ToolContext for CallContext {
    fn vault(&self) -> &dyn ToolVault {
        &self.vault
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

    fn store(&self) -> &dyn ToolStore {
        &Refused
    }

    fn process(&self) -> &dyn ToolProcess {
        &Refused
    }

    fn delegate(&self) -> &dyn Delegate {
        &Refused
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

    fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    fn progress(&self, mut progress: Progress) {
        if let Some(message) = &mut progress.message {
            self.secrets.scrub(message);
        }
        self.events.emit(Event::ToolCallProgress {
            call: self.request.call.clone(),
            fraction: progress.fraction,
            message: progress.message,
            partial: None,
        });
    }

    fn log(&self, level: LogLevel, message: &str) {
        let call = &self.request.call;
        let mut message = message.to_owned();
        self.secrets.scrub(&mut message);
        match level {
            LogLevel::Debug => tracing::debug!(%call, "{message}"),
            LogLevel::Info => tracing::info!(%call, "{message}"),
            LogLevel::Warn => tracing::warn!(%call, "{message}"),
            LogLevel::Error => tracing::error!(%call, "{message}"),
        }
    }
}
