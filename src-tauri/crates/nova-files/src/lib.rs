//! How Nova opens files of its own: regular files only, bounded in size, and without waiting for a pipe.
//!
//! It knows no format, and it never opens a note: those are `nova-vault`'s.
//!
//! # Invariants
//!
//! - A pipe, device, link or oversized file in the place of settings, state or a lock is refused by name, and
//!   created files are private to the user: `tests/files.rs`, `tests/journeys/odd_files.rs`.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// The largest file that is read, in bytes.
pub const MOST_BYTES: u64 = 8 * 1024 * 1024;

/// Reads a file of Nova's own, or the user's settings. A link to a regular file is followed.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for anything but a regular file, [`ErrorKind::FileTooLarge`] for one of
/// more than [`MOST_BYTES`], and what the system says.
pub fn read(file: &Path) -> io::Result<Vec<u8>> {
    read_within(file, MOST_BYTES)
}

/// The same for a file of at most this many bytes.
///
/// # Errors
/// As [`read`].
pub fn read_within(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Opening some devices has an effect of its own, so the kind is checked before and after.
    check(&std::fs::metadata(file)?, most)?;
    let mut options = OpenOptions::new();
    without_blocking(options.read(true), false);
    let opened = options.open(file)?;
    check(&opened.metadata()?, most)?;
    let mut bytes = Vec::new();
    opened.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// The same for a file of text.
///
/// # Errors
/// As [`read`], and [`ErrorKind::InvalidData`] where it is not UTF-8.
pub fn read_text(file: &Path) -> io::Result<String> {
    String::from_utf8(read(file)?).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Opens or creates a file that exists to be locked; only the user may open it. A link is refused.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for anything but a regular file, and what the system says.
pub fn open_lock(file: &Path) -> io::Result<File> {
    if let Ok(found) = std::fs::symlink_metadata(file) {
        regular(&found)?;
    }
    let mut options = OpenOptions::new();
    without_blocking(options.create(true).truncate(false).read(true).write(true), true);
    private(&mut options);
    let opened = options.open(file)?;
    regular(&opened.metadata()?)?;
    // Nova once created it with whatever mode the system gave.
    take_rights(&opened, 0o600);
    Ok(opened)
}

/// Creates the folder, with those above it, so that only the user may enter it. An existing one becomes
/// private where it is the user's own.
///
/// # Errors
/// When it cannot be created.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    take_rights(&File::open(folder)?, 0o700);
    Ok(())
}

/// New files that these options create are the user's alone. On Windows the user's own folders are
/// private by inheritance.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes a regular file the user's alone that may have been another's business before.
///
/// # Errors
/// When the system says nothing of the file.
pub fn make_private(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() {
        take_rights(file, 0o600);
    }
    Ok(())
}

/// Takes rights from others. A file of another user's is left alone.
fn take_rights(file: &File, mode: u32) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let is_open = file.metadata().is_ok_and(|found| found.permissions().mode() & 0o777 & !mode != 0);
        if is_open {
            let _ = file.set_permissions(std::fs::Permissions::from_mode(mode));
        }
    }
    #[cfg(not(unix))]
    let _ = (file, mode);
}

fn check(found: &Metadata, most: u64) -> io::Result<()> {
    regular(found)?;
    if found.len() > most { Err(too_large(most)) } else { Ok(()) }
}

fn regular(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = kind_of(found);
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {kind} and not a regular file")))
}

fn kind_of(found: &Metadata) -> &'static str {
    let kind = found.file_type();
    if kind.is_dir() {
        return "a folder";
    }
    if kind.is_symlink() {
        return "a link";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    "a device"
}

fn too_large(most: u64) -> io::Error {
    let most = most / 1024 / 1024;
    io::Error::new(ErrorKind::FileTooLarge, format!("it is larger than {most} MB"))
}

/// Opening a pipe would otherwise wait for a writer, and a terminal would become Nova's own.
fn without_blocking(options: &mut OpenOptions, refuse_links: bool) {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let links = if refuse_links { OFlags::NOFOLLOW } else { OFlags::empty() };
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | links;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    let _ = (options, refuse_links);
}
