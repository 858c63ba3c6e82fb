//! Which folder the vault, or an extra root, was when it last held something. While a disk is not mounted,
//! the folder that it is mounted at looks like an empty vault, also to a process that starts only then.

use std::fs;
use std::path::{Path, PathBuf};

use super::folder_id::{FolderId, FolderNow};
use super::private::write_private;
use crate::note::ContentHash;

/// The folders that held something, one small file each beside the journal.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownFolders(Option<PathBuf>);

impl KnownFolders {
    pub(crate) fn beside(journal: &Path) -> KnownFolders {
        KnownFolders(Some(journal.to_owned()))
    }

    /// Whether another folder than the one at `path` held something there: of an empty folder, that it may
    /// not be the one that is meant.
    pub(crate) fn is_another(&self, path: &Path) -> bool {
        self.read(path).is_some_and(|known| known != FolderNow::at(path).id)
    }

    /// Remembers which folder is at `path`, which holds something. Where that cannot be kept, an unmounted
    /// disk is not recognised by the next process.
    pub(crate) fn remember(&self, path: &Path) {
        let now = FolderNow::at(path).id;
        let Some(file) = self.file_of(path).filter(|_| self.read(path).as_ref() != Some(&now)) else {
            return;
        };
        let _ = fs::remove_file(&file);
        let written = serde_json::to_vec(&now).map_err(Into::into).and_then(|id| write_private(&file, &id));
        if let Err(error) = written {
            tracing::debug!("{}: {error}", file.display());
        }
    }

    /// The user has chosen what is at `path` now, whatever was there before.
    pub(crate) fn forget(&self, path: &Path) {
        if let Some(file) = self.file_of(path) {
            let _ = fs::remove_file(file);
        }
    }

    fn read(&self, path: &Path) -> Option<Option<FolderId>> {
        let file = self.file_of(path)?;
        // To open a pipe would wait for a writer.
        fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file)?;
        serde_json::from_slice(&fs::read(file).ok()?).ok()
    }

    fn file_of(&self, path: &Path) -> Option<PathBuf> {
        let name = ContentHash::of(path.as_os_str().as_encoded_bytes()).to_string();
        Some(self.0.as_ref()?.join(format!(".folder-{}", &name[..16])))
    }
}
