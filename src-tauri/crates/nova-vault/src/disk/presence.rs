//! Whether the opened folder is still the one at its path. A renamed, deleted or unmounted folder remains
//! writable through its handle, but nobody would find what was written.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::gone_root::GoneRoot;
use super::roots::{Refusal, Roots};
use super::{Disk, platform};
use crate::error::VaultError;

impl Disk {
    /// Sets the path that the user gave, which may contain links.
    pub(crate) fn named(self, named: PathBuf) -> Disk {
        Disk { named, ..self }
    }

    /// The path that the user gave.
    pub(crate) fn given(&self) -> &Path {
        &self.named
    }

    /// Fails if the path does not name the opened folder now. Called before every write and for the status.
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

    /// Extra roots that are unreachable now: missing, not mounted, or without permission.
    pub(crate) fn gone_roots(&self) -> Vec<GoneRoot> {
        let mut gone = self.roots.gone(&self.dir, |_| true);
        gone.sort_by(|one, other| one.link.cmp(&other.link));
        gone
    }

    /// The extra root behind this name at the top of the vault, if it is unreachable now.
    pub(super) fn gone_root(&self, top: &str) -> Option<GoneRoot> {
        self.roots.gone(&self.dir, |link| link == top).pop()
    }
}

impl Roots {
    /// Unreachable extra roots among the links at the `top` of the vault that satisfy `of`.
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
