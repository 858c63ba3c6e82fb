//! Prepares the files of the next change set: apart from syncing, creating two files is the slowest part of
//! a small edit, and nobody waits for it after an edit.
//!
//! Each process has at most one pair, numbered like its log ([`super::ahead`]); the next process with that
//! log inherits the files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::{images_path, lines_path};
use crate::disk::{Open, open_private};

/// A pair of empty files.
#[derive(Debug)]
pub(super) struct Spare {
    number: usize,
    lines: File,
    images: File,
}

impl Spare {
    /// Creates the pair for this process's log, which has this number.
    pub(super) fn make(folder: &Path, number: usize) -> io::Result<Spare> {
        if !cfg!(any(target_os = "linux", target_os = "macos")) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let [lines, images] = paths(folder, number).map(|path| {
            // Left by an ended process. If it was used and a power cut undid its rename, the log has
            // already restored its content elsewhere.
            if path.exists() {
                fs::remove_file(&path)?;
            }
            let file = open_private(&path, Open::New)?;
            file.try_lock()?;
            Ok::<_, io::Error>(file)
        });
        Ok(Spare { number, lines: lines?, images: images? })
    }

    /// Turns them into the files of a new set, lines and images, with the lock on the lines. After an error
    /// no such set exists, unless the id was taken.
    pub(super) fn take(self, folder: &Path, id: &str) -> io::Result<(File, File)> {
        let [lines, images] = paths(folder, self.number);
        // Lines last: images without lines are ignored.
        rename_new(&images, &images_path(folder, id))?;
        if let Err(error) = rename_new(&lines, &lines_path(folder, id)) {
            rename_new(&images_path(folder, id), &images).ok();
            return Err(error);
        }
        self.images.unlock()?;
        Ok((self.lines, self.images))
    }
}

/// Names that no set has.
fn paths(folder: &Path, number: usize) -> [PathBuf; 2] {
    ["lines", "images"].map(|part| folder.join(format!(".spare-{number}-{part}")))
}

/// Renames unless the new name is taken.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let _ = (from, to);
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn set_gets_the_prepared_files() {
        let dir = tempfile::tempdir().unwrap();
        let (lines, images) = Spare::make(dir.path(), 0).unwrap().take(dir.path(), "one").unwrap();
        assert_eq!(names(dir.path()), ["one.images", "one.jsonl"]);
        // The lines file is locked, so the set is seen as live.
        assert!(File::open(lines_path(dir.path(), "one")).unwrap().try_lock_shared().is_err());
        drop((lines, images));

        // Left by a process killed before it used them.
        drop(Spare::make(dir.path(), 0).unwrap());
        // The id is taken: the existing set is untouched.
        fs::write(lines_path(dir.path(), "one"), "its lines").unwrap();
        let error = Spare::make(dir.path(), 0).unwrap().take(dir.path(), "one").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(lines_path(dir.path(), "one")).unwrap(), "its lines");

        // Left-over content never enters a set.
        fs::write(dir.path().join(".spare-1-lines"), "left over").unwrap();
        let (lines, _) = Spare::make(dir.path(), 1).unwrap().take(dir.path(), "two").unwrap();
        assert_eq!(lines.metadata().unwrap().len(), 0);

        // One of the two was removed: the failed set leaves nothing behind.
        let spare = Spare::make(dir.path(), 1).unwrap();
        fs::remove_file(dir.path().join(".spare-1-lines")).unwrap();
        spare.take(dir.path(), "three").unwrap_err();
        assert!(!images_path(dir.path(), "three").exists());
    }
}
