//! Watches for credentials that another Nova process adds or removes.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use notify::{RecursiveMode, Watcher as _};

use crate::app::App;

/// Files that change with the set of credentials.
const FILES: [&str; 2] = ["credentials.json", "credentials.age"];

impl App {
    /// Reloads when these files change.
    pub(crate) fn watch_credentials(&self) {
        let (changed, mut changes) = tokio::sync::mpsc::unbounded_channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let concerns = |event: notify::Event| {
                !event.kind.is_access()
                    && event.paths.iter().any(|path| {
                        path.file_name().is_some_and(|name| FILES.iter().any(|file| name == *file))
                    })
            };
            if event.is_ok_and(concerns) {
                let _ = changed.send(());
            }
        });
        let watching = watcher.and_then(|mut watcher| {
            watcher.watch(&self.places().data, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        match watching {
            Ok(watcher) => {
                *self.inner.credentials_watch.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher);
            }
            Err(error) => {
                tracing::warn!(%error, "cannot watch the credentials")
            }
        }
        let inner = std::sync::Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            while changes.recv().await.is_some() {
                while changes.try_recv().is_ok() {}
                let Some(inner) = inner.upgrade() else { return };
                // Otherwise nobody has used the credentials yet.
                if inner.credentials_refresh_started.load(Ordering::SeqCst) {
                    inner.refresh_credentials().await;
                }
            }
        });
    }
}
