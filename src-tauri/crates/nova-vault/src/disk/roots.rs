//! Extra roots: folders outside of the vault that the user listed and put into it by a symbolic link.
//! Such a link is followed only at the top of the vault, only to a folder that is listed, and only where
//! it is the one way to that folder, so that no note is there twice. Below it no link is followed.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::Dir;

use super::abilities::Abilities;
use super::walk::RACY;
use super::{Stamp, platform};
use crate::core::without_links;
use crate::index::nanos_now;

/// The extra roots of a vault; clones are the same. By default there are none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(Arc<Listed>);

#[derive(Debug, Default)]
struct Listed {
    vault: PathBuf,
    /// As the user wrote them.
    roots: Vec<PathBuf>,
    /// What no root may be, hold or lie in.
    forbidden: Vec<PathBuf>,
    /// What the file systems of those that were entered showed they can do.
    abilities: Mutex<HashMap<PathBuf, Abilities>>,
    /// By link: the root that it alone led to, and what the top of the vault was then.
    alone: Mutex<HashMap<String, (PathBuf, Stamp)>>,
}

/// A root that a link leads to.
#[derive(Debug)]
pub(super) struct Entered {
    pub(super) dir: Dir,
    pub(super) path: PathBuf,
    pub(super) abilities: Abilities,
}

/// Why a link at the top of the vault is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("it is a symbolic link that leads nowhere")]
    Nowhere,
    #[error("it is a symbolic link, which Nova does not follow")]
    NotListed,
    #[error(
        "it is a symbolic link to a folder that the vault or Nova's own files lie in, or that lies in these"
    )]
    Forbidden,
    #[error("it is a symbolic link to the same notes as \"{other}\"")]
    Twice { other: String },
    #[error("it is a symbolic link to a folder that cannot be opened ({reason})")]
    Closed { reason: String },
}

impl Refusal {
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Refusal::Nowhere => "Put the folder back that it leads to, or remove the link.",
            Refusal::NotListed => NOT_FOLLOWED,
            Refusal::Forbidden => "Remove the link; lead it to a folder that holds only notes.",
            Refusal::Twice { .. } => "Remove one of the two links: no note may be there twice.",
            Refusal::Closed { .. } => "Give your user the right to read the folder.",
        }
    }
}

/// What to do about a link that is not followed.
pub(crate) const NOT_FOLLOWED: &str = "Put the notes themselves into the vault in place of the link. A link \
    at the top of the vault to a folder of notes is followed when \"roots\" in nova.config.json lists that \
    folder.";

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> io::Error {
        // Not as if nothing was there: the notes of a disk that is not mounted now were not removed.
        io::Error::new(io::ErrorKind::PermissionDenied, refusal)
    }
}

impl Roots {
    pub(crate) fn new(vault: &Path, roots: Vec<PathBuf>, forbidden: Vec<PathBuf>) -> Roots {
        let vault = vault.to_owned();
        Roots(Arc::new(Listed { vault, roots, forbidden, ..Listed::default() }))
    }

    /// Whether these are listed, as the user wrote them.
    pub(crate) fn are(&self, roots: &[PathBuf]) -> bool {
        self.0.roots == roots
    }

    pub(super) fn are_none(&self) -> bool {
        self.0.roots.is_empty()
    }

    /// The root that the link `name` at the `top` of the vault leads to. Whatever the link is swapped for
    /// meanwhile, only a listed folder is opened.
    pub(super) fn enter(&self, top: &Dir, name: &str) -> Result<Entered, Refusal> {
        let path = self.led_to(name)?;
        self.refuse_second(top, name, &path)?;
        let dir =
            platform::open_root(&path).map_err(|error| Refusal::Closed { reason: error.to_string() })?;
        let mut abilities = self.0.abilities.lock().unwrap_or_else(PoisonError::into_inner);
        let abilities = abilities.entry(path.clone()).or_default().clone();
        Ok(Entered { dir, path, abilities })
    }

    /// Refuses a link beside which another one leads to the same notes. Thousands of notes are reached
    /// through a link one by one, so the top of the vault is looked through once while it stays as it is. What
    /// changes elsewhere changes where a link leads to, and that is asked each time.
    fn refuse_second(&self, top: &Dir, name: &str, path: &Path) -> Result<(), Refusal> {
        let as_it_is = platform::look(top, ".").ok().map(|look| look.stamp);
        let alone = || self.0.alone.lock().unwrap_or_else(PoisonError::into_inner);
        if alone().get(name).is_some_and(|(led_to, was)| led_to == path && Some(*was) == as_it_is) {
            return Ok(());
        }
        #[cfg(test)]
        crate::tests::work::done();
        let other = top.entries().ok().into_iter().flatten().flatten().find_map(|entry| {
            let other = entry.file_name().into_string().ok()?;
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let leads_there =
                is_link && other != name && self.led_to(&other).is_ok_and(|there| overlap(&there, path));
            leads_there.then_some(other)
        });
        if let Some(other) = other {
            return Err(Refusal::Twice { other });
        }
        // What changes twice within a tick of the system's clock looks as if it changed once.
        if let Some(stamp) = as_it_is.filter(|stamp| stamp.touched().saturating_add(RACY) < nanos_now()) {
            alone().insert(name.to_owned(), (path.to_owned(), stamp));
        }
        Ok(())
    }

    /// The listed folder that a link at the top of the vault leads to.
    fn led_to(&self, name: &str) -> Result<PathBuf, Refusal> {
        let Listed { vault, roots, forbidden, .. } = &*self.0;
        let path = vault.join(name).canonicalize().map_err(|_| Refusal::Nowhere)?;
        if !roots.iter().any(|root| root.canonicalize().is_ok_and(|root| root == path)) {
            return Err(Refusal::NotListed);
        }
        let is_own = |folder: &PathBuf| overlap(&without_links(folder), &path);
        if overlap(vault, &path) || forbidden.iter().any(is_own) {
            return Err(Refusal::Forbidden);
        }
        Ok(path)
    }

    /// The links at the top of the vault that lead to a root, with it.
    pub(super) fn links(&self, top: &Dir) -> Vec<(String, PathBuf)> {
        let names = top.entries().into_iter().flatten().flatten();
        let links = names.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        let leads = |name: String| self.led_to(&name).ok().map(|root| (name, root));
        links.filter_map(|entry| leads(entry.file_name().into_string().ok()?)).collect()
    }

    /// Why two files cannot be exchanged in a root, where that showed.
    pub(super) fn no_exchange(&self) -> Option<String> {
        let abilities = self.0.abilities.lock().unwrap_or_else(PoisonError::into_inner);
        abilities.iter().find_map(|(root, abilities)| {
            let reason = abilities.exchange()?.err()?;
            Some(format!("in {}: {reason}", root.display()))
        })
    }
}

/// Whether one folder is the other or lies in it.
fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
