//! Platform differences: exchanging two files, and renaming without replacing.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File};

/// Suffix of the second name that keeps the replaced file reachable, if files cannot be exchanged atomically.
pub(crate) const OLD: &str = ".old";

/// Exchanges two files of a folder: atomically where supported, otherwise in three steps, the first of which
/// gives the other file a second hard link so that late writes to it are not lost. `false`, with nothing
/// changed, if the file system supports neither.
pub(crate) fn exchange(folder: &Dir, fresh: &str, name: &Path) -> io::Result<bool> {
    if in_one_step(folder, Path::new(fresh), name, Step::Exchange)? {
        return Ok(true);
    }
    let old = format!("{fresh}{OLD}");
    if !links() || folder.hard_link(name, folder, &old).is_err() {
        return Ok(false);
    }
    if let Err(error) = folder.rename(fresh, folder, name) {
        let _ = folder.remove_file(&old);
        return Err(error);
    }
    folder.rename(&old, folder, fresh).map(|()| true)
}

/// Renames a file unless the new name exists ([`io::ErrorKind::AlreadyExists`]). Free of races except on file
/// systems without hard links.
pub(crate) fn rename_new(folder: &Dir, old: &Path, new: &Path) -> io::Result<()> {
    if in_one_step(folder, old, new, Step::RenameNew)? {
        return Ok(());
    }
    match if links() { folder.hard_link(old, folder, new) } else { Err(io::ErrorKind::Unsupported.into()) } {
        Ok(()) => return folder.remove_file(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    match folder.symlink_metadata(new) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => folder.rename(old, folder, new),
    }
}

pub(crate) fn sync_file(file: &File) -> io::Result<()> {
    #[cfg(test)]
    tests::SYNCED.with_borrow_mut(|synced| synced.push("file"));
    file.sync_all()
}

/// Syncs a directory, where supported.
pub(crate) fn sync_folder(folder: &Dir) -> io::Result<()> {
    #[cfg(test)]
    tests::SYNCED.with_borrow_mut(|synced| synced.push("folder"));
    #[cfg(unix)]
    folder.open(".")?.into_std().sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

#[derive(Clone, Copy)]
enum Step {
    Exchange,
    RenameNew,
}

/// Whether it was done; `false` if the system or file system does not support it.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn in_one_step(folder: &Dir, from: &Path, to: &Path, step: Step) -> io::Result<bool> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    #[cfg(test)]
    if tests::SYSTEM.get() != tests::System::Whole {
        return Ok(false);
    }
    let flags = match step {
        Step::Exchange => RenameFlags::EXCHANGE,
        Step::RenameNew => RenameFlags::NOREPLACE,
    };
    match renameat_with(folder, from, folder, to, flags) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        done => done.map(|()| true).map_err(io::Error::from),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn in_one_step(_: &Dir, _: &Path, _: &Path, _: Step) -> io::Result<bool> {
    Ok(false)
}

/// Whether to use hard links; always, except in tests.
fn links() -> bool {
    #[cfg(test)]
    return tests::SYSTEM.get() != tests::System::WithoutLinks;
    #[cfg(not(test))]
    true
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    /// Simulated capabilities of the file system.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum System {
        Whole,
        WithoutExchange,
        WithoutLinks,
    }

    thread_local! {
        pub(crate) static SYSTEM: Cell<System> = const { Cell::new(System::Whole) };
        /// What was synced on this thread, in order.
        pub(crate) static SYNCED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    }

    pub(crate) const SYSTEMS: [System; 3] = [System::Whole, System::WithoutExchange, System::WithoutLinks];

    fn folder(files: &[&str]) -> io::Result<(tempfile::TempDir, Dir)> {
        let place = tempfile::tempdir()?;
        let folder = Dir::open_ambient_dir(place.path(), cap_std::ambient_authority())?;
        files.iter().try_for_each(|name| folder.write(name, name))?;
        Ok((place, folder))
    }

    #[test]
    fn files_are_exchanged_if_supported() -> io::Result<()> {
        for system in SYSTEMS {
            SYSTEM.set(system);
            let (_place, folder) = folder(&["fresh", "name"])?;
            let exchanged = exchange(&folder, "fresh", Path::new("name"))?;
            assert_eq!(exchanged, system != System::WithoutLinks, "{system:?}");
            let expected = if exchanged { ["name", "fresh"] } else { ["fresh", "name"] };
            let found = [folder.read_to_string("fresh")?, folder.read_to_string("name")?];
            assert_eq!(found, expected, "{system:?}");
            assert_eq!(folder.entries()?.count(), 2, "{system:?}");
        }
        Ok(())
    }

    #[test]
    fn rename_does_not_replace_a_file() -> io::Result<()> {
        for system in SYSTEMS {
            SYSTEM.set(system);
            let (_place, folder) = folder(&["old", "taken"])?;
            let rename = |new: &str| rename_new(&folder, Path::new("old"), Path::new(new));
            let refused = rename("taken").map_err(|error| error.kind());
            assert_eq!(refused, Err(io::ErrorKind::AlreadyExists), "{system:?}");
            assert_eq!(folder.read_to_string("taken")?, "taken", "{system:?}");
            rename("new")?;
            assert_eq!(folder.read_to_string("new")?, "old", "{system:?}");
            assert!(!folder.exists("old"), "{system:?}");
        }
        Ok(())
    }
}
