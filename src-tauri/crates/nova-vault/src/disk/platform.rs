//! Platform-specific operations: exchanging files, renaming without replacing, listing, file identity,
//! modes and extended attributes.

use std::time::SystemTime;

use jiff::Timestamp;

/// Metadata that tells whether a file may have changed without reading it. Programs cannot set the change
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    file: u64,
    size: u64,
    /// Nanoseconds since 1970.
    modified: i64,
    /// Nanoseconds since 1970.
    changed: i64,
}

/// The type of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Other,
    /// Of any type, but its name is not UTF-8.
    BadName,
}

/// Metadata of an entry; for a link, of the link itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStat {
    pub(crate) kind: Kind,
    pub(crate) stamp: Stamp,
    /// The link count.
    pub(crate) names: u64,
}

impl Stamp {
    /// A stamp equal to no file's.
    pub(crate) fn unknown() -> Stamp {
        Stamp { device: u64::MAX, file: u64::MAX, size: u64::MAX, modified: i64::MIN, changed: i64::MIN }
    }

    /// The later of modification and change time, in nanoseconds since 1970.
    pub(crate) fn touched(&self) -> i64 {
        self.modified.max(self.changed)
    }

    /// When the file was last modified.
    pub(crate) fn modified(&self) -> Timestamp {
        timestamp(self.modified)
    }

    /// As [`Stamp::modified`], in nanoseconds since 1970.
    pub(crate) fn modified_nanos(&self) -> i64 {
        self.modified
    }

    /// Whether both are of the same file, at any time. On systems without file identity, always true.
    pub(crate) fn is_of_same_file(&self, other: &Stamp) -> bool {
        (self.device, self.file) == (other.device, other.file)
    }

    /// The file system; equal for all files on systems that do not report it.
    pub(crate) fn device(&self) -> u64 {
        self.device
    }

    /// In bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }
}

/// A time in nanoseconds since 1970.
pub(crate) fn timestamp(nanos: i64) -> Timestamp {
    Timestamp::from_nanosecond(nanos.into()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Granularity of file times, in nanoseconds: a file touched this shortly before it was read may have been
/// touched again with the same times.
pub(crate) const RACY: i64 = 2_000_000_000;

/// The system clock, in nanoseconds since 1970; only compared with file times.
pub(crate) fn nanos_now() -> i64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::path::Path;

    use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};
    use rustix::fd::OwnedFd;
    use rustix::fs::{
        Access, AtFlags, CWD, FileType, Gid, Mode, OFlags, Stat, Uid, accessat, fchmod, fchown, fstat, fsync,
        openat, statat,
    };

    use super::{FileStat, Kind, Stamp};

    impl FileStat {
        #[allow(clippy::unnecessary_cast, reason = "the types differ from system to system")]
        fn of(found: &Stat) -> FileStat {
            // Times beyond the year 2262 are clamped.
            let nanos =
                |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
            FileStat {
                kind: match FileType::from_raw_mode(found.st_mode) {
                    FileType::RegularFile => Kind::File,
                    FileType::Directory => Kind::Folder,
                    FileType::Symlink => Kind::Link,
                    _ => Kind::Other,
                },
                stamp: Stamp {
                    device: found.st_dev as u64,
                    file: found.st_ino,
                    size: found.st_size as u64,
                    modified: nanos(found.st_mtime, found.st_mtime_nsec as i64),
                    changed: nanos(found.st_ctime, found.st_ctime_nsec as i64),
                },
                names: found.st_nlink as u64,
            }
        }
    }

    /// Stats the entry `name` of a folder without following links.
    pub(in crate::disk) fn stat(folder: &Dir, name: &str) -> io::Result<FileStat> {
        Ok(FileStat::of(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    pub(in crate::disk) fn stat_file(file: &File) -> io::Result<FileStat> {
        Ok(FileStat::of(&fstat(file)?))
    }

    /// The link count, queried from the file system: FUSE and NFS answer [`stat`] from a cache.
    #[cfg(target_os = "linux")]
    pub(in crate::disk) fn names_now(folder: &Dir, name: &str) -> Option<u64> {
        use rustix::fs::{StatxFlags, statx};
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::STATX_FORCE_SYNC;
        let found = statx(folder, name, flags, StatxFlags::NLINK).ok()?;
        (found.stx_mask & StatxFlags::NLINK.bits() != 0).then(|| found.stx_nlink.into())
    }

    #[cfg(not(target_os = "linux"))]
    pub(in crate::disk) fn names_now(_: &Dir, _: &str) -> Option<u64> {
        None
    }

    /// Makes the kernel query the file system for a file's size, which it may have cached.
    pub(in crate::disk) fn request_size(file: &File) {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{StatxFlags, statx};
            let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_FORCE_SYNC;
            statx(file, "", flags, StatxFlags::SIZE).ok();
        }
        #[cfg(not(target_os = "linux"))]
        let _ = file;
    }

    /// Stats a path, following links.
    pub(in crate::disk) fn stat_followed(path: &Path) -> io::Result<FileStat> {
        Ok(FileStat::of(&statat(CWD, path, AtFlags::empty())?))
    }

    /// Opens a folder by its path; a link is refused.
    pub(in crate::disk) fn open_root(root: &Path) -> io::Result<Dir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Dir::from_std_file(openat(CWD, root, flags, Mode::empty())?.into()))
    }

    /// Opens the folder `name` in another; a link is refused.
    pub(in crate::disk) fn open_folder(folder: &Dir, name: &str) -> io::Result<Dir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Dir::from_std_file(openat(folder, one_component(name)?, flags, Mode::empty())?.into()))
    }

    /// Whether files can be created and renamed in the folder.
    pub(in crate::disk) fn is_writable(folder: &Dir) -> bool {
        accessat(folder, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty()).is_ok()
    }

    /// Whether the folder belongs to the user and nobody else can write to it.
    pub(in crate::disk) fn is_private_to_user(folder: &Dir) -> io::Result<bool> {
        let found = fstat(folder)?;
        let others = Mode::from_raw_mode(found.st_mode) & (Mode::WGRP | Mode::WOTH);
        Ok(found.st_uid == rustix::process::getuid().as_raw() && others.is_empty())
    }

    /// Opens a file of the folder for reading; a link is refused.
    pub(crate) fn open_file(folder: &Dir, name: &str) -> io::Result<File> {
        // Non-blocking: a pipe with a note's name must not hang the reader.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(File::from_std(openat(folder, one_component(name)?, flags, Mode::empty())?.into()))
    }

    /// Opens a file of the folder for reading and writing; a link is refused.
    pub(in crate::disk) fn open_to_write(folder: &Dir, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(File::from_std(openat(folder, one_component(name)?, flags, Mode::empty())?.into()))
    }

    pub(in crate::disk) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        Ok(rustix::io::pread(file, bytes, at)?)
    }

    /// Checks that a name stays in its folder.
    fn one_component(name: &str) -> io::Result<&str> {
        if name.is_empty() || name == ".." || name.contains('/') {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(name)
    }

    /// Visits the entries of a freshly opened folder in the system's order, skipping dot-files. Returns
    /// whether the system returned them in a single batch; otherwise the folder may have changed between
    /// batches.
    #[cfg(target_os = "linux")]
    pub(in crate::disk) fn list(folder: &Dir, mut visit: impl FnMut(&str, Kind)) -> io::Result<bool> {
        use std::mem::MaybeUninit;

        use rustix::fs::RawDir;

        let mut buffer = [MaybeUninit::uninit(); 32 * 1024];
        let mut entries = RawDir::new(folder, &mut buffer);
        let mut pieces = 0;
        loop {
            pieces += usize::from(entries.is_buffer_empty());
            let Some(entry) = entries.next() else { break };
            let entry = entry?;
            let bytes = entry.file_name().to_bytes();
            if bytes.starts_with(b".") {
                continue;
            }
            let Ok(name) = std::str::from_utf8(bytes) else {
                visit(&String::from_utf8_lossy(bytes), Kind::BadName);
                continue;
            };
            let kind = match entry.file_type() {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Folder,
                FileType::Symlink => Kind::Link,
                // The file system does not report the type with the name.
                FileType::Unknown => match stat(folder, name) {
                    Ok(stat) => stat.kind,
                    Err(_) => continue,
                },
                _ => Kind::Other,
            };
            visit(name, kind);
        }
        // The last call returns no entries.
        Ok(pieces <= 2)
    }

    #[cfg(not(target_os = "linux"))]
    pub(in crate::disk) fn list(folder: &Dir, visit: impl FnMut(&str, Kind)) -> io::Result<bool> {
        super::list_portably(folder, visit)
    }

    /// Creates the file readable by its owner only, until it gets the mode of the note it replaces.
    pub(in crate::disk) fn private(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    pub(in crate::disk) fn copy_attributes(from: &File, to: &File) -> io::Result<()> {
        let there = fstat(from)?;
        let here = fstat(to)?;
        if (there.st_uid, there.st_gid) != (here.st_uid, here.st_gid) {
            // Another user's note in a shared folder: only root could keep the owner.
            let uid = Uid::from_raw(there.st_uid);
            let gid = Gid::from_raw(there.st_gid);
            if fchown(to, Some(uid), Some(gid)).is_err() {
                fchown(to, None, Some(gid)).ok();
            }
        }
        copy_extended(from, to)?;
        // After the extended attributes: an ACL in them changes the group bits.
        fchmod(to, Mode::from_raw_mode(there.st_mode & 0o7777))?;
        Ok(())
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn copy_extended(from: &File, to: &File) -> io::Result<()> {
        use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fsetxattr};
        // The file system has no extended attributes.
        let Ok(size) = flistxattr_query(from) else {
            return Ok(());
        };
        let mut names = vec![0u8; size];
        let size = flistxattr(from, &mut names)?;
        names.truncate(size);
        for name in names.split(|byte| *byte == 0).filter(|n| !n.is_empty()) {
            let mut value = vec![0u8; fgetxattr_query(from, name)?];
            let size = fgetxattr(from, name, &mut value)?;
            value.truncate(size);
            if let Err(error) = fsetxattr(to, name, &value, XattrFlags::empty()) {
                // The system may refuse its own security labels, but not the user's attributes.
                if name.starts_with(b"user.") {
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn copy_extended(_from: &File, _to: &File) -> io::Result<()> {
        Ok(())
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    pub(in crate::disk) fn exchange(folder: &Dir, one: &str, other: &str) -> io::Result<()> {
        use rustix::fs::{RenameFlags, renameat_with};
        Ok(renameat_with(folder, one, folder, other, RenameFlags::EXCHANGE)?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    pub(in crate::disk) fn exchange(_folder: &Dir, _one: &str, _other: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Whether the file system is one that is known to support atomic exchange. For others only an attempt
    /// tells, because the kernel asks the file system only about existing files.
    #[cfg(target_os = "linux")]
    pub(in crate::disk) fn known_to_exchange(folder: &Dir) -> bool {
        // ext2/3/4, btrfs, xfs, tmpfs, f2fs, bcachefs: linux/magic.h.
        const KNOWN: [u32; 6] = [0xEF53, 0x9123_683E, 0x5846_5342, 0x0102_1994, 0xF2F5_2010, 0xCA45_1A4E];
        rustix::fs::fstatfs(folder).is_ok_and(|system| KNOWN.contains(&(system.f_type as u32)))
    }

    #[cfg(not(target_os = "linux"))]
    pub(in crate::disk) fn known_to_exchange(_folder: &Dir) -> bool {
        false
    }

    /// Renames unless the new name is taken, atomically; `false` if unsupported.
    pub(in crate::disk) fn rename_no_replace(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<bool> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            use rustix::io::Errno;
            match renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
                other => other.map(|()| true).map_err(io::Error::from),
            }
        }
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        {
            let _ = (from, old, to, new);
            Ok(false)
        }
    }

    /// Reopens the folder for syncing: the handles used for walking may be `O_PATH`, through which nothing
    /// is synced.
    pub(in crate::disk) fn open_to_sync(folder: &Dir) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(openat(folder, ".", flags, Mode::empty())?)
    }

    pub(in crate::disk) fn sync_folder(folder: &Dir) -> io::Result<()> {
        let folder = open_to_sync(folder)?;
        match fsync(&folder) {
            Ok(()) => {
                #[cfg(all(test, target_os = "linux"))]
                crate::tests::synced::file(&folder);
                Ok(())
            }
            // Some network and user-space file systems cannot sync folders.
            Err(rustix::io::Errno::INVAL) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::path::Path;

    use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
    use cap_std::ambient_authority;
    use cap_std::fs::{Dir, File, Metadata, OpenOptions};

    use super::{FileStat, Stamp, kind_of};

    impl FileStat {
        fn of(metadata: &Metadata) -> FileStat {
            let modified = metadata
                .modified()
                .ok()
                .and_then(|time| time.into_std().duration_since(std::time::SystemTime::UNIX_EPOCH).ok())
                .map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
            FileStat {
                kind: kind_of(metadata.file_type()),
                stamp: Stamp { device: 0, file: 0, size: metadata.len(), modified, changed: modified },
                names: metadata.nlink(),
            }
        }
    }

    pub(in crate::disk) fn stat(folder: &Dir, name: &str) -> io::Result<FileStat> {
        Ok(FileStat::of(&folder.symlink_metadata(name)?))
    }

    pub(in crate::disk) fn stat_file(file: &File) -> io::Result<FileStat> {
        Ok(FileStat::of(&file.metadata()?))
    }

    pub(in crate::disk) fn names_now(_: &Dir, _: &str) -> Option<u64> {
        None
    }

    pub(in crate::disk) fn request_size(_: &File) {}

    pub(in crate::disk) fn stat_followed(path: &Path) -> io::Result<FileStat> {
        stat(&Dir::open_ambient_dir(path, ambient_authority())?, ".")
    }

    pub(in crate::disk) fn open_root(root: &Path) -> io::Result<Dir> {
        if root.symlink_metadata()?.is_symlink() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Dir::open_ambient_dir(root, ambient_authority())
    }

    pub(in crate::disk) fn open_folder(folder: &Dir, name: &str) -> io::Result<Dir> {
        folder.open_dir_nofollow(name)
    }

    pub(in crate::disk) fn is_writable(folder: &Dir) -> bool {
        folder.dir_metadata().is_ok_and(|found| !found.permissions().readonly())
    }

    /// Unknown on this system.
    pub(in crate::disk) fn is_private_to_user(_folder: &Dir) -> io::Result<bool> {
        Ok(false)
    }

    pub(crate) fn open_file(folder: &Dir, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        folder.open_with(name, &options)
    }

    pub(in crate::disk) fn open_to_write(folder: &Dir, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).follow(FollowSymlinks::No).nonblock(true);
        folder.open_with(name, &options)
    }

    pub(in crate::disk) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        use std::io::{Read, Seek, SeekFrom};
        let mut reader: &File = file;
        reader.seek(SeekFrom::Start(at))?;
        reader.read(bytes)
    }

    pub(in crate::disk) use super::list_portably as list;

    pub(in crate::disk) fn private(_options: &mut OpenOptions) {}

    pub(in crate::disk) fn copy_attributes(from: &File, to: &File) -> io::Result<()> {
        to.set_permissions(from.metadata()?.permissions())
    }

    pub(in crate::disk) fn exchange(_folder: &Dir, _one: &str, _other: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(in crate::disk) fn known_to_exchange(_folder: &Dir) -> bool {
        false
    }

    pub(in crate::disk) fn rename_no_replace(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<bool> {
        if to.symlink_metadata(new).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        from.rename(old, to, new).map(|()| true)
    }

    pub(in crate::disk) fn sync_folder(_folder: &Dir) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
fn list_portably(folder: &cap_std::fs::Dir, mut visit: impl FnMut(&str, Kind)) -> std::io::Result<bool> {
    for entry in folder.entries()?.flatten() {
        let raw = entry.file_name();
        match (raw.to_str(), entry.file_type()) {
            (Some(name), _) if name.starts_with('.') => {}
            (Some(name), Ok(kind)) => visit(name, kind_of(kind)),
            (None, _) => visit(&raw.to_string_lossy(), Kind::BadName),
            // Deleted between listing and stat.
            (_, Err(_)) => {}
        }
    }
    // The number of batches is unknown.
    Ok(false)
}

#[cfg(not(target_os = "linux"))]
fn kind_of(kind: cap_std::fs::FileType) -> Kind {
    if kind.is_symlink() {
        Kind::Link
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}

pub(crate) use system::open_file;
pub(in crate::disk) use system::{
    copy_attributes, exchange, is_private_to_user, is_writable, known_to_exchange, list, names_now,
    open_folder, open_root, open_to_write, private, read_at, rename_no_replace, request_size, stat,
    stat_file, stat_followed, sync_folder,
};

#[cfg(target_os = "linux")]
pub(in crate::disk) use system::open_to_sync;

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::system::open_to_sync;
    use crate::disk::{Disk, Roots};
    use crate::note::VaultPath;

    #[test]
    fn folder_of_every_note_can_be_synced() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("one/two")).unwrap();
        let disk = Disk::open(dir.path().canonicalize().unwrap(), Roots::default()).unwrap();
        for folder in ["", "one", "one/two"] {
            let opened = open_to_sync(&disk.folder(folder).unwrap()).unwrap();
            assert_eq!(rustix::fs::fsync(&opened), Ok(()), "\"{folder}\"");
        }
        let (place, made) = disk.make_place(&VaultPath::parse("one/new/in/note.md").unwrap()).unwrap();
        assert_eq!(made, ["one/new", "one/new/in"]);
        place.sync_folder().unwrap();
        disk.sync_made(&made).unwrap();
    }
}
