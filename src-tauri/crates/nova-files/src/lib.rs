//! Opens Nova's own files: regular files only, bounded in size, and without blocking on a pipe.
//!
//! It knows no file format and never opens notes; `nova-vault` does.
//!
//! # Invariants
//!
//! - A pipe, device, link or oversized file in place of settings, state or a lock is refused with its name,
//!   and created files are accessible to the user only: `tests/files.rs`, `tests/journeys/odd_files.rs`.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// Size limit of [`read`] and [`read_text`], in bytes.
pub const MOST_BYTES: u64 = 8 * 1024 * 1024;

/// Reads one of Nova's own files or the user's settings. A link to a regular file is followed.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] unless it is a regular file, [`ErrorKind::FileTooLarge`] above [`MOST_BYTES`],
/// and errors of the operating system.
pub fn read(file: &Path) -> io::Result<Vec<u8>> {
    read_within(file, MOST_BYTES)
}

/// Like [`read`], with a limit of `most` bytes.
///
/// # Errors
/// See [`read`].
pub fn read_within(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Opening some devices has side effects, so the kind is checked both before and after.
    check(&std::fs::metadata(file)?, most)?;
    let mut options = OpenOptions::new();
    without_blocking(options.read(true), false);
    let opened = options.open(file)?;
    check(&opened.metadata()?, most)?;
    let mut bytes = Vec::new();
    opened.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// Like [`read`], for UTF-8 text.
///
/// # Errors
/// As for [`read`], and [`ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_text(file: &Path) -> io::Result<String> {
    String::from_utf8(read(file)?).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Opens or creates a lock file that only the user can open. A link is refused.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] unless it is a regular file, and errors of the operating system.
pub fn open_lock(file: &Path) -> io::Result<File> {
    if let Ok(found) = std::fs::symlink_metadata(file) {
        regular(&found)?;
    }
    let mut options = OpenOptions::new();
    without_blocking(options.create(true).truncate(false).read(true).write(true), true);
    private(&mut options);
    let opened = options.open(file)?;
    regular(&opened.metadata()?)?;
    // Earlier versions created it with the default mode.
    take_rights(&opened, 0o600);
    Ok(opened)
}

/// Creates the folder and its parents so that only the user can enter it. An existing folder is made private
/// if the user owns it.
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

/// Makes files created with these options accessible to the user only. On Windows, files in the user's
/// folders inherit that.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes an existing regular file accessible to its owner only.
///
/// # Errors
/// When the file's metadata cannot be read.
pub fn make_private(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() {
        take_rights(file, 0o600);
    }
    Ok(())
}

/// Removes permissions of group and others, unless another user owns the file.
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

/// Without this, opening a pipe would block until there is a writer, and a terminal could become the
/// controlling one.
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
