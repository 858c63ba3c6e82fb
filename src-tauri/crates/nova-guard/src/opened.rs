//! Watches which files in a folder are opened, by any process.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};

/// Records opened files in a folder, from its creation on.
#[derive(Debug)]
pub struct OpenedFiles {
    events: OwnedFd,
    /// Paths relative to the folder, by watch descriptor.
    folders: BTreeMap<i32, PathBuf>,
}

/// The files opened since the last query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// Relative to the folder.
    These(BTreeSet<PathBuf>),
    /// Events were lost.
    Any,
}

impl OpenedFiles {
    /// Watches the existing subfolders; folders created later are not watched.
    ///
    /// # Errors
    /// When the folder cannot be read, or the user's limit of watches is reached.
    pub fn below(folder: &Path) -> io::Result<Self> {
        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let mut folders = BTreeMap::new();
        let mut left = vec![PathBuf::new()];
        while let Some(below) = left.pop() {
            let whole = folder.join(&below);
            for entry in fs::read_dir(&whole)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    left.push(below.join(entry.file_name()));
                }
            }
            folders.insert(add_watch(&events, &whole, WatchFlags::OPEN | WatchFlags::ONLYDIR)?, below);
        }
        Ok(Self { events, folders })
    }

    /// Returns immediately.
    pub fn take(&mut self) -> Opened {
        let mut space = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.events, &mut space);
        let mut files = BTreeSet::new();
        loop {
            match reader.next() {
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => return Opened::Any,
                Ok(event) if event.events().contains(ReadFlags::ISDIR) => {}
                Ok(event) => {
                    let (Some(folder), Some(name)) = (self.folders.get(&event.wd()), event.file_name())
                    else {
                        continue;
                    };
                    files.insert(folder.join(OsStr::from_bytes(name.to_bytes())));
                }
                Err(rustix::io::Errno::WOULDBLOCK) => return Opened::These(files),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return Opened::Any,
            }
        }
    }
}
