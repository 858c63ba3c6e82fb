//! Whether the folders of an open vault are where their paths say.

use std::sync::Arc;

use crate::disk::{Disk, GoneRoot, Spellings};
use crate::error::VaultError;
use crate::reading::index::Head;
use crate::vault::Vault;

impl Vault {
    /// [`VaultError::Gone`] where the path that the vault was opened with does not name its folder now.
    /// Reading and writing check it themselves.
    pub fn check_present(&self) -> Result<(), VaultError> {
        self.core().disk.check_present()
    }

    /// Keeps which folder the vault is, and which its extra roots are, so that a later process does not take
    /// the empty folder that a disk is mounted at for the vault while the disk is not mounted.
    pub fn remember_folder(&self) {
        self.core().disk.remember();
    }

    /// The extra roots that cannot be reached now, by the names of their links. Nothing is written there.
    pub fn gone_roots(&self) -> Vec<GoneRoot> {
        self.core().disk.gone_roots()
    }

    /// Whether a folder that was put where the vault's was holds its notes: at least half of those that
    /// were last known, as after a backup is restored or a disk is mounted again. Another folder, such as
    /// the one that is left while a disk is not mounted, does not.
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

    /// Names in a folder, none where there is no such folder.
    pub(crate) fn names(&self, folder: &str) -> Result<Vec<String>, VaultError> {
        self.check_present()?;
        self.core().disk.names(folder)
    }

    /// The folders whose paths differ in case only from this one.
    pub(crate) fn spellings(&self, folder: &str) -> Result<Spellings, VaultError> {
        self.check_present()?;
        self.core().disk.spellings(folder)
    }
}
