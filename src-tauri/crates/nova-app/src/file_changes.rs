//! Changes of files outside of the vault, as part of the same change sets.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nova_calls::{file_change_kind_view, file_content_diff_view};
use nova_protocol::{
    ChangeSetKind, ChangeSetState, ChangeSetView, ChangedNoteView, ConflictView, ErrorCode, NoteChangeKind,
    ResolvedConflict, UserError,
};
use nova_skill::jiff::SignedDuration;
use nova_skill::{FileJournal, FolderSource as _, Folders, ToolError};
use nova_workspace::{
    Contents, FileChangeKind, FileConflict, FileDraft, FileError, FileRecord, Made, Undone,
};

use crate::app::App;

/// Relative to the data folder.
const JOURNAL: &str = "workspaces";

impl App {
    pub(crate) fn file_journal(&self) -> FileJournal {
        FileJournal::new(self.places().data.join(JOURNAL))
    }

    /// Adds files to each change set, and the sets that consist of files only.
    pub(crate) fn add_file_changes(
        &self,
        sets: &mut Vec<ChangeSetView>,
        sessions: &HashMap<String, String>,
        wanted: impl Fn(&ChangeSetView) -> bool,
        limit: usize,
    ) -> Result<(), UserError> {
        for id in self.file_journal().sets().map_err(|error| unreadable(&error))?.into_iter().take(limit) {
            let session = sessions.get(&id).cloned();
            match sets.iter_mut().find(|set| set.id == id) {
                Some(set) => self.add_files(set)?,
                None => sets.extend(self.set_of_files(&id, session)?.filter(&wanted)),
            }
        }
        sets.sort_by(|one, other| other.at.cmp(&one.at));
        sets.truncate(limit);
        Ok(())
    }

    /// Adds files to one change set.
    pub(crate) fn add_files(&self, set: &mut ChangeSetView) -> Result<(), UserError> {
        let Some(files) = self.set_of_files(&set.id, None)? else { return Ok(()) };
        if files.state != set.state && set.state != ChangeSetState::Interrupted {
            set.state = ChangeSetState::PartlyUndone;
        }
        set.notes.extend(files.notes);
        Ok(())
    }

    /// A change set that consists of files only; `None` if it has none.
    pub(crate) fn set_of_files(
        &self,
        id: &str,
        session: Option<String>,
    ) -> Result<Option<ChangeSetView>, UserError> {
        let journal = self.file_journal();
        let records = journal.records(id).map_err(|error| unreadable(&error))?;
        let Some(first) = records.first() else { return Ok(None) };
        let undone = records.iter().filter(|record| record.undone_at.is_some()).count();
        let notes = records.iter().map(|record| file_view(&journal, id, record));
        Ok(Some(ChangeSetView {
            id: id.to_owned(),
            kind: if session.is_some() { ChangeSetKind::Turn } else { ChangeSetKind::Cli },
            at: first.at.clone(),
            author: first.author.clone(),
            label: String::new(),
            state: match undone {
                0 => ChangeSetState::Committed,
                all if all == records.len() => ChangeSetState::Undone,
                _ => ChangeSetState::PartlyUndone,
            },
            session,
            undone_at: records.iter().filter_map(|record| record.undone_at.clone()).max(),
            notes: notes.collect::<Result<_, _>>()?,
        }))
    }

    /// Removes temporary files that a killed process left beside files.
    pub(crate) fn sweep_files(&self) {
        let app = self.clone();
        // Runs in the background.
        drop(tokio::task::spawn_blocking(move || {
            if let Err(error) = app.file_journal().sweep(|path| app.folders_around(path)) {
                tracing::warn!(%error, "cannot remove temporary files");
            }
        }));
    }

    pub(crate) fn has_files(&self, set: &str) -> Result<bool, UserError> {
        Ok(!self.file_journal().records(set).map_err(|error| unreadable(&error))?.is_empty())
    }

    /// Deletes records of changes older than this many days.
    pub(crate) fn prune_file_changes(&self, days: i64) {
        let before = self.inner.options.clock.now() - SignedDuration::from_hours(24 * days);
        let journal = self.file_journal();
        // Runs in the background.
        drop(tokio::task::spawn_blocking(move || {
            if let Err(error) = journal.prune(&before.to_string()) {
                tracing::warn!(%error, "cannot prune the file journal");
            }
        }));
    }

    /// Undoes files of a change set: all, one, or those of one call.
    pub(crate) fn undo_files(
        &self,
        set: &str,
        file: Option<&str>,
        call: Option<&str>,
        undo: &str,
    ) -> Result<Undone, UserError> {
        let wanted = |record: &FileRecord| match (file, call) {
            (Some(file), _) => record.path == Path::new(file),
            (None, Some(call)) => record.call == call,
            (None, None) => true,
        };
        let open = |path: &Path| self.folders_around(path);
        self.file_journal()
            .undo(set, wanted, open, undo, &self.made_by_hand())
            .map_err(|error| unreadable(&error))
    }

    /// Writes Nova's version of a conflict over the other, as a separate change set.
    pub(crate) fn keep_mine_of_file(&self, conflict: ConflictView) -> Result<ResolvedConflict, UserError> {
        let failed = |error: FileError| UserError::from(ToolError::from(error));
        let path = PathBuf::from(&conflict.path);
        let file = self.folders_around(&path).find(&conflict.path).map_err(failed)?;
        let conflict = FileConflict {
            path,
            kind: match conflict.kind {
                Some(NoteChangeKind::Deleted) => FileChangeKind::Deleted,
                _ => FileChangeKind::Modified,
            },
            reason: String::new(),
            mine: conflict.mine,
            theirs: conflict.theirs,
            unreadable: false,
        };
        let mut draft = FileDraft::default();
        draft.keep_mine(&file, &conflict).map_err(failed)?;
        let set = self.inner.options.ids.next();
        match self.file_journal().apply(&draft, &set, &self.made_by_hand()) {
            Ok(written) => {
                Ok(ResolvedConflict { change_set: (!written.is_empty()).then_some(set), conflict: None })
            }
            Err(error) => match draft.conflict(&error) {
                Some(again) => {
                    Ok(ResolvedConflict { change_set: None, conflict: Some(file_conflict_view(again)) })
                }
                None => Err(failed(error)),
            },
        }
    }

    fn made_by_hand(&self) -> Made {
        Made { call: String::new(), author: "user".into(), at: self.inner.options.clock.now().to_string() }
    }

    /// The currently open folders, and the scratch folder that contains the file.
    fn folders_around(&self, path: &Path) -> Folders {
        let chat = self.chat_of_scratch(path);
        let folders = self.open(chat.as_deref()).unwrap_or_default();
        Folders::clone(&folders)
    }
}

fn file_view(journal: &FileJournal, set: &str, record: &FileRecord) -> Result<ChangedNoteView, UserError> {
    let Contents { before, after } = journal.contents(set, record).map_err(|error| unreadable(&error))?;
    Ok(ChangedNoteView {
        path: record.path.display().to_string(),
        kind: file_change_kind_view(record.kind),
        from: None,
        call: Some(record.call.clone()).filter(|call| !call.is_empty()),
        undone: record.undone_at.is_some(),
        // Determined when it is undone.
        edited_since: false,
        diff: file_content_diff_view(&record.path, (before.as_deref(), after.as_deref()), record.attached),
    })
}

pub(crate) fn file_conflict_view(conflict: FileConflict) -> ConflictView {
    ConflictView {
        path: conflict.path.display().to_string(),
        from: None,
        kind: Some(file_change_kind_view(conflict.kind)),
        what: vec![conflict.reason],
        mine: conflict.mine,
        theirs: conflict.theirs,
        unreadable: conflict.unreadable,
    }
}

fn unreadable(error: &std::io::Error) -> UserError {
    UserError::new(
        ErrorCode::Io,
        format!("The history of file changes cannot be read: {error}."),
        "Make Nova's data folder readable.",
    )
}
