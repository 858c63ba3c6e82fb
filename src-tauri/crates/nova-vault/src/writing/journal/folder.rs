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

use crate::disk::{FolderId, FolderNow};

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
    use file_id::FileId;

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
