//! Which files lie in the folder of a skill, without reading them and without following links.

use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::SkillFile;

/// More files than this in one skill are not read.
pub(super) const MAX_SKILL_FILES: usize = 500;
/// Files that are no resource count too, up to here: a folder of millions must not hold us.
const MAX_FILES: usize = 5000;
/// Deeper folders than this are not read.
const MAX_DEPTH: usize = 8;

/// Files that Nova reads by itself; a model receives them in other ways.
pub(super) const OWN: [&str; 4] = ["SKILL.md", "manifest.yaml", "config.yaml", "instructions.md"];

/// The files of one skill.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    /// Regular files, by path.
    pub(super) files: Vec<SkillFile>,
    /// Links by path, with what they say.
    pub(super) links: Vec<(String, String)>,
    /// Folders by path, for watching.
    pub(super) folders: Vec<String>,
    /// Pipes, devices and names that are no text, as far as they can be shown.
    pub(super) others: Vec<String>,
    /// There is more than was read.
    pub(super) incomplete: bool,
}

/// What lies in the folder `name` of `root`. Hidden files are only listed where `hidden` says so.
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

/// The files that a model may ask for: those that Nova does not read by itself.
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
        // What git and file managers keep is not the skill's, and changes by itself.
        if [".git", ".DS_Store"].contains(&name) || (!hidden && name.starts_with('.')) {
            continue;
        }
        let path = format!("{below}{name}");
        let Ok(found) = dir.symlink_metadata(name) else { continue };
        if found.is_symlink() {
            let target = dir.read_link_contents(name).map(|target| target.to_string_lossy().into_owned());
            listing.links.push((path.clone(), target.unwrap_or_default()));
            // Within the folder a link is as good as the file.
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
