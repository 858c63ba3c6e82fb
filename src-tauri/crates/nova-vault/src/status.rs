//! Counts, and what the file system can do.

use std::path::PathBuf;

use indexmap::IndexMap;
use serde::Serialize;

use crate::error::VaultError;
use crate::reading::index::{Texts, is_record_place};
use crate::vault::Vault;
use crate::writing::watch::{Options, WatchState, would_be};

impl Vault {
    /// Counts, and what the file system can do.
    pub fn status(&self) -> Result<VaultStatus, VaultError> {
        let listing = self.index().listing(&self.core().disk, Texts::Nobodys)?;
        let mut records: IndexMap<String, usize> = IndexMap::new();
        let templates = self.template_folder();
        for record_type in listing
            .heads
            .iter()
            .filter(|head| is_record_place(&listing, &templates, &head.path))
            .filter_map(|head| head.record_type().map(str::to_owned))
        {
            *records.entry(record_type).or_default() += 1;
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
                Some(Err(reason)) => {
                    Some(format!("{reason}; an edit made in the same instant as Nova's may be seen too late"))
                }
                None => Some("not known before Nova has changed a note".to_owned()),
            },
        })
    }
}

/// How edits of other programs are noticed. Answers do not rely on it: they compare with the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Watching {
    /// The system tells of each at once.
    Notified,
    /// The system tells at once of those made on this machine. The whole folder is compared every few
    /// seconds besides, for those made elsewhere.
    Both,
    /// The whole folder is compared every few seconds.
    Polling,
    /// Not at all: the folder cannot be read now.
    Failed,
}

/// Counts, and what the file system can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VaultStatus {
    /// The vault's folder.
    pub root: PathBuf,
    /// Its name.
    pub name: String,
    /// How many notes.
    pub notes: usize,
    /// How many folders below the root, dot-folders not counted.
    pub folders: usize,
    /// How many notes of each `type:`, by name.
    pub records: IndexMap<String, usize>,
    /// How many problems.
    pub problems: usize,
    /// Whether a note is replaced by an exchange, which sees every edit made meanwhile; `None` where
    /// the first write will tell.
    pub atomic_exchange: Option<bool>,
    /// Why not, or why that is not known yet, and what it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic_exchange_reason: Option<String>,
    /// How edits are noticed; where this process does not watch, how they would be now.
    pub watching: Watching,
    /// Why the system does not tell of all of them, and what would make it where something would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watching_reason: Option<String>,
}
