//! What a skill asks of its records that a declaration cannot say.

use async_trait::async_trait;
use nova_vault::Note;
use nova_vault::note::PropertyEdit;
use serde_json::{Map, Value};

use super::form::entered;
use super::{Field, FieldKind, RecordType, write};
use crate::{ToolContext, ToolError};

/// The rules of a skill for its records: what goes with what across fields and notes. They hold for a
/// record that is saved with its form as they do for the skill's own tools.
///
/// A note that is edited in another program is not asked: what its rules refuse is a problem there.
#[async_trait]
pub trait RecordRules: Send + Sync {
    /// Looks at a record that is about to be written. It may fill in fields of the draft and change the
    /// notes that follow from the record, all in one change with it. The vault does not have the
    /// draft yet.
    ///
    /// # Errors
    /// Why the record cannot be saved; then nothing is written. [`ToolError::InvalidArguments`] whose
    /// path is a field, such as `/quantity`, is shown beside that field.
    async fn apply(&self, draft: &mut RecordDraft, ctx: &dyn ToolContext) -> Result<(), ToolError>;
}

/// A record as it is about to be saved: its fields by their declared names, as a form has them.
#[derive(Debug, Clone)]
pub struct RecordDraft {
    record_type: String,
    note: Option<Note>,
    /// Empty of a new one.
    before: Map<String, Value>,
    given: Map<String, Value>,
    values: Map<String, Value>,
}

impl RecordDraft {
    /// A new record, its values as its note will hold them: a currency in capitals, a choice as it is
    /// declared. What is empty is left out, and what no note can hold stays as it was entered.
    pub fn new(declared: &RecordType, values: &Map<String, Value>) -> Self {
        let said = |(key, value): (&String, &Value)| {
            let value = entered(Some(value))?;
            // The name that a link is to show would be lost with the name of its note.
            let is_renamed = |field: &&Field| {
                field.kind == FieldKind::Link && value.as_str().is_some_and(write::is_renamed)
            };
            let field = declared.fields.get(key).filter(|field| !is_renamed(field));
            let written = field.and_then(|field| Some(field.form_value(&field.write(key, &value).ok()?)));
            Some((key.clone(), written.unwrap_or(value)))
        };
        let given: Map<String, Value> = values.iter().filter_map(said).collect();
        Self {
            record_type: declared.name().to_owned(),
            note: None,
            before: Map::new(),
            values: given.clone(),
            given,
        }
    }

    /// A record with these edits, which its type has made.
    pub fn edited(declared: &RecordType, note: Note, edits: &[PropertyEdit]) -> Self {
        let before = declared.form_values(&note);
        let mut given = before.clone();
        for (key, field) in &declared.fields {
            let property = note.document.spelled(field.property()).unwrap_or(field.property());
            for edit in edits {
                match edit {
                    PropertyEdit::Set { key: set, value } if set == property => {
                        given.insert(key.clone(), field.form_value(value));
                    }
                    PropertyEdit::Remove { key: removed } if removed == property => {
                        given.remove(key);
                    }
                    _ => {}
                }
            }
        }
        Self {
            record_type: declared.name().to_owned(),
            note: Some(note),
            before,
            values: given.clone(),
            given,
        }
    }

    /// The name that its type is declared by.
    pub fn record_type(&self) -> &str {
        &self.record_type
    }

    /// The note as it is; none of a new record.
    pub fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// What it is to hold.
    pub fn values(&self) -> &Map<String, Value> {
        &self.values
    }

    /// A field that is held as a text: numbers that may have a fraction, dates and names are.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.values.get(field).and_then(Value::as_str)
    }

    /// What the note said until now.
    pub fn text_before(&self, field: &str) -> Option<&str> {
        self.before.get(field).and_then(Value::as_str)
    }

    /// Whether it is to hold something else than the note does. All that a new one says is.
    pub fn changes(&self, field: &str) -> bool {
        self.values.get(field) != self.before.get(field)
    }

    /// Fills in a field, or changes it to what is meant by it.
    pub fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.values.insert(field.to_owned(), value.into());
    }

    /// What was filled in since it was made, null where it was taken out.
    pub fn filled_in(&self) -> Map<String, Value> {
        let mut filled: Map<String, Value> = self
            .values
            .iter()
            .filter(|(key, value)| self.given.get(*key) != Some(value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let gone = self.given.keys().filter(|key| !self.values.contains_key(*key));
        filled.extend(gone.map(|key| (key.clone(), Value::Null)));
        filled
    }
}
