use std::collections::HashMap;
use std::path::Path;

use nova_calls::{change_kind_view, diff_view};
use nova_protocol::{
    ChangeSetKind, ChangeSetState, ChangeSetView, ChangedNoteView, ConflictView, ErrorCode, Event,
    FinishResult, UndoResult, UserError,
};
use nova_vault::{
    Author, ChangeSetInfo, ChangeSetOverview, NoteOverview, NoteRecord, Scope, UndoOutcome, UnreadableNote,
    Vault, VaultError, VaultPath,
};
use nova_workspace::Undone;

use crate::app::App;
use crate::blocking::blocking;
use crate::file_changes::file_conflict_view;
use crate::open_conflicts::conflict_view;

/// Default number of change sets in a list.
const DEFAULT_LIMIT: usize = 50;

impl App {
    /// Change sets, newest first, optionally filtered by session or state.
    ///
    /// # Errors
    /// `no_vault`, or when the history cannot be read.
    pub async fn change_sets(
        &self,
        session: Option<&str>,
        state: Option<ChangeSetState>,
        limit: Option<usize>,
    ) -> Result<Vec<ChangeSetView>, UserError> {
        let vault = self.vault()?;
        let sessions: HashMap<String, String> = self.inner.store.change_sets().await?.into_iter().collect();
        let session = session.map(str::to_owned);
        let app = self.clone();
        let limit = limit.unwrap_or(DEFAULT_LIMIT);
        blocking(move || {
            let wanted = |info: &ChangeSetInfo| {
                session.as_ref().is_none_or(|session| sessions.get(&info.id) == Some(session))
                    && state.is_none_or(|state| state_view(info.state) == state)
            };
            let sets = vault.history().overviews(wanted, limit)?;
            let views = sets.into_iter().map(|set| {
                let of = sessions.get(&set.info.id).cloned();
                view(&vault, set, of)
            });
            let mut views: Vec<ChangeSetView> = views.collect();
            let wanted = |set: &ChangeSetView| {
                session.as_ref().is_none_or(|session| set.session.as_ref() == Some(session))
                    && state.is_none_or(|state| set.state == state)
            };
            app.add_file_changes(&mut views, &sessions, wanted, limit)?;
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
        let (app, id) = (self.clone(), id.to_owned());
        blocking(move || match vault.history().overview(&id) {
            Ok(set) => {
                let mut set = view(&vault, set, None);
                app.add_files(&mut set)?;
                Ok(set)
            }
            Err(error) => app.set_of_files(&id, None)?.ok_or_else(|| error.into()),
        })
        .await
    }

    /// Undoes a change set, or one note or call of it. Later edits are merged or returned as conflicts, as
    /// are unreadable notes.
    ///
    /// # Errors
    /// `unknown_change_set`, `path_refused`, or when writing fails.
    pub async fn undo(
        &self,
        change_set: &str,
        note: Option<&str>,
        call: Option<&str>,
    ) -> Result<UndoResult, UserError> {
        let vault = self.present_vault().await?;
        // Notes have vault paths, files absolute ones.
        let is_file = note.is_some_and(|note| Path::new(note).is_absolute());
        let scope = match (note.filter(|_| !is_file), call) {
            (Some(note), _) => Scope::Note(VaultPath::parse(note).map_err(|error| {
                UserError::new(
                    ErrorCode::PathRefused,
                    error.to_string(),
                    "Use the path from the list of changes.",
                )
            })?),
            (None, Some(call)) => Scope::Call(call.to_owned()),
            (None, None) => Scope::All,
        };
        let id = change_set.to_owned();
        let of_notes = blocking(move || {
            if is_file {
                return Ok(Ok(UndoOutcome::default()));
            }
            Ok(vault.history().undo(&id, scope, &Author::new("user")))
        })
        .await?;
        let outcome = match of_notes {
            Err(VaultError::NoChangeSet { .. }) if self.has_files(change_set)? => UndoOutcome::default(),
            outcome => outcome?,
        };
        let undo = match outcome.undone.is_empty() {
            false => outcome.change_set.clone(),
            true => self.inner.options.ids.next(),
        };
        let files = match note.is_some() && !is_file {
            true => Undone::default(),
            false => {
                let (app, set, undo) = (self.clone(), change_set.to_owned(), undo.clone());
                let (file, call) = (note.map(str::to_owned), call.map(str::to_owned));
                blocking(move || app.undo_files(&set, file.as_deref(), call.as_deref(), &undo)).await?
            }
        };
        let undone: Vec<String> = outcome.undone.iter().map(ToString::to_string).collect();
        let undone: Vec<String> =
            undone.into_iter().chain(files.paths.iter().map(|path| path.display().to_string())).collect();
        if !undone.is_empty() {
            self.emit(Event::ChangeSet { id: change_set.to_owned(), state: "undone".into() });
        }
        let mut conflicts: Vec<_> = outcome.conflicts.into_iter().map(conflict_view).collect();
        conflicts.extend(files.conflicts.into_iter().map(file_conflict_view));
        let to_decide = conflicts.iter().filter(|conflict| !conflict.unreadable);
        to_decide.for_each(|conflict| self.inner.conflicts.add(change_set, conflict.clone()));
        conflicts.extend(outcome.unreadable.into_iter().map(unreadable_view));
        Ok(UndoResult {
            change_set: (!undone.is_empty()).then_some(undo),
            undone,
            merged: outcome.merged.iter().map(|(path, _)| path.to_string()).collect(),
            conflicts,
        })
    }

    /// Writes the remaining notes of an interrupted change set.
    ///
    /// # Errors
    /// `unknown_change_set`, or when writing fails.
    pub async fn finish(&self, change_set: &str) -> Result<FinishResult, UserError> {
        let vault = self.present_vault().await?;
        let id = change_set.to_owned();
        let finished = blocking(move || match vault.history().finish(&id, &Author::new("user")) {
            Ok(own) => {
                // If everything had been written already, the finishing set has no notes of its own.
                let notes = vault.history().show(&own).map(|detail| detail.info.notes).unwrap_or_default();
                let finished: Vec<_> = notes.iter().map(|note| note.path.to_string()).collect();
                let change_set = (!finished.is_empty()).then_some(own);
                Ok(FinishResult { change_set, finished, conflicts: Vec::new() })
            }
            Err(VaultError::Conflict(conflict)) => {
                let conflict = conflict_view(*conflict);
                Ok(FinishResult { change_set: None, finished: Vec::new(), conflicts: vec![conflict] })
            }
            Err(error) => Err(error.into()),
        })
        .await?;
        finished.conflicts.iter().for_each(|conflict| self.inner.conflicts.add(change_set, conflict.clone()));
        if finished.conflicts.is_empty() {
            self.emit(Event::ChangeSet { id: change_set.to_owned(), state: "committed".into() });
        }
        Ok(finished)
    }

    /// Deletes expired change sets, or those older than `days`; returns their ids.
    ///
    /// # Errors
    /// `no_vault`, or when the history cannot be written.
    pub async fn prune_history(&self, days: Option<u32>) -> Result<Vec<String>, UserError> {
        let vault = self.vault()?;
        let limits = fewer(vault.history().limits(), days);
        self.prune_file_changes(limits.days);
        blocking(move || Ok(vault.history().prune(limits)?)).await
    }
}

/// The limits, with `days` if given.
pub(crate) fn fewer(limits: nova_vault::Limits, days: Option<u32>) -> nova_vault::Limits {
    let days = days.map_or(limits.days, |days| limits.days.min(days.into()));
    nova_vault::Limits { days, ..limits }
}

fn unreadable_view(note: UnreadableNote) -> ConflictView {
    ConflictView {
        path: note.path.to_string(),
        from: None,
        kind: None,
        what: vec![note.reason],
        mine: String::new(),
        theirs: String::new(),
        unreadable: true,
    }
}

fn view(vault: &Vault, set: ChangeSetOverview, session: Option<String>) -> ChangeSetView {
    let ChangeSetOverview { info, notes: overviews } = set;
    let notes = info.notes.iter().zip(&overviews).map(|(record, note)| note_view(vault, record, note));
    let notes = notes.collect();
    ChangeSetView {
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
        state: state_view(info.state),
        session,
        undone_at: info.notes.iter().filter_map(|note| note.undone_at).max().map(|at| at.to_string()),
        notes,
        id: info.id,
    }
}

fn state_view(state: nova_vault::ChangeSetState) -> ChangeSetState {
    match state {
        nova_vault::ChangeSetState::Open => ChangeSetState::Open,
        nova_vault::ChangeSetState::Committed => ChangeSetState::Committed,
        nova_vault::ChangeSetState::Interrupted => ChangeSetState::Interrupted,
        nova_vault::ChangeSetState::Undone => ChangeSetState::Undone,
        nova_vault::ChangeSetState::PartlyUndone => ChangeSetState::PartlyUndone,
    }
}

fn note_view(vault: &Vault, record: &NoteRecord, note: &NoteOverview) -> ChangedNoteView {
    let now = vault.read(&record.path).ok().map(|note| note.hash);
    ChangedNoteView {
        path: record.path.to_string(),
        kind: change_kind_view(record.kind),
        from: record.from.as_ref().map(ToString::to_string),
        call: record.call.clone(),
        undone: record.undone_at.is_some(),
        edited_since: record.undone_at.is_none() && now != note.after,
        diff: diff_view(&record.path, record.from.as_ref(), &note.diff),
    }
}
