//! Resolves links to files.

use std::collections::HashMap;
use std::sync::Arc;

use crate::note::{VaultPath, folded};

/// The files of a vault by name, for resolving links. Does not access the disk: a link resolves only to a
/// file that was added.
///
/// The rules are Obsidian's, as observed by people who ran its `getFirstLinkpathDest` (1.13)
/// (<https://github.com/pvliesdonk/markdown-vault-mcp/pull/1380>, and its pull request 1385); its help only
/// says that folders start at the vault's root. They hold for wikilinks and Markdown links:
///
/// 1. Candidates are the files whose name is the link's last component, taken as is if it contains a dot,
///    otherwise with `.md`. Case and Unicode composition are ignored.
/// 2. A name without folder that only one file has refers to that file.
/// 3. `./` and `../` are relative to the folder of the note with the link, and name exactly one file.
/// 4. A path from the vault's root refers to that file, even if another is nearer; with a leading `/` it
///    refers to that file or none.
/// 5. Otherwise any file whose path ends in the link matches: those below the folder of the note with the
///    link come first, then shorter paths, then alphabetical order (where Obsidian takes the first one it
///    encounters).
///
/// Unlike in Obsidian, paths are compared by component (there `ary/index` matches `glossary/index.md`), and
/// `..` never leads above the root.
#[derive(Debug, Default)]
pub(crate) struct Names {
    files: Vec<File>,
    /// By folded file name, including the extension.
    by_name: HashMap<Arc<str>, Vec<usize>>,
}

#[derive(Debug)]
struct File {
    path: VaultPath,
    folded: String,
}

impl Names {
    pub(crate) fn new<'a>(paths: impl Iterator<Item = &'a VaultPath>) -> Names {
        let mut names = Names::default();
        for path in paths {
            let folded = folded(path.as_str());
            let name: Arc<str> = last_part(&folded).into();
            names.by_name.entry(name).or_default().push(names.files.len());
            names.files.push(File { path: path.clone(), folded });
        }
        names
    }

    /// The file that `target` refers to in the note at `from`; an empty target refers to that note.
    pub(crate) fn resolve(&self, target: &str, from: Option<&VaultPath>) -> Option<&VaultPath> {
        let target = target.trim();
        if target.is_empty() {
            let own = from?;
            return self.candidates(own.as_str()).find(|file| file.path == *own).map(|file| &file.path);
        }
        let wanted = folded(target);
        let (is_rooted, wanted) = match wanted.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, wanted.as_str()),
        };
        // The file name is looked up as is or with `.md`; the path is matched accordingly.
        let (ids, wanted) = self.named(wanted)?;
        if let [only] = ids.as_slice()
            && !is_rooted
            && !wanted.contains('/')
        {
            return Some(&self.files[*only].path);
        }
        let files = ids.iter().map(|id| &self.files[*id]);
        let source = from.map_or_else(String::new, |from| folded(from.folder()));
        // Among files that differ in case only, prefer the exact spelling.
        let written = target.trim_start_matches(['.', '/']);
        let differs = |file: &File| {
            let path = file.path.as_str();
            !ends_in(path, written) && !path.strip_suffix(".md").is_some_and(|path| ends_in(path, written))
        };
        if wanted.starts_with("./") || wanted.starts_with("../") {
            let wanted = joined(&source, &wanted)?;
            return files
                .filter(|file| file.folded == wanted)
                .min_by_key(|file| (differs(file), &file.path))
                .map(|file| &file.path);
        }
        if let Some(exact) =
            files.clone().filter(|file| file.folded == wanted).min_by_key(|file| (differs(file), &file.path))
        {
            return Some(&exact.path);
        }
        if is_rooted {
            return None;
        }
        files
            .filter(|file| ends_in(&file.folded, &wanted))
            .min_by_key(|file| {
                let is_far = !source.is_empty() && !is_below(&file.folded, &source);
                (is_far, file.folded.chars().count(), differs(file), &file.path)
            })
            .map(|file| &file.path)
    }

    /// Whether no other file has the file name of `path`.
    pub(crate) fn is_unique(&self, path: &VaultPath) -> bool {
        self.candidates(path.as_str()).count() == 1
    }

    /// Whether the file was added.
    pub(crate) fn contains(&self, path: &VaultPath) -> bool {
        self.candidates(path.as_str()).any(|file| file.path == *path)
    }

    fn candidates(&self, path: &str) -> impl Iterator<Item = &File> {
        let name = folded(last_part(path));
        self.by_name.get(name.as_str()).into_iter().flatten().map(|id| &self.files[*id])
    }

    /// The files with a folded target's name, and the target with their extension.
    fn named(&self, wanted: &str) -> Option<(&Vec<usize>, String)> {
        let name = last_part(wanted);
        if name.is_empty() {
            return None;
        }
        if name.contains('.')
            && let Some(ids) = self.by_name.get(name)
        {
            return Some((ids, wanted.to_owned()));
        }
        let with_extension = format!("{name}.md");
        self.by_name.get(with_extension.as_str()).map(|ids| (ids, format!("{wanted}.md")))
    }
}

/// A folded target's last component without `.md`: links with different keys refer to different files.
pub(crate) fn key(target: &str) -> String {
    let folded = folded(target.trim());
    let name = last_part(&folded);
    name.strip_suffix(".md").unwrap_or(name).to_owned()
}

/// The keys of all links that can refer to the file: its name, its name with extension and, for a name like
/// `notes.md.md`, its name without either.
pub(crate) fn keys_of(path: &VaultPath) -> [String; 3] {
    let name = key(path.as_str());
    [key(&name), folded(last_part(path.as_str())), name]
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ends_in(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// A relative path resolved against a folder; `None` if it leads above the root.
fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
