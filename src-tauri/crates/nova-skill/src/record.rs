use indexmap::IndexMap;
use nova_vault::Note;
use nova_vault::note::{PropertyEdit, Value as PropertyValue, compose, file_name};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::ToolError;

/// A kind of record as its skill declares it under `records:` in `manifest.yaml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RecordType {
    /// Where new notes go; a record counts wherever it lies.
    pub folder: String,
    /// The field whose value names the note.
    pub title: String,
    /// In the order they stand in a new note.
    pub fields: IndexMap<String, Field>,
    /// The body of a new note.
    #[serde(default)]
    pub body: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Field {
    pub kind: FieldKind,
    #[serde(default)]
    pub required: bool,
    /// Written into a new note where no value is given.
    #[serde(default)]
    pub default: Option<Value>,
    /// For `choice`.
    #[serde(default)]
    pub choices: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    Text,
    /// The name of another note, with or without `[[` and `]]`; written as `"[[Name]]"`, the
    /// name as the note's file bears it.
    Link,
    /// `YYYY-MM-DD`
    Date,
    /// A plain decimal.
    Decimal,
    Choice,
    /// A list of texts.
    List,
}

/// The record types of one skill, by their `type:` value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordTypes(pub IndexMap<String, RecordType>);

impl RecordTypes {
    /// # Errors
    /// [`ToolError::NotDeclared`] when the manifest has no such record type.
    pub fn get(&self, name: &str) -> Result<&RecordType, ToolError> {
        self.0.get(name).ok_or_else(|| ToolError::NotDeclared {
            what: format!("The record type \"{name}\" is not declared."),
            remedy: "Add it under records: in manifest.yaml.".into(),
        })
    }
}

/// A note read as a record of a declared type.
pub struct Record<'a> {
    declared: &'a RecordType,
    note: &'a Note,
}

impl RecordType {
    /// Reads a note as a record of this type.
    pub fn read<'a>(&'a self, note: &'a Note) -> Record<'a> {
        Record { declared: self, note }
    }

    /// The text of a new note: `type` first, then the declared fields that have a value.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] for a field the type does not have,
    /// [`ToolError::InvalidArguments`] for a value of the wrong kind or a missing required one.
    pub fn new_note(&self, name: &str, values: &Map<String, Value>) -> Result<String, ToolError> {
        for field in values.keys() {
            self.field(field)?;
        }
        let mut properties = vec![("type".to_owned(), PropertyValue::Text(name.to_owned()))];
        for (key, field) in &self.fields {
            match values.get(key).filter(|value| !value.is_null()).or(field.default.as_ref()) {
                Some(value) => properties.push((key.clone(), field.write(key, value)?)),
                None if field.required => {
                    return Err(ToolError::InvalidArguments {
                        path: format!("/{key}"),
                        rule: format!("a {name} needs a {key}"),
                        allowed: Vec::new(),
                    });
                }
                None => {}
            }
        }
        Ok(compose(&properties, &self.body))
    }

    /// The edits that set these values; null removes the property.
    ///
    /// # Errors
    /// As [`RecordType::new_note`]; a required field cannot be removed.
    pub fn edits(&self, values: &Map<String, Value>) -> Result<Vec<PropertyEdit>, ToolError> {
        let mut edits = Vec::new();
        for (key, value) in values {
            let field = self.field(key)?;
            edits.push(match value {
                Value::Null if field.required => {
                    return Err(ToolError::InvalidArguments {
                        path: format!("/{key}"),
                        rule: "cannot be removed".into(),
                        allowed: Vec::new(),
                    });
                }
                Value::Null => PropertyEdit::Remove { key: key.clone() },
                value => PropertyEdit::Set { key: key.clone(), value: field.write(key, value)? },
            });
        }
        Ok(edits)
    }

    fn field(&self, key: &str) -> Result<&Field, ToolError> {
        self.fields.get(key).ok_or_else(|| ToolError::NotDeclared {
            what: format!("The field \"{key}\" is not declared."),
            remedy: "Add it to the record type in manifest.yaml.".into(),
        })
    }
}

impl Field {
    fn write(&self, key: &str, value: &Value) -> Result<PropertyValue, ToolError> {
        let wrong = |rule: String| ToolError::InvalidArguments {
            path: format!("/{key}"),
            rule,
            allowed: self.choices.clone(),
        };
        let text = || value.as_str().ok_or_else(|| wrong("must be a text".into()));
        Ok(match self.kind {
            FieldKind::Text => PropertyValue::Text(text()?.to_owned()),
            FieldKind::Link => PropertyValue::Link(link_target(text()?)),
            FieldKind::Date => {
                let text = text()?;
                let date = text
                    .trim()
                    .parse::<jiff::civil::Date>()
                    .map_err(|_| wrong(format!("\"{text}\" is not a date YYYY-MM-DD")))?;
                PropertyValue::Text(date.to_string())
            }
            FieldKind::Decimal => match value {
                Value::Number(number) => PropertyValue::Number(number.to_string()),
                _ => PropertyValue::Number(
                    plain_decimal(text()?)
                        .ok_or_else(|| wrong("must be a plain decimal such as 1250.50".into()))?,
                ),
            },
            FieldKind::Choice => {
                let text = text()?;
                if !self.choices.iter().any(|choice| choice == text) {
                    return Err(wrong(format!("\"{text}\" is not one of the choices")));
                }
                PropertyValue::Text(text.to_owned())
            }
            FieldKind::List => {
                let items = value.as_array().ok_or_else(|| wrong("must be a list".into()))?;
                PropertyValue::List(items.iter().map(PropertyValue::from_json).collect())
            }
        })
    }
}

/// What a wikilink to a note of that name points at: the file's name, which lacks the characters
/// that a link cannot hold.
fn link_target(name: &str) -> String {
    let name = name.trim();
    let inner = name.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    let target = inner.map_or(name, |inner| inner.split(['|', '#']).next().unwrap_or(inner));
    file_name(target)
}

/// Digits with at most one point, nothing else.
fn plain_decimal(text: &str) -> Option<String> {
    let text = text.trim();
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(whole) && digits(part)).then(|| text.to_owned())
}

impl Record<'_> {
    pub fn note(&self) -> &Note {
        self.note
    }

    /// A declared field as text; None where the note has none, or an empty one.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] when the manifest does not declare the field.
    pub fn text(&self, field: &str) -> Result<Option<String>, ToolError> {
        self.declared.field(field)?;
        Ok(self
            .note
            .document
            .property(field)
            .and_then(|value| value.as_text().map(|text| text.into_owned()))
            .filter(|text| !text.trim().is_empty()))
    }

    /// A declared list field; a single text counts as a list of one.
    ///
    /// # Errors
    /// As [`Record::text`].
    pub fn list(&self, field: &str) -> Result<Vec<String>, ToolError> {
        self.declared.field(field)?;
        Ok(match self.note.document.property(field) {
            Some(PropertyValue::List(items)) => {
                items.iter().filter_map(|item| item.as_text().map(|text| text.into_owned())).collect()
            }
            Some(value) => value
                .as_text()
                .map(|text| text.into_owned())
                .filter(|text| !text.trim().is_empty())
                .into_iter()
                .collect(),
            None => Vec::new(),
        })
    }

    /// The title field, else the note's name.
    pub fn title(&self) -> String {
        self.text(&self.declared.title).ok().flatten().unwrap_or_else(|| self.note.path.name().to_owned())
    }

    /// All declared fields that have a value, as JSON, in the declared order.
    pub fn to_json(&self) -> Map<String, Value> {
        self.declared
            .fields
            .keys()
            .filter_map(|key| {
                let value = self.note.document.property(key)?;
                Some((key.clone(), shown(value)))
            })
            .collect()
    }
}

/// A link as the name it points at, everything else as it is.
fn shown(value: &PropertyValue) -> Value {
    match value {
        PropertyValue::Link(_) => {
            Value::String(value.as_text().map(|text| text.into_owned()).unwrap_or_default())
        }
        PropertyValue::List(items) => Value::Array(items.iter().map(shown).collect()),
        value => value.to_json(),
    }
}
