//! A contradictory declaration is refused with the place and the reason.

use super::{TRIP, declared, types};

#[track_caller]
fn refused(yaml: &str, says: &str) {
    match declared(yaml) {
        Ok(_) => panic!("not refused: {yaml}"),
        Err(error) => assert!(error.contains(says), "{error:?} should say {says:?}"),
    }
}

/// A type with this one field in addition to its name.
fn field(field: &str) -> String {
    format!("t:\n  folder: T\n  title: name\n  fields:\n    name: {{ kind: text }}\n    f: {{ {field} }}\n")
}

#[test]
fn every_kind_can_be_declared() {
    let types = types(TRIP);
    assert_eq!(types.iter().map(|record| record.name()).collect::<Vec<_>>(), ["trip"]);
    let trip = types.get("trip").unwrap();
    assert_eq!(trip.fields.len(), 9);
    assert_eq!(trip.type_values(), ["trip"]);
    assert_eq!(trip.fields["with"].label("with"), "Company");
    assert_eq!(trip.fields["starts"].label("first_day"), "First day");
}

#[test]
fn unknown_keys_are_refused() {
    refused("t: { folder: T, fields: { a: { kind: text } }, titel: a }", "titel");
    refused(&field("kind: text, requierd: true"), "requierd");
    refused(&field("kind: texts"), "texts");
    refused(&field("kind: text, property: x"), "property");
}

#[test]
fn missing_keys_are_reported() {
    refused("t: { folder: T }", "fields");
    refused("t: { fields: { a: { kind: text } } }", "folder");
    refused("t: { folder: T, fields: {} }", "records.t: it has no fields");
    refused(&field("kind: choice"), "records.t.fields.f: a choice needs choices");
}

#[test]
fn contradictions_are_refused() {
    refused(
        "t: { folder: T, title: nmae, fields: { name: { kind: text } } }",
        "records.t: the title `nmae` is not one of its fields",
    );
    refused("t: { folder: T, title: a, fields: { a: { kind: list } } }", "the title `a` is a list");
    refused("t: { folder: T, fields: { type: { kind: text } } }", "`type` says what the record is");
    refused(&field("kind: text, choices: [a]"), "it has choices and is a text");
    refused(&field("kind: choice, choices: [a, A]"), "it has the choice `A` twice");
    refused(&field("kind: choice, choices: ['']"), "not one line of text");
    refused(&field("kind: text, choices_from: x"), "it takes choices from the configuration and is a text");
    refused(&field("kind: text, items: link"), "it has items and is a text");
    refused(&field("kind: date, min: 1"), "it has a min or max and is a date");
    refused(&field("kind: text, starts: today"), "its start value is not valid for a text");
    refused(&field("kind: text, codes: [BTC]"), "it has codes and is a text");
    refused("t: { folder: T, unique: [b], fields: { a: { kind: text } } }", "`unique` names `b`");
    refused(&field("kind: decimal, starts: currency"), "its start value is not valid for a decimal");
    refused(&field("kind: date, starts: tomorrow"), "unknown variant `tomorrow`");
    refused(&field("kind: decimal, min: 2, max: 1"), "its min 2 is more than its max 1");
}

#[test]
fn default_must_match_kind_and_range() {
    refused(&field("kind: date, default: soon"), "the default \"soon\" does not fit");
    refused(&field("kind: decimal, default: '1,5'"), "the default \"1,5\" does not fit");
    refused(&field("kind: decimal, min: 1, default: 0"), "less than 1");
    refused(&field("kind: choice, choices: [a], default: b"), "\"b\" is not one of the choices");
    refused(&field("kind: bool, default: 'yes'"), "must be true or false");
    refused(&field("kind: list, default: one"), "must be a list");
    refused(&field("kind: integer, default: 1.5"), "must be a whole number");
}

#[test]
fn folder_must_be_a_readable_one_in_the_vault() {
    let with = |folder: &str| format!("t: {{ folder: '{folder}', fields: {{ a: {{ kind: text }} }} }}");
    for folder in ["../T", "/T", "", "A//B"] {
        refused(&with(folder), "records.t: the folder");
    }
    refused(&with(".nova/T"), "is hidden");
    refused(&with("Templates/T"), "is for templates");
}

#[test]
fn duplicate_types_are_refused() {
    let one = "{ folder: T, fields: { a: { kind: text } } }";
    refused(&format!("t: {one}\nt: {one}"), "t");
    refused(&format!("trip: {one}\nTrip: {one}"), "records.Trip: another type's name differs only in case");
    refused(&format!("' t': {one}"), "one line of text without spaces around it");
}
