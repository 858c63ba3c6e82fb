//! Canvases (<https://jsoncanvas.org/spec/1.0/>): file nodes, and links in the Markdown of text nodes.

use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::moving::MovePlan;
use super::outlines::Outlined;
use super::rewrite::{rewritten, spliced};
use crate::error::VaultError;
use crate::note::VaultPath;

/// The parts of a canvas that may refer to a note.
#[derive(Deserialize)]
struct Canvas<'a> {
    #[serde(borrow, default)]
    nodes: Vec<Node<'a>>,
}

#[derive(Deserialize)]
struct Node<'a> {
    /// A path from the vault's root.
    #[serde(borrow)]
    file: Option<&'a RawValue>,
    /// Markdown.
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

/// The effect of a move on a canvas.
#[derive(Debug, Default)]
pub(super) struct CanvasMove {
    /// The new text, if it changes: only the strings of nodes that refer to the note.
    pub(super) text: Option<String>,
    /// Links that will be broken and stay unchanged, with their lines.
    pub(super) left: Vec<(u32, String)>,
}

impl MovePlan<'_> {
    /// Rewrites a canvas. An unreadable one has no working links. Links in a text node stay unchanged if
    /// its string has escapes that JSON does not require: serialising it again would change more than the
    /// links.
    pub(super) fn rewrite_canvas(
        &self,
        path: &VaultPath,
        text: &str,
        is_visible: bool,
    ) -> Result<CanvasMove, VaultError> {
        let mut done = CanvasMove::default();
        let Ok(canvas) = serde_json::from_str::<Canvas<'_>>(text) else { return Ok(done) };
        let mut splices = Vec::new();
        for node in canvas.nodes {
            if let Some((span, file)) = string(text, node.file)
                && self.before.resolve(&format!("/{file}"), None) == Some(self.from)
            {
                splices.push((span, json(self.to.as_str())));
            }
            let Some((span, markdown)) = string(text, node.text) else { continue };
            let outlined = Outlined::of(&markdown);
            let changes = self.changes(path, &outlined, is_visible)?;
            if changes.is_empty() {
                continue;
            }
            let is_plain = text[span.clone()] == json(&markdown);
            match rewritten(&markdown, &outlined.outline, &changes) {
                Ok(markdown) if is_plain => splices.push((span, json(&markdown))),
                _ => {
                    let line = text[..span.start].matches('\n').count() + 1;
                    let line = u32::try_from(line).unwrap_or(u32::MAX);
                    let links = changes.iter().map(|change| &outlined.outline.links[change.link]);
                    done.left.extend(links.map(|link| (line, markdown[link.span.clone()].to_owned())));
                }
            }
        }
        if !splices.is_empty() {
            done.text = spliced(text, splices);
        }
        Ok(done)
    }
}

/// Decodes a JSON string; returns its range, quotes included, and its value.
fn string(text: &str, raw: Option<&RawValue>) -> Option<(Range<usize>, String)> {
    let raw = raw?.get();
    let start = raw.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let span = start..start + raw.len();
    (text.get(span.clone()) == Some(raw)).then_some((span, serde_json::from_str(raw).ok()?))
}

/// As Obsidian writes it.
fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
