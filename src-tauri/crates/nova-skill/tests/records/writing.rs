//! Values from a tool, as a new note and as edits.

use nova_skill::{Value, json};

use super::{TRIP, note, types, values};

#[track_caller]
fn written(given: Value) -> Result<String, String> {
    let types = types(TRIP);
    types.get("trip").unwrap().new_note(&values(given)).map_err(|error| format!("{error} {}", error.hint()))
}

#[test]
fn new_note_has_type_fields_and_defaults() {
    let given = json!({
        "with": ["Theo Marsh", "[[Jane Doe|Jane]]"], "seats": "3", "price": 12.5, "starts": " 2026-12-31 ",
        "name": "Alps: 2", "guide": "A/B", "mood": "WILD", "tags": ["snow"], "booked": true,
    });
    assert_eq!(
        written(given).unwrap(),
        "---\ntype: trip\nname: \"Alps: 2\"\nguide: \"[[A-B|A/B]]\"\nstarts: 2026-12-31\nprice: 12.5\nseats: 3\nbooked: true\n\
         mood: wild\ntags:\n  - snow\nwith:\n  - \"[[Theo Marsh]]\"\n  - \"[[Jane Doe]]\"\n---\n\nPack.\n"
    );
    assert_eq!(
        written(json!({"name": "B", "starts": "2026-01-02", "mood": null})).unwrap(),
        "---\ntype: trip\nname: B\nstarts: 2026-01-02\nbooked: false\nmood: calm\n---\n\nPack.\n"
    );
}

#[test]
fn bracketed_link_is_kept_and_name_becomes_a_file_name() {
    for (given, link) in [
        ("[[CRM/Companies/Acme]]", "[[CRM/Companies/Acme]]"),
        ("[[CRM/Companies/Acme.md|Acme]]", "[[CRM/Companies/Acme.md]]"),
        ("[[What now?]]", "[[What now?]]"),
        (" [[Cafe\u{301}#Log]] ", "[[Cafe\u{301}]]"),
        ("What now?", "[[What now-|What now?]]"),
        ("CRM/Companies/Acme", "[[CRM-Companies-Acme|CRM/Companies/Acme]]"),
        ("Acme, Inc.", "[[Acme, Inc|Acme, Inc.]]"),
        ("a|b", "[[a-b]]"),
        ("[[a^b]]", "[[a-b|a^b]]"),
        ("[[#Log]]", "[[Untitled]]"),
    ] {
        let text =
            written(json!({"name": "A", "starts": "2026-01-02", "guide": given, "with": [given]})).unwrap();
        assert!(text.contains(&format!("guide: \"{link}\"")), "{given}: {text}");
        assert!(text.contains(&format!("  - \"{link}\"")), "{given}: {text}");
    }
    let quotes = written(json!({"name": "A", "starts": "2026-01-02", "guide": "[[Plan \"B\"]]"})).unwrap();
    assert!(quotes.contains(r#"guide: '[[Plan "B"]]'"#), "{quotes}");
}

#[test]
fn invalid_value_is_refused_with_field_and_rule() {
    for (field, value, says) in [
        ("name", json!(3), "/name: must be a string."),
        ("name", json!(" "), "/name: must not be empty."),
        ("starts", json!("2026-12-31T10:00"), "is not a date YYYY-MM-DD."),
        ("starts", json!("31.12.2026"), "is not a date YYYY-MM-DD."),
        ("price", json!("1,250"), "/price: must be a plain decimal such as 1250.50."),
        ("price", json!(1e30), "/price: must be a plain decimal such as 1250.50."),
        ("price", json!(-1), "/price: is -1, which is less than 0."),
        ("price", json!(true), "/price: must be a decimal."),
        ("seats", json!(2.5), "/seats: must be a whole number such as 12."),
        ("seats", json!(0), "/seats: is 0, which is less than 1."),
        ("booked", json!("true"), "/booked: must be true or false."),
        ("mood", json!("mad"), "is not one of the choices. Allowed: calm, wild, Very wild."),
        ("tags", json!("one"), "/tags: must be a list."),
        ("tags", json!([1]), "/tags: must be a list of strings."),
        ("with", json!([null]), "/with: must be a list of strings."),
        ("gide", json!("x"), "The field \"gide\" is not declared."),
    ] {
        let mut given = json!({"name": "A", "starts": "2026-01-02"});
        given[field] = value.clone();
        let error = written(given).expect_err(field);
        assert!(error.contains(says), "{field} {value}: {error}");
    }
    assert!(written(json!({"name": "A"})).unwrap_err().contains("/starts: a trip needs a starts."));
}

#[test]
fn edits_contain_only_changes_and_null_removes() {
    let types = types(TRIP);
    let trip = types.get("trip").unwrap();
    let changes = values(json!({"price": "10.00", "guide": null}));
    let plain = note("---\ntype: trip\n---\n");
    let edits = trip.edits(&plain, &changes).unwrap();
    assert_eq!(
        format!("{edits:?}"),
        r#"[Set { key: "price", value: Number("10.00") }, Remove { key: "guide" }]"#
    );
    let edits = trip.edits(&note("---\nPrice: 9\nGUIDE: x\n---\n"), &changes).unwrap();
    assert_eq!(edits.iter().map(|edit| edit.key()).collect::<Vec<_>>(), ["Price", "GUIDE"]);
    let error = trip.edits(&plain, &values(json!({"starts": null}))).unwrap_err();
    assert!(error.to_string().contains("cannot be removed"), "{error}");
}
