//! Remembers the identity of the vault's folder and of each extra root when it last had content. An
//! unmounted disk leaves an empty mount point that looks like an empty vault, also to a new process.

use std::fs;
use std::path::{Path, PathBuf};

use super::folder_id::{FolderId, FolderNow};
use super::private::write_private;
use crate::note::ContentHash;

/// The remembered folders, one small file each next to the journal.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownFolders(Option<PathBuf>);

impl KnownFolders {
    pub(crate) fn beside(journal: &Path) -> KnownFolders {
        KnownFolders(Some(journal.to_owned()))
    }

    /// Whether another folder than the one at `path` had content there: then an empty one is probably an
    /// unmounted mount point.
    pub(crate) fn is_another(&self, path: &Path) -> bool {
        self.read(path).is_some_and(|known| known != FolderNow::at(path).id)
    }

    /// Remembers the folder at `path`, which has content. If that fails, the next process cannot detect an
    /// unmounted disk.
    pub(crate) fn remember(&self, path: &Path) {
        let now = FolderNow::at(path).id;
        let Some(file) = self.file_of(path).filter(|_| self.read(path).as_ref() != Some(&now)) else {
            return;
        };
        let _ = fs::remove_file(&file);
        let written = serde_json::to_vec(&now).map_err(Into::into).and_then(|id| write_private(&file, &id));
        if let Err(error) = written {
            tracing::debug!(path = %file.display(), %error, "cannot remember the vault folder");
        }
    }

    /// Forgets the folder at `path`, because the user accepted the present one.
    pub(crate) fn forget(&self, path: &Path) {
        if let Some(file) = self.file_of(path) {
            let _ = fs::remove_file(file);
        }
    }

    fn read(&self, path: &Path) -> Option<Option<FolderId>> {
        let file = self.file_of(path)?;
        // Opening a pipe would block until there is a writer.
        fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file)?;
        serde_json::from_slice(&fs::read(file).ok()?).ok()
    }

    fn file_of(&self, path: &Path) -> Option<PathBuf> {
        let name = ContentHash::of(path.as_os_str().as_encoded_bytes()).to_string();
        Some(self.0.as_ref()?.join(format!(".folder-{}", &name[..16])))
    }
}
