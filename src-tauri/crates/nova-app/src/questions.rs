//! Questions about the vault that its owner asks on the command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nova_protocol::{ConfigProblemView, UserError};
use nova_session::Ids;
use nova_skill::{Clock, types_meant};
use nova_vault::{Links, Query, QueryAnswer, Search, SearchAnswer, Vault, View};
use serde_json::Value;

use crate::blocking::blocking;
use crate::config::Config;
use crate::errors::no_vault;
use crate::notes::find_note;
use crate::places::Places;
use crate::presence::of_configured;
use crate::vaults::{finish_writing, open_vault};

/// The vault alone, for a program that asks one question and ends: sessions, skills and their files
/// take longer to read than most vaults to search.
pub struct Questions {
    vault: Result<Vault, UserError>,
    /// The configurations of the skills that the user has not switched off.
    skills: Vec<Value>,
    problem: Option<ConfigProblemView>,
}

impl Questions {
    /// Opens the vault of the places or of the configuration. What prevents that is the answer to every
    /// question.
    pub async fn open(places: &Places, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        let (config, problem) = match Config::read(&places.config_file()) {
            Ok(config) => (config, None),
            Err(error) => (Config::default(), Some(error.problem(&places.config_file()))),
        };
        let root = places.vault.as_deref().or(config.vault.as_deref()).map(Path::to_owned);
        let vault = match root {
            Some(root) => open_vault(Vault::open, places, &root, &config, clock, ids)
                .await
                .map_err(|error| if places.vault.is_some() { error } else { of_configured(&root, error) }),
            None => Err(no_vault()),
        };
        let skills = config.skills.0.into_values().filter(|own| own.enabled != Some(false));
        Self { vault, skills: skills.map(|own| own.config).collect(), problem }
    }

    /// What is wrong with the configuration on the disk.
    pub fn settings_problem(&self) -> Option<&ConfigProblemView> {
        self.problem.as_ref()
    }

    /// Lines that hold a text, words or a pattern, in order of their notes.
    ///
    /// # Errors
    /// `no_vault`, `invalid_arguments` for a pattern that is none, or what prevents reading.
    pub async fn search_notes(&self, search: Search) -> Result<SearchAnswer, UserError> {
        self.ask(move |view| Ok(view.search(&search)?)).await
    }

    /// Notes by their properties; a type that a skill declares stands for those that the configuration
    /// gives it, too.
    ///
    /// # Errors
    /// As [`Questions::search_notes`].
    pub async fn query_notes(&self, mut query: Query) -> Result<QueryAnswer, UserError> {
        let meant = query.record_types.iter().flat_map(|asked| types_meant(asked, self.skills.iter()));
        query.record_types = meant.collect();
        self.ask(move |view| Ok(view.query(&query)?)).await
    }

    /// What a note, by path or name, links to and what links to it.
    ///
    /// # Errors
    /// `no_vault`, `note_not_found`, `ambiguous`, or what prevents reading.
    pub async fn links_of(&self, note: &str) -> Result<Links, UserError> {
        let note = note.to_owned();
        self.ask(move |view| {
            let path = find_note(view, &note)?.path;
            Ok(view.links(&path)?)
        })
        .await
    }

    /// The files with edits made outside that opening the vault could not merge.
    pub async fn unmerged(&self) -> Vec<PathBuf> {
        match &self.vault {
            Ok(vault) => finish_writing(vault.clone()).await,
            Err(_) => Vec::new(),
        }
    }

    async fn ask<R: Send + 'static>(
        &self,
        question: impl FnOnce(&View) -> Result<R, UserError> + Send + 'static,
    ) -> Result<R, UserError> {
        let view = self.vault.clone()?.seen_by_owner();
        blocking(move || question(&view)).await
    }
}
