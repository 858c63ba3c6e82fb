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
            exchange(&folder, fresh, name, before, after).map_err(|error| error.map_or_else(changed, fault))
        }
        (Some(before), None) => {
            renameat_with(&folder, name, &folder, fresh, RenameFlags::NOREPLACE)
                .map_err(|error| fault(error.into()))?;
            if says(&folder, fresh, before) {
                Ok(())
            } else {
                // Back under its name, where nothing else has it.
                renameat_with(&folder, fresh, &folder, name, RenameFlags::NOREPLACE)
                    .map_err(|error| fault(error.into()))?;
                return Err(changed());
            }
        }
    };
    // What lies there now is what was meant to go, or was never in place.
    let _ = folder.remove_file(fresh);
    done?;
    sync(&folder).map_err(fault)
}

/// `None`: it says something else.
fn exchange(
    folder: &Dir,
    fresh: &str,
    name: &Path,
    before: &str,
    after: &str,
) -> Result<(), Option<io::Error>> {
    match renameat_with(folder, fresh, folder, name, RenameFlags::EXCHANGE) {
        Ok(()) if says(folder, fresh, before) => Ok(()),
        Ok(()) => {
            // A newer text: it goes back, and with it whatever was saved since.
            renameat_with(folder, fresh, folder, name, RenameFlags::EXCHANGE)
                .map_err(|error| Some(error.into()))?;
            if !says(folder, fresh, after) {
                let aside = format!("{} (edited meanwhile)", name.to_string_lossy());
                let _ = renameat_with(folder, fresh, folder, aside.as_str(), RenameFlags::NOREPLACE);
            }
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
    file.write_all(text.as_bytes()).map_err(fault)?;
    if let Some(mode) = mode {
        file.set_permissions(mode).map_err(fault)?;
    }
    file.sync_all().map_err(fault)
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
