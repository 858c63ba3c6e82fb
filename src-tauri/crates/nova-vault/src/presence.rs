//! Whether the folders of an open vault are still at their paths.

use std::sync::Arc;

use crate::disk::{Disk, GoneRoot, Spellings};
use crate::error::VaultError;
use crate::reading::index::Head;
use crate::vault::Vault;

impl Vault {
    /// [`VaultError::Gone`] if the vault's path no longer names its folder. Reads and writes check this
    /// themselves.
    pub fn check_present(&self) -> Result<(), VaultError> {
        self.core().disk.check_present()
    }

    /// Remembers the identity of the vault and of its extra roots, so that a later process does not mistake
    /// the empty mount point of an unmounted disk for the vault.
    pub fn remember_folder(&self) {
        self.core().disk.remember();
    }

    /// The extra roots that are unreachable now, by the names of their links. Nothing is written there.
    pub fn gone_roots(&self) -> Vec<GoneRoot> {
        self.core().disk.gone_roots()
    }

    /// Whether a new folder at the vault's path has its notes: at least half of the last known paths, as
    /// after restoring a backup or remounting a disk. Any other folder, such as an empty mount point, does
    /// not.
    pub fn is_put_back(&self) -> bool {
        let Some(known) = self.index().last_listing().filter(|known| !known.heads.is_empty()) else {
            return false;
        };
        let Ok(folder) = Disk::open(self.root().to_owned(), self.core().disk.roots().clone()) else {
            return false;
        };
        let is_there =
            |head: &&Arc<Head>| folder.place(&head.path).is_ok_and(|place| !place.is_free(&head.path));
        known.heads.iter().filter(is_there).count() * 2 >= known.heads.len()
    }

    /// Names in a folder; empty if it does not exist.
    pub(crate) fn names(&self, folder: &str) -> Result<Vec<String>, VaultError> {
        self.check_present()?;
        self.core().disk.names(folder)
    }

    /// The folders whose paths differ from this one in case only.
    pub(crate) fn spellings(&self, folder: &str) -> Result<Spellings, VaultError> {
        self.check_present()?;
        self.core().disk.spellings(folder)
    }
}
