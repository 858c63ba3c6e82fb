//! Normalises JSON Schemas to a form that every provider accepts.

use serde_json::{Map, Value, json};

/// Rewrites a tool's schema so that strict providers accept it, preserving its meaning.
///
/// Dropped: `$schema`, number formats such as `uint32`, `default: null`, keywords for forms (`x-starts` and
/// the like, `format: decimal` and `format: amount`), and the `null` alternative of an argument that is
/// optional anyway. A schema that accepts anything (`true`) becomes `{}`, and the root is an object with
/// `properties`.
pub fn normalise_schema(schema: &Value) -> Value {
    let mut whole = match plain(schema, false) {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    if !whole.contains_key("type") {
        whole.insert("type".into(), json!("object"));
    }
    if !whole.contains_key("properties") {
        whole.insert("properties".into(), json!({}));
    }
    Value::Object(whole)
}

/// Rewrites one schema; `optional`: its argument may be omitted.
fn plain(schema: &Value, optional: bool) -> Value {
    let Value::Object(map) = schema else {
        return if *schema == Value::Bool(true) { json!({}) } else { schema.clone() };
    };
    let required: Vec<&str> = match map.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut out = Map::new();
    let mut merged = None;
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            ("$schema", _) | ("default", Value::Null) => continue,
            (own, _) if own.starts_with("x-") => continue,
            ("format", Value::String(name)) if is_number_format(name) || is_for_forms(name) => continue,
            ("type", Value::Array(names)) => plain_type(names, optional),
            ("enum", Value::Array(values)) if optional => {
                values.iter().filter(|value| !value.is_null()).cloned().collect()
            }
            ("properties", Value::Object(fields)) => each(fields, |name| !required.contains(&name)),
            ("$defs" | "definitions" | "patternProperties" | "dependentSchemas", Value::Object(fields)) => {
                each(fields, |_| false)
            }
            ("anyOf" | "oneOf", Value::Array(choices)) => {
                let mut left: Vec<Value> = choices
                    .iter()
                    // A choice that only contains null is kept: without alternatives it would be invalid.
                    .filter(|choice| !(optional && is_null(choice) && !choices.iter().all(is_null)))
                    .map(|choice| plain(choice, optional))
                    .collect();
                if left.len() == 1 && choices.len() > 1 {
                    merged = left.pop();
                    continue;
                }
                Value::Array(left)
            }
            ("allOf" | "prefixItems", Value::Array(parts)) => {
                parts.iter().map(|part| plain(part, false)).collect()
            }
            ("additionalProperties" | "unevaluatedProperties", Value::Bool(_)) => value.clone(),
            (
                "items"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else"
                | "propertyNames",
                _,
            ) => plain(value, false),
            _ => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    // Keywords next to the choice (a description, for instance) are specific to this argument and win.
    if let Some(Value::Object(only)) = merged {
        for (key, value) in only {
            out.entry(key).or_insert(value);
        }
    }
    Value::Object(out)
}

fn each(fields: &Map<String, Value>, optional: impl Fn(&str) -> bool) -> Value {
    fields.iter().map(|(name, field)| (name.clone(), plain(field, optional(name)))).collect()
}

fn plain_type(names: &[Value], optional: bool) -> Value {
    let mut left: Vec<Value> =
        names.iter().filter(|name| !(optional && names.len() > 1 && **name == "null")).cloned().collect();
    match left.pop() {
        Some(only) if left.is_empty() => only,
        Some(last) => {
            left.push(last);
            Value::Array(left)
        }
        None => Value::Array(left),
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}

fn is_number_format(name: &str) -> bool {
    let bits = name.strip_prefix('u').unwrap_or(name).strip_prefix("int");
    matches!(name, "float" | "double") || bits.is_some_and(|bits| bits.bytes().all(|b| b.is_ascii_digit()))
}

/// Keywords for forms, which are not part of any standard and which strict providers refuse.
fn is_for_forms(name: &str) -> bool {
    matches!(name, "decimal" | "amount")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::normalise_schema;

    #[track_caller]
    fn check(schema: &str, expected: &str) {
        let schema: Value = serde_json::from_str(schema).expect("JSON");
        let expected: Value = serde_json::from_str(expected).expect("JSON");
        assert_eq!(normalise_schema(&schema), expected);
        assert_eq!(normalise_schema(&expected), expected, "already normalised");
    }

    #[test]
    fn empty_schema_is_an_object_without_properties() {
        check("{}", r#"{"type":"object","properties":{}}"#);
        check("true", r#"{"type":"object","properties":{}}"#);
    }

    #[test]
    fn unsupported_keywords_are_dropped() {
        check(
            r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
                "n":{"type":["integer","null"],"format":"uint32","minimum":0,"default":null},
                "x":{"type":"number","format":"double"},
                "day":{"type":"string","format":"date","default":"today","x-starts":"today",
                    "x-label":"Day","x-help":"For a person","x-values-from":["trade.date"],"x-record":"trade"},
                "price":{"type":["string","number","null"],"format":"decimal"},
                "target":{"type":["string","number"],"format":"amount"},
                "x-ray":{"type":"boolean"},
                "kind":{"type":["string","null"],"enum":["a","b",null]},
                "any":true}}"#,
            r#"{"type":"object","properties":{
                "n":{"type":"integer","minimum":0},
                "x":{"type":"number"},
                "day":{"type":"string","format":"date","default":"today"},
                "price":{"type":["string","number"]},
                "target":{"type":["string","number"]},
                "x-ray":{"type":"boolean"},
                "kind":{"type":"string","enum":["a","b"]},
                "any":{}}}"#,
        );
    }

    #[test]
    fn required_argument_keeps_its_null() {
        let schema = r#"{"type":"object","properties":{"n":{"type":["integer","null"]}},"required":["n"]}"#;
        check(schema, schema);
    }

    #[test]
    fn choice_with_null_becomes_its_other_alternative() {
        check(
            r##"{"type":"object","properties":{"p":{"description":"mine","anyOf":[{"$ref":"#/$defs/P","description":"its"},{"type":"null"}]}},
                "$defs":{"P":{"type":"object","properties":{"n":{"type":["integer","null"],"format":"int64"}}}}}"##,
            r##"{"type":"object","properties":{"p":{"description":"mine","$ref":"#/$defs/P"}},
                "$defs":{"P":{"type":"object","properties":{"n":{"type":"integer"}}}}}"##,
        );
    }

    #[test]
    fn choice_of_null_alone_stays_a_valid_schema() {
        check(
            r#"{"type":"object","properties":{"p":{"anyOf":[{"type":"null"},{"type":"null"}]}}}"#,
            r#"{"type":"object","properties":{"p":{"anyOf":[{"type":"null"},{"type":"null"}]}}}"#,
        );
    }

    #[test]
    fn arguments_and_values_named_like_keywords_are_kept() {
        let schema = r#"{"type":"object","properties":{
            "format":{"type":"string","enum":["uint32"]},"default":{"type":"string"},"$schema":{"type":"string"},
            "o":{"type":"object","const":{"format":"int32","default":null},"additionalProperties":true}}}"#;
        check(schema, schema);
    }

    #[test]
    fn every_nested_schema_is_rewritten() {
        check(
            r#"{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer","format":"int32"}}},
                "additionalProperties":{"type":"integer","format":"uint8"},"allOf":[{"default":null}]}"#,
            r#"{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}}},
                "additionalProperties":{"type":"integer"},"allOf":[{}]}"#,
        );
    }
}
