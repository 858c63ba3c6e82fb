//! Undo, in a change set of its own.

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;

use super::{History, Scope, UndoOutcome, UnreadableNote, find};
use crate::change::{Author, ChangeSetKind, Conflict, NoteChangeKind};
use crate::content::{Content, holds_text};
use crate::draft::Draft;
use crate::error::VaultError;
use crate::note::{ContentHash, Merge, VaultPath, merge};
use crate::writing::change_set::ChangeSet;
use crate::writing::journal::{Record, RecordState, SetLog, undone};
use crate::writing::write::Planned;

impl History {
    /// Reverts a change set, in a change set of its own. Later edits of a note are preserved where
    /// possible; otherwise the note is left unchanged and returned as a conflict. So is a note that cannot
    /// be read, with the reason.
    pub fn undo(&self, id: &str, scope: Scope, author: &Author) -> Result<UndoOutcome, VaultError> {
        let sets = self.sets()?;
        let set = find(&sets, id)?;
        let already = undone(&sets);
        let records: Vec<&Record> = in_scope(set, &scope)
            .into_iter()
            .filter(|record| !already.contains_key(&(set.id.clone(), record.n)))
            .collect();
        let notes = Notes::of(&records);

        let mut undoing = Undoing {
            history: self,
            set,
            draft: self.vault.draft(),
            merged: HashMap::new(),
            conflicts: Vec::new(),
            unreadable: Vec::new(),
            freeing: freeing(set),
        };
        let mut in_conflict: HashSet<usize> = HashSet::new();
        for (record, note) in records.iter().zip(&notes.of_record).rev() {
            if !in_conflict.contains(note) && !undoing.plan(record)? {
                in_conflict.insert(*note);
            }
        }
        let Undoing { draft, mut merged, mut conflicts, unreadable, .. } = undoing;

        let own = self.vault.change_set(ChangeSetKind::Undo, format!("Undo: {}", set.label));
        own.journal().will_undo(&set.id, notes.numbers(&records, &in_conflict));
        let applied = self.apply(&own, draft.plan(), author)?;
        in_conflict.extend(applied.left_out.iter().flat_map(|planned| notes.behind(Leading::from(planned))));
        conflicts.extend(applied.conflicts);
        for (path, outside) in applied.merged {
            merged.entry(path).or_default().extend(outside);
        }

        let is_done = |(_, note): &(&&Record, &usize)| !in_conflict.contains(*note);
        let done: Vec<_> =
            records.iter().zip(&notes.of_record).filter(is_done).map(|(record, _)| *record).collect();
        if !done.is_empty() {
            let writes = self.writes(own.id(), &applied.plan, &notes)?;
            let all = records.iter().zip(&notes.of_record);
            let by = all.map(|(record, note)| (record.n, writes[*note].clone())).collect();
            let numbers = notes.numbers(&records, &in_conflict);
            own.journal().undid(self.vault.core(), &set.id, numbers, by)?;
        }
        for record in done.iter().filter(|record| record.kind == NoteChangeKind::Renamed) {
            self.vault.core().disk.remove_empty(&record.folders);
        }
        let undone_paths: IndexSet<VaultPath> = done.iter().map(|record| record.path.clone()).collect();
        merged.retain(|path, outside| {
            !outside.is_empty() && conflicts.iter().all(|conflict| conflict.path != *path)
        });
        let outcome = UndoOutcome {
            change_set: own.id().to_owned(),
            undone: undone_paths.into_iter().collect(),
            merged: merged.into_iter().collect(),
            conflicts,
            unreadable,
        };
        own.close()?;
        Ok(outcome)
    }
}

/// The written and the refused parts of a plan.
struct Applied {
    plan: Vec<Planned>,
    /// Outside edits merged into each note.
    merged: Vec<(VaultPath, Vec<String>)>,
    left_out: Vec<Planned>,
    conflicts: Vec<Conflict>,
}

impl History {
    /// Applies the plan, leaving out notes that were edited, or whose path was taken, since it was made.
    fn apply(&self, own: &ChangeSet, mut plan: Vec<Planned>, author: &Author) -> Result<Applied, VaultError> {
        let (mut left_out, mut conflicts) = (Vec::new(), Vec::new());
        loop {
            let (to, conflicting) = match own.apply_plan(&plan, author) {
                Ok(applied) => {
                    return Ok(Applied { plan, merged: applied.merged, left_out, conflicts });
                }
                Err(error) => self.conflicting(error, &plan)?,
            };
            let (refused, rest): (Vec<_>, Vec<_>) = plan.into_iter().partition(|planned| planned.path == to);
            plan = rest;
            let mine = refused.last().and_then(|planned| planned.after.as_ref().map(Content::shown));
            conflicts.push(conflicting.with(mine));
            left_out.extend(refused);
        }
    }

    /// The planned write that an error concerns, and the present content of its note.
    ///
    /// # Errors
    /// The error itself, if it concerns none of them.
    fn conflicting(
        &self,
        error: VaultError,
        plan: &[Planned],
    ) -> Result<(VaultPath, Conflicting), VaultError> {
        match error {
            VaultError::Conflict(conflict) if names(plan, &conflict.path) => {
                let Conflict { path, from, theirs, what, .. } = *conflict;
                Ok((path.clone(), Conflicting { path, from, theirs, what }))
            }
            VaultError::Exists { path } if names(plan, &path) => {
                let what = vec![format!("\"{path}\" is taken")];
                // Another note has the old path: only the text can be restored, at the present path.
                let stays = plan.iter().find(|planned| planned.path == path);
                let at = stays.and_then(|planned| planned.from.clone()).unwrap_or_else(|| path.clone());
                let theirs =
                    self.vault.core().disk.content(&at)?.map(|there| there.shown()).unwrap_or_default();
                Ok((path, Conflicting { path: at, from: None, theirs, what }))
            }
            error => Err(error),
        }
    }

    /// For each note, the numbers of the writes by which the undo `own` reverted it.
    fn writes(&self, own: &str, plan: &[Planned], notes: &Notes) -> Result<Vec<Vec<u64>>, VaultError> {
        let sets = self.sets()?;
        // The set is missing if nothing had to be written.
        let written = sets.iter().find(|set| set.id == own).into_iter().flat_map(|set| set.maybe_done());
        let mut plan_of: HashMap<&VaultPath, &Planned> = HashMap::new();
        for planned in plan {
            plan_of.entry(&planned.path).or_insert(planned);
        }
        let planned = written.filter_map(|record| Some((record.n, *plan_of.get(&record.path)?)));
        Ok(notes.writes(planned.map(|(n, planned)| (n, Leading::from(planned)))))
    }
}

/// Record numbers with the path of each note when the undo began, and for each the numbers of the writes
/// that reverted it.
type Finished = (Vec<(u64, VaultPath)>, Vec<(u64, Vec<u64>)>);

/// What an interrupted and then finished undo reverted, with the numbers of the writes of `own`: everything
/// it set out to, except notes left out because of a conflict.
pub(super) fn finished(own: &SetLog, of: &SetLog, begun: &[(u64, VaultPath)]) -> Finished {
    let path_of: HashMap<u64, &VaultPath> = begun.iter().map(|(n, path)| (*n, path)).collect();
    let records: Vec<&Record> = of.records.iter().filter(|record| path_of.contains_key(&record.n)).collect();
    let notes = Notes::of(&records);
    let writes = notes.writes(own.maybe_done().map(|write| (write.n, Leading::from(write))));
    let ever_there = notes.ever_there();
    let all = records.iter().zip(&notes.of_record);
    let done = all.map(|(record, note)| (record.n, *note, writes[*note].clone()));
    // A note that exists neither before nor after needs no write.
    let done: Vec<_> =
        done.filter(|(_, note, writes)| !writes.is_empty() || !ever_there.contains(note)).collect();
    let begun = done.iter().filter_map(|(n, _, _)| Some((*n, (*path_of.get(n)?).clone()))).collect();
    (begun, done.into_iter().map(|(n, _, writes)| (n, writes)).collect())
}

/// A conflict without the text that the undo would have written.
struct Conflicting {
    path: VaultPath,
    from: Option<VaultPath>,
    theirs: String,
    what: Vec<String>,
}

impl Conflicting {
    /// Adds the text that the undo would have written; `None` for a deletion.
    fn with(self, mine: Option<String>) -> Conflict {
        let Self { path, from, theirs, what } = self;
        let kind = match (&from, &mine) {
            (Some(_), _) => NoteChangeKind::Renamed,
            (None, None) => NoteChangeKind::Deleted,
            (None, Some(_)) => NoteChangeKind::Modified,
        };
        Conflict { path, from, kind, mine: mine.unwrap_or_default(), theirs, what }
    }
}

fn names(plan: &[Planned], path: &VaultPath) -> bool {
    plan.iter().any(|planned| planned.path == *path)
}

/// Groups records by note. A path alone does not identify a note: within one change set a note may be
/// deleted and another take its path.
struct Notes {
    /// Note index of each record.
    of_record: Vec<usize>,
    /// Path of each note after the records, or when it was deleted.
    newest: Vec<VaultPath>,
    /// Notes that exist after the records.
    after: HashMap<VaultPath, usize>,
    /// Notes that existed before the records.
    before: HashMap<VaultPath, usize>,
}

impl Notes {
    /// Groups records, given in write order.
    fn of(records: &[&Record]) -> Notes {
        let mut notes = Notes {
            of_record: Vec::new(),
            newest: Vec::new(),
            after: HashMap::new(),
            before: HashMap::new(),
        };
        for record in records.iter().rev() {
            let known = match record.kind {
                NoteChangeKind::Deleted => None,
                _ => notes.before.remove(&record.path),
            };
            let note = known.unwrap_or_else(|| {
                let note = notes.newest.len();
                notes.newest.push(record.path.clone());
                if record.kind != NoteChangeKind::Deleted {
                    notes.after.entry(record.path.clone()).or_insert(note);
                }
                note
            });
            if record.kind != NoteChangeKind::Created {
                notes.before.insert(record.origin().clone(), note);
            }
            notes.of_record.push(note);
        }
        notes.of_record.reverse();
        notes
    }

    /// The number of each record whose note is not in `except`, with the path of its note.
    fn numbers(&self, records: &[&Record], except: &HashSet<usize>) -> Vec<(u64, VaultPath)> {
        let all = records.iter().zip(&self.of_record).filter(|(_, note)| !except.contains(note));
        all.map(|(record, note)| (record.n, self.newest[*note].clone())).collect()
    }

    /// The notes that a write of the undo affects: the present one and the restored one.
    fn behind(&self, write: Leading<'_>) -> impl Iterator<Item = usize> {
        #[cfg(test)]
        crate::tests::work::done();
        let there = write.from.and_then(|path| self.after.get(path));
        let was = write.to.and_then(|path| self.before.get(path));
        there.into_iter().chain(was).copied()
    }

    /// For each note, the numbers of the writes that revert it.
    fn writes<'a>(&self, writes: impl Iterator<Item = (u64, Leading<'a>)>) -> Vec<Vec<u64>> {
        let mut of_note = vec![Vec::new(); self.newest.len()];
        for (n, write) in writes {
            for note in self.behind(write) {
                if of_note[note].last() != Some(&n) {
                    of_note[note].push(n);
                }
            }
        }
        of_note
    }

    /// The notes that exist before or after the records.
    fn ever_there(&self) -> HashSet<usize> {
        self.before.values().chain(self.after.values()).copied().collect()
    }
}

/// The paths from and to which a write of an undo leads.
#[derive(Clone, Copy)]
struct Leading<'a> {
    from: Option<&'a VaultPath>,
    to: Option<&'a VaultPath>,
}

impl<'a> From<&'a Planned> for Leading<'a> {
    fn from(planned: &'a Planned) -> Leading<'a> {
        Leading {
            from: planned.base.is_some().then(|| planned.from.as_ref().unwrap_or(&planned.path)),
            to: planned.after.is_some().then_some(&planned.path),
        }
    }
}

impl<'a> From<&'a Record> for Leading<'a> {
    fn from(record: &'a Record) -> Leading<'a> {
        Leading {
            from: record.before.is_some().then(|| record.origin()),
            to: record.after.is_some().then_some(&record.path),
        }
    }
}

/// An undo being planned, record by record, newest first.
struct Undoing<'a> {
    history: &'a History,
    set: &'a SetLog,
    draft: Draft,
    merged: HashMap<VaultPath, Vec<String>>,
    conflicts: Vec<Conflict>,
    unreadable: Vec<UnreadableNote>,
    /// Announced writes that would have vacated a path, by path.
    freeing: HashMap<&'a VaultPath, Vec<&'a Record>>,
}

impl Undoing<'_> {
    /// Returns `false` if the note is in conflict.
    fn plan(&mut self, record: &Record) -> Result<bool, VaultError> {
        if !holds_text(&record.path) {
            return self.plan_file(record);
        }
        let path = &record.path;
        let (before, after) = self.history.contents(self.set, record)?;
        let text = |content: Option<Content>| content.map(|content| content.shown());
        let (before, after) = (text(before), text(after));
        let now = match self.draft.text(path) {
            Ok(now) => now,
            Err(error) => return Ok(self.unreadable(record, &error)),
        };
        let now = now.as_deref();
        let uncertain = record.state == RecordState::Intended;
        if uncertain && now.is_some_and(|now| self.is_not_free_yet(record, now)) {
            return Ok(true);
        }
        let conflicts = self.conflicts.len();
        match (record.kind, before, after) {
            (NoteChangeKind::Created, _, Some(after)) => match now {
                None => {}
                Some(now) if now == after => {
                    self.draft.delete_with_folders(path, &record.folders)?;
                }
                Some(now) => {
                    let what = vec!["edited since".to_owned()];
                    self.conflict_of(path, NoteChangeKind::Deleted, "", now, what);
                }
            },
            (NoteChangeKind::Deleted, Some(before), _) => match now {
                None => self.draft.restore(path, before, record.file.as_ref()),
                Some(now) if now == before => {}
                Some(now) => self.conflict(path, &before, now, vec!["created since".to_owned()]),
            },
            (NoteChangeKind::Modified, Some(before), Some(after)) => match now {
                None => self.conflict(path, &before, "", vec!["deleted since".to_owned()]),
                Some(now) => {
                    self.revert(path, &before, &after, now)?;
                }
            },
            (NoteChangeKind::Renamed, Some(before), Some(after)) => {
                let Some(from) = &record.from else {
                    return Ok(true);
                };
                // Killed during the move: the note has both names, and the new one must be removed.
                let has_both = now.is_some() && self.has_both(path, from);
                let old_place = match if has_both { Ok(None) } else { self.draft.text(from) } {
                    Ok(old_place) => old_place,
                    Err(error) => return Ok(self.unreadable(record, &error)),
                };
                match (now, old_place) {
                    (None, Some(_)) if uncertain => {}
                    (None, there) => {
                        let there = there.unwrap_or_default();
                        // Report the conflict at the old path, where the note would be restored.
                        self.draft.forget(path);
                        self.conflict(from, &before, &there, vec!["moved or deleted since".to_owned()]);
                    }
                    (Some(now), Some(_)) => {
                        let taken = format!("\"{from}\" is taken");
                        self.conflict(path, &before, now, vec![taken]);
                    }
                    (Some(now), None) => {
                        let conflicts = self.conflicts.len();
                        if !self.revert(path, &before, &after, now)? {
                            // The undo would also move the note back.
                            for conflict in &mut self.conflicts[conflicts..] {
                                conflict.from = Some(std::mem::replace(&mut conflict.path, from.clone()));
                                conflict.kind = NoteChangeKind::Renamed;
                            }
                        } else {
                            let moved = match has_both {
                                true => self.draft.rename_to_own(path, from),
                                false => self.draft.rename(path, from),
                            };
                            match moved {
                                Ok(()) => {}
                                Err(VaultError::Exists { path: there }) => {
                                    let taken = format!("\"{there}\" is taken");
                                    self.conflict(path, &before, now, vec![taken]);
                                }
                                Err(error) => return Err(error),
                            }
                        }
                    }
                }
            }
            // Invalid: every record of these kinds has its texts.
            _ => {}
        }
        Ok(self.conflicts.len() == conflicts)
    }

    /// Reverts a file that is no note. Such files are only created and deleted: it is removed or restored
    /// if nobody has changed it since.
    fn plan_file(&mut self, record: &Record) -> Result<bool, VaultError> {
        let path = &record.path;
        let now = match self.draft.file(path) {
            Ok(now) => now,
            Err(error) => return Ok(self.unreadable(record, &error)),
        };
        let (before, after) = self.history.contents(self.set, record)?;
        let conflicts = self.conflicts.len();
        match (record.kind, before, after, now) {
            (NoteChangeKind::Created, _, Some(after), Some(now)) if now == after => {
                self.draft.delete_file(path, now, &record.folders);
            }
            (NoteChangeKind::Created, _, Some(_), Some(now)) => {
                let what = vec!["edited since".to_owned()];
                self.conflict_of(path, NoteChangeKind::Deleted, "", &now.shown(), what);
            }
            (NoteChangeKind::Deleted, Some(before), _, None) => {
                self.draft.restore_file(path, before, record.file.as_ref());
            }
            (NoteChangeKind::Deleted, Some(before), _, Some(now)) if now != before => {
                let what = vec!["created since".to_owned()];
                self.conflict(path, &before.shown(), &now.shown(), what);
            }
            _ => {}
        }
        Ok(self.conflicts.len() == conflicts)
    }

    /// Leaves out a note that cannot be read, for example on an unmounted disk; the others are reverted,
    /// and it can be undone later.
    fn unreadable(&mut self, record: &Record, error: &VaultError) -> bool {
        self.draft.forget(&record.path);
        if let Some(from) = &record.from {
            self.draft.forget(from);
        }
        let path = record.path.clone();
        self.unreadable.push(UnreadableNote { path, reason: error.message() });
        false
    }

    /// Whether both are names of the same file on disk.
    fn has_both(&self, one: &VaultPath, other: &VaultPath) -> bool {
        let disk = &self.history.vault.core().disk;
        let places = disk.place(one).ok().zip(disk.place(other).ok());
        places.is_some_and(|(one, other)| one.is_one_file_with(&other))
    }

    /// Whether the note that was to vacate this path is still there: then neither was written, because
    /// writes are performed in order.
    fn is_not_free_yet(&self, record: &Record, now: &str) -> bool {
        let now = ContentHash::of(now.as_bytes());
        let freeing = self.freeing.get(&record.path).into_iter().flatten();
        freeing
            .take_while(|earlier| earlier.n < record.n)
            .any(|earlier| earlier.before.as_ref().is_some_and(|before| before.hash == now))
    }

    fn revert(&mut self, path: &VaultPath, before: &str, after: &str, now: &str) -> Result<bool, VaultError> {
        match merge(after, before, now) {
            Merge::Clean { text, outside } => {
                self.draft.set_text(path, text)?;
                if !outside.is_empty() {
                    self.merged.entry(path.clone()).or_default().extend(outside);
                }
                Ok(true)
            }
            Merge::Conflict { what } => {
                self.conflict(path, before, now, what);
                Ok(false)
            }
        }
    }

    fn conflict(&mut self, path: &VaultPath, mine: &str, theirs: &str, what: Vec<String>) {
        self.conflict_of(path, NoteChangeKind::Modified, mine, theirs, what);
    }

    fn conflict_of(
        &mut self,
        path: &VaultPath,
        kind: NoteChangeKind,
        mine: &str,
        theirs: &str,
        what: Vec<String>,
    ) {
        self.conflicts.push(Conflict {
            path: path.clone(),
            from: None,
            kind,
            mine: mine.to_owned(),
            theirs: theirs.to_owned(),
            what,
        });
        self.draft.forget(path);
    }
}

fn freeing(set: &SetLog) -> HashMap<&VaultPath, Vec<&Record>> {
    let mut freeing: HashMap<&VaultPath, Vec<&Record>> = HashMap::new();
    for record in set.records.iter().filter(|record| record.state == RecordState::Intended) {
        if record.kind == NoteChangeKind::Deleted || record.from.is_some() {
            freeing.entry(record.origin()).or_default().push(record);
        }
    }
    freeing
}

fn in_scope<'a>(set: &'a SetLog, scope: &Scope) -> Vec<&'a Record> {
    match scope {
        Scope::All => set.maybe_done().collect(),
        Scope::Call(call) => {
            set.maybe_done().filter(|record| record.author.call.as_ref() == Some(call)).collect()
        }
        Scope::Note(path) => {
            let records: Vec<_> = set.maybe_done().collect();
            let notes = Notes::of(&records);
            // A moved note is found by its earlier names as well, unless another note has them now.
            let mut wanted: HashSet<usize> =
                (0..notes.newest.len()).filter(|note| notes.newest[*note] == *path).collect();
            if wanted.is_empty() {
                let had = |record: &Record| record.path == *path || record.from.as_ref() == Some(path);
                let all = records.iter().zip(&notes.of_record);
                wanted.extend(all.filter(|(record, _)| had(record)).map(|(_, note)| note));
            }
            let all = records.iter().zip(&notes.of_record);
            all.filter(|(_, note)| wanted.contains(note)).map(|(record, _)| *record).collect()
        }
    }
}
