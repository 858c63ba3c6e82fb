use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use nova_protocol::{ErrorCode, Event, ProblemView, UserError, VaultSummary};
use nova_registry::Snapshot;
use nova_session::Ids;
use nova_skill::Clock;
use nova_vault::watch::WatchState;
use nova_vault::{Problem, Vault, VaultError, VaultOptions};
use serde_json::Value;

use crate::app::{App, VaultState};
use crate::blocking::blocking;
use crate::config::Config;
use crate::places::Places;
use crate::presence::of_configured;
use crate::recent_vaults::remember_vault;
use crate::record_problems::{Found, config_problems, record_problems};

impl App {
    /// Opens the vault of the options or the configuration, if any; an error is kept for display.
    pub(crate) async fn open_configured_vault(&self) {
        let Some(root) = self.configured_vault() else { return };
        self.inner.conflicts.forget();
        let state = match self.load_vault(&root).await {
            Ok(vault) => VaultState { vault: Some(vault), problem: None },
            Err(error) if self.places().vault.is_some() => VaultState { vault: None, problem: Some(error) },
            Err(error) => VaultState { vault: None, problem: Some(of_configured(&root, error)) },
        };
        *self.inner.vault.write().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// The folder named by the options or the configuration.
    pub(crate) fn configured_vault(&self) -> Option<PathBuf> {
        self.places().vault.clone().or_else(|| self.config().vault)
    }

    /// Reopens the vault at its folder, which was unavailable, in place of the open one.
    ///
    /// # Errors
    /// When it cannot be opened; the open vault stays.
    pub(crate) async fn open_again(&self, root: &Path) -> Result<(), UserError> {
        let vault = self.load_vault(root).await?;
        let name = Some(vault.name());
        *self.inner.vault.write().unwrap_or_else(PoisonError::into_inner) =
            VaultState { vault: Some(vault), problem: None };
        self.restart_feed();
        self.follow_foreign_skills();
        self.emit(Event::VaultOpened { name });
        Ok(())
    }

    /// Opens the configured vault if it is a different one, or its extra roots or way of writing have
    /// changed.
    pub(crate) async fn follow_configured_vault(&self) {
        if self.places().vault.is_some() {
            return;
        }
        let wanted = self.config().vault.and_then(|root| root.canonicalize().ok().or(Some(root)));
        let open = self.vault().ok();
        let is_open = open.is_some_and(|vault| {
            let config = self.config();
            wanted.as_deref() == Some(vault.root())
                && vault.writes_through() == config.write_through
                && vault.has_roots(&config.roots)
        });
        if wanted.is_none() || is_open {
            return;
        }
        self.open_configured_vault().await;
        self.restart_feed();
        self.follow_foreign_skills();
        self.emit(Event::VaultOpened { name: self.vault().ok().map(|vault| vault.name()) });
    }

    async fn load_vault(&self, root: &Path) -> Result<Vault, UserError> {
        self.load_with(Vault::open, root).await
    }

    async fn load_with(&self, open: OpenWith, root: &Path) -> Result<Vault, UserError> {
        let (clock, ids) = (self.inner.options.clock.clone(), self.inner.options.ids.clone());
        let vault = open_vault(open, self.places(), root, &self.config(), clock, ids).await?;
        let opened = vault.clone();
        blocking(move || {
            opened.remember_folder();
            Ok(())
        })
        .await?;
        Ok(vault)
    }

    /// Opens a vault and stores it in the configuration.
    pub(crate) async fn switch_vault(&self, root: &Path) -> Result<(), UserError> {
        let vault = self.load_with(Vault::open_chosen, root).await?;
        let path = vault.root().display().to_string();
        let now = self.inner.options.clock.now().to_string();
        self.change_config(|config| {
            remember_vault(config, &path, &now);
            config.insert("vault".into(), Value::String(path.clone()));
        })?;
        self.inner.conflicts.forget();
        *self.inner.vault.write().unwrap_or_else(PoisonError::into_inner) =
            VaultState { vault: Some(vault), problem: None };
        self.restart_feed();
        self.follow_foreign_skills();
        Ok(())
    }

    /// Waits for the last check of displaced files, because vaults are not dropped at program exit. Returns
    /// the files with outside edits that could not be merged since the last call.
    pub async fn finish_writing(&self) -> Vec<PathBuf> {
        let Ok(vault) = self.vault() else { return Vec::new() };
        finish_writing(vault).await
    }

    pub(crate) async fn vault_summary(&self) -> Result<VaultSummary, UserError> {
        let vault = self.vault()?;
        let set = self.set_of_records();
        blocking(move || {
            let status = vault.status()?;
            let problems = all_problems(&vault, &set)?;
            Ok(VaultSummary {
                name: status.name,
                path: status.root.display().to_string(),
                notes: u32::try_from(status.notes).unwrap_or(u32::MAX),
                watching: watching(&vault),
                problems: problems.into_iter().map(problem_view).collect(),
            })
        })
        .await
    }

    /// How edits of the open vault are detected: "watching", or why there is a delay; `None` without a vault.
    pub fn watching(&self) -> Option<String> {
        Some(watching(&self.vault().ok()?))
    }

    /// The status of the vault, in the form of `nova vault status --json`.
    ///
    /// # Errors
    /// `no_vault`, and read errors.
    pub async fn vault_status(&self) -> Result<Value, UserError> {
        let vault = self.vault()?;
        let set = self.set_of_records();
        blocking(move || {
            let mut status = vault.status()?;
            status.problems = all_problems(&vault, &set)?.len();
            serde_json::to_value(status)
                .map_err(|error| UserError::new(ErrorCode::Internal, error.to_string(), ""))
        })
        .await
    }

    /// Everything in the vault that the user should fix, ordered by path and line: unreadable files, records
    /// that violate their declaration, and entries of the private list that match nothing.
    ///
    /// # Errors
    /// `no_vault`, and read errors.
    pub async fn vault_problems(&self) -> Result<Vec<ProblemView>, UserError> {
        let vault = self.vault()?;
        let set = self.set_of_records();
        blocking(move || Ok(all_problems(&vault, &set)?.into_iter().map(problem_view).collect())).await
    }

    fn set_of_records(&self) -> SetOfRecords {
        let skills = self.registry().snapshot();
        let set = self.config().skills;
        let own = |id: &str| set.of(id).map(|own| own.config.clone()).unwrap_or_default();
        SetOfRecords {
            file: self.places().config_file(),
            configs: skills.skills().iter().map(|skill| (skill.id.clone(), own(&skill.id))).collect(),
            skills,
            private: self.private(),
        }
    }

    /// The user's private list, in the open vault's spelling.
    pub(crate) fn private(&self) -> Vec<String> {
        let listed = self.config().private;
        let home = self.places().home.as_deref();
        self.vault().map_or_else(|_| listed.clone(), |vault| vault.listed_private(&listed, home))
    }
}

/// An entry of the private list that hides nothing, probably misspelled. An entry without a name hides
/// everything, which is hardly intended.
fn missing_private_entry(entry: &str) -> Problem {
    if entry.trim().is_empty() {
        return Problem {
            path: "nova.config.json".to_owned(),
            line: 1,
            problem: "the list \"private\" has an empty entry, which hides every note".to_owned(),
            remedy: "Remove the entry, or write \"/\" to hide the whole vault.".to_owned(),
        };
    }
    Problem {
        path: entry.to_owned(),
        line: 1,
        problem: "the settings list it as private, but there is no such note or folder".to_owned(),
        remedy: "Correct the entry under \"private\" in nova.config.json, or remove it.".to_owned(),
    }
}

pub(crate) async fn finish_writing(vault: Vault) -> Vec<PathBuf> {
    let looked = blocking(move || Ok(vault.finish_writing())).await;
    looked.inspect_err(|error| tracing::warn!(%error, "cannot finish pending writes")).unwrap_or_default()
}

/// The settings to check for problems.
struct SetOfRecords {
    skills: Arc<Snapshot>,
    private: Vec<String>,
    /// `nova.config.json`
    file: PathBuf,
    /// The user's configuration by skill.
    configs: BTreeMap<String, Value>,
}

/// The problems of the vault, of its records and their settings, and of the private list. An unreadable note
/// is not a record, so nothing is reported twice.
fn all_problems(vault: &Vault, set: &SetOfRecords) -> Result<Vec<Found>, UserError> {
    let view = vault.seen_by_owner();
    let mut problems: Vec<Found> = vault.problems()?.into_iter().map(Found::from).collect();
    let config = std::fs::read_to_string(&set.file).unwrap_or_default();
    problems.extend(record_problems(&view, &set.skills, &config)?);
    problems.extend(config_problems(&set.skills, &set.configs, &config).into_iter().map(Found::from));
    let for_nothing = vault.unmatched_private_entries(&set.private)?;
    problems.extend(for_nothing.iter().map(|entry| Found::from(missing_private_entry(entry))));
    problems.sort();
    Ok(problems)
}

/// "watching", or why edits are detected with a delay.
fn watching(vault: &Vault) -> String {
    match vault.watching() {
        Some(WatchState::Watching { .. }) => "watching".into(),
        Some(WatchState::Both { reason, .. }) => {
            format!("watching, and polled every few seconds ({reason})")
        }
        Some(WatchState::Polling { reason }) => format!("polled every few seconds ({reason})"),
        Some(WatchState::Failed { reason }) => format!("not watched ({reason})"),
        None => "not watched".into(),
    }
}

fn problem_view(Found { problem, mark }: Found) -> ProblemView {
    ProblemView {
        path: problem.path,
        line: problem.line,
        problem: problem.problem,
        remedy: problem.remedy,
        mark: mark.map(Into::into),
    }
}

/// [`Vault::open`], or [`Vault::open_chosen`].
type OpenWith = fn(VaultOptions) -> Result<Vault, VaultError>;

/// Opens the vault in this folder, with Nova's data for it at these places.
pub(crate) async fn open_vault(
    open: OpenWith,
    places: &Places,
    root: &Path,
    config: &Config,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
) -> Result<Vault, UserError> {
    let zone = clock.zone();
    let (places, root) = (places.clone(), root.to_owned());
    let (roots, write_through, limits) = (config.roots.clone(), config.write_through, config.history);
    blocking(move || {
        Ok(open(VaultOptions {
            root,
            history: places.data.join("history"),
            forbidden: vec![places.config, places.data],
            roots,
            program: std::env::current_exe().ok().and_then(|own| own.parent().map(Path::to_owned)),
            clock: Arc::new(move || clock.now()),
            zone,
            new_id: Arc::new(move || ids.next()),
            trash: places.trash,
            top_folder: nova_vault::top_folder,
            write_through,
            limits,
        })?)
    })
    .await
}
