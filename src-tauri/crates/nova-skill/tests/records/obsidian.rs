//! The export of a record type to Obsidian: a template for new notes, and a table.

use nova_skill::{TemplateFolder, Value, json};

use super::{TRIP, note, types};

#[test]
fn template_has_every_field_in_order_and_is_readable() {
    let types = types(TRIP);
    let trip = types.get("trip").unwrap();
    let text = trip.template();
    assert_eq!(
        text,
        "---\ntype: trip\nname: \"{{title}}\"\nguide:\nstarts:\nprice:\nseats:\nbooked: false\nmood: calm\ntags: []\nwith: []\n\
         ---\n\nPack.\n"
    );
    let problems = trip.check(&note(&text));
    assert_eq!(problems.len(), 1, "only the required date is missing: {problems:?}");
}

#[test]
fn table_has_a_column_per_field_after_the_note() {
    let text = types(TRIP).get("trip").unwrap().base_view(&TemplateFolder::default());
    assert!(text.starts_with(
        "filters:\n  and:\n    - 'type == \"trip\"'\n    - '!file.inFolder(\"Templates\")'\nproperties:\n  'note.guide':\n    \
         displayName: 'Guide'\n"
    ));
    let elsewhere = types(TRIP).get("trip").unwrap().base_view(&TemplateFolder::new(Some("Meta/Forms")));
    assert!(elsewhere.contains("'!file.inFolder(\"Meta/Forms\")'"), "{elsewhere}");
    let base: Value = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(base["filters"]["and"], json!(["type == \"trip\"", "!file.inFolder(\"Templates\")"]));
    assert_eq!(base["properties"]["note.with"], json!({"displayName": "Company"}));
    let columns = ["guide", "starts", "price", "seats", "booked", "mood", "tags", "with"];
    let order: Vec<String> = columns.iter().map(|column| format!("note.{column}")).collect();
    assert_eq!(base["views"][0]["type"], "table");
    assert_eq!(base["views"][0]["order"], json!([vec!["file.name".to_owned()], order].concat()));
}

#[test]
fn names_are_quoted_for_yaml_and_expressions() {
    let config = json!({"fields": {"trip": {
        "type": ["it's a \"trip\"", "a\\b"], "guide": "led: by 'them'",
    }}});
    let types = types(TRIP).with_config(&config).unwrap();
    let base: Value =
        serde_saphyr::from_str(&types.get("trip").unwrap().base_view(&TemplateFolder::default())).unwrap();
    assert_eq!(base["filters"]["and"][0]["or"], json!([r#"type == "it's a \"trip\"""#, r#"type == "a\\b""#]));
    assert_eq!(base["views"][0]["order"][1], "note.led: by 'them'");
    assert_eq!(base["properties"]["note.led: by 'them'"]["displayName"], "Guide");
}
