//! Extra roots: folders outside of the vault that the user listed and linked into it. Such a link is
//! followed only at the top of the vault, only to a listed folder, and only if no other link leads to the
//! same folder, so that no note occurs twice. Links below it are not followed.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::abilities::Abilities;
use super::platform::{Kind, RACY, nanos_now};
use super::real_path::without_links;
use super::{Disk, KnownFolders, Place, Stamp, platform};
use crate::error::VaultError;
use crate::note::VaultPath;

/// The extra roots of a vault, none by default; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(Arc<Listed>);

#[derive(Debug, Default)]
struct Listed {
    vault: PathBuf,
    /// As configured by the user.
    roots: Vec<PathBuf>,
    /// Folders that a root must not equal, contain or lie in.
    forbidden: Vec<PathBuf>,
    /// File system capabilities of the entered roots.
    abilities: Mutex<HashMap<PathBuf, Abilities>>,
    /// Identity of each root when it last had content.
    known: KnownFolders,
    /// Device numbers of the entered roots.
    disks: Mutex<HashMap<PathBuf, u64>>,
    /// Treats each folder as a disk, because tests cannot mount.
    #[cfg(all(test, unix))]
    folders_are_disks: std::sync::atomic::AtomicBool,
    /// By link: the root to which it was the only link, and the stamp of the vault's top then.
    alone: Mutex<HashMap<String, (PathBuf, Stamp)>>,
}

/// An entered root.
#[derive(Debug)]
pub(super) struct Entered {
    pub(super) dir: Dir,
    pub(super) path: PathBuf,
    pub(super) abilities: Abilities,
}

/// Why a link at the top of the vault is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("it is a broken symbolic link")]
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
    #[error("it is a symbolic link to a folder that is empty and on another disk than before")]
    NotMounted,
}

impl Refusal {
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Refusal::Nowhere => "Restore the folder it leads to, or remove the link.",
            Refusal::NotListed => NOT_FOLLOWED,
            Refusal::Forbidden => "Remove the link, or point it to a folder that holds only notes.",
            Refusal::Twice { .. } => "Remove one of the two links, so that each note has one path.",
            Refusal::Closed { .. } => "Give your user the right to read the folder.",
            Refusal::NotMounted => "Mount the disk that the notes are on.",
        }
    }
}

/// Remedy for a link that is not followed.
pub(crate) const NOT_FOLLOWED: &str = "Put the notes themselves into the vault in place of the link. A link \
    at the top of the vault to a folder of notes is followed when \"roots\" in nova.config.json lists that \
    folder.";

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> io::Error {
        // Not `NotFound`: the notes on an unmounted disk were not removed.
        io::Error::new(io::ErrorKind::PermissionDenied, refusal)
    }
}

impl Roots {
    pub(crate) fn new(
        vault: &Path,
        roots: Vec<PathBuf>,
        forbidden: Vec<PathBuf>,
        known: KnownFolders,
    ) -> Roots {
        let vault = vault.to_owned();
        Roots(Arc::new(Listed { vault, roots, forbidden, known, ..Listed::default() }))
    }

    /// Whether these are the configured roots.
    pub(crate) fn are(&self, roots: &[PathBuf]) -> bool {
        self.0.roots == roots
    }

    pub(super) fn are_none(&self) -> bool {
        self.0.roots.is_empty()
    }

    /// Enters the root behind the link `name` at the `top` of the vault. Opens only a listed folder, even
    /// if the link is swapped concurrently.
    pub(super) fn enter(&self, top: &Dir, name: &str) -> Result<Entered, Refusal> {
        let path = self.led_to(name)?;
        self.refuse_second(top, name, &path)?;
        let dir =
            platform::open_root(&path).map_err(|error| Refusal::Closed { reason: error.to_string() })?;
        self.refuse_unmounted(&dir, &path)?;
        let mut abilities = self.0.abilities.lock().unwrap_or_else(PoisonError::into_inner);
        let abilities = abilities.entry(path.clone()).or_default().clone();
        Ok(Entered { dir, path, abilities })
    }

    /// Refuses the mount point of an unmounted disk: its notes were not removed, and new ones would be
    /// hidden by the next mount.
    fn refuse_unmounted(&self, dir: &Dir, path: &Path) -> Result<(), Refusal> {
        let Some(disk) = self.disk_of(dir) else { return Ok(()) };
        let mut disks = self.0.disks.lock().unwrap_or_else(PoisonError::into_inner);
        match disks.get(path) {
            Some(before) if *before == disk => {}
            Some(_) if is_empty(dir).unwrap_or(false) => return Err(Refusal::NotMounted),
            None if is_empty(dir).unwrap_or(false) && self.0.known.is_another(path) => {
                return Err(Refusal::NotMounted);
            }
            _ => {
                disks.insert(path.to_owned(), disk);
            }
        }
        Ok(())
    }

    fn disk_of(&self, folder: &Dir) -> Option<u64> {
        #[cfg(all(test, unix))]
        if self.0.folders_are_disks.load(std::sync::atomic::Ordering::Relaxed) {
            return folder.dir_metadata().ok().map(|found| cap_std::fs::MetadataExt::ino(&found));
        }
        platform::stat(folder, ".").ok().map(|stat| stat.stamp.device())
    }

    #[cfg(all(test, unix))]
    pub(crate) fn take_folders_for_disks(&self) {
        self.0.folders_are_disks.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    /// Refuses a link if another one leads to the same notes. Thousands of notes are reached through a link
    /// one by one, so the scan of the vault's top is cached until its stamp changes. Changes elsewhere
    /// affect where links lead, which is resolved each time.
    fn refuse_second(&self, top: &Dir, name: &str, path: &Path) -> Result<(), Refusal> {
        let as_it_is = platform::stat(top, ".").ok().map(|stat| stat.stamp);
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
        // Two changes within one clock tick leave the same stamp.
        if let Some(stamp) = as_it_is.filter(|stamp| stamp.touched().saturating_add(RACY) < nanos_now()) {
            alone().insert(name.to_owned(), (path.to_owned(), stamp));
        }
        Ok(())
    }

    /// Resolves a link at the top of the vault to its listed folder.
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

    /// The links at the top of the vault to listed folders, including those not followed now because the
    /// folder is missing or for another reason.
    pub(super) fn links(&self, top: &Dir) -> Vec<(String, PathBuf)> {
        let Listed { vault, roots, .. } = &*self.0;
        let roots: Vec<PathBuf> = roots.iter().map(|root| without_links(root)).collect();
        let names = top.entries().into_iter().flatten().flatten();
        let links = names.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        let leads = |name: String| {
            let link = vault.join(&name);
            let target = link
                .canonicalize()
                .ok()
                .or_else(|| link.read_link().ok().map(|target| without_links(&vault.join(target))))?;
            roots.contains(&target).then_some((name, target))
        };
        links.filter_map(|entry| leads(entry.file_name().into_string().ok()?)).collect()
    }

    /// Why two files cannot be exchanged in some root, if known.
    pub(super) fn no_exchange(&self) -> Option<String> {
        let abilities = self.0.abilities.lock().unwrap_or_else(PoisonError::into_inner);
        abilities.iter().find_map(|(root, abilities)| {
            let reason = abilities.exchange()?.err()?;
            Some(format!("in {}: {reason}", root.display()))
        })
    }
}

impl Disk {
    /// Opens a folder at the top of the vault: a real one or an extra root behind a link.
    pub(super) fn enter(&self, top: &str) -> io::Result<(Dir, Abilities)> {
        match self.dir.open_dir_nofollow(top) {
            Ok(dir) => Ok((dir, self.abilities.clone())),
            Err(_) if self.may_lead_to_root(top) => {
                let entered = self.roots.enter(&self.dir, top)?;
                Ok((entered.dir, entered.abilities))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn may_lead_to_root(&self, top: &str) -> bool {
        !self.roots.are_none() && self.is_link_at_top(top)
    }

    fn is_link_at_top(&self, name: &str) -> bool {
        platform::stat(&self.dir, name).is_ok_and(|stat| stat.kind == Kind::Link)
    }

    /// Whether a link of this name at the top of the vault is followed.
    pub(crate) fn leads_to_root(&self, top: &str) -> bool {
        self.may_lead_to_root(top) && self.roots.enter(&self.dir, top).is_ok()
    }

    /// Why a link to a listed folder, present or former, is not followed, and the remedy. Says nothing
    /// about other links, because any reader may see the message.
    pub(super) fn why_not_followed(&self, top: &str) -> Option<(String, &'static str)> {
        let refusal = self.may_lead_to_root(top).then(|| self.roots.enter(&self.dir, top).err()).flatten()?;
        let reason = match &refusal {
            Refusal::NotListed => return None,
            Refusal::Twice { .. } => "it is a symbolic link to the same notes as another one".to_owned(),
            other => other.to_string(),
        };
        Some((reason, refusal.remedy()))
    }

    /// The canonical folder that contains the note's top-level folder (the vault's own or an extra root),
    /// and the canonical path of the note.
    pub(crate) fn real_path(&self, path: &VaultPath) -> (PathBuf, PathBuf) {
        if let Some((top, rest)) = path.as_str().split_once('/')
            && self.may_lead_to_root(top)
            && let Ok(entered) = self.roots.enter(&self.dir, top)
        {
            let note = entered.path.join(rest);
            return (entered.path, note);
        }
        (self.root.clone(), self.root.join(path.as_str()))
    }

    /// Remembers the identity of the vault and its extra roots, if they have content.
    pub(crate) fn remember(&self) {
        let known = &self.roots.0.known;
        if !self.is_empty() {
            known.remember(&self.root);
        }
        let links = if self.roots.are_none() { Vec::new() } else { self.roots.links(&self.dir) };
        for entered in links.iter().filter_map(|(link, _)| self.roots.enter(&self.dir, link).ok()) {
            if !is_empty(&entered.dir).unwrap_or(true) {
                known.remember(&entered.path);
            }
        }
    }

    /// Whether the vault is empty: most likely it is not mounted.
    pub(crate) fn is_empty(&self) -> bool {
        is_empty(&self.dir).unwrap_or(true)
    }

    /// Whether the note is in an extra root.
    pub(crate) fn is_in_root(&self, path: &VaultPath) -> bool {
        path.as_str().split_once('/').is_some_and(|(top, _)| self.may_lead_to_root(top))
    }

    /// The place of a note that was written before; `None` if its folder was deleted since. An error if
    /// both may return: the folder is unreadable, or its disk is not mounted, which shows as an empty vault
    /// or root, or as a link that is not followed.
    pub(crate) fn place_again(&self, path: &VaultPath) -> io::Result<Option<Place>> {
        let top = path.as_str().split_once('/').map(|(top, _)| top);
        let holder = match top.filter(|top| self.is_link_at_top(top)) {
            Some(link) => self.enter(link)?.0,
            None => self.dir.try_clone()?,
        };
        if is_empty(&holder)? {
            return Err(io::Error::other("it no longer exists"));
        }
        match self.place(path) {
            Ok(place) => Ok(Some(place)),
            Err(VaultError::NotFound { .. } | VaultError::Symlink { .. }) => Ok(None),
            Err(VaultError::Io { source, .. }) if source.kind() == io::ErrorKind::NotADirectory => Ok(None),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }

    /// The vault's names for a location on disk, or for the parts of the vault inside it (`""`: all of it),
    /// whether or not it is present now.
    pub(crate) fn named_within(&self, place: &Path) -> BTreeSet<String> {
        let held_by = |place: &Path, (name, holder): &(String, PathBuf)| {
            name_in(place, name, holder).or_else(|| holder.starts_with(place).then(|| name.clone()))
        };
        let (holders, place) = (self.holders(), [place.to_owned(), without_links(place)]);
        place.iter().flat_map(|place| holders.iter().filter_map(|holder| held_by(place, holder))).collect()
    }

    /// The vault's name for a location on disk, whether or not it exists.
    pub(crate) fn name_of(&self, place: &Path) -> Option<String> {
        let place = [place.to_owned(), without_links(place)];
        let holders = self.holders();
        place.iter().find_map(|place| holders.iter().find_map(|(name, holder)| name_in(place, name, holder)))
    }

    /// The vault's folder and the extra roots, each with its name in the vault.
    fn holders(&self) -> Vec<(String, PathBuf)> {
        let links = if self.roots.are_none() { Vec::new() } else { self.roots.links(&self.dir) };
        std::iter::once((String::new(), self.root.clone())).chain(links).collect()
    }
}

/// `place` as a path of the vault if it is inside `holder`, which the vault names `name`.
fn name_in(place: &Path, name: &str, holder: &Path) -> Option<String> {
    let named = Path::new(name).join(place.strip_prefix(holder).ok()?);
    named.to_str().map(|named| named.trim_end_matches('/').to_owned())
}

fn is_empty(folder: &Dir) -> io::Result<bool> {
    Ok(folder.entries()?.next().is_none())
}

/// Whether one folder contains or equals the other.
fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
