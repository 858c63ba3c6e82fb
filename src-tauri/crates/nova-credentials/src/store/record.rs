use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::StoreKind;
use crate::private_file::{self, Lock};
use crate::{CredentialError, CredentialName};

/// The file `<data>/credentials.json`: which store holds the credentials, and their names. It tells a start
/// without the keychain that there are credentials in it.
pub(super) struct Record {
    file: PathBuf,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entries {
    #[serde(rename = "kept_in")]
    pub(super) store: Option<StoreKind>,
    pub(super) names: BTreeSet<CredentialName>,
}

impl Entries {
    /// The store that holds credentials; `None` if there are none.
    pub(super) fn in_use(&self) -> Option<StoreKind> {
        self.store.filter(|_| !self.names.is_empty())
    }
}

impl Record {
    pub(super) fn of(data: &Path) -> Self {
        Self { file: data.join("credentials.json") }
    }

    pub(super) fn lock(&self) -> Result<Lock, CredentialError> {
        private_file::lock(&self.file)
    }

    pub(super) fn read(&self) -> Result<Entries, CredentialError> {
        let Some(bytes) = private_file::read(&self.file)? else { return Ok(Entries::default()) };
        serde_json::from_slice(&bytes).map_err(|error| self.damaged(&error))
    }

    pub(super) fn write(&self, lock: &Lock, entries: &Entries) -> Result<(), CredentialError> {
        let bytes = serde_json::to_vec_pretty(entries).map_err(|error| self.damaged(&error))?;
        private_file::replace(lock, &self.file, &bytes)
    }

    fn damaged(&self, error: &serde_json::Error) -> CredentialError {
        let reason = format!("line {}, column {}", error.line(), error.column());
        CredentialError::Damaged { file: self.file.clone(), reason }
    }
}
