//! Replaces a file without losing concurrent edits.

use std::io::{self, Write as _};
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions};

use crate::draft::PlannedFile;
use crate::error::FileError;
use crate::folder::FilePath;
use crate::platform::{rename_new, sync_file, sync_folder};

/// Replaces the text that the write was planned against by the planned one. Links are not followed, and a
/// file with a different text stays as it is. `fresh` names the temporary file beside it.
pub(crate) fn replace(planned: &PlannedFile, fresh: &str) -> Result<(), FileError> {
    let path = &planned.path;
    let shown = path.to_string();
    let fault = |error| FileError::of(&shown, error);
    let changed = || FileError::Changed { path: shown.clone() };
    let (folder, name) = parent(path, planned.after.is_some()).map_err(fault)?;
    let found = match folder.symlink_metadata(name) {
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(fault(error)),
    };
    if let Some(found) = &found {
        if let Some(kind) = crate::kind::kind_of(found) {
            return Err(FileError::Kind { path: shown, kind });
        }
        #[cfg(unix)]
        if cap_std::fs::MetadataExt::nlink(found) > 1 {
            return Err(FileError::Kind { path: shown, kind: "a file with several names" });
        }
    }
    if found.is_some() != planned.before.is_some() {
        return Err(changed());
    }
    let done = match (&planned.before, &planned.after) {
        (None, None) => Ok(()),
        (None, Some(after)) => {
            write(&folder, fresh, after, None)?;
            match rename_new(&folder, Path::new(fresh), name) {
                Ok(()) => Ok(()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(changed()),
                Err(error) => Err(fault(error)),
            }
        }
        (Some(before), Some(after)) => {
            let mode = found.map(|found| found.permissions());
            write(&folder, fresh, after, mode)?;
            exchange(&folder, fresh, name, before).map_err(|error| error.map_or_else(changed, fault))
        }
        (Some(before), None) => {
            rename_new(&folder, name, Path::new(fresh)).map_err(fault)?;
            if has_content(&folder, fresh, before) {
                Ok(())
            } else {
                // Restored, unless the name has been taken.
                let _ = rename_new(&folder, Path::new(fresh), name);
                Err(changed())
            }
        }
    };
    clear(&folder, fresh, name, [&planned.before, &planned.after]);
    done?;
    sync_folder(&folder).map_err(fault)
}

/// Removes the temporary file if it contains the replaced or the planned text. Anything else is someone's
/// edit and is kept under a new name.
fn clear(folder: &Dir, fresh: &str, name: &Path, contents: [&Option<Vec<u8>>; 2]) {
    if contents.into_iter().flatten().any(|bytes| has_content(folder, fresh, bytes)) {
        let _ = folder.remove_file(fresh);
        return;
    }
    let name = name.to_string_lossy();
    let first = std::iter::once(format!("{name} (edited meanwhile)"));
    for aside in first.chain((2..100).map(|count| format!("{name} (edited meanwhile {count})"))) {
        match rename_new(folder, Path::new(fresh), Path::new(&aside)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            _ => return,
        }
    }
}

/// `None` if the file has a different text.
fn exchange(folder: &Dir, fresh: &str, name: &Path, before: &[u8]) -> Result<(), Option<io::Error>> {
    if crate::platform::exchange(folder, fresh, name).map_err(Some)? {
        if has_content(folder, fresh, before) {
            return Ok(());
        }
        // Put the newer text back.
        crate::platform::exchange(folder, fresh, name).map_err(Some)?;
        return Err(None);
    }
    if !has_content(folder, &name.to_string_lossy(), before) {
        return Err(None);
    }
    folder.rename(fresh, folder, name).map_err(Some)
}

/// The file's parent folder and its name.
fn parent(path: &FilePath, make: bool) -> io::Result<(Dir, &Path)> {
    let below = Path::new(&path.below);
    let name = below.file_name().map(Path::new).ok_or(io::ErrorKind::InvalidInput)?;
    match below.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        None => Ok((path.folder.dir().try_clone()?, name)),
        Some(parent) => {
            if make {
                path.folder.dir().create_dir_all(parent)?;
            }
            Ok((path.folder.dir().open_dir(parent)?, name))
        }
    }
}

fn write(
    folder: &Dir,
    name: &str,
    bytes: &[u8],
    mode: Option<cap_std::fs::Permissions>,
) -> Result<(), FileError> {
    let fault = |error| FileError::of(name, error);
    let mut file = folder.open_with(name, OpenOptions::new().write(true).create_new(true)).map_err(fault)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| mode.map_or(Ok(()), |mode| file.set_permissions(mode)))
        .and_then(|()| sync_file(&file));
    written.map_err(|error| {
        let _ = folder.remove_file(name);
        fault(error)
    })
}

/// Whether this is a regular file with exactly these bytes.
fn has_content(folder: &Dir, name: &str, bytes: &[u8]) -> bool {
    let regular =
        folder.symlink_metadata(name).is_ok_and(|found| found.is_file() && found.len() == bytes.len() as u64);
    regular && folder.read(name).is_ok_and(|found| found == bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::{Access, Folder, Folders};
    use crate::platform::tests::{SYNCED, SYSTEM, SYSTEMS};

    /// Replaces `on_disk` by a plan made against another text.
    fn check(
        on_disk: Option<&str>,
        planned: (Option<&str>, Option<&str>),
        expected: Option<&str>,
    ) -> io::Result<()> {
        for system in SYSTEMS {
            SYSTEM.set(system);
            let place = tempfile::tempdir()?;
            let file = place.path().join("plan.txt");
            if let Some(text) = on_disk {
                std::fs::write(&file, text)?;
            }
            let folders = Folders::new(vec![Folder::open("code", place.path(), Access::Write)?]);
            let path = folders.find("code/plan.txt").map_err(io::Error::other)?;
            let [before, after] =
                [planned.0, planned.1].map(|text| text.map(|text| text.as_bytes().to_vec()));
            SYNCED.take();
            let done = replace(&PlannedFile { path, before, after, attached: false }, ".fresh.tmp");
            if done.is_ok() {
                let expected = if planned.1.is_some() { &["file", "folder"][..] } else { &["folder"] };
                assert_eq!(SYNCED.take(), expected, "bytes are synced before the rename");
            }
            let changed = matches!(done, Err(FileError::Changed { .. }));
            assert_eq!(
                (done.is_ok(), changed),
                (on_disk == planned.0, on_disk != planned.0),
                "{system:?} {done:?}"
            );
            assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), expected, "{system:?}");
            let left = std::fs::read_dir(place.path())?.count();
            assert_eq!(left, usize::from(expected.is_some()), "{system:?}: leftover files");
        }
        Ok(())
    }

    #[test]
    fn file_is_created_replaced_and_removed_on_every_file_system() -> io::Result<()> {
        check(None, (None, Some("new")), Some("new"))?;
        check(Some("old"), (Some("old"), Some("new")), Some("new"))?;
        check(Some("old"), (Some("old"), None), None)
    }

    #[test]
    fn concurrent_edit_is_kept_on_every_file_system() -> io::Result<()> {
        check(Some("edited"), (None, Some("new")), Some("edited"))?;
        check(Some("edited"), (Some("old"), Some("new")), Some("edited"))?;
        check(Some("edited"), (Some("old"), None), Some("edited"))?;
        check(None, (Some("old"), Some("new")), None)
    }

    #[test]
    fn edit_in_the_temporary_file_is_not_removed() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let folder = Dir::open_ambient_dir(place.path(), cap_std::ambient_authority())?;
        let texts = [&Some(b"before".to_vec()), &Some(b"after".to_vec())];
        let name = Path::new("plan.txt");
        for own in ["before", "after"] {
            folder.write("fresh", own)?;
            clear(&folder, "fresh", name, texts);
            assert!(!folder.exists("fresh"), "{own}");
        }
        for theirs in ["their first", "their second"] {
            folder.write("fresh", theirs)?;
            clear(&folder, "fresh", name, texts);
        }
        assert_eq!(folder.read_to_string("plan.txt (edited meanwhile)")?, "their first");
        assert_eq!(folder.read_to_string("plan.txt (edited meanwhile 2)")?, "their second");
        Ok(())
    }
}
