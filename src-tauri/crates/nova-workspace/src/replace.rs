//! One file replaced, without losing what another program saves meanwhile.

use std::io::{self, Write as _};
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions};
use rustix::fs::{RenameFlags, renameat_with};

use crate::draft::PlannedFile;
use crate::error::FileError;
use crate::folder::FilePath;

/// Puts the planned text in place of the one it was planned against. A link is not followed, and a file that says
/// something else by now stays as it is. `fresh` names the temporary file beside it.
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
            match renameat_with(&folder, fresh, &folder, name, RenameFlags::NOREPLACE) {
                Ok(()) => Ok(()),
                Err(rustix::io::Errno::EXIST) => Err(changed()),
                Err(error) => Err(fault(error.into())),
            }
        }
        (Some(before), Some(after)) => {
            let mode = found.map(|found| found.permissions());
            write(&folder, fresh, after, mode)?;
            exchange(&folder, fresh, name, before).map_err(|error| error.map_or_else(changed, fault))
        }
        (Some(before), None) => {
            renameat_with(&folder, name, &folder, fresh, RenameFlags::NOREPLACE)
                .map_err(|error| fault(error.into()))?;
            if says(&folder, fresh, before) {
                Ok(())
            } else {
                // Back under its name, where nothing else has it.
                let _ = renameat_with(&folder, fresh, &folder, name, RenameFlags::NOREPLACE);
                Err(changed())
            }
        }
    };
    clear(&folder, fresh, name, [&planned.before, &planned.after]);
    done?;
    sync(&folder).map_err(fault)
}

/// Removes the temporary file where it says what was replaced or what was to be put there. What somebody else
/// saved gets a name of its own.
fn clear(folder: &Dir, fresh: &str, name: &Path, texts: [&Option<String>; 2]) {
    if texts.into_iter().flatten().any(|text| says(folder, fresh, text)) {
        let _ = folder.remove_file(fresh);
        return;
    }
    let name = name.to_string_lossy();
    let first = std::iter::once(format!("{name} (edited meanwhile)"));
    for aside in first.chain((2..100).map(|count| format!("{name} (edited meanwhile {count})"))) {
        match renameat_with(folder, fresh, folder, aside.as_str(), RenameFlags::NOREPLACE) {
            Err(rustix::io::Errno::EXIST) => {}
            _ => return,
        }
    }
}

/// `None`: it says something else.
fn exchange(folder: &Dir, fresh: &str, name: &Path, before: &str) -> Result<(), Option<io::Error>> {
    match renameat_with(folder, fresh, folder, name, RenameFlags::EXCHANGE) {
        Ok(()) if says(folder, fresh, before) => Ok(()),
        Ok(()) => {
            // A newer text: it goes back.
            renameat_with(folder, fresh, folder, name, RenameFlags::EXCHANGE)
                .map_err(|error| Some(error.into()))?;
            Err(None)
        }
        // A file system that cannot exchange.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::OPNOTSUPP) => {
            if !says(folder, &name.to_string_lossy(), before) {
                return Err(None);
            }
            folder.rename(fresh, folder, name).map_err(Some)
        }
        Err(error) => Err(Some(error.into())),
    }
}

/// The folder of a file, and its name there.
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
    text: &str,
    mode: Option<cap_std::fs::Permissions>,
) -> Result<(), FileError> {
    let fault = |error| FileError::of(name, error);
    let mut file = folder.open_with(name, OpenOptions::new().write(true).create_new(true)).map_err(fault)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| mode.map_or(Ok(()), |mode| file.set_permissions(mode)))
        .and_then(|()| file.sync_all());
    written.map_err(|error| {
        let _ = folder.remove_file(name);
        fault(error)
    })
}

/// Whether this regular file says exactly this.
fn says(folder: &Dir, name: &str, text: &str) -> bool {
    let regular =
        folder.symlink_metadata(name).is_ok_and(|found| found.is_file() && found.len() == text.len() as u64);
    regular && folder.read(name).is_ok_and(|bytes| bytes == text.as_bytes())
}

fn sync(folder: &Dir) -> io::Result<()> {
    folder.open(".")?.into_std().sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_saved_meanwhile_is_not_removed() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let folder = Dir::open_ambient_dir(place.path(), cap_std::ambient_authority())?;
        let texts = [&Some("before".to_owned()), &Some("after".to_owned())];
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
