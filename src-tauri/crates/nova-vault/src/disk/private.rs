//! Nova's own folders and files, accessible only to the user.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::Fsync;

/// Creates a private folder and its missing parents. Their names are synced: files in a folder are lost
/// with it.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
    make_with_mode(folder)?;
    for parent in missing.iter().filter_map(|made| made.parent()) {
        // An unreadable parent cannot be synced, which does not prevent writing.
        if let Err(error) = sync_path(parent) {
            tracing::warn!(path = %parent.display(), %error, "cannot sync a folder");
        }
    }
    Ok(())
}

fn make_with_mode(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        builder.mode(0o700);
        builder.create(folder)?;
        let metadata = folder.metadata()?;
        if metadata.permissions().mode() & 0o077 != 0 {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
        }
    }
    #[cfg(not(unix))]
    builder.create(folder)?;
    Ok(())
}

pub(crate) fn sync_path(folder: &Path) -> io::Result<()> {
    #[cfg(test)]
    crate::tests::synced::add(folder);
    #[cfg(unix)]
    File::open(folder)?.fsync()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Writes a new private file in a private folder. On an error no new file is left; an existing one is kept
/// (`AlreadyExists`).
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    let mut file = open_private(path, Open::New)?;
    let written = file.write_all(bytes).and_then(|()| file.fsync());
    if written.is_err() {
        drop(file);
        std::fs::remove_file(path).ok();
    }
    written
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    New,
    Existing,
    Any,
}

/// Opens for appending.
pub(crate) fn open_private(path: &Path, open: Open) -> io::Result<File> {
    private_file(open).append(true).open(path)
}

pub(crate) fn private_file(open: Open) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).create(open == Open::Any).create_new(open == Open::New);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // Do not follow a planted link, and do not block on a pipe.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}
