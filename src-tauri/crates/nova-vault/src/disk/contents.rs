//! Content of files, as read and written.

use std::io::{self, Write};
use std::path::Path;

use cap_std::fs::File;

use super::{Stamp, platform};

/// Maximum size of a note, in bytes.
pub const MAX_NOTE_BYTES: u64 = 16 * 1024 * 1024;

/// A file of the vault as read.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) stamp: Stamp,
}

/// Writes the whole content; durable only after a sync.
pub(crate) fn write_all(file: &mut File, content: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
    file.write_all(content.as_ref())
}

pub(super) fn read_from_start(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_into(file, None, &mut bytes)?;
    Ok(bytes)
}

/// Reads a file outside of the vault that another program may be writing.
pub(crate) fn bytes_outside(path: &Path) -> io::Result<Vec<u8>> {
    read_untorn(&File::from_std(std::fs::File::open(path)?))
}

/// As [`read_from_start`], for a file that another program may be writing: reads until two reads agree,
/// because a single one may mix two versions. The size is queried each time: FUSE caches it per name, and
/// would hide what was written through another name.
pub(super) fn read_untorn(file: &File) -> io::Result<Vec<u8>> {
    const ATTEMPTS: usize = 20;
    let read = || {
        platform::request_size(file);
        read_from_start(file)
    };
    let mut last = read()?;
    for _ in 0..ATTEMPTS {
        let next = read()?;
        if next == last {
            return Ok(last);
        }
        last = next;
    }
    Err(io::Error::other("other programs keep writing it"))
}

/// Fills `bytes` from the start of the file: as many as expected, or all; never more than one byte beyond a
/// note's maximum.
pub(super) fn read_into(file: &File, expected: Option<u64>, bytes: &mut Vec<u8>) -> io::Result<()> {
    const MOST: usize = MAX_NOTE_BYTES as usize + 1;
    let wanted = expected.map_or(MOST, |expected| MOST.min(usize::try_from(expected).unwrap_or(MOST)));
    bytes.clear();
    let mut filled = 0;
    while filled < wanted {
        if filled == bytes.len() {
            let room = if expected.is_some() { wanted } else { (2 * filled).max(8 * 1024) };
            bytes.resize(room.min(wanted), 0);
        }
        match platform::read_at(file, &mut bytes[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(())
}
