//! A note read as a record.

use std::borrow::Cow;

use jiff::civil::Date;
use nova_vault::Note;
use nova_vault::note::{Property, Value as PropertyValue};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::check::problem;
use super::fault::Fault;
use super::{Field, FieldKind, RecordType};
use crate::ToolError;

/// A note read as a record of a declared type. Fields are accessed by their declared names.
///
/// A missing or empty field is `None`. An invalid one is a [`ToolError::BrokenRecord`] with file, line and
/// remedy, never a guess.
pub struct Record<'a> {
    declared: &'a RecordType,
    note: &'a Note,
}

impl<'a> Record<'a> {
    pub(super) fn new(declared: &'a RecordType, note: &'a Note) -> Self {
        Self { declared, note }
    }

    /// The note it was read from.
    pub fn note(&self) -> &'a Note {
        self.note
    }

    /// A declared field as text, whatever its kind; a link is the name of its target.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] if the manifest does not declare the field, [`ToolError::BrokenRecord`] if
    /// the note has a list or a mapping there.
    pub fn text(&self, field: &str) -> Result<Option<String>, ToolError> {
        Ok(self.text_there(field)?.map(Cow::into_owned))
    }

    /// As [`Record::text`], without copying: for scans of thousands of records.
    ///
    /// # Errors
    /// As [`Record::text`].
    pub fn text_there(&self, field: &str) -> Result<Option<Cow<'a, str>>, ToolError> {
        let field = self.declared.field(field)?;
        if field.is_file_name() {
            return Ok(Some(self.note.path.name().into()));
        }
        self.typed(field, Field::scalar)
    }

    /// A date.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] if no such field is declared as a date, [`ToolError::BrokenRecord`] if the
    /// note's value is not a date.
    pub fn date(&self, field: &str) -> Result<Option<Date>, ToolError> {
        self.typed(self.declared.field_of(field, &[FieldKind::Date])?, Field::as_date)
    }

    /// A number, exactly as in the note. Integers are accepted too.
    ///
    /// # Errors
    /// As [`Record::date`].
    pub fn decimal(&self, field: &str) -> Result<Option<Decimal>, ToolError> {
        let field = self.declared.field_of(field, &[FieldKind::Decimal, FieldKind::Integer])?;
        self.typed(field, Field::as_decimal)
    }

    /// A whole number.
    ///
    /// # Errors
    /// As [`Record::date`].
    pub fn integer(&self, field: &str) -> Result<Option<i64>, ToolError> {
        self.typed(self.declared.field_of(field, &[FieldKind::Integer])?, Field::as_integer)
    }

    /// True or false.
    ///
    /// # Errors
    /// As [`Record::date`].
    pub fn bool(&self, field: &str) -> Result<Option<bool>, ToolError> {
        self.typed(self.declared.field_of(field, &[FieldKind::Bool])?, Field::as_bool)
    }

    /// A declared choice; case in the note is ignored.
    ///
    /// # Errors
    /// As [`Record::date`].
    pub fn choice(&self, field: &str) -> Result<Option<&'a str>, ToolError> {
        self.typed(self.declared.field_of(field, &[FieldKind::Choice])?, Field::as_choice)
    }

    /// A list; a single text counts as a list of one.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] if the manifest does not declare the field.
    pub fn list(&self, field: &str) -> Result<Vec<String>, ToolError> {
        let field = self.declared.field(field)?;
        let text = |value: &PropertyValue| {
            let text = value.as_text()?;
            field.meant(&text).map(str::to_owned)
        };
        Ok(match self.present(field).map(|property| &property.value) {
            Some(PropertyValue::List(items)) => items.iter().filter_map(text).collect(),
            Some(value) => text(value).into_iter().collect(),
            None => Vec::new(),
        })
    }

    /// The title field, or the note's name.
    pub fn title(&self) -> Cow<'a, str> {
        let title = self.declared.title.as_deref();
        title
            .and_then(|title| self.text_there(title).ok().flatten())
            .unwrap_or_else(|| self.note.path.name().into())
    }

    /// All declared fields that have a value, as JSON, in the declared order and with their declared names.
    pub fn to_json(&self) -> Map<String, Value> {
        self.declared
            .fields
            .iter()
            .filter_map(|(key, field)| {
                if field.is_file_name() {
                    return Some((key.clone(), self.note.path.name().into()));
                }
                let value = self.note.document.property(&field.property)?;
                Some((key.clone(), shown(field, value)?))
            })
            .collect()
    }

    /// As [`Record::to_json`], for fields that the user added.
    pub fn own_fields(&self) -> Map<String, Value> {
        let mut all = self.to_json();
        all.retain(|key, value| !value.is_null() && self.declared.fields.get(key).is_some_and(Field::is_own));
        all
    }

    /// The user's own properties, in the order of the note, excluding fields and the type.
    pub fn other_properties(&self) -> impl Iterator<Item = (&'a str, &'a PropertyValue)> {
        let (declared, document) = (self.declared, &self.note.document);
        document
            .properties()
            .iter()
            .filter(move |(key, _)| {
                // Excludes the property that a field is read from.
                let is = |property: &str| document.spelled(property) == Some(key.as_str());
                !is("type") && !declared.fields.values().any(|field| is(&field.property))
            })
            .map(|(key, property)| (key.as_str(), &property.value))
    }

    fn present(&self, field: &Field) -> Option<&'a Property> {
        let (_, property) = self.note.document.entry(&field.property)?;
        Some(property).filter(|property| !field.says_nothing(&property.value))
    }

    fn typed<T>(
        &self,
        field: &'a Field,
        read: impl FnOnce(&'a Field, &'a PropertyValue) -> Result<T, Fault>,
    ) -> Result<Option<T>, ToolError> {
        let Some(property) = self.present(field) else { return Ok(None) };
        read(field, &property.value).map(Some).map_err(|fault| {
            let what = format!("`{}` {}", field.property, fault.what);
            ToolError::BrokenRecord(problem(self.note, property.line, what, fault.remedy))
        })
    }
}

/// A link as the name of its target, a value in the skill's vocabulary, everything else unchanged.
fn shown(field: &Field, value: &PropertyValue) -> Option<Value> {
    Some(match value {
        PropertyValue::List(items) => {
            Value::Array(items.iter().filter_map(|item| shown(field, item)).collect())
        }
        value => match value.as_text() {
            Some(text) if field.has_values() || matches!(value, PropertyValue::Link(_)) => {
                Value::String(field.meant(&text)?.to_owned())
            }
            _ => value.to_json(),
        },
    })
}
