//! Record types, from manifest lines to notes, forms and schemas.
#![allow(clippy::unwrap_used)]

mod checking;
mod declaring;
mod form;
mod mapping;
mod matching;
mod obsidian;
mod reading;
mod schema;
mod tools;
mod writing;

use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{Note, RecordTypes, Value, VaultPath};
use nova_vault::ContentHash;
use nova_vault::note::Document;

/// One record type with a field of each kind.
const TRIP: &str = r#"
trip:
  folder: Trips
  title: name
  fields:
    name: { kind: text, required: true, description: What the trip is called. }
    guide: { kind: link, description: Who leads it. }
    starts: { kind: date, required: true }
    price: { kind: decimal, min: 0, max: 9999.5 }
    seats: { kind: integer, min: 1 }
    booked: { kind: bool, default: false }
    mood: { kind: choice, choices: [calm, wild, Very wild], default: calm }
    tags: { kind: list }
    with: { kind: list, items: link, title: Company }
  body: "\nPack.\n"
"#;

fn types(yaml: &str) -> RecordTypes {
    declared(yaml).unwrap()
}

fn declared(yaml: &str) -> Result<RecordTypes, String> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(yaml, options).map_err(|error| error.to_string())
}

fn note(text: &str) -> Note {
    Note {
        path: VaultPath::parse("Trips/Alps.md").unwrap(),
        text: text.into(),
        hash: ContentHash::of(text.as_bytes()),
        document: Arc::new(Document::parse(text)),
        modified: "2026-11-21T09:00:00Z".parse().unwrap(),
    }
}

fn values(values: Value) -> Map<String, Value> {
    match values {
        Value::Object(values) => values,
        other => panic!("not an object: {other}"),
    }
}
