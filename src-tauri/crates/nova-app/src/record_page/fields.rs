//! The fields of a type and the properties of its records: which property each field is read from, and which
//! values fit.

use std::collections::HashSet;

use indexmap::IndexMap;
use nova_protocol::{
    Confidence, FieldPreview, NoteGroup, OwnFieldPreview, PropertyUse, ValueMeaning, ValuePreview,
};
use nova_skill::figures::folded;
use nova_skill::{Field, FieldKind, Note, PropertyValue};
use serde_json::{Value, json};

use super::{LISTED, Taken, group};
use crate::field_proposals::{count, suggested_properties};

/// Maximum number of own fields offered.
const OFFERED: usize = 40;
const EXAMPLES: usize = 3;
/// Maximum number of distinct values that may be choices.
const CHOICES: usize = 12;

/// The fields declared by the skill.
pub(super) fn fields(taken: &Taken<'_>) -> Vec<FieldPreview> {
    let declared = taken.declared;
    let suggested = suggested_properties(declared, &taken.rows);
    let of_skill = declared.fields.iter().filter(|(_, field)| !field.is_own());
    let fields = of_skill.map(|(key, field)| {
        let values = Values::of(field, taken);
        let better = suggested.iter().find(|(of, _)| of == key).map(|(_, property)| property.clone());
        FieldPreview {
            field: key.clone(),
            label: field.label(key),
            property: field.property().to_owned(),
            may_be_file_name: declared.title.as_deref() == Some(key.as_str())
                && field.kind == FieldKind::Text,
            // A property with values was chosen by the user.
            suggested: better.filter(|better| {
                !field.is_file_name() && values.said == 0 && folded(better) != folded(field.property())
            }),
            notes: count(values.said),
            examples: values.examples.clone(),
            odd: count(values.odd.len()),
            needs: field.needs(),
            confidence: values.confidence(),
            choices: field.choices.clone(),
            values: meanings(field, taken),
        }
    });
    fields.collect()
}

/// The values of a field's property in the notes.
struct Values<'a> {
    said: usize,
    examples: Vec<String>,
    /// Notes with an invalid value, and the value.
    odd: Vec<(&'a Note, String)>,
}

impl<'a> Values<'a> {
    fn of(field: &Field, taken: &Taken<'a>) -> Self {
        let mut values = Self { said: 0, examples: Vec::new(), odd: Vec::new() };
        for note in &taken.notes {
            if field.is_file_name() {
                values.add(note.path.name().to_owned());
                continue;
            }
            let Some(value) = note.document.property(field.property()) else { continue };
            if value.display().trim().is_empty() {
                continue;
            }
            values.add(value.display());
            if !field.says_nothing(value) && !field.fits(value) {
                values.odd.push((note, value.display()));
            }
        }
        values
    }

    fn add(&mut self, shown: String) {
        self.said += 1;
        if self.examples.len() < EXAMPLES && !self.examples.contains(&shown) {
            self.examples.push(shown);
        }
    }

    fn confidence(&self) -> Confidence {
        match (self.said - self.odd.len()) * 100 {
            fitting if fitting >= self.said * 95 => Confidence::Sure,
            fitting if fitting >= self.said * 50 => Confidence::Likely,
            _ => Confidence::Unlikely,
        }
    }
}

/// Values of a choice field that are not among its choices, most frequent first.
fn meanings(field: &Field, taken: &Taken<'_>) -> Vec<ValuePreview> {
    if field.kind != FieldKind::Choice || field.is_file_name() {
        return Vec::new();
    }
    let mut counts: IndexMap<String, (String, u32)> = IndexMap::new();
    for note in &taken.notes {
        let said = note.document.property(field.property()).and_then(PropertyValue::as_text);
        let Some(said) = said.map(|said| said.trim().to_owned()).filter(|said| !said.is_empty()) else {
            continue;
        };
        let is_own = field.choices.iter().any(|choice| folded(choice) == folded(&said));
        if is_own && field.meaning(&said).is_none() {
            continue;
        }
        counts.entry(folded(&said)).or_insert((said, 0)).1 += 1;
    }
    let mut values: Vec<ValuePreview> = counts
        .into_values()
        .map(|(value, notes)| {
            let meaning = match field.meaning(&value) {
                None => ValueMeaning::Open,
                Some(None) => ValueMeaning::Nothing,
                Some(Some(choice)) => ValueMeaning::Choice { choice: choice.to_owned() },
            };
            ValuePreview { value, notes, meaning }
        })
        .collect();
    values.sort_by(|a, b| b.notes.cmp(&a.notes).then_with(|| a.value.cmp(&b.value)));
    values
}

/// The properties of the records, except `type`.
pub(super) fn properties(taken: &Taken<'_>) -> Vec<PropertyUse> {
    let mut counts: IndexMap<String, PropertyUse> = IndexMap::new();
    for note in &taken.notes {
        for (key, property) in note.document.properties() {
            if folded(key) == "type" || property.value.display().trim().is_empty() {
                continue;
            }
            let used = counts.entry(folded(key));
            used.or_insert_with(|| PropertyUse { property: key.clone(), notes: 0 }).notes += 1;
        }
    }
    let mut used: Vec<PropertyUse> = counts.into_values().collect();
    used.sort_by(|a, b| b.notes.cmp(&a.notes).then_with(|| a.property.cmp(&b.property)));
    used
}

/// Properties not used by a field of the skill; the user's own fields come first.
pub(super) fn own_fields(taken: &Taken<'_>, own: &Value) -> Vec<OwnFieldPreview> {
    let declared = taken.declared;
    let set = own.get("fields").and_then(Value::as_object);
    let of_skill: HashSet<String> = declared
        .fields
        .values()
        .filter(|field| !field.is_own())
        .map(|field| folded(field.property()))
        .collect();
    let mut names: IndexMap<String, (String, Option<&Value>)> = IndexMap::new();
    for (name, field) in set.into_iter().flatten() {
        names.insert(folded(name), (name.clone(), Some(field)));
    }
    for used in properties(taken) {
        if !of_skill.contains(&folded(&used.property)) {
            names.entry(folded(&used.property)).or_insert((used.property, None));
        }
    }
    let rows = names.into_values().take(OFFERED).map(|(property, set)| {
        let values: Vec<&PropertyValue> =
            taken.notes.iter().filter_map(|note| note.document.property(&property)).collect();
        let said: Vec<&PropertyValue> =
            values.into_iter().filter(|value| !value.display().trim().is_empty()).collect();
        let kind = match set {
            Some(set) => set.get("kind").and_then(Value::as_str).unwrap_or("text"),
            None => kind_of(&said),
        };
        // A choice without choices is a fault, which is shown beside it.
        let field = set.and_then(|set| serde_json::from_value::<Field>(set.clone()).ok());
        let odd = match field {
            Some(field) => said.iter().filter(|value| !field.fits(value)).count(),
            None => said.iter().filter(|value| !fits(kind, value)).count(),
        };
        let mut examples: Vec<String> = Vec::new();
        for value in &said {
            let shown = value.display();
            if examples.len() < EXAMPLES && !examples.contains(&shown) {
                examples.push(shown);
            }
        }
        OwnFieldPreview {
            property,
            kind: kind.to_owned(),
            used: set.is_some(),
            notes: count(said.len()),
            examples,
            odd: count(odd),
            values: few_values(&said),
        }
    });
    rows.collect()
}

/// Distinct values, most frequent first; empty if there are too many for choices, or one is not text.
fn few_values(values: &[&PropertyValue]) -> Vec<String> {
    let mut counts: IndexMap<String, (String, usize)> = IndexMap::new();
    for value in values {
        let Some(text) = value.as_text().map(|text| text.trim().to_owned()) else { return Vec::new() };
        counts.entry(folded(&text)).or_insert((text, 0)).1 += 1;
        if counts.len() > CHOICES {
            return Vec::new();
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_values().collect();
    counts.sort_by_key(|(_, notes)| std::cmp::Reverse(*notes));
    counts.into_iter().map(|(text, _)| text).collect()
}

/// The narrowest kind that four of five values fit.
fn kind_of(values: &[&PropertyValue]) -> &'static str {
    let mostly = |fits: &dyn Fn(&PropertyValue) -> bool| {
        !values.is_empty() && values.iter().filter(|value| fits(value)).count() * 5 >= values.len() * 4
    };
    if mostly(&|value| matches!(value, PropertyValue::List(_))) {
        return "list";
    }
    if mostly(&|value| matches!(value, PropertyValue::Link(_))) {
        return "link";
    }
    let mut narrow = ["bool", "integer", "decimal", "date"].into_iter();
    narrow.find(|kind| mostly(&|value| fits(kind, value))).unwrap_or("text")
}

fn fits(kind: &str, value: &PropertyValue) -> bool {
    // Not for a kind that requires choices, which only the skill knows.
    serde_json::from_value::<Field>(json!({"kind": kind})).is_ok_and(|field| field.fits(value))
}

/// Invalid values by field.
pub(super) fn not_understood(taken: &Taken<'_>) -> Vec<NoteGroup> {
    let groups = taken.declared.fields.iter().filter_map(|(key, field)| {
        if field.is_file_name() {
            return None;
        }
        let Values { odd, .. } = Values::of(field, taken);
        let mut values: Vec<String> = Vec::new();
        for (_, value) in &odd {
            if values.len() < EXAMPLES && !values.contains(value) {
                values.push(value.clone());
            }
        }
        let what = format!("`{}` is not {}", field.property(), field.needs());
        let found = group(what, odd.iter().map(|(note, _)| *note))?;
        Some(NoteGroup { field: Some(key.clone()), values, ..found })
    });
    let missing = taken.declared.fields.iter().filter_map(|(key, field)| {
        if !field.required || taken.declared.title.as_deref() == Some(key.as_str()) {
            return None;
        }
        let lacks = |note: &&&Note| {
            note.document.property(field.property()).is_none_or(|value| value.display().trim().is_empty())
        };
        let found =
            group(format!("`{}` is missing", field.property()), taken.notes.iter().filter(lacks).copied())?;
        Some(NoteGroup { field: Some(key.clone()), ..found })
    });
    let mut all: Vec<NoteGroup> = groups.chain(missing).collect();
    all.truncate(LISTED);
    all
}
