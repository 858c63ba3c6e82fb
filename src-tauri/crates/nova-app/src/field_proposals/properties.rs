//! Matches properties of a vault's notes to fields, by name and by value.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use nova_protocol::PropertyProposal;
use nova_skill::figures::{folded, similarity};
use nova_skill::{Field, FieldKind, PropertyValue, RecordType};
use nova_vault::QueryRow;
use unicode_normalization::UnicodeNormalization as _;

use super::{count, says_something};

/// Proposed properties for fields that are read from another one now.
pub(super) fn properties(declared: &RecordType, notes: &[&QueryRow]) -> Vec<PropertyProposal> {
    let found = properties_of(declared, notes);
    let other = |found: &Found| folded(&found.property) != folded(found.declared.property());
    let proposals = found.into_iter().filter(other).map(|found| PropertyProposal {
        label: found.declared.label(&found.field),
        examples: examples(notes, &found.property),
        notes: count(found.notes),
        field: found.field,
        property: found.property,
        because: found.because,
    });
    proposals.collect()
}

/// Each field with its best property.
pub(crate) fn suggested(declared: &RecordType, notes: &[&QueryRow]) -> Vec<(String, String)> {
    properties_of(declared, notes).into_iter().map(|found| (found.field, found.property)).collect()
}

/// A field and its best property.
pub(super) struct Found<'a> {
    pub(super) field: String,
    pub(super) declared: &'a Field,
    pub(super) property: String,
    notes: usize,
    because: String,
}

/// The best property for each field; no property is used twice.
pub(super) fn properties_of<'a>(declared: &'a RecordType, notes: &[&QueryRow]) -> Vec<Found<'a>> {
    let used = used_properties(notes);
    let mut wanted: Vec<(usize, usize, Found<'a>)> = Vec::new();
    for (key, field) in &declared.fields {
        let names = names_of(declared, key, key);
        for (property, values) in &used {
            let Some((score, because)) = likely(key, field, &names, property, values) else { continue };
            let found = Found {
                field: key.clone(),
                declared: field,
                property: property.clone(),
                notes: values.len(),
                because,
            };
            wanted.push((score, values.len(), found));
        }
    }
    // Highest score first, then the most notes.
    wanted.sort_by_key(|(score, notes, _)| std::cmp::Reverse((*score, *notes)));
    let (mut fields, mut taken) = (BTreeSet::new(), BTreeSet::new());
    let mut found: Vec<Found> = Vec::new();
    for (_, _, one) in wanted {
        if !fields.contains(&one.field) && !taken.contains(&folded(&one.property)) {
            fields.insert(one.field.clone());
            taken.insert(folded(&one.property));
            found.push(one);
        }
    }
    found.sort_by_key(|one| declared.fields.get_index_of(&one.field));
    found
}

/// Each property except `type`, with its values in the notes.
fn used_properties<'a>(notes: &[&'a QueryRow]) -> IndexMap<String, Vec<&'a PropertyValue>> {
    let mut spelled: BTreeMap<String, String> = BTreeMap::new();
    let mut used: IndexMap<String, Vec<&PropertyValue>> = IndexMap::new();
    for row in notes {
        for (key, property) in row.document.properties() {
            if folded(key) != "type" && says_something(&property.value) {
                let key = spelled.entry(folded(key)).or_insert_with(|| key.clone());
                used.entry(key.clone()).or_default().push(&property.value);
            }
        }
    }
    used
}

/// Score and reason of a match between property and field; `None` if they do not match.
fn likely(
    key: &str,
    field: &Field,
    names: &[&str],
    property: &str,
    values: &[&PropertyValue],
) -> Option<(usize, String)> {
    const ALIKE: usize = 75;
    let fitting = values.iter().filter(|value| field.fits(value)).count();
    // Tolerates a few invalid values.
    if fitting * 5 < values.len() * 4 {
        return None;
    }
    let bare = bare(property);
    if bare == self::bare(field.property()) {
        return Some((100, format!("is another spelling of {key}")));
    }
    if names.iter().any(|name| self::bare(name) == bare) {
        return Some((90, format!("is another name for {key}")));
    }
    let alike = names.iter().map(|name| similarity(&self::bare(name), &bare)).max().unwrap_or(0);
    if alike >= ALIKE {
        return Some((alike.min(89), format!("is spelled like {key}")));
    }
    let because = by_value(key, field, values)?;
    Some((60, because.to_owned()))
}

/// The reason for a match by value, if nearly all values have the field's form.
fn by_value(key: &str, field: &Field, values: &[&PropertyValue]) -> Option<&'static str> {
    let nearly_all = |is: fn(&str) -> bool| {
        let fitting = values.iter().filter(|value| value.as_text().is_some_and(|text| is(text.trim())));
        fitting.count() * 5 >= values.len() * 4
    };
    let key = self::bare(key);
    let is_called = |words: &[&str]| words.iter().any(|word| key.contains(word));
    match field.kind {
        FieldKind::Text if is_called(&["mail"]) && nearly_all(is_address) => Some("holds e-mail addresses"),
        FieldKind::Text if is_called(&["phone"]) && nearly_all(is_phone) => Some("holds phone numbers"),
        FieldKind::Text if is_called(&["domain", "website", "url"]) && nearly_all(is_site) => {
            Some("holds web addresses")
        }
        // The values fit, but a single one could be a coincidence.
        FieldKind::Choice if values.len() > 1 && !field.choices.is_empty() => Some("holds its choices"),
        FieldKind::Currency if values.len() > 1 => Some("holds currency codes"),
        _ => None,
    }
}

/// `name@host.example`
fn is_address(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    !name.is_empty() && host.contains('.') && !text.contains([' ', '/'])
}

/// `+44 20 7946 0555`, but not a plain number.
fn is_phone(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_number = text.chars().all(|c| c.is_ascii_digit() || "+ ()-./".contains(c));
    is_number && (7..=15).contains(&digits) && text.starts_with(['+', '0', '('])
}

/// `https://quillon.example/about`, `www.quillon.example`
fn is_site(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.or_else(|| text.starts_with("www.").then_some(text));
    host.is_some_and(|host| host.contains('.') && !host.contains([' ', '@']))
}

/// The aliases in the manifest, and the name itself.
pub(super) fn names_of<'a>(declared: &'a RecordType, key: &str, own: &'a str) -> Vec<&'a str> {
    let also = declared.also.get(key).into_iter().flatten().map(String::as_str);
    std::iter::once(own).chain(also).collect()
}

/// Normalises to letters and digits without diacritics: `E-Mail` equals `e_mail`, and `téléphone` equals
/// `telephone`.
pub(super) fn bare(name: &str) -> String {
    folded(name).nfd().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether two words are equal, up to singular and plural.
pub(super) fn same_word(a: &str, b: &str) -> bool {
    let (a, b) = (bare(a), bare(b));
    let several = |one: &str, other: &str| plural(one) == other || format!("{one}s") == other;
    !a.is_empty() && (a == b || several(&a, &b) || several(&b, &a))
}

pub(super) fn plural(word: &str) -> String {
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{word}s"),
    }
}

fn examples(notes: &[&QueryRow], property: &str) -> Vec<String> {
    const EXAMPLES: usize = 3;
    let mut seen = Vec::new();
    for row in notes {
        let shown = row.document.property(property).map(PropertyValue::display).unwrap_or_default();
        if !shown.is_empty() && !seen.contains(&shown) {
            seen.push(shown);
        }
        if seen.len() == EXAMPLES {
            break;
        }
    }
    seen
}
