//! The reduction of a tool's schema for Gemini.

use jsonschema::Validator;
use nova_provider::{ChatRequest, ProviderSettings, ToolDefinition, connect, normalise_schema};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::{json as parsed, request};

/// The schema as sent.
fn reduce(schema: &Value) -> Value {
    let tool =
        ToolDefinition { name: "one".into(), description: String::new(), input_schema: schema.clone() };
    let request = ChatRequest { tools: vec![tool], ..request() };
    let body = connect("gemini", ProviderSettings::new("test")).unwrap().encode(&request);
    let mut body: Value = serde_json::from_slice(&body).unwrap();
    body["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"].take()
}

/// The reduced form of an argument's schema, with definitions `defs`.
fn argument(schema: &Value, defs: Value) -> Value {
    let whole = json!({
        "type": "object", "properties": { "p": schema }, "required": ["p"], "$defs": defs,
    });
    let reduced = reduce(&whole);
    assert_eq!(reduced["required"], json!(["p"]));
    reduced["properties"]["p"].clone()
}

#[track_caller]
fn check(schema: &str, expected: &str) {
    assert_eq!(argument(&parsed(schema), json!({})), parsed(expected), "{schema}");
}

#[test]
fn supported_keywords_are_kept() {
    for schema in [
        r#"{"description":"A day.","type":"string","format":"date"}"#,
        r#"{"type":"string","enum":["a","b"]}"#,
        r#"{"type":"integer","minimum":1,"maximum":9}"#,
        r#"{"type":["string","null"]}"#,
        r#"{"type":"array","items":{"type":"number"},"minItems":1,"maxItems":3}"#,
        r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"null"}]}"#,
        r#"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"],"additionalProperties":false}"#,
        r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
        r#"{"description":"Either.","anyOf":[{"type":"string"},{"type":"integer"}]}"#,
        "{}",
    ] {
        check(schema, schema);
    }
}

#[test]
fn unions_are_choices_without_other_keywords() {
    check(
        r#"{"type":["string","number"],"description":"A price."}"#,
        r#"{"description":"A price.","anyOf":[{"type":"string"},{"type":"number"}]}"#,
    );
    check(
        r#"{"oneOf":[{"const":"a"},{"const":"b"},{"type":"null"}]}"#,
        r#"{"anyOf":[{"type":"string","enum":["a"]},{"type":"string","enum":["b"]},{"type":"null"}]}"#,
    );
    check(
        r#"{"enum":["a",1,null]}"#,
        r#"{"anyOf":[{"type":"string","enum":["a"]},{"type":"integer","enum":[1]},{"type":"null"}]}"#,
    );
    check(
        r#"{"anyOf":[{"anyOf":[{"type":"string"},{"type":"null"}]},{"type":"string"}]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
    );
    // Keywords next to a choice are copied into each of its alternatives.
    check(
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
        r#"{"anyOf":[
            {"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]},
            {"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}]}"#,
    );
    check(r#"{"anyOf":[{"type":"string"},{}]}"#, "{}");
    check(r#"{"anyOf":[{"type":"string"},false]}"#, r#"{"type":"string"}"#);
}

#[test]
fn references_are_expanded() {
    let defs = json!({
        "P": { "description": "Its own.", "type": "object", "properties": { "n": { "$ref": "#/$defs/N" } } },
        "N": { "type": "integer" },
        "a b": { "type": "boolean" },
        "Tree": { "type": "object", "properties": { "of": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } } },
        "Loop": { "$ref": "#/$defs/Loop" },
    });
    let of = |schema: &str| argument(&parsed(schema), defs.clone());
    let p = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#;
    let described = |text: &str| {
        let mut out = json!({ "description": text });
        out.as_object_mut().expect("an object").extend(parsed(p).as_object().expect("an object").clone());
        out
    };
    assert_eq!(of(r##"{"$ref":"#/$defs/P"}"##), described("Its own."));
    assert_eq!(of(r##"{"$ref":"#/$defs/P","description":"This one."}"##), described("This one."));
    assert_eq!(of(r##"{"$ref":"#/$defs/a%20b"}"##), json!({ "type": "boolean" }));
    assert_eq!(of(r##"{"$ref":"#/properties/p"}"##), json!({}));
    for nowhere in ["#/$defs/no", "https://schemas.example/x", "#%zz", ""] {
        assert_eq!(
            of(&json!({ "$ref": nowhere, "type": "string" }).to_string()),
            json!({ "type": "string" })
        );
    }
    // A recursive reference is expanded once more.
    let list = |items: Value| json!({ "type": "object", "properties": { "of": { "type": "array", "items": items } } });
    assert_eq!(of(r##"{"$ref":"#/$defs/Tree"}"##), list(list(json!({}))));
    assert_eq!(of(r##"{"$ref":"#/$defs/Loop"}"##), json!({}));
}

#[test]
fn conjunctions_are_merged() {
    check(
        r#"{"allOf":[{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"]},
            {"properties":{"a":{"maximum":5},"b":{"type":"string"}},"required":["b"]}]}"#,
        r#"{"type":"object","properties":{"a":{"type":"integer","minimum":1,"maximum":5},"b":{"type":"string"}},"required":["a","b"]}"#,
    );
    check(r#"{"allOf":[{"type":["integer","string"]},{"type":"number"}]}"#, r#"{"type":"integer"}"#);
    check(r#"{"allOf":[{"enum":["a","b"]},{"enum":["b","c"]}]}"#, r#"{"type":"string","enum":["b"]}"#);
}

#[test]
fn unsupported_keywords_are_described() {
    check(
        r#"{"type":"string","pattern":"^x","minLength":1,"maxLength":9,"format":"uri","default":"x","title":"T"}"#,
        r#"{"description":"(default: x, pattern: ^x, minLength: 1, maxLength: 9, format: uri)","type":"string"}"#,
    );
    check(
        r#"{"description":"A share.","type":"number","exclusiveMinimum":0,"multipleOf":0.5}"#,
        r#"{"description":"A share. (exclusiveMinimum: 0, multipleOf: 0.5)","type":"number","minimum":0}"#,
    );
    check(
        r#"{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":9}"#,
        r#"{"description":"(exclusiveMinimum: 0, exclusiveMaximum: 9)","type":"integer","minimum":1,"maximum":8}"#,
    );
    check(
        r#"{"type":"object","not":{"required":["a"]},"if":{},"then":false,"propertyNames":{"pattern":"x"},"minProperties":1}"#,
        r#"{"type":"object"}"#,
    );
    // A property that a pattern allows must not be refused.
    check(
        r#"{"type":"object","properties":{"a":{}},"patternProperties":{"^x":{}},"additionalProperties":false}"#,
        r#"{"type":"object","properties":{"a":{}}}"#,
    );
    check(
        r#"{"type":"object","properties":{"a":false,"b":true},"required":["a","b","c"]}"#,
        r#"{"type":"object","properties":{"b":{}},"required":["b"]}"#,
    );
    check(
        r#"{"type":"array","items":[{"type":"string"}],"additionalItems":false}"#,
        r#"{"type":"array","prefixItems":[{"type":"string"}],"maxItems":1}"#,
    );
    check(r#"{"type":"whatever"}"#, "{}");
    check(r#"{"const":true}"#, r#"{"type":"boolean"}"#);
}

#[test]
fn arguments_are_a_single_object() {
    let of = |schema: &str| reduce(&parsed(schema));
    for schema in ["{}", "true", "7", r#"{"type":"string"}"#, r#"{"type":"object"}"#] {
        assert_eq!(of(schema), json!({ "type": "object", "properties": {} }), "{schema}");
    }
    assert_eq!(
        of(r#"{"description":"Of two forms.","oneOf":[
            {"type":"object","properties":{"a":{"type":"string"},"x":{"type":"string"}},"required":["a","x"],"additionalProperties":false},
            {"type":"object","properties":{"b":{"type":"string"},"x":{"type":"integer"}},"required":["b","x"]}]}"#),
        parsed(
            r#"{"type":"object","description":"Of two forms.",
            "properties":{"a":{"type":"string"},"x":{"anyOf":[{"type":"string"},{"type":"integer"}]},"b":{"type":"string"}},"required":["x"]}"#
        )
    );
    assert_eq!(
        of(
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#
        ),
        parsed(r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}"#)
    );
}

/// Unbounded, each of these would take gigabytes or overflow the stack.
#[test]
fn hostile_schemas_stay_small() {
    let mut laughs = Map::new();
    for at in 0..40 {
        let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
        let parts: Map<String, Value> =
            ["a", "b", "c"].map(|name| (name.to_owned(), next.clone())).into_iter().collect();
        laughs.insert(format!("d{at}"), json!({ "type": "object", "properties": parts }));
    }
    let mut chain = Map::new();
    for at in 0..5_000 {
        chain.insert(
            format!("d{at}"),
            json!({ "properties": { "p": { "$ref": format!("#/$defs/d{}", at + 1) } } }),
        );
    }
    let choices: Vec<Value> = (0..30).map(|at| json!({ "anyOf": [{ "required": [format!("a{at}")] }, { "required": ["b"] }, { "minimum": at }] })).collect();
    let long = "x".repeat(100_000);
    let lists: Map<String, Value> =
        (0..500).map(|at| (format!("p{at}"), json!({ "$ref": "#/$defs/long" }))).collect();
    for (name, schema) in [
        ("laughs", json!({ "$ref": "#/$defs/d0", "$defs": laughs })),
        ("chain", json!({ "$ref": "#/$defs/d0", "$defs": chain })),
        (
            "references",
            json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }], "properties": { "a": { "$ref": "#" }, "b": { "$ref": "#" } } }),
        ),
        ("choices", json!({ "properties": { "p": { "allOf": choices } } })),
        (
            "values",
            json!({ "properties": lists, "$defs": { "long": { "enum": [long, "b"], "description": long } } }),
        ),
    ] {
        let reduced = reduce(&schema).to_string();
        assert!(reduced.len() < 1_500_000, "{name}: {} bytes", reduced.len());
        assert!(!reduced.contains("$ref"), "{name}");
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::validator_for(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

/// Values small enough to coincide often.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-1i64..4).prop_map(Value::from),
        prop_oneof![Just(json!(0.5)), Just(json!(1.0))],
        prop_oneof![Just(json!("")), Just(json!("a")), Just(json!("bb"))],
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(names(), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![Just("a".to_owned()), Just("b".to_owned()), Just("c".to_owned())]
}

fn kinds() -> impl Strategy<Value = Value> {
    let kind =
        || prop::sample::select(vec!["string", "number", "integer", "boolean", "null", "object", "array"]);
    prop_oneof![
        3 => kind().prop_map(Value::from),
        1 => prop::collection::btree_set(kind(), 1..4).prop_map(|kinds| json!(kinds)),
    ]
}

/// A keyword that Gemini supports, or with `any` one that it does not.
fn keyword(inner: BoxedStrategy<Value>, any: bool) -> BoxedStrategy<(&'static str, Value)> {
    let objects = || prop::collection::btree_map(names(), inner.clone(), 0..3).prop_map(|map| json!(map));
    let lists = |least| prop::collection::vec(inner.clone(), least..3usize).prop_map(Value::from);
    let required = || prop::collection::btree_set(names(), 0..3).prop_map(|names| json!(names));
    let small = || (0u64..3).prop_map(Value::from);
    let keyword =
        |key: &'static str, value: BoxedStrategy<Value>| value.prop_map(move |value| (key, value)).boxed();
    let taken = vec![
        keyword("type", kinds().boxed()),
        keyword("properties", objects().boxed()),
        keyword("items", inner.clone()),
        keyword("prefixItems", lists(1).boxed()),
        keyword("minItems", small().boxed()),
        keyword("maxItems", small().boxed()),
        keyword("minimum", (-1i64..3).prop_map(Value::from).boxed()),
        keyword("maximum", (-1i64..3).prop_map(Value::from).boxed()),
        keyword("anyOf", lists(1).boxed()),
        keyword("format", Just(json!("date")).boxed()),
        keyword("additionalProperties", prop_oneof![any_bool(), inner.clone()].boxed()),
    ];
    if !any {
        return proptest::strategy::Union::new(taken).boxed();
    }
    let others = vec![
        keyword("required", required().boxed()),
        keyword("enum", prop::collection::vec(values(), 1..4).prop_map(Value::from).boxed()),
        keyword("const", values().boxed()),
        keyword("oneOf", lists(1).boxed()),
        keyword("allOf", lists(1).boxed()),
        keyword("not", inner.clone()),
        keyword("if", inner.clone()),
        keyword("then", inner.clone()),
        keyword("else", inner.clone()),
        keyword("exclusiveMinimum", (-1i64..3).prop_map(Value::from).boxed()),
        keyword("exclusiveMaximum", prop_oneof![Just(json!(1)), Just(json!(1.5))].boxed()),
        keyword("multipleOf", Just(json!(2)).boxed()),
        keyword("pattern", Just(json!("^a")).boxed()),
        keyword("minLength", small().boxed()),
        keyword("maxLength", small().boxed()),
        keyword("uniqueItems", any_bool().boxed()),
        keyword("contains", inner.clone()),
        keyword("patternProperties", inner.clone().prop_map(|schema| json!({ "^[ab]": schema })).boxed()),
        keyword("propertyNames", inner.clone()),
        keyword("minProperties", small().boxed()),
        keyword("dependentRequired", Just(json!({ "a": ["b"] })).boxed()),
        keyword("unevaluatedProperties", Just(json!(false)).boxed()),
        keyword("$ref", Just(json!("#/$defs/one")).boxed()),
    ];
    proptest::strategy::Union::new([taken, others].concat()).boxed()
}

fn any_bool() -> impl Strategy<Value = Value> {
    any::<bool>().prop_map(Value::from)
}

/// In schemas supported by Gemini, a choice has no other keywords.
fn schemas(any: bool) -> BoxedStrategy<Value> {
    let anything =
        if any { prop_oneof![Just(json!({})), any_bool()].boxed() } else { Just(json!({})).boxed() };
    let leaf = prop_oneof![1 => anything, 4 => kinds().prop_map(|kind| json!({ "type": kind }))];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop::collection::vec(keyword(inner.boxed(), any), 1..4).prop_map(move |keywords| {
            let keywords = keywords.into_iter().map(|(key, value)| (key.to_owned(), value));
            let mut schema: Map<String, Value> = keywords.collect();
            if let Some(choice) = schema.get("anyOf").filter(|_| !any).cloned() {
                schema = Map::from_iter([("anyOf".to_owned(), choice)]);
            }
            Value::Object(schema)
        })
    })
    .boxed()
}

/// Redirects all references of the schema to the target, or to nothing.
fn linked(schema: &Value, target: Option<&str>) -> Value {
    let to = target.map_or(r#""title":"none""#.to_owned(), |target| format!(r#""$ref":"{target}""#));
    parsed(&schema.to_string().replace(r##""$ref":"#/$defs/one""##, &to))
}

/// The schema as sent in other dialects, and reduced for Gemini.
fn both(schema: &Value, defs: &Value) -> (Value, Value) {
    let whole = json!({ "type": "object", "properties": { "p": schema }, "required": ["p"], "$defs": defs });
    (normalise_schema(&whole), reduce(&whole))
}

fn is_reduced(schema: &Value) -> bool {
    const TAKEN: [&str; 13] = [
        "type",
        "description",
        "format",
        "enum",
        "anyOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
    ];
    let Value::Object(map) = schema else { return false };
    let alone = !map.contains_key("anyOf") || map.keys().all(|key| key == "anyOf" || key == "description");
    let known = map.keys().all(|key| TAKEN.contains(&key.as_str()) || key == "maximum");
    let children = map.iter().flat_map(|(key, value)| match (key.as_str(), value) {
        ("properties", Value::Object(fields)) => fields.values().collect::<Vec<_>>(),
        ("anyOf" | "prefixItems", Value::Array(list)) => list.iter().collect(),
        ("items", value) => vec![value],
        ("additionalProperties", value) if value.is_object() => vec![value],
        _ => vec![],
    });
    alone && known && children.into_iter().all(is_reduced)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn reduced_schema_accepts_everything_that_the_original_does(
        schema in schemas(true), one in schemas(true), two in schemas(true),
        tried in prop::collection::vec(values(), 16),
    ) {
        // Not recursive: the oracle would not terminate.
        let defs = json!({ "one": linked(&one, Some("#/$defs/two")), "two": linked(&two, None) });
        let (whole, reduced) = both(&linked(&schema, Some("#/$defs/one")), &defs);
        prop_assert!(is_reduced(&reduced), "{reduced}");
        let (accepts, still_accepts) = (validator(&whole), validator(&reduced));
        for value in tried.into_iter().map(|value| json!({ "p": value })) {
            if accepts.is_valid(&value) {
                prop_assert!(still_accepts.is_valid(&value), "{value}\n{whole}\n{reduced}");
            }
        }
    }

    #[test]
    fn schema_of_supported_keywords_is_equivalent(
        schema in schemas(false), tried in prop::collection::vec(values(), 16),
    ) {
        let (whole, reduced) = both(&schema, &json!({}));
        let (before, after) = (validator(&whole), validator(&reduced));
        for value in tried.into_iter().map(|value| json!({ "p": value })) {
            prop_assert_eq!(before.is_valid(&value), after.is_valid(&value), "{}\n{}\n{}", value, whole, reduced);
        }
    }
}
