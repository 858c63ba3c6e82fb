//! The vault's folder through a handle: every path is walked component by component
//! from the opened root without following a link, so nothing outside can be named,
//! also when a folder is swapped for a link meanwhile.

mod place;
mod platform;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

use crate::error::VaultError;
use crate::note::VaultPath;

pub(crate) use place::{NoteFile, Place};
pub(crate) use platform::Stamp;

/// The largest note Nova reads, in bytes.
pub const MAX_NOTE_BYTES: u64 = 16 * 1024 * 1024;

/// The opened vault folder.
#[derive(Debug)]
pub(crate) struct Disk {
    root: PathBuf,
    dir: Dir,
}

/// A file of the vault as it was read.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) stamp: Stamp,
    pub(crate) modified: SystemTime,
}

/// One entry met while walking the vault.
pub(crate) enum Entry {
    Folder,
    Note {
        path: VaultPath,
        stamp: Stamp,
    },
    /// A file that is no note.
    File {
        path: VaultPath,
    },
    /// Something with a note's name that cannot be one, with the reason and the remedy.
    Unusable {
        path: String,
        reason: String,
        remedy: &'static str,
    },
}

impl Disk {
    /// Opens `root`, which must be an absolute path without links in it.
    pub(crate) fn open(root: PathBuf) -> io::Result<Disk> {
        let dir = Dir::open_ambient_dir(&root, ambient_authority())?;
        dir.entries()?;
        Ok(Disk { root, dir })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that `path` lies in, opened, and the file's name in it.
    pub(crate) fn place(&self, path: &VaultPath) -> Result<Place, VaultError> {
        let folder = self.folder(path.folder()).map_err(|error| self.explain(path, "open", error))?;
        Ok(Place::new(folder, path))
    }

    /// As [`Disk::place`], making the folders that are missing; says which.
    pub(crate) fn make_place(&self, path: &VaultPath) -> Result<(Place, Vec<String>), VaultError> {
        let mut made = Vec::new();
        let mut folder =
            self.dir.try_clone().map_err(VaultError::io(format!("open the folder of \"{path}\"")))?;
        let mut so_far = String::new();
        for component in path.folder().split('/').filter(|c| !c.is_empty()) {
            if !so_far.is_empty() {
                so_far.push('/');
            }
            so_far.push_str(component);
            let next = match folder.open_dir_nofollow(component) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match folder.create_dir(component) {
                        Ok(()) => made.push(so_far.clone()),
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        Err(error) => {
                            return Err(VaultError::Io {
                                doing: format!("create the folder \"{so_far}\""),
                                source: error,
                            });
                        }
                    }
                    folder.open_dir_nofollow(component)
                }
                other => other,
            };
            folder = next.map_err(|error| self.explain(path, "open the folder of", error))?;
        }
        Ok((Place::new(folder, path), made))
    }

    /// The folders on the way to `path` that do not exist, outermost first.
    pub(crate) fn missing_folders(&self, path: &VaultPath) -> Vec<String> {
        let mut dir = self.dir.try_clone().ok();
        let mut so_far = String::new();
        let mut missing = Vec::new();
        for component in path.folder().split('/').filter(|c| !c.is_empty()) {
            if !so_far.is_empty() {
                so_far.push('/');
            }
            so_far.push_str(component);
            dir = dir.and_then(|dir| dir.open_dir_nofollow(component).ok());
            if dir.is_none() {
                missing.push(so_far.clone());
            }
        }
        missing
    }

    /// Removes folders that were made for a note and are empty again, innermost last in `made`.
    pub(crate) fn remove_empty(&self, made: &[String]) {
        for folder in made.iter().rev() {
            let (parent, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            // Whatever stands in the way (a note, a lost right) is a reason to leave it.
            if let Ok(parent) = self.folder(parent)
                && parent.remove_dir(name).is_err()
            {
                return;
            }
        }
    }

    pub(crate) fn folder(&self, folder: &str) -> io::Result<Dir> {
        let mut dir = self.dir.try_clone()?;
        for component in folder.split('/').filter(|c| !c.is_empty()) {
            dir = dir.open_dir_nofollow(component)?;
        }
        Ok(dir)
    }

    /// Reads a file as it is now; `NotFound` when there is none.
    pub(crate) fn read(&self, path: &VaultPath) -> Result<Found, VaultError> {
        let place = self.place(path)?;
        place.found()?.ok_or_else(|| VaultError::NotFound { name: path.as_str().to_owned() })
    }

    /// The text at `path`, `None` when there is no file.
    pub(crate) fn text(&self, path: &VaultPath) -> Result<Option<String>, VaultError> {
        match self.read(path) {
            Ok(found) => Ok(Some(found.text)),
            Err(VaultError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Visits every folder and file outside dot-folders; links are reported, not followed.
    /// A folder that cannot be read is reported and does not hide the others.
    pub(crate) fn walk(&self, mut visit: impl FnMut(Entry)) -> Result<(), VaultError> {
        let root = self.dir.try_clone().map_err(VaultError::io("open the vault"))?;
        let mut open = vec![(root, String::new())];
        while let Some((dir, prefix)) = open.pop() {
            let entries = match dir.entries() {
                Ok(entries) => entries,
                Err(error) if prefix.is_empty() => {
                    return Err(VaultError::io("list the vault")(error));
                }
                Err(error) => {
                    visit(Entry::unusable(
                        prefix,
                        error.to_string(),
                        "Give your user the right to read the folder.",
                    ));
                    continue;
                }
            };
            for entry in entries.flatten() {
                let raw = entry.file_name();
                let Some(name) = raw.to_str() else {
                    visit(Entry::unusable(
                        format!("{prefix}{}", raw.to_string_lossy()),
                        "its name is not UTF-8".to_owned(),
                        "Rename it.",
                    ));
                    continue;
                };
                if name.starts_with('.') {
                    continue;
                }
                let is_note = name.to_ascii_lowercase().ends_with(".md");
                let path = format!("{prefix}{name}");
                // Vanished between listing and looking: not there.
                let Ok(metadata) = entry.metadata() else {
                    continue;
                };
                if metadata.is_symlink() {
                    // Of a link out of the vault nothing can be asked; an attachment has an
                    // extension, a folder hardly ever.
                    let folder = dir.metadata(name).map_or(!name.contains('.'), |target| target.is_dir());
                    if is_note || folder {
                        visit(Entry::unusable(
                            path,
                            "it is a symbolic link, which Nova does not follow".to_owned(),
                            "Put the notes themselves into the vault in place of the link.",
                        ));
                    }
                } else if metadata.is_dir() {
                    match dir.open_dir_nofollow(name) {
                        Ok(folder) => {
                            visit(Entry::Folder);
                            open.push((folder, format!("{path}/")));
                        }
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                        Err(error) => visit(Entry::unusable(
                            path,
                            error.to_string(),
                            "Give your user the right to read the folder.",
                        )),
                    }
                } else if is_note {
                    visit(match VaultPath::parse(&path) {
                        Ok(path) if metadata.is_file() => Entry::Note { path, stamp: Stamp::of(&metadata) },
                        Ok(_) => Entry::unusable(
                            path,
                            "it is not a regular file".to_owned(),
                            "Replace it by a file, or remove it.",
                        ),
                        Err(error) => Entry::unusable(path, error.to_string(), "Rename it."),
                    });
                } else if metadata.is_file()
                    && let Ok(path) = VaultPath::parse(&path)
                {
                    visit(Entry::File { path });
                }
            }
        }
        Ok(())
    }

    /// The text of a file in a dot-folder, for reading settings.
    pub(crate) fn hidden_file(&self, folder: &str, name: &str) -> Option<String> {
        let file = open_nofollow(&self.folder(folder).ok()?, name).ok()?;
        String::from_utf8(read_from_start(&file).ok()?).ok()
    }

    pub(crate) fn make_hidden_folder(&self, folder: &str) -> io::Result<Dir> {
        match self.dir.create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        self.folder(folder)
    }

    /// Names in a folder, empty when the folder does not exist.
    pub(crate) fn names(&self, folder: &str) -> Result<Vec<String>, VaultError> {
        let listed = self.folder(folder).and_then(|dir| {
            Ok(dir.entries()?.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
        });
        match listed {
            Ok(names) => Ok(names),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(VaultError::io(format!("list the folder \"{folder}\""))(error)),
        }
    }

    /// Whether the file system can exchange two files in one step, else why not.
    pub(crate) fn exchange_support(&self) -> Result<(), String> {
        platform::exchange_support(&self.dir)
    }

    fn explain(&self, path: &VaultPath, doing: &str, error: io::Error) -> VaultError {
        if error.kind() == io::ErrorKind::NotFound {
            return VaultError::NotFound { name: path.as_str().to_owned() };
        }
        let mut dir = self.dir.try_clone().ok();
        for component in path.as_str().split('/') {
            let Some(here) = dir else { break };
            if here.symlink_metadata(component).is_ok_and(|m| m.is_symlink()) {
                return VaultError::Symlink { path: path.clone() };
            }
            dir = here.open_dir_nofollow(component).ok();
        }
        VaultError::Io { doing: format!("{doing} \"{path}\""), source: error }
    }
}

impl Entry {
    fn unusable(path: String, reason: String, remedy: &'static str) -> Entry {
        Entry::Unusable { path: path.trim_end_matches('/').to_owned(), reason, remedy }
    }
}

/// Writes all of `text`; whether it lasts is up to a sync.
pub(crate) fn write_all(file: &mut File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())
}

fn open_nofollow(folder: &Dir, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Without blocking: a pipe with a note's name must not hang the reader.
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    folder.open_with(name, &options)
}

fn read_from_start(file: &File) -> io::Result<Vec<u8>> {
    use std::io::{Seek, SeekFrom};
    let mut reader: &File = file;
    reader.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    reader.take(MAX_NOTE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
