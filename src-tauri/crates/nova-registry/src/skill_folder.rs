//! Reads other files in a skill's folder, confined to the folder whatever paths and links say.

use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

/// Maximum size of a file read from a skill's folder, in bytes.
pub const MAX_SKILL_FILE: u64 = 1024 * 1024;

/// The folder of a skill: its references, assets and scripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFolder {
    place: Place,
    resources: Vec<SkillFile>,
    incomplete: bool,
    /// Only listed files are read, and only with the content that the user agreed to.
    sealed: bool,
}

/// A file in the folder of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Relative to the folder, with `/`.
    pub path: String,
    pub bytes: u64,
    /// Hash of the content that the user agreed to; other contents are not read.
    pub(crate) agreed: Option<blake3::Hash>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// The subfolder `name`, which must not be a link out of `root`.
    Disk { root: PathBuf, name: String },
    /// Compiled into the program: path and text.
    Embedded(Vec<(&'static str, &'static str)>),
}

/// Why a file of a skill is not read: the problem, then the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkillFileError {
    #[error("\"{0}\" is not a path in the skill's folder. Name a file relative to it, without \"..\".")]
    Outside(String),
    #[error(
        "{path} is a link to a file outside the skill's folder, and is not read. Put the file itself there."
    )]
    LinkOut { path: String },
    #[error("The skill has no file \"{path}\". {}", listed(.files))]
    NotFound { path: String, files: Vec<String> },
    #[error("{0} is not a regular file, and is not read. Name a file.")]
    NotAFile(String),
    #[error("{0} is larger than 1 MB, and is not read. Split it into smaller files.")]
    TooLarge(String),
    #[error("{0} is not text in UTF-8, and is not read. Save it as UTF-8.")]
    NotText(String),
    #[error("{0} changed after the user agreed to this skill, and is not read. Review the skill again.")]
    Changed(String),
    #[error("{path} cannot be read: {why}. Check the file's permissions.")]
    Unreadable { path: String, why: String },
}

impl SkillFolder {
    /// The folder `name` in `root`, with the files found in it.
    pub(crate) fn on_disk(
        root: &Path,
        name: &str,
        resources: Vec<SkillFile>,
        incomplete: bool,
        sealed: bool,
    ) -> Self {
        Self {
            place: Place::Disk { root: root.to_owned(), name: name.to_owned() },
            resources,
            incomplete,
            sealed,
        }
    }

    /// `None` if there are no files.
    pub(crate) fn embedded(mut files: Vec<(&'static str, &'static str)>) -> Option<Self> {
        files.sort_unstable();
        let resources: Vec<SkillFile> =
            files.iter().map(|(path, text)| SkillFile::new(*path, text.len() as u64)).collect();
        (!files.is_empty()).then_some(Self {
            place: Place::Embedded(files),
            resources,
            incomplete: false,
            sealed: false,
        })
    }

    /// Its location; `None` for a skill that is part of the program.
    pub fn path(&self) -> Option<PathBuf> {
        match &self.place {
            Place::Disk { root, name } => Some(root.join(name)),
            Place::Embedded(_) => None,
        }
    }

    /// The files that Nova does not interpret, sorted by path.
    pub fn resources(&self) -> &[SkillFile] {
        &self.resources
    }

    /// Whether there are more files than listed.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// Reads a text file, given by its path relative to the folder. Blocking.
    ///
    /// # Errors
    /// As [`SkillFolder::bytes`], and if it is not text.
    pub fn read(&self, path: &str) -> Result<String, SkillFileError> {
        String::from_utf8(self.bytes(path)?).map_err(|_| SkillFileError::NotText(path.to_owned()))
    }

    /// Reads a file. Blocking.
    ///
    /// # Errors
    /// If it does not exist, is outside of the folder, or may not be read.
    pub fn bytes(&self, path: &str) -> Result<Vec<u8>, SkillFileError> {
        let clean = clean(path)?;
        match &self.place {
            Place::Embedded(files) => files
                .iter()
                .find(|(name, _)| *name == clean)
                .map(|(_, text)| text.as_bytes().to_vec())
                .ok_or_else(|| self.not_found(clean)),
            Place::Disk { root, name } => {
                let listed = self.resources.iter().find(|file| file.path == clean);
                if self.sealed && listed.is_none() {
                    return Err(self.not_found(clean));
                }
                let bytes = self.bytes_of(root, name, &clean)?;
                let agreed = listed.and_then(|file| file.agreed);
                if self.sealed && agreed != Some(blake3::hash(&bytes)) {
                    return Err(SkillFileError::Changed(clean));
                }
                Ok(bytes)
            }
        }
    }

    fn bytes_of(&self, root: &Path, name: &str, path: &str) -> Result<Vec<u8>, SkillFileError> {
        let unreadable = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => self.not_found(path.to_owned()),
            _ => SkillFileError::Unreadable { path: path.to_owned(), why: error.to_string() },
        };
        let dir = Dir::open_ambient_dir(root, ambient_authority())
            .and_then(|root| root.open_dir(name))
            .map_err(unreadable)?;
        let opened = crate::files::open(&dir, path).map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied if is_behind_link(&dir, path) => {
                SkillFileError::LinkOut { path: path.to_owned() }
            }
            _ => unreadable(error),
        })?;
        if !opened.metadata().map_err(unreadable)?.is_file() {
            return Err(SkillFileError::NotAFile(path.to_owned()));
        }
        let mut bytes = Vec::new();
        opened.take(MAX_SKILL_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_SKILL_FILE {
            return Err(SkillFileError::TooLarge(path.to_owned()));
        }
        Ok(bytes)
    }

    fn not_found(&self, path: String) -> SkillFileError {
        SkillFileError::NotFound {
            path,
            files: self.resources.iter().map(|file| file.path.clone()).collect(),
        }
    }
}

impl SkillFile {
    pub(crate) fn new(path: impl Into<String>, bytes: u64) -> Self {
        Self { path: path.into(), bytes, agreed: None }
    }
}

/// Normalises the path to that in the list. Hidden files are refused.
fn clean(path: &str) -> Result<String, SkillFileError> {
    let outside =
        || SkillFileError::Outside(path.chars().take(200).collect::<String>().escape_debug().to_string());
    if path.contains(['\0', '\\', ':']) || path.len() > 1000 {
        return Err(outside());
    }
    let mut parts = Vec::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => match name.to_str() {
                Some(name) if !name.starts_with('.') => parts.push(name),
                _ => return Err(outside()),
            },
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    if parts.is_empty() { Err(outside()) } else { Ok(parts.join("/")) }
}

/// Whether a part of the path is a link.
fn is_behind_link(dir: &Dir, path: &str) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.into_iter().any(|end| dir.symlink_metadata(&path[..end]).is_ok_and(|found| found.is_symlink()))
}

fn listed(files: &[String]) -> String {
    if files.is_empty() {
        return "It has no files to read.".into();
    }
    let more = if files.len() > 20 { ", …" } else { "" };
    let shown: Vec<&str> = files.iter().take(20).map(String::as_str).collect();
    format!("There are: {}{more}.", shown.join(", "))
}

#[cfg(test)]
mod tests;
