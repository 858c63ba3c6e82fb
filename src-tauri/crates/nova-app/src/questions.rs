//! Queries of the vault for the command line, which need nothing else of the app.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nova_protocol::{ConfigProblemView, UserError};
use nova_registry::{Settings, records_in};
use nova_session::Ids;
use nova_skill::{Clock, Recogniser, RecordTypes};
use nova_vault::{Links, Query, QueryAnswer, Search, SearchAnswer, Vault, View};

use crate::blocking::blocking;
use crate::config::Config;
use crate::errors::no_vault;
use crate::notes::find_note;
use crate::places::Places;
use crate::presence::of_configured;
use crate::vaults::{finish_writing, open_vault};

/// Only the vault, for a single query: loading sessions, skills and their files takes longer than searching
/// most vaults.
pub struct Questions {
    vault: Result<Vault, UserError>,
    /// The folder of the user's own skills.
    skill_folder: PathBuf,
    skills: Settings,
    problem: Option<ConfigProblemView>,
}

impl Questions {
    /// Opens the vault given by the places or the configuration. If that fails, every query returns the
    /// error.
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
        let skill_folder = places.config.join("skills");
        Self { vault, skill_folder, skills: config.skills, problem }
    }

    /// The problem of the configuration on disk.
    pub fn settings_problem(&self) -> Option<&ConfigProblemView> {
        self.problem.as_ref()
    }

    /// Lines that match a text, words or a pattern, ordered by note.
    ///
    /// # Errors
    /// `no_vault`, `invalid_arguments` for an invalid pattern, and read errors.
    pub async fn search_notes(&self, search: Search) -> Result<SearchAnswer, UserError> {
        self.ask(move |view| Ok(view.search(&search)?)).await
    }

    /// Notes by properties; a record type of a skill stands for all of its records.
    ///
    /// # Errors
    /// See [`Questions::search_notes`].
    pub async fn query_notes(&self, mut query: Query) -> Result<QueryAnswer, UserError> {
        if !query.record_types.is_empty() {
            let records = self.records();
            let named = query
                .record_types
                .iter()
                .flat_map(|name| records.iter().filter_map(move |types| types.recogniser_named(name)));
            query.records = Recogniser::any_of(named);
        }
        self.ask(move |view| Ok(view.query(&query)?)).await
    }

    /// Outgoing links and backlinks of a note, by path or name.
    ///
    /// # Errors
    /// `no_vault`, `note_not_found`, `ambiguous`, and read errors.
    pub async fn links_of(&self, note: &str) -> Result<Links, UserError> {
        let note = note.to_owned();
        self.ask(move |view| {
            let path = find_note(view, &note)?.path;
            Ok(view.links(&path)?)
        })
        .await
    }

    /// The files with outside edits that could not be merged when the vault was opened.
    pub async fn unmerged(&self) -> Vec<PathBuf> {
        match &self.vault {
            Ok(vault) => finish_writing(vault.clone()).await,
            Err(_) => Vec::new(),
        }
    }

    /// The record types of the enabled skills, with the configured names. Invalid configurations are skipped:
    /// `nova skill list` reports them.
    fn records(&self) -> Vec<RecordTypes> {
        let built_in = [nova_skill_budget::skill(), nova_skill_crm::skill(), nova_skill_portfolio::skill()];
        let built_in = ["budget", "crm", "portfolio"].into_iter().zip(built_in);
        let mut manifests: Vec<(String, String)> =
            built_in.map(|(id, skill)| (id.to_owned(), skill.manifest().to_owned())).collect();
        for folder in std::fs::read_dir(&self.skill_folder).into_iter().flatten().flatten() {
            if let Ok(manifest) = std::fs::read_to_string(folder.path().join("manifest.yaml")) {
                manifests.push((folder.file_name().to_string_lossy().into_owned(), manifest));
            }
        }
        let in_force = manifests.into_iter().filter_map(|(id, manifest)| {
            let own = self.skills.of(&id);
            let is_off = own.is_some_and(|own| own.enabled == Some(false));
            let declared = (!is_off).then(|| records_in(&manifest))?;
            let config = own.map(|own| own.config.clone()).unwrap_or_default();
            Some(declared.with_config(&config).unwrap_or(declared))
        });
        in_force.collect()
    }

    async fn ask<R: Send + 'static>(
        &self,
        question: impl FnOnce(&View) -> Result<R, UserError> + Send + 'static,
    ) -> Result<R, UserError> {
        let view = self.vault.clone()?.seen_by_owner();
        blocking(move || question(&view)).await
    }
}
