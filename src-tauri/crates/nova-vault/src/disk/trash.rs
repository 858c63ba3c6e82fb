//! The system's trash on Linux desktops, by the FreeDesktop.org Trash specification 1.0
//! (<https://specifications.freedesktop.org/trash-spec/1.0/>): a folder with `files` and `info`, in the
//! user's home or at the top of another file system.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, OpenOptions};
use jiff::Zoned;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::real_path::without_links;
use super::{Fsync, Place, platform};

/// Characters percent-encoded in `Path=`.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A trash on the vault's file system, so that no note is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrashPlace {
    /// The folder with `files` and `info`, possibly still to be created.
    pub(crate) folder: PathBuf,
    /// The top of the file system, for a trash outside of the user's home; original paths are then relative
    /// to it.
    pub(crate) top: Option<PathBuf>,
}

impl TrashPlace {
    /// The home trash if it is on the vault's file system, otherwise the one at the top of that file
    /// system; `None` if notes cannot be moved there.
    pub(crate) fn of(
        root: &Path,
        home: &Path,
        top_folder: fn(&Path) -> Option<PathBuf>,
    ) -> Option<TrashPlace> {
        let is_outside = |folder: &Path| !without_links(folder).starts_with(root);
        if is_outside(home) && is_on_one_file_system(home, root) {
            let home = TrashPlace { folder: home.to_owned(), top: None };
            return home.can_take().then_some(home);
        }
        let top = top_folder(root).filter(|top| top != root && root.starts_with(top))?;
        let folders = folders_at_top(&top).into_iter();
        let mut places = folders.map(|folder| TrashPlace { folder, top: Some(top.clone()) });
        places.find(TrashPlace::can_take)
    }

    /// Whether notes can be moved here, as far as that can be told without creating anything.
    fn can_take(&self) -> bool {
        match self.opened() {
            Ok(trash) => ["files", "info"].iter().all(|name| match self.opened_in(&trash, name) {
                Ok(folder) => platform::is_writable(&folder),
                Err(error) => error.kind() == io::ErrorKind::NotFound && platform::is_writable(&trash),
            }),
            // It would be created in the innermost existing ancestor.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let above = self.folder.ancestors().skip(1).find(|above| above.exists());
                above.is_some_and(|above| {
                    Dir::open_ambient_dir(above, ambient_authority())
                        .is_ok_and(|above| platform::is_writable(&above))
                })
            }
            Err(_) => false,
        }
    }

    fn opened(&self) -> io::Result<Dir> {
        let (parent, name) = self.place()?;
        self.opened_in(&Dir::open_ambient_dir(parent, ambient_authority())?, name)
    }

    /// Opens the trash or a folder of it. Links are refused, and at the top of a file system, where every
    /// user can create one, it must belong to the user.
    fn opened_in(&self, parent: &Dir, name: &str) -> io::Result<Dir> {
        let folder = platform::open_folder(parent, name)?;
        if self.top.is_some() && !platform::is_private_to_user(&folder)? {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(folder)
    }

    fn opened_or_made(&self, parent: &Dir, name: &str) -> io::Result<Dir> {
        match self.opened_in(parent, name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match parent.create_dir_with(name, &builder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        self.opened_in(parent, name)
    }

    /// The parent folder of the trash, and its name there.
    fn place(&self) -> io::Result<(&Path, &str)> {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        self.folder.parent().zip(name).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

/// The topmost ancestor of `folder` on the same file system; `None` if the system does not tell.
pub fn top_folder(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().take_while(|above| is_on_one_file_system(above, folder)).last().map(Path::to_owned)
}

/// `$top/.Trash/$uid`, if an administrator created a valid `.Trash`, and `$top/.Trash-$uid`.
#[cfg(unix)]
fn folders_at_top(top: &Path) -> Vec<PathBuf> {
    use std::os::unix::fs::PermissionsExt;

    const STICKY: u32 = 0o1000;
    let user = rustix::process::getuid().as_raw();
    let shared = top.join(".Trash");
    let is_shared = shared
        .symlink_metadata()
        .is_ok_and(|there| there.is_dir() && there.permissions().mode() & STICKY != 0);
    let in_shared = is_shared.then(|| shared.join(user.to_string()));
    in_shared.into_iter().chain([top.join(format!(".Trash-{user}"))]).collect()
}

#[cfg(not(unix))]
fn folders_at_top(_top: &Path) -> Vec<PathBuf> {
    Vec::new()
}

/// Whether both are on one file system; a missing path counts as its nearest existing ancestor.
fn is_on_one_file_system(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;

        let device = |path: &Path| path.ancestors().find_map(|path| path.metadata().ok()).map(|it| it.dev());
        device(one).is_some_and(|device_of_one| device(other) == Some(device_of_one))
    }
    #[cfg(not(unix))]
    {
        let _ = (one, other);
        false
    }
}

/// The opened folders of a trash.
#[derive(Debug)]
pub(crate) struct SystemTrash {
    files: Dir,
    info: Dir,
}

impl SystemTrash {
    /// Opens the trash, creating it if missing. Refuses a trash or subfolder that is a link and, at the top
    /// of a file system, one that is not the user's or that others can write to; its ancestors may contain
    /// links. The caller must check that it is outside of the vault.
    pub(crate) fn open(place: &TrashPlace) -> io::Result<SystemTrash> {
        let (parent, name) = place.place()?;
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(parent)?;
        let trash = place.opened_or_made(&Dir::open_ambient_dir(parent, ambient_authority())?, name)?;
        Ok(SystemTrash {
            files: place.opened_or_made(&trash, "files")?,
            info: place.opened_or_made(&trash, "info")?,
        })
    }

    /// Links the file `temp` of a note into the trash ([`Place::link_as`]). `original` is the path until
    /// `at`: absolute for the home trash, otherwise relative to the top of the file system. On an error,
    /// such as another file system, the file stays and nothing is left here. `before_move` is called right
    /// before the move.
    pub(crate) fn put(
        &self,
        place: &Place,
        temp: &str,
        original: &Path,
        at: &Zoned,
        before_move: &dyn Fn() -> io::Result<()>,
    ) -> io::Result<()> {
        let origin = format!(
            "[Trash Info]\nPath={}\n",
            percent_encode(original.as_os_str().as_encoded_bytes(), ESCAPED)
        );
        let text = format!("{origin}DeletionDate={}\n", at.strftime("%Y-%m-%dT%H:%M:%S"));
        for name in place.free_names() {
            let info = format!("{name}.trashinfo");
            match self.reserve(&info, &text) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if !self.is_left_over(&name, &info, &origin) {
                        continue;
                    }
                }
                reserved => reserved?,
            }
            match before_move().and_then(|()| place.link_as(temp, &self.files, &name)) {
                Ok(()) => {
                    // The journal has the bytes, should the trash not survive a power cut.
                    platform::sync_folder(&self.files).ok();
                    return Ok(());
                }
                Err(error) => {
                    self.info.remove_file(&info).ok();
                    // The name is taken by a file without an `info` entry.
                    if error.kind() != io::ErrorKind::AlreadyExists {
                        return Err(error);
                    }
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Creates the `info` file, which reserves the name for all programs.
    fn reserve(&self, info: &str, text: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        platform::private(&mut options);
        let mut file = self.info.open_with(info, &options)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.fsync());
        if written.is_err() {
            self.info.remove_file(info).ok();
        }
        written
    }

    /// Whether this `info` file is an orphan of a killed process, for the same original path; Nova then
    /// resumes with it.
    fn is_left_over(&self, name: &str, info: &str, origin: &str) -> bool {
        if self.files.symlink_metadata(name).is_ok() {
            return false;
        }
        let mut found = vec![0; origin.len()];
        let read = platform::open_file(&self.info, info).and_then(|mut file| file.read_exact(&mut found));
        read.is_ok() && found == origin.as_bytes()
    }
}
