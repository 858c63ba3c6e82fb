//! Restricts file access of this process, with Landlock.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use crate::confinement::Enforced;

/// The minimum to count as confined: Linux 6.2, which restricts truncation.
const LEAST: ABI = ABI::V3;
/// Full enforcement: Linux 6.12, which also restricts device ioctls and signals.
const WHOLE: ABI = ABI::V6;

/// Folders of shared libraries, with nothing of the user's. Readable, not executable.
const LIBRARIES: [&str; 6] =
    ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"];
/// Devices that programs expect and that are harmless.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];

/// Restricts this process, which must have one thread, and all its descendants.
///
/// `program` stays executable. With `require`, less than [`LEAST`] is an error.
pub(crate) fn confine(
    program: &Path,
    read: &[PathBuf],
    write: &[PathBuf],
    require: bool,
) -> Result<Enforced, String> {
    let rules = rules(require).map_err(|error| {
        format!(
            "this system cannot confine it to files as is required ({error}); that takes Linux 6.2 or later with \
             Landlock switched on (`landlock` in the kernel parameter lsm=)"
        )
    })?;
    let reading = AccessFs::from_read(WHOLE);
    // As root, a new device node could bypass the restrictions.
    let writing = AccessFs::from_all(WHOLE) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let describe = |error: RulesetError| format!("cannot confine it to files: {error}");

    let mut rules = rules;
    for (paths, access) in [(read, reading), (write, writing)] {
        for path in paths {
            let fd = PathFd::new(path).map_err(|error| format!("its folder {}: {error}", path.display()))?;
            rules = rules.add_rule(beneath(fd, path, access)).map_err(describe)?;
        }
    }
    let own = [Some(program.to_owned()), loader(program)].into_iter().flatten();
    let own = own.map(|path| (path, AccessFs::Execute | AccessFs::ReadFile));
    let libraries = LIBRARIES.map(|path| (path.into(), AccessFs::ReadFile.into()));
    let devices = DEVICES.map(|path| (path.into(), AccessFs::ReadFile | AccessFs::WriteFile));
    for (path, access) in own.chain(libraries).chain(devices) {
        // A missing path needs no rule.
        if let Ok(fd) = PathFd::new(&path) {
            rules = rules.add_rule(beneath(fd, &path, access)).map_err(describe)?;
        }
    }
    let status = rules.restrict_self().map_err(describe)?;
    if require && !matches!(status.landlock, LandlockStatus::Available { .. }) {
        return Err("this system has no Landlock".into());
    }
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Enforced::Fully,
        RulesetStatus::PartiallyEnforced => Enforced::Partly,
        RulesetStatus::NotEnforced => Enforced::Not,
    })
}

fn rules(require: bool) -> Result<RulesetCreated, RulesetError> {
    let least = if require { CompatLevel::HardRequirement } else { CompatLevel::BestEffort };
    Ruleset::default()
        .set_compatibility(least)
        .handle_access(AccessFs::from_all(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WHOLE))?
        .scope(Scope::from_all(WHOLE))?
        .create()
}

/// A rule for a folder and its contents, or for a file, to which directory rights do not apply.
fn beneath(fd: PathFd, path: &Path, access: BitFlags<AccessFs>) -> PathBeneath<PathFd> {
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(WHOLE) };
    PathBeneath::new(fd, access)
}

/// The dynamic loader of an ELF program (PT_INTERP), which the kernel executes on its behalf.
///
/// Offsets as in elf(5) for 64-bit little-endian files, the only ones the seccomp filter supports.
fn loader(program: &Path) -> Option<PathBuf> {
    const PROGRAM_HEADERS_AT: u64 = 0x20;
    const HEADER_SIZE_AND_COUNT_AT: u64 = 0x36;
    const PT_INTERP: u32 = 3;
    const FILE_OFFSET_AT: u64 = 8;
    const FILE_SIZE_AT: u64 = 32;

    let file = File::open(program).ok()?;
    let bytes = |at: u64, length: usize| {
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, at).ok().map(|()| bytes)
    };
    let number = |at: u64, length: usize| {
        let mut number = [0; 8];
        number[..length].copy_from_slice(&bytes(at, length)?);
        Some(u64::from_le_bytes(number))
    };
    if bytes(0, 6)? != *b"\x7fELF\x02\x01" {
        return None;
    }
    let headers = number(PROGRAM_HEADERS_AT, 8)?;
    let (size, count) = (number(HEADER_SIZE_AND_COUNT_AT, 2)?, number(HEADER_SIZE_AND_COUNT_AT + 2, 2)?);
    let header = (0..count)
        .map(|index| headers.checked_add(index * size))
        .find(|header| header.and_then(|at| number(at, 4)) == Some(PT_INTERP.into()))??;
    let length = number(header + FILE_SIZE_AT, 8)?.clamp(1, 4096);
    let path = bytes(number(header + FILE_OFFSET_AT, 8)?, usize::try_from(length - 1).ok()?)?;
    Some(PathBuf::from(String::from_utf8(path).ok()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn loader_is_read_from_elf_files_only() {
        let loader = loader(Path::new("/proc/self/exe")).expect("dynamically linked tests");
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let loader = loader.canonicalize().unwrap();
        assert!(maps.contains(loader.to_str().unwrap()), "{} is loaded", loader.display());

        let file = tempfile::NamedTempFile::new().unwrap();
        for content in [
            &b""[..],
            b"#!/bin/sh\n",
            b"\x7fELF\x02\x01",
            &[b"\x7fELF\x02\x01".as_slice(), &[255; 64]].concat(),
        ] {
            std::fs::write(file.path(), content).unwrap();
            assert_eq!(super::loader(file.path()), None, "{content:?}");
        }
    }
}
