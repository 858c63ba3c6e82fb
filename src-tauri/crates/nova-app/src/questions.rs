//! Questions about the vault that the command line asks as its owner.

use nova_calls::error_from_vault;
use nova_protocol::UserError;
use nova_vault::{Links, Query, QueryAnswer, Search, SearchAnswer, View};

use crate::app::{App, blocking};
use crate::notes::find_note;

impl App {
    /// Lines that hold a text, words or a pattern, in order of their notes.
    ///
    /// # Errors
    /// `no_vault`, `invalid_arguments` for a pattern that is none, or what prevents reading.
    pub async fn search_notes(&self, search: Search) -> Result<SearchAnswer, UserError> {
        self.ask(move |view| view.search(&search).map_err(|error| error_from_vault(&error))).await
    }

    /// Notes by their properties.
    ///
    /// # Errors
    /// As [`App::search_notes`].
    pub async fn query_notes(&self, query: Query) -> Result<QueryAnswer, UserError> {
        self.ask(move |view| view.query(&query).map_err(|error| error_from_vault(&error))).await
    }

    /// What a note, by path or name, links to and what links to it.
    ///
    /// # Errors
    /// `no_vault`, `note_not_found`, `ambiguous`, or what prevents reading.
    pub async fn links_of(&self, note: &str) -> Result<Links, UserError> {
        let note = note.to_owned();
        self.ask(move |view| {
            let path = find_note(view, &note)?.path;
            view.links(&path).map_err(|error| error_from_vault(&error))
        })
        .await
    }

    async fn ask<R: Send + 'static>(
        &self,
        question: impl FnOnce(&View) -> Result<R, UserError> + Send + 'static,
    ) -> Result<R, UserError> {
        let view = self.vault()?.seen_by_owner();
        blocking(move || question(&view)).await
    }
}
