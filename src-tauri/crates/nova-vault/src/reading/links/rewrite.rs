//! Replaces the targets of links in a text, and nothing else.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::note::{Document, FrontMatter, Link, LinkKind, Notation, Outline, Value, YamlQuotes, outline};

/// A link whose target changes.
#[derive(Debug)]
pub(super) struct Change {
    /// Index in the outline's links.
    pub(super) link: usize,
    /// Candidate targets, best first. The first that the link's notation can express is written.
    pub(super) targets: Vec<String>,
}

/// Why a text was not rewritten.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unwritable {
    /// The line of the link that cannot be written, 1-based.
    pub(super) line: u32,
}

/// The text with the new link targets. It is parsed again: every changed link must have its intended
/// target, and everything else must be unchanged. `changes` are in the order of the links.
pub(super) fn rewritten(text: &str, before: &Outline, changes: &[Change]) -> Result<String, Unwritable> {
    let mut chosen = Vec::with_capacity(changes.len());
    for change in changes {
        let link = &before.links[change.link];
        let (target, encoded) = change
            .targets
            .iter()
            .find_map(|target| Some((target.as_str(), encoded(text, link, target)?)))
            .ok_or(Unwritable { line: link.line })?;
        chosen.push(Chosen { index: change.link, link, target, encoded });
    }
    let mut attempts = [in_place(text, &chosen), quoted(text, &chosen)];
    if chosen.iter().any(|chosen| gains_a_comma(text, chosen)) {
        attempts.reverse();
    }
    let line = chosen.first().map_or(1, |chosen| chosen.link.line);
    attempts
        .into_iter()
        .flatten()
        .find(|after| is_exact(text, after, before, &chosen))
        .ok_or(Unwritable { line })
}

/// A byte range and its replacement.
type Splice = (Range<usize>, String);

struct Chosen<'a> {
    index: usize,
    link: &'a Link,
    target: &'a str,
    encoded: String,
}

/// Replaces each target where it is.
fn in_place(text: &str, chosen: &[Chosen<'_>]) -> Option<String> {
    spliced(text, chosen.iter().map(|c| (c.link.target_span.clone(), c.encoded.clone())).collect())
}

/// Whether an unquoted link would get a comma: Obsidian, unlike Nova, would read it as a list.
fn gains_a_comma(text: &str, chosen: &Chosen<'_>) -> bool {
    let Notation::Yaml { scalar, quotes: YamlQuotes::Plain } = &chosen.link.notation else { return false };
    let before = &text[scalar.clone()];
    before.starts_with("[[") && !before.contains(',') && chosen.encoded.contains(',')
}

/// The same, but quotes the unquoted properties that contain one of the links: a name may contain YAML
/// syntax (`Sales: 2026`).
fn quoted(text: &str, chosen: &[Chosen<'_>]) -> Option<String> {
    let mut splices = Vec::new();
    let mut scalars: BTreeMap<usize, (Range<usize>, Vec<Splice>)> = BTreeMap::new();
    for c in chosen {
        let splice = (c.link.target_span.clone(), c.encoded.clone());
        match &c.link.notation {
            Notation::Yaml { scalar, quotes: YamlQuotes::Plain } => {
                scalars.entry(scalar.start).or_insert_with(|| (scalar.clone(), Vec::new())).1.push(splice);
            }
            _ => splices.push(splice),
        }
    }
    if scalars.is_empty() {
        return None;
    }
    for (scalar, inner) in scalars.into_values() {
        let shifted = inner
            .into_iter()
            .map(|(range, with)| (range.start - scalar.start..range.end - scalar.start, with))
            .collect();
        let plain = spliced(&text[scalar.clone()], shifted)?;
        if plain.contains('\n') {
            return None;
        }
        splices.push((scalar, format!("\"{}\"", escaped_double(&plain))));
    }
    spliced(text, splices)
}

/// Links are sorted by their start, but their targets are not: a link's text may contain an image, before
/// the link's target.
pub(super) fn spliced(text: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len() + 64);
    let mut copied = 0;
    for (range, with) in splices {
        out.push_str(text.get(copied..range.start)?);
        out.push_str(&with);
        copied = range.end;
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}

/// A target in the notation of the link it replaces; `None` if that cannot express it.
fn encoded(text: &str, link: &Link, target: &str) -> Option<String> {
    match &link.notation {
        Notation::Wiki => wiki(target).map(str::to_owned),
        Notation::Yaml { quotes, .. } => wiki(target).map(|target| match quotes {
            YamlQuotes::Plain | YamlQuotes::Block => target.to_owned(),
            YamlQuotes::Single => target.replace('\'', "''"),
            YamlQuotes::Double => escaped_double(target),
        }),
        Notation::Bare | Notation::Angle => {
            let raw = &text[link.target_span.clone()];
            let encodes_all = !link.target.is_ascii() && raw.is_ascii();
            Some(percent_encoded(target, link.notation == Notation::Angle, encodes_all))
        }
    }
}

/// A name that can be written in `[[…]]`, where special characters cannot be escaped.
pub(super) fn wiki(target: &str) -> Option<&str> {
    let holds = !target.contains(['|', '#', '\n'])
        && !target.contains("[[")
        && !target.contains("]]")
        && !target.ends_with(['\\', ']'])
        && target.trim() == target;
    holds.then_some(target)
}

fn escaped_double(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// As Obsidian encodes destinations: characters that would end one are encoded, others stay readable.
/// Non-ASCII characters are encoded if they were before.
pub(super) fn percent_encoded(target: &str, is_angle: bool, encodes_all: bool) -> String {
    let mut out = String::with_capacity(target.len() + 16);
    for c in target.chars() {
        let encode = match c {
            ' ' => !is_angle,
            '(' | ')' => !is_angle,
            '%' | '<' | '>' | '\\' | '#' | '[' | ']' | '`' | '|' | '$' | ':' => true,
            c => c.is_control() || (encodes_all && !c.is_ascii()),
        };
        if encode {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn is_exact(before: &str, after: &str, was: &Outline, chosen: &[Chosen<'_>]) -> bool {
    let is = outline(after);
    let same_shape = is.links.len() == was.links.len()
        && is.tags.len() == was.tags.len()
        && is.headings.len() == was.headings.len()
        && is.blocks.len() == was.blocks.len();
    if !same_shape || !properties_agree(before, after) {
        return false;
    }
    let mut changes = chosen.iter().peekable();
    was.links.iter().zip(&is.links).enumerate().all(|(index, (old, new))| {
        let target = match changes.next_if(|change| change.index == index) {
            Some(change) => change.target,
            None => &old.target,
        };
        // An image in a link's text is part of its display text.
        let shown = old.display == new.display || matches!(old.kind, LinkKind::Markdown | LinkKind::Image);
        old.kind == new.kind && new.target == target && old.subpath == new.subpath && shown
    })
}

/// Whether the properties are equal except for link targets.
fn properties_agree(before: &str, after: &str) -> bool {
    fn agree(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
            }
            (Value::Map(a), Value::Map(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|((key, a), (other, b))| key == other && agree(a, b))
            }
            (Value::Link(_), Value::Link(_)) => true,
            (Value::Text(a), Value::Text(b)) => a == b || (a.contains("[[") && b.contains("[[")),
            (a, b) => a == b,
        }
    }
    let (before, after) = (Document::parse(before), Document::parse(after));
    match (before.front_matter(), after.front_matter()) {
        (FrontMatter::Present(a), FrontMatter::Present(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|((key, a), (other, b))| key == other && agree(&a.value, &b.value))
        }
        (a, b) => a == b,
    }
}
