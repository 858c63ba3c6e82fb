//! The vault's folder by handle: every path is walked component by component from the opened root without
//! following links, so that nothing outside can be reached, even if a folder is swapped for a link
//! concurrently. The only exception are links at the top of the vault to folders that the user listed
//! ([`Roots`]), which are walked in the same way.

mod abilities;
mod attributes;
mod contents;
mod folder_id;
mod fsync;
mod gone_root;
mod known;
mod moving;
mod place;
mod platform;
mod presence;
mod private;
mod real_path;
mod remote;
mod roots;
mod trash;
mod walk;

use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use crate::content::Content;
use crate::error::VaultError;
use crate::note::{VaultPath, folded};

use abilities::Abilities;
pub(crate) use attributes::Attributes;
pub use contents::MAX_NOTE_BYTES;
pub(crate) use contents::{Found, bytes_outside, write_all};
use contents::{read_from_start, read_into, read_untorn};
pub(crate) use folder_id::{FolderId, FolderNow};
pub(crate) use fsync::Fsync;
pub use gone_root::GoneRoot;
pub(crate) use known::KnownFolders;
pub(crate) use place::{InPlace, Like, NoteFile, OpenedFile, Place};
pub(crate) use platform::{Kind, RACY, Stamp, nanos_now, open_file, timestamp};
pub(crate) use private::{Open, make_private_folder, open_private, private_file, sync_path, write_private};
pub(crate) use real_path::without_links;
pub(crate) use roots::{Refusal, Roots};
pub use trash::top_folder;
pub(crate) use trash::{SystemTrash, TrashPlace};
use walk::MAX_DEPTH;
pub(crate) use walk::{At, Folder, Known, Met, Names, in_parallel, threads};

/// Refuses paths in dot-folders, which are not part of the notes.
pub(crate) fn refuse_hidden(path: &VaultPath) -> Result<(), VaultError> {
    if path.is_hidden() {
        return Err(VaultError::Hidden { path: path.clone() });
    }
    Ok(())
}

/// The opened vault folder.
#[derive(Debug)]
pub(crate) struct Disk {
    root: PathBuf,
    /// The path that the user gave; `root` is its canonical form.
    named: PathBuf,
    dir: Dir,
    /// Identity of the opened folder, which never changes.
    opened: Stamp,
    abilities: Abilities,
    roots: Roots,
    /// Simulates an unknown file system.
    #[cfg(test)]
    unusual: std::sync::atomic::AtomicBool,
}

/// The folders whose paths differ from a given one in case only.
#[derive(Debug, Default)]
pub(crate) struct Spellings {
    /// Existing folders with this path, sorted.
    pub(crate) whole: Vec<String>,
    /// If there are none: the existing parents of the first missing component.
    above: Vec<String>,
    /// Number of leading components that exist in some case.
    pub(crate) depth: usize,
}

impl Spellings {
    /// The folder with the spelling on disk for its existing components; the given spelling is preferred if
    /// it exists.
    pub(crate) fn best(&self, folder: &str) -> String {
        let parts: Vec<&str> = folder.split('/').collect();
        let there = if self.whole.is_empty() { &self.above } else { &self.whole };
        let given = parts[..self.depth.min(parts.len())].join("/");
        let spelled = if there.contains(&given) { Some(&given) } else { there.first() };
        let spelled =
            spelled.into_iter().flat_map(|spelled| spelled.split('/')).filter(|part| !part.is_empty());
        spelled.chain(parts.iter().copied().skip(self.depth)).collect::<Vec<_>>().join("/")
    }
}

impl Disk {
    /// Opens `root`, which must be an absolute path without links; a link in its place is refused.
    pub(crate) fn open(root: PathBuf, roots: Roots) -> io::Result<Disk> {
        let dir = platform::open_root(&root)?;
        dir.entries()?;
        Ok(Disk {
            named: root.clone(),
            root,
            opened: platform::stat(&dir, ".")?.stamp,
            dir,
            abilities: Abilities::default(),
            roots,
            #[cfg(test)]
            unusual: false.into(),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The opened folder of `path`, and the file's name in it.
    pub(crate) fn place(&self, path: &VaultPath) -> Result<Place, VaultError> {
        let (folder, abilities) =
            self.descend(path.folder()).map_err(|error| self.explain(path, "open", error))?;
        Ok(Place::new(folder, path, abilities))
    }

    /// As [`Disk::place`], in the innermost existing folder of the path.
    pub(crate) fn nearest_place(&self, path: &VaultPath) -> Result<Place, VaultError> {
        let name = path.as_str().rsplit('/').next().unwrap_or_default();
        let mut folder = path.folder();
        loop {
            let here = VaultPath::in_folder(folder, name).map_err(VaultError::from)?;
            match self.place(&here) {
                Err(_) if !folder.is_empty() => {
                    folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
                }
                place => return place,
            }
        }
    }

    /// As [`Disk::place`], but creates missing folders and returns them.
    pub(crate) fn make_place(&self, path: &VaultPath) -> Result<(Place, Vec<String>), VaultError> {
        let mut made = Vec::new();
        let mut folder = self.dir.try_clone().map_err(VaultError::io_at("open the folder of", path))?;
        let mut abilities = self.abilities.clone();
        let mut so_far = String::new();
        for component in path.folder().split('/').filter(|c| !c.is_empty()) {
            if !so_far.is_empty() {
                so_far.push('/');
            }
            so_far.push_str(component);
            let is_top = so_far.len() == component.len();
            let mut next = || match is_top {
                true => self.enter(component).map(|(entered, its)| {
                    abilities = its;
                    entered
                }),
                false => folder.open_dir_nofollow(component),
            };
            let next = match next() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match folder.create_dir(component) {
                        Ok(()) => made.push(so_far.clone()),
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        Err(error) => {
                            return Err(VaultError::Io {
                                doing: format!("create the folder \"{so_far}\""),
                                path: Some(path.clone()),
                                source: error,
                            });
                        }
                    }
                    next()
                }
                other => other,
            };
            folder = next.map_err(|error| self.explain(path, "open the folder of", error))?;
        }
        Ok((Place::new(folder, path, abilities), made))
    }

    /// Makes the names of created folders durable.
    pub(crate) fn sync_made(&self, made: &[String]) -> io::Result<()> {
        let parents: BTreeSet<&str> =
            made.iter().map(|folder| folder.rsplit_once('/').map_or("", |(parent, _)| parent)).collect();
        parents.into_iter().try_for_each(|parent| platform::sync_folder(&self.folder(parent)?))
    }

    /// The missing folders of `path`, outermost first.
    pub(crate) fn missing_folders(&self, path: &VaultPath) -> Vec<String> {
        let folder = path.folder();
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
        let folders = ends.map(|end| &folder[..end]).filter(|folder| !folder.is_empty());
        folders.skip_while(|folder| self.folder(folder).is_ok()).map(str::to_owned).collect()
    }

    /// Removes folders that were created for a note and are empty again; `made` is ordered from outermost
    /// to innermost.
    pub(crate) fn remove_empty(&self, made: &[String]) {
        for folder in made.iter().rev() {
            let (parent, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            // Any failure (a note in it, missing permissions) leaves the folder in place.
            if let Ok(parent) = self.folder(parent)
                && parent.remove_dir(name).is_err()
            {
                return;
            }
        }
    }

    pub(crate) fn folder(&self, folder: &str) -> io::Result<Dir> {
        self.descend(folder).map(|(dir, _)| dir)
    }

    /// Opens a folder; returns it with the capabilities of its file system.
    fn descend(&self, folder: &str) -> io::Result<(Dir, Abilities)> {
        let mut components = folder.split('/').filter(|c| !c.is_empty());
        let (mut dir, abilities) = match components.next() {
            Some(top) => self.enter(top)?,
            None => (self.dir.try_clone()?, self.abilities.clone()),
        };
        for component in components {
            dir = dir.open_dir_nofollow(component)?;
        }
        Ok((dir, abilities))
    }

    /// Whether a folder is at `path` (`""` is the root) that can be reached without a refused link.
    pub(crate) fn is_folder(&self, path: &str) -> bool {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stat = |folder| platform::stat(&folder, if name.is_empty() { "." } else { name });
        match self.folder(parent).and_then(stat) {
            Ok(stat) if stat.kind == Kind::Link && parent.is_empty() => self.leads_to_root(name),
            Ok(stat) => stat.kind == Kind::Folder,
            Err(_) => false,
        }
    }

    /// Resolves a symbolic link at `path`, and links of links, to the note in the vault; otherwise returns
    /// `path`. The note is then opened without following links, so that a concurrent swap has no effect.
    pub(crate) fn led_to(&self, path: &VaultPath) -> VaultPath {
        const MOST_LINKS: usize = 8;
        let mut at = path.clone();
        for _ in 0..MOST_LINKS {
            let name = at.as_str().rsplit('/').next().unwrap_or_default();
            let target = match self.folder(at.folder()).and_then(|folder| folder.read_link_contents(name)) {
                Ok(target) => target,
                // Not a link, or missing.
                Err(_) => return at,
            };
            match self.within(at.folder(), &target) {
                Some(next) => at = next,
                None => break,
            }
        }
        path.clone()
    }

    /// Resolves a link's target lexically: `..` is accepted only at its beginning, where the components it
    /// leaves are no links. The parent of an extra root is not the vault.
    fn within(&self, folder: &str, target: &Path) -> Option<VaultPath> {
        let mut names: Vec<&str> = Vec::new();
        let relative = match target.is_absolute() {
            true => target.strip_prefix(&self.root).ok()?,
            false => {
                names.extend(folder.split('/').filter(|name| !name.is_empty()));
                target
            }
        };
        let mut is_beginning = !target.is_absolute();
        let is_in_root = names.first().is_some_and(|top| self.may_lead_to_root(top));
        for component in relative.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir if is_beginning && !(is_in_root && names.len() == 1) => {
                    names.pop()?;
                }
                Component::Normal(name) => {
                    is_beginning = false;
                    names.push(name.to_str()?);
                }
                _ => return None,
            }
        }
        let path = VaultPath::parse(&names.join("/")).ok()?;
        (path.is_note() && !names.iter().any(|name| name.starts_with('.'))).then_some(path)
    }

    /// Reads a file; `NotFound` if it does not exist.
    pub(crate) fn read(&self, path: &VaultPath) -> Result<Found, VaultError> {
        let place = self.place(path)?;
        place.found()?.ok_or_else(|| VaultError::NotFound { name: path.as_str().to_owned() })
    }

    /// The bytes of any file; `NotFound` if it does not exist.
    pub(crate) fn bytes(&self, path: &VaultPath) -> Result<Vec<u8>, VaultError> {
        self.place(path)?.bytes()?.ok_or_else(|| VaultError::NotFound { name: path.as_str().to_owned() })
    }

    /// The text at `path`, `None` if there is no file.
    pub(crate) fn text(&self, path: &VaultPath) -> Result<Option<String>, VaultError> {
        match self.read(path) {
            Ok(found) => Ok(Some(found.text)),
            Err(VaultError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The content at `path`, `None` if there is no file.
    pub(crate) fn content(&self, path: &VaultPath) -> Result<Option<Content>, VaultError> {
        match self.place(path) {
            Ok(place) => place.content(),
            Err(VaultError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The text of a settings file in a dot-folder; `None` if file or folder is missing.
    pub(crate) fn hidden_file(&self, folder: &str, name: &str) -> io::Result<Option<String>> {
        let Ok(folder) = self.folder(folder) else { return Ok(None) };
        let file = match platform::open_file(&folder, name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        String::from_utf8(read_from_start(&file)?).map(Some).map_err(io::Error::other)
    }

    pub(crate) fn make_hidden_folder(&self, folder: &str) -> io::Result<Dir> {
        match self.dir.create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        self.folder(folder)
    }

    /// The folders that a case-insensitive file system would take for this one.
    pub(crate) fn spellings(&self, folder: &str) -> Result<Spellings, VaultError> {
        let mut spellings = Spellings { whole: vec![String::new()], ..Spellings::default() };
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            let wanted = folded(part);
            let mut next = Vec::new();
            for above in &spellings.whole {
                for name in self.folders_in(above)?.into_iter().filter(|name| folded(name) == wanted) {
                    next.push(if above.is_empty() { name } else { format!("{above}/{name}") });
                }
            }
            next.sort();
            let above = std::mem::replace(&mut spellings.whole, next);
            if spellings.whole.is_empty() {
                spellings.above = above;
                return Ok(spellings);
            }
            spellings.depth += 1;
        }
        Ok(spellings)
    }

    fn folders_in(&self, folder: &str) -> Result<Vec<String>, VaultError> {
        let listed = self.folder(folder).and_then(|dir| {
            let names = dir.entries()?.flatten().filter_map(|entry| {
                let (kind, name) = (entry.file_type().ok()?, entry.file_name().into_string().ok()?);
                let is_linked = || kind.is_symlink() && folder.is_empty() && self.leads_to_root(&name);
                (kind.is_dir() || is_linked()).then_some(name)
            });
            Ok(names.collect())
        });
        match listed {
            // Deleted since its name was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            other => other.map_err(|error| self.not_listed(folder, error)),
        }
    }

    /// The names in a folder; empty if the folder does not exist.
    pub(crate) fn names(&self, folder: &str) -> Result<Vec<String>, VaultError> {
        let listed = self.folder(folder).and_then(|dir| {
            Ok(dir.entries()?.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
        });
        match listed {
            Ok(names) => Ok(names),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(self.not_listed(folder, error)),
        }
    }

    /// Folder and name of hidden files whose name matches, in every folder that is not hidden. Follows only
    /// links to extra roots; only regular files count.
    pub(crate) fn hidden_files(&self, is_meant: &dyn Fn(&str) -> bool) -> Vec<(String, String)> {
        let mut found = Vec::new();
        self.each_folder(&mut |path, folder| {
            for entry in folder.entries().into_iter().flatten().flatten() {
                let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                    continue;
                };
                if name.starts_with('.') && kind.is_file() && is_meant(&name) {
                    found.push((path.to_owned(), name));
                }
            }
            true
        });
        found
    }

    /// Removes hidden files whose name matches; returns their number.
    pub(crate) fn remove_hidden(&self, is_meant: &dyn Fn(&str) -> bool) -> usize {
        let remove = |(path, name): &(String, String)| {
            let removed = self.folder(path).and_then(|folder| folder.remove_file(name));
            removed
                .inspect_err(
                    |error| tracing::warn!(name, folder = path, %error, "cannot remove a temporary file"),
                )
                .is_ok()
        };
        self.hidden_files(is_meant).iter().filter(|file| remove(file)).count()
    }

    /// The present path of a note's place: its folder may have been renamed or moved within the vault.
    /// `None` if the folder has left the vault.
    pub(crate) fn path_now(&self, place: &Place) -> Option<VaultPath> {
        if self.place(place.path()).is_ok_and(|now| now.is_in_folder_of(place)) {
            return Some(place.path().clone());
        }
        let name = place.path().as_str().rsplit('/').next().unwrap_or_default();
        let mut found = None;
        self.each_folder(&mut |path, folder| {
            let at = platform::stat(folder, ".").is_ok_and(|stat| place.is_folder(&stat.stamp));
            if at {
                found = VaultPath::in_folder(path, name).ok();
            }
            !at
        });
        found
    }

    /// Visits every folder that is not hidden, until `visit` returns `false`.
    fn each_folder(&self, visit: &mut dyn FnMut(&str, &Dir) -> bool) {
        let mut open = vec![String::new()];
        while let Some(path) = open.pop() {
            // Deleted meanwhile, or unreadable.
            let Ok(folder) = self.folder(&path) else { continue };
            if !visit(&path, &folder) {
                return;
            }
            for entry in folder.entries().into_iter().flatten().flatten() {
                let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                    continue;
                };
                if name.starts_with('.') {
                    continue;
                }
                if kind.is_symlink() && path.is_empty() && self.leads_to_root(&name) {
                    open.push(name);
                } else if kind.is_dir() && path.matches('/').count() < MAX_DEPTH {
                    open.push(if path.is_empty() { name } else { format!("{path}/{name}") });
                }
            }
        }
    }

    /// Simulates an unknown file system.
    #[cfg(test)]
    pub(crate) fn be_unusual(&self) {
        self.unusual.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    /// Simulates a file system that cannot rename without replacing.
    #[cfg(test)]
    pub(crate) fn refuse_no_replace(&self) {
        self.abilities.refuse_no_replace();
    }

    /// Simulates a file system without hard links.
    #[cfg(test)]
    pub(crate) fn refuse_links(&self) {
        self.abilities.linkless().store(true, std::sync::atomic::Ordering::Relaxed);
    }

    /// Simulates a file system that cannot exchange two files.
    #[cfg(test)]
    pub(crate) fn refuse_exchange(&self) {
        self.abilities.refuse_exchange(&io::ErrorKind::Unsupported.into());
    }

    /// Whether two files of the vault can be exchanged atomically, or why not; `None` if only a write will
    /// tell.
    pub(crate) fn exchange(&self) -> Option<Result<(), String>> {
        if let Some(reason) = self.roots.no_exchange() {
            return Some(Err(reason));
        }
        self.abilities.exchange().or_else(|| self.known_to_exchange().then_some(Ok(())))
    }

    /// Whether the file system is known to support atomic exchange.
    fn known_to_exchange(&self) -> bool {
        #[cfg(test)]
        if self.unusual.load(std::sync::atomic::Ordering::Relaxed) {
            return false;
        }
        platform::known_to_exchange(&self.dir)
    }

    fn not_listed(&self, folder: &str, error: io::Error) -> VaultError {
        let top = folder.split('/').next().unwrap_or_default();
        match (VaultPath::parse(folder), self.gone_root(top), self.why_not_followed(top)) {
            (Ok(path), Some(root), _) => VaultError::RootGone { path, root },
            (Ok(path), None, refused @ Some(_)) => VaultError::Symlink { path, refused },
            _ => VaultError::io(format!("list the folder \"{folder}\""))(error),
        }
    }

    fn explain(&self, path: &VaultPath, doing: &str, error: io::Error) -> VaultError {
        if error.kind() == io::ErrorKind::NotFound {
            return VaultError::NotFound { name: path.as_str().to_owned() };
        }
        let mut above = String::new();
        for component in path.as_str().split('/') {
            let here = self.folder(&above).and_then(|folder| platform::stat(&folder, component));
            if here.is_ok_and(|stat| stat.kind == Kind::Link)
                && !(above.is_empty() && self.leads_to_root(component))
            {
                if let Some(root) = self.gone_root(component).filter(|_| above.is_empty()) {
                    return VaultError::RootGone { path: path.clone(), root };
                }
                let refused = if above.is_empty() { self.why_not_followed(component) } else { None };
                return VaultError::Symlink { path: path.clone(), refused };
            }
            if !above.is_empty() {
                above.push('/');
            }
            above.push_str(component);
        }
        VaultError::io_at(doing, path)(error)
    }
}
