//! A note read as a record, field by field.

use nova_skill::{ToolError, json};

use super::{TRIP, note, types};

const ALPS: &str = "---
type: trip
name: Alps
guide: \"[[Jane Doe#Log|Jane]]\"
starts: 2026-12-31
price: \"1250.50\"
seats: 12
booked: true
mood: VERY  wild
tags: single
with: [\"[[Theo]]\", Mara]
own: 1
---
";

#[test]
fn each_kind_is_read() {
    let types = types(TRIP);
    let alps = note(ALPS);
    let trip = types.get("trip").unwrap().read(&alps);
    assert_eq!(trip.text("guide").unwrap().as_deref(), Some("Jane Doe"));
    assert_eq!(trip.date("starts").unwrap().unwrap().to_string(), "2026-12-31");
    assert_eq!(trip.decimal("price").unwrap().unwrap().to_string(), "1250.50");
    assert_eq!(trip.decimal("seats").unwrap().unwrap().to_string(), "12");
    assert_eq!(trip.integer("seats").unwrap(), Some(12));
    assert_eq!(trip.bool("booked").unwrap(), Some(true));
    assert_eq!(trip.choice("mood").unwrap(), Some("Very wild"));
    assert_eq!(trip.list("tags").unwrap(), ["single"]);
    assert_eq!(trip.list("with").unwrap(), ["Theo", "Mara"]);
    assert_eq!(trip.other_properties().map(|(key, _)| key).collect::<Vec<_>>(), ["own"]);
    assert_eq!(types.undeclared(), [""; 0]);
}

#[test]
fn missing_field_is_none() {
    let types = types(TRIP);
    let empty = note("---\ntype: trip\nstarts:\nprice: ''\n---\n");
    let trip = types.get("trip").unwrap().read(&empty);
    assert_eq!(trip.title(), "Alps", "the note's name is the fallback");
    assert_eq!(trip.text("guide").unwrap(), None);
    assert_eq!(trip.date("starts").unwrap(), None);
    assert_eq!(trip.decimal("price").unwrap(), None);
    assert_eq!(trip.bool("booked").unwrap(), None, "a default is for new notes");
    assert_eq!(trip.choice("mood").unwrap(), None);
    assert_eq!(trip.list("tags").unwrap(), [""; 0]);
}

#[test]
fn invalid_value_is_an_error_with_its_place() {
    let types = types(TRIP);
    let broken = note("---\ntype: trip\nstarts: 31.12.2026\nprice: 1,250.50\nmood: mad\n---\n");
    let trip = types.get("trip").unwrap().read(&broken);
    let said = |error: ToolError| format!("{error} {}", error.hint());
    assert_eq!(
        said(trip.date("starts").unwrap_err()),
        "Trips/Alps.md, line 3: `starts` is `31.12.2026`, which is not a date. Write it as 2026-12-31."
    );
    assert_eq!(
        said(trip.decimal("price").unwrap_err()),
        "Trips/Alps.md, line 4: `price` is `1,250.50`, which is not a plain decimal. Write it as 1250.50."
    );
    assert!(
        matches!(trip.choice("mood").unwrap_err(), ToolError::BrokenRecord(problem) if problem.line == 5)
    );
    assert_eq!(trip.text("price").unwrap().as_deref(), Some("1,250.50"), "the text is kept");
    assert_eq!(trip.to_json()["price"], json!("1,250.50"));
}

#[test]
fn list_or_mapping_is_not_a_text() {
    let types = types(TRIP);
    let said = |properties: &str| {
        let broken = note(&format!("---\ntype: trip\n{properties}\n---\n"));
        types.get("trip").unwrap().read(&broken).text("guide").unwrap_err().to_string()
    };
    assert_eq!(said("guide: [Jane, Theo]"), "Trips/Alps.md, line 3: `guide` is a list instead of a link.");
    assert_eq!(
        said("guide: {first: Jane}"),
        "Trips/Alps.md, line 3: `guide` is a mapping instead of a link."
    );
}

#[test]
fn undeclared_access_is_an_error_and_recorded() {
    let types = types(TRIP);
    let alps = note(ALPS);
    let copy = types.get("trip").unwrap().clone();
    let trip = copy.read(&alps);
    assert!(matches!(trip.text("gide"), Err(ToolError::NotDeclared { .. })));
    assert!(matches!(trip.list("tag"), Err(ToolError::NotDeclared { .. })));
    assert!(matches!(trip.date("name"), Err(ToolError::NotDeclared { .. })), "declared as another kind");
    assert!(matches!(types.get("tripp"), Err(ToolError::NotDeclared { .. })));
    assert_eq!(
        types.undeclared(),
        [
            "the field gide of trip",
            "the field name of trip as something else than a text",
            "the field tag of trip",
            "the record type tripp",
        ]
    );
}

#[test]
fn property_names_ignore_case() {
    let types = types(TRIP);
    let alps = note(
        "---\nType: trip\nNAME: Alps\nStarts: 2026-12-31\nPrice: x\nMood: calm\nmood: wild\nOwn: 1\n---\n",
    );
    let trip = types.of_note(&alps).unwrap();
    let record = trip.read(&alps);
    assert_eq!(record.title(), "Alps");
    assert_eq!(record.date("starts").unwrap().unwrap().to_string(), "2026-12-31");
    assert_eq!(record.choice("mood").unwrap(), Some("wild"), "the declared spelling wins");
    assert_eq!(record.to_json()["name"], "Alps");
    assert_eq!(record.other_properties().map(|(key, _)| key).collect::<Vec<_>>(), ["Mood", "Own"]);
    assert_eq!(trip.check(&alps).iter().map(|problem| problem.line).collect::<Vec<_>>(), [5]);
}
