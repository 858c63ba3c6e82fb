//! Watches the folders of tool files, including folders that are created or replaced later.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use file_id::FileId;
use notify::event::ModifyKind;
use notify::{EventKind, RecursiveMode, Watcher as _};
use tokio::sync::mpsc::UnboundedSender;

pub(super) struct Watch {
    watcher: notify::RecommendedWatcher,
    /// Watched folders with their file id at that time.
    watched: BTreeMap<PathBuf, FileId>,
    /// Folders that were created, moved or deleted: a new one may reuse the old file id.
    doubtful: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Watch {
    /// Sends the path of every change.
    pub(super) fn new(changed: UnboundedSender<PathBuf>) -> notify::Result<Self> {
        let doubtful: Arc<Mutex<BTreeSet<PathBuf>>> = Arc::default();
        let seen = doubtful.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else {
                // For instance an overflow: the changes are unknown, so everything is checked.
                let _ = changed.send(PathBuf::new());
                return;
            };
            if event.kind.is_access() {
                return;
            }
            let replaces = matches!(
                event.kind,
                EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
            );
            if replaces {
                seen.lock().unwrap_or_else(PoisonError::into_inner).extend(event.paths.iter().cloned());
            }
            for path in event.paths {
                let _ = changed.send(path);
            }
        })?;
        Ok(Self { watcher, watched: BTreeMap::new(), doubtful })
    }

    /// Watches those of these folders that exist, and no others. Returns whether a folder is newly watched:
    /// earlier changes in it may have been missed.
    pub(super) fn follow(&mut self, folders: &BTreeSet<PathBuf>) -> bool {
        let doubtful = std::mem::take(&mut *self.doubtful.lock().unwrap_or_else(PoisonError::into_inner));
        let stale: Vec<PathBuf> = self
            .watched
            .iter()
            .filter(|(path, id)| {
                !folders.contains(*path) || doubtful.contains(*path) || identity(path).as_ref() != Some(*id)
            })
            .map(|(path, _)| path.clone())
            .collect();
        for path in stale {
            self.watched.remove(&path);
            // Fails if the folder was deleted together with its watch.
            let _ = self.watcher.unwatch(&path);
        }
        let mut anew = false;
        for path in folders {
            if self.watched.contains_key(path) {
                continue;
            }
            let Some(id) = identity(path) else { continue };
            match self.watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(path.clone(), id);
                    anew = true;
                }
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "cannot watch a folder of tools");
                }
            }
        }
        anew
    }
}

fn identity(path: &Path) -> Option<FileId> {
    if path.is_dir() { file_id::get_file_id(path).ok() } else { None }
}
