//! Settings → Vault: the contents of the page, and the lists of the configuration that it edits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nova_protocol::{
    ErrorCode, ExtraRoot, HistoryUse, KeepHistory, NotePrivacy, NoteRef, Nothing, OlderChanges, OpenedVault,
    OwnPrivate, PrivateEntry, RecentVault, SetPrivate, SetRoot, TypeCount, UserError, VaultPage, VaultRef,
};
use nova_vault::note::FrontMatter;
use nova_vault::{Privacy, Query, QueryRow, Vault, VaultPath};
use serde_json::{Map, Value, json};

use crate::app::{App, VaultState};
use crate::blocking::blocking;
use crate::changes::fewer;
use crate::config::{Config, HISTORY_BYTES, HISTORY_DAYS, RecentVaultConfig};
use crate::first_run::count_notes;
use crate::notes::find_note;
use crate::places::Places;
use crate::recent_vaults::{MOST_RECENT, date_missing};
use crate::vaults::open_vault;

/// Maximum number of notes listed that hide themselves.
const MOST_NAMED: usize = 50;
/// Choices for pruning the history, in days.
const PRUNE_TO: [u32; 4] = [14, 7, 1, 0];

impl App {
    pub(crate) async fn vault_page(&self, _: Nothing) -> Result<VaultPage, UserError> {
        self.date_missing_vaults().await?;
        let (vault, config, places) = (self.vault().ok(), self.config(), self.places().clone());
        blocking(move || page(vault.as_ref(), &config, &places)).await
    }

    /// Records when a recent vault was first missing, which cannot be determined later.
    async fn date_missing_vaults(&self) -> Result<(), UserError> {
        let (app, recent) = (self.clone(), self.config().recent_vaults);
        blocking(move || {
            if recent.iter().any(|recent| recent.path.is_dir() == recent.missing_since.is_some()) {
                let now = app.inner.options.clock.now().to_string();
                // If the configuration cannot be written, the page shows no date.
                let _ = app.change_config(|config| date_missing(config, &now));
            }
            Ok(())
        })
        .await
    }

    pub(crate) async fn forget_vault(&self, vault: VaultRef) -> Result<VaultPage, UserError> {
        self.change_config(|config| {
            if let Some(recent) = config.get_mut("recent_vaults").and_then(Value::as_array_mut) {
                recent.retain(|entry| entry["path"] != vault.path);
            }
        })?;
        self.vault_page(Nothing {}).await
    }

    /// Adds an entry to the private list in the vault's spelling, or removes one given verbatim.
    pub(crate) async fn set_private(&self, set: SetPrivate) -> Result<VaultPage, UserError> {
        if !set.private {
            self.change_config(|config| change_list(config, "private", &set.entry, false))?;
            return self.vault_page(Nothing {}).await;
        }
        let (vault, home) = (self.vault()?, self.places().home.clone());
        let entry = blocking(move || private_entry(&vault, set.entry.trim(), home.as_deref())).await?;
        self.change_config(|config| change_list(config, "private", &entry, true))?;
        self.vault_page(Nothing {}).await
    }

    /// Sets the retention of the history.
    pub(crate) async fn keep_history(&self, keep: KeepHistory) -> Result<VaultPage, UserError> {
        if !HISTORY_DAYS.contains(&keep.days) || !HISTORY_BYTES.contains(&keep.bytes) {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                "These limits of the history are out of range.",
                "Give 1 to 3,650 days and 10 MB to 1,000 GB.",
            ));
        }
        self.change_config(|config| {
            config.insert("history".into(), json!({ "days": keep.days, "bytes": keep.bytes }));
        })?;
        if let Ok(vault) = self.vault() {
            vault.history().keep(self.config().history);
        }
        self.vault_page(Nothing {}).await
    }

    pub(crate) async fn check_private(&self, note: NoteRef) -> Result<NotePrivacy, UserError> {
        let (vault, config) = (self.vault()?, self.config());
        let home = self.places().home.clone();
        blocking(move || {
            let note = find_note(&vault.seen_by_owner(), &note.path)?;
            let entry = config.private.iter().find(|entry| {
                let listed = vault.listed_private(std::slice::from_ref(entry), home.as_deref());
                Privacy { remote: true, private: listed }.lists(&note.path)
            });
            Ok(NotePrivacy {
                path: note.path.to_string(),
                private: entry.is_some() || by_itself().hides(&note.path, &note.document),
                unreadable: matches!(note.document.front_matter(), FrontMatter::Broken { .. }),
                entry: entry.cloned(),
                line: note
                    .document
                    .properties()
                    .iter()
                    .find(|(key, _)| key.eq_ignore_ascii_case("nova"))
                    .map(|(_, property)| property.line),
            })
        })
        .await
    }

    /// Opens the vault with the changed list before writing it: a root that the vault refuses changes
    /// nothing.
    pub(crate) async fn set_root(&self, set: SetRoot) -> Result<VaultPage, UserError> {
        let path = PathBuf::from(&set.path);
        let root = self.vault()?.root().to_owned();
        if set.listed && !can_be_root(&path, &root, self.places()) {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("{} cannot be an extra root.", self.places().shown(&path)),
                "Choose a folder that neither contains the vault or Nova's own folders nor is inside them.",
            ));
        }
        let mut config = self.config();
        config.roots.retain(|root| *root != path);
        if set.listed {
            config.roots.push(path);
        }
        let (clock, ids) = (self.inner.options.clock.clone(), self.inner.options.ids.clone());
        let vault = open_vault(Vault::open, self.places(), &root, &config, clock, ids).await?;
        self.change_config(|config| change_list(config, "roots", &set.path, set.listed))?;
        *self.inner.vault.write().unwrap_or_else(std::sync::PoisonError::into_inner) =
            VaultState { vault: Some(vault), problem: None };
        self.restart_feed();
        self.vault_page(Nothing {}).await
    }
}

/// Whether the vault would follow a link to this folder.
fn can_be_root(path: &Path, vault: &Path, places: &Places) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    let own = [vault, &places.config, &places.data].map(|own| own.canonicalize().unwrap_or(own.to_owned()));
    real.is_dir() && own.iter().all(|own| !own.starts_with(&real) && !real.starts_with(own))
}

/// Adds an entry unless present, or removes it.
fn change_list(config: &mut Map<String, Value>, key: &str, entry: &str, listed: bool) {
    let list = config.entry(key).or_insert_with(|| json!([]));
    if list.is_null() {
        *list = json!([]);
    }
    let Some(list) = list.as_array_mut() else { return };
    if !listed {
        list.retain(|other| other != entry);
    } else if list.iter().all(|other| other != entry) {
        list.push(json!(entry));
    }
}

/// Hides only notes that hide themselves, without the list.
fn by_itself() -> Privacy {
    Privacy { remote: true, private: Vec::new() }
}

/// The entry in the vault's spelling.
fn private_entry(vault: &Vault, entry: &str, home: Option<&Path>) -> Result<String, UserError> {
    let named = vault.listed_private(&[entry.to_owned()], home);
    let named = match named.as_slice() {
        // A place with several names keeps the user's spelling, which hides all of them.
        [one] => one.clone(),
        _ => entry.to_owned(),
    };
    let is_outside = Path::new(&named).is_absolute() && named != "/";
    let missing = vault.unmatched_private_entries(std::slice::from_ref(&named));
    let missing = !missing?.is_empty();
    if is_outside || missing {
        return Err(UserError::new(
            ErrorCode::NoteNotFound,
            format!("The vault has no note or folder \"{entry}\"."),
            "Choose one inside the vault.",
        ));
    }
    Ok(named)
}

fn page(vault: Option<&Vault>, config: &Config, places: &Places) -> Result<VaultPage, UserError> {
    let mut page = VaultPage {
        open: vault.map(|vault| opened(vault, places)).transpose()?,
        recent: recent(vault, config, places),
        private: Vec::new(),
        own_private: Vec::new(),
        private_notes: 0,
        roots: roots(vault, config, places),
    };
    let rows = match vault {
        Some(vault) => {
            let rows = vault.seen_by_owner().query(&Query::default());
            rows?.rows
        }
        None => Vec::new(),
    };
    let mut covered = vec![false; rows.len()];
    for entry in &config.private {
        page.private.push(private_row(vault, entry, &rows, &mut covered, places.home.as_deref()));
    }
    for (row, covered) in rows.iter().zip(&mut covered) {
        if !*covered && by_itself().hides(&row.path, &row.document) {
            *covered = true;
            if page.own_private.len() < MOST_NAMED {
                let unreadable = matches!(row.document.front_matter(), FrontMatter::Broken { .. });
                page.own_private.push(OwnPrivate { path: row.path.to_string(), unreadable });
            }
        }
    }
    page.private_notes = count(covered.iter().filter(|covered| **covered).count());
    Ok(page)
}

fn private_row(
    vault: Option<&Vault>,
    entry: &String,
    rows: &[QueryRow],
    covered: &mut [bool],
    home: Option<&Path>,
) -> PrivateEntry {
    let listed = vault.map_or_else(Vec::new, |vault| vault.listed_private(std::slice::from_ref(entry), home));
    let privacy = Privacy { remote: true, private: listed };
    let mut found: Vec<&VaultPath> = Vec::new();
    for (row, covered) in rows.iter().zip(covered) {
        if privacy.lists(&row.path) {
            *covered = true;
            found.push(&row.path);
        }
    }
    let is_file = |path: &VaultPath| {
        let named = |entry: &String| entry.eq_ignore_ascii_case(path.as_str().trim_end_matches(".md"));
        privacy.private.iter().any(|entry| entry.eq_ignore_ascii_case(path.as_str()) || named(entry))
    };
    PrivateEntry {
        entry: entry.clone(),
        is_note: matches!(found.as_slice(), [path] if is_file(path)),
        notes: count(found.len()),
    }
}

fn opened(vault: &Vault, places: &Places) -> Result<OpenedVault, UserError> {
    let status = vault.status()?;
    let records: BTreeMap<String, usize> = status.records.into_iter().collect();
    let mut records: Vec<_> = records
        .into_iter()
        .map(|(record_type, notes)| TypeCount { record_type, notes: count(notes) })
        .collect();
    records.sort_by_key(|of_type| std::cmp::Reverse(of_type.notes));
    Ok(OpenedVault {
        path: vault.root().display().to_string(),
        shown: places.shown(vault.root()),
        records,
        one_step: status.atomic_exchange,
        history: history(vault)?,
    })
}

fn history(vault: &Vault) -> Result<HistoryUse, UserError> {
    let usual = vault.history().limits();
    let limits: Vec<_> = PRUNE_TO.iter().map(|days| fewer(usual, Some(*days))).collect();
    let (all, older) = vault.history().sizes(&limits)?;
    let older = PRUNE_TO.iter().zip(older);
    Ok(HistoryUse {
        changes: count(all.changes),
        bytes: all.bytes,
        oldest: all.oldest.map(|at| at.to_string()),
        days: u32::try_from(usual.days).unwrap_or(u32::MAX),
        most_bytes: usual.bytes,
        at_least: count(usual.at_least),
        older: older
            .map(|(days, size)| OlderChanges { days: *days, changes: count(size.changes), bytes: size.bytes })
            .collect(),
    })
}

fn recent(vault: Option<&Vault>, config: &Config, places: &Places) -> Vec<RecentVault> {
    let open = vault.map(|vault| vault.root().to_owned()).or_else(|| config.vault.clone());
    let others = config.recent_vaults.iter().filter(|recent| Some(&recent.path) != open.as_ref());
    let row = |RecentVaultConfig { path, opened, missing_since }: &RecentVaultConfig| RecentVault {
        shown: places.shown(path),
        name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        notes: path.is_dir().then(|| count_notes(path)),
        opened: opened.clone(),
        missing_since: missing_since.clone(),
        path: path.display().to_string(),
    };
    others.take(MOST_RECENT).map(row).collect()
}

fn roots(vault: Option<&Vault>, config: &Config, places: &Places) -> Vec<ExtraRoot> {
    let links = vault.map(|vault| links_at_top(vault.root())).unwrap_or_default();
    let row = |path: &PathBuf| {
        let real = path.canonicalize().ok();
        let leads_here = |(_, target): &&(String, PathBuf)| Some(target) == real.as_ref();
        ExtraRoot {
            shown: places.shown(path),
            links: links.iter().filter(leads_here).map(|(name, _)| name.clone()).collect(),
            found: path.is_dir(),
            path: path.display().to_string(),
        }
    };
    config.roots.iter().map(row).collect()
}

/// The top-level links of the vault, with their target folders.
fn links_at_top(vault: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(vault) else { return Vec::new() };
    let links = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let mut links: Vec<_> = links
        .filter_map(|link| {
            Some((link.file_name().to_string_lossy().into_owned(), link.path().canonicalize().ok()?))
        })
        .collect();
    links.sort();
    links
}

fn count(notes: usize) -> u32 {
    u32::try_from(notes).unwrap_or(u32::MAX)
}
