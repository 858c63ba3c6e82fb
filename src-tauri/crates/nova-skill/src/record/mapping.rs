//! Maps declared names to a vault's own: `skills.<id>.config` names its types, properties and choices, so
//! that an existing vault can be used unchanged.

use serde_json::{Map, Value};

use super::declaration::{choices_contradict, is_name};
use super::{FILE_NAME, FieldKind, MatchRule, RecordType, RecordTypes};
use crate::figures::folded;

/// An error in a skill's configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} {reason}.")]
pub struct ConfigFault {
    /// The key below `skills.<id>.config`, such as `fields.contact.nmae`.
    pub key: String,
    /// Follows the key in a sentence, without a full stop; includes the remedy.
    pub reason: String,
}

impl RecordTypes {
    /// Returns the types as spelled in a vault:
    ///
    /// ```json
    /// { "fields": { "contact": { "type": ["person", "people"], "name": "full_name" } },
    ///   "choices": { "deal": { "stage": ["new", "signed"] } } }
    /// ```
    ///
    /// `type` is a text or a list of values of `type:`; new notes get the first. Any other key is a declared
    /// field, with the vault's property as its text. A choice declared with `choices_from: stages` has the
    /// values listed by the key `stages`, as texts or as objects with a `name`. If the configured choices
    /// lack the declared default, the first is the default.
    ///
    /// `records` configures more of a type. All keys are optional; `match`, if given, replaces all other
    /// rules:
    ///
    /// ```json
    /// { "records": { "contact": {
    ///     "match": [{ "where": "categories contains [[People]]" }, { "folder": "People" }],
    ///     "folder": "People", "template": "Templates/Person.md",
    ///     "names": { "name": "$file", "company": "org" },
    ///     "values": { "stage": { "active": "customer", "dormant": null } },
    ///     "fields": { "birthday": { "kind": "date" } } } } }
    /// ```
    ///
    /// `except`, with entries like those of `match`, excludes notes that are another record. `$file` is the
    /// note's own name. `template` names a note of the vault from which new ones are created. A name that is
    /// not in the manifest declares a type, in the manifest's format.
    ///
    /// # Errors
    /// All errors; none of the configuration may be used then.
    pub fn with_config(&self, config: &Value) -> Result<Self, Vec<ConfigFault>> {
        let mut mapped = self.clone();
        let mut faults = Faults::default();
        for (name, wanted) in faults.entries("fields", config.get("fields")) {
            let key = format!("fields.{name}");
            let Some(record) = mapped.configured(&key, &name, &mut faults) else { continue };
            for (field, property) in faults.entries(&key, Some(&wanted)) {
                record.rename(&format!("{key}.{field}"), &field, &property, &mut faults);
            }
            record.refuse_shared_properties(&key, &mut faults);
        }
        for record in mapped.types.values_mut() {
            record.choose_from(config, &mut faults);
        }
        for (name, wanted) in faults.entries("choices", config.get("choices")) {
            let key = format!("choices.{name}");
            let Some(record) = mapped.configured(&key, &name, &mut faults) else { continue };
            for (field, choices) in faults.entries(&key, Some(&wanted)) {
                record.choose(&format!("{key}.{field}"), &field, &choices, "a list of strings", &mut faults);
            }
        }
        // After the choices, with which its values are compared.
        mapped.take_own(config.get("records"), &mut faults);
        for record in mapped.types.values_mut() {
            record.settle();
            if let Some((key, reason)) = record.cannot_mark() {
                faults.add(&format!("records.{}.{key}", record.name), reason);
            }
        }
        mapped.refuse_shared_types(&mut faults);
        if faults.0.is_empty() { Ok(mapped) } else { Err(faults.0) }
    }

    fn configured(&mut self, key: &str, name: &str, faults: &mut Faults) -> Option<&mut RecordType> {
        if !self.types.contains_key(name) {
            let known: Vec<&str> = self.types.keys().map(String::as_str).collect();
            faults.add(key, format!("names no record type of this skill; it has {}", listed(&known)));
        }
        self.types.get_mut(name)
    }

    fn refuse_shared_types(&self, faults: &mut Faults) {
        let mut seen: Vec<(String, &str)> = Vec::new();
        for record in self.iter() {
            for value in &record.type_values {
                match seen.iter().find(|(other, _)| *other == folded(value)) {
                    Some((_, owner)) => faults.add(
                        &format!("fields.{}.type", record.name),
                        format!("has the value `{value}`, which already means {owner}"),
                    ),
                    None => seen.push((folded(value), &record.name)),
                }
            }
        }
    }
}

impl RecordType {
    pub(super) fn rename(&mut self, key: &str, field: &str, to: &Value, faults: &mut Faults) {
        if field == "type" {
            let values: Option<Vec<String>> = match to {
                Value::String(one) => Some(vec![one.clone()]),
                Value::Array(several) => {
                    several.iter().map(|value| value.as_str().map(str::to_owned)).collect()
                }
                _ => None,
            };
            match values {
                Some(values) if !values.is_empty() && values.iter().all(|value| is_name(value)) => {
                    if let Some(rules) = &mut self.matches {
                        rules.retain(|rule| !matches!(rule, MatchRule::Type(_)));
                        rules.splice(0..0, values.iter().cloned().map(MatchRule::Type));
                    }
                    self.type_values = values;
                }
                _ => faults.add(key, "must be a string or a list of strings, the values of `type:`".into()),
            }
            return;
        }
        if to.as_str() == Some(FILE_NAME) && self.take_file_name(key, field, faults) {
            return;
        }
        let known: Vec<String> = self.fields.keys().cloned().collect();
        let Some(declared) = self.fields.get_mut(field) else {
            faults.add(key, format!("names no field of {}; it has {}", self.name, listed(&known)));
            return;
        };
        match to.as_str() {
            Some(property) if folded(property) == "type" => {
                faults.add(key, "cannot be `type`, which says what the record is".into())
            }
            Some(property) if is_name(property) => declared.property = property.to_owned(),
            _ => faults.add(key, "must be a string, the name of a property".into()),
        }
    }

    pub(super) fn refuse_shared_properties(&self, key: &str, faults: &mut Faults) {
        let mut seen: Vec<(&str, &str)> = Vec::new();
        for (name, field) in &self.fields {
            match seen.iter().find(|(property, _)| folded(property) == folded(&field.property)) {
                Some((property, owner)) => faults
                    .add(key, format!("gives the fields {owner} and {name} the same property `{property}`")),
                None => seen.push((&field.property, name)),
            }
        }
    }

    /// Takes the choices listed in the skill's own configuration.
    fn choose_from(&mut self, config: &Value, faults: &mut Faults) {
        let listed = self.fields.iter().filter_map(|(field, declared)| {
            let key = declared.choices_from.as_deref()?;
            let choices = config.get(key).filter(|choices| !choices.is_null())?;
            Some((field.clone(), key.to_owned(), names_of(choices)))
        });
        for (field, key, choices) in listed.collect::<Vec<_>>() {
            self.choose(&key, &field, &choices, "a list of strings, or of objects with a `name`", faults);
        }
    }

    fn choose(&mut self, key: &str, field: &str, choices: &Value, form: &str, faults: &mut Faults) {
        let choosable =
            |(name, field): (&String, &super::Field)| (field.kind == FieldKind::Choice).then(|| name.clone());
        let known: Vec<String> = self.fields.iter().filter_map(choosable).collect();
        let Some(declared) = self.fields.get_mut(field).filter(|field| field.kind == FieldKind::Choice)
        else {
            faults.add(key, format!("names no choice of {}; it has {}", self.name, listed(&known)));
            return;
        };
        let texts: Option<Vec<String>> = choices
            .as_array()
            .and_then(|all| all.iter().map(|choice| choice.as_str().map(str::to_owned)).collect());
        match texts {
            Some(texts) if !texts.is_empty() => {
                if let Some(reason) = choices_contradict(&texts) {
                    faults.add(key, format!("does not fit: {reason}"));
                    return;
                }
                declared.choices = texts;
                if let Some(default) = declared.default.as_ref().and_then(Value::as_str)
                    && declared.choice(default).is_none()
                {
                    declared.default = declared.choices.first().cloned().map(Value::String);
                }
            }
            Some(_) => faults.add(key, "must have at least one entry".into()),
            None => faults.add(key, format!("must be {form}")),
        }
    }
}

/// Converts a list of objects with a name to a list of names; anything else is unchanged.
fn names_of(choices: &Value) -> Value {
    let Value::Array(items) = choices else { return choices.clone() };
    items.iter().map(|item| item.get("name").unwrap_or(item).clone()).collect()
}

#[derive(Default)]
pub(super) struct Faults(Vec<ConfigFault>);

impl Faults {
    pub(super) fn add(&mut self, key: &str, reason: String) {
        self.0.push(ConfigFault { key: key.to_owned(), reason });
    }

    /// The entries of an object; empty if it is absent.
    pub(super) fn entries(&mut self, key: &str, value: Option<&Value>) -> Map<String, Value> {
        match value {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(entries)) => entries.clone(),
            Some(_) => {
                self.add(key, "must be an object".into());
                Map::new()
            }
        }
    }
}

pub(super) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
