//! One record as interpreted, each value with its source in the note.

use nova_protocol::{NoteAsRead, ValueAsRead};
use nova_skill::{Field, Note, RecordType};
use serde_json::Value;

use super::Taken;
use crate::field_proposals::count;

/// The record with this index, or the last one.
pub(super) fn as_read(taken: &Taken<'_>, at: u32) -> Option<NoteAsRead> {
    let last = taken.notes.len().checked_sub(1)?;
    let at = usize::try_from(at).unwrap_or(last).min(last);
    let note = taken.notes.get(at)?;
    let read = taken.declared.read(note).to_json();
    let values = taken
        .declared
        .fields
        .iter()
        .filter_map(|(key, field)| value_of(taken.declared, note, key, field, read.get(key)));
    Some(NoteAsRead { at: count(at), path: note.path.to_string(), values: values.collect() })
}

fn value_of(
    declared: &RecordType,
    note: &Note,
    key: &str,
    field: &Field,
    read: Option<&Value>,
) -> Option<ValueAsRead> {
    let row = |value: String, from: String, understood| {
        Some(ValueAsRead { field: key.to_owned(), value, from, understood })
    };
    if field.is_file_name() {
        return row(note.path.name().to_owned(), "file name".to_owned(), true);
    }
    let Some((spelled, property)) = note.document.entry(field.property()) else {
        let is_title = declared.title.as_deref() == Some(key);
        return if is_title { row(note.path.name().to_owned(), "file name".to_owned(), true) } else { None };
    };
    let said = property.value.display();
    if said.trim().is_empty() {
        return None;
    }
    let understood = field.says_nothing(&property.value) || field.fits(&property.value);
    let value = if understood { read.map(shown).unwrap_or_default() } else { String::new() };
    // For a mapped value, the original text is shown as well.
    let from = match field.meaning(said.trim()) {
        None if understood => format!("{spelled}, line {}", property.line),
        _ => format!("{spelled}: {said}, line {}", property.line),
    };
    row(value, from, understood)
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
