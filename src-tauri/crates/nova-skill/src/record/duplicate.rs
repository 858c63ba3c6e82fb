//! Detects duplicates of a record to be added.

use nova_vault::Note;
use serde_json::{Map, Value};

use super::{Record, RecordType};
use crate::figures::folded;

impl RecordType {
    /// The record among `notes` that a new one with these values would duplicate, with the identifying field:
    /// one with the same name, by property or note, otherwise one with the same value in a field of
    /// [`RecordType::unique`]. Case and surrounding spaces are ignored.
    pub fn duplicate_of<'a>(
        &'a self,
        notes: &'a [Note],
        values: &Map<String, Value>,
    ) -> Option<(Record<'a>, &'a str)> {
        let said = |field: &str| {
            let text = folded(values.get(field).and_then(Value::as_str).unwrap_or_default());
            (!text.is_empty()).then_some(text)
        };
        let records = || notes.iter().map(|note| self.read(note));
        let by_name = self.title.as_deref().and_then(|title| {
            let wanted = said(title)?;
            let is_called = |record: &Record<'_>| {
                folded(&record.title()) == wanted || folded(record.note().path.name()) == wanted
            };
            Some((records().find(is_called)?, title))
        });
        by_name.or_else(|| {
            self.unique.iter().find_map(|field| {
                let wanted = said(field)?;
                let has = |record: &Record<'_>| {
                    record.text(field).ok().flatten().is_some_and(|own| folded(&own) == wanted)
                };
                Some((records().find(has)?, field.as_str()))
            })
        })
    }

    /// Whether new notes of this type are named by the user's input.
    pub fn is_named(&self) -> bool {
        self.title.is_some() || self.file.is_some()
    }
}
