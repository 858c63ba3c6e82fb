//! A record as a form: its values, validation of the input, and the resulting property edits.

use nova_vault::Note;
use nova_vault::note::{PropertyEdit, Value as PropertyValue, compose};
use serde_json::{Map, Value};

use super::{Field, FieldKind, RecordType, with_article};
use crate::ToolError;
use crate::figures::folded;

/// Why the input in one field of a form cannot be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFault {
    /// The field's declared name.
    pub field: String,
    /// A sentence: the problem and the remedy.
    pub message: String,
    /// The note was changed while the form was open: its current value, null for none. Overwriting it needs
    /// the user's confirmation.
    pub theirs: Option<Value>,
}

impl RecordType {
    /// The form's values for a note, by field in the declared order. Empty fields are absent.
    ///
    /// Decimals and dates are texts, as in the note; a link is the name of its target; a list is a list of
    /// texts. A value of the wrong kind is shown as text, for the user to correct.
    pub fn form_values(&self, note: &Note) -> Map<String, Value> {
        let shown = |(key, field): (&String, &Field)| {
            if field.is_file_name() {
                return Some((key.clone(), note.path.name().into()));
            }
            let value = note.document.property(&field.property)?;
            (!field.says_nothing(value)).then(|| (key.clone(), field.form_value(value)))
        };
        self.fields.iter().filter_map(shown).collect()
    }

    /// The text of a new note for a form's values. An empty field has no property, even if it has a default,
    /// since the form showed the default.
    ///
    /// # Errors
    /// Each field that cannot be saved, in the declared order.
    pub fn new_note_of_form(&self, values: &Map<String, Value>) -> Result<String, Vec<FieldFault>> {
        let mut faults = self.unknown_fields(values);
        let mut properties = Vec::new();
        for (key, field) in &self.fields {
            match entered(values.get(key)) {
                Some(_) if field.is_file_name() => {}
                Some(value) => match field.write(key, &value) {
                    Ok(value) => properties.push((field.property.clone(), value)),
                    Err(error) => faults.push(fault(key, field, &value, &error)),
                },
                None if field.required => faults.push(self.needed(key, field)),
                None => {}
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let properties = self.marked(properties).map_err(|error| self.fault_of_mark(&error))?;
        Ok(compose(&properties, &self.body))
    }

    fn fault_of_mark(&self, error: &ToolError) -> Vec<FieldFault> {
        let (property, message) = match error {
            ToolError::InvalidArguments { path, rule, .. } => {
                (path.trim_start_matches('/'), format!("It {rule}."))
            }
            other => ("", other.to_string()),
        };
        let of = self.fields.iter().find(|(_, field)| folded(&field.property) == folded(property));
        let field = of.map_or_else(|| property.to_owned(), |(key, _)| key.clone());
        vec![FieldFault { field, message, theirs: None }]
    }

    /// The edits of the note from the form's initial values, `before`, to its current ones, `values`. An
    /// absent field is empty in both.
    ///
    /// The note may have changed since the form was opened. This is a three-way merge: changes of one side
    /// are taken, equal changes are ignored, and items added to and removed from a list are merged; a
    /// conflict is an error with the note's value.
    ///
    /// # Errors
    /// Each field that cannot be saved, in the declared order.
    pub fn edits_of_form(
        &self,
        note: &Note,
        before: &Map<String, Value>,
        values: &Map<String, Value>,
    ) -> Result<Vec<PropertyEdit>, Vec<FieldFault>> {
        let now = self.form_values(note);
        let mut faults = self.unknown_fields(values);
        let mut edits = Vec::new();
        for (key, field) in &self.fields {
            let mine = entered(values.get(key));
            // Errors are also reported in unchanged fields, since the form shows them.
            let written = match mine.as_ref().map(|value| (value, field.write(key, value))) {
                None => None,
                Some((_, Ok(written))) => Some(written),
                Some((value, Err(error))) => {
                    faults.push(fault(key, field, value, &error));
                    continue;
                }
            };
            let (base, theirs) = (entered(before.get(key)), entered(now.get(key)));
            if mine.is_none() && field.required && !(self.is_title(key) && base.is_none()) {
                faults.push(self.needed(key, field));
                continue;
            }
            if mine == base || mine == theirs {
                continue;
            }
            if field.is_file_name() {
                let message = "It is the name of the note: rename the note in Obsidian.".to_owned();
                faults.push(FieldFault { field: key.clone(), message, theirs: None });
                continue;
            }
            let property = note.document.spelled(&field.property).unwrap_or(&field.property).to_owned();
            if theirs == base {
                edits.push(edit(property, written));
                continue;
            }
            let merged = merged_list(base.as_ref(), mine.as_ref(), theirs.as_ref());
            match merged.map(|merged| field.write(key, &merged)) {
                Some(Ok(list)) => edits.push(edit(property, Some(list))),
                _ => faults.push(FieldFault {
                    field: key.clone(),
                    message: format!(
                        "It was changed {} in the note while the form was open. Choose which one to keep.",
                        theirs
                            .as_ref()
                            .map_or_else(|| "to nothing".into(), |value| format!("to {}", said(value)))
                    ),
                    theirs: Some(theirs.unwrap_or(Value::Null)),
                }),
            }
        }
        if faults.is_empty() { Ok(edits) } else { Err(faults) }
    }

    /// The folder and name of a new note with these values, by [`RecordType::file`] and
    /// [`RecordType::below`]. If no value names it, it is named after its kind.
    pub fn place(&self, values: &Map<String, Value>) -> (String, String) {
        let text = |key: &str| {
            let (key, part) = key.split_once('.').unwrap_or((key, ""));
            let text = values.get(key).map(said).unwrap_or_default();
            // A date starts with its year.
            if part == "year" { text.chars().take_while(char::is_ascii_digit).collect() } else { text }
        };
        let name = match &self.file {
            Some(pattern) => filled(pattern, text),
            None => self.title.as_deref().map(text).unwrap_or_default(),
        };
        let name = if name.trim().is_empty() { self.name.clone() } else { name };
        // A value must not add folder levels.
        let below = self.below.as_deref().map(|pattern| filled(pattern, text).replace('/', "-"));
        let folder = self.folder.trim_end_matches('/');
        match below.filter(|below| !below.is_empty()) {
            Some(below) => (format!("{folder}/{below}"), name),
            None => (folder.to_owned(), name),
        }
    }

    fn is_title(&self, key: &str) -> bool {
        self.title.as_deref() == Some(key)
    }

    fn needed(&self, key: &str, field: &Field) -> FieldFault {
        let name = with_article(&self.name).replacen('a', "A", 1);
        let what = if field.choices.is_empty() { "Fill it in" } else { "Choose one" };
        let message = format!("{name} needs {}. {what}.", field.needs());
        FieldFault { field: key.to_owned(), message, theirs: None }
    }

    fn unknown_fields(&self, values: &Map<String, Value>) -> Vec<FieldFault> {
        let unknown = values.keys().filter(|key| !self.fields.contains_key(*key));
        let known: Vec<&str> = self.fields.keys().map(String::as_str).collect();
        let name = with_article(&self.name).replacen('a', "A", 1);
        let message = || format!("{name} has no such field; it has {}.", known.join(", "));
        unknown.map(|key| FieldFault { field: key.clone(), message: message(), theirs: None }).collect()
    }
}

impl Field {
    pub(super) fn form_value(&self, value: &PropertyValue) -> Value {
        let one = |value: &PropertyValue| match value.as_text() {
            Some(text) => self.meant(&text).unwrap_or_default().to_owned(),
            None => value.display(),
        };
        let text = || Value::String(one(value));
        match self.kind {
            FieldKind::Integer => self.as_integer(value).map_or_else(|_| text(), Value::from),
            FieldKind::Bool => self.as_bool(value).map_or_else(|_| text(), Value::from),
            FieldKind::Choice => self.as_choice(value).map_or_else(|_| text(), Value::from),
            FieldKind::List => match value {
                PropertyValue::List(items) => {
                    items.iter().filter(|item| !self.says_nothing(item)).map(one).collect()
                }
                _ => Value::Array(vec![text()]),
            },
            FieldKind::Text
            | FieldKind::Link
            | FieldKind::Date
            | FieldKind::Decimal
            | FieldKind::Currency => text(),
        }
    }
}

fn edit(key: String, value: Option<PropertyValue>) -> PropertyEdit {
    match value {
        Some(value) => PropertyEdit::Set { key, value },
        None => PropertyEdit::Remove { key },
    }
}

/// The trimmed input of a field; `None` if it is empty.
pub(super) fn entered(value: Option<&Value>) -> Option<Value> {
    match value? {
        Value::Null => None,
        Value::String(text) => {
            let text = text.trim();
            (!text.is_empty()).then(|| Value::from(text))
        }
        Value::Array(items) => {
            let items: Vec<Value> = items.iter().filter_map(|item| entered(Some(item))).collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        value => Some(value.clone()),
    }
}

/// Merges changes to a list if both sides only added and removed items; `None` if one side reordered it, or
/// if it is not a list.
fn merged_list(base: Option<&Value>, mine: Option<&Value>, theirs: Option<&Value>) -> Option<Value> {
    let items = |value: Option<&Value>| match value {
        None => Some(Vec::new()),
        Some(Value::Array(items)) => Some(items.clone()),
        Some(_) => None,
    };
    let (base, mine, theirs) = (items(base)?, items(mine)?, items(theirs)?);
    let kept = |of: &[Value], by: &[Value]| -> Vec<Value> {
        of.iter().filter(|item| by.contains(item)).cloned().collect()
    };
    if kept(&mine, &base) != kept(&base, &mine) || kept(&theirs, &base) != kept(&base, &theirs) {
        return None;
    }
    let stays = |item: &&Value| mine.contains(item) || !base.contains(item);
    let added = mine.iter().filter(|item| !base.contains(item) && !theirs.contains(item));
    Some(theirs.iter().filter(stays).chain(added).cloned().collect())
}

/// Fills the braces of a pattern; empty values leave no gap.
fn filled(pattern: &str, text: impl Fn(&str) -> String) -> String {
    let mut filled = String::new();
    let mut rest = pattern;
    while let Some((before, (key, after))) =
        rest.split_once('{').and_then(|(before, inner)| Some((before, inner.split_once('}')?)))
    {
        filled.push_str(before);
        filled.push_str(shortened(&text(key)));
        rest = after;
    }
    filled.push_str(rest);
    filled.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Truncates a long text, so that a file name has room for other parts.
fn shortened(text: &str) -> &str {
    const MAX_CHARS: usize = 60;
    let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
    text[..end].trim_end()
}

/// A value as part of a sentence or a name.
fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        Value::Array(items) => items.iter().map(said).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

/// The violated rule, with the remedy.
fn fault(key: &str, field: &Field, value: &Value, error: &ToolError) -> FieldFault {
    let as_written = PropertyValue::Text(said(value));
    let message = match field.fault(&as_written) {
        Some(fault) if !value.is_array() => format!("It {}. {}", fault.what.replace('`', ""), fault.remedy),
        _ => match error {
            ToolError::InvalidArguments { rule, .. } => format!("It {rule}."),
            error => error.to_string(),
        },
    };
    FieldFault { field: key.to_owned(), message, theirs: None }
}
