//! Lists the files in a skill's folder, without reading them or following links.

use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::SkillFile;

/// Maximum number of files read per skill.
pub(super) const MAX_SKILL_FILES: usize = 500;
/// Maximum number of entries including those that are not read, so that a folder of millions does not block.
const MAX_FILES: usize = 5000;
/// Maximum folder depth.
const MAX_DEPTH: usize = 8;

/// Files that Nova interprets; a model gets their content in other ways.
pub(super) const OWN: [&str; 4] = ["SKILL.md", "manifest.yaml", "config.yaml", "instructions.md"];

/// The files of one skill.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    /// Regular files, sorted by path.
    pub(super) files: Vec<SkillFile>,
    /// Links by path, with their targets.
    pub(super) links: Vec<(String, String)>,
    /// Folders by path, for watching.
    pub(super) folders: Vec<String>,
    /// Pipes, devices and non-Unicode names, as far as they can be displayed.
    pub(super) others: Vec<String>,
    /// Some entries were not read.
    pub(super) incomplete: bool,
}

/// Lists the folder `name` of `root`; hidden files only if `hidden` is set.
pub(super) fn list(root: &Path, name: &str, hidden: bool) -> Listing {
    let mut listing = Listing::default();
    let opened = Dir::open_ambient_dir(root, ambient_authority()).and_then(|root| root.open_dir(name));
    if let Ok(dir) = opened {
        let mut seen = 0;
        walk(&dir, "", 0, hidden, &mut listing, &mut seen);
    }
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.links.sort();
    listing.folders.sort();
    listing.others.sort();
    listing
}

impl Listing {
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }
}

/// The files that a model may request: those that Nova does not interpret.
pub(super) fn resources(files: &[SkillFile]) -> Vec<SkillFile> {
    let is_own = |path: &str| OWN.contains(&path) || path.starts_with("tools/");
    files.iter().filter(|file| !is_own(&file.path) && !is_hidden(&file.path)).cloned().collect()
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

fn walk(dir: &Dir, below: &str, depth: usize, hidden: bool, listing: &mut Listing, seen: &mut usize) {
    let Ok(entries) = dir.entries() else {
        listing.incomplete = true;
        return;
    };
    for entry in entries.flatten() {
        *seen += 1;
        if *seen > MAX_FILES {
            listing.incomplete = true;
            return;
        }
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            listing.others.push(format!("{below}{}", name.to_string_lossy().escape_debug()));
            continue;
        };
        // Files of git and file managers do not belong to the skill, and change on their own.
        if [".git", ".DS_Store"].contains(&name) || (!hidden && name.starts_with('.')) {
            continue;
        }
        let path = format!("{below}{name}");
        let Ok(found) = dir.symlink_metadata(name) else { continue };
        if found.is_symlink() {
            let target = dir.read_link_contents(name).map(|target| target.to_string_lossy().into_owned());
            listing.links.push((path.clone(), target.unwrap_or_default()));
            // A link within the folder is treated as its target.
            if let Ok(target) = dir.metadata(name)
                && target.is_file()
                && listing.files.len() < MAX_SKILL_FILES
            {
                listing.files.push(SkillFile::new(path, target.len()));
            }
        } else if found.is_dir() {
            if depth >= MAX_DEPTH {
                listing.incomplete = true;
            } else if let Ok(inner) = dir.open_dir(name) {
                walk(&inner, &format!("{path}/"), depth + 1, hidden, listing, seen);
                listing.folders.push(path);
            } else {
                listing.others.push(path);
            }
        } else if !found.is_file() {
            listing.others.push(path);
        } else if listing.files.len() < MAX_SKILL_FILES {
            listing.files.push(SkillFile::new(path, found.len()));
        } else {
            listing.incomplete = true;
        }
    }
}

#[cfg(test)]
mod tests;
