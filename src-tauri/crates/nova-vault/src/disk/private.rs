//! Folders and files of Nova's own that only the user opens.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::Fsync;

/// Makes a folder that only the user opens, with those above it. Their names last: what is made to last
/// in a folder is gone with it.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
    make_with_mode(folder)?;
    for parent in missing.iter().filter_map(|made| made.parent()) {
        // One that may not be listed cannot be synced; that is no reason not to write.
        if let Err(error) = sync_path(parent) {
            tracing::warn!("{}: {error}", parent.display());
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

/// Writes a new file that only the user reads, in a folder that only the user opens. On an error
/// there is none, but for one that was there before (`AlreadyExists`).
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

/// To be added to.
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
        // A link in its place leads to a file of somebody else's, and a pipe would be waited for.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}
