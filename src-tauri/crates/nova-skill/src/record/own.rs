//! The user's customisation of a skill's records under `skills.<id>.config.records`: matching rules, the
//! folder of new notes, names of properties and values, additional fields and types.

use serde_json::{Map, Value};

use super::mapping::{Faults, listed};
use super::{FILE_NAME, Field, FieldKind, MatchRule, RecordType, RecordTypes};
use crate::figures::folded;

const KEYS: [&str; 7] = ["match", "except", "folder", "template", "names", "values", "fields"];

impl RecordTypes {
    /// Applies `records` of the configuration.
    pub(super) fn take_own(&mut self, records: Option<&Value>, faults: &mut Faults) {
        for (name, wanted) in faults.entries("records", records) {
            let key = format!("records.{name}");
            if self.types.contains_key(&name) {
                let own = faults.entries(&key, Some(&wanted));
                if let Some(record) = self.types.get_mut(&name) {
                    record.take_own(&key, own, faults);
                }
            } else {
                self.take_type(&key, &name, wanted, faults);
            }
        }
    }

    /// Adds a type that is not in the manifest, declared in the manifest's format.
    fn take_type(&mut self, key: &str, name: &str, mut wanted: Value, faults: &mut Faults) {
        if wanted.get("fields").is_none() || wanted.get("folder").is_none() {
            let known: Vec<&str> = self.types.keys().map(String::as_str).collect();
            let known = listed(&known);
            faults.add(key, format!("is not a record type of this skill, which has {known}; a type of your own needs folder and fields"));
            return;
        }
        let template = wanted.as_object_mut().and_then(|wanted| wanted.remove("template"));
        let declared = serde_json::from_value::<RecordType>(wanted).map_err(|error| error.to_string());
        match declared.and_then(|record| self.declare(name, record)) {
            Ok(()) => {
                if let Some(record) = self.types.get_mut(name) {
                    record.own = true;
                    if let Some(template) = template {
                        record.take_template(&format!("{key}.template"), &template, faults);
                    }
                    record.fields.values_mut().for_each(|field| field.own = true);
                }
            }
            Err(reason) => {
                // The place within the type, if there is one.
                let (place, reason) = match reason.strip_prefix(": ") {
                    Some(reason) => ("", reason),
                    None if reason.starts_with(".fields.") => {
                        reason.split_once(": ").unwrap_or(("", &reason))
                    }
                    None => ("", reason.as_str()),
                };
                faults.add(&format!("{key}{place}"), format!("cannot be used: {reason}"));
            }
        }
    }
}

impl RecordType {
    fn take_own(&mut self, key: &str, own: Map<String, Value>, faults: &mut Faults) {
        if let Some(unknown) = own.keys().find(|known| !KEYS.contains(&known.as_str())) {
            faults.add(&format!("{key}.{unknown}"), format!("is not known; there are {}", KEYS.join(", ")));
        }
        if let Some(folder) = own.get("folder") {
            self.take_folder(&format!("{key}.folder"), folder, faults);
        }
        if let Some(template) = own.get("template").filter(|template| !template.is_null()) {
            self.take_template(&format!("{key}.template"), template, faults);
        }
        // The user's own fields are mapped to properties like any other.
        for (name, field) in faults.entries(&format!("{key}.fields"), own.get("fields")) {
            self.take_field(&format!("{key}.fields.{name}"), &name, field, faults);
        }
        for (field, property) in faults.entries(&format!("{key}.names"), own.get("names")) {
            let at = format!("{key}.names.{field}");
            match field.as_str() {
                "type" => faults.add(&at, format!("is not a name; write {{\"type\": …}} under {key}.match")),
                _ => self.rename(&at, &field, &property, faults),
            }
        }
        self.refuse_shared_properties(&format!("{key}.names"), faults);
        for (field, values) in faults.entries(&format!("{key}.values"), own.get("values")) {
            self.take_values(&format!("{key}.values.{field}"), &field, &values, faults);
        }
        match own.get("match") {
            None | Some(Value::Null) => {}
            Some(Value::Array(entries)) if !entries.is_empty() => {
                self.matches = Some(rules_of(&format!("{key}.match"), entries, faults));
            }
            Some(_) => faults.add(&format!("{key}.match"), "must be a list with at least one entry".into()),
        }
        match own.get("except") {
            None | Some(Value::Null) => {}
            Some(Value::Array(entries)) => {
                self.except = rules_of(&format!("{key}.except"), entries, faults);
            }
            Some(_) => faults.add(&format!("{key}.except"), "must be a list".into()),
        }
    }

    fn take_folder(&mut self, key: &str, folder: &Value, faults: &mut Faults) {
        let Some(folder) = folder.as_str() else {
            faults.add(key, "must be a folder of the vault".into());
            return;
        };
        self.folder = folder.trim().trim_matches('/').to_owned();
        if let Some(reason) = self.folder_contradiction() {
            faults.add(key, format!("cannot be used: {reason}"));
        }
    }

    fn take_field(&mut self, key: &str, name: &str, field: Value, faults: &mut Faults) {
        let mut field = match serde_json::from_value::<Field>(field) {
            Ok(field) => field,
            Err(error) => return faults.add(key, format!("cannot be used: {error}")),
        };
        if let Some((own, built_in)) = self.fields.iter_mut().find(|(own, _)| folded(own) == folded(name)) {
            if built_in.kind != field.kind && !built_in.may_be_own {
                let kind = built_in.kind.noun();
                return faults
                    .add(key, format!("is {kind} of this skill already ({own}); choose another name"));
            }
            field.title = field.title.or(built_in.title.take());
            field.help = field.help.or(built_in.help.take());
            field.description = field.description.or(built_in.description.take());
            if built_in.may_be_own {
                field.property = std::mem::take(&mut built_in.property);
                (field.own, field.may_be_own) = (true, true);
                *built_in = field;
            } else {
                (built_in.title, built_in.help, built_in.description) =
                    (field.title, field.help, field.description);
            }
            return;
        }
        field.property = name.to_owned();
        field.own = true;
        match field.contradiction(name) {
            Some(reason) => faults.add(key, format!("cannot be used: {reason}")),
            None => {
                self.fields.insert(name.to_owned(), field);
            }
        }
    }

    fn take_values(&mut self, key: &str, name: &str, values: &Value, faults: &mut Faults) {
        let known: Vec<String> = self.fields.keys().cloned().collect();
        let Some(field) = self.fields.get_mut(name) else {
            return faults.add(key, format!("names no field of {}; it has {}", self.name, listed(&known)));
        };
        for (theirs, ours) in faults.entries(key, Some(values)) {
            let at = format!("{key}.{theirs}");
            let ours = match ours {
                Value::Null => None,
                Value::String(ours) => Some(ours),
                _ => {
                    faults.add(&at, "must be a text, or null for no value".into());
                    continue;
                }
            };
            let fits = ours.as_ref().is_none_or(|ours| {
                field.kind != FieldKind::Choice || field.choices.iter().any(|one| folded(one) == folded(ours))
            });
            if fits {
                field.values.insert(folded(&theirs), (theirs, ours));
            } else {
                faults.add(&at, format!("must be one of {}, or null for no value", listed(&field.choices)));
            }
        }
    }

    /// Makes a field represent the note's name.
    pub(super) fn take_file_name(&mut self, key: &str, field: &str, faults: &mut Faults) -> bool {
        let is_title = self.title.as_deref() == Some(field);
        let Some(declared) = self.fields.get_mut(field) else { return false };
        if declared.kind != FieldKind::Text || !is_title {
            faults.add(key, format!("cannot be {FILE_NAME}: the name of a note is the title of its record"));
            return true;
        }
        declared.property = FILE_NAME.to_owned();
        true
    }
}

/// The valid entries.
fn rules_of(key: &str, entries: &[Value], faults: &mut Faults) -> Vec<MatchRule> {
    let mut rules = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        match serde_json::from_value::<MatchRule>(entry.clone()) {
            Ok(rule) => rules.push(rule),
            Err(error) => faults.add(&format!("{key}[{at}]"), format!("cannot be used: {error}")),
        }
    }
    rules
}

impl Field {
    /// Whether the user added it to the skill's fields.
    pub fn is_own(&self) -> bool {
        self.own
    }

    /// Whether its value is the name of the note, which no property repeats.
    pub fn is_file_name(&self) -> bool {
        self.property == FILE_NAME
    }

    /// The meaning that the user assigned to a value of the vault, `Some(None)` for no value; `None` if
    /// nothing is assigned.
    pub fn meaning(&self, theirs: &str) -> Option<Option<&str>> {
        self.values.get(&folded(theirs)).map(|(_, ours)| ours.as_deref())
    }

    /// Whether values are mapped.
    pub(super) fn has_values(&self) -> bool {
        !self.values.is_empty()
    }

    /// The skill's value for a value of the vault; `None` counts as no value.
    pub(super) fn meant<'a>(&'a self, theirs: &'a str) -> Option<&'a str> {
        if self.values.is_empty() {
            return Some(theirs);
        }
        match self.values.get(&folded(theirs)) {
            Some((_, ours)) => ours.as_deref(),
            None => Some(theirs),
        }
    }

    /// The vault's value for a value of the skill.
    pub(super) fn as_vault_writes<'a>(&'a self, ours: &'a str) -> &'a str {
        let wanted = folded(ours);
        let means = |(_, (_, meant)): &(&String, &(String, Option<String>))| {
            meant.as_ref().is_some_and(|meant| folded(meant) == wanted)
        };
        self.values.iter().find(means).map_or(ours, |(_, (theirs, _))| theirs)
    }
}
