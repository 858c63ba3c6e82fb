//! Copies of the folders of skills with scripts, for commands.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use nova_registry::{SkillEntry, SkillFolder, Snapshot};

/// The scripts folder of a skill.
const SCRIPTS: &str = "scripts/";

/// The copies of the available skills, in one folder.
pub(super) struct SkillCopies {
    folder: PathBuf,
    copied: BTreeMap<String, Mark>,
}

/// The copied files with their metadata, to detect changes.
#[derive(PartialEq)]
struct Mark {
    folder: Arc<SkillFolder>,
    modified: Vec<Option<SystemTime>>,
}

impl SkillCopies {
    pub(super) fn new(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, copied: BTreeMap::new() })
    }

    /// Updates the copies; returns each copy by skill id.
    pub(super) fn update(&mut self, snapshot: &Snapshot) -> io::Result<Vec<(String, PathBuf)>> {
        let with_scripts = snapshot.available().filter_map(|skill| Some((skill, scripts_of(skill)?)));
        let skills: BTreeMap<&str, &Arc<SkillFolder>> =
            with_scripts.map(|(skill, folder)| (skill.id.as_str(), folder)).collect();
        let gone: Vec<String> =
            self.copied.keys().filter(|id| !skills.contains_key(id.as_str())).cloned().collect();
        for id in gone {
            self.copied.remove(&id);
            fs::remove_dir_all(self.folder.join(&id))?;
        }
        let mut copies = Vec::new();
        for (id, folder) in skills {
            let mark = Mark { folder: folder.clone(), modified: modified(folder) };
            let copy = self.folder.join(id);
            if self.copied.get(id) != Some(&mark) {
                if copy.exists() {
                    fs::remove_dir_all(&copy)?;
                }
                copy_files(folder, &copy)?;
                self.copied.insert(id.to_owned(), mark);
            }
            copies.push((id.to_owned(), copy));
        }
        Ok(copies)
    }
}

/// The folder of a skill, if it has scripts.
fn scripts_of(skill: &SkillEntry) -> Option<&Arc<SkillFolder>> {
    let has_scripts =
        |folder: &&Arc<SkillFolder>| folder.resources().iter().any(|file| file.path.starts_with(SCRIPTS));
    skill.folder.as_ref().filter(has_scripts)
}

fn modified(folder: &SkillFolder) -> Vec<Option<SystemTime>> {
    let Some(place) = folder.path() else { return Vec::new() };
    let of_file = |path: &str| fs::metadata(place.join(path)).and_then(|found| found.modified()).ok();
    folder.resources().iter().map(|file| of_file(&file.path)).collect()
}

/// Unreadable files are skipped: a script that needs one will fail.
fn copy_files(folder: &SkillFolder, copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy)?;
    for file in folder.resources() {
        let Ok(bytes) = folder.bytes(&file.path) else { continue };
        let to = copy.join(&file.path);
        fs::create_dir_all(to.parent().unwrap_or(copy))?;
        fs::write(&to, bytes)?;
        #[cfg(unix)]
        if file.path.starts_with(SCRIPTS) {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&to, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
