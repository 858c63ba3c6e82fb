//! Infers which notes a text is drawn from when a tool received many at once and does not name its sources.

use std::collections::{BTreeMap, BTreeSet};

use nova_skill::{Note, VaultPath};
use nova_vault::QueryRow;
use serde::Serialize;
use serde_json::Value;

/// Minimum length in bytes; a shorter text could come from anywhere.
const SHORTEST: usize = 3;

/// A text found in more notes than this is common vocabulary of the vault, such as a stage or a currency.
const FEW: usize = 20;

/// The note content that a call received: read individually, found by a search, or listed by a query.
#[derive(Default)]
pub(crate) struct ReceivedNotes(BTreeMap<VaultPath, Vec<Received>>);

/// Content received of one note. Large content is shared, not copied.
enum Received {
    Whole(Note),
    Row(QueryRow),
    Text(String),
}

impl ReceivedNotes {
    pub(crate) fn whole(&mut self, note: &Note) {
        self.add(&note.path, Received::Whole(note.clone()));
    }

    pub(crate) fn row(&mut self, row: &QueryRow) {
        self.add(&row.path, Received::Row(row.clone()));
    }

    pub(crate) fn text(&mut self, path: &VaultPath, text: &str) {
        self.add(path, Received::Text(text.to_owned()));
    }

    /// Adds some of its values as they are displayed.
    pub(crate) fn values(&mut self, path: &VaultPath, values: &impl Serialize) {
        for text in texts(&serde_json::to_value(values).unwrap_or_default()) {
            self.text(path, &text);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &VaultPath> {
        self.0.keys()
    }

    fn add(&mut self, path: &VaultPath, received: Received) {
        self.0.entry(path.clone()).or_default().push(received);
    }

    /// Returns the `candidates` that one of the texts is drawn from: the text is part of the note, or
    /// contains its name, a value or a line of it. Text that is also in the `named` notes or in the arguments
    /// is attributed to them.
    pub(crate) fn sources_in(
        &self,
        texts: &[String],
        candidates: impl Iterator<Item = VaultPath>,
        named: &BTreeSet<VaultPath>,
        args: &Value,
    ) -> Vec<VaultPath> {
        let mut known = self::texts(args);
        known.extend(named.iter().flat_map(|path| self.pieces(path)));
        let is_known = |text: &str| known.iter().any(|known| known.contains(text));
        let unknown: Vec<&String> = texts.iter().filter(|text| !is_known(text)).collect();
        let stands = |piece: &String| {
            unknown.iter().any(|text| {
                piece == *text
                    || text.len() >= SHORTEST && piece.contains(text.as_str())
                    || piece.len() >= SHORTEST && text.contains(piece.as_str()) && !is_known(piece)
            })
        };
        candidates.filter(|path| self.pieces(path).iter().any(stands)).collect()
    }

    /// Returns those of the `read` and received notes whose path or name, or a piece found in few of them, is
    /// in one of the texts: a common piece identifies no note. Text in the arguments is attributed to them.
    pub(crate) fn mentioned_in<'a>(
        &'a self,
        texts: &[String],
        read: impl Iterator<Item = &'a VaultPath>,
        args: &Value,
    ) -> BTreeSet<VaultPath> {
        let known = self::texts(args);
        let stands = |piece: &String| {
            piece.len() >= SHORTEST
                && texts.iter().any(|text| text.contains(piece.as_str()))
                && !known.iter().any(|known| known.contains(piece.as_str()))
        };
        let mut having: BTreeMap<String, BTreeSet<VaultPath>> = BTreeMap::new();
        for path in read.chain(self.paths()) {
            for piece in self.pieces(path).into_iter().filter(stands) {
                having.entry(piece).or_default().insert(path.clone());
            }
        }
        having.into_values().filter(|notes| notes.len() <= FEW).flatten().collect()
    }

    /// The path, the name, and each received value and line of a note.
    fn pieces(&self, path: &VaultPath) -> Vec<String> {
        let mut pieces = vec![path.to_string(), path.name().to_owned()];
        for received in self.0.get(path).into_iter().flatten() {
            match received {
                Received::Whole(note) => {
                    let properties = note.document.properties().iter().filter(|(key, _)| *key != "type");
                    pieces.extend(properties.flat_map(|(_, property)| texts(&property.value.to_json())));
                    let body = note.text.get(note.document.body_start()..).unwrap_or_default();
                    pieces.extend(body.lines().map(|line| line.trim().to_owned()));
                }
                Received::Row(row) => {
                    let properties = row.document.properties().iter().filter(|(key, _)| *key != "type");
                    pieces.extend(properties.flat_map(|(_, property)| texts(&property.value.to_json())));
                }
                Received::Text(text) => pieces.push(text.trim().to_owned()),
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}

/// Whether a value is empty: no text, number or boolean.
pub(crate) fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_empty_value),
        Value::Object(entries) => entries.values().all(is_empty_value),
    }
}

/// All texts in a value, including object keys.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.trim().to_owned()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(entries) => {
            entries.iter().flat_map(|(key, inner)| std::iter::once(key.clone()).chain(texts(inner))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
