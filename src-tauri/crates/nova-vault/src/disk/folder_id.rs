//! Identity of a folder, independent of its path.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use file_id::FileId;
use serde::{Deserialize, Serialize};

/// Identity that survives renames and moves within a file system and is not copied: the file system's id
/// and the creation time, because ids are reused after a deletion. The device number is left out, because
/// it can change with every boot.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct FolderId {
    /// Hexadecimal: 128 bits on some systems.
    pub(crate) file: String,
    /// Nanoseconds since 1970.
    pub(crate) made: i64,
}

/// The folder that exists at a path at this moment.
#[derive(Debug)]
pub(crate) struct FolderNow {
    /// Unique among all folders that exist now.
    pub(crate) now: Option<FileId>,
    /// `None` if the file system reports no creation time, as many network file systems do; then only the
    /// path identifies the folder.
    pub(crate) id: Option<FolderId>,
}

/// 1980-01-02T00:00:00Z: file systems without creation times report 1970 or 1980.
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

    /// Whether another folder at `path` has the same persistent identity.
    pub(crate) fn has_double_at(&self, path: &str) -> bool {
        let other = FolderNow::at(Path::new(path));
        other.id == self.id && other.now != self.now
    }
}
