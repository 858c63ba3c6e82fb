use std::collections::HashMap;

use nova_calls::{diff_view, error_from_vault};
use nova_protocol::{
    ChangeSetKind, ChangeSetState, ChangeSetView, ChangedNoteView, ConflictView, ErrorCode, Event,
    FinishResult, NoteChangeKind, UndoResult, UserError,
};
use nova_vault::{Author, ChangeSetInfo, NoteDetail, NoteRecord, Scope, Vault, VaultPath};

use crate::app::{App, blocking, session_error};

/// How many change sets a list holds when nobody says.
const DEFAULT_LIMIT: usize = 50;

impl App {
    /// Change sets, newest first; only those of one session where it is named.
    ///
    /// # Errors
    /// `no_vault`, or when the history cannot be read.
    pub async fn change_sets(
        &self,
        session: Option<&str>,
        limit: Option<usize>,
    ) -> Result<Vec<ChangeSetView>, UserError> {
        let vault = self.vault()?;
        let sessions: HashMap<String, String> = self
            .inner
            .store
            .change_sets()
            .await
            .map_err(|error| session_error(&error))?
            .into_iter()
            .collect();
        let session = session.map(str::to_owned);
        blocking(move || {
            let history = vault.history();
            let mut views = Vec::new();
            for info in history.list().map_err(|error| error_from_vault(&error))? {
                let of = sessions.get(&info.id).cloned();
                if session.is_some() && of != session {
                    continue;
                }
                if views.len() >= limit.unwrap_or(DEFAULT_LIMIT) {
                    break;
                }
                views.push(view(&vault, info, of)?);
            }
            Ok(views)
        })
        .await
    }

    /// One change set.
    ///
    /// # Errors
    /// `unknown_change_set`.
    pub async fn change_set(&self, id: &str) -> Result<ChangeSetView, UserError> {
        let vault = self.vault()?;
        let id = id.to_owned();
        blocking(move || {
            let detail = vault.history().show(&id).map_err(|error| error_from_vault(&error))?;
            view(&vault, detail.info, None)
        })
        .await
    }

    /// Undoes a change set, or one note or one call of it. What was edited since is merged, or
    /// comes back as a conflict.
    ///
    /// # Errors
    /// `unknown_change_set`, `path_refused`, or when writing fails.
    pub async fn undo(
        &self,
        change_set: &str,
        note: Option<&str>,
        call: Option<&str>,
    ) -> Result<UndoResult, UserError> {
        let vault = self.vault()?;
        let scope = match (note, call) {
            (Some(note), _) => Scope::Note(VaultPath::parse(note).map_err(|error| {
                UserError::new(
                    ErrorCode::PathRefused,
                    error.to_string(),
                    "Name the note as the list of changes does.",
                )
            })?),
            (None, Some(call)) => Scope::Call(call.to_owned()),
            (None, None) => Scope::All,
        };
        let id = change_set.to_owned();
        let outcome = blocking(move || {
            vault.history().undo(&id, scope, &Author::new("user")).map_err(|error| error_from_vault(&error))
        })
        .await?;
        if !outcome.undone.is_empty() {
            self.emit(Event::ChangeSet { id: change_set.to_owned(), state: "undone".into() });
        }
        let conflicts: Vec<_> = outcome.conflicts.into_iter().map(conflict_view).collect();
        conflicts.iter().for_each(|conflict| self.inner.conflicts.add(conflict.clone()));
        Ok(UndoResult {
            change_set: (!outcome.undone.is_empty()).then_some(outcome.change_set),
            undone: outcome.undone.iter().map(ToString::to_string).collect(),
            merged: outcome.merged.iter().map(|(path, _)| path.to_string()).collect(),
            conflicts,
        })
    }

    /// Writes what an interrupted change set had announced and not written.
    ///
    /// # Errors
    /// `unknown_change_set`; `conflict` when a note was edited since at the same place: then the
    /// set stays interrupted and nothing was written.
    pub async fn finish(&self, change_set: &str) -> Result<FinishResult, UserError> {
        let vault = self.vault()?;
        let id = change_set.to_owned();
        let (finished, error) = blocking(move || match vault.history().finish(&id, &Author::new("user")) {
            Ok(own) => {
                let detail = vault.history().show(&own).map_err(|error| error_from_vault(&error));
                // Everything had been written already, and the set has no note of its own.
                let paths = detail.map_or_else(
                    |_| Vec::new(),
                    |detail| detail.info.notes.iter().map(|note| note.path.to_string()).collect(),
                );
                Ok((Some((own, paths)), None))
            }
            Err(error @ nova_vault::VaultError::Conflict { .. }) => Ok((None, Some(error))),
            Err(error) => Err(error_from_vault(&error)),
        })
        .await?;
        if let Some(error) = error {
            let user_error = error_from_vault(&error);
            if let nova_vault::VaultError::Conflict { path, mine, theirs, what } = error {
                self.inner.conflicts.add(conflict_view(nova_vault::Conflict { path, mine, theirs, what }));
            }
            return Err(user_error);
        }
        self.emit(Event::ChangeSet { id: change_set.to_owned(), state: "committed".into() });
        let (own, finished) = finished.unwrap_or_default();
        Ok(FinishResult { change_set: (!finished.is_empty()).then_some(own), finished })
    }

    /// Forgets change sets past their time; answers with their ids.
    ///
    /// # Errors
    /// `no_vault`, or when the history cannot be written.
    pub async fn prune_history(&self) -> Result<Vec<String>, UserError> {
        let vault = self.vault()?;
        blocking(move || {
            vault.history().prune(nova_vault::Limits::default()).map_err(|error| error_from_vault(&error))
        })
        .await
    }
}

fn conflict_view(conflict: nova_vault::Conflict) -> ConflictView {
    ConflictView {
        path: conflict.path.to_string(),
        what: conflict.what,
        mine: conflict.mine,
        theirs: conflict.theirs,
    }
}

fn view(vault: &Vault, info: ChangeSetInfo, session: Option<String>) -> Result<ChangeSetView, UserError> {
    let detail = vault.history().show(&info.id).map_err(|error| error_from_vault(&error))?;
    let notes = detail
        .info
        .notes
        .iter()
        .map(|record| {
            let text = detail.texts.iter().find(|text| text.path == record.path);
            note_view(vault, record, text)
        })
        .collect();
    Ok(ChangeSetView {
        kind: match info.kind {
            nova_vault::ChangeSetKind::Turn => ChangeSetKind::Turn,
            nova_vault::ChangeSetKind::Form => ChangeSetKind::Form,
            nova_vault::ChangeSetKind::Cli => ChangeSetKind::Cli,
            nova_vault::ChangeSetKind::Mcp => ChangeSetKind::Mcp,
            nova_vault::ChangeSetKind::Undo => ChangeSetKind::Undo,
            nova_vault::ChangeSetKind::Import => ChangeSetKind::Import,
        },
        at: info.at.to_string(),
        author: info.author.map(|author| author.principal).unwrap_or_default(),
        label: info.label,
        state: match info.state {
            nova_vault::ChangeSetState::Open => ChangeSetState::Open,
            nova_vault::ChangeSetState::Committed => ChangeSetState::Committed,
            nova_vault::ChangeSetState::Interrupted => ChangeSetState::Interrupted,
            nova_vault::ChangeSetState::Undone => ChangeSetState::Undone,
            nova_vault::ChangeSetState::PartlyUndone => ChangeSetState::PartlyUndone,
        },
        session,
        undone_at: detail.info.notes.iter().filter_map(|note| note.undone_at).max().map(|at| at.to_string()),
        notes,
        id: info.id,
    })
}

fn note_view(vault: &Vault, record: &NoteRecord, text: Option<&NoteDetail>) -> ChangedNoteView {
    let now = vault.read(&record.path).ok().map(|note| note.text.to_string());
    let after = text.and_then(|text| text.after.clone());
    let diff = match text {
        Some(text) => diff_view(&record.path, record.from.as_ref(), &text.diff),
        None => diff_view(&record.path, None, &nova_vault::note::diff(None, None)),
    };
    ChangedNoteView {
        path: record.path.to_string(),
        kind: match record.kind {
            nova_vault::NoteChangeKind::Created => NoteChangeKind::Created,
            nova_vault::NoteChangeKind::Modified => NoteChangeKind::Modified,
            nova_vault::NoteChangeKind::Deleted => NoteChangeKind::Deleted,
            nova_vault::NoteChangeKind::Renamed => NoteChangeKind::Renamed,
        },
        from: record.from.as_ref().map(ToString::to_string),
        call: record.call.clone(),
        undone: record.undone_at.is_some(),
        edited_since: record.undone_at.is_none() && now != after,
        diff,
    }
}
