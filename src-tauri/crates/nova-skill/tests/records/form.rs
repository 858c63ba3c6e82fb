//! The values of a form for a note, and the edits made by its input.

use nova_skill::{FieldFault, RecordDraft, Value, json};
use nova_vault::note::edit_properties;

use super::{TRIP, note, types, values};

const ALPS: &str = "---\ntype: trip\nname: Alps\nguide: \"[[Jane Doe|Jane]]\"\nstarts: 2026-12-31 # fixed\n\
                    price: 100.50\nseats: 3\nmood: Wild\ntags: [snow, far]\nmine: 1\n---\n\nPack.\n";

/// Opens a form on `opened`, enters `filled`, and saves it when the note contains `now`. Returns the note, or
/// the fields with their errors.
#[track_caller]
fn saved(opened: &str, filled: Value, now: &str) -> Result<String, Vec<(String, String)>> {
    let types = types(TRIP);
    let trip = types.get("trip").unwrap();
    let before = trip.form_values(&note(opened));
    let mut entered = before.clone();
    for (field, value) in values(filled) {
        entered.insert(field, value);
    }
    let edits = trip.edits_of_form(&note(now), &before, &entered).map_err(said)?;
    Ok(edit_properties(now, &edits).unwrap())
}

#[track_caller]
fn new_note(filled: Value) -> Result<String, Vec<(String, String)>> {
    types(TRIP).get("trip").unwrap().new_note_of_form(&values(filled)).map_err(said)
}

fn said(faults: Vec<FieldFault>) -> Vec<(String, String)> {
    faults.into_iter().map(|fault| (fault.field, fault.message)).collect()
}

fn one(field: &str, message: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), message.to_owned())]
}

#[test]
fn form_shows_fields_as_in_the_note() {
    let types = types(TRIP);
    let shown = |text: &str| Value::Object(types.get("trip").unwrap().form_values(&note(text)));
    assert_eq!(
        shown(ALPS),
        json!({
            "name": "Alps", "guide": "Jane Doe", "starts": "2026-12-31", "price": "100.50", "seats": 3,
            "mood": "wild", "tags": ["snow", "far"],
        })
    );
    assert_eq!(
        shown("---\ntype: trip\nstarts: 31.12.2026\nprice: 1,250\nseats: many\nname:\ntags: snow\n---\n"),
        json!({"starts": "31.12.2026", "price": "1,250", "seats": "many", "tags": ["snow"]})
    );
}

#[test]
fn only_changes_are_written_and_emptied_fields_removed() {
    assert_eq!(saved(ALPS, json!({}), ALPS).unwrap(), ALPS);
    assert_eq!(saved(ALPS, json!({"price": "100.51"}), ALPS).unwrap(), ALPS.replace("100.50", "100.51"));
    assert_eq!(saved(ALPS, json!({"seats": null}), ALPS).unwrap(), ALPS.replace("seats: 3\n", ""));
    assert_eq!(saved(ALPS, json!({"seats": " "}), ALPS).unwrap(), ALPS.replace("seats: 3\n", ""));
    assert_eq!(
        saved(ALPS, json!({"starts": " 2027-01-02 "}), ALPS).unwrap(),
        ALPS.replace("2026-12-31", "2027-01-02")
    );
}

#[test]
fn concurrent_changes_of_the_note_are_preserved() {
    let outside = ALPS.replace("mood: Wild", "mood: calm").replace("Pack.", "Packed.");
    assert_eq!(
        saved(ALPS, json!({"price": "90"}), &outside).unwrap(),
        outside.replace("price: 100.50", "price: 90")
    );
    let same = ALPS.replace("price: 100.50", "price: 90");
    assert_eq!(saved(ALPS, json!({"price": "90"}), &same).unwrap(), same, "both changed to the same value");
}

#[test]
fn concurrent_list_changes_are_merged() {
    let outside = ALPS.replace("[snow, far]", "[snow, far, cold]");
    let merged = saved(ALPS, json!({"tags": ["far", "high"]}), &outside).unwrap();
    let types = types(TRIP);
    let tags = types.get("trip").unwrap().form_values(&note(&merged))["tags"].clone();
    assert_eq!(tags, json!(["far", "cold", "high"]));
    let turned = ALPS.replace("[snow, far]", "[far, snow]");
    assert_eq!(saved(ALPS, json!({"tags": ["snow"]}), &turned).unwrap_err().len(), 1, "the order matters");
}

#[test]
fn conflicting_field_is_reported_with_the_notes_value() {
    let types = types(TRIP);
    let trip = types.get("trip").unwrap();
    let (before, outside) = (trip.form_values(&note(ALPS)), note(&ALPS.replace("100.50", "80")));
    let mut entered = before.clone();
    entered.insert("price".into(), json!("90"));

    let faults = trip.edits_of_form(&outside, &before, &entered).unwrap_err();

    assert_eq!(
        faults,
        [FieldFault {
            field: "price".into(),
            message: "It was changed to 80 in the note while the form was open. Choose which one to keep."
                .into(),
            theirs: Some(json!("80")),
        }]
    );
    // After confirmation, the form is saved again, based on the value that the user has seen.
    let mut seen = before.clone();
    seen.insert("price".into(), json!("80"));
    let edits = trip.edits_of_form(&outside, &seen, &entered).unwrap();
    assert_eq!(edits.iter().map(|edit| edit.key()).collect::<Vec<_>>(), ["price"]);
}

#[test]
fn errors_are_reported_by_field_with_the_remedy() {
    let filled = json!({"starts": "31.12.2026", "price": "1,250", "seats": 0, "mood": "mad", "gide": "x"});
    assert_eq!(
        saved(ALPS, filled, ALPS).unwrap_err(),
        [
            ("gide", "A trip has no such field; it has name, guide, starts, price, seats, booked, mood, tags, with."),
            ("starts", "It is 31.12.2026, which is not a date. Write it as 2026-12-31."),
            ("price", "It is 1,250, which is not a plain decimal. Write it as 1250 or 1.250, whichever is meant."),
            ("seats", "It is 0, which is less than 1. Write a number of at least 1."),
            ("mood", "It is mad, which is not one of its choices. Write one of calm, wild, Very wild."),
        ]
        .map(|(field, message)| (field.to_owned(), message.to_owned()))
    );
    let broken = ALPS.replace("2026-12-31 # fixed", "soon");
    assert_eq!(
        saved(&broken, json!({"seats": 4}), &broken).unwrap_err(),
        one("starts", "It is soon, which is not a date. Write it as YYYY-MM-DD, such as 2026-12-31."),
        "also if unchanged"
    );
    assert_eq!(
        saved(ALPS, json!({"starts": null}), ALPS).unwrap_err(),
        one("starts", "A trip needs a date. Fill it in.")
    );
}

#[test]
fn note_without_a_title_can_be_saved() {
    let untitled = ALPS.replace("name: Alps\n", "");
    assert_eq!(
        saved(&untitled, json!({"seats": 4}), &untitled).unwrap(),
        untitled.replace("seats: 3", "seats: 4")
    );
}

#[test]
fn new_note_has_form_values_without_removed_defaults() {
    assert_eq!(
        new_note(
            json!({"name": " Alps ", "starts": "2026-12-31", "price": "12.50", "seats": "", "tags": []})
        )
        .unwrap(),
        "---\ntype: trip\nname: Alps\nstarts: 2026-12-31\nprice: 12.50\n---\n\nPack.\n"
    );
    assert_eq!(
        new_note(json!({"name": "Alps"})).unwrap_err(),
        one("starts", "A trip needs a date. Fill it in.")
    );
}

#[test]
fn new_note_is_placed_by_its_types_patterns() {
    let place = |patterns: &str, filled: Value| {
        let yaml = TRIP.replace("  title: name\n", &format!("  title: name\n{patterns}"));
        types(&yaml).get("trip").unwrap().place(&values(filled))
    };
    let named = |folder: &str, name: &str| (folder.to_owned(), name.to_owned());
    assert_eq!(place("", json!({"name": "Alps"})), named("Trips", "Alps"));
    assert_eq!(place("", json!({})), named("Trips", "trip"));
    let patterns = "  file: \"{starts} {name} {price}\"\n  below: \"{starts.year}\"\n";
    let filled = json!({"name": "Alps", "starts": "2026-12-31", "price": "12.50"});
    assert_eq!(place(patterns, filled), named("Trips/2026", "2026-12-31 Alps 12.50"));
    let long = json!({"name": "é".repeat(61), "starts": "2026-12-31"});
    assert_eq!(place(patterns, long), named("Trips/2026", &format!("2026-12-31 {}", "é".repeat(60))));
    let without = json!({"name": "../Alps", "starts": "2026-12-31"});
    assert_eq!(place(patterns, without), named("Trips/2026", "2026-12-31 ../Alps"));
}

#[test]
fn patterns_and_names_of_unknown_fields_are_refused() {
    for (line, says) in [
        ("  file: \"{nmae}\"\n", "`file` names `nmae`"),
        ("  file: \"{name\"\n", "`file` has a brace that is not closed"),
        ("  file: \"a/{name}\"\n", "without slashes"),
        ("  below: \"{name.year}\"\n", "only the .year of a date"),
        ("  also: {nmae: [title]}\n", "`also` names `nmae`"),
    ] {
        let yaml = TRIP.replace("  title: name\n", &format!("  title: name\n{line}"));
        let error = super::declared(&yaml).expect_err(line);
        assert!(error.contains(says), "{line}{error}");
    }
}

#[test]
fn rules_see_values_to_save_and_filled_in_ones_are_tracked() {
    let types = types(TRIP);
    let trip = types.get("trip").unwrap();
    let before = trip.form_values(&note(ALPS));
    let mut entered = before.clone();
    entered.extend(values(json!({"price": "99", "guide": "Mara Lind", "tags": ["snow"], "seats": null})));
    let edits = trip.edits_of_form(&note(ALPS), &before, &entered).unwrap();
    let mut draft = RecordDraft::edited(trip, note(ALPS), &edits);
    assert_eq!((draft.text_before("price"), draft.text("price")), (Some("100.50"), Some("99")));
    assert_eq!(
        Value::Object(draft.values().clone()),
        json!({
            "name": "Alps", "guide": "Mara Lind", "starts": "2026-12-31", "price": "99", "mood": "wild",
            "tags": ["snow"],
        })
    );
    let changed: Vec<&str> = ["name", "price", "guide", "seats", "mood", "tags", "booked"]
        .into_iter()
        .filter(|field| draft.changes(field))
        .collect();
    assert_eq!(changed, ["price", "guide", "seats", "tags"]);

    assert!(draft.filled_in().is_empty(), "nothing but what the user entered");
    draft.set("mood", "calm");
    draft.set("price", "98");
    assert_eq!(Value::Object(draft.filled_in()), json!({"price": "98", "mood": "calm"}));

    let new = RecordDraft::new(trip, &values(json!({"name": " Alps ", "guide": "", "tags": []})));
    assert_eq!(Value::Object(new.values().clone()), json!({"name": "Alps"}));
    assert!(new.note().is_none() && new.changes("name") && !new.changes("guide"));
}

#[test]
fn rules_see_normalised_values_of_a_new_record() {
    let trip = types(&TRIP.replace("booked: {", "paid_in: { kind: currency }\n    booked: {"));
    let trip = trip.get("trip").unwrap();
    let entered = json!({
        "name": "Alps", "guide": "[[Jane Doe|Jane]]", "price": 99.5, "mood": "WILD", "paid_in": " eur ",
        "tags": ["snow ", ""], "starts": "soon",
    });
    let new = RecordDraft::new(trip, &values(entered));
    assert_eq!(
        Value::Object(new.values().clone()),
        json!({
            "name": "Alps", "guide": "Jane Doe", "price": "99.5", "mood": "wild", "paid_in": "EUR",
            "tags": ["snow"], "starts": "soon",
        })
    );
    assert!(new.filled_in().is_empty(), "nothing but what the user entered");
}
