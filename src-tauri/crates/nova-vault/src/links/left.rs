//! References to a moved note in files that Nova does not rewrite: canvases
//! (<https://jsoncanvas.org/spec/1.0/>) and the expressions of `.base` files.

use serde::Deserialize;

use super::moving::{LeftLink, MovePlan};
use crate::draft::Draft;
use crate::index::folded;
use crate::note::{VaultPath, outline};

/// Of a line of an expression so many characters are shown.
const SHOWN: usize = 200;

/// What of a canvas may lead to a note.
#[derive(Deserialize)]
struct Canvas {
    #[serde(default)]
    nodes: Vec<CanvasNode>,
}

#[derive(Deserialize)]
struct CanvasNode {
    /// A path from the vault's root.
    file: Option<String>,
    /// Markdown.
    text: Option<String>,
}

impl MovePlan<'_> {
    /// What leads nowhere after the move in the files among `paths` that the reader may see. A file
    /// that cannot be read leads nowhere already.
    pub(super) fn left_in_files<'p>(
        &self,
        draft: &Draft,
        paths: impl Iterator<Item = &'p VaultPath>,
    ) -> Vec<LeftLink> {
        let mut left = Vec::new();
        for path in paths.filter(|path| *path != self.from && !draft.view().privacy().lists(path)) {
            let find = match path.as_str().rsplit_once('.') {
                Some((_, "canvas")) => MovePlan::left_in_canvas,
                Some((_, "base")) => MovePlan::left_in_base,
                _ => continue,
            };
            let planned = draft.planned_texts().find(|(planned, _)| planned == path);
            let text = match planned {
                Some((_, text)) => text,
                None => match draft.vault().core().disk.text(path) {
                    Ok(Some(text)) => text.into(),
                    _ => continue,
                },
            };
            let found = find(self, path, &text);
            left.extend(found.into_iter().map(|(line, text)| LeftLink { path: path.clone(), line, text }));
        }
        left
    }

    fn left_in_canvas(&self, path: &VaultPath, text: &str) -> Vec<(u32, String)> {
        let Ok(canvas) = serde_json::from_str::<Canvas>(text) else { return Vec::new() };
        let mut links = Vec::new();
        for node in canvas.nodes {
            if let Some(file) = node.file
                && self.before.resolve(&format!("/{file}"), None) == Some(self.from)
            {
                links.push((json(&file), file));
            }
            let Some(markdown) = node.text else { continue };
            for link in outline(&markdown).links {
                if self.before.resolve(&link.target, Some(path)) == Some(self.from)
                    && self.after.resolve(&link.target, Some(path)) != Some(self.to)
                {
                    let link = &markdown[link.span];
                    links.push((json(link).trim_matches('"').to_owned(), link.to_owned()));
                }
            }
        }
        // The nodes come in the order of the text. One that is written in another way, with escapes
        // that JSON does not ask for, ends the search: the others would be looked for as in vain.
        let mut rest = Some(text);
        let mut line = 1u32;
        let line_of = |(written, link): (String, String)| {
            rest = rest.and_then(|text| {
                let (before, after) = text.split_once(&written)?;
                line = line.saturating_add(u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX));
                Some(after)
            });
            (line, link)
        };
        links.into_iter().map(line_of).collect()
    }

    /// Lines that have the note's path, or the name that it loses, between quotes or brackets.
    fn left_in_base(&self, _: &VaultPath, text: &str) -> Vec<(u32, String)> {
        let mut references = vec![folded(self.from.as_str())];
        if self.from.name() != self.to.name() {
            let file = self.from.as_str().rsplit('/').next().unwrap_or_default();
            references.extend([folded(file), folded(self.from.name())]);
        }
        references
            .extend(self.from.as_str().strip_suffix(".md").filter(|path| path.contains('/')).map(folded));
        let refers = |line: &str| {
            let line = folded(line);
            references.iter().any(|reference| {
                line.match_indices(reference.as_str()).any(|(at, _)| {
                    line[..at].ends_with(['"', '\'', '['])
                        && line[at + reference.len()..].starts_with(['"', '\'', ']', '|', '#'])
                })
            })
        };
        let lines = (1u32..).zip(text.lines()).filter(|(_, line)| refers(line));
        lines.map(|(number, line)| (number, line.trim().chars().take(SHOWN).collect())).collect()
    }
}

/// As Obsidian writes it.
fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
