use std::sync::Arc;

use nova_protocol::Event;
use nova_skill::{
    Clock, Credentials, Delegate, LogLevel, Progress, RecordTypes, RequestInfo, ToolContext, ToolHttp,
    ToolProcess, ToolStore, ToolVault,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::CallEvents;
use crate::draft_vault::DraftVault;
use crate::refused::Refused;

/// What one running tool is given.
pub(crate) struct CallContext {
    pub(crate) vault: DraftVault,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) request: RequestInfo,
    pub(crate) records: Arc<RecordTypes>,
    pub(crate) config: Arc<Value>,
    pub(crate) cancel: CancellationToken,
    pub(crate) events: Arc<dyn CallEvents>,
}

impl ToolContext for CallContext {
    fn vault(&self) -> &dyn ToolVault {
        &self.vault
    }

    fn http(&self) -> &dyn ToolHttp {
        &Refused
    }

    fn credentials(&self) -> &dyn Credentials {
        &Refused
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

    fn progress(&self, progress: Progress) {
        self.events.emit(Event::ToolCallProgress {
            call: self.request.call.clone(),
            fraction: progress.fraction,
            message: progress.message,
            partial: None,
        });
    }

    fn log(&self, level: LogLevel, message: &str) {
        let call = &self.request.call;
        match level {
            LogLevel::Info => tracing::info!(%call, "{message}"),
            LogLevel::Warn => tracing::warn!(%call, "{message}"),
            LogLevel::Error => tracing::error!(%call, "{message}"),
        }
    }
}
