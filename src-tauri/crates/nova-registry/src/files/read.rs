//! Reads folders of tool files: regular UTF-8 files below the folder, without following links out of it.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::OpenOptionsSyncExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

/// Maximum size of a tool file, in bytes.
pub const MAX_TOOL_FILE: u64 = 1024 * 1024;

/// Maximum number of files read per folder.
pub(super) const MAX_FILES: usize = 1000;

/// The content of a file at the last scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileText {
    Text(Arc<str>),
    /// It exists but is not read; the reason is a sentence without a full stop.
    Refused(String),
}

/// The tool files of a folder.
#[derive(Debug, Default)]
pub(super) struct ToolSources {
    /// By name.
    pub(super) files: BTreeMap<String, FileText>,
    /// Number of files beyond the limit, which were not read.
    pub(super) left_out: usize,
}

/// The tool files of a folder by name, each with its text or the reason why it is not read (a sentence
/// without a full stop). Links out of the folder are not followed.
pub fn tool_sources(folder: &Path) -> BTreeMap<String, Result<Arc<str>, String>> {
    let sources = tool_files(folder).files.into_iter();
    sources
        .map(|(name, text)| match text {
            FileText::Text(text) => (name, Ok(text)),
            FileText::Refused(why) => (name, Err(why)),
        })
        .collect()
}

/// The tool files of a folder; empty if there is no folder.
pub(super) fn tool_files(folder: &Path) -> ToolSources {
    let opened = Dir::open_ambient_dir(folder, ambient_authority());
    opened.map_or_else(|_| ToolSources::default(), |dir| files_of(&dir))
}

/// As [`tool_files`], for the subfolder `name`, which must not be a link out of `folder`.
pub(super) fn tool_files_below(folder: &Path, name: &str) -> ToolSources {
    let opened = Dir::open_ambient_dir(folder, ambient_authority()).and_then(|outer| outer.open_dir(name));
    opened.map_or_else(|_| ToolSources::default(), |dir| files_of(&dir))
}

fn files_of(dir: &Dir) -> ToolSources {
    let mut names = names(dir, is_tool_file);
    let left_out = names.len().saturating_sub(MAX_FILES);
    names.truncate(MAX_FILES);
    let files = names.into_iter().filter_map(|name| Some((name.clone(), file(dir, &name)?)));
    ToolSources { files: files.collect(), left_out }
}

/// The names of subfolders, and of those beyond the limit, which are not checked. Links count if they lead to
/// a folder below it.
pub(super) fn folders(folder: &Path) -> (Vec<String>, Vec<String>) {
    let Ok(dir) = Dir::open_ambient_dir(folder, ambient_authority()) else { return Default::default() };
    let mut names = names(&dir, |name| !name.starts_with('.'));
    names.retain(|name| dir.metadata(name).is_ok_and(|metadata| metadata.is_dir()));
    let left_out = names.split_off(names.len().min(MAX_FILES));
    (names, left_out)
}

/// Names of links out of the folder, which are not followed.
pub(super) fn links_out(folder: &Path) -> Vec<String> {
    let Ok(dir) = Dir::open_ambient_dir(folder, ambient_authority()) else { return Vec::new() };
    let mut names = names(&dir, |name| !name.starts_with('.'));
    names.retain(|name| {
        let is_link = dir.symlink_metadata(name).is_ok_and(|found| found.is_symlink());
        let leads_out = |error: std::io::Error| error.kind() == std::io::ErrorKind::PermissionDenied;
        is_link && dir.metadata(name).is_err_and(leads_out)
    });
    names.truncate(MAX_FILES);
    names
}

/// Reads one file of a folder; `None` if it does not exist.
pub(super) fn one(folder: &Path, name: &str) -> Option<FileText> {
    file(&Dir::open_ambient_dir(folder, ambient_authority()).ok()?, name)
}

/// Excludes temporary files of editors and type declarations.
pub(super) fn is_tool_file(name: &str) -> bool {
    name.ends_with(".ts") && !name.ends_with(".d.ts") && !name.starts_with(['.', '#'])
}

fn names(dir: &Dir, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = dir.entries().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| wanted(name))
        .collect();
    names.sort();
    names
}

fn file(dir: &Dir, name: &str) -> Option<FileText> {
    let metadata = match dir.metadata(name) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            // A file that was just deleted is skipped.
            let is_link = dir.symlink_metadata(name).is_ok_and(|metadata| metadata.is_symlink());
            let why = "it is a link to a missing file; put the file itself here";
            return is_link.then(|| FileText::Refused(why.into()));
        }
        Err(error) => {
            let is_link = dir.symlink_metadata(name).is_ok_and(|metadata| metadata.is_symlink());
            return Some(FileText::Refused(if is_link {
                "it is a link to a file outside its folder; put the file itself here".into()
            } else {
                format!("it cannot be read ({error})")
            }));
        }
    };
    if metadata.is_dir() {
        return None;
    }
    Some(read(dir, name, metadata.is_file()).unwrap_or_else(FileText::Refused))
}

/// Opens a file for reading. It may have become a pipe since it was checked, which must not block.
pub(crate) fn open(dir: &Dir, path: &str) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true);
    dir.open_with(path, &options)
}

fn read(dir: &Dir, name: &str, is_file: bool) -> Result<FileText, String> {
    let not_a_file = || "it is not a regular file".to_owned();
    if !is_file {
        return Err(not_a_file());
    }
    let failed = |error: std::io::Error| format!("it cannot be read ({error})");
    let opened = open(dir, name).map_err(failed)?;
    if !opened.metadata().map_err(failed)?.is_file() {
        return Err(not_a_file());
    }
    let mut bytes = Vec::new();
    opened.take(MAX_TOOL_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_TOOL_FILE {
        return Err("it is larger than 1 MB; make it smaller".into());
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8; save it as UTF-8".to_owned())?;
    Ok(FileText::Text(text.into()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    #[test]
    fn temporary_files_of_editors_are_not_tools() {
        for name in ["weather.ts", "slack-notify.ts", "wetter-für-morgen.ts"] {
            assert!(is_tool_file(name), "{name}");
        }
        for name in [
            ".x.ts.swp",
            "4913",
            "x.ts~",
            ".#x.ts",
            "#x.ts#",
            ".x.ts",
            "nova-tools.d.ts",
            "x.ts.tmp",
            "x.js",
            "x.tsx",
            "tsconfig.json",
        ] {
            assert!(!is_tool_file(name), "{name}");
        }
    }

    #[test]
    fn too_large_or_non_text_files_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("good.ts"), "text").unwrap();
        fs::write(folder.path().join("huge.ts"), vec![b'x'; 1024 * 1024 + 1]).unwrap();
        fs::write(folder.path().join("binary.ts"), [0xff, 0xfe, 0]).unwrap();
        fs::create_dir(folder.path().join("folder.ts")).unwrap();
        let found = tool_files(folder.path()).files;
        assert_eq!(found.keys().collect::<Vec<_>>(), ["binary.ts", "good.ts", "huge.ts"]);
        assert_eq!(found["good.ts"], FileText::Text("text".into()));
        assert_eq!(found["huge.ts"], FileText::Refused("it is larger than 1 MB; make it smaller".into()));
        assert_eq!(found["binary.ts"], FileText::Refused("it is not UTF-8; save it as UTF-8".into()));
        assert!(tool_files(&folder.path().join("nowhere")).files.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn link_out_of_the_folder_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("tools");
        fs::create_dir(&folder).unwrap();
        fs::write(home.path().join("secret.ts"), "secret").unwrap();
        fs::write(folder.join("real.ts"), "text").unwrap();
        std::os::unix::fs::symlink(home.path().join("secret.ts"), folder.join("out.ts")).unwrap();
        std::os::unix::fs::symlink("../secret.ts", folder.join("up.ts")).unwrap();
        std::os::unix::fs::symlink("real.ts", folder.join("within.ts")).unwrap();
        std::os::unix::fs::symlink("nothing.ts", folder.join("dangling.ts")).unwrap();
        let found = tool_files(&folder).files;
        let refused =
            FileText::Refused("it is a link to a file outside its folder; put the file itself here".into());
        assert_eq!((&found["out.ts"], &found["up.ts"]), (&refused, &refused));
        assert_eq!(found["within.ts"], FileText::Text("text".into()));
        let to_nothing = FileText::Refused("it is a link to a missing file; put the file itself here".into());
        assert_eq!(found["dangling.ts"], to_nothing);
    }
}
