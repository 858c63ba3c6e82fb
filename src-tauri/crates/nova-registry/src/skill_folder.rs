//! What else lies in the folder of a skill, and how it is read: files inside of it, and nothing
//! that a path or a link names elsewhere.

use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::OpenOptionsSyncExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

/// The largest file of a skill's folder that is read, in bytes.
pub const MAX_SKILL_FILE: u64 = 1024 * 1024;

/// The folder that a skill came in: its references, assets and scripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFolder {
    place: Place,
    resources: Vec<SkillFile>,
    incomplete: bool,
}

/// A file in the folder of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Below the folder, with `/`.
    pub path: String,
    pub bytes: u64,
    /// What it held when the user agreed to it; another content is not read.
    pub(crate) agreed: Option<blake3::Hash>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// A folder by name in a folder, which a link out of the latter is not.
    Disk { root: PathBuf, name: String },
    /// Compiled into the program: path and text.
    Embedded(Vec<(&'static str, &'static str)>),
}

/// Why a file of a skill is not read: what is wrong, then what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkillFileError {
    #[error("\"{0}\" is not a path in the skill's folder. Name a file relative to it, without \"..\".")]
    Outside(String),
    #[error("{path} leads out of the skill's folder by a link, and is not read. Put the file itself there.")]
    LinkOut { path: String },
    #[error("The skill has no file \"{path}\". {}", there(.files))]
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
    /// The folder `name` in `root`, with the files that were found in it.
    pub(crate) fn on_disk(root: &Path, name: &str, resources: Vec<SkillFile>, incomplete: bool) -> Self {
        Self { place: Place::Disk { root: root.to_owned(), name: name.to_owned() }, resources, incomplete }
    }

    /// None where there are no files.
    pub(crate) fn embedded(mut files: Vec<(&'static str, &'static str)>) -> Option<Self> {
        files.sort_unstable();
        let resources: Vec<SkillFile> =
            files.iter().map(|(path, text)| SkillFile::new(*path, text.len() as u64)).collect();
        (!files.is_empty()).then(|| Self { place: Place::Embedded(files), resources, incomplete: false })
    }

    /// The files beside those that Nova reads by itself, by path.
    pub fn resources(&self) -> &[SkillFile] {
        &self.resources
    }

    /// Whether there are more files than are listed.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// The text of a file, named by its path below the folder. Reads from the disk and blocks
    /// while it does.
    ///
    /// # Errors
    /// When there is none, when it is outside of the folder, or when it is not read.
    pub fn read(&self, path: &str) -> Result<String, SkillFileError> {
        let clean = clean(path)?;
        match &self.place {
            Place::Embedded(files) => files
                .iter()
                .find(|(name, _)| *name == clean)
                .map(|(_, text)| (*text).to_owned())
                .ok_or_else(|| self.not_found(clean)),
            Place::Disk { root, name } => {
                let bytes = self.bytes_of(root, name, &clean)?;
                let listed = self.resources.iter().find(|file| file.path == clean);
                let agreed = listed.and_then(|file| file.agreed);
                if agreed.is_some_and(|agreed| blake3::hash(&bytes) != agreed) {
                    return Err(SkillFileError::Changed(clean));
                }
                String::from_utf8(bytes).map_err(|_| SkillFileError::NotText(clean))
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
        // A pipe must not hold us.
        let mut options = OpenOptions::new();
        options.read(true).nonblock(true);
        let opened = dir.open_with(path, &options).map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied if leads_by_a_link(&dir, path) => {
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

/// The path as the list has it. What is hidden is not the skill's to show.
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
fn leads_by_a_link(dir: &Dir, path: &str) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.into_iter().any(|end| dir.symlink_metadata(&path[..end]).is_ok_and(|found| found.is_symlink()))
}

fn there(files: &[String]) -> String {
    if files.is_empty() {
        return "It has no files to read.".into();
    }
    let more = if files.len() > 20 { ", …" } else { "" };
    let shown: Vec<&str> = files.iter().take(20).map(String::as_str).collect();
    format!("There are: {}{more}.", shown.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> (tempfile::TempDir, SkillFolder) {
        let root = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let file = root.path().join("x").join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
        let listed = files.iter().map(|(path, bytes)| SkillFile::new(*path, bytes.len() as u64)).collect();
        let folder = SkillFolder::on_disk(root.path(), "x", listed, false);
        (root, folder)
    }

    #[test]
    fn a_file_is_read_by_its_path_in_the_folder() {
        let (_root, folder) = folder(&[("references/a.md", "eins ä".as_bytes())]);
        for path in ["references/a.md", "./references/a.md", "references//a.md"] {
            assert_eq!(folder.read(path), Ok("eins ä".to_owned()), "{path}");
        }
        assert_eq!(
            folder.read("references/b.md").unwrap_err().to_string(),
            "The skill has no file \"references/b.md\". There are: references/a.md."
        );
    }

    #[test]
    fn nothing_outside_of_the_folder_is_named() {
        let (root, folder) = folder(&[("a.md", b"inside"), (".env", b"hidden")]);
        fs::write(root.path().join("secret"), "secret").unwrap();
        let absolute = root.path().join("secret").display().to_string();
        for path in [
            "../secret",
            "a/../../secret",
            "a.md/../../secret",
            &absolute,
            "/etc/passwd",
            "a.md\0",
            "",
            ".",
            "..",
            ".env",
            "C:\\secret",
            "\\\\server\\share",
            "a\\..\\..\\secret",
            &"a".repeat(2000),
        ] {
            assert!(matches!(folder.read(path), Err(SkillFileError::Outside(_))), "{path:?}");
        }
    }

    #[test]
    fn what_is_no_readable_text_is_refused_with_the_remedy() {
        let huge = vec![b'x'; 1024 * 1024 + 1];
        let (_root, folder) =
            folder(&[("huge.md", &huge), ("assets/logo.png", &[0xff, 0xd8]), ("dir/a", b"")]);
        assert_eq!(folder.read("huge.md"), Err(SkillFileError::TooLarge("huge.md".into())));
        assert_eq!(folder.read("assets/logo.png"), Err(SkillFileError::NotText("assets/logo.png".into())));
        assert_eq!(folder.read("dir"), Err(SkillFileError::NotAFile("dir".into())));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_lead_nowhere() {
        use std::os::unix::fs::symlink;
        let (root, folder) = folder(&[("a.md", b"inside")]);
        let skill = root.path().join("x");
        fs::write(root.path().join("secret"), "secret").unwrap();
        symlink("../secret", skill.join("up.md")).unwrap();
        symlink(root.path(), skill.join("out")).unwrap();
        symlink("a.md", skill.join("within.md")).unwrap();
        for path in ["up.md", "out/secret"] {
            assert_eq!(folder.read(path), Err(SkillFileError::LinkOut { path: path.into() }));
        }
        assert_eq!(folder.read("within.md"), Ok("inside".to_owned()));
        let made = std::process::Command::new("mkfifo").arg(skill.join("pipe.md")).status().unwrap();
        assert!(made.success());
        assert_eq!(folder.read("pipe.md"), Err(SkillFileError::NotAFile("pipe.md".into())));
    }

    #[test]
    fn a_folder_that_was_swapped_is_read_as_it_is_and_an_agreed_file_only_as_agreed() {
        let (root, mut folder) = folder(&[("a.md", b"one")]);
        fs::rename(root.path().join("x"), root.path().join("old")).unwrap();
        assert!(matches!(folder.read("a.md"), Err(SkillFileError::NotFound { .. })));
        fs::create_dir(root.path().join("x")).unwrap();
        fs::write(root.path().join("x/a.md"), "two").unwrap();
        assert_eq!(folder.read("a.md"), Ok("two".to_owned()));
        folder.resources[0].agreed = Some(blake3::hash(b"one"));
        assert_eq!(folder.read("a.md"), Err(SkillFileError::Changed("a.md".into())));
    }

    #[test]
    fn embedded_files_are_read_by_the_same_names() {
        let folder = SkillFolder::embedded(vec![("assets/plan.md", "- [ ] first")]).unwrap();
        assert_eq!(folder.read("./assets/plan.md"), Ok("- [ ] first".to_owned()));
        assert!(matches!(folder.read("assets/other.md"), Err(SkillFileError::NotFound { .. })));
        assert!(matches!(folder.read("../x"), Err(SkillFileError::Outside(_))));
        assert_eq!(folder.resources()[0].bytes, 11);
        assert_eq!(SkillFolder::embedded(Vec::new()), None);
    }
}
