//! The place of a note: its opened folder and its name there.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, File, OpenOptions};
use jiff::civil::Date;

use super::abilities::Abilities;
use super::fsync::Fsync;
use super::platform::{FileStat, Kind};
use super::private::make_private_folder;
use super::{Attributes, Found, MAX_NOTE_BYTES, Stamp, platform, read_from_start, read_into, read_untorn};
use crate::content::{Content, MAX_FILE_BYTES, holds_text};
use crate::error::VaultError;
use crate::note::{VaultPath, unmerged_name};

/// An opened folder and the name of a note in it. All operations use the folder's handle, so concurrent
/// changes to the path have no effect.
#[derive(Debug)]
pub(crate) struct Place {
    pub(super) folder: Dir,
    pub(super) name: String,
    pub(super) path: VaultPath,
    /// Capabilities of the folder's file system.
    pub(super) abilities: Abilities,
}

/// Source of a new file's mode, group and extended attributes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Like<'a> {
    /// System defaults.
    New,
    /// Copied from the note to be replaced, including the owner.
    Note(&'a NoteFile),
    /// Restored from stored attributes.
    Known(&'a Attributes),
}

impl Place {
    pub(super) fn new(folder: Dir, path: &VaultPath, abilities: Abilities) -> Place {
        Place { folder, name: file_part(path).to_owned(), path: path.clone(), abilities }
    }

    pub(crate) fn path(&self) -> &VaultPath {
        &self.path
    }

    pub(crate) fn try_clone(&self) -> io::Result<Place> {
        let (name, path) = (self.name.clone(), self.path.clone());
        Ok(Place { folder: self.folder.try_clone()?, name, path, abilities: self.abilities.clone() })
    }

    pub(super) fn found(&self) -> Result<Option<Found>, VaultError> {
        let Some(file) = self.open_file()? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        let stat = read_whole(&file, &self.path, (None, MAX_NOTE_BYTES), &mut bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| VaultError::NotText { path: self.path.clone() })?;
        Ok(Some(Found { text, stamp: stat.stamp }))
    }

    /// The file's bytes, `None` if it does not exist.
    pub(super) fn bytes(&self) -> Result<Option<Vec<u8>>, VaultError> {
        let Some(file) = self.open_file()? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        read_whole(&file, &self.path, (None, MAX_NOTE_BYTES), &mut bytes)?;
        Ok(Some(bytes))
    }

    /// The note's text, `None` if it does not exist.
    pub(crate) fn text(&self) -> Result<Option<String>, VaultError> {
        Ok(self.found()?.map(|found| found.text))
    }

    /// The file's content, `None` if it does not exist.
    pub(crate) fn content(&self) -> Result<Option<Content>, VaultError> {
        if holds_text(&self.path) {
            return Ok(self.text()?.map(Content::from));
        }
        let Some(file) = self.open_file()? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        read_whole(&file, &self.path, (None, MAX_FILE_BYTES), &mut bytes)?;
        Ok(Some(bytes.into()))
    }

    /// Opens the note for replacement, with its link count; a symbolic link is refused.
    pub(crate) fn open_to_replace(&self) -> Result<Option<NoteFile>, VaultError> {
        let Some(file) = self.open_file()? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        let stat = read_whole(&file, &self.path, (None, MAX_NOTE_BYTES), &mut bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| VaultError::NotText { path: self.path.clone() })?;
        Ok(Some(NoteFile { file, text, names: stat.names }))
    }

    /// Opens the note for writing in place; a symbolic link or non-regular file is refused.
    pub(crate) fn open_in_place(&self) -> Result<Option<InPlace>, VaultError> {
        let failed = |error| VaultError::io_at("open for writing", &self.path)(error);
        let file = match platform::open_to_write(&self.folder, &self.name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) if platform::stat(&self.folder, &self.name).is_ok_and(|stat| stat.kind == Kind::Link) => {
                return Err(VaultError::Symlink { path: self.path.clone(), refused: None });
            }
            Err(error) => return Err(failed(error)),
        };
        let stat = platform::stat_file(&file).map_err(failed)?;
        if stat.kind != Kind::File {
            return Err(VaultError::NotANote { path: self.path.clone() });
        }
        Ok(Some(InPlace { file }))
    }

    /// Whether the note's name still refers to this file.
    pub(crate) fn leads_to(&self, note: &InPlace) -> bool {
        match (platform::stat(&self.folder, &self.name), platform::stat_file(&note.file)) {
            (Ok(named), Ok(opened)) => named.stamp.is_of_same_file(&opened.stamp),
            _ => false,
        }
    }

    fn open_file(&self) -> Result<Option<File>, VaultError> {
        open_note(&self.folder, &self.name, &self.path)
    }

    /// Creates the empty file `temp` next to the note, without syncing it.
    pub(crate) fn create_temp(&self, temp: &str, like: Like<'_>) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        if !matches!(like, Like::New) {
            platform::private(&mut options);
        }
        let file = self.folder.open_with(temp, &options)?;
        match like {
            Like::New => {}
            Like::Known(attributes) => attributes.put_on(&file),
            Like::Note(note) => {
                if let Err(error) = platform::copy_attributes(&note.file, &file) {
                    drop(file);
                    self.folder.remove_file(temp).ok();
                    return Err(error);
                }
            }
        }
        Ok(file)
    }

    /// The permissions and extended attributes of the note's file.
    pub(crate) fn attributes(&self) -> io::Result<Attributes> {
        Attributes::of(&platform::open_file(&self.folder, &self.name)?)
    }

    /// Capabilities of the folder's file system.
    pub(crate) fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    /// Exchanges the note and the file `temp` atomically; both must exist.
    pub(crate) fn exchange(&self, temp: &str) -> io::Result<()> {
        platform::exchange(&self.folder, temp, &self.name)
    }

    /// Hard-links the note; `false` if the file system has no hard links.
    pub(crate) fn link(&self, temp: &str) -> io::Result<bool> {
        #[cfg(test)]
        if self.abilities.linkless().load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(false);
        }
        link_new(&self.folder, &self.name, &self.folder, temp)
    }

    /// The link count of `temp`, bypassing caches; `None` if unsupported.
    pub(crate) fn names_of(&self, temp: &str) -> Option<u64> {
        platform::names_now(&self.folder, temp)
    }

    /// Whether the folder has a file that FUSE preserves because it was open when it was replaced.
    pub(crate) fn hides_open_files(&self) -> bool {
        let hidden = |entry: io::Result<DirEntry>| {
            entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(".fuse_hidden"))
        };
        self.folder.entries().is_ok_and(|mut entries| entries.any(hidden))
    }

    /// Renames `temp` over the note, replacing any file; for file systems without exchange.
    pub(crate) fn rename_over(&self, temp: &str) -> io::Result<()> {
        self.folder.rename(temp, &self.folder, &self.name)
    }

    /// Gives `temp` the note's name; `AlreadyExists` if that is taken.
    pub(crate) fn put(&self, temp: &str) -> io::Result<()> {
        self.rename_own(temp, &self.folder, &self.name)
    }

    /// As [`Place::put`], for any note of this folder.
    pub(crate) fn put_as_note(&self, temp: &str, note: &VaultPath) -> io::Result<()> {
        self.rename_own(temp, &self.folder, file_part(note))
    }

    /// Whether nothing has the name of this note in the folder.
    pub(crate) fn is_free(&self, note: &VaultPath) -> bool {
        let stat = platform::stat(&self.folder, file_part(note));
        stat.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// Whether [`Place::sync_all_files`] has an effect; if not, each file is synced by itself.
    pub(crate) const SYNCS_TOGETHER: bool = cfg!(target_os = "linux");

    /// Whether one [`Place::sync_all_files`] covers both.
    pub(crate) fn is_on_file_system_of(&self, other: &Place) -> bool {
        let device = |place: &Place| platform::stat(&place.folder, ".").map(|stat| stat.stamp.device());
        matches!((device(self), device(other)), (Ok(one), Ok(other)) if one == other)
    }

    /// Whether both are in the same folder, however it was opened.
    pub(crate) fn is_in_folder_of(&self, other: &Place) -> bool {
        let folder = |place: &Place| platform::stat(&place.folder, ".").map(|stat| stat.stamp);
        folder(self).ok().zip(folder(other).ok()).is_some_and(|(one, other)| one.is_of_same_file(&other))
    }

    /// Whether this is the folder of the place.
    pub(super) fn is_folder(&self, stamp: &Stamp) -> bool {
        platform::stat(&self.folder, ".").is_ok_and(|stat| stat.stamp.is_of_same_file(stamp))
    }

    /// Syncs all files of the folder's file system, at about the cost of one.
    pub(crate) fn sync_all_files(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            let folder = platform::open_to_sync(&self.folder)?;
            rustix::fs::syncfs(&folder)?;
            #[cfg(test)]
            crate::tests::synced::file_system(&folder);
        }
        Ok(())
    }

    /// Renames the note to `temp`, an unused name.
    pub(crate) fn take(&self, temp: &str) -> io::Result<()> {
        self.folder.rename(&self.name, &self.folder, temp)
    }

    /// Hard-links `temp` into another folder under the first free name derived from the note's; moves it if
    /// the file system has no hard links.
    pub(crate) fn link_aside(&self, temp: &str, folder: &Dir) -> io::Result<()> {
        for name in self.free_names() {
            match self.link_as(temp, folder, &name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => return other,
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Renames `temp` to the first free visible name that marks it as a copy of the note and satisfies
    /// [`VaultPath::is_sync_conflict`]; returns that name.
    pub(crate) fn name_copy(&self, temp: &str, date: Date) -> io::Result<String> {
        let (stem, extension) = self.name.rsplit_once('.').unwrap_or((&self.name, ""));
        let date = date.to_string();
        let names = (0..1000).map(|count| unmerged_name(stem, extension, &date, count));
        for name in names {
            match self.put_as(temp, &self.folder, &name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Ok(()) => return self.sync_folder().map(|()| name),
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Moves a file from outside of the vault into the note's folder as `temp`; `CrossesDevices` if it is
    /// on another file system.
    pub(crate) fn bring_in(&self, folder: &Path, file: &str, temp: &str) -> io::Result<()> {
        Dir::open_ambient_dir(folder, ambient_authority())?.rename(file, &self.folder, temp)
    }

    /// Moves `temp` to a folder on another file system, under the first free name derived from the note's:
    /// the copy is durable before `temp` is removed.
    pub(crate) fn copy_aside(&self, temp: &str, folder: &Dir) -> io::Result<()> {
        let source = platform::open_file(&self.folder, temp)?;
        let bytes = read_from_start(&source)?;
        for name in self.free_names() {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).follow(FollowSymlinks::No);
            platform::private(&mut options);
            let mut copy = match folder.open_with(&name, &options) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            if let Err(error) = platform::copy_attributes(&source, &copy) {
                // The target cannot store the attributes; the note is still copied, readable by its owner
                // only.
                tracing::debug!(path = %self.path, %error, "cannot copy attributes");
            }
            let copied = copy
                .write_all(&bytes)
                .and_then(|()| copy.fsync())
                .and_then(|()| platform::sync_folder(folder))
                .and_then(|()| match read_from_start(&source)? == bytes {
                    true => self.folder.remove_file(temp),
                    false => Err(io::Error::other("it was changed meanwhile")),
                });
            if copied.is_err() {
                folder.remove_file(&name).ok();
            }
            return copied;
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Moves `temp` out of the vault into a private folder, which is created if missing; `CrossesDevices`
    /// if that is on another file system.
    pub(crate) fn move_out(&self, temp: &str, folder: &Path, name: &str) -> io::Result<()> {
        make_private_folder(folder)?;
        self.put_as(temp, &Dir::open_ambient_dir(folder, ambient_authority())?, name)
    }

    /// Moves `temp` into another folder under this name; `AlreadyExists` if that is taken.
    pub(super) fn put_as(&self, temp: &str, folder: &Dir, name: &str) -> io::Result<()> {
        self.rename_own(temp, folder, name)
    }

    /// Hard-links `temp` into another folder under this name; moves it if the file system has no hard
    /// links. `AlreadyExists` if another file has the name.
    pub(super) fn link_as(&self, temp: &str, folder: &Dir, name: &str) -> io::Result<()> {
        #[cfg(test)]
        if self.abilities.linkless().load(std::sync::atomic::Ordering::Relaxed) {
            return self.put_as(temp, folder, name);
        }
        match link_new(&self.folder, temp, folder, name) {
            Ok(true) => Ok(()),
            Ok(false) => self.put_as(temp, folder, name),
            Err(error) => {
                let [here, there] =
                    [(&self.folder, temp), (folder, name)].map(|(folder, name)| platform::stat(folder, name));
                // A killed process had already linked it.
                let is_named = here
                    .ok()
                    .zip(there.ok())
                    .is_some_and(|(here, there)| cfg!(unix) && here.stamp.is_of_same_file(&there.stamp));
                if is_named { Ok(()) } else { Err(error) }
            }
        }
    }

    /// Renames a file that only Nova uses; `AlreadyExists` if the new name is taken.
    fn rename_own(&self, temp: &str, folder: &Dir, name: &str) -> io::Result<()> {
        if self.abilities.rename_no_replace(&self.folder, temp, folder, name)? {
            return Ok(());
        }
        if link_new(&self.folder, temp, folder, name)? {
            return self.folder.remove_file(temp);
        }
        self.folder.rename(temp, folder, name)
    }

    /// The note's name followed by names derived from it, as candidates in another folder.
    pub(super) fn free_names(&self) -> impl Iterator<Item = String> {
        let (stem, extension) = self.name.rsplit_once('.').unwrap_or((&self.name, ""));
        (1..1000).map(move |n| match n {
            1 => self.name.clone(),
            n => format!("{stem} {n}.{extension}"),
        })
    }

    pub(crate) fn remove(&self, temp: &str) -> io::Result<()> {
        self.folder.remove_file(temp)
    }

    /// The bytes of the file `temp`, `None` if it does not exist; an error if it is no regular file.
    pub(crate) fn bytes_of(&self, temp: &str) -> io::Result<Option<Vec<u8>>> {
        let file = match platform::open_file(&self.folder, temp) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        read_untorn(&file).map(Some)
    }

    /// Opens the file `temp`, so that it stays readable after it loses its name.
    pub(crate) fn open_temp(&self, temp: &str) -> io::Result<OpenedFile> {
        platform::open_file(&self.folder, temp).map(OpenedFile)
    }

    /// Names in the note's folder that start with `prefix`.
    pub(crate) fn beside(&self, prefix: &str) -> io::Result<Vec<String>> {
        Ok(self
            .folder
            .entries()?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.starts_with(prefix))
            .collect())
    }

    /// Makes the names in the folder durable.
    pub(crate) fn sync_folder(&self) -> io::Result<()> {
        platform::sync_folder(&self.folder)
    }
}

/// Hard-links a file, never replacing another one; `false` if the file system has no hard links.
pub(super) fn link_new(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<bool> {
    match from.hard_link(old, to, new) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => {
            Err(error)
        }
        Err(_) if to.symlink_metadata(new).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => Ok(false),
    }
}

fn file_part(path: &VaultPath) -> &str {
    path.as_str().rsplit('/').next().unwrap_or_default()
}

/// Opens the note `name` of a folder (`path` in the vault); `None` if it does not exist.
pub(super) fn open_note(folder: &Dir, name: &str, path: &VaultPath) -> Result<Option<File>, VaultError> {
    match platform::open_file(folder, name) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(_) if platform::stat(folder, name).is_ok_and(|stat| stat.kind == Kind::Link) => {
            Err(VaultError::Symlink { path: path.clone(), refused: None })
        }
        Err(error) => Err(VaultError::io_at("read", path)(error)),
    }
}

/// Reads a small file into the start of `bytes` with one read and one check; returns length and stamp.
/// `None` if that does not suffice: the file is large, not regular, or was touched since `moment` and may
/// be half written.
pub(super) fn read_quiet(file: &File, moment: i64, bytes: &mut Vec<u8>) -> Option<(usize, Stamp)> {
    const SMALL: usize = 32 * 1024;
    if bytes.len() < SMALL {
        bytes.resize(SMALL, 0);
    }
    let length = platform::read_at(file, &mut bytes[..SMALL], 0).ok()?;
    let stat = platform::stat_file(file).ok()?;
    let whole = length < SMALL && stat.stamp.size() == length as u64;
    (whole && stat.kind == Kind::File && stat.stamp.touched() < moment).then_some((length, stat.stamp))
}

/// Reads into `bytes` until the stamp before and after is the same, so that a note being written in place
/// is not read half. `before` is a known recent stamp, `most` the maximum number of bytes.
pub(super) fn read_whole(
    file: &File,
    path: &VaultPath,
    (before, most): (Option<Stamp>, u64),
    bytes: &mut Vec<u8>,
) -> Result<FileStat, VaultError> {
    let failed = |error| VaultError::io_at("read", path)(error);
    let mut before = match before {
        Some(stamp) => stamp,
        None => {
            let stat = platform::stat_file(file).map_err(failed)?;
            if stat.kind != Kind::File {
                return Err(VaultError::NotANote { path: path.clone() });
            }
            stat.stamp
        }
    };
    let mut tries = 0;
    loop {
        if before.size() > most {
            return Err(VaultError::TooLarge { path: path.clone(), bytes: before.size() });
        }
        read_into(file, Some(before.size()), bytes).map_err(failed)?;
        let after = platform::stat_file(file).map_err(failed)?;
        if after.kind != Kind::File {
            return Err(VaultError::NotANote { path: path.clone() });
        }
        tries += 1;
        let whole = before == after.stamp && bytes.len() as u64 == after.stamp.size();
        if whole || tries == 8 {
            // An incomplete read gets a stamp that no longer matches the file.
            return Ok(FileStat { stamp: before, ..after });
        }
        before = after.stamp;
    }
}

/// A note opened for replacement, with its content.
#[derive(Debug)]
pub(crate) struct NoteFile {
    file: File,
    pub(crate) text: String,
    /// The link count; above one, an exchange separates the note from its other names.
    pub(crate) names: u64,
}

/// A note opened for writing in place.
#[derive(Debug)]
pub(crate) struct InPlace {
    file: File,
}

impl InPlace {
    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        read_from_start(&self.file)
    }

    /// Writes from the start; a longer old content keeps its tail until [`InPlace::cut`].
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(bytes)
    }

    /// Truncates or extends the file to `len` bytes.
    pub(crate) fn cut(&self, len: usize) -> io::Result<()> {
        self.file.set_len(len as u64)
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.fsync()
    }
}

impl NoteFile {
    pub(crate) fn into_opened(self) -> OpenedFile {
        OpenedFile(self.file)
    }
}

/// A file that was a note and may have lost its name.
#[derive(Debug)]
pub(crate) struct OpenedFile(File);

impl OpenedFile {
    /// Its present content, wherever its name went.
    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        read_untorn(&self.0)
    }

    /// Whether the file is unlinked, so that this handle is the only access.
    pub(crate) fn has_no_name(&self) -> bool {
        platform::stat_file(&self.0).is_ok_and(|stat| stat.names == 0)
    }

    /// Its permissions and extended attributes.
    pub(crate) fn attributes(&self) -> io::Result<Attributes> {
        Attributes::of(&self.0)
    }
}
