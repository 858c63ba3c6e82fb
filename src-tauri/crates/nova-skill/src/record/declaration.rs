//! Validates declarations when their manifest is read.

use indexmap::IndexMap;
use nova_vault::TEMPLATE_FOLDER;
use nova_vault::note::VaultPath;

use super::{Field, FieldKind, RecordType, RecordTypes, Start};
use crate::figures::folded;

impl TryFrom<IndexMap<String, RecordType>> for RecordTypes {
    /// The contradiction, with its place.
    type Error = String;

    fn try_from(declared: IndexMap<String, RecordType>) -> Result<Self, String> {
        let mut types = Self::default();
        for (name, record) in declared {
            types.declare(&name, record).map_err(|reason| format!("records.{name}{reason}"))?;
        }
        for record in types.iter() {
            for (key, field) in &record.fields {
                if let Some(unknown) = field.values_from.iter().find(|of| types.field_named(of).is_none()) {
                    let at = format!("records.{}.fields.{key}", record.name);
                    return Err(format!(
                        "{at}: `values_from` names `{unknown}`, which is not a field of a record"
                    ));
                }
            }
        }
        Ok(types)
    }
}

impl RecordTypes {
    /// Adds a parsed type.
    ///
    /// # Errors
    /// The contradiction, with its place below `records.NAME`.
    pub(super) fn declare(&mut self, name: &str, mut record: RecordType) -> Result<(), String> {
        let at = |reason: String| format!(": {reason}");
        if !is_name(name) {
            return Err(at(
                "a type's name is one line of text without spaces around it, of at most 200 characters"
                    .into(),
            ));
        }
        if self.types.keys().any(|other| folded(other) == folded(name)) {
            return Err(at("another type's name differs only in case".into()));
        }
        record.name = name.to_owned();
        record.type_values = vec![name.to_owned()];
        record.undeclared = self.undeclared.clone();
        for (key, field) in &mut record.fields {
            field.property.clone_from(key);
        }
        if let Some(reason) = record.contradiction() {
            return Err(at(reason));
        }
        for (key, field) in &record.fields {
            if let Some(reason) = field.contradiction(key) {
                return Err(format!(".fields.{key}: {reason}"));
            }
        }
        record.settle();
        if let Some((key, reason)) = record.cannot_mark() {
            return Err(at(format!("`{key}` {reason}")));
        }
        self.types.insert(name.to_owned(), record);
        Ok(())
    }
}

impl RecordType {
    pub(super) fn folder_contradiction(&self) -> Option<String> {
        match VaultPath::parse(&self.folder) {
            Err(error) => Some(format!("the folder {error}")),
            Ok(folder) if folder.is_hidden() => {
                Some(format!("the folder `{folder}` is hidden, so its notes would never be read"))
            }
            Ok(folder) if folder.as_str().split('/').next() == Some(TEMPLATE_FOLDER) => {
                Some(format!("the folder `{folder}` is for templates, which are not records"))
            }
            Ok(_) => None,
        }
    }

    fn contradiction(&self) -> Option<String> {
        if let Some(reason) = self.folder_contradiction() {
            return Some(reason);
        }
        if self.matches.as_ref().is_some_and(Vec::is_empty) {
            return Some("`match` has no entry, so it would match no note".into());
        }
        if self.fields.is_empty() {
            return Some("it has no fields".into());
        }
        for (what, pattern) in [("file", &self.file), ("below", &self.below)] {
            if let Some(reason) = pattern.as_deref().and_then(|pattern| self.unfilled(pattern)) {
                return Some(format!("`{what}` {reason}"));
            }
        }
        if let Some(key) = self.unique.iter().find(|key| !self.fields.contains_key(*key)) {
            return Some(format!("`unique` names `{key}`, which is not one of its fields"));
        }
        if let Some(key) = self.also.keys().find(|key| *key != "type" && !self.fields.contains_key(*key)) {
            return Some(format!("`also` names `{key}`, which is neither `type` nor one of its fields"));
        }
        let title = self.title.as_ref()?;
        match self.fields.get(title) {
            None => Some(format!("the title `{title}` is not one of its fields")),
            Some(field) if field.kind == FieldKind::List => {
                Some(format!("the title `{title}` is a list, which names no note"))
            }
            Some(_) => None,
        }
    }
}

impl RecordType {
    /// The error in a pattern of fields in braces.
    fn unfilled(&self, pattern: &str) -> Option<String> {
        if !is_name(pattern) || pattern.contains('/') {
            return Some("is not one line of text without slashes and spaces around it".into());
        }
        for part in pattern.split('{').skip(1) {
            let Some((key, _)) = part.split_once('}') else {
                return Some("has a brace that is not closed".into());
            };
            let (name, of) = key.split_once('.').unwrap_or((key, ""));
            match self.fields.get(name) {
                None => return Some(format!("names `{name}`, which is not one of its fields")),
                Some(field) if of == "year" && field.kind == FieldKind::Date => {}
                Some(_) if of.is_empty() => {}
                Some(_) => return Some(format!("has `{key}`; only the .year of a date can be taken")),
            }
        }
        None
    }
}

impl Field {
    pub(super) fn contradiction(&self, key: &str) -> Option<String> {
        if !is_name(key) {
            return Some(
                "a field's name is one line of text without spaces around it, of at most 200 characters"
                    .into(),
            );
        }
        if folded(key) == "path" {
            return Some("`path` says where the note lies and cannot be a field".into());
        }
        if folded(key) == "type" {
            return Some("`type` says what the record is and cannot be a field".into());
        }
        if self.title.as_deref().is_some_and(|title| !is_name(title)) {
            return Some(
                "a label is one line of text without spaces around it, of at most 200 characters".into(),
            );
        }
        let is_choice = self.kind == FieldKind::Choice;
        if is_choice && self.choices.is_empty() {
            return Some("a choice needs choices".into());
        }
        if !is_choice && !self.choices.is_empty() {
            return Some(format!("it has choices and is {}", self.kind.noun()));
        }
        if !is_choice && self.choices_from.is_some() {
            return Some(format!("it takes choices from the configuration and is {}", self.kind.noun()));
        }
        if let Some(reason) = choices_contradict(&self.choices) {
            return Some(reason);
        }
        if !self.codes.is_empty() && self.kind != FieldKind::Currency {
            return Some(format!("it has codes and is {}", self.kind.noun()));
        }
        let has_values =
            matches!(self.kind, FieldKind::Text | FieldKind::Link | FieldKind::Currency | FieldKind::List);
        if !self.values_from.is_empty() && !has_values {
            return Some(format!("it offers values and is {}", self.kind.noun()));
        }
        if self.items.is_some() && self.kind != FieldKind::List {
            return Some(format!("it has items and is {}", self.kind.noun()));
        }
        let starts_right = match self.starts {
            None => true,
            Some(Start::Today) => self.kind == FieldKind::Date,
            Some(Start::Currency) => matches!(self.kind, FieldKind::Currency | FieldKind::Text),
        };
        if !starts_right {
            return Some(format!("its start value is not valid for {}", self.kind.noun()));
        }
        let is_number = matches!(self.kind, FieldKind::Decimal | FieldKind::Integer);
        if !is_number && (self.min.is_some() || self.max.is_some()) {
            return Some(format!("it has a min or max and is {}", self.kind.noun()));
        }
        if let (Some(min), Some(max)) = (self.min, self.max)
            && min > max
        {
            return Some(format!("its min {min} is more than its max {max}"));
        }
        let default = self.default.as_ref()?;
        self.write(key, default).err().map(|error| {
            let rule = error.to_string();
            let rule = rule.strip_prefix(&format!("/{key}: ")).unwrap_or(&rule);
            format!("the default {default} does not fit: {}", rule.trim_end_matches('.'))
        })
    }
}

/// The error in a list of choices.
pub(super) fn choices_contradict(choices: &[String]) -> Option<String> {
    for (at, choice) in choices.iter().enumerate() {
        if !is_name(choice) {
            return Some(format!("the choice {choice:?} is not one line of text without spaces around it"));
        }
        if choices[..at].iter().any(|earlier| folded(earlier) == folded(choice)) {
            return Some(format!("it has the choice `{choice}` twice"));
        }
    }
    None
}

/// Whether it can be a type, a property or a choice: on one line, and unchanged by a round trip.
pub(super) fn is_name(text: &str) -> bool {
    const MAX_CHARS: usize = 200;
    !text.is_empty()
        && text.trim() == text
        && text.chars().count() <= MAX_CHARS
        && !text.contains(char::is_control)
}
