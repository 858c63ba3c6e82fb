//! The user's list of private notes and folders, resolved against a vault.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::VaultError;
use crate::note::folded;
use crate::privacy::{covers, plain};
use crate::reading::index::Texts;
use crate::vault::Vault;

impl Vault {
    /// Resolves entries that are paths on disk (`/home/jane/Notes/Diary`, `~/Notes/Diary`) to paths in the
    /// vault, by each of its names: `/` and any ancestor of the vault cover all of it, and an ancestor of
    /// an extra root covers that root. Entries outside of both stay as written.
    pub fn listed_private(&self, entries: &[String], home: Option<&Path>) -> Vec<String> {
        let disk = &self.core().disk;
        let named = |entry: &String| {
            let written = entry.trim();
            let below_home =
                written.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\']));
            let place = match (below_home, home) {
                (Some(rest), Some(home)) => home.join(rest.replace('\\', "/").trim_start_matches('/')),
                _ => Path::new(written).to_owned(),
            };
            let named = if place.is_absolute() { disk.named_within(&place) } else { BTreeSet::new() };
            // Some users write `/Diary` for a folder at the top of the vault.
            if named.is_empty() {
                return vec![entry.clone()];
            }
            named.into_iter().map(|name| if name.is_empty() { "/".to_owned() } else { name }).collect()
        };
        entries.iter().flat_map(named).collect()
    }

    /// Entries that match no note, file or folder of the vault, and entries without a name, which hide all
    /// of it: most likely typing errors.
    pub fn unmatched_private_entries(&self, entries: &[String]) -> Result<Vec<String>, VaultError> {
        let disk = &self.core().disk;
        let listing = self.index().listing(disk, Texts::Nobodys)?;
        let paths = listing.heads.iter().map(|head| &head.path).chain(&listing.files);
        let paths: Vec<String> = paths.map(|path| folded(path.as_str())).collect();
        let mut left = Vec::new();
        for entry in entries {
            let named = plain(entry);
            let is_there = || paths.iter().any(|path| covers(&named, path));
            let says_nothing = entry.trim().is_empty();
            if says_nothing || !is_there() && disk.spellings(&named)?.whole.is_empty() {
                left.push(entry.clone());
            }
        }
        Ok(left)
    }
}
