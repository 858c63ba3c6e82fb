//! Notes that were changed twice at the same place: both sides, until one of them is chosen.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use nova_calls::error_from_vault;
use nova_protocol::{ConflictView, ErrorCode, Event, KeptSide, ResolvedConflict, UserError};
use nova_vault::{Author, ChangeSetKind, Conflict, VaultPath};

use crate::app::{App, blocking};

/// The newest conflict of each note since Nova started.
#[derive(Debug, Default)]
pub(crate) struct OpenConflicts(Mutex<IndexMap<String, ConflictView>>);

impl OpenConflicts {
    fn lock(&self) -> MutexGuard<'_, IndexMap<String, ConflictView>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a conflict that an event tells of.
    pub(crate) fn hear(&self, event: &Event) {
        if let Event::ConflictFound { note, mine, theirs } = event {
            self.add(ConflictView {
                path: note.clone(),
                what: Vec::new(),
                mine: mine.clone(),
                theirs: theirs.clone(),
            });
        }
    }

    pub(crate) fn add(&self, conflict: ConflictView) {
        self.lock().insert(conflict.path.clone(), conflict);
    }
}

impl App {
    /// Keeps one side of a conflict: *theirs* is what the note holds already, *mine* is written
    /// over it as a change set of its own. What was edited once more since is merged.
    ///
    /// # Errors
    /// `conflict` when it was edited once more at the same place; `bad_request` when the conflict
    /// is not known, as after a restart.
    pub(crate) async fn resolve(&self, note: &str, keep: KeptSide) -> Result<ResolvedConflict, UserError> {
        let Some(conflict) = self.inner.conflicts.lock().get(note).cloned() else {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("There is no open conflict about \"{note}\"."),
                "Both versions may be read in the chat; change the note by hand, or ask again.",
            ));
        };
        let change_set = match keep {
            KeptSide::Theirs => None,
            KeptSide::Mine => Some(self.write_mine(conflict).await?),
        };
        self.inner.conflicts.lock().shift_remove(note);
        if let Some(id) = &change_set {
            self.emit(Event::ChangeSet { id: id.clone(), state: "committed".into() });
        }
        Ok(ResolvedConflict { change_set })
    }

    async fn write_mine(&self, conflict: ConflictView) -> Result<String, UserError> {
        let vault = self.vault()?;
        blocking(move || {
            let path = VaultPath::parse(&conflict.path).map_err(|error| error_from_vault(&error.into()))?;
            let set = vault.change_set(ChangeSetKind::Form, format!("Conflict: {}", path.name()));
            let id = set.id().to_owned();
            let conflict =
                Conflict { path, mine: conflict.mine, theirs: conflict.theirs, what: conflict.what };
            set.keep_mine(&conflict, &Author::new("user"))
                .and_then(|_| set.close())
                .map_err(|error| error_from_vault(&error))?;
            Ok(id)
        })
        .await
    }

    /// Writes both sides of every conflict since Nova started under `<data>/conflicts`, for a
    /// program without a window; answers with the folder, `None` when there was no conflict.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn keep_conflicts(&self) -> Result<Option<PathBuf>, UserError> {
        let conflicts = std::mem::take(&mut *self.inner.conflicts.lock());
        if conflicts.is_empty() {
            return Ok(None);
        }
        let folder = self.places().data.join("conflicts").join(self.inner.options.ids.next());
        let write = || {
            std::fs::create_dir_all(&folder)?;
            for (n, conflict) in conflicts.values().enumerate() {
                // Numbered, because "a/b" and "a - b" are two notes.
                let name = conflict.path.replace('/', " - ");
                let name = format!("{} {}", n + 1, name.trim_end_matches(".md"));
                std::fs::write(folder.join(format!("{name} (Nova).md")), &conflict.mine)?;
                std::fs::write(folder.join(format!("{name} (outside).md")), &conflict.theirs)?;
            }
            Ok::<_, std::io::Error>(())
        };
        write().map_err(|error| {
            UserError::new(
                ErrorCode::Io,
                format!("{}: {error}.", folder.display()),
                "Make the data folder writable.",
            )
        })?;
        Ok(Some(folder))
    }
}
