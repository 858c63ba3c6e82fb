//! The folders of one chat, and path resolution in them.

use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

use crate::error::FileError;
use crate::kind::kind_of;

/// What tools may do in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Read,
    Write,
}

/// A folder that tools may access.
pub struct Folder {
    /// First component of paths in it; unique among the folders of a chat.
    name: String,
    path: PathBuf,
    access: Access,
    dir: Dir,
}

/// The folders accessible to the tools of one chat, in the order given.
#[derive(Debug, Clone, Default)]
pub struct Folders(Vec<Arc<Folder>>);

/// A file or folder in an open folder; it need not exist.
#[derive(Debug, Clone)]
pub struct FilePath {
    pub(crate) folder: Arc<Folder>,
    /// Relative to the folder, `/`-separated; empty for the folder itself.
    pub(crate) below: String,
}

impl Folder {
    /// Opens a folder under a name.
    ///
    /// # Errors
    /// When it is not a folder, or cannot be read.
    pub fn open(name: impl Into<String>, path: &Path, access: Access) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self { name: name.into(), path, access, dir })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The absolute path with links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn access(&self) -> Access {
        self.access
    }

    /// Creates a file for writing; fails if the name exists, even as a link.
    ///
    /// # Errors
    /// When the name is taken, or the file cannot be created.
    pub fn create(&self, name: &str) -> io::Result<std::fs::File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        Ok(self.dir.open_with(name, &options)?.into_std())
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }
}

impl Folders {
    pub fn new(folders: Vec<Folder>) -> Self {
        Self(folders.into_iter().map(Arc::new).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Folder>> {
        self.0.iter()
    }

    /// Resolves `NAME/path` in the folder of that name, or an absolute path.
    ///
    /// # Errors
    /// [`FileError::NoFolder`] and [`FileError::Outside`].
    pub fn find(&self, path: &str) -> Result<FilePath, FileError> {
        let no_folder = || FileError::NoFolder {
            path: path.to_owned(),
            folders: self.0.iter().map(|folder| folder.name.clone()).collect(),
        };
        let given = Path::new(path);
        let (folder, rest) = if given.is_absolute() {
            let below = |folder: &Arc<Folder>| {
                let rest = given.strip_prefix(&folder.path).ok()?;
                Some((folder.clone(), rest.to_owned()))
            };
            self.0.iter().find_map(below).ok_or_else(no_folder)?
        } else {
            let (name, rest) = path.split_once('/').unwrap_or((path, ""));
            let folder = self.0.iter().find(|folder| folder.name == name).ok_or_else(no_folder)?;
            (folder.clone(), PathBuf::from(rest))
        };
        let mut parts = Vec::new();
        for part in rest.components() {
            match (part, part.as_os_str().to_str()) {
                (Component::CurDir, _) => {}
                (Component::Normal(_), Some(name)) if !name.contains('\0') => parts.push(name),
                _ => return Err(FileError::Outside { path: path.to_owned() }),
            }
        }
        Ok(FilePath { below: parts.join("/"), folder })
    }
}

impl FilePath {
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The absolute path.
    pub fn absolute(&self) -> PathBuf {
        if self.below.is_empty() { self.folder.path.clone() } else { self.folder.path.join(&self.below) }
    }

    /// The path for system calls relative to the folder's handle.
    pub(crate) fn relative(&self) -> &Path {
        Path::new(if self.below.is_empty() { "." } else { &self.below })
    }

    /// Opens a regular file for reading, without blocking on pipes; fails for anything else.
    pub(crate) fn open(&self) -> Result<File, FileError> {
        // Opening some devices has side effects, so the kind is checked before and after.
        let found = self.folder.dir.metadata(self.relative());
        self.check_regular(&found.map_err(|error| FileError::of(&self.to_string(), error))?)?;
        self.open_met()
    }

    /// Like `open`, for a path that a walk just found to be a regular file.
    pub(crate) fn open_met(&self) -> Result<File, FileError> {
        let fault = |error| FileError::of(&self.to_string(), error);
        let mut options = OpenOptions::new();
        without_blocking(options.read(true));
        let file = self.folder.dir.open_with(self.relative(), &options).map_err(fault)?;
        self.check_regular(&file.metadata().map_err(fault)?)?;
        Ok(file)
    }

    fn check_regular(&self, found: &cap_std::fs::Metadata) -> Result<(), FileError> {
        match kind_of(found) {
            None => Ok(()),
            Some(kind) => Err(FileError::Kind { path: self.to_string(), kind }),
        }
    }
}

#[cfg(unix)]
fn without_blocking(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn without_blocking(_: &mut OpenOptions) {}

/// As tools spell it.
impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.below.is_empty() {
            true => f.write_str(&self.folder.name),
            false => write!(f, "{}/{}", self.folder.name, self.below),
        }
    }
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Folder").field("name", &self.name).field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn pipe_swapped_in_for_a_file_does_not_block() -> io::Result<()> {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let place = tempfile::tempdir()?;
        mknodat(CWD, place.path().join("a.txt"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        let folders = Folders::new(vec![Folder::open("code", place.path(), Access::Read)?]);
        let file = folders.find("code/a.txt").map_err(io::Error::other)?;
        let (done, opened) = mpsc::channel();
        std::thread::spawn(move || done.send(file.open_met().map(drop)));
        let opened = opened.recv_timeout(Duration::from_secs(60)).map_err(io::Error::other)?;
        assert!(matches!(opened, Err(FileError::Kind { kind: "a pipe", .. })), "{opened:?}");
        Ok(())
    }
}
