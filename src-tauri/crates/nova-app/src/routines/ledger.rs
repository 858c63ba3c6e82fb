//! The record of routine runs, in `<data>/routines.json`. It cannot be reconstructed, so an unreadable file
//! stops all routines and is never overwritten.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use jiff::Timestamp;
use nova_protocol::{ErrorCode, RoutineEnd, UserError};
use serde::{Deserialize, Serialize};

use crate::own_files;

const FILE: &str = "routines.json";

/// By vault folder, then by note path.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Ledger {
    vaults: BTreeMap<String, BTreeMap<String, Entry>>,
}

/// The state of one routine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Its schedule as last read; a changed one starts anew.
    pub(crate) schedule: String,
    /// All due times up to here have been handled.
    pub(crate) through: Timestamp,
    /// Fingerprints of the records that trigger it, by type.
    // Under `records`, earlier versions saved another kind of fingerprint.
    #[serde(default, rename = "fingerprints", skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) records: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<LastRun>,
}

/// The latest run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LastRun {
    pub(crate) session: String,
    /// The latest time at which it was due.
    pub(crate) due: Timestamp,
    pub(crate) started: Timestamp,
    pub(crate) ended: Option<Timestamp>,
    pub(crate) end: RoutineEnd,
    /// The pending question, the error, or the start of the answer; one line.
    pub(crate) said: String,
    /// The user has seen the outcome.
    #[serde(default)]
    pub(crate) seen: bool,
    /// How many of its writes are already taken out of all fingerprints, by change set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) excluded: BTreeMap<String, usize>,
}

impl LastRun {
    pub(crate) fn is_running(&self) -> bool {
        self.end == RoutineEnd::Running
    }

    /// Whether it may still continue.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.end, RoutineEnd::Running | RoutineEnd::Waiting)
    }
}

impl Ledger {
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn read(data: &Path) -> Result<Self, UserError> {
        match nova_files::read(&data.join(FILE)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unreadable(data, &error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(unreadable(data, &error)),
        }
    }

    /// Changes the ledger, with a lock among all Nova processes; durable on return. Nothing is written
    /// without a change.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn change<T>(data: &Path, edit: impl Fn(&mut Self) -> T) -> Result<T, UserError> {
        let mut ledger = Self::read(data)?;
        let before = ledger.clone();
        let made = edit(&mut ledger);
        if ledger == before {
            return Ok(made);
        }
        let made = own_files::change(
            &data.join(FILE),
            |error| unwritable(data, &error),
            || {
                let mut now = Self::read(data)?;
                let made = edit(&mut now);
                Ok((serde_json::to_vec(&now).map_err(|error| unreadable(data, &error))?, made))
            },
        )?;
        sync_names(data).map_err(|error| unwritable(data, &error))?;
        Ok(made)
    }

    pub(crate) fn of_vault(&mut self, vault: &str) -> &mut BTreeMap<String, Entry> {
        self.vaults.entry(vault.to_owned()).or_default()
    }

    pub(crate) fn entry(&self, vault: &str, path: &str) -> Option<&Entry> {
        self.vaults.get(vault)?.get(path)
    }

    /// The run of that session, in any vault.
    pub(crate) fn run_mut(&mut self, session: &str) -> Option<&mut LastRun> {
        let entries = self.vaults.values_mut().flat_map(BTreeMap::values_mut);
        entries.filter_map(|entry| entry.last.as_mut()).find(|last| last.session == session)
    }
}

/// Syncs the folder, where supported, so that the rename is durable.
fn sync_names(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

fn unreadable(data: &Path, error: &dyn std::fmt::Display) -> UserError {
    let file = data.join(FILE);
    UserError::new(
        ErrorCode::Io,
        format!("{} cannot be read: {error}. No routine runs.", file.display()),
        "Delete the file: each routine then runs from its next time on.",
    )
}

fn unwritable(data: &Path, error: &dyn std::fmt::Display) -> UserError {
    let file = data.join(FILE);
    UserError::new(
        ErrorCode::Io,
        format!("{} cannot be written: {error}. No routine runs.", file.display()),
        "Check the data folder and the disk.",
    )
}
