//! The mark that distinguishes temporary files of this data folder from those of others.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::PathBuf;

use super::{Journal, lines_path};
use crate::disk::{FolderNow, write_private};
use crate::disk::{make_private_folder, sync_path};
use crate::writing::journal::SetLog;

impl Journal {
    /// The mark of this data folder: eight random hexadecimal digits, created with the first write and
    /// stored in the file [`Journal::mark_path`]. Durable before any temporary file uses it. `None` if it
    /// cannot be stored; names then have no mark.
    pub(super) fn mark(&self) -> Option<&str> {
        if let Some(mark) = self.known_mark() {
            return Some(mark);
        }
        let chance = RandomState::new().build_hasher().finish();
        let made = make_private_folder(self.folder())
            .and_then(|()| {
                match write_private(&self.mark_path(), &chance.to_le_bytes().map(hex).concat()[..8]) {
                    // Another process was faster.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                    other => other,
                }
            })
            .and_then(|()| sync_path(self.folder()));
        if let Err(error) = made {
            tracing::warn!(path = %self.mark_path().display(), %error, "cannot write the journal's mark");
            return None;
        }
        self.known_mark()
    }

    /// The mark, if there was a write.
    pub(crate) fn known_mark(&self) -> Option<&str> {
        if let Some(mark) = self.mark.get() {
            return Some(mark);
        }
        let mark = fs::read_to_string(self.mark_path()).ok()?;
        let is_mark = mark.len() == 8 && mark.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_mark.then(|| self.mark.get_or_init(|| mark).as_str())
    }

    /// Whether, as far as the disk tells, the set with this id (of any vault) announced no write, and no
    /// process holds it. An unreadable set may have announced one.
    pub(crate) fn announced_nothing(&self, id: &str) -> bool {
        match fs::read(lines_path(self.folder(), id)) {
            Err(error) => error.kind() == io::ErrorKind::NotFound,
            Ok(bytes) => {
                let says_nothing = bytes.iter().all(|byte| *byte == 0)
                    || SetLog::parse(&bytes).is_some_and(|log| log.records.is_empty());
                says_nothing && !self.is_live(id)
            }
        }
    }

    /// `.mark` with the folder's creation time, if the system reports one: a copy of the data folder, for
    /// example on another machine with the same vault, then gets its own mark and does not claim files that
    /// are being written there.
    fn mark_path(&self) -> PathBuf {
        let made = FolderNow::at(self.folder()).id.map(|id| format!("-{:x}", id.made));
        self.folder().join(format!(".mark{}", made.unwrap_or_default()))
    }
}

fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}
