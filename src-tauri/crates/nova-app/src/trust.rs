use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What the user agreed to, in `<data>/trust.json`.
pub(crate) struct Trust {
    file: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    /// Provider id → the host that was agreed to. Another host is not agreed to.
    providers: BTreeMap<String, String>,
    /// Tool file, `dynamic/weather.ts` → the definition whose first call was approved.
    tools: BTreeMap<String, String>,
}

impl Trust {
    pub(crate) fn new(data: &Path) -> Self {
        Self { file: data.join("trust.json") }
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

    /// Whether the first call of a tool of that skill, as it is defined now, was approved.
    pub(crate) fn approves_tool(&self, skill: &str, definition: &str) -> bool {
        let of_skill = |file: &str| file.split('/').next() == Some(skill);
        self.read().tools.iter().any(|(file, approved)| of_skill(file) && approved == definition)
    }

    /// `file` is `<skill>/<file name>`; what was approved of it before no longer is.
    pub(crate) fn approve_tool(&self, file: &str, definition: &str) -> std::io::Result<()> {
        self.change(|record| {
            record.tools.insert(file.to_owned(), definition.to_owned());
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
        crate::own_files::change(&self.file, std::convert::identity, || {
            let mut record = self.read();
            edit(&mut record);
            let mut bytes = serde_json::to_vec_pretty(&record)?;
            bytes.push(b'\n');
            Ok((bytes, ()))
        })
    }
}
