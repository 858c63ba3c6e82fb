//! Decides to which vault a change set belongs: by the path recorded with it, and by the folder's identity,
//! which survives renames and moves.
//!
//! The path alone would lose the history after a rename. The identity alone would lose it as well: a vault
//! restored from a backup or downloaded again by a sync program is another folder at the old path. So a set
//! belongs to a vault if
//!
//! - its path is the vault's and no other folder identity is recorded; or
//! - its folder is the vault's, and its path does not lead to another folder with the same identity, as in
//!   a snapshot of a whole disk.
//!
//! A set with this path but another folder is not shown, unless the vault contains what the set wrote (see
//! `write/moved.rs`).

use crate::disk::{FolderId, FolderNow};

/// The vault to which a change set belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    ThisVault,
    /// This vault, but its folder was renamed or moved, or an older version did not record its identity.
    ThisVaultToBeNoted,
    /// This vault's path, which led to another folder then.
    AnotherUnderThisPath,
    Another,
}

impl Owner {
    /// The owner of a set with this path and folder; `path` and `vault` are this vault's.
    pub(super) fn of(set_path: &str, set_folder: Option<&FolderId>, path: &str, vault: &FolderNow) -> Owner {
        let is_path = set_path == path;
        match (set_folder, &vault.id) {
            (Some(set), Some(own)) if set == own => match () {
                () if is_path => Owner::ThisVault,
                () if vault.has_double_at(set_path) => Owner::Another,
                () => Owner::ThisVaultToBeNoted,
            },
            // Some file systems assign new folder ids at every mount.
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
    fn owner_of_a_set_follows_from_path_and_folder() {
        let id = |file: &str, made| Some(FolderId { file: file.to_owned(), made });
        let unknown = FolderNow { now: None, id: None };
        let known = FolderNow { now: None, id: id("b", 1) };
        for (set, vault, at_its_path, elsewhere) in [
            (id("a", 1), &unknown, Owner::ThisVault, Owner::Another),
            (None, &unknown, Owner::ThisVault, Owner::Another),
            (None, &known, Owner::ThisVaultToBeNoted, Owner::Another),
            // Remounted on a file system that assigns ids dynamically.
            (id("a", 1), &known, Owner::ThisVault, Owner::Another),
            // Deleted and created again: the file system reuses the id.
            (id("b", 2), &known, Owner::AnotherUnderThisPath, Owner::Another),
            (id("a", 2), &known, Owner::AnotherUnderThisPath, Owner::Another),
            (id("b", 1), &known, Owner::ThisVault, Owner::ThisVaultToBeNoted),
        ] {
            assert_eq!(Owner::of("/no/vault", set.as_ref(), "/no/vault", vault), at_its_path, "{set:?}");
            assert_eq!(Owner::of("/no/vault", set.as_ref(), "/no/Brain", vault), elsewhere, "{set:?}");
        }
    }

    #[test]
    fn snapshot_does_not_take_over_the_sets_of_its_origin() {
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
