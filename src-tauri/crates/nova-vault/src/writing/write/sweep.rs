//! Recovery, at the start and before old sets are discarded: temporary files and half-written notes left in
//! the vault by killed processes.
//!
//! The name of a temporary file identifies its record and change set, and the journal lists the texts it
//! may contain ([`TempTexts`]). Any other text is an outside edit that was displaced by the exchange, or
//! was written through an open handle since, and is merged into that record's note.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::Arc;

use super::late::{Late, OUTSIDE, bring_back, check_all, check_displaced, put_aside};
use super::moved::take_over_moved;
use super::orphans::sweep_orphans;
use super::through::finish_overwrite;
use super::{OpenSet, SetJournal};
use crate::change::NoteChangeKind;
use crate::core::Core;
use crate::disk::Place;
use crate::note::{ContentHash, VaultPath};
use crate::writing::journal::{
    Image, Line, Record, RecordState, SetLog, TempName, TempTexts, Writer, temp_prefix,
};

/// Handles leftovers of all change sets whose process has ended, and files of no set. Touches only files of
/// this data folder's journal, and restores edits that have no other copy before removing a file.
pub(crate) fn sweep(core: &Core) {
    if let Err(error) = core.journal.ahead().restore() {
        // What seems to be a leftover may belong to a set that is not restored yet.
        tracing::warn!(%error, "cannot restore the journal");
        return;
    }
    take_over_moved(core);
    let sets = match core.journal.sets() {
        Ok(sets) => sets,
        Err(error) => {
            tracing::warn!(%error, "cannot read the journal");
            return;
        }
    };
    let mut swept = Vec::new();
    for log in sets.iter().filter(|log| !log.swept) {
        match Writer::take_over(&core.journal, log) {
            Ok(writer) => {
                let mut sweep = Sweep::new(core, log, writer);
                sweep.overwrites();
                sweep.folders();
                swept.push(sweep);
            }
            // Its process is alive, or it was resumed: its files are in use.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => tracing::warn!(id = log.id, %error, "cannot sweep a change set"),
        }
    }
    sweep_astray(core, &mut swept);
    swept.into_iter().for_each(Sweep::end);
    check_displaced(core);
    sweep_orphans(core);
}

/// Finds temporary files that are no longer in the folders recorded in the journal, because those were
/// renamed or moved.
fn sweep_astray(core: &Core, sweeps: &mut [Sweep<'_>]) {
    let mut astray: HashMap<String, &mut Sweep<'_>> = HashMap::new();
    for sweep in sweeps.iter_mut().filter(|sweep| sweep.may_be_astray) {
        astray.insert(temp_prefix(&sweep.log.id), sweep);
    }
    if astray.is_empty() {
        return;
    }
    let prefix = |name: &str| name.rfind('-').map(|end| name[..=end].to_owned());
    let is_meant = |name: &str| prefix(name).is_some_and(|prefix| astray.contains_key(&prefix));
    for (folder, temp) in core.disk.hidden_files(&is_meant) {
        if let Some(sweep) = prefix(&temp).and_then(|prefix| astray.get_mut(&prefix)) {
            sweep.temps(&folder, vec![temp]);
        }
    }
}

/// The recovery of one change set.
struct Sweep<'a> {
    core: &'a Core,
    log: &'a SetLog,
    set: Arc<SetJournal>,
    /// Records of which nothing was written.
    never_begun: HashSet<u64>,
    /// Records with a completed exchange: edits displaced in earlier rounds are in the note.
    landed: HashSet<u64>,
    may_be_astray: bool,
    /// Number of items to retry at the next start.
    left: usize,
}

impl<'a> Sweep<'a> {
    fn new(core: &'a Core, log: &'a SetLog, writer: Writer) -> Sweep<'a> {
        let set = Arc::new(SetJournal::taken_over(writer, log.kind, log.label.clone()));
        let never_begun = report_never_begun(core, &set, log);
        let done = log.records.iter().filter(|record| record.state == RecordState::Done);
        Sweep {
            core,
            log,
            set,
            landed: done.map(|record| record.n).collect(),
            never_begun,
            may_be_astray: !log.committed,
            left: 0,
        }
    }

    fn overwrites(&mut self) {
        for overwrite in &self.log.overwrites {
            if !finish_overwrite(self.core, &self.set, self.log, overwrite) {
                self.left += 1;
            }
        }
    }

    /// Handles the files in the folders recorded in the journal.
    fn folders(&mut self) {
        let prefix = temp_prefix(&self.log.id);
        let mut seen = BTreeSet::new();
        for path in self.log.records.iter().flat_map(paths) {
            #[cfg(test)]
            crate::tests::work::done();
            if !seen.insert(path.folder()) {
                continue;
            }
            let found = self
                .core
                .disk
                .place_again(path)
                .and_then(|place| place.map(|place| place.beside(&prefix)).transpose());
            match found {
                Ok(Some(temps)) => self.temps(path.folder(), temps),
                // Deleted or renamed.
                Ok(None) => self.may_be_astray = true,
                Err(error) => {
                    tracing::info!(id = self.log.id, %path, %error, "cannot sweep the leftovers of a note yet");
                    self.left += 1;
                }
            }
        }
    }

    /// Handles the files of one folder, latest first: if one was exchanged, edits in earlier ones are in
    /// the note.
    fn temps(&mut self, folder: &str, temps: Vec<String>) {
        let named = |temp: String| Some((TempName::parse(&self.log.id, &temp)?, temp));
        let mut temps: Vec<_> = temps.into_iter().filter_map(named).collect();
        temps.sort_by_key(|(name, _)| std::cmp::Reverse(name.number));
        for (name, temp) in temps {
            let Some(record) = self.log.record(name.n) else { continue };
            let swept = self.note_of(record, folder).and_then(|place| self.temp(&place, record, name, &temp));
            if let Err(error) = swept {
                tracing::warn!(%folder, %temp, %error, "cannot sweep a temporary file");
                self.left += 1;
            }
        }
    }

    /// The place of the record's note in the folder of one of its temporary files. A folder unknown to the
    /// record is one of its folders, renamed.
    fn note_of(&self, record: &Record, folder: &str) -> io::Result<Place> {
        let path = paths(record).find(|path| path.folder() == folder).unwrap_or(&record.path);
        let name = path.as_str().rsplit('/').next().unwrap_or_default();
        let here = VaultPath::in_folder(folder, name).map_err(io::Error::other)?;
        self.core.disk.place(&here).map_err(io::Error::other)
    }

    fn temp(&mut self, place: &Place, record: &Record, name: TempName, temp: &str) -> io::Result<()> {
        let (core, log) = (self.core, self.log);
        if place.has_names(temp) && self.is_second_name(place, record, temp) {
            // Killed between the two steps of a rename by hard link.
            return place.remove(temp);
        }
        let Some(bytes) = place.bytes_of(temp)? else { return Ok(()) };
        let hash = ContentHash::of(&bytes);
        let texts = log.texts_of(name, record);
        let holds = |image: &Option<Image>| image.as_ref().is_some_and(|image| image.hash == hash);
        if holds(&texts.expected) {
            self.landed.insert(record.n);
            let to_trash = record.kind == NoteChangeKind::Deleted && self.set.deletes_for_somebody();
            if to_trash && core.to_trash(place, temp, true) {
                // Without hard links it has been moved already.
                place.remove(temp).ok();
            } else {
                put_aside(core, place, temp, &log.id, record.n, hash);
            }
            return Ok(());
        }
        let is_taken_in = self.landed.contains(&record.n) && record.took.contains(&hash);
        if holds(&texts.ours) || is_taken_in || log.brought_back.contains(&hash) {
            put_aside(core, place, temp, &log.id, record.n, hash);
            return Ok(());
        }
        match self.whose(place, texts, &bytes) {
            Whose::Ours => return place.remove(temp),
            // Torn as well, but by a power cut before anything was written: has no information, but is
            // retained.
            _ if self.never_begun.contains(&record.n) => {
                put_aside(core, place, temp, &log.id, record.n, hash);
                return Ok(());
            }
            // The edit outweighs the deletion.
            Whose::Theirs if record.kind == NoteChangeKind::Deleted && place.put(temp).is_ok() => {
                core.unmerged.add(core.disk.root().join(place.path().as_str()));
                return Ok(());
            }
            Whose::Theirs | Whose::Unknown => {}
        }
        let base = match self.whose(place, texts, &bytes) {
            Whose::Unknown => None,
            _ => core.journal.content(&log.id, texts.expected.as_ref()).ok().flatten(),
        };
        let copy = || core.name_copy(place, temp);
        let late = Late { place: &self.note_now(place, record)?, base, bytes: &bytes, copy: &copy };
        let (brought, displaced) = bring_back(core, &self.set, record.n, &late);
        check_all(core, displaced);
        match brought {
            Ok(_) => {
                core.unsaved.remove((&log.id, record.n));
                put_aside(core, place, temp, &log.id, record.n, hash);
                Ok(())
            }
            Err(error) => {
                let at = core.beside(place, temp);
                core.unsaved.add(&record.path, (&log.id, record.n), Some(at), &error);
                Err(error)
            }
        }
    }

    /// The note to which an edit in a file beside `place` belongs: the note there, or else the one that was
    /// moved from there.
    fn note_now(&self, place: &Place, record: &Record) -> io::Result<Place> {
        if record.from.as_ref() == Some(place.path())
            && place.is_free(place.path())
            && let Ok(moved) = self.core.disk.place(&record.path)
        {
            return Ok(moved);
        }
        place.try_clone()
    }

    fn is_second_name(&self, place: &Place, record: &Record, temp: &str) -> bool {
        place.is_name_of(temp, place)
            || paths(record)
                .filter_map(|path| self.core.disk.place(path).ok())
                .any(|note| place.is_name_of(temp, &note))
    }

    /// The origin of an unexpected text in a temporary file.
    fn whose(&self, place: &Place, texts: &TempTexts, bytes: &[u8]) -> Whose {
        let is_begun = self
            .core
            .journal
            .content(&self.log.id, texts.ours.as_ref())
            .is_ok_and(|ours| ours.is_some_and(|ours| is_part(bytes, ours.as_bytes())));
        if !is_begun {
            return Whose::Theirs;
        }
        let now = place.content().ok().flatten().map(|content| content.hash());
        let is = |image: &Option<Image>| image.as_ref().map(|image| image.hash) == now;
        if bytes.is_empty() || is(&texts.expected) {
            Whose::Ours
        } else if now.is_some() && is(&texts.ours) {
            // Exchanged: another program had truncated the note just before.
            Whose::Theirs
        } else {
            Whose::Unknown
        }
    }

    fn end(self) {
        if self.left == 0 {
            self.set.swept();
        }
        let is_outside = |record: &Record| record.author.principal == OUTSIDE;
        if !self.log.committed && self.log.records.iter().all(is_outside) {
            // Its edit is restored by now, from the file that contains it.
            self.set.end_outside(self.core, self.log);
        }
    }
}

/// The origin of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Our text, partial because of a kill or a power cut.
    Ours,
    /// Another program's text.
    Theirs,
    /// A prefix of our text, beside a note with neither text: either is possible.
    Unknown,
}

/// Records as failed the intents whose texts are incomplete, and returns their numbers. Texts are durable
/// before the first note changes, so the power failed before that: nothing was written, and there is
/// nothing to finish or undo.
fn report_never_begun(core: &Core, set: &SetJournal, log: &SetLog) -> HashSet<u64> {
    let is_whole =
        |image: &Option<Image>| image.as_ref().is_none_or(|image| core.journal.bytes(&log.id, image).is_ok());
    let is_there = |record: &Record| {
        let now = core.disk.content(&record.path).ok().flatten();
        now.map(|content| content.hash()) == record.after.as_ref().map(|after| after.hash)
    };
    let mut never_begun = HashSet::new();
    let mut writer = set.lock();
    let Some(OpenSet { writer, .. }) = writer.as_mut() else { return never_begun };
    for record in log.records.iter().filter(|record| record.state != RecordState::Done) {
        if is_whole(&record.before) && is_whole(&record.after) || is_there(record) {
            continue;
        }
        never_begun.insert(record.n);
        if record.state == RecordState::Intended {
            let reason = "it was never begun".to_owned();
            writer.append(&Line::Failed { n: record.n, reason }).ok();
        }
    }
    never_begun
}

fn paths(record: &Record) -> impl Iterator<Item = &VaultPath> {
    std::iter::once(&record.path).chain(&record.from)
}

/// Whether this is a partial write of a text: a prefix of it, possibly with zeros in place of blocks that
/// did not reach the disk.
fn is_part(bytes: &[u8], text: &[u8]) -> bool {
    bytes.len() <= text.len() && bytes.iter().zip(text).all(|(byte, other)| byte == other || *byte == 0)
}
