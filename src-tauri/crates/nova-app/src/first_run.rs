use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use nova_protocol::{
    ErrorCode, FirstRunOptions, FoundVault, Nothing, OpenVault, PickedFolder, UserError, VaultChoice,
    VaultSummary,
};
use serde_json::Value;

use crate::app::App;
use crate::blocking::blocking;
use crate::places::Places;

/// The starter vault, embedded so that it is available in every installation.
static SAMPLE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../../vault-template");

/// Name of the copy in the user's documents.
const SAMPLE_NAME: &str = "Nova sample vault";

/// Maximum depth when counting notes.
const COUNT_DEPTH: usize = 8;
const COUNT_LIMIT: u32 = 100_000;

impl App {
    /// The options for the first start. Writes nothing.
    pub(crate) async fn first_run_options(&self, _: Nothing) -> Result<FirstRunOptions, UserError> {
        let places = self.places().clone();
        let found = blocking(move || {
            Ok(places.obsidian.as_deref().map(|list| known_vaults(list, &places)).unwrap_or_default())
        })
        .await?;
        Ok(FirstRunOptions {
            found,
            sample_target: self.places().shown(&free_folder(&self.places().documents)),
            sample_notes: count_sample(&SAMPLE),
            local_models: self.find_local_models().await,
            looked_at: self.local_server_hosts(),
        })
    }

    /// Opens the vault chosen at the first start, and stores the choice.
    pub(crate) async fn open_vault(&self, choice: OpenVault) -> Result<VaultSummary, UserError> {
        // First, because it is the most likely to fail: then nothing is written at all.
        if let Some(provider) = choice.provider {
            self.add_provider(provider).await?;
        }
        let root = match choice.choice {
            VaultChoice::Folder { path } => PathBuf::from(path),
            VaultChoice::Sample => self.copy_sample().await?,
        };
        self.switch_vault(&root).await?;
        if let Some(model) = choice.model {
            self.change_config(|config| {
                config.insert("model".into(), Value::String(model.clone()));
            })?;
        }
        self.vault_summary().await
    }

    async fn copy_sample(&self) -> Result<PathBuf, UserError> {
        let documents = self.places().documents.clone();
        blocking(move || {
            let target = free_folder(&documents);
            let copy = || {
                std::fs::create_dir_all(&target)?;
                SAMPLE.extract(&target)
            };
            copy().map_err(|error| {
                UserError::new(
                    ErrorCode::Io,
                    format!("The sample vault could not be copied to {}: {error}.", target.display()),
                    "Make the documents folder writable, or choose another folder.",
                )
            })?;
            Ok(target)
        })
        .await
    }
}

pub(crate) fn picked(path: Option<PathBuf>, places: &Places) -> PickedFolder {
    PickedFolder {
        shown: path.as_deref().map(|path| places.shown(path)),
        notes: path.as_deref().map(count_notes),
        path: path.map(|path| path.display().to_string()),
    }
}

/// The folder of the sample vault, numbered if the name is taken.
fn free_folder(documents: &Path) -> PathBuf {
    let first = documents.join(SAMPLE_NAME);
    let numbered = (2..).map(|number| documents.join(format!("{SAMPLE_NAME} {number}")));
    std::iter::once(first.clone()).chain(numbered).find(|path| !path.exists()).unwrap_or(first)
}

fn count_sample(dir: &Dir) -> u32 {
    let own = dir.files().filter(|file| file.path().extension().is_some_and(|end| end == "md")).count();
    u32::try_from(own).unwrap_or_default() + dir.dirs().map(count_sample).sum::<u32>()
}

/// Vaults in Obsidian's list that exist and contain notes.
fn known_vaults(list: &Path, places: &Places) -> Vec<FoundVault> {
    let Ok(text) = nova_files::read_text(list) else { return Vec::new() };
    let Ok(list) = serde_json::from_str::<Value>(&text) else { return Vec::new() };
    let mut found: Vec<FoundVault> = list["vaults"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(_, vault)| {
            let path = PathBuf::from(vault["path"].as_str()?);
            let name = path.file_name()?.to_string_lossy().into_owned();
            let notes = path.is_dir().then(|| count_notes(&path))?;
            Some(FoundVault { shown: places.shown(&path), path: path.display().to_string(), name, notes })
        })
        .collect();
    found.sort_by(|a, b| b.notes.cmp(&a.notes).then_with(|| a.path.cmp(&b.path)));
    found
}

pub(crate) fn count_notes(root: &Path) -> u32 {
    fn walk(folder: &Path, depth: usize, count: &mut u32) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else { continue };
            if name.to_string_lossy().starts_with('.') || *count >= COUNT_LIMIT {
                continue;
            }
            if kind.is_dir() && depth > 0 {
                walk(&entry.path(), depth - 1, count);
            } else if kind.is_file() && name.to_string_lossy().ends_with(".md") {
                *count += 1;
            }
        }
    }
    let mut count = 0;
    walk(root, COUNT_DEPTH, &mut count);
    count
}
