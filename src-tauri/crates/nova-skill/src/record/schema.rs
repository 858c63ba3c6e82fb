//! A record type as parameters of a tool, and as a form.

use serde_json::{Map, Value, json};

use super::{Field, FieldKind, ItemKind, RecordType};

impl RecordType {
    /// JSON Schema (2020-12) of the arguments of a tool that adds a record, or changes one if `for_update` is
    /// set: the fields in the declared order, by their declared names.
    ///
    /// For adding, required fields without a default are required. For updating, only the title is required,
    /// which selects the record; null removes a property unless the field is required. For a record type
    /// without a title, the tool must add a parameter that selects the record.
    pub fn parameters(&self, for_update: bool) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (key, field) in &self.fields {
            let names_record = for_update && self.title.as_deref() == Some(key);
            let schema = if names_record {
                let name = &self.name;
                json!({"type": "string", "description": format!("Which {name}, as the user says it.")})
            } else {
                field.schema(for_update)
            };
            properties.insert(key.clone(), schema);
            if names_record || (!for_update && field.required && field.default.is_none()) {
                required.push(key.clone());
            }
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema["additionalProperties"] = json!(false);
        schema
    }

    /// The form of a record for react-jsonschema-form, `{"schema": …, "uiSchema": {"ui:order": […], field:
    /// {"ui:title", "ui:placeholder", "ui:widget"}}}`: for a new record, or with `existing` for one that has
    /// a note. An existing record gets no defaults, and its title may be omitted in favour of the note's
    /// name. Additional formats are `decimal`, and `note` for the name of a note; `x-help` is the hint below
    /// a field, `x-values-from` the fields whose values are suggested. `ui:widget` is `date` or `link`.
    pub fn form(&self, existing: bool) -> Value {
        let mut schema = self.parameters(false);
        for (key, field) in &self.fields {
            let shown = &mut schema["properties"][key];
            shown["title"] = json!(field.label(key));
            if let Some(help) = &field.help {
                shown["x-help"] = json!(help);
            }
            if let Some(values_from) = field.values_from(&self.name, key) {
                shown["x-values-from"] = json!(values_from);
            }
            match (field.kind, field.items()) {
                (FieldKind::Decimal, _) => shown["format"] = json!("decimal"),
                (FieldKind::Link, _) => shown["format"] = json!("note"),
                (FieldKind::List, ItemKind::Link) => shown["items"]["format"] = json!("note"),
                _ => {}
            }
        }
        if existing {
            for key in self.fields.keys() {
                schema["properties"][key].as_object_mut().map(|field| field.remove("default"));
            }
            let needed = |(key, field): &(&String, &Field)| {
                field.required && self.title.as_deref() != Some(key.as_str())
            };
            let needed: Vec<_> = self.fields.iter().filter(needed).map(|(key, _)| key).collect();
            schema["required"] = json!(needed);
        }
        let order: Vec<&str> = self.fields.keys().map(String::as_str).chain(["*"]).collect();
        let mut hints = Map::new();
        hints.insert("ui:order".into(), json!(order));
        for (key, field) in &self.fields {
            hints.insert(key.clone(), field.form_hints(key));
        }
        json!({"schema": schema, "uiSchema": hints})
    }
}

impl Field {
    pub(super) fn schema(&self, for_update: bool) -> Value {
        let removable = for_update && !self.required;
        let mut types = match self.kind {
            FieldKind::Text | FieldKind::Link | FieldKind::Date | FieldKind::Choice | FieldKind::Currency => {
                vec!["string"]
            }
            FieldKind::Decimal => vec!["string", "number"],
            FieldKind::Integer => vec!["integer"],
            FieldKind::Bool => vec!["boolean"],
            FieldKind::List => vec!["array"],
        };
        if removable {
            types.push("null");
        }
        let mut schema = Map::new();
        schema.insert("type".into(), if let [one] = types.as_slice() { json!(one) } else { json!(types) });
        match self.kind {
            FieldKind::Date => {
                schema.insert("format".into(), json!("date"));
            }
            FieldKind::Decimal => {
                // Applies only to texts, as the limits apply only to numbers; writing checks both.
                schema.insert("pattern".into(), json!(r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"));
            }
            FieldKind::Choice => {
                let choices = self.choices.iter().map(|choice| json!(choice));
                let none = removable.then_some(Value::Null);
                schema.insert("enum".into(), choices.chain(none).collect());
            }
            FieldKind::List => {
                schema.insert("items".into(), json!({"type": "string"}));
            }
            FieldKind::Text
            | FieldKind::Link
            | FieldKind::Integer
            | FieldKind::Bool
            | FieldKind::Currency => {}
        }
        for (key, limit) in [("minimum", self.min), ("maximum", self.max)] {
            if let Some(limit) =
                limit.and_then(|limit| serde_json::from_str::<Value>(&limit.to_string()).ok())
            {
                schema.insert(key.into(), limit);
            }
        }
        let meaning = match &self.description {
            Some(description) if removable => {
                Some(format!("{}; null removes it.", description.trim_end_matches('.')))
            }
            Some(description) => Some(description.clone()),
            None if removable => Some("Null removes it.".into()),
            None => None,
        };
        if let Some(meaning) = meaning {
            schema.insert("description".into(), json!(meaning));
        }
        if let Some(default) = self.default.as_ref().filter(|_| !for_update) {
            schema.insert("default".into(), default.clone());
        }
        Value::Object(schema)
    }

    /// The fields whose values a form suggests. Currencies are few and repeat, so they are always suggested.
    pub(super) fn values_from(&self, record: &str, key: &str) -> Option<Vec<String>> {
        match self.kind {
            _ if !self.values_from.is_empty() => Some(self.values_from.clone()),
            FieldKind::Currency => Some(vec![format!("{record}.{key}")]),
            _ => None,
        }
    }

    fn form_hints(&self, key: &str) -> Value {
        let mut hints = Map::new();
        hints.insert("ui:title".into(), json!(self.label(key)));
        let placeholder = match (self.kind, self.items()) {
            (FieldKind::Link, _) => Some("The name of a note"),
            (FieldKind::Date, _) => Some("2026-12-31"),
            (FieldKind::Decimal, _) => Some("1250.50"),
            (FieldKind::Currency, _) => Some("EUR"),
            (FieldKind::List, ItemKind::Link) => Some("Names of notes"),
            _ => None,
        };
        if let Some(placeholder) = placeholder {
            hints.insert("ui:placeholder".into(), json!(placeholder));
        }
        let widget = match (self.kind, self.items()) {
            (FieldKind::Date, _) => Some("date"),
            (FieldKind::Link, _) | (FieldKind::List, ItemKind::Link) => Some("link"),
            _ => None,
        };
        if let Some(widget) = widget {
            hints.insert("ui:widget".into(), json!(widget));
        }
        Value::Object(hints)
    }
}
