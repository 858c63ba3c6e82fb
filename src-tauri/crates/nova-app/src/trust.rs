use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// What the user agreed to, in `<data>/trust.json`.
pub(crate) struct Trust {
    file: PathBuf,
    /// Serialises this process' changes; other processes are seen because every question reads.
    writing: Mutex<()>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    /// Provider id → the host that was agreed to. Another host is not agreed to.
    providers: BTreeMap<String, String>,
}

impl Trust {
    pub(crate) fn new(data: &Path) -> Self {
        Self { file: data.join("trust.json"), writing: Mutex::default() }
    }

    pub(crate) fn agrees(&self, provider: &str, host: &str) -> bool {
        self.read().providers.get(provider).is_some_and(|agreed| agreed == host)
    }

    pub(crate) fn agree(&self, provider: &str, host: &str) -> std::io::Result<()> {
        self.change(|record| {
            record.providers.insert(provider.to_owned(), host.to_owned());
        })
    }

    pub(crate) fn revoke(&self, provider: &str) -> std::io::Result<()> {
        self.change(|record| {
            record.providers.remove(provider);
        })
    }

    /// An unreadable file agrees to nothing.
    fn read(&self) -> Record {
        std::fs::read(&self.file)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    fn change(&self, edit: impl FnOnce(&mut Record)) -> std::io::Result<()> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = self.file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut record = self.read();
        edit(&mut record);
        let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut fresh, &record)?;
        fresh.write_all(b"\n")?;
        fresh.as_file().sync_all()?;
        fresh.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }
}
