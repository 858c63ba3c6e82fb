//! Commands for the vault, its notes and their history.

use nova_protocol::{
    ChangeSetView, ErrorCode, FinishChanges, FinishResult, ListChanges, NoteRef, Nothing, ProblemView,
    PruneChanges, PruneResult, UndoChanges, UndoResult, UserError,
};

use crate::app::App;

impl App {
    pub(crate) async fn show_vault_folder(&self, _: Nothing) -> Result<Nothing, UserError> {
        self.show_in_file_manager(self.vault()?.root().to_owned()).await?;
        Ok(Nothing {})
    }

    pub(crate) async fn open_note(&self, note: NoteRef) -> Result<Nothing, UserError> {
        let address = self.obsidian_address(&note.path).await?;
        self.inner.options.desktop.open_url(&address).map_err(|reason| {
            tracing::warn!(%address, %reason, "cannot open Obsidian");
            UserError::new(
                ErrorCode::Io,
                "Obsidian is not installed, or did not open.",
                "Install it from obsidian.md, or read the note in Nova.",
            )
        })?;
        Ok(Nothing {})
    }

    pub(crate) async fn list_changes(&self, list: ListChanges) -> Result<Vec<ChangeSetView>, UserError> {
        self.change_sets(list.session.as_deref(), list.state, list.limit.map(|limit| limit as usize)).await
    }

    pub(crate) async fn undo_changes(&self, undo: UndoChanges) -> Result<UndoResult, UserError> {
        self.undo(&undo.change_set, undo.note.as_deref(), undo.call.as_deref()).await
    }

    pub(crate) async fn finish_changes(&self, finish: FinishChanges) -> Result<FinishResult, UserError> {
        self.finish(&finish.change_set).await
    }

    pub(crate) async fn prune_changes(&self, prune: PruneChanges) -> Result<PruneResult, UserError> {
        let forgotten = self.prune_history(prune.days).await?;
        Ok(PruneResult { forgotten: u32::try_from(forgotten.len()).unwrap_or(u32::MAX) })
    }

    pub(crate) async fn list_problems(&self, _: Nothing) -> Result<Vec<ProblemView>, UserError> {
        self.vault_problems().await
    }
}
