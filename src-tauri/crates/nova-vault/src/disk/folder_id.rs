//! What a folder is known by, whatever its path.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use file_id::FileId;
use serde::{Deserialize, Serialize};

/// What a folder keeps when it gets another name or place on its disk, and no copy of it has: what the
/// file system calls it by, and when it was made, because it calls a later folder the same when this one
/// is deleted. The device is no part of it, because many have another number after each start.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct FolderId {
    /// In hexadecimal digits: on some systems it has 128 bits.
    pub(crate) file: String,
    /// Nanoseconds since 1970.
    pub(crate) made: i64,
}

/// A folder as it is there now.
#[derive(Debug)]
pub(crate) struct FolderNow {
    /// What no other folder has at this moment.
    pub(crate) now: Option<FileId>,
    /// `None` where the file system does not say when a folder was made, as many network file systems
    /// do not: there only the path counts.
    pub(crate) id: Option<FolderId>,
}

/// 1980-01-02T00:00:00Z: file systems that do not know when a folder was made give 1970 or 1980.
const FIRST_TIME: i64 = 315_619_200_000_000_000;

impl FolderNow {
    pub(crate) fn at(path: &Path) -> FolderNow {
        let now = file_id::get_file_id(path).ok();
        let made = fs::metadata(path).and_then(|metadata| metadata.created()).ok();
        let made = made
            .and_then(|made| made.duration_since(SystemTime::UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_nanos()).ok())
            .filter(|made| *made >= FIRST_TIME);
        let file = now.as_ref().map(|now| match now {
            FileId::Inode { inode_number, .. } => format!("{inode_number:x}"),
            FileId::LowRes { file_index, .. } => format!("{file_index:x}"),
            FileId::HighRes { file_id, .. } => format!("{file_id:x}"),
        });
        let id = file.zip(made).map(|(file, made)| FolderId { file, made });
        FolderNow { now, id }
    }

    /// Whether the folder at `path` is a different one that cannot be told from this one by what it keeps.
    pub(crate) fn has_double_at(&self, path: &str) -> bool {
        let other = FolderNow::at(Path::new(path));
        other.id == self.id && other.now != self.now
    }
}
