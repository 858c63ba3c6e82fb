//! Parameters for the user's own fields, and filters by fields.

use serde_json::{Map, Value, json};

use super::{Field, FieldKind, Record, RecordType, RecordTypes, plain};
use crate::ToolError;
use crate::figures::folded;

/// The use that a tool makes of a record type, which determines its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordUse<'a> {
    Adds(&'a str),
    Changes(&'a str),
    Lists(&'a str),
    /// Lists several types: `budget.list`.
    ListsEach(&'a [&'a str]),
}

impl<'a> RecordUse<'a> {
    fn is_of(self, record_type: &str) -> bool {
        match self {
            Self::Adds(name) | Self::Changes(name) | Self::Lists(name) => name == record_type,
            Self::ListsEach(names) => names.contains(&record_type),
        }
    }

    /// The schema of a field as a parameter of such a tool.
    pub fn parameter(self, field: &Field) -> Value {
        match self {
            Self::Adds(_) => field.schema(false),
            Self::Changes(_) => field.schema(true),
            Self::Lists(_) | Self::ListsEach(_) => field.filter_schema(),
        }
    }

    /// The user's own fields that are missing from these parameters, each with its schema.
    pub(crate) fn own_parameters(self, records: &RecordTypes, parameters: &Value) -> Map<String, Value> {
        let own = records
            .iter()
            .filter(|declared| self.is_of(declared.name()))
            .flat_map(|declared| &declared.fields)
            .filter(|(key, field)| field.is_own() && parameters["properties"].get(key.as_str()).is_none());
        let mut schemas = Map::new();
        // If several types have the field, the first wins.
        for (key, field) in own {
            schemas.entry(key).or_insert_with(|| self.parameter(field));
        }
        schemas
    }
}

/// Conditions on fields, combined with AND.
#[derive(Debug, Clone)]
pub struct RecordFilters<'a>(Vec<(&'a str, &'a Field, Wanted)>);

#[derive(Debug, Clone)]
enum Wanted {
    /// Folded.
    Part(String),
    /// Folded.
    Whole(String),
    /// A prefix of a date.
    Date(String),
    Number(rust_decimal::Decimal),
    Bool(bool),
}

impl RecordType {
    /// Parses filters by fields, whose parameters are those of [`RecordUse::Lists`]; empty ones are ignored.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] for a field the type does not have, [`ToolError::InvalidArguments`] for a
    /// value that cannot be compared with its field.
    pub fn filters(&self, wanted: &Map<String, Value>) -> Result<RecordFilters<'_>, ToolError> {
        let mut filters = Vec::new();
        for (key, value) in wanted {
            let declared = self.field(key)?;
            let Some((key, _)) = self.fields.get_key_value(key) else { continue };
            if let Some(wanted) = declared.wanted(key, value)? {
                filters.push((key.as_str(), declared, wanted));
            }
        }
        Ok(RecordFilters(filters))
    }
}

impl RecordFilters<'_> {
    /// Whether the record matches all of them. An invalid value matches none.
    pub fn fit(&self, record: &Record) -> bool {
        self.0.iter().all(|(key, field, wanted)| {
            let text = || record.text_there(key).ok().flatten();
            match wanted {
                Wanted::Number(number) => record.decimal(key).is_ok_and(|own| own == Some(*number)),
                Wanted::Bool(value) => record.bool(key).is_ok_and(|own| own == Some(*value)),
                Wanted::Date(begin) => record
                    .date(key)
                    .is_ok_and(|own| own.is_some_and(|own| own.to_string().starts_with(begin.as_str()))),
                Wanted::Part(part) if field.kind == FieldKind::List => {
                    record.list(key).is_ok_and(|own| own.iter().any(|item| folded(item) == *part))
                }
                Wanted::Part(part) => text().is_some_and(|own| folded(&own).contains(part.as_str())),
                Wanted::Whole(whole) => text().is_some_and(|own| folded(&own) == *whole),
            }
        })
    }
}

impl Field {
    /// Its schema as a filter of a list.
    fn filter_schema(&self) -> Value {
        match self.kind {
            FieldKind::Date => json!({
                "type": "string",
                "description": "Only this day, month or year: 2026-11-24, 2026-11 or 2026.",
            }),
            FieldKind::Decimal => json!({"type": ["string", "number"], "description": "Only this number."}),
            FieldKind::Integer => json!({"type": "integer", "description": "Only this number."}),
            FieldKind::Bool => json!({"type": "boolean", "description": "Only where it is so."}),
            FieldKind::Choice => {
                json!({"type": "string", "enum": self.choices, "description": "Only this value."})
            }
            FieldKind::Currency => {
                json!({"type": "string", "description": "Only this currency, such as EUR."})
            }
            FieldKind::List => json!({"type": "string", "description": "Only with this item."}),
            FieldKind::Text | FieldKind::Link => {
                json!({"type": "string", "description": "Only these; a part of it is enough."})
            }
        }
    }

    fn wanted(&self, key: &str, value: &Value) -> Result<Option<Wanted>, ToolError> {
        let wrong = |rule: String| ToolError::InvalidArguments {
            path: format!("/{key}"),
            rule,
            allowed: self.choices.clone(),
        };
        let text = match value {
            Value::Null => return Ok(None),
            Value::String(text) if text.trim().is_empty() => return Ok(None),
            Value::String(text) => text.trim().to_owned(),
            Value::Bool(value) if self.kind == FieldKind::Bool => return Ok(Some(Wanted::Bool(*value))),
            Value::Number(number) => number.to_string(),
            _ => return Err(wrong(format!("must be {}", self.kind.noun()))),
        };
        Ok(Some(match self.kind {
            FieldKind::Text => Wanted::Part(folded(&text)),
            FieldKind::Link => Wanted::Part(folded(text.trim_start_matches("[[").trim_end_matches("]]"))),
            FieldKind::List => Wanted::Part(folded(
                text.trim_start_matches('#').trim_start_matches("[[").trim_end_matches("]]"),
            )),
            FieldKind::Date => Wanted::Date(date_begin(&text).ok_or_else(|| {
                wrong(format!("\"{text}\" is no day, month or year such as 2026-11-24, 2026-11 or 2026"))
            })?),
            FieldKind::Decimal | FieldKind::Integer => {
                Wanted::Number(plain::decimal(&text).ok_or_else(|| wrong("must be a plain number".into()))?)
            }
            FieldKind::Bool => return Err(wrong("must be true or false".into())),
            FieldKind::Choice => {
                let choice = self.choice(&text);
                Wanted::Whole(folded(
                    choice.ok_or_else(|| wrong(format!("\"{text}\" is not one of the choices")))?,
                ))
            }
            FieldKind::Currency => Wanted::Whole(folded(&text)),
        }))
    }
}

/// A day, a month or a year with its delimiter, so that 2026-1 is not a prefix of 2026-11.
fn date_begin(text: &str) -> Option<String> {
    let complete = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    };
    plain::date(&complete).map(|_| if text.len() < 10 { format!("{text}-") } else { text.to_owned() })
}
