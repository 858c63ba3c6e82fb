//! Which vault a change set is of: the folder at the path that was written down, and that very folder
//! wherever a person has renamed or moved it since.
//!
//! A path alone loses the history with a new name. What the system calls a folder by alone would lose
//! it, too: a vault that was put back from a backup, or that a sync program fetched anew, is another
//! folder under the old path. So a set is of a vault when
//!
//! - its path is the vault's and nothing says that it was another folder; or
//! - its folder is the vault's, and its path does not lead to another folder that says the same of
//!   itself, as a snapshot of a whole disk does.
//!
//! A set that has the path of another folder is not shown, unless the vault holds what the set left there
//! (see `write/moved.rs`).

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
    file: String,
    /// Nanoseconds since 1970.
    made: i64,
}

impl FolderId {
    /// When the folder was made, in nanoseconds since 1970.
    pub(super) fn made(&self) -> i64 {
        self.made
    }
}

/// A folder as it is there now.
#[derive(Debug)]
pub(crate) struct FolderNow {
    /// What no other folder has at this moment.
    now: Option<FileId>,
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

    /// Whether the folder at `path` is another one that cannot be told from this one by what it keeps.
    fn has_double_at(&self, path: &str) -> bool {
        let other = FolderNow::at(Path::new(path));
        other.id == self.id && other.now != self.now
    }
}

/// Whose a change set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    ThisVault,
    /// This vault's, which a person has renamed or moved, or of which an earlier Nova did not write down
    /// which folder it is.
    ThisVaultToBeNoted,
    /// It has this vault's path, which led to another folder then.
    AnotherUnderThisPath,
    Another,
}

impl Owner {
    /// Of a set with that path and folder; `path` and `vault` are those of this vault.
    pub(super) fn of(set_path: &str, set_folder: Option<&FolderId>, path: &str, vault: &FolderNow) -> Owner {
        let is_path = set_path == path;
        match (set_folder, &vault.id) {
            (Some(set), Some(own)) if set == own => match () {
                () if is_path => Owner::ThisVault,
                () if vault.has_double_at(set_path) => Owner::Another,
                () => Owner::ThisVaultToBeNoted,
            },
            // Some file systems call every folder something else after each mount.
            (Some(set), Some(own)) if is_path && set.made == own.made => Owner::ThisVault,
            (Some(_), Some(_)) if is_path => Owner::AnotherUnderThisPath,
            (None, Some(_)) if is_path => Owner::ThisVaultToBeNoted,
            _ if is_path => Owner::ThisVault,
            _ => Owner::Another,
        }
    }

    pub(super) fn is_this_vault(self) -> bool {
        matches!(self, Owner::ThisVault | Owner::ThisVaultToBeNoted)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_folder_and_its_path_say_whose_a_set_is() {
        let id = |file: &str, made| Some(FolderId { file: file.to_owned(), made });
        let unknown = FolderNow { now: None, id: None };
        let known = FolderNow { now: None, id: id("b", 1) };
        for (set, vault, at_its_path, elsewhere) in [
            (id("a", 1), &unknown, Owner::ThisVault, Owner::Another),
            (None, &unknown, Owner::ThisVault, Owner::Another),
            (None, &known, Owner::ThisVaultToBeNoted, Owner::Another),
            // Mounted anew on a file system that numbers files as they are met.
            (id("a", 1), &known, Owner::ThisVault, Owner::Another),
            // Deleted and made anew: the file system gives the number again.
            (id("b", 2), &known, Owner::AnotherUnderThisPath, Owner::Another),
            (id("a", 2), &known, Owner::AnotherUnderThisPath, Owner::Another),
            (id("b", 1), &known, Owner::ThisVault, Owner::ThisVaultToBeNoted),
        ] {
            assert_eq!(Owner::of("/no/vault", set.as_ref(), "/no/vault", vault), at_its_path, "{set:?}");
            assert_eq!(Owner::of("/no/vault", set.as_ref(), "/no/Brain", vault), elsewhere, "{set:?}");
        }
    }

    #[test]
    fn a_snapshot_takes_nothing_from_the_folder_that_it_is_of() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap();
        let folder = FolderNow::at(dir.path());
        let Some(id) = folder.id.clone() else {
            return eprintln!("not tested: the file system does not say when a folder was made");
        };
        let snapshot = FolderNow { now: Some(FileId::new_inode(0, 0)), id: Some(id.clone()) };
        assert_eq!(Owner::of(path, Some(&id), "/snapshot", &snapshot), Owner::Another);
        assert_eq!(Owner::of(path, Some(&id), "/other/mount", &folder), Owner::ThisVaultToBeNoted);
        assert_eq!(Owner::of("/gone", Some(&id), "/snapshot", &snapshot), Owner::ThisVaultToBeNoted);
    }
}
