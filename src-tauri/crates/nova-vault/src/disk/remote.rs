//! File systems changed by other machines or by a user-space process: the kernel reports only local
//! changes.

use std::io;

use super::Folder;

impl Folder {
    /// Name of the folder's file system if files on it may change without a notification; `None` for a
    /// local or unknown one.
    pub(crate) fn remote_kind(&self) -> Option<&'static str> {
        system::remote_kind(&self.dir)
    }

    /// Device number of the mount that contains the folder.
    pub(crate) fn device(&self) -> Option<u64> {
        #[cfg(unix)]
        return self.dir.dir_metadata().ok().map(|found| cap_std::fs::MetadataExt::dev(&found));
        #[cfg(not(unix))]
        None
    }

    /// Replaces [`Folder::device`] in tests, which cannot mount.
    #[cfg(all(test, unix))]
    pub(crate) fn inode(&self) -> Option<u64> {
        self.dir.dir_metadata().ok().map(|found| cap_std::fs::MetadataExt::ino(&found))
    }

    /// Whether the folder is empty.
    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        Ok(self.dir.entries()?.next().is_none())
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use cap_std::fs::Dir;
    use rustix::fs::{fstat, fstatfs, major};

    /// Magic numbers from the kernel's `include/uapi/linux/magic.h`, or else from the named source.
    const KINDS: [(u32, &str); 15] = [
        (0x6969, "NFS"),
        (0x517b, "SMB"),
        (0xff53_4d42, "SMB"),
        (0xfe53_4d42, "SMB"),
        (0x0102_1997, "9p (a folder of another system)"),
        (0x5346_414f, "AFS"),
        (0x6b41_4653, "AFS"),
        (0x00c3_6400, "Ceph"),
        (0x7375_7245, "Coda"),
        (FUSE, "a FUSE file system (as sshfs, rclone and cloud drives are)"),
        // fs/vboxsf/super.c
        (0x786f_4256, "a shared folder of VirtualBox"),
        // The module vmhgfs of open-vm-tools.
        (0xbacb_acbc, "a shared folder of VMware"),
        (0x7461_636f, "OCFS2"),
        // include/uapi/linux/gfs2_ondisk.h
        (0x0116_1970, "GFS2"),
        // LL_SUPER_MAGIC of Lustre.
        (0x0bd0_0bd0, "Lustre"),
    ];

    const FUSE: u32 = 0x6573_5546;

    pub(super) fn remote_kind(folder: &Dir) -> Option<&'static str> {
        #[allow(clippy::unnecessary_cast, clippy::cast_possible_truncation, reason = "its type differs")]
        let kind = fstatfs(folder).ok()?.f_type as u32;
        of(kind, || fstat(folder).is_ok_and(|found| major(found.st_dev) != 0))
    }

    /// `on_disk`: whether the file system is on a local disk. FUSE is, for NTFS and exFAT, and then has
    /// that disk's device number; otherwise its number is anonymous (major 0).
    fn of(kind: u32, on_disk: impl FnOnce() -> bool) -> Option<&'static str> {
        let (_, name) = KINDS.iter().find(|(known, _)| *known == kind)?;
        (kind != FUSE || !on_disk()).then_some(*name)
    }

    #[cfg(test)]
    mod tests {
        use super::of;

        #[test]
        fn remote_file_systems_are_recognised_and_local_ones_are_not() {
            let check = |kind, expected| assert_eq!(of(kind, || false), expected, "{kind:#x}");
            check(0x6969, Some("NFS"));
            check(0xfe53_4d42, Some("SMB"));
            check(0x0102_1997, Some("9p (a folder of another system)"));
            // ext4, btrfs, xfs, tmpfs, overlayfs, f2fs
            for local in [0xef53, 0x9123_683e, 0x5846_5342, 0x0102_1994, 0x794c_7630, 0xf2f5_2010] {
                check(local, None);
            }
            let fuse = 0x6573_5546;
            assert!(of(fuse, || false).is_some_and(|name| name.contains("FUSE")));
            assert_eq!(of(fuse, || true), None, "a local NTFS disk");
        }
    }
}

#[cfg(target_vendor = "apple")]
mod system {
    use cap_std::fs::Dir;
    use rustix::fs::fstatfs;

    /// By the names that `mount` prints.
    const KINDS: [(&str, &str); 9] = [
        ("nfs", "NFS"),
        ("smbfs", "SMB"),
        ("afpfs", "AFP"),
        ("webdav", "WebDAV"),
        ("ftp", "FTP"),
        ("acfs", "Xsan"),
        ("macfuse", "a FUSE file system (as sshfs, rclone and cloud drives are)"),
        ("osxfuse", "a FUSE file system (as sshfs, rclone and cloud drives are)"),
        ("fusefs", "a FUSE file system (as sshfs, rclone and cloud drives are)"),
    ];

    pub(super) fn remote_kind(folder: &Dir) -> Option<&'static str> {
        let found = fstatfs(folder).ok()?;
        let name = found.f_fstypename.iter().map(|&c| c as u8).take_while(|&c| c != 0);
        let name = String::from_utf8(name.collect()).ok()?;
        KINDS.iter().find(|(known, _)| *known == name).map(|(_, said)| *said)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod system {
    use cap_std::fs::Dir;

    /// Unknown on this system.
    pub(super) fn remote_kind(_folder: &Dir) -> Option<&'static str> {
        None
    }
}
