//! What each operating system does in its own way: exchanging two files, refusing to
//! replace, file identity, modes and extended attributes.

/// What tells whether a file may have changed without reading it. The change time is
/// what a program cannot set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    file: u64,
    size: u64,
    /// Nanoseconds since 1970.
    modified: i128,
    /// Nanoseconds since 1970.
    changed: i128,
}

impl Stamp {
    /// Equal to no file that is there.
    pub(crate) fn unknown() -> Stamp {
        Stamp { device: u64::MAX, file: u64::MAX, size: u64::MAX, modified: i128::MIN, changed: i128::MIN }
    }

    /// The later of modification and change time, in nanoseconds since 1970.
    pub(crate) fn touched(&self) -> i128 {
        self.modified.max(self.changed)
    }
}

#[cfg(unix)]
mod system {
    use std::io;

    use cap_std::fs::{Dir, File, Metadata, MetadataExt, OpenOptions, OpenOptionsExt};
    use rustix::fs::{Gid, Mode, Uid, fchmod, fchown, fstat, fsync};

    use super::Stamp;

    impl Stamp {
        pub(crate) fn of(metadata: &Metadata) -> Stamp {
            let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
            Stamp {
                device: metadata.dev(),
                file: metadata.ino(),
                size: metadata.size(),
                modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
                changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            }
        }
    }

    /// A file that only its owner reads until it gets the mode of the note it replaces.
    pub(in crate::disk) fn private(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    pub(in crate::disk) fn copy_attributes(from: &File, to: &File) -> io::Result<()> {
        let there = fstat(from)?;
        let here = fstat(to)?;
        if (there.st_uid, there.st_gid) != (here.st_uid, here.st_gid) {
            // A note of somebody else in a shared folder: only root could keep the owner.
            let uid = Uid::from_raw(there.st_uid);
            let gid = Gid::from_raw(there.st_gid);
            if fchown(to, Some(uid), Some(gid)).is_err() {
                fchown(to, None, Some(gid)).ok();
            }
        }
        copy_extended(from, to)?;
        // After the attributes: an access list in them changes the group bits.
        fchmod(to, Mode::from_raw_mode(there.st_mode & 0o7777))?;
        Ok(())
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn copy_extended(from: &File, to: &File) -> io::Result<()> {
        use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fsetxattr};
        // A file system without extended attributes has none to keep.
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
                // Labels that the system gives itself may be refused; the user's may not.
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

    /// Whether two files can be exchanged. The usual file systems are known by their type;
    /// another one is asked with two empty files, since the kernel asks a file system
    /// only about files that exist.
    pub(in crate::disk) fn exchange_support(folder: &Dir) -> Result<(), String> {
        if known_to_exchange(folder) {
            return Ok(());
        }
        let names = [".nova-probe-1.tmp", ".nova-probe-2.tmp"];
        let mut options = OpenOptions::new();
        options.write(true).create(true);
        let asked = names
            .iter()
            .try_for_each(|name| folder.open_with(name, &options).map(drop))
            .and_then(|()| exchange(folder, names[0], names[1]));
        for name in names {
            folder.remove_file(name).ok();
        }
        asked.map_err(|error| format!("the file system cannot exchange two files in one step ({error})"))
    }

    #[cfg(target_os = "linux")]
    fn known_to_exchange(folder: &Dir) -> bool {
        // ext2/3/4, btrfs, xfs, tmpfs, f2fs, bcachefs: linux/magic.h.
        const KNOWN: [u32; 6] = [0xEF53, 0x9123_683E, 0x5846_5342, 0x0102_1994, 0xF2F5_2010, 0xCA45_1A4E];
        rustix::fs::fstatfs(folder).is_ok_and(|system| KNOWN.contains(&(system.f_type as u32)))
    }

    #[cfg(not(target_os = "linux"))]
    fn known_to_exchange(_folder: &Dir) -> bool {
        false
    }

    pub(in crate::disk) fn rename_new(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            use rustix::io::Errno;
            match renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                other => return Ok(other?),
            }
        }
        // A second name never replaces a file; then the first name goes.
        match from.hard_link(old, to, new) {
            Ok(()) => from.remove_file(old),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) if to.symlink_metadata(new).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => from.rename(old, to, new),
        }
    }

    pub(in crate::disk) fn sync_folder(folder: &Dir) -> io::Result<()> {
        match fsync(folder) {
            Ok(()) => Ok(()),
            // Some network and user-space file systems cannot sync a folder.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::BADF) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    use cap_std::fs::{Dir, File, Metadata, OpenOptions};

    use super::Stamp;

    impl Stamp {
        pub(crate) fn of(metadata: &Metadata) -> Stamp {
            let modified = metadata
                .modified()
                .ok()
                .and_then(|time| time.into_std().duration_since(std::time::SystemTime::UNIX_EPOCH).ok())
                .map_or(0, |since| since.as_nanos() as i128);
            Stamp { device: 0, file: 0, size: metadata.len(), modified, changed: modified }
        }
    }

    pub(in crate::disk) fn private(_options: &mut OpenOptions) {}

    pub(in crate::disk) fn copy_attributes(from: &File, to: &File) -> io::Result<()> {
        to.set_permissions(from.metadata()?.permissions())
    }

    pub(in crate::disk) fn exchange(_folder: &Dir, _one: &str, _other: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(in crate::disk) fn exchange_support(_folder: &Dir) -> Result<(), String> {
        Err("this system cannot exchange two files in one step".to_owned())
    }

    pub(in crate::disk) fn rename_new(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<()> {
        if to.symlink_metadata(new).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        from.rename(old, to, new)
    }

    pub(in crate::disk) fn sync_folder(_folder: &Dir) -> io::Result<()> {
        Ok(())
    }
}

pub(in crate::disk) use system::{
    copy_attributes, exchange, exchange_support, private, rename_new, sync_folder,
};
