//! Displaced files, stored outside of the vault after their last check.
//!
//! A program that opened a note before a write displaced its file can hold it open indefinitely, and no
//! system reports when it closes it. So a file that has been quiet for two seconds is not deleted: it is
//! moved to `<data>/displaced` and retained as long as its change set. It is checked a minute later, when
//! the vault is closed and opened, and before it is deleted; edits written into it by then are merged into
//! the note or stored beside it.
//!
//! A file on another file system than the data folder cannot be moved there, and a copy would miss later
//! writes to the file itself. After its two seconds, for which the end of the process waits, it is unlinked
//! but held open, and checked as often as the others until the vault is closed. Later writes to it are
//! lost.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::super::SetJournal;
use super::{Brought, Displaced, Late, bring_back, check_all};
use crate::change::NoteChangeKind;
use crate::content::MAX_FILE_BYTES;
use crate::core::Core;
use crate::disk::{Like, OpenedFile, Place, bytes_outside};
use crate::note::ContentHash;
use crate::writing::journal::{SetLog, TempName, Writer};

/// Granularity of modification times: writes closer together may share one.
const RACY: Duration = Duration::from_secs(2);

/// Moves the file `temp`, displaced by write `n` of a set, out of the vault. If that fails it is unlinked
/// and returned open, as the only access to it. `known` is its content at the last check.
pub(in crate::writing::write) fn put_aside(
    core: &Core,
    place: &Place,
    temp: &str,
    set: &str,
    n: u64,
    known: ContentHash,
) -> Option<OpenedFile> {
    if move_aside(core, place, temp, set, n, known) { None } else { keep_open(place, temp) }
}

/// Unlinks the file `temp` and returns it open.
pub(super) fn keep_open(place: &Place, temp: &str) -> Option<OpenedFile> {
    let opened = place.open_temp(temp).ok();
    if let Err(error) = place.remove(temp) {
        tracing::warn!(path = %place.path(), %error, "cannot remove a temporary file");
    }
    opened
}

/// As [`put_aside`], but leaves a file that cannot be moved in place and returns `false`.
pub(super) fn move_aside(
    core: &Core,
    place: &Place,
    temp: &str,
    set: &str,
    n: u64,
    known: ContentHash,
) -> bool {
    let number = TempName::parse(set, temp).map_or(0, |temp| temp.number);
    let aside = Aside {
        set: set.to_owned(),
        n,
        number: number.to_string(),
        known,
        // Forces a check in the new place.
        modified: 0,
    };
    let folder = core.displaced();
    let moved = place.move_out(temp, &folder, &aside.name());
    if let Err(error) = &moved {
        tracing::debug!(path = %place.path(), to = %folder.display(), %error, "cannot move a displaced file");
    }
    moved.is_ok()
}

/// Checks files that may have been written to since the last check, and restores edits. Edits that cannot
/// be restored now remain for the next time.
pub(crate) fn check_displaced(core: &Core) {
    let folder = core.displaced();
    let mut changed = list(&folder);
    changed.retain(|(aside, modified)| aside.modified == 0 || aside.modified != *modified);
    if changed.is_empty() {
        return;
    }
    let sets = match core.journal.sets() {
        Ok(sets) => sets,
        Err(error) => {
            tracing::warn!(%error, "cannot read the journal");
            return;
        }
    };
    for (aside, _) in changed {
        // Others belong to another vault.
        if let Some(log) = sets.iter().find(|log| log.id == aside.set)
            && let Err(error) = aside.check(core, log, &folder)
            && error.kind() != io::ErrorKind::WouldBlock
        {
            tracing::warn!(path = %folder.join(aside.name()).display(), %error, "cannot check a displaced file");
        }
    }
}

/// Size of the displaced files per set, in bytes.
pub(crate) fn displaced_bytes(core: &Core) -> HashMap<String, u64> {
    let folder = core.displaced();
    let mut bytes = HashMap::new();
    for (aside, _) in list(&folder) {
        let size = fs::metadata(folder.join(aside.name())).map_or(0, |metadata| metadata.len());
        *bytes.entry(aside.set).or_default() += size;
    }
    bytes
}

/// Removes the displaced files of a set that is about to be pruned. `false` if the set must be retained for
/// a file whose edit is not restored yet, or that another process is checking.
pub(crate) fn remove_displaced(core: &Core, set: &str) -> io::Result<bool> {
    let folder = core.displaced();
    let mut files = list(&folder);
    files.retain(|(aside, _)| aside.set == set);
    let forgotten = || -> io::Result<bool> {
        for (aside, _) in &files {
            if ContentHash::of(&bytes_outside(&folder.join(aside.name()))?) != aside.known {
                return Ok(false);
            }
        }
        files.iter().try_for_each(|(aside, _)| fs::remove_file(folder.join(aside.name())))?;
        Ok(true)
    };
    match forgotten() {
        // Renamed by another process.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        forgotten => forgotten,
    }
}

/// A displaced file. Its name holds all metadata about it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Aside {
    set: String,
    n: u64,
    /// From its temporary name; makes names within a set unique.
    number: String,
    /// Its content at the last check.
    known: ContentHash,
    /// Its modification time at that check, in nanoseconds since 1970; 0 if it was too recent to rely on.
    modified: u128,
}

impl Aside {
    fn name(&self) -> String {
        format!("{}.{}.{}.{}.{}", self.set, self.n, self.number, self.known, self.modified)
    }

    fn parse(name: &str) -> Option<Aside> {
        let mut parts = name.split('.');
        let mut next = || parts.next();
        let aside = Aside {
            set: next()?.to_owned(),
            n: next()?.parse().ok()?,
            number: next()?.to_owned(),
            known: ContentHash::from_hex(next()?)?,
            modified: next()?.parse().ok()?,
        };
        (aside.name() == name).then_some(aside)
    }

    /// `WouldBlock` if the set's process is alive.
    fn check(&self, core: &Core, log: &SetLog, folder: &Path) -> io::Result<()> {
        let file = folder.join(self.name());
        let metadata = fs::symlink_metadata(&file)?;
        if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
            return Err(io::Error::other("it is not a file, or larger than a file can be"));
        }
        // Before reading: later writes then change the time.
        let modified = settled_time(&metadata);
        let bytes = bytes_outside(&file)?;
        let known = ContentHash::of(&bytes);
        let checked = folder.join(Aside { known, modified, ..self.clone() }.name());
        if known == self.known {
            return fs::rename(&file, checked);
        }
        let writer = Writer::take_over(&core.journal, log)?;
        if !file.exists() {
            // Another process restored it concurrently.
            return Ok(());
        }
        let set = Arc::new(SetJournal::taken_over(writer, log.kind, log.label.clone()));
        let (brought, displaced) = self.bring_back(core, log, &set, &bytes)?;
        if brought != Brought::Copied {
            fs::rename(&file, checked)?;
        }
        drop(set);
        check_all(core, displaced);
        Ok(())
    }

    /// Stores the edit, and returns the files displaced thereby.
    fn bring_back(
        &self,
        core: &Core,
        log: &SetLog,
        set: &Arc<SetJournal>,
        bytes: &[u8],
    ) -> io::Result<(Brought, Vec<Displaced>)> {
        let Some(record) = log.record(self.n) else {
            return Err(io::Error::other("the journal has no entry for its note"));
        };
        let base = log
            .image(self.known)
            .filter(|_| record.kind != NoteChangeKind::Deleted)
            .and_then(|image| core.journal.content(&log.id, Some(image)).ok().flatten());
        let place = core.disk.nearest_place(&record.path).map_err(io::Error::other)?;
        let copy = || {
            let temp = set.next_temp(self.n)?;
            let folder = core.displaced();
            match place.bring_in(&folder, &self.name(), &temp) {
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                    place.create_temp(&temp, Like::New)?.write_all(bytes)?;
                    fs::remove_file(folder.join(self.name()))?;
                }
                moved => moved?,
            }
            core.name_copy(&place, &temp)
        };
        let late = Late { place: &place, base, bytes, copy: &copy };
        let (brought, displaced) = bring_back(core, set, self.n, &late);
        match brought {
            Ok(brought) => {
                core.unsaved.remove((set.id(), self.n));
                Ok((brought, displaced))
            }
            Err(error) => {
                let at = core.displaced().join(self.name());
                core.unsaved.add(&record.path, (set.id(), self.n), Some(at), &error);
                check_all(core, displaced);
                Err(error)
            }
        }
    }
}

/// The files here, with their modification times.
fn list(folder: &Path) -> Vec<(Aside, u128)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let aside = Aside::parse(entry.file_name().to_str()?)?;
            // Gone: another process renamed it.
            let metadata = entry.metadata().ok()?;
            Some((aside, since_1970(metadata.modified().ok()?)))
        })
        .collect()
}

fn settled_time(metadata: &fs::Metadata) -> u128 {
    match metadata.modified() {
        Ok(modified) if modified.elapsed().is_ok_and(|age| age > RACY) => since_1970(modified),
        _ => 0,
    }
}

fn since_1970(time: SystemTime) -> u128 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

impl Core {
    /// The folder of displaced files: `<data>/displaced`.
    fn displaced(&self) -> PathBuf {
        let history = self.journal.folder();
        history.parent().unwrap_or(history).join("displaced")
    }
}
