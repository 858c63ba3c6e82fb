//! Which notes can be records: neither templates nor conflicted copies.

use super::Listing;
use crate::note::VaultPath;
use crate::obsidian::TemplateFolder;
use crate::problem::Problem;

/// Whether a note at this path can be a record: neither a template nor a conflicted copy of an existing
/// note.
pub(crate) fn is_record_place(listing: &Listing, templates: &TemplateFolder, path: &VaultPath) -> bool {
    let is_copy = listing.is_copy(path) && original_of(listing, path).is_some();
    !templates.holds(path) && !is_copy
}

/// The existing note of which this is a conflicted copy.
fn original_of(listing: &Listing, path: &VaultPath) -> Option<VaultPath> {
    let original = VaultPath::in_folder(path.folder(), &format!("{}.md", path.sync_conflict_of()?)).ok()?;
    listing.heads.binary_search_by(|head| head.path.cmp(&original)).ok().map(|_| original)
}

pub(crate) fn sync_conflict(listing: &Listing, path: &VaultPath) -> Option<Problem> {
    let original = path.sync_conflict_of()?;
    let remedy = match original_of(listing, path) {
        Some(_) => format!("Compare it with \"{original}.md\", keep one of the two, and delete the other."),
        None => format!("\"{original}.md\" no longer exists: rename this file to that name, or delete it."),
    };
    Some(Problem {
        path: path.as_str().to_owned(),
        line: 1,
        problem: match path.is_unmerged_edit() {
            true => {
                format!("it holds an edit made during a write of \"{original}.md\" that could not be merged")
            }
            false => {
                format!(
                    "a sync program made this copy, because \"{original}.md\" was changed in two places at once"
                )
            }
        },
        remedy,
    })
}
