//! Link targets by the vault's configured format.

use super::names::Names;
use crate::note::{Link, LinkKind, VaultPath};
use crate::obsidian::LinkFormat;

impl LinkFormat {
    /// Whether a Markdown link in the note at `from` is a path relative to its folder. Such a link must be
    /// adapted when the note moves, even if Obsidian would still find the file by its name. A bare name
    /// counts as a path only if the vault uses relative links.
    pub(super) fn is_way(self, link: &Link, from: &VaultPath, was: &VaultPath) -> bool {
        let is_markdown = matches!(link.kind, LinkKind::Markdown | LinkKind::Image | LinkKind::Definition);
        let is_set = self == LinkFormat::Relative;
        let is_own = is_set || (link.target.contains('/') && !from.folder().is_empty());
        let way = relative(from.folder(), was);
        is_markdown && is_own && (link.target == way || link.target == without_extension(way))
    }

    /// Candidate targets, best first, for `link` in the note at `from` (before: `from_before`), which meant
    /// the file at `was`, to mean the file at `to`. A name stays a name where the setting permits; a path
    /// stays a path of its kind.
    pub(super) fn targets(
        self,
        link: &Link,
        (from_before, was): (&VaultPath, &VaultPath),
        (from, to): (&VaultPath, &VaultPath),
        names: &Names,
    ) -> Vec<String> {
        let had_extension = !was.is_note() || ends_in_md(&link.target);
        let keeps = |path: String| if had_extension { path } else { without_extension(path) };
        let name = keeps(file_name(to).to_owned());
        let root = keeps(to.as_str().to_owned());
        let near = keeps(relative(from.folder(), to));
        let explicit = if near.starts_with("../") { near.clone() } else { format!("./{near}") };

        let is_path = link.target.contains('/');
        let mut targets = if link.target.starts_with("./") {
            vec![explicit.clone()]
        } else if link.target.starts_with("../") {
            vec![near.clone()]
        } else if link.target.starts_with('/') {
            vec![format!("/{root}")]
        } else if is_path {
            let was_near =
                !from_before.folder().is_empty() && keeps(relative(from_before.folder(), was)) == link.target;
            if was_near { vec![near, root.clone()] } else { vec![root.clone()] }
        } else {
            match self {
                LinkFormat::Shortest if names.is_unique(to) => vec![name],
                LinkFormat::Relative => vec![near],
                LinkFormat::Shortest | LinkFormat::Absolute => Vec::new(),
            }
        };
        targets.extend([root.clone(), format!("/{root}"), explicit]);
        // With its extension a name is unambiguous even if a file without extension has it.
        targets.extend([to.as_str().to_owned(), format!("/{to}")]);
        targets
    }

    /// Candidate targets, best first, for a new link to the file in a note of `folder`.
    pub(super) fn new_targets(self, folder: &str, to: &VaultPath, names: &Names) -> Vec<String> {
        let (near, root) = (relative(folder, to), to.as_str().to_owned());
        let explicit = if near.starts_with("../") { near.clone() } else { format!("./{near}") };
        let mut targets = match self {
            LinkFormat::Shortest if names.is_unique(to) => vec![file_name(to).to_owned()],
            LinkFormat::Relative => vec![near, explicit.clone()],
            LinkFormat::Shortest | LinkFormat::Absolute => Vec::new(),
        };
        targets.extend([root.clone(), format!("/{root}"), explicit]);
        targets
    }
}

pub(super) fn file_name(path: &VaultPath) -> &str {
    path.as_str().rsplit('/').next().unwrap_or_default()
}

fn ends_in_md(target: &str) -> bool {
    target.len() > 3
        && target.is_char_boundary(target.len() - 3)
        && target[target.len() - 3..].eq_ignore_ascii_case(".md")
}

pub(super) fn without_extension(mut path: String) -> String {
    if ends_in_md(&path) {
        path.truncate(path.len() - 3);
    }
    path
}

/// The relative path from a folder to a file: `Jane.md`, `People/Jane.md`, `../Jane.md`.
pub(super) fn relative(folder: &str, to: &VaultPath) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let parts: Vec<&str> = to.as_str().split('/').collect();
    let shared = from.iter().zip(&parts[..parts.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(parts[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}
