//! Rules for a skill's records that a declaration cannot express.

use async_trait::async_trait;
use nova_vault::Note;
use nova_vault::note::PropertyEdit;
use serde_json::{Map, Value};

use super::form::entered;
use super::{Field, FieldKind, RecordType, write};
use crate::{ToolContext, ToolError};

/// The rules of a skill for its records, across fields and notes. They apply to records saved with a form and
/// to the skill's own tools alike.
///
/// Edits in another program are not checked: a record there that violates the rules is reported as a problem.
#[async_trait]
pub trait RecordRules: Send + Sync {
    /// Checks a record before it is written. It may fill in fields of the draft and change dependent notes,
    /// all in one change set. The vault does not contain the draft yet.
    ///
    /// # Errors
    /// Why the record cannot be saved; nothing is written then. A [`ToolError::InvalidArguments`] whose path
    /// is a field, such as `/quantity`, is shown at that field.
    async fn apply(&self, draft: &mut RecordDraft, ctx: &dyn ToolContext) -> Result<(), ToolError>;
}

/// A record to be saved: its fields by their declared names, in the form's format.
#[derive(Debug, Clone)]
pub struct RecordDraft {
    record_type: String,
    note: Option<Note>,
    /// Empty for a new record.
    before: Map<String, Value>,
    given: Map<String, Value>,
    values: Map<String, Value>,
}

impl RecordDraft {
    /// A new record, with values as its note will contain them: a currency in upper case, a choice in its
    /// declared spelling. Empty values are omitted, and invalid ones are left as entered.
    pub fn new(declared: &RecordType, values: &Map<String, Value>) -> Self {
        let said = |(key, value): (&String, &Value)| {
            let value = entered(Some(value))?;
            // The display text of a link would be lost with the name of its note.
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

    /// A record with these edits, which were created by its type.
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

    /// The declared name of its type.
    pub fn record_type(&self) -> &str {
        &self.record_type
    }

    /// The existing note; `None` for a new record.
    pub fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// The values to be saved.
    pub fn values(&self) -> &Map<String, Value> {
        &self.values
    }

    /// A field with a text value, such as decimals, dates and names.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.values.get(field).and_then(Value::as_str)
    }

    /// The current text in the note.
    pub fn text_before(&self, field: &str) -> Option<&str> {
        self.before.get(field).and_then(Value::as_str)
    }

    /// Whether its value differs from the note's; always true for values of a new record.
    pub fn changes(&self, field: &str) -> bool {
        self.values.get(field) != self.before.get(field)
    }

    /// Fills in a field, or normalises its value.
    pub fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.values.insert(field.to_owned(), value.into());
    }

    /// Values filled in since it was created, null for removed ones.
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
