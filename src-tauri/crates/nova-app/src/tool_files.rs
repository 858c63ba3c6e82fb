//! Tools that are files, as they come and go while Nova runs.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use nova_protocol::Event;
use nova_registry::{State, canonical};

use crate::app::{App, Inner};

impl App {
    /// Reads the folders of tools again and waits until every file is loaded or has failed to, at
    /// most that long. The command line does so at its start; the window does not wait. What is
    /// still being read after that, `skill.tool` each, is loaded anyway when it is ready.
    pub async fn tools_loaded(&self, at_most: Duration) -> Vec<String> {
        let files = self.inner.tool_files.refresh();
        let servers = self.inner.mcp.ready(None, at_most);
        let _ = tokio::join!(tokio::time::timeout(at_most, files), servers);
        self.inner.reload_registry();
        self.being_read(|_| true)
    }

    /// The same for one call: waits for the skill of that tool (`skill.tool` or its wire name) alone.
    pub async fn tool_loaded(&self, tool: &str, at_most: Duration) -> Vec<String> {
        let Some((skill, _)) = tool.split_once("__").or_else(|| tool.split_once('.')) else {
            return self.tools_loaded(at_most).await;
        };
        let files = self.inner.tool_files.refresh_skill(skill);
        let servers = self.inner.mcp.ready(Some(skill), at_most);
        let _ = tokio::join!(tokio::time::timeout(at_most, files), servers);
        self.inner.reload_registry();
        self.being_read(|id| canonical(id) == canonical(skill))
    }

    fn being_read(&self, of: impl Fn(&str) -> bool) -> Vec<String> {
        let snapshot = self.inner.registry.snapshot();
        let skills = snapshot.skills().iter().filter(|skill| of(&skill.id));
        let tools = skills.flat_map(|skill| skill.tools.iter().chain(&skill.tools_not_ready));
        tools.filter(|tool| tool.state == State::Starting).map(|tool| tool.shown_name()).collect()
    }

    /// Takes up what sources of skills say of themselves, as long as the app is there.
    pub(crate) fn follow_sources(&self) {
        self.at_each(self.inner.registry.changes(), Inner::reload_registry);
        self.at_each(self.inner.mcp.source().changes(), Inner::servers_changed);
        self.at_each(self.inner.tool_files.pending_changes(), |inner| {
            inner.events.emit(Event::PendingToolsChanged {});
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
