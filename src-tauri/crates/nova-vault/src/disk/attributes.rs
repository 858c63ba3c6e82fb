//! Permissions and extended attributes of a note's file. Stored when a note is deleted, so that undo
//! restores it as private as it was.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The permissions and extended attributes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attributes {
    /// The permission bits, as of `0o640`.
    mode: u32,
    /// The id of the owning group.
    group: u32,
    /// Extended attributes of the user (`user.…`) and the ACL, hex-encoded.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    extended: BTreeMap<String, String>,
}

#[cfg(unix)]
mod system {
    use std::collections::BTreeMap;
    use std::io;

    use cap_std::fs::File;
    use rustix::fs::{Gid, Mode, fchmod, fchown, fstat};

    use super::Attributes;

    /// The POSIX ACL of Linux. If present, the group bits of the mode are its mask.
    const ACCESS_LIST: &str = "system.posix_acl_access";

    impl Attributes {
        pub(in crate::disk) fn of(file: &File) -> io::Result<Attributes> {
            let found = fstat(file)?;
            Ok(Attributes {
                mode: Mode::from_raw_mode(found.st_mode).as_raw_mode() & 0o777,
                group: found.st_gid,
                extended: extended(file)?,
            })
        }

        /// Applies them to a new file that only its owner can read so far. Attributes that the file system
        /// refuses are skipped: the text matters more, and skipping them grants nobody access.
        pub(in crate::disk) fn put_on(&self, file: &File) {
            let mut mode = self.mode;
            let is_of_group = fstat(file).is_ok_and(|found| found.st_gid == self.group);
            if !is_of_group && fchown(file, None, Some(Gid::from_raw(self.group))).is_err() {
                mode &= !0o070;
            }
            for (name, value) in &self.extended {
                if let Err(error) = set_extended(file, name, value) {
                    tracing::debug!(?name, %error, "cannot copy an extended attribute");
                    if name == ACCESS_LIST {
                        mode &= !0o077;
                    }
                }
            }
            // After the ACL, which changes the group bits.
            if let Err(error) = fchmod(file, Mode::from_raw_mode(mode)) {
                tracing::debug!(mode = format_args!("{mode:o}"), %error, "cannot set the mode");
            }
        }
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn extended(file: &File) -> io::Result<BTreeMap<String, String>> {
        use rustix::fs::{fgetxattr, fgetxattr_query, flistxattr, flistxattr_query};

        let mut extended = BTreeMap::new();
        // The file system has no extended attributes.
        let Ok(size) = flistxattr_query(file) else { return Ok(extended) };
        let mut names = vec![0u8; size];
        let size = flistxattr(file, &mut names)?;
        names.truncate(size);
        for name in names.split(|byte| *byte == 0) {
            let Ok(name) = std::str::from_utf8(name) else { continue };
            if name.starts_with("user.") || name == ACCESS_LIST {
                let mut value = vec![0u8; fgetxattr_query(file, name)?];
                let size = fgetxattr(file, name, &mut value)?;
                let digits = value[..size].iter().map(|byte| format!("{byte:02x}")).collect();
                extended.insert(name.to_owned(), digits);
            }
        }
        Ok(extended)
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn set_extended(file: &File, name: &str, digits: &str) -> io::Result<()> {
        let bytes = digits.as_bytes().chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).map_err(io::Error::other)?;
            u8::from_str_radix(pair, 16).map_err(io::Error::other)
        });
        let value = bytes.collect::<io::Result<Vec<u8>>>()?;
        Ok(rustix::fs::fsetxattr(file, name, &value, rustix::fs::XattrFlags::empty())?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn extended(_file: &File) -> io::Result<BTreeMap<String, String>> {
        Ok(BTreeMap::new())
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn set_extended(_file: &File, _name: &str, _digits: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(not(unix))]
mod system {
    use std::collections::BTreeMap;
    use std::io;

    use cap_std::fs::File;

    use super::Attributes;

    impl Attributes {
        /// A new file inherits from its folder.
        pub(in crate::disk) fn of(_file: &File) -> io::Result<Attributes> {
            Ok(Attributes { mode: 0o644, group: 0, extended: BTreeMap::new() })
        }

        pub(in crate::disk) fn put_on(&self, _file: &File) {}
    }
}
