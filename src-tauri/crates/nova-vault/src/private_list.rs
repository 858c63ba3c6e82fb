//! The user's list of private notes and folders, as a vault understands it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::VaultError;
use crate::note::folded;
use crate::privacy::{covers, plain};
use crate::reading::index::Texts;
use crate::vault::Vault;

impl Vault {
    /// The user's list with the entries that name a place on the disk (`/home/jane/Notes/Diary`,
    /// `~/Notes/Diary`) as the vault names it, by each of its names: `/` is all of it, and so is what lies above
    /// it. One above an extra root names all of that. What lies nowhere in either stays as it is written.
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
            // `/Diary` is how some write what lies at the top of the vault.
            if named.is_empty() {
                return vec![entry.clone()];
            }
            named.into_iter().map(|name| if name.is_empty() { "/".to_owned() } else { name }).collect()
        };
        entries.iter().flat_map(named).collect()
    }

    /// The entries of the list that name nothing in the vault, be it a note, another file or a folder, and
    /// those without a name, which hide all of it: most likely a slip of the pen.
    pub fn private_for_nothing(&self, entries: &[String]) -> Result<Vec<String>, VaultError> {
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
