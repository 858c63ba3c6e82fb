//! The fields of a record as parameters of a tool, and filters by fields.

use serde_json::{Map, Value, json};

use super::{Field, FieldKind, Record, RecordType, RecordTypes, Start, plain};
use crate::ToolError;
use crate::figures::folded;

/// The use that a tool makes of a record type, which determines its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordUse<'a> {
    Adds(&'a str),
    Changes(&'a str),
    /// Adds it, or changes the one that is there.
    Sets(&'a str),
    Lists(&'a str),
    /// Lists several types: `budget.list`.
    ListsEach(&'a [&'a str]),
}

/// The declared fields that are parameters of a tool, besides those that the user added, which always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolFields<'a> {
    Only(&'a [&'a str]),
    /// All but those that other tools write.
    AllBut(&'a [&'a str]),
}

impl ToolFields<'_> {
    /// Whether a field of the skill is one of them.
    pub fn have(self, key: &str) -> bool {
        match self {
            Self::Only(names) => names.contains(&key),
            Self::AllBut(names) => !names.contains(&key),
        }
    }

    /// The fields of the skill as the tool names them, else as they are declared, and those that the user added.
    fn of(self, declared: &RecordType) -> Vec<(&String, &Field)> {
        let mut taken: Vec<_> = match self {
            Self::Only(names) => {
                names.iter().filter_map(|name| declared.fields.get_key_value(*name)).collect()
            }
            Self::AllBut(_) => declared.fields.iter().filter(|(key, _)| self.have(key)).collect(),
        };
        for (key, field) in declared.fields.iter().filter(|(_, field)| field.own) {
            if taken.iter().all(|(other, _)| *other != key) {
                taken.push((key, field));
            }
        }
        taken
    }

    /// # Errors
    /// [`ToolError::NotDeclared`] for a name that is no field of these types.
    fn check(self, types: &[&RecordType]) -> Result<(), ToolError> {
        let (Self::Only(names) | Self::AllBut(names)) = self;
        let is_field = |key: &str| types.iter().any(|declared| declared.fields.contains_key(key));
        match (names.iter().find(|key| !is_field(key)), types.first()) {
            (Some(unknown), Some(declared)) => declared.field(unknown).map(drop),
            _ => Ok(()),
        }
    }
}

impl<'a> RecordUse<'a> {
    fn record_types(self) -> Vec<&'a str> {
        match self {
            Self::Adds(name) | Self::Changes(name) | Self::Sets(name) | Self::Lists(name) => vec![name],
            Self::ListsEach(names) => names.to_vec(),
        }
    }

    /// The schema of a field, as a parameter of such a tool. Limits and the form of a number are left to where it is
    /// written, whose errors say more. What begins with `x-` is for a form: `x-label`, `x-help`, `x-starts`, and
    /// `x-values-from` with `x-values`.
    pub fn parameter(self, declared: &RecordType, key: &str) -> Result<Value, ToolError> {
        let field = declared.field(key)?;
        let lists = matches!(self, Self::Lists(_) | Self::ListsEach(_));
        let mut schema = match self {
            Self::Lists(_) | Self::ListsEach(_) => field.filter_schema(key),
            Self::Changes(_) => field.schema(true),
            Self::Sets(_) => field.schema(field.own && !field.required),
            Self::Adds(_) => field.schema(false),
        };
        let Some(shown) = schema.as_object_mut() else { return Ok(schema) };
        for written in ["pattern", "minimum", "maximum"] {
            shown.shift_remove(written);
        }
        if field.kind == FieldKind::Decimal {
            shown.insert("format".into(), json!("decimal"));
        }
        if let Some(label) = &field.title {
            shown.insert("x-label".into(), json!(label));
        }
        // What the configuration lists is said in words, and its tool answers with it.
        if field.choices_from.is_some() {
            shown.shift_remove("enum");
            let said = shown.get("description").and_then(Value::as_str).unwrap_or("One of these");
            let listed = format!("{}: {}.", said.trim_end_matches('.'), field.choices.join(", "));
            shown.insert("description".into(), json!(listed));
            shown.insert("x-values-from".into(), json!([format!("{}.{key}", declared.name())]));
            shown.insert("x-values".into(), json!("only"));
        }
        if lists {
            shown.extend(field.filter_hints(declared.name(), key));
            return Ok(schema);
        }
        if let Some(help) = &field.help {
            shown.insert("x-help".into(), json!(help));
        }
        if let (Self::Adds(_) | Self::Sets(_), Some(starts)) = (self, field.starts) {
            let starts = match starts {
                Start::Today => "today",
                Start::Currency => "currency",
            };
            shown.insert("x-starts".into(), json!(starts));
        }
        match field.values_from(declared.name(), key) {
            _ if shown.contains_key("x-values-from") => {}
            Some(values_from) => {
                shown.insert("x-values-from".into(), json!(values_from));
            }
            None if field.kind == FieldKind::Link => {
                shown.insert("x-note".into(), json!(true));
            }
            None => {}
        }
        Ok(schema)
    }

    /// Adds the parameters that come from the declaration to those that the tool has of its own, which win. What says
    /// which record is meant comes first; else the fields do.
    pub(crate) fn add_to(
        self,
        parameters: &mut Value,
        fields: ToolFields<'_>,
        records: &RecordTypes,
    ) -> Result<(), ToolError> {
        let mut required = Vec::new();
        let (mut declared_ones, mut own) = (Map::new(), Map::new());
        let taken = |key: &str, parameters: &Value| parameters["properties"].get(key).is_some();
        let types =
            self.record_types().into_iter().map(|name| records.get(name)).collect::<Result<Vec<_>, _>>()?;
        for declared in &types {
            for (key, field) in fields.of(declared) {
                let place = if field.own && !field.may_be_own { &mut own } else { &mut declared_ones };
                // Of a field of several types the first counts.
                if taken(key, parameters) || place.contains_key(key) {
                    continue;
                }
                place.insert(key.clone(), self.parameter(declared, key)?);
                let adds = matches!(self, Self::Adds(_) | Self::Sets(_));
                if adds && !field.own && field.required && field.default.is_none() {
                    required.push(json!(key));
                }
            }
        }
        fields.check(&types)?;
        if declared_ones.is_empty() && own.is_empty() {
            return Ok(());
        }
        let Some(tool) = parameters.as_object_mut() else { return Ok(()) };
        let of_tool = match tool.shift_remove("properties") {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        };
        let names_record_first = matches!(self, Self::Changes(_));
        let (first, last) =
            if names_record_first { (of_tool, declared_ones) } else { (declared_ones, of_tool) };
        let properties: Map<String, Value> = first.into_iter().chain(last).chain(own).collect();
        tool.insert("properties".into(), Value::Object(properties));
        if let Some(Value::Array(of_tool)) = tool.shift_remove("required") {
            required.extend(of_tool);
        }
        if !required.is_empty() {
            tool.insert("required".into(), Value::Array(required));
        }
        Ok(())
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
    fn filter_schema(&self, key: &str) -> Value {
        let name = key.replace('_', " ");
        match self.kind {
            FieldKind::Date => json!({
                "type": "string",
                "description": format!("Only with this {name}; a day, month or year: 2026-11-24, 2026-11 or 2026."),
            }),
            FieldKind::Decimal => {
                json!({"type": ["string", "number"], "description": format!("Only with this {name}.")})
            }
            FieldKind::Integer => {
                json!({"type": "integer", "description": format!("Only with this {name}.")})
            }
            FieldKind::Bool => {
                json!({"type": "boolean", "description": format!("Only where \"{name}\" is this.")})
            }
            FieldKind::Choice => json!({
                "type": "string", "enum": self.choices, "description": format!("Only with this {name}."),
            }),
            FieldKind::Currency => {
                json!({"type": "string", "description": format!("Only with this {name}, such as EUR.")})
            }
            FieldKind::List => {
                json!({"type": "string", "description": format!("Only with this item of {name}.")})
            }
            FieldKind::Text | FieldKind::Link => json!({
                "type": "string", "description": format!("Only with this {name}; a part of it is enough."),
            }),
        }
    }

    /// What a form says of such a condition, and the values it offers: those there are.
    fn filter_hints(&self, record: &str, key: &str) -> Map<String, Value> {
        let (help, values) = match self.kind {
            FieldKind::Text | FieldKind::Link => (Some("A part of it is enough"), Some("part")),
            FieldKind::List | FieldKind::Currency => (None, Some("only")),
            FieldKind::Date => (Some("A day, month or year, such as 2026-11"), None),
            FieldKind::Decimal | FieldKind::Integer | FieldKind::Bool | FieldKind::Choice => (None, None),
        };
        let mut hints = Map::new();
        if let Some(help) = help {
            hints.insert("x-help".into(), json!(help));
        }
        if let Some(values) = values {
            let own = format!("{record}.{key}");
            let mut values_from = self.values_from(record, key).unwrap_or_default();
            if !values_from.contains(&own) {
                values_from.insert(0, own);
            }
            hints.insert("x-values-from".into(), json!(values_from));
            hints.insert("x-values".into(), json!(values));
        }
        hints
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
                wrong(format!("\"{text}\" is not a day, month or year such as 2026-11-24, 2026-11 or 2026"))
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
