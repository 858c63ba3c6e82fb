//! One note's place: its folder, opened, and its name there.

use std::io;
use std::time::SystemTime;

use cap_fs_ext::{FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use super::{Found, MAX_NOTE_BYTES, Stamp, open_nofollow, platform, read_from_start};
use crate::error::VaultError;
use crate::note::VaultPath;

/// An opened folder and the name of one note in it. What happens to the path meanwhile
/// does not matter: everything below goes through the folder's handle.
#[derive(Debug)]
pub(crate) struct Place {
    folder: Dir,
    name: String,
    path: VaultPath,
}

impl Place {
    pub(super) fn new(folder: Dir, path: &VaultPath) -> Place {
        let name = path.as_str().rsplit('/').next().unwrap_or_default();
        Place { folder, name: name.to_owned(), path: path.clone() }
    }

    pub(crate) fn path(&self) -> &VaultPath {
        &self.path
    }

    pub(crate) fn try_clone(&self) -> io::Result<Place> {
        Ok(Place { folder: self.folder.try_clone()?, name: self.name.clone(), path: self.path.clone() })
    }

    pub(super) fn found(&self) -> Result<Option<Found>, VaultError> {
        let Some(file) = self.open_file()? else {
            return Ok(None);
        };
        let (bytes, metadata) = self.read_whole(&file)?;
        let text = String::from_utf8(bytes).map_err(|_| VaultError::NotText { path: self.path.clone() })?;
        let modified = metadata.modified().map_or(SystemTime::UNIX_EPOCH, |time| time.into_std());
        Ok(Some(Found { text, stamp: Stamp::of(&metadata), modified }))
    }

    /// The note's text now, `None` when it is gone.
    pub(crate) fn text(&self) -> Result<Option<String>, VaultError> {
        Ok(self.found()?.map(|found| found.text))
    }

    /// The note for replacing: refused when it is a link or has further names.
    pub(crate) fn open_to_replace(&self) -> Result<Option<NoteFile>, VaultError> {
        let Some(file) = self.open_file()? else {
            return Ok(None);
        };
        let (bytes, metadata) = self.read_whole(&file)?;
        let links = metadata.nlink();
        if links > 1 {
            return Err(VaultError::HardLink { path: self.path.clone(), links });
        }
        let text = String::from_utf8(bytes).map_err(|_| VaultError::NotText { path: self.path.clone() })?;
        Ok(Some(NoteFile { file, text }))
    }

    fn open_file(&self) -> Result<Option<File>, VaultError> {
        let doing = || format!("read \"{}\"", self.path);
        match open_nofollow(&self.folder, &self.name) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                if self.folder.symlink_metadata(&self.name).is_ok_and(|m| m.is_symlink()) {
                    return Err(VaultError::Symlink { path: self.path.clone() });
                }
                Err(VaultError::io(doing())(error))
            }
        }
    }

    /// Reads until the file's times are the same before and after, so that a note that is
    /// just being written in place is not seen half.
    fn read_whole(&self, file: &File) -> Result<(Vec<u8>, Metadata), VaultError> {
        let doing = || format!("read \"{}\"", self.path);
        let mut before = file.metadata().map_err(VaultError::io(doing()))?;
        if !before.is_file() {
            return Err(VaultError::NotANote { path: self.path.clone() });
        }
        let mut tries = 0;
        loop {
            if before.len() > MAX_NOTE_BYTES {
                return Err(VaultError::TooLarge { path: self.path.clone(), bytes: before.len() });
            }
            let bytes = read_from_start(file).map_err(VaultError::io(doing()))?;
            let after = file.metadata().map_err(VaultError::io(doing()))?;
            tries += 1;
            let whole = Stamp::of(&before) == Stamp::of(&after) && bytes.len() as u64 == after.len();
            if whole || tries == 8 {
                return Ok((bytes, after));
            }
            before = after;
        }
    }

    /// Creates the file `temp` beside the note with `text` in it, not yet synced. With
    /// `like`, mode, owner and extended attributes are taken from that file.
    pub(crate) fn create_temp(&self, temp: &str, like: Option<&NoteFile>) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        if like.is_some() {
            platform::private(&mut options);
        }
        let file = self.folder.open_with(temp, &options)?;
        if let Some(like) = like
            && let Err(error) = platform::copy_attributes(&like.file, &file)
        {
            drop(file);
            self.folder.remove_file(temp).ok();
            return Err(error);
        }
        Ok(file)
    }

    /// Swaps the note and the file `temp` in one step; both must exist.
    pub(crate) fn exchange(&self, temp: &str) -> io::Result<()> {
        platform::exchange(&self.folder, temp, &self.name)
    }

    /// Puts `temp` in the note's place whatever is there; for file systems without exchange.
    pub(crate) fn rename_over(&self, temp: &str) -> io::Result<()> {
        self.folder.rename(temp, &self.folder, &self.name)
    }

    /// Gives `temp` the note's name; `AlreadyExists` when there is one.
    pub(crate) fn put(&self, temp: &str) -> io::Result<()> {
        platform::rename_new(&self.folder, temp, &self.folder, &self.name)
    }

    /// Gives the note the name `temp`.
    pub(crate) fn take(&self, temp: &str) -> io::Result<()> {
        platform::rename_new(&self.folder, &self.name, &self.folder, temp)
    }

    /// Gives the note the place `to`; `AlreadyExists` when that is taken.
    pub(crate) fn move_to(&self, to: &Place) -> io::Result<()> {
        platform::rename_new(&self.folder, &self.name, &to.folder, &to.name)
    }

    /// Moves `temp` into another folder under the first free name made from the note's.
    pub(crate) fn put_aside(&self, temp: &str, folder: &Dir) -> io::Result<()> {
        let (stem, extension) = self.name.rsplit_once('.').unwrap_or((&self.name, ""));
        for n in 1..1000 {
            let name = match n {
                1 => self.name.clone(),
                n => format!("{stem} {n}.{extension}"),
            };
            match platform::rename_new(&self.folder, temp, folder, &name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => return other,
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn remove(&self, temp: &str) -> io::Result<()> {
        self.folder.remove_file(temp)
    }

    /// The bytes of the file `temp`, `None` when it is not there; an error when it is no
    /// regular file.
    pub(crate) fn bytes_of(&self, temp: &str) -> io::Result<Option<Vec<u8>>> {
        let file = match open_nofollow(&self.folder, temp) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        read_from_start(&file).map(Some)
    }

    /// Names beside the note that start with `prefix`.
    pub(crate) fn beside(&self, prefix: &str) -> io::Result<Vec<String>> {
        Ok(self
            .folder
            .entries()?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.starts_with(prefix))
            .collect())
    }

    /// Makes the names in the folder last through a power cut.
    pub(crate) fn sync_folder(&self) -> io::Result<()> {
        platform::sync_folder(&self.folder)
    }
}

/// A note opened to be replaced, with what was in it.
#[derive(Debug)]
pub(crate) struct NoteFile {
    file: File,
    pub(crate) text: String,
}

impl NoteFile {
    /// What the opened file holds now, wherever its name went meanwhile.
    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        read_from_start(&self.file)
    }
}
