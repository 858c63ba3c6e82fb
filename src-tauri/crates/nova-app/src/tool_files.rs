//! Loading and watching of tool files.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use nova_protocol::Event;
use nova_registry::{State, canonical};

use crate::app::{App, Inner};

impl App {
    /// Reloads the tool folders and waits until every file is loaded or has failed, with a timeout. For the
    /// command line; the window does not wait. Returns what is still loading, as `skill.tool`; it becomes
    /// available when ready.
    pub async fn tools_loaded(&self, at_most: Duration) -> Vec<String> {
        let files = self.inner.tool_files.refresh();
        let servers = self.inner.mcp.ready(None, at_most);
        let _ = tokio::join!(tokio::time::timeout(at_most, files), servers);
        self.inner.reload_registry();
        self.being_read(|_| true)
    }

    /// Like [`App::tools_loaded`], but waits only for the skill of this tool (`skill.tool` or its wire name).
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

    /// Applies changes reported by the sources of skills, for as long as the app exists.
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
