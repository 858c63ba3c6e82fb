//! The files of the next change set, made before there is one: to make two files takes longer than all
//! else of a small edit but the waiting for the disk, and nobody has to wait for it after an edit.
//!
//! Each process has at most one pair, under the number of its log ([`super::ahead`]); who has that log
//! next has the files that it left.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::{images_path, lines_path};
use crate::disk::{Open, open_private};

/// Two empty files.
#[derive(Debug)]
pub(super) struct Spare {
    number: usize,
    lines: File,
    images: File,
}

impl Spare {
    /// Makes those of the log of this number, which is this process's.
    pub(super) fn make(folder: &Path, number: usize) -> io::Result<Spare> {
        if !cfg!(any(target_os = "linux", target_os = "macos")) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let [lines, images] = paths(folder, number).map(|path| {
            // Left by a process that is gone. Where it was taken and a power cut undid its new name, it
            // holds what the log has put back elsewhere.
            if path.exists() {
                fs::remove_file(&path)?;
            }
            let file = open_private(&path, Open::New)?;
            file.try_lock()?;
            Ok::<_, io::Error>(file)
        });
        Ok(Spare { number, lines: lines?, images: images? })
    }

    /// Makes them the files of a new set, lines and images, with the lock on the lines. After an error
    /// there is no such set, unless the id was taken.
    pub(super) fn take(self, folder: &Path, id: &str) -> io::Result<(File, File)> {
        let [lines, images] = paths(folder, self.number);
        // The lines last: images without lines mean nothing.
        rename_new(&images, &images_path(folder, id))?;
        if let Err(error) = rename_new(&lines, &lines_path(folder, id)) {
            rename_new(&images_path(folder, id), &images).ok();
            return Err(error);
        }
        self.images.unlock()?;
        Ok((self.lines, self.images))
    }
}

/// Not with the names of a set.
fn paths(folder: &Path, number: usize) -> [PathBuf; 2] {
    ["lines", "images"].map(|part| folder.join(format!(".spare-{number}-{part}")))
}

/// Where nothing has the new name.
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
    fn a_set_gets_the_files_that_were_made_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let (lines, images) = Spare::make(dir.path(), 0).unwrap().take(dir.path(), "one").unwrap();
        assert_eq!(names(dir.path()), ["one.images", "one.jsonl"]);
        // Who looks whether the set has a process sees that it has.
        assert!(File::open(lines_path(dir.path(), "one")).unwrap().try_lock_shared().is_err());
        drop((lines, images));

        // Left by a process that was killed before it took them.
        drop(Spare::make(dir.path(), 0).unwrap());
        // The id is taken: nothing of that set is touched.
        fs::write(lines_path(dir.path(), "one"), "its lines").unwrap();
        let error = Spare::make(dir.path(), 0).unwrap().take(dir.path(), "one").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(lines_path(dir.path(), "one")).unwrap(), "its lines");

        // Of what is left over nothing goes into a set.
        fs::write(dir.path().join(".spare-1-lines"), "left over").unwrap();
        let (lines, _) = Spare::make(dir.path(), 1).unwrap().take(dir.path(), "two").unwrap();
        assert_eq!(lines.metadata().unwrap().len(), 0);

        // One of the two was removed: no part of a set is left in its way.
        let spare = Spare::make(dir.path(), 1).unwrap();
        fs::remove_file(dir.path().join(".spare-1-lines")).unwrap();
        spare.take(dir.path(), "three").unwrap_err();
        assert!(!images_path(dir.path(), "three").exists());
    }
}
