//! Notes, their changes, and conflicts.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ProblemView;

use crate::NoteChangeKind;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoteRef {
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LinkRef {
    pub url: String,
}

/// A note as the window shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct NoteView {
    pub path: String,
    pub name: String,
    /// Property and its text, in the note's order.
    pub properties: Vec<(String, String)>,
    /// Sanitised.
    pub html: String,
    pub broken: Option<ProblemView>,
    /// Its record type, which has a form; none if no skill declares it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub record: Option<RecordOf>,
}

/// The record type of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecordOf {
    pub skill: String,
    /// Its name in the manifest.
    pub record_type: String,
    /// For a person: "Contact".
    pub label: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ListChanges {
    /// Only those of this session.
    #[serde(default)]
    #[ts(optional)]
    pub session: Option<String>,
    /// Only those in this state.
    #[serde(default)]
    #[ts(optional)]
    pub state: Option<ChangeSetState>,
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSetKind {
    Turn,
    Form,
    Cli,
    Mcp,
    Undo,
    Import,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSetState {
    Open,
    Committed,
    Interrupted,
    Undone,
    PartlyUndone,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChangeSetView {
    pub id: String,
    pub kind: ChangeSetKind,
    pub at: String,
    pub author: String,
    pub label: String,
    pub state: ChangeSetState,
    pub session: Option<String>,
    /// When it, or the latest part of it, was undone, RFC 3339.
    pub undone_at: Option<String>,
    pub notes: Vec<ChangedNoteView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChangedNoteView {
    pub path: String,
    pub kind: NoteChangeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    pub call: Option<String>,
    pub undone: bool,
    /// The note was changed after Nova changed it.
    pub edited_since: bool,
    pub diff: NoteDiffView,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UndoChanges {
    pub change_set: String,
    #[serde(default)]
    #[ts(optional)]
    pub note: Option<String>,
    #[serde(default)]
    #[ts(optional)]
    pub call: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct UndoResult {
    /// The change set that the undo itself is; none when nothing could be undone.
    pub change_set: Option<String>,
    pub undone: Vec<String>,
    /// Notes edited since, where both changes are kept.
    pub merged: Vec<String>,
    /// Notes that were left as they are, because they were edited since at the same place or could not be
    /// read.
    pub conflicts: Vec<ConflictView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FinishChanges {
    pub change_set: String,
}

/// The result of finishing an interrupted change set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FinishResult {
    /// The change set that the rest was written in; none when nothing was written.
    pub change_set: Option<String>,
    /// The notes that it wrote.
    pub finished: Vec<String>,
    /// Notes that were edited since at the same place. With one of them nothing was written, and
    /// the set stays interrupted.
    pub conflicts: Vec<ConflictView>,
}

/// What was deleted from the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PruneResult {
    /// Number of deleted change sets.
    pub forgotten: u32,
}

/// Which side of a conflict the user keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResolveConflict {
    /// The session, or the form run, whose write met the edit.
    #[serde(default)]
    pub session: Option<String>,
    /// The change set whose undo or finish met the edit.
    #[serde(default)]
    #[ts(optional)]
    pub change_set: Option<String>,
    pub note: String,
    pub keep: ConflictSide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ConflictSide {
    /// Nova's version.
    Mine,
    /// The note's version.
    Theirs,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResolvedConflict {
    /// The change set that wrote Nova's version; none when nothing was written.
    pub change_set: Option<String>,
    /// The note was edited again at the same place: nothing was written, and these are its
    /// sides now.
    pub conflict: Option<ConflictView>,
}

/// Both sides of a note that was changed twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConflictView {
    /// The note; where it was to be, when it was to be moved.
    pub path: String,
    /// Where it is then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    /// What was to become of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub kind: Option<NoteChangeKind>,
    pub what: Vec<String>,
    pub mine: String,
    pub theirs: String,
    /// It could not be read: `what` says why, there are no sides, and nothing is to be decided. It can be
    /// undone once it can be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub unreadable: bool,
}

/// What a change does to one note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct NoteDiffView {
    pub path: String,
    pub kind: NoteChangeKind,
    /// Where the note is or was before, when it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    pub properties: Vec<PropertyChangeView>,
    pub hunks: Vec<HunkView>,
    /// Unchanged lines behind the last hunk.
    pub tail_skipped: u32,
    /// "1 property, nothing else in the note"
    pub summary: String,
}

impl NoteDiffView {
    /// Formats the diff as lines, the note first. Text from notes is included verbatim.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{} ({})", self.path, self.summary)];
        for change in &self.properties {
            let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".into());
            let (before, after) = (shown(&change.before), shown(&change.after));
            lines.push(format!("{:>5}   {}: {before} → {after}", change.line, change.key));
        }
        for hunk in &self.hunks {
            if hunk.skipped > 0 {
                lines.push(format!("        … {} lines unchanged", hunk.skipped));
            }
            for line in &hunk.lines {
                let text: String = line.words.iter().map(|word| word.text.as_str()).collect();
                let (sign, number) = match line.kind {
                    DiffLineKind::Context => (' ', line.new),
                    DiffLineKind::Added => ('+', line.new),
                    DiffLineKind::Removed => ('-', line.old),
                };
                lines.push(format!("{:>5} {sign} {text}", number.unwrap_or_default()));
            }
        }
        lines
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PropertyChangeView {
    pub key: String,
    /// In the file after the change, 1-based.
    pub line: u32,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HunkView {
    /// Unchanged lines before it.
    pub skipped: u32,
    pub lines: Vec<DiffLineView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffLineView {
    pub kind: DiffLineKind,
    pub old: Option<u32>,
    pub new: Option<u32>,
    pub words: Vec<DiffWordView>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DiffLineKind {
    Context,
    Added,
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffWordView {
    pub text: String,
    pub changed: bool,
}
