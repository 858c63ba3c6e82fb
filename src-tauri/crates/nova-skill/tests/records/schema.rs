//! A record type as the parameters of a tool, and as a form.

use nova_skill::{Value, json};

use super::{TRIP, types};

fn schema(for_update: bool) -> Value {
    types(TRIP).get("trip").unwrap().parameters(for_update)
}

#[test]
fn parameters_of_an_adding_tool() {
    let decimal = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$";
    let expected = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "What the trip is called."},
            "guide": {"type": "string", "description": "Who leads it."},
            "starts": {"type": "string", "format": "date"},
            "price": {"type": ["string", "number"], "pattern": decimal, "minimum": 0, "maximum": 9999.5},
            "seats": {"type": "integer", "minimum": 1},
            "booked": {"type": "boolean", "default": false},
            "mood": {"type": "string", "enum": ["calm", "wild", "Very wild"], "default": "calm"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "with": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["name", "starts"],
        "additionalProperties": false,
    });
    // As text, to compare the order too.
    assert_eq!(schema(false).to_string(), expected.to_string());
}

#[test]
fn parameters_of_an_updating_tool() {
    let schema = schema(true);
    assert_eq!(schema["required"], json!(["name"]));
    let property = |name: &str| schema["properties"][name].clone();
    assert_eq!(
        property("name"),
        json!({"type": "string", "description": "Which trip, as the user says it."})
    );
    assert_eq!(
        property("guide"),
        json!({"type": ["string", "null"], "description": "Who leads it; null removes it."})
    );
    assert_eq!(property("starts"), json!({"type": "string", "format": "date"}), "a required field stays");
    assert_eq!(
        property("mood"),
        json!({
            "type": ["string", "null"], "enum": ["calm", "wild", "Very wild", null],
            "description": "Null removes it.",
        })
    );
}

#[test]
fn parameters_accept_exactly_writable_values() {
    let compiled = |for_update| {
        jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .build(&schema(for_update))
            .unwrap()
    };
    let (add, update) = (compiled(false), compiled(true));
    let with = |field: &str, value: Value| {
        let mut args = json!({"name": "A", "starts": "2026-01-02"});
        args[field] = value;
        args
    };
    for (field, good) in
        [("price", json!("12.50")), ("price", json!(12.5)), ("seats", json!(2)), ("tags", json!(["a"]))]
    {
        assert!(add.is_valid(&with(field, good.clone())), "{field} {good}");
        assert!(update.is_valid(&with(field, good)));
        assert!(update.is_valid(&with(field, Value::Null)) && !add.is_valid(&with(field, Value::Null)));
    }
    for (field, bad) in [
        ("price", json!("1,250")),
        ("price", json!(-1)),
        ("seats", json!("many")),
        ("mood", json!("mad")),
        ("starts", json!("2026-02-30")),
        ("starts", json!(null)),
        ("tags", json!("a")),
        ("other", json!(1)),
    ] {
        assert!(
            !add.is_valid(&with(field, bad.clone())) && !update.is_valid(&with(field, bad.clone())),
            "{field} {bad}"
        );
    }
    assert!(update.is_valid(&json!({"name": "A"})) && !add.is_valid(&json!({"name": "A"})));
}

#[test]
fn new_record_form_has_labels_formats_and_defaults() {
    let types = types(TRIP);
    let form = types.get("trip").unwrap().form(false);
    let field = |name: &str| form["schema"]["properties"][name].clone();
    assert_eq!(form["schema"]["required"], json!(["name", "starts"]));
    assert_eq!(
        field("guide"),
        json!({"type": "string", "description": "Who leads it.", "title": "Guide", "format": "note"})
    );
    assert_eq!(field("price")["format"], "decimal");
    assert_eq!(field("with")["title"], "Company");
    assert_eq!(field("with")["items"], json!({"type": "string", "format": "note"}));
    assert_eq!(field("mood")["default"], "calm");
    assert_eq!(
        form["uiSchema"],
        json!({
            "ui:order": ["name", "guide", "starts", "price", "seats", "booked", "mood", "tags", "with", "*"],
            "name": {"ui:title": "Name"},
            "guide": {"ui:title": "Guide", "ui:placeholder": "The name of a note", "ui:widget": "link"},
            "starts": {"ui:title": "Starts", "ui:placeholder": "2026-12-31", "ui:widget": "date"},
            "price": {"ui:title": "Price", "ui:placeholder": "1250.50"},
            "seats": {"ui:title": "Seats"},
            "booked": {"ui:title": "Booked"},
            "mood": {"ui:title": "Mood"},
            "tags": {"ui:title": "Tags"},
            "with": {"ui:title": "Company", "ui:placeholder": "Names of notes", "ui:widget": "link"},
        })
    );
}

#[test]
fn existing_record_form_has_no_defaults() {
    let types = types(TRIP);
    let schema = types.get("trip").unwrap().form(true)["schema"].take();
    assert_eq!(schema["required"], json!(["starts"]));
    assert_eq!(schema["properties"]["mood"].get("default"), None);
    assert_eq!(schema["properties"]["booked"].get("default"), None);
}

#[test]
fn form_has_hints_and_suggested_values() {
    let declared = r#"
shift:
  folder: Shifts
  fields:
    place: { kind: text, label: Where, help: The hall, description: "For a model.", values_from: [shift.place] }
    currency: { kind: currency }
"#;
    let types = types(declared);
    let form = types.get("shift").unwrap().form(false);
    let place = &form["schema"]["properties"]["place"];
    assert_eq!(place["title"], "Where");
    assert_eq!(place["x-help"], "The hall");
    assert_eq!(place["x-values-from"], json!(["shift.place"]));
    assert_eq!(form["schema"]["properties"]["currency"]["x-values-from"], json!(["shift.currency"]));
    assert_eq!(types.get("shift").unwrap().parameters(false)["properties"]["place"]["x-help"], Value::Null);
}
