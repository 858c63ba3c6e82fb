//! External changes: notes, settings and tool files.

use std::sync::PoisonError;

use notify::{RecursiveMode, Watcher as _};
use nova_protocol::{Event, VaultChangeAuthor, VaultChangeKind};
use nova_vault::{By, Privacy, VaultChange};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::app::App;

impl App {
    /// Watches the vault, the configuration and tool files, and emits changes as events. For long-running
    /// programs.
    pub fn watch(&self) {
        self.restart_feed();
        self.watch_settings();
        self.watch_credentials();
        self.inner.tool_files.watch();
        self.notify_absent_user();
        self.remind();
    }

    /// Watches the currently open vault only.
    pub(crate) fn restart_feed(&self) {
        let stop = CancellationToken::new();
        {
            let mut feed = self.inner.feed.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(before) = feed.replace(stop.clone()) {
                before.cancel();
            }
        }
        self.watch_presence(stop.clone());
        let Ok(vault) = self.vault() else { return };
        let app = self.clone();
        let mut changes = vault.changes();
        tokio::spawn(async move {
            loop {
                let change = tokio::select! {
                    () = stop.cancelled() => return,
                    change = changes.recv() => change,
                };
                match change {
                    Ok(change) => app.note_changed(&change),
                    Err(RecvError::Lagged(missed)) => {
                        tracing::warn!(missed, "lagged behind changes of notes");
                    }
                    Err(RecvError::Closed) => return,
                }
            }
        });
    }

    fn note_changed(&self, change: &VaultChange) {
        let summary = (!change.summary.is_empty()).then(|| change.summary.join(", "));
        let by = match &change.by {
            By::Outside => VaultChangeAuthor::OUTSIDE,
            By::ChangeSet { change_set, principal, skill } => VaultChangeAuthor::Nova {
                change_set: change_set.clone(),
                principal: principal.clone(),
                skill: skill.clone(),
            },
        };
        let outside = by == VaultChangeAuthor::OUTSIDE;
        self.emit(Event::VaultChanged {
            kind: match change.kind {
                nova_vault::VaultChangeKind::Created => VaultChangeKind::Created,
                nova_vault::VaultChangeKind::Modified => VaultChangeKind::Modified,
                nova_vault::VaultChangeKind::Removed => VaultChangeKind::Removed,
                nova_vault::VaultChangeKind::Renamed => VaultChangeKind::Renamed,
            },
            path: change.path.to_string(),
            from: change.from.as_ref().map(ToString::to_string),
            by,
            summary: summary.clone(),
        });
        if outside {
            self.notify_chats(change, summary);
        }
    }

    /// Notifies chats whose model has seen the note under its current or previous name. Private contents of
    /// the change are omitted: the note may have become private since, and a chat's next model may be another
    /// one.
    fn notify_chats(&self, change: &VaultChange, summary: Option<String>) {
        let privacy = Privacy { remote: true, private: self.private() };
        let is_private = change.private || privacy.lists(&change.path);
        let summary = summary.filter(|_| !is_private);
        let now = (!is_private).then(|| format!("now {}", change.path));
        let moved = change.from.clone().map(|from| (from, now));
        let reports: Vec<_> = [(change.path.clone(), summary)].into_iter().chain(moved).collect();
        let chats: Vec<_> = self.chats().values().cloned().collect();
        let inner = &self.inner;
        for chat in chats {
            for (path, summary) in reports.clone() {
                let clock = inner.options.clock.clone();
                chat.session.note_changed(&path, summary, &inner.store, clock, inner.clone());
            }
        }
    }

    fn watch_settings(&self) {
        let folder = self.places().config.clone();
        if let Err(error) = std::fs::create_dir_all(&folder) {
            tracing::warn!(path = %folder.display(), %error, "cannot watch the settings");
            return;
        }
        let (changed, mut changes) = tokio::sync::mpsc::unbounded_channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let concerns = |event: notify::Event| {
                !event.kind.is_access()
                    && event.paths.iter().any(|path| {
                        path.file_name()
                            .is_some_and(|name| name == "nova.config.json" || name == "permissions.yaml")
                    })
            };
            if event.is_ok_and(concerns) {
                let _ = changed.send(());
            }
        });
        let watching = watcher.and_then(|mut watcher| {
            watcher.watch(&folder, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        match watching {
            Ok(watcher) => {
                *self.inner.config_watch.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher);
            }
            Err(error) => tracing::warn!(%error, "cannot watch the settings"),
        }
        let app = self.clone();
        tokio::spawn(async move {
            while changes.recv().await.is_some() {
                while changes.try_recv().is_ok() {}
                app.reload_settings();
                app.follow_configured_vault().await;
            }
        });
    }
}
