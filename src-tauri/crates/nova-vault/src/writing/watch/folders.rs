//! Watches every folder that may contain notes.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::coalescer::is_note;
use super::tree::is_absence;
use crate::disk::{self, Disk, Folder, Names};

/// On Linux every folder needs a watch of its own. Adding them here rather than in notify skips
/// dot-folders, and adds each watch before its folder is listed, so that no file is missed in between.
const WATCH_EACH: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// The watched folders.
#[derive(Debug)]
pub(super) struct Folders {
    root: PathBuf,
    watcher: Option<RecommendedWatcher>,
    known: BTreeSet<String>,
    limit: usize,
    remote: RemoteKind,
}

/// The name of a folder's file system if it may change remotely.
pub(super) type RemoteKind = fn(&Folder) -> Option<&'static str>;

/// The result of a walk.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) notes: Vec<String>,
    /// Why a folder could not be watched, if one could not.
    pub(super) refused: Option<String>,
    /// The first folder on such a file system, if any, and the reason.
    pub(super) remote: Option<String>,
}

/// Whether a walk renews existing watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rewatch {
    /// The folder may have been replaced by another of the same name.
    All,
    New,
}

impl Folders {
    /// Folders of `root`, none watched yet; at most `limit` will be.
    pub(super) fn new(root: PathBuf, limit: usize, remote: RemoteKind) -> Self {
        Self { root, watcher: None, known: BTreeSet::new(), limit, remote }
    }

    /// Starts listening; an error is the reason why that is impossible.
    pub(super) fn listen(
        &mut self,
        on_event: impl FnMut(notify::Result<Event>) + Send + 'static,
    ) -> Result<(), String> {
        self.unwatch_all();
        let mut watcher = notify::recommended_watcher(on_event).map_err(|error| refusal(&error))?;
        if !WATCH_EACH {
            watcher.watch(&self.root, RecursiveMode::Recursive).map_err(|error| refusal(&error))?;
        }
        self.watcher = Some(watcher);
        Ok(())
    }

    /// Removes all watches.
    pub(super) fn unwatch_all(&mut self) {
        self.watcher = None;
        self.known.clear();
    }

    /// Number of watched folders.
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }

    /// Lists the notes below a folder (`""` is the root), and watches it and all folders in it, each before
    /// it is listed.
    pub(super) fn walk(&mut self, disk: &Disk, from: &str, rewatch: Rewatch) -> Found {
        let mut found = Found::default();
        let mut waiting = vec![from.to_owned()];
        let mut names = Names::default();
        while let Some(path) = waiting.pop() {
            // A folder that vanished, became a link or is unreadable has no new notes; those known in it
            // are checked one by one. It is opened without following links before it is watched by path,
            // and the opened folder is listed.
            let folder = disk.open_folder(&path);
            if found.refused.is_none() && !folder.as_ref().is_err_and(is_absence) {
                found.refused = self.watch(&path, rewatch).err();
            }
            if found.remote.is_none()
                && let Some(kind) = folder.as_ref().ok().and_then(self.remote)
            {
                found.remote = Some(remote_reason(&path, kind));
            }
            if folder.and_then(|folder| folder.list(&mut names)).is_err() {
                continue;
            }
            for (name, kind) in names.iter() {
                let whole = || if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
                match kind {
                    disk::Kind::Folder => waiting.push(whole()),
                    disk::Kind::Link if path.is_empty() && disk.leads_to_root(name) => waiting.push(whole()),
                    disk::Kind::File if is_note(name) => found.notes.push(whole()),
                    _ => {}
                }
            }
        }
        found.notes.sort();
        found
    }

    /// Removes the watches of a deleted folder and everything in it.
    ///
    /// Must precede the walk of its possible new place: both names share one watch in the kernel, which
    /// this would remove.
    pub(super) fn unwatch(&mut self, path: &str) {
        let below = if path.is_empty() { String::new() } else { format!("{path}/") };
        let mut gone: Vec<String> =
            self.known.range(below.clone()..).take_while(|name| name.starts_with(&below)).cloned().collect();
        gone.extend(self.known.get(path).cloned());
        for name in gone {
            self.known.remove(&name);
            if WATCH_EACH && let Some(watcher) = &mut self.watcher {
                // Mostly the system has already removed it, which is the error here.
                let _ = watcher.unwatch(&self.root.join(name));
            }
        }
    }

    /// Removes watched folders that no longer exist.
    pub(super) fn unwatch_missing(&mut self, disk: &Disk) {
        let gone: Vec<String> = self.known.iter().filter(|path| !disk.is_folder(path)).cloned().collect();
        for path in gone {
            self.unwatch(&path);
        }
    }

    fn watch(&mut self, folder: &str, rewatch: Rewatch) -> Result<(), String> {
        let Some(watcher) = &mut self.watcher else {
            return Ok(());
        };
        if rewatch == Rewatch::New && self.known.contains(folder) {
            return Ok(());
        }
        if !self.known.contains(folder) && self.known.len() >= self.limit {
            return Err(refusal(&notify::Error::new(notify::ErrorKind::MaxFilesWatch)));
        }
        if WATCH_EACH && let Err(error) = watcher.watch(&self.root.join(folder), RecursiveMode::NonRecursive)
        {
            return match &error.kind {
                // Deleted or inaccessible: nothing to watch.
                notify::ErrorKind::PathNotFound => Ok(()),
                notify::ErrorKind::Io(io)
                    if matches!(
                        io.kind(),
                        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied
                    ) =>
                {
                    Ok(())
                }
                _ => Err(refusal(&error)),
            };
        }
        self.known.insert(folder.to_owned());
        Ok(())
    }
}

/// Why events are incomplete.
fn remote_reason(folder: &str, kind: &str) -> String {
    let what = if folder.is_empty() { "the vault".to_owned() } else { format!("the folder \"{folder}\"") };
    format!("{what} is on {kind}, where the system reports only edits made on this machine")
}

/// Too many open files; Linux also returns it when a user has too many inotify instances (128 by default).
const EMFILE: i32 = 24;

fn refusal(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => "the system allows no more watched folders; raise \
             fs.inotify.max_user_watches to see changes at once"
            .to_owned(),
        notify::ErrorKind::Io(io) if WATCH_EACH && io.raw_os_error() == Some(EMFILE) => {
            "too many programs watch files; raise fs.inotify.max_user_instances or close some, \
             to see changes at once"
                .to_owned()
        }
        _ => format!("the system does not report changes in this folder ({error})"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::Roots;

    #[test]
    fn watches_of_deleted_folders_are_removed() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for folder in ["A/Deep", "AA", "B", ".git/hooks"] {
            fs::create_dir_all(dir.path().join(folder)).expect("create");
        }
        let disk = Disk::open(dir.path().canonicalize().expect("a path"), Roots::default()).expect("open");
        let mut folders = Folders::new(dir.path().to_owned(), usize::MAX, |_| None);
        folders.listen(|_| {}).expect("listen");
        assert_eq!(folders.walk(&disk, "", Rewatch::New).refused, None);
        assert_eq!(folders.count(), 5, "the root, A, A/Deep, AA and B");
        fs::remove_dir_all(dir.path().join("B")).expect("remove");
        folders.unwatch_missing(&disk);
        assert_eq!(folders.count(), 4);
        folders.unwatch("A");
        assert_eq!(folders.count(), 2, "the root and AA");
        folders.walk(&disk, "", Rewatch::New);
        assert_eq!(folders.count(), 4);
        folders.unwatch("");
        assert_eq!(folders.count(), 0);
    }
}
