//! Displaced files, kept whole outside of the vault after the last look at them.
//!
//! A program that opened a note before a write displaced its file can hold it open for as long as
//! it likes, and no system tells when it stops. So the file is not deleted when it has been quiet
//! for two seconds: it moves to `<data>/displaced` and stays as long as its change set does. It is
//! checked a minute later, when the vault is closed and opened, and before it goes; what was
//! written into it by then is restored into the note or put beside it.
//!
//! A file that lies on another file system than the data folder cannot be moved there, and a copy
//! would not show what is written into the file itself. After its two seconds, which the end of the
//! process waits for, its name goes, but it stays open here, and it is checked as often as the others
//! until the vault is closed. What is written into it after that is lost.

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

/// A modification time may stay the same over writes that are closer together than this.
const RACY: Duration = Duration::from_secs(2);

/// Moves the file `temp` beside a note out of the vault, as what write `n` of a set displaced. Where
/// that cannot be it is deleted, and given: this is then the only way to it. `known`: what it held at
/// the last look.
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

/// Takes the name of the file `temp` away and gives the file.
pub(super) fn keep_open(place: &Place, temp: &str) -> Option<OpenedFile> {
    let opened = place.open_temp(temp).ok();
    if let Err(error) = place.remove(temp) {
        tracing::warn!("{}: {error}", place.path());
    }
    opened
}

/// As [`put_aside`]; where the file cannot be moved it stays where it is, and the answer is `false`.
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
        // Not checked in its new place.
        modified: 0,
    };
    let folder = core.displaced();
    let moved = place.move_out(temp, &folder, &aside.name());
    if let Err(error) = &moved {
        tracing::debug!("{} was not moved to {}: {error}", place.path(), folder.display());
    }
    moved.is_ok()
}

/// Checks the files that may have been written into since the last time, and restores what
/// was. What cannot be restored now stays for the next time.
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
            tracing::warn!("the journal cannot be read: {error}");
            return;
        }
    };
    for (aside, _) in changed {
        // Others are of another vault.
        if let Some(log) = sets.iter().find(|log| log.id == aside.set)
            && let Err(error) = aside.check(core, log, &folder)
            && error.kind() != io::ErrorKind::WouldBlock
        {
            tracing::warn!("{}: {error}", folder.join(aside.name()).display());
        }
    }
}

/// How many bytes the displaced files of each set take.
pub(crate) fn displaced_bytes(core: &Core) -> HashMap<String, u64> {
    let folder = core.displaced();
    let mut bytes = HashMap::new();
    for (aside, _) in list(&folder) {
        let size = fs::metadata(folder.join(aside.name())).map_or(0, |metadata| metadata.len());
        *bytes.entry(aside.set).or_default() += size;
    }
    bytes
}

/// Removes the displaced files of a set that is about to be forgotten. `false` when the set has to stay for one
/// that was written into and waits to be restored, or that another process is checking now.
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
        // It has another name by now.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        forgotten => forgotten,
    }
}

/// One displaced file. Its name is all that is written down about it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Aside {
    set: String,
    n: u64,
    /// Of its temporary name, so that no two files of a set have one name here.
    number: String,
    /// What it held when it was last checked.
    known: ContentHash,
    /// When it was last written then, in nanoseconds since 1970; 0 when that says too little.
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

    /// `WouldBlock` when the set's process lives.
    fn check(&self, core: &Core, log: &SetLog, folder: &Path) -> io::Result<()> {
        let file = folder.join(self.name());
        let metadata = fs::symlink_metadata(&file)?;
        if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
            return Err(io::Error::other("it is not a file, or larger than a file can be"));
        }
        // Before the bytes: a write from here on shows in the time.
        let modified = settled_time(&metadata);
        let bytes = bytes_outside(&file)?;
        let known = ContentHash::of(&bytes);
        let looked_at = folder.join(Aside { known, modified, ..self.clone() }.name());
        if known == self.known {
            return fs::rename(&file, looked_at);
        }
        let writer = Writer::take_over(&core.journal, log)?;
        if !file.exists() {
            // Another process brought it back at this moment.
            return Ok(());
        }
        let set = Arc::new(SetJournal::taken_over(writer, log.kind, log.label.clone()));
        let (brought, displaced) = self.bring_back(core, log, &set, &bytes)?;
        if brought != Brought::Copied {
            fs::rename(&file, looked_at)?;
        }
        drop(set);
        check_all(core, displaced);
        Ok(())
    }

    /// Makes the bytes safe, and gives what that displaced.
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

/// The files here, with the times of their last writes.
fn list(folder: &Path) -> Vec<(Aside, u128)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let aside = Aside::parse(entry.file_name().to_str()?)?;
            // Gone by now: another process renamed it.
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
    /// Where displaced files are kept: `<data>/displaced`.
    fn displaced(&self) -> PathBuf {
        let history = self.journal.folder();
        history.parent().unwrap_or(history).join("displaced")
    }
}
