//! Whether the opened folder is still the one that its path names. A folder that was renamed, deleted or
//! unmounted can be written through its handle anyway, and nobody would find what was written.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::gone_root::GoneRoot;
use super::roots::{Refusal, Roots};
use super::{Disk, platform};
use crate::error::VaultError;

impl Disk {
    /// The same folder under the path that the user gave, which may lead to it through links.
    pub(crate) fn named(self, named: PathBuf) -> Disk {
        Disk { named, ..self }
    }

    /// The path that the user gave.
    pub(crate) fn given(&self) -> &Path {
        &self.named
    }

    /// An error where the path does not name the opened folder now: before every write, and whenever
    /// somebody asks for the state.
    pub(crate) fn check_present(&self) -> Result<(), VaultError> {
        let gone = |reason: Option<String>| VaultError::Gone { root: self.named.clone(), reason };
        let there = match platform::stat_followed(&self.named) {
            Ok(there) => there.stamp,
            Err(error) if is_nothing(&error) => return Err(gone(None)),
            Err(error) => return Err(gone(Some(error.to_string()))),
        };
        match self.opened.is_of_same_file(&there) {
            true => Ok(()),
            false => Err(gone(Some("another folder is in its place".to_owned()))),
        }
    }

    /// The extra roots that cannot be reached now: missing, not mounted, or closed to the user.
    pub(crate) fn gone_roots(&self) -> Vec<GoneRoot> {
        let mut gone = self.roots.gone(&self.dir, |_| true);
        gone.sort_by(|one, other| one.link.cmp(&other.link));
        gone
    }

    /// The extra root that this name at the top of the vault leads to, where it cannot be reached now.
    pub(super) fn gone_root(&self, top: &str) -> Option<GoneRoot> {
        self.roots.gone(&self.dir, |link| link == top).pop()
    }
}

impl Roots {
    /// The extra roots behind the links `of` the top of the vault that cannot be reached now.
    pub(super) fn gone(&self, top: &Dir, of: impl Fn(&str) -> bool) -> Vec<GoneRoot> {
        if self.are_none() {
            return Vec::new();
        }
        let links = self.links(top).into_iter().filter(|(link, _)| of(link));
        let gone = links.filter_map(|(link, folder)| match self.enter(top, &link).err()? {
            refusal @ (Refusal::Nowhere | Refusal::NotMounted | Refusal::Closed { .. }) => {
                Some(GoneRoot { link, folder, remedy: refusal.remedy() })
            }
            Refusal::NotListed | Refusal::Forbidden | Refusal::Twice { .. } => None,
        });
        gone.collect()
    }
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
