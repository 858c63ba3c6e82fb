//! Conflicting changes of notes: both versions, until one of them is chosen.

use std::path::{Path, PathBuf};

use nova_protocol::{
    ConflictSide, ConflictView, ErrorCode, Event, NoteChangeKind, ResolveConflict, ResolvedConflict,
    UserError,
};
use nova_vault::note::file_name_about;
use nova_vault::{Author, ChangeSetKind, Conflict, VaultError, VaultPath};

use crate::app::App;
use crate::blocking::blocking;
use crate::open_conflicts::conflict_view;

impl App {
    /// Resolves a conflict: *theirs* is already in the note, *mine* is written over it as a separate change
    /// set. Later edits are merged, or returned as a new conflict.
    ///
    /// # Errors
    /// `bad_request` if the conflict is unknown, as after a restart; or when writing fails.
    pub(crate) async fn resolve_conflict(
        &self,
        resolve: ResolveConflict,
    ) -> Result<ResolvedConflict, UserError> {
        let note = &resolve.note;
        let met_by = resolve.change_set.as_ref().or(resolve.session.as_ref()).cloned().unwrap_or_default();
        let place = (met_by, note.clone());
        let Some(conflict) = self.inner.conflicts.lock().get(&place).cloned() else {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("There is no open conflict about \"{note}\"."),
                "The chat shows both versions; edit the note by hand, or ask again.",
            ));
        };
        let resolved = match resolve.keep {
            ConflictSide::Theirs => ResolvedConflict { change_set: None, conflict: None },
            ConflictSide::Mine => self.write_mine(conflict).await?,
        };
        let event = match &resolved.conflict {
            Some(again) => {
                self.inner.conflicts.add(&place.0, again.clone());
                Event::ConflictFound {
                    note: note.clone(),
                    from: again.from.clone(),
                    kind: again.kind,
                    what: again.what.clone(),
                    mine: again.mine.clone(),
                    theirs: again.theirs.clone(),
                }
            }
            None => {
                self.inner.conflicts.lock().shift_remove(&place);
                Event::ConflictResolved { note: note.clone(), keep: resolve.keep }
            }
        };
        // Conflicts of an undo are shown with their change set, not in a chat.
        let chat = resolve.session.as_ref().filter(|_| resolve.change_set.is_none());
        if let Some(chat) = chat.and_then(|id| self.chats().get(id).cloned()) {
            let clock = self.inner.options.clock.clone();
            chat.session.emit_outside_turn(event, &self.inner.store, clock, self.inner.clone());
        }
        if let Some(id) = &resolved.change_set {
            self.emit(Event::ChangeSet { id: id.clone(), state: "committed".into() });
        }
        Ok(resolved)
    }

    async fn write_mine(&self, conflict: ConflictView) -> Result<ResolvedConflict, UserError> {
        // Notes have vault paths, files absolute ones.
        if Path::new(&conflict.path).is_absolute() {
            let app = self.clone();
            return blocking(move || app.keep_mine_of_file(conflict)).await;
        }
        let vault = self.vault()?;
        blocking(move || {
            let parsed = |path: &str| VaultPath::parse(path).map_err(VaultError::from);
            let path = parsed(&conflict.path)?;
            let set = vault.change_set(ChangeSetKind::Form, format!("Conflict: {}", path.name()));
            let id = set.id().to_owned();
            let conflict = Conflict {
                path,
                from: conflict.from.as_deref().map(parsed).transpose()?,
                kind: match conflict.kind {
                    Some(NoteChangeKind::Created) => nova_vault::NoteChangeKind::Created,
                    Some(NoteChangeKind::Deleted) => nova_vault::NoteChangeKind::Deleted,
                    Some(NoteChangeKind::Renamed) => nova_vault::NoteChangeKind::Renamed,
                    Some(NoteChangeKind::Modified) | None => nova_vault::NoteChangeKind::Modified,
                },
                mine: conflict.mine,
                theirs: conflict.theirs,
                what: conflict.what,
            };
            match set.keep_mine(&conflict, &Author::new("user")).and_then(|_| set.close()) {
                Ok(()) => Ok(ResolvedConflict { change_set: Some(id), conflict: None }),
                Err(VaultError::Conflict(conflict)) => {
                    let conflict = conflict_view(*conflict);
                    Ok(ResolvedConflict { change_set: None, conflict: Some(conflict) })
                }
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    /// Writes both versions of every conflict since the start to `<data>/conflicts`, for use without a
    /// window; returns the folder, `None` if there was no conflict.
    ///
    /// # Errors
    /// When one of them cannot be written; the others are still written.
    pub fn keep_conflicts(&self) -> Result<Option<PathBuf>, UserError> {
        let conflicts = std::mem::take(&mut *self.inner.conflicts.lock());
        if conflicts.is_empty() {
            return Ok(None);
        }
        let folder = self.places().data.join("conflicts").join(self.inner.options.ids.next());
        let failed = |error: std::io::Error| {
            UserError::new(
                ErrorCode::Io,
                format!("{}: {error}.", folder.display()),
                "Make the data folder writable and free some space on its disk.",
            )
        };
        private_folder(&folder).map_err(failed)?;
        let mut result = Ok(Some(folder.clone()));
        for (n, conflict) in conflicts.values().enumerate() {
            // Numbered, because notes in different folders may have the same name.
            let name = conflict.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
            for (side, text) in [("Nova", &conflict.mine), ("outside", &conflict.theirs)] {
                let file = file_name_about(&format!("{} ", n + 1), name, &format!(" ({side}).md"));
                if let Err(error) = std::fs::write(folder.join(file), text) {
                    result = Err(failed(error));
                }
            }
        }
        result
    }
}

/// Creates a folder that only the user can access.
fn private_folder(folder: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}
