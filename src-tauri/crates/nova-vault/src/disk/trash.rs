//! The system's trash as the desktops of Linux have it, by the FreeDesktop.org Trash specification 1.0
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

/// What stands in a `Path=` as it is, besides letters and digits.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A trash on the file system of a vault, so that no note is copied into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrashPlace {
    /// With `files` and `info` in it, or to be made.
    pub(crate) folder: PathBuf,
    /// The top of the file system, where the trash is there and not in the user's home. What is said of
    /// a file's origin is relative to it then.
    pub(crate) top: Option<PathBuf>,
}

impl TrashPlace {
    /// The home trash where it lies on the vault's file system, else that at the top of it; `None` where
    /// notes cannot be moved there.
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

    /// Whether notes can be moved here, as far as that shows while nothing is made.
    fn can_take(&self) -> bool {
        match self.opened() {
            Ok(trash) => ["files", "info"].iter().all(|name| match self.opened_in(&trash, name) {
                Ok(folder) => platform::is_writable(&folder),
                Err(error) => error.kind() == io::ErrorKind::NotFound && platform::is_writable(&trash),
            }),
            // To be made in the last folder of its path that there is.
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

    /// A folder of the trash, or the trash itself. No link is followed, and at the top of a file system,
    /// where every user of the machine can make one, it has to be the user's own.
    fn opened_in(&self, parent: &Dir, name: &str) -> io::Result<Dir> {
        let folder = platform::open_folder(parent, name)?;
        if self.top.is_some() && !platform::is_users_alone(&folder)? {
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

    /// The folder that the trash lies in, and its name there.
    fn place(&self) -> io::Result<(&Path, &str)> {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        self.folder.parent().zip(name).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

/// The highest folder above `folder` that lies on the same file system; `None` where the system does
/// not say.
pub fn top_folder(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().take_while(|above| is_on_one_file_system(above, folder)).last().map(Path::to_owned)
}

/// `$top/.Trash/$uid` where an administrator has made `.Trash` as the specification wants it, and
/// `$top/.Trash-$uid`.
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

/// Whether both lie on one file system; of what does not exist, the folder that it would be made in.
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

/// The folders of an opened trash.
#[derive(Debug)]
pub(crate) struct SystemTrash {
    files: Dir,
    info: Dir,
}

impl SystemTrash {
    /// Opens the trash, made where there is none. A trash or a folder of it that is a link is refused,
    /// and at the top of a file system one that is not the user's alone; on the way to it there may be
    /// links. Whether it lies in the vault is up to the caller.
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

    /// Gives the file `temp` beside a note a name here ([`Place::link_as`]), as what lay at `original` until `at`: a whole path for
    /// the home trash, else relative to the top of the file system. An error,
    /// such as another file system, leaves it where it is and nothing here. `before_move` is
    /// called when only the move is left to do.
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
                    // The journal has it, should the trash not last through a power cut.
                    platform::sync_folder(&self.files).ok();
                    return Ok(());
                }
                Err(error) => {
                    self.info.remove_file(&info).ok();
                    // A file that nobody announced has the name.
                    if error.kind() != io::ErrorKind::AlreadyExists {
                        return Err(error);
                    }
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Creates the file that says where a trashed one was; that reserves its name for all programs.
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

    /// Whether a program was killed before it moved the file that this one announces: a file of
    /// the same place in the vault, so Nova continues with it.
    fn is_left_over(&self, name: &str, info: &str, origin: &str) -> bool {
        if self.files.symlink_metadata(name).is_ok() {
            return false;
        }
        let mut found = vec![0; origin.len()];
        let read = platform::open_file(&self.info, info).and_then(|mut file| file.read_exact(&mut found));
        read.is_ok() && found == origin.as_bytes()
    }
}
