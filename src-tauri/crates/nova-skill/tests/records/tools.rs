//! The fields of a record as parameters of a native tool.

use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, RecordUse, Tool, ToolContext, ToolError, ToolFields,
    ToolOutput, Value, async_trait, json, native, schemars,
};
use serde::Deserialize;

use super::{TRIP, types, values};

/// A tool that adds, changes or lists trips: what it takes besides their fields, and which of these.
struct Trips<const USE: u8>;

const ADDS: u8 = 0;
const CHANGES: u8 = 1;
const LISTS: u8 = 2;
const MISSPELLED: u8 = 3;

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// Said to everybody.
    #[serde(rename = "loud")]
    _loud: Option<bool>,
    #[serde(flatten)]
    #[schemars(skip)]
    _fields: Map<String, Value>,
}

#[async_trait]
impl<const USE: u8> NativeTool for Trips<USE> {
    type Args = Args;
    const ID: &'static str = "trips";
    const EFFECT: Effect = Effect::Read;
    const RECORD: Option<RecordUse<'static>> = Some(match USE {
        CHANGES => RecordUse::Changes("trip"),
        LISTS => RecordUse::Lists("trip"),
        _ => RecordUse::Adds("trip"),
    });
    const FIELDS: ToolFields<'static> = match USE {
        LISTS => ToolFields::Only(&["guide", "mood", "starts"]),
        MISSPELLED => ToolFields::Only(&["gide"]),
        _ => ToolFields::AllBut(&["seats", "tags", "with"]),
    };

    fn description(&self) -> Description {
        Description::purpose("For trips.")
    }

    async fn run(&self, _: Args, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Err(ToolError::failed("It is not run.", ""))
    }
}

/// Its parameters with the user's own fields.
fn parameters(tool: Arc<dyn Tool>, own: Value) -> Value {
    let set = json!({"records": {"trip": {"fields": own}}});
    let records = types(TRIP).with_config(&set).unwrap();
    tool.with_records(&records).unwrap().spec().parameters.clone()
}

fn names(parameters: &Value) -> Vec<&str> {
    parameters["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn tool_that_adds_takes_declared_fields_then_its_own_arguments() {
    let parameters = parameters(native(Trips::<ADDS>), json!({"visa": {"kind": "bool"}}));
    assert_eq!(names(&parameters), ["name", "guide", "starts", "price", "booked", "mood", "loud", "visa"]);
    assert_eq!(parameters["required"], json!(["name", "starts"]));
    assert_eq!(parameters["additionalProperties"], false);
    let field = |name: &str| parameters["properties"][name].clone();
    assert_eq!(
        field("guide"),
        json!({"type": "string", "description": "Who leads it.", "x-note": true}),
        "a form suggests notes"
    );
    assert_eq!(
        field("price"),
        json!({"type": ["string", "number"], "format": "decimal"}),
        "limits are checked on write"
    );
    assert_eq!(field("mood")["default"], "calm");
    assert_eq!(field("visa")["type"], "boolean");
}

#[test]
fn tool_that_changes_takes_null_and_requires_nothing() {
    let parameters = parameters(native(Trips::<CHANGES>), json!({}));
    assert_eq!(names(&parameters), ["loud", "name", "guide", "starts", "price", "booked", "mood"]);
    assert_eq!(parameters.get("required"), None);
    let guide = &parameters["properties"]["guide"];
    assert_eq!(guide["type"], json!(["string", "null"]));
    assert_eq!(guide["description"], "Who leads it; null removes it.");
}

#[test]
fn tool_that_lists_takes_filters() {
    let own = json!({"paid in": {"kind": "currency", "label": "Paid in"}});
    let parameters = parameters(native(Trips::<LISTS>), own);
    assert_eq!(names(&parameters), ["guide", "mood", "starts", "loud", "paid in"]);
    let field = |name: &str| parameters["properties"][name].clone();
    assert_eq!(
        field("guide"),
        json!({
            "type": "string", "description": "Only with this guide; a part of it is enough.",
            "x-help": "A part of it is enough", "x-values-from": ["trip.guide"], "x-values": "part",
        })
    );
    assert_eq!(field("mood")["enum"], json!(["calm", "wild", "Very wild"]));
    assert_eq!(
        (&field("paid in")["x-label"], &field("paid in")["x-values"]),
        (&json!("Paid in"), &json!("only"))
    );
}

#[test]
fn field_that_is_not_declared_is_noted() {
    let records = types(TRIP);
    assert!(native(Trips::<MISSPELLED>).with_records(&records).is_none());
    assert_eq!(records.undeclared(), ["the field gide of trip"]);
}

#[test]
fn given_fields_are_read_as_they_are_declared() {
    let records = types(TRIP);
    let trip = records.get("trip").unwrap();
    let said = values(
        json!({"guide": "Ada", "starts": "2026-03-01", "price": 12.5, "mood": "very WILD", "booked": null}),
    );
    let given = trip.given(&said);
    assert_eq!(given.text("guide").unwrap(), Some("Ada"));
    assert_eq!(given.date("starts").unwrap().unwrap().to_string(), "2026-03-01");
    assert_eq!(given.decimal("price").unwrap().unwrap().text(), "12.5");
    assert_eq!(given.choice("mood").unwrap(), Some("Very wild"));
    assert_eq!(given.text("name").unwrap(), None);
    assert!(matches!(given.text("starts"), Err(ToolError::NotDeclared { .. })), "it is a date");
    let wrong = values(json!({"starts": "2026-02-30"}));
    assert!(matches!(trip.given(&wrong).date("starts"), Err(ToolError::InvalidArguments { .. })));
}
