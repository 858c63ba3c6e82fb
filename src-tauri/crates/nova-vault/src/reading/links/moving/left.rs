//! References to a moved note that Nova does not rewrite: in expressions of bases, in `.base` files and
//! notes.

use std::sync::Arc;

use super::{LeftLink, MovePlan};
use crate::draft::Draft;
use crate::note::{VaultPath, folded};
use crate::reading::base::base_blocks;

/// In characters; longer lines of an expression are truncated.
const SHOWN: usize = 200;

impl MovePlan<'_> {
    /// The references broken by the move in those of the files `paths` that are visible to the reader. An
    /// unreadable file has no working references.
    pub(super) fn left_in_bases<'p>(
        &self,
        draft: &Draft,
        paths: impl Iterator<Item = &'p VaultPath>,
    ) -> Vec<LeftLink> {
        let mut left = Vec::new();
        for path in paths.filter(|path| *path != self.from && !draft.view().privacy().lists(path)) {
            if path.as_str().ends_with(".base")
                && let Some(text) = text_of(draft, path)
            {
                let found = self.left_in_base(&text).into_iter();
                left.extend(found.map(|(line, text)| LeftLink { path: path.clone(), line, text }));
            }
        }
        left
    }

    /// The references broken by the move in the bases of a note.
    pub(super) fn left_in_blocks(&self, note: &VaultPath, text: &str) -> Vec<LeftLink> {
        let mut left = Vec::new();
        for (lines_before, block) in base_blocks(text) {
            let before = u32::try_from(lines_before).unwrap_or(u32::MAX);
            left.extend(self.left_in_base(&block).into_iter().map(|(line, text)| LeftLink {
                path: self.path_after(note).clone(),
                line: line.saturating_add(before),
                text,
            }));
        }
        left
    }

    /// Lines that contain the note's path, or the name it loses, in quotes or brackets. Types and tags are
    /// excluded, even if a note has the same name.
    fn left_in_base(&self, text: &str) -> Vec<(u32, String)> {
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
                        && !names_no_note(&line[..at])
                        && line[at + reference.len()..].starts_with(['"', '\'', ']', '|', '#'])
                })
            })
        };
        let lines = (1u32..).zip(text.lines()).filter(|(_, line)| refers(line));
        lines.map(|(number, line)| (number, line.trim().chars().take(SHOWN).collect())).collect()
    }
}

/// Whether the quoted text after `before` is a type or a tag.
fn names_no_note(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', '\\', ' ']);
    let compared = before.strip_suffix("==").or_else(|| before.strip_suffix("!="));
    let is_type = compared.map(str::trim_end).and_then(|key| key.strip_suffix("type"));
    is_type.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-')))
        || before.ends_with("hastag(")
}

/// The planned text of a file that is no note.
pub(super) fn text_of(draft: &Draft, path: &VaultPath) -> Option<Arc<str>> {
    match draft.planned_texts().find(|(planned, _)| planned == path) {
        Some((_, text)) => Some(text),
        None => draft.vault().core().disk.text(path).ok()?.map(Arc::from),
    }
}
