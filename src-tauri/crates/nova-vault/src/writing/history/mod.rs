//! The history of changes made through Nova, and undo.

mod limits;
mod overview;
mod retention;
mod undo;

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use crate::change::{Author, ChangeSetKind, Conflict, Merged, NoteChangeKind};
use crate::content::Content;
use crate::error::VaultError;
use crate::note::{ContentHash, NoteDiff, VaultPath};
use crate::problem::Problem;
use crate::vault::Vault;
use crate::writing::journal::{Record, RecordState, SetLog, Writer, undone};
use crate::writing::write::{Planned, SetJournal};

pub use limits::Limits;
pub(crate) use limits::Retention;
pub(crate) use overview::Diffs;
pub use overview::{ChangeSetOverview, NoteOverview};
pub use retention::HistorySize;

/// The change sets of one vault, including those of other processes.
#[derive(Debug)]
pub struct History {
    vault: Vault,
}

/// One change set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeSetInfo {
    /// Its id.
    pub id: String,
    /// Its origin.
    pub kind: ChangeSetKind,
    /// Time of its first announced write.
    pub at: Timestamp,
    /// A description for the user.
    pub label: String,
    /// The author of its first write; `None` if nothing was written.
    pub author: Option<Author>,
    pub state: ChangeSetState,
    /// The notes, in write order.
    pub notes: Vec<NoteRecord>,
}

/// The state of a change set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSetState {
    /// A running process may still add to it.
    Open,
    Committed,
    /// Its process ended before completing it: can be finished or undone.
    Interrupted,
    /// Completely reverted.
    Undone,
    /// Partly reverted.
    PartlyUndone,
}

/// A note in a change set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteRecord {
    /// Its path after the change.
    pub path: VaultPath,
    /// How it changed.
    pub kind: NoteChangeKind,
    /// Its path before, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<VaultPath>,
    /// The tool call that changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Time of the undo; `None` if it is in effect.
    pub undone_at: Option<Timestamp>,
    /// Whether it is unknown if it was written, because the process was killed.
    pub uncertain: bool,
}

/// A change set with its texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangeSetDetail {
    /// As returned by [`History::list`].
    #[serde(flatten)]
    pub info: ChangeSetInfo,
    /// Each note with its texts, in the order of `info.notes`.
    pub texts: Vec<NoteDetail>,
}

/// A note in a change set, with its texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoteDetail {
    /// Its path after the change.
    pub path: VaultPath,
    /// The text before; `None` for a new note or a binary file.
    pub before: Option<String>,
    /// The text after; `None` for a deleted note or a binary file.
    pub after: Option<String>,
    pub diff: NoteDiff,
}

/// The part of a change set to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    All,
    /// The changes to the note that has, or had, this path.
    Note(VaultPath),
    /// The changes of one tool call.
    Call(String),
}

/// The result of an undo.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UndoOutcome {
    /// The change set of the undo; undoing it redoes the change.
    pub change_set: String,
    /// The notes restored to their previous state, by the path they had after the change.
    pub undone: Vec<VaultPath>,
    /// Notes edited since, with the edits that were preserved.
    pub merged: Vec<Merged>,
    /// Notes edited since at the same place. They were not changed.
    pub conflicts: Vec<Conflict>,
    /// Notes that could not be read, for example on an unmounted disk. They were not changed and can be
    /// undone later.
    pub unreadable: Vec<UnreadableNote>,
}

/// A note that an undo could not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadableNote {
    /// Its path after the change.
    pub path: VaultPath,
    /// The reason, as a sentence without its full stop.
    pub reason: String,
}

impl Vault {
    /// The change sets of this vault.
    pub fn history(&self) -> History {
        History::new(self.clone())
    }
}

impl History {
    pub(crate) fn new(vault: Vault) -> History {
        History { vault }
    }

    /// All change sets with writes, newest first.
    pub fn list(&self) -> Result<Vec<ChangeSetInfo>, VaultError> {
        let sets = self.sets()?;
        let undone = undone(&sets);
        Ok(sets
            .iter()
            .rev()
            .map(|set| self.info(set, &undone))
            .filter(|info| !info.notes.is_empty())
            .collect())
    }

    /// A change set with the text of each note before and after.
    pub fn show(&self, id: &str) -> Result<ChangeSetDetail, VaultError> {
        let sets = self.sets()?;
        let set = find(&sets, id)?;
        let mut texts = Vec::new();
        for record in set.maybe_done() {
            let (before, after) = self.contents(set, record)?;
            let text =
                |content: &Option<Content>| content.as_ref().and_then(Content::text).map(str::to_owned);
            texts.push(NoteDetail {
                path: record.path.clone(),
                diff: Content::diff(before.as_ref(), after.as_ref()),
                before: text(&before),
                after: text(&after),
            });
        }
        Ok(ChangeSetDetail { info: self.info(set, &undone(&sets)), texts })
    }

    /// Completes an interrupted change set: performs its announced but missing writes in a new change set,
    /// whose id is returned, and closes the interrupted one. After a conflict it remains interrupted.
    /// Reverted writes are not repeated.
    pub fn finish(&self, id: &str, author: &Author) -> Result<String, VaultError> {
        let sets = self.sets()?;
        let set = find(&sets, id)?;
        let core = self.vault.core();
        if set.committed {
            return Err(VaultError::ChangeSetState {
                id: id.to_owned(),
                reason: "it is already complete".to_owned(),
                remedy: "There is nothing to finish.".to_owned(),
            });
        }
        if self.info(set, &undone(&sets)).state == ChangeSetState::Undone {
            return Err(VaultError::ChangeSetState {
                id: id.to_owned(),
                reason: "it was already undone".to_owned(),
                remedy: "To restore its changes, undo the undo; see `nova changes list`.".to_owned(),
            });
        }
        let writer = Writer::take_over(&core.journal, set).map_err(|error| {
            if error.kind() == std::io::ErrorKind::WouldBlock {
                return VaultError::ChangeSetState {
                    id: id.to_owned(),
                    reason: "it is still open in a running Nova process".to_owned(),
                    remedy: "Wait until it is finished, then try again; see `nova changes list`.".to_owned(),
                };
            }
            VaultError::io("open the journal")(error)
        })?;
        let interrupted = SetJournal::taken_over(writer, set.kind, set.label.clone());
        let mut plan = Vec::new();
        for record in &set.records {
            if record.state == RecordState::Intended && !self.is_as_announced(record)? {
                let (before, after) = self.contents(set, record)?;
                plan.push(Planned {
                    path: record.path.clone(),
                    from: record.from.clone(),
                    base: before,
                    after,
                    file: record.file.clone(),
                    folders: Vec::new(),
                });
            }
        }
        let own = self.vault.change_set(set.kind, format!("Finished: {}", set.label));
        own.apply_plan(&plan, author)?;
        if let Some((of, begun)) = &set.undoing
            && let Some(of) = sets.iter().find(|set| set.id == *of)
        {
            let (records, by) = undo::finished(set, of, begun);
            interrupted.undid(core, &of.id, records, by)?;
        }
        interrupted.commit(core)?;
        let own_id = own.id().to_owned();
        own.close()?;
        Ok(own_id)
    }

    /// Outside edits under `<data>/conflicts` that could not be merged.
    pub(crate) fn kept_texts(&self) -> Result<Vec<Problem>, VaultError> {
        let conflicts = self.vault.core().conflicts();
        let mut problems = Vec::new();
        for set in self.sets()? {
            for kept in &set.kept {
                let file = conflicts.join(&kept.file);
                let Some(record) = set.record(kept.n) else {
                    continue;
                };
                if file.exists() {
                    problems.push(Problem {
                        path: record.path.as_str().to_owned(),
                        line: 1,
                        problem: match kept.cut {
                            true => "Nova was terminated while writing the note in place",
                            false => "an edit made by another program during a write could not be merged",
                        }
                        .to_owned(),
                        remedy: format!("Compare the note with {}, then delete that file.", file.display()),
                    });
                }
            }
        }
        Ok(problems)
    }

    fn sets(&self) -> Result<Vec<Arc<SetLog>>, VaultError> {
        self.vault.core().journal.sets().map_err(VaultError::io("read the journal"))
    }

    fn contents(
        &self,
        set: &SetLog,
        record: &Record,
    ) -> Result<(Option<Content>, Option<Content>), VaultError> {
        let journal = &self.vault.core().journal;
        let content = |image| {
            let doing = format!("read what change set {} kept of", set.id);
            journal.content(&set.id, image).map_err(VaultError::io_at(&doing, &record.path))
        };
        Ok((content(record.before.as_ref())?, content(record.after.as_ref())?))
    }

    /// Whether the note is in the state that the write announced. Compares hashes only.
    fn is_as_announced(&self, record: &Record) -> Result<bool, VaultError> {
        let hash = |path: &VaultPath| -> Result<Option<ContentHash>, VaultError> {
            Ok(self.vault.core().disk.content(path)?.map(|content| content.hash()))
        };
        let has_moved = match &record.from {
            Some(from) => hash(from)?.is_none(),
            None => true,
        };
        Ok(has_moved && hash(&record.path)? == record.after.as_ref().map(|after| after.hash))
    }

    fn info(&self, set: &SetLog, undone: &HashMap<(String, u64), Timestamp>) -> ChangeSetInfo {
        let notes: Vec<_> = set
            .maybe_done()
            .map(|record| NoteRecord {
                path: record.path.clone(),
                kind: record.kind,
                from: record.from.clone(),
                call: record.author.call.clone(),
                undone_at: undone.get(&(set.id.clone(), record.n)).copied(),
                uncertain: record.state == RecordState::Intended,
            })
            .collect();
        let taken_back = notes.iter().filter(|note| note.undone_at.is_some()).count();
        let state = match taken_back {
            n if n > 0 && n == notes.len() => ChangeSetState::Undone,
            n if n > 0 => ChangeSetState::PartlyUndone,
            _ if set.committed => ChangeSetState::Committed,
            _ if self.vault.core().journal.is_live(&set.id) => ChangeSetState::Open,
            _ => ChangeSetState::Interrupted,
        };
        ChangeSetInfo {
            id: set.id.clone(),
            kind: set.kind,
            at: set.records.first().map_or(set.at, |record| record.at),
            label: set.label.clone(),
            author: set.records.first().map(|record| record.author.clone()),
            state,
            notes,
        }
    }
}

fn find<'a>(sets: &'a [Arc<SetLog>], id: &str) -> Result<&'a Arc<SetLog>, VaultError> {
    sets.iter().find(|set| set.id == id).ok_or_else(|| VaultError::NoChangeSet { id: id.to_owned() })
}
