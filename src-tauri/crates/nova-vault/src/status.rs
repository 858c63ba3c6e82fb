//! Status of a vault: counts, and capabilities of the file system.

use std::path::PathBuf;

use indexmap::IndexMap;
use serde::Serialize;

use crate::error::VaultError;
use crate::reading::index::{Texts, is_record_place};
use crate::vault::Vault;
use crate::writing::watch::{Options, WatchState, would_be};

impl Vault {
    /// Counts, and capabilities of the file system.
    pub fn status(&self) -> Result<VaultStatus, VaultError> {
        let listing = self.index().listing(&self.core().disk, Texts::Nobodys)?;
        let mut records: IndexMap<String, usize> = IndexMap::new();
        let templates = self.template_folder();
        for record_type in listing
            .heads
            .iter()
            .filter(|head| is_record_place(&listing, &templates, &head.path))
            .flat_map(|head| head.record_types())
        {
            *records.entry(record_type.to_owned()).or_default() += 1;
        }
        records.sort_keys();
        let exchange = self.core().exchange();
        let state = self.watching().unwrap_or_else(|| would_be(&self.core().disk, &Options::default()));
        let (watching, watching_reason) = match state {
            WatchState::Watching { .. } => (Watching::Notified, None),
            WatchState::Both { reason, .. } => (Watching::Both, Some(reason)),
            WatchState::Polling { reason } => (Watching::Polling, Some(reason)),
            WatchState::Failed { reason } => (Watching::Failed, Some(reason)),
        };
        Ok(VaultStatus {
            watching,
            watching_reason,
            root: self.root().to_owned(),
            name: self.name(),
            notes: listing.heads.iter().filter(|h| h.is_readable()).count(),
            folders: listing.folders,
            records,
            problems: self.problems_of(&listing).len()
                + listing.copies().count()
                + self.history().kept_texts()?.len()
                + self.core().unsaved.problems().len()
                + self.obsidian().problems.len()
                + self.seen_by_owner().base_problems(&listing).len(),
            atomic_exchange: exchange.as_ref().map(Result::is_ok),
            atomic_exchange_reason: match exchange {
                Some(Ok(())) => None,
                Some(Err(reason)) => Some(format!("{reason}; a concurrent edit may be detected too late")),
                None => Some("not known before Nova has changed a note".to_owned()),
            },
        })
    }
}

/// How other programs' edits are detected. Queries do not depend on it: they compare with the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Watching {
    /// By notifications of the system.
    Notified,
    /// By notifications for local edits, and by scanning the whole folder every few seconds for remote
    /// ones.
    Both,
    /// By scanning the whole folder every few seconds.
    Polling,
    /// Not at all: the folder is unreadable now.
    Failed,
}

/// Counts, and capabilities of the file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VaultStatus {
    /// The vault's folder.
    pub root: PathBuf,
    /// Its name.
    pub name: String,
    /// Number of notes.
    pub notes: usize,
    /// Number of folders below the root, without dot-folders.
    pub folders: usize,
    /// Number of notes by `type:`, sorted by name.
    pub records: IndexMap<String, usize>,
    /// Number of problems.
    pub problems: usize,
    /// Whether notes are replaced by an atomic exchange, which detects every concurrent edit; `None` if
    /// only the first write will tell.
    pub atomic_exchange: Option<bool>,
    /// Why not, or why it is unknown, and what that means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic_exchange_reason: Option<String>,
    /// How edits are detected, or would be if this process watched.
    pub watching: Watching,
    /// Why notifications are missing or incomplete, and the remedy if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watching_reason: Option<String>,
}
