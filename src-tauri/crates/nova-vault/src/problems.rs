//! All problems in a vault.

use crate::error::VaultError;
use crate::note::{VaultPath, unreadable_matter};
use crate::obsidian::TemplateFolder;
use crate::problem::Problem;
use crate::reading::index::{Listing, Texts, sync_conflict};
use crate::vault::Vault;

impl Vault {
    /// All problems in the vault, sorted by path and line.
    pub fn problems(&self) -> Result<Vec<Problem>, VaultError> {
        let listing = self.index().listing(&self.core().disk, Texts::Nobodys)?;
        let mut problems = self.problems_of(&listing);
        problems.extend(listing.copies().filter_map(|path| sync_conflict(&listing, path)));
        problems.extend(self.history().kept_texts()?);
        problems.extend(self.core().unsaved.problems());
        problems.extend(self.obsidian().problems);
        problems.extend(self.seen_by_owner().base_problems(&listing));
        problems.sort();
        Ok(problems)
    }

    pub(crate) fn problems_of(&self, listing: &Listing) -> Vec<Problem> {
        let templates = self.template_folder();
        let mut problems = listing.problems();
        problems
            .retain(|problem| !self.is_followed(&problem.path) && !self.is_form(&templates, &problem.path));
        problems
    }

    /// Whether it is a template whose properties become readable only when filled in: YAML reads `{{date}}`
    /// as a mapping.
    fn is_form(&self, templates: &TemplateFolder, path: &str) -> bool {
        let Ok(path) = VaultPath::parse(path) else { return false };
        let note = || self.read(&path).ok();
        templates.holds(&path)
            && note().is_some_and(|note| {
                unreadable_matter(&note.text).is_some_and(|matter| {
                    ["{{", "<%"].iter().any(|mark| note.text[matter.clone()].contains(mark))
                })
            })
    }
}
