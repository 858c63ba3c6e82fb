//! Opening a vault: validating the folder, and recovery after a killed process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::core::Core;
use crate::disk::{Disk, KnownFolders, Roots, without_links};
use crate::error::VaultError;
use crate::options::VaultOptions;
use crate::step::Steps;
use crate::vault::Vault;
use crate::writing::journal::Journal;
use crate::writing::write::sweep;

impl Vault {
    /// Opens the folder. Changes it only to recover from a killed process: temporary files are removed, and
    /// edits in them are merged into their notes.
    pub fn open(options: VaultOptions) -> Result<Vault, VaultError> {
        Vault::open_with(options, Steps::default())
    }

    /// As [`Vault::open`], for a folder that the user just chose: accepts an empty folder in place of
    /// another that had notes.
    pub fn open_chosen(options: VaultOptions) -> Result<Vault, VaultError> {
        KnownFolders::beside(&options.history).forget(&usable_root(&options)?);
        Vault::open(options)
    }

    pub(crate) fn open_with(options: VaultOptions, steps: Steps) -> Result<Vault, VaultError> {
        let root = usable_root(&options)?;
        let unreadable = |error: std::io::Error| VaultError::Unusable {
            root: root.clone(),
            reason: error.to_string(),
            remedy: "Give your user the right to read the folder.".to_owned(),
        };
        let named = std::path::absolute(&options.root).map_err(unreadable)?;
        let known = KnownFolders::beside(&options.history);
        let disk = Disk::open(root.clone(), roots(&root, &options, known.clone())).map_err(unreadable)?;
        let disk = disk.named(named);
        if disk.is_empty() && known.is_another(&root) {
            let reason = Some("the folder there is empty; its disk may not be mounted".to_owned());
            return Err(VaultError::Gone { root: disk.given().to_owned(), reason });
        }
        let journal = Journal::new(without_links(&options.history), &root);
        let core = Arc::new(Core::new(disk, journal, steps, options));
        sweep(&core);
        let vault = Vault::of(core);
        vault.prune_old_changes(None);
        Ok(vault)
    }
}

fn usable_root(options: &VaultOptions) -> Result<PathBuf, VaultError> {
    let unusable = |reason: String, remedy: &str| VaultError::Unusable {
        root: options.root.clone(),
        reason,
        remedy: remedy.to_owned(),
    };
    let metadata = std::fs::metadata(&options.root).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => unusable(
            "it does not exist".to_owned(),
            "Choose the folder that holds your notes, or create it first.",
        ),
        _ => unusable(error.to_string(), "Give your user the right to read the folder."),
    })?;
    if !metadata.is_dir() {
        return Err(unusable(
            "it is a file, not a folder".to_owned(),
            "Choose the folder that holds your notes.",
        ));
    }
    let root = options
        .root
        .canonicalize()
        .map_err(|error| unusable(error.to_string(), "Give your user the right to read the folder."))?;
    for forbidden in options.forbidden.iter().chain([&options.history]) {
        let forbidden = without_links(forbidden);
        if forbidden.starts_with(&root) {
            return Err(unusable(
                format!(
                    "Nova keeps its own files in {}, which would be inside the vault",
                    forbidden.display()
                ),
                "Choose another folder, one that holds only notes.",
            ));
        }
    }
    Ok(root)
}

fn roots(vault: &Path, options: &VaultOptions, known: KnownFolders) -> Roots {
    let forbidden = options.forbidden.iter().chain([&options.history]).chain(&options.program);
    Roots::new(vault, options.roots.clone(), forbidden.cloned().collect(), known)
}
