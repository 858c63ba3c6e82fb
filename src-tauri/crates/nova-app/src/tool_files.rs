//! Tools that are files, as they come and go while Nova runs.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use nova_protocol::Event;

use crate::app::{App, Inner};

impl App {
    /// Reads the folders of tools again and waits until every file is loaded or has failed to, at
    /// most that long. The command line does so at its start; the window does not wait.
    pub async fn tools_loaded(&self, at_most: Duration) {
        if tokio::time::timeout(at_most, self.inner.tool_files.refresh()).await.is_err() {
            tracing::warn!("some tools are still being read after {} s", at_most.as_secs());
        }
        self.inner.reload_registry();
    }

    /// Takes up what sources of skills say of themselves, as long as the app is there.
    pub(crate) fn follow_sources(&self) {
        self.at_each(self.inner.registry.changes(), Inner::reload_registry);
        self.at_each(self.inner.tool_files.pending_changes(), |inner| {
            inner.emit(Event::PendingToolsChanged {});
        });
    }

    fn at_each(&self, mut items: BoxStream<'static, ()>, act: fn(&Arc<Inner>)) {
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            while items.next().await.is_some() {
                let Some(inner) = inner.upgrade() else { return };
                act(&inner);
            }
        });
    }
}
