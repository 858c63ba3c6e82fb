//! At the start, and before old sets are forgotten: temporary files and half-written notes that a
//! Nova that was killed left in the vault.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::Arc;

use super::aside::{look_at_displaced, put_aside};
use super::late::{Late, bring_back, look_at_all};
use super::moved::take_over_moved;
use super::orphans::sweep_orphans;
use super::through::finish_overwrite;
use super::{OpenSet, SetJournal};
use crate::change::NoteChangeKind;
use crate::core::Core;
use crate::disk::Place;
use crate::journal::{Image, Line, Record, RecordState, SetLog, Writer, temp_prefix};
use crate::note::{ContentHash, VaultPath};

/// Sees to the leftovers of every change set whose process is gone, and to what no set knows. Only
/// files of this data folder's journal are touched, and one that holds an edit nobody has is brought
/// back first.
pub(crate) fn sweep(core: &Core) {
    if let Err(error) = core.journal.ahead().restore() {
        // What looks like left over may be of a set that is not whole yet.
        tracing::warn!("the journal could not be put back: {error}");
        return;
    }
    take_over_moved(core);
    let sets = match core.journal.sets() {
        Ok(sets) => sets,
        Err(error) => {
            tracing::warn!("the journal cannot be read: {error}");
            return;
        }
    };
    for log in sets.iter().filter(|log| !log.swept) {
        match Writer::take_over(&core.journal, log) {
            Ok(writer) => sweep_set(core, log, writer),
            // Its process lives, or lives again: its files are its own.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => tracing::warn!("change set {}: {error}", log.id),
        }
    }
    look_at_displaced(core);
    sweep_orphans(core);
}

fn sweep_set(core: &Core, log: &SetLog, writer: Writer) {
    let set = Arc::new(SetJournal::taken_over(writer, log.kind, log.label.clone()));
    let prefix = temp_prefix(&log.id);
    let never_begun = tell_never_begun(core, &set, log);
    let mut seen = BTreeSet::new();
    let mut left = 0;
    for overwrite in &log.overwrites {
        if !finish_overwrite(core, &set, log, overwrite) {
            left += 1;
        }
    }
    let folders = folders(log, &never_begun);
    for path in log.records.iter().flat_map(paths) {
        let Some(in_folder) = folders.get(path.folder()).filter(|_| seen.insert(path.folder())) else {
            continue;
        };
        let found = core.disk.place_again(path).and_then(|place| match place {
            Some(place) => Ok(Some((place.beside(&prefix)?, place))),
            // A folder that is gone has no leftovers.
            None => Ok(None),
        });
        match found {
            Ok(Some((temps, place))) => {
                let swept = |temp: &&String| sweep_temp(core, log, in_folder, &set, &place, temp);
                left += temps.len() - temps.iter().filter(swept).count();
            }
            Ok(None) => {}
            Err(error) => {
                tracing::info!("what {} left beside {path} is seen to later: {error}", log.id);
                left += 1;
            }
        }
    }
    if left == 0 {
        set.swept();
    }
}

/// The texts of an intent last before the first note changes. Where they do not, the power went
/// before that: nothing of it was written, and there is nothing to finish or to take back. Gives the
/// numbers of these records.
fn tell_never_begun(core: &Core, set: &SetJournal, log: &SetLog) -> HashSet<u64> {
    let is_whole =
        |image: &Option<Image>| image.as_ref().is_none_or(|image| core.journal.bytes(&log.id, image).is_ok());
    let is_there = |record: &Record| {
        let now = core.disk.text(&record.path).ok().flatten();
        now.map(|text| ContentHash::of(text.as_bytes())) == record.after.as_ref().map(|after| after.hash)
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

/// What a set did in one folder.
#[derive(Default)]
struct InFolder<'a> {
    records: Vec<&'a Record>,
    /// The deletions among them, by what they deleted.
    deletions: HashMap<ContentHash, &'a Record>,
    /// How many of them were never begun.
    never_begun: usize,
}

impl InFolder<'_> {
    /// Nothing here was exchanged: what lies beside the notes is no version of any.
    fn holds_nothing_displaced(&self) -> bool {
        self.never_begun == self.records.len()
    }
}

/// By folder: of ten thousand files that were left, each is of one of ten thousand records.
fn folders<'a>(log: &'a SetLog, never_begun: &HashSet<u64>) -> HashMap<&'a str, InFolder<'a>> {
    let mut folders: HashMap<&str, InFolder<'_>> = HashMap::new();
    for record in &log.records {
        let here: BTreeSet<&str> = paths(record).map(VaultPath::folder).collect();
        for folder in here {
            let in_folder = folders.entry(folder).or_default();
            in_folder.records.push(record);
            in_folder.never_begun += usize::from(never_begun.contains(&record.n));
            if record.kind == NoteChangeKind::Deleted
                && let Some(before) = &record.before
            {
                in_folder.deletions.entry(before.hash).or_insert(record);
            }
        }
    }
    folders
}

/// Whether this is what a kill or a power cut left of a text that was being written: its beginning, or
/// it with zeros in place of blocks that did not reach the disk.
fn is_part(bytes: &[u8], text: &[u8]) -> bool {
    bytes.len() <= text.len() && bytes.iter().zip(text).all(|(byte, other)| byte == other || *byte == 0)
}

fn sweep_temp(
    core: &Core,
    log: &SetLog,
    in_folder: &InFolder<'_>,
    set: &Arc<SetJournal>,
    place: &Place,
    temp: &str,
) -> bool {
    let is_note = |path: &VaultPath| core.disk.place(path).is_ok_and(|note| place.is_name_of(temp, &note));
    if place.has_names(temp) && in_folder.records.iter().flat_map(|record| paths(record)).any(is_note) {
        // Killed between giving the note its name and taking this one.
        return place.remove(temp).is_ok();
    }
    let bytes = match place.bytes_of(temp) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return true,
        Err(error) => {
            tracing::warn!("{temp}: {error}");
            return false;
        }
    };
    let hash = ContentHash::of(&bytes);
    let of_folder = &in_folder.records;
    if log.texts.contains(&hash) {
        if let Some(record) = in_folder.deletions.get(&hash)
            && set.deletes_for_somebody()
            && let Ok(place) = core.disk.place(&record.path)
            && core.to_trash(&place, temp, true)
        {
            return true;
        }
        // Of the records here the first is as good as any: the bytes are in the journal.
        if let Some(record) = of_folder.first() {
            put_aside(core, place, temp, &log.id, record.n, hash);
            return true;
        }
        return place.remove(temp).is_ok();
    }
    let begun = of_folder.iter().any(|record| {
        let after = core.journal.text(&log.id, record.after.as_ref());
        after.is_ok_and(|text| text.is_some_and(|text| is_part(&bytes, text.as_bytes())))
    });
    if begun {
        // Ours, killed while it was being written, or torn by a power cut.
        return place.remove(temp).is_ok();
    }
    if in_folder.holds_nothing_displaced()
        && let Some(record) = of_folder.first()
    {
        // Torn, too, but of what did not reach the disk: it says nothing, and is kept all the same.
        put_aside(core, place, temp, &log.id, record.n, hash);
        return true;
    }
    // An outside version that the exchange displaced just before the end. It belongs to the
    // note that holds our text now.
    let now = |record: &Record| core.disk.text(&record.path).ok().flatten();
    let taken =
        of_folder.iter().find(|record| record.kind == NoteChangeKind::Deleted && now(record).is_none());
    if let Some(record) = taken {
        // Edited just before it was taken away: the edit is worth more than the deletion.
        return core.disk.place(&record.path).is_ok_and(|place| place.put(temp).is_ok());
    }
    let holds_ours = |record: &&&Record| {
        now(record).is_some_and(|text| {
            let hash = ContentHash::of(text.as_bytes());
            record.after.as_ref().is_some_and(|after| after.hash == hash)
        })
    };
    let record = of_folder.iter().find(holds_ours).or(of_folder.first());
    let Some(record) = record else { return false };
    let Ok(place) = core.disk.place(&record.path) else {
        return false;
    };
    // Where a part of what was to be written may lie here, too, nothing is merged with it.
    let base = core.journal.text(&log.id, record.before.as_ref()).ok().flatten().map(Arc::from);
    let base = base.filter(|_| in_folder.never_begun == 0);
    let late = Late { place: &place, base, bytes: &bytes };
    let (saved, displaced) = bring_back(core, set, record.n, &late);
    look_at_all(core, displaced);
    match saved {
        Ok(()) => {
            core.not_kept.remove((&log.id, record.n));
            put_aside(core, &place, temp, &log.id, record.n, hash);
            true
        }
        Err(error) => {
            let at = core.beside(&place, temp);
            core.not_kept.add(&record.path, (&log.id, record.n), Some(at), &error);
            false
        }
    }
}
