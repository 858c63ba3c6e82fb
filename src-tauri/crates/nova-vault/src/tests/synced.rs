//! Records what was synced: the content of each file, and the names in each folder.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

thread_local! {
    static FOLDERS: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
}

pub(crate) fn add(folder: &Path) {
    FOLDERS.with_borrow_mut(|folders| folders.push(folder.to_owned()));
}

/// The folders of Nova's own files that this thread synced.
pub(super) fn by(work: impl FnOnce()) -> Vec<PathBuf> {
    FOLDERS.take();
    work();
    FOLDERS.take()
}

#[cfg(target_os = "linux")]
pub(super) use held::lasts;
#[cfg(target_os = "linux")]
pub(crate) use held::{file, file_system};

#[cfg(target_os = "linux")]
mod held {
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::fs;
    use std::os::fd::{AsFd, AsRawFd};
    use std::os::unix::fs::{DirEntryExt, MetadataExt};
    use std::path::Path;
    use std::sync::{LazyLock, Mutex};
    use std::time::SystemTime;

    /// By device and file id: another thread may have synced it. Only valid while the file exists, because
    /// ids are reused.
    static HELD: LazyLock<Mutex<HashMap<(u64, u64), blake3::Hash>>> = LazyLock::new(Mutex::default);

    thread_local! {
        /// When this thread last synced a whole device.
        static DEVICES: RefCell<HashMap<u64, SystemTime>> = RefCell::default();
    }

    pub(crate) fn file(file: &impl AsFd) {
        let opened = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
        let Ok(about) = fs::metadata(&opened) else { return };
        if let Some(holds) = holds(Path::new(&opened)) {
            HELD.lock().unwrap().insert((about.dev(), about.ino()), holds);
        }
    }

    pub(crate) fn file_system(file: &impl AsFd) {
        let about = fs::metadata(format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())).unwrap();
        DEVICES.with_borrow_mut(|devices| devices.insert(about.dev(), SystemTime::now()));
    }

    /// Whether the file's present content, or all names in the folder, would survive a power cut.
    pub(in crate::tests) fn lasts(path: &Path) -> bool {
        let Ok(about) = fs::metadata(path) else { return false };
        let synced = DEVICES.with_borrow(|devices| devices.get(&about.dev()).copied());
        if synced.is_some_and(|synced| about.modified().unwrap() <= synced) {
            return true;
        }
        let held = HELD.lock().unwrap().get(&(about.dev(), about.ino())).copied();
        held.is_some() && held == holds(path)
    }

    fn holds(path: &Path) -> Option<blake3::Hash> {
        if !fs::metadata(path).ok()?.is_dir() {
            return Some(blake3::hash(&fs::read(path).ok()?));
        }
        let entries = fs::read_dir(path).ok()?.flatten();
        let mut names: Vec<_> = entries.map(|entry| (entry.file_name(), entry.ino())).collect();
        names.sort();
        Some(blake3::hash(format!("{names:?}").as_bytes()))
    }
}
