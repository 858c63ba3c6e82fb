//! Suggestions for form fields: values used in records, and records by name.

use std::collections::BTreeMap;

use nova_protocol::{ErrorCode, FieldsOfRecords, NoteSuggestion, UserError, ValuesInUse};
use nova_skill::figures::folded;
use nova_skill::{FieldKind, RecordType};
use nova_vault::View;

use super::matching;
use crate::app::App;
use crate::blocking::blocking;
use crate::chat::unknown_skill;

/// Maximum number of values.
const MOST_VALUES: usize = 500;

impl App {
    pub(crate) async fn values_in_use(&self, wanted: FieldsOfRecords) -> Result<Vec<ValuesInUse>, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill =
            snapshot.listed(&wanted.skill).ok_or_else(|| unknown_skill(&snapshot, &wanted.skill))?.clone();
        let view = self.vault()?.seen_by_owner();
        blocking(move || {
            let values = wanted.fields.into_iter().map(|field| {
                let (declared, key) = skill.records.field_named(&field).ok_or_else(|| no_field(&field))?;
                let values = values_of(declared, key, &view)?;
                Ok(ValuesInUse { field, values })
            });
            values.collect()
        })
        .await
    }
}

/// Declared choices in order, then values of records, most frequent first. Spellings that differ only in case
/// are merged into the most frequent one.
fn values_of(declared: &RecordType, key: &str, view: &View) -> Result<Vec<String>, UserError> {
    let Some(field) = declared.fields.get(key) else { return Ok(Vec::new()) };
    let mut spellings: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for note in view.records(declared.recogniser())? {
        let record = declared.read(&note);
        // An invalid value is reported elsewhere, and not suggested.
        let said = match field.kind {
            FieldKind::List => record.list(key).unwrap_or_default(),
            _ => record.text(key).ok().flatten().into_iter().collect(),
        };
        for said in said.into_iter().filter(|said| !said.trim().is_empty()) {
            let said = said.trim().to_owned();
            *spellings.entry(folded(&said)).or_default().entry(said).or_default() += 1;
        }
    }
    for choice in &field.choices {
        spellings.remove(&folded(choice));
    }
    let mut used: Vec<(usize, String)> = spellings
        .into_values()
        .filter_map(|spelled| {
            let times = spelled.values().sum();
            let (most, _) = spelled.into_iter().rev().max_by_key(|(_, times)| *times)?;
            Some((times, most))
        })
        .collect();
    used.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let used = used.into_iter().map(|(_, value)| value);
    Ok(field.choices.iter().cloned().chain(used).take(MOST_VALUES).collect())
}

/// Records of a type by title or note name, best match first.
pub(super) fn records_like(
    declared: &RecordType,
    view: &View,
    text: &str,
) -> Result<Vec<NoteSuggestion>, UserError> {
    let mut found: Vec<(u8, NoteSuggestion)> = Vec::new();
    for note in view.records(declared.recogniser())? {
        let title = declared.read(&note).title().into_owned();
        let places = [&title, note.path.name()].map(|name| matching(&folded(name), text));
        if let Some(place) = places.into_iter().flatten().min() {
            let record_type = note.document.record_type().map(str::to_owned);
            found.push((place, NoteSuggestion { name: title, path: note.path.to_string(), record_type }));
        }
    }
    found.sort_by(|a, b| (a.0, &a.1.name, &a.1.path).cmp(&(b.0, &b.1.name, &b.1.path)));
    Ok(found.into_iter().map(|(_, suggestion)| suggestion).collect())
}

fn no_field(name: &str) -> UserError {
    UserError::new(
        ErrorCode::BadRequest,
        format!("\"{name}\" is not a field of a record."),
        "Name a record type and its field, such as expense.category.",
    )
}
