//! Taking back, in a change set of its own.

use std::collections::HashMap;

use super::{History, Scope, UndoOutcome, find};
use crate::change::{Author, ChangeSetKind, Conflict, NoteChangeKind};
use crate::draft::Draft;
use crate::error::VaultError;
use crate::journal::{Record, RecordState, SetLog, undone};
use crate::note::{Merge, VaultPath, merge};

impl History {
    /// Takes back what a change set did, in a change set of its own. A note that was edited
    /// since keeps those edits where that can be; where it cannot, it is left as it is and
    /// listed as a conflict.
    pub fn undo(&self, id: &str, scope: Scope, author: &Author) -> Result<UndoOutcome, VaultError> {
        let sets = self.sets()?;
        let set = find(&sets, id)?;
        let already = undone(&sets);
        let records: Vec<&Record> = in_scope(set, &scope)
            .into_iter()
            .filter(|record| !already.contains_key(&(set.id.clone(), record.n)))
            .collect();

        let mut undoing = Undoing {
            history: self,
            set,
            draft: self.vault.draft(),
            merged: HashMap::new(),
            conflicts: Vec::new(),
        };
        for record in records.iter().rev() {
            undoing.plan(record)?;
        }
        let Undoing { draft, mut merged, mut conflicts, .. } = undoing;

        let label = format!("Undo: {}", set.label);
        let own = self.vault.change_set(ChangeSetKind::Undo, label);
        own.journal().will_undo(&set.id, records.iter().map(|r| (r.n, r.path.clone())).collect());
        let mut plan = draft.plan();
        loop {
            match own.apply_plan(&plan, author) {
                Ok(applied) => {
                    for (path, outside) in applied.merged {
                        merged.entry(path).or_default().extend(outside);
                    }
                    break;
                }
                // Edited since the undo began: the rest is undone without that note.
                Err(VaultError::Conflict { path, mine, theirs, what })
                    if plan.iter().any(|planned| planned.path == path) =>
                {
                    plan.retain(|planned| planned.path != path);
                    conflicts.push(Conflict { path, mine, theirs, what });
                }
                Err(error) => return Err(error),
            }
        }

        let in_conflict = |record: &Record| {
            conflicts.iter().any(|c| c.path == record.path || Some(&c.path) == record.from.as_ref())
        };
        let done: Vec<_> = records.iter().filter(|r| !in_conflict(r)).collect();
        if !done.is_empty() {
            let numbers = done.iter().map(|r| (r.n, r.path.clone())).collect();
            own.journal().undid(self.vault.core(), &set.id, numbers)?;
        }
        let mut undone_paths: Vec<VaultPath> = Vec::new();
        for record in done {
            if !undone_paths.contains(&record.path) {
                undone_paths.push(record.path.clone());
            }
        }
        let outcome = UndoOutcome {
            change_set: own.id().to_owned(),
            undone: undone_paths,
            merged: merged
                .into_iter()
                .filter(|(path, outside)| !outside.is_empty() && conflicts.iter().all(|c| c.path != *path))
                .collect(),
            conflicts,
        };
        own.close()?;
        Ok(outcome)
    }
}

/// An undo being planned, record by record, newest first.
struct Undoing<'a> {
    history: &'a History,
    set: &'a SetLog,
    draft: Draft,
    merged: HashMap<VaultPath, Vec<String>>,
    conflicts: Vec<Conflict>,
}

impl Undoing<'_> {
    fn plan(&mut self, record: &Record) -> Result<(), VaultError> {
        let path = &record.path;
        if self.conflicts.iter().any(|conflict| conflict.path == *path) {
            return Ok(());
        }
        let (before, after) = self.history.texts(self.set, record)?;
        let now = self.draft.text(path)?;
        let now = now.as_deref();
        let uncertain = record.state == RecordState::Intended;
        match (record.kind, before, after) {
            (NoteChangeKind::Created, _, Some(after)) => match now {
                None => {}
                Some(now) if now == after => {
                    self.draft.delete_with_folders(path, &record.folders)?;
                }
                Some(now) => self.conflict(path, "", now, vec!["edited since".to_owned()]),
            },
            (NoteChangeKind::Deleted, Some(before), _) => match now {
                None => self.draft.set_text(path, before)?,
                Some(now) if now == before => {}
                Some(now) => self.conflict(path, &before, now, vec!["created since".to_owned()]),
            },
            (NoteChangeKind::Modified, Some(before), Some(after)) => match now {
                None => self.conflict(path, &before, "", vec!["deleted since".to_owned()]),
                Some(now) => {
                    self.take_back(path, &before, &after, now)?;
                }
            },
            (NoteChangeKind::Renamed, Some(before), Some(after)) => {
                let Some(from) = &record.from else {
                    return Ok(());
                };
                let old_place = self.draft.text(from)?;
                match (now, old_place) {
                    (None, Some(_)) if uncertain => {}
                    (None, there) => {
                        let there = there.unwrap_or_default();
                        self.conflict(path, &before, &there, vec!["moved or deleted since".to_owned()]);
                    }
                    (Some(now), Some(_)) => {
                        let taken = format!("\"{from}\" is taken");
                        self.conflict(path, &before, now, vec![taken]);
                    }
                    (Some(now), None) => {
                        if self.take_back(path, &before, &after, now)? {
                            self.draft.rename(path, from)?;
                        }
                    }
                }
            }
            // A record without its texts cannot have been written by this code.
            _ => {}
        }
        Ok(())
    }

    fn take_back(
        &mut self,
        path: &VaultPath,
        before: &str,
        after: &str,
        now: &str,
    ) -> Result<bool, VaultError> {
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
        self.conflicts.push(Conflict {
            path: path.clone(),
            mine: mine.to_owned(),
            theirs: theirs.to_owned(),
            what,
        });
        self.draft.forget(path);
    }
}

fn in_scope<'a>(set: &'a SetLog, scope: &Scope) -> Vec<&'a Record> {
    match scope {
        Scope::All => set.maybe_done().collect(),
        Scope::Call(call) => {
            set.maybe_done().filter(|record| record.author.call.as_ref() == Some(call)).collect()
        }
        Scope::Note(path) => {
            // A moved note is the same note under its earlier names.
            let mut names = vec![path.clone()];
            let mut records: Vec<_> = set
                .maybe_done()
                .rev()
                .filter(|record| {
                    let same = names.contains(&record.path)
                        || record.from.as_ref().is_some_and(|from| names.contains(from));
                    if same {
                        names.push(record.path.clone());
                        names.extend(record.from.clone());
                    }
                    same
                })
                .collect();
            records.reverse();
            records
        }
    }
}
