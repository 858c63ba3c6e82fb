//! JSON Schemas of tools and skills, checked in bounded time: a few hundred bytes of `allOf` and `$ref` can
//! require 2^40 evaluations. They are counted when a schema is listed, and again for the depth of each value.

use std::collections::{HashMap, HashSet};

use jsonschema::Validator;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

/// Evaluations of one value, without those of the values in it.
const EVALUATIONS: u64 = 10_000;
/// Evaluations of a value with all values in it, which take about two seconds.
const ALL_EVALUATIONS: u64 = 20_000_000;
/// Length of a chain of schemas, which the validator follows recursively.
const CHAIN: usize = 512;
/// Schemas of one name that are counted for a reference; more of them cannot be told apart.
const NAMESAKES: usize = 8;
/// How often `unevaluatedProperties` and `unevaluatedItems` evaluate the schemas beside them.
const WITH_UNEVALUATED: u64 = 4;
/// The published dialects, which the validator includes, and their evaluations per level.
const DIALECTS: [&str; 2] = ["https://json-schema.org/", "http://json-schema.org/"];
const OF_DIALECT: u64 = 100;

/// Compiles a schema as draft 2020-12.
///
/// # Errors
/// Why it is not a JSON Schema, or its [`schema_fault`].
pub fn compile_schema(schema: &Value) -> Result<Validator, String> {
    if let Some(fault) = schema_fault(schema) {
        return Err(fault);
    }
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    options.build(schema).map_err(|error| error.to_string())
}

/// The violations as `(JSON pointer, rule)`, at most `most`. `validator` is compiled from `schema`. A value
/// that would take too long to check is a violation.
pub fn violations(
    validator: &Validator,
    schema: &Value,
    value: &Value,
    most: usize,
) -> Vec<(String, String)> {
    let (values, depth) = extent(value);
    if Evaluations::of(schema).count(schema, depth).saturating_mul(values) > ALL_EVALUATIONS {
        return vec![(
            String::new(),
            "the value is too large or too deep to be checked with this schema".into(),
        )];
    }
    let errors = validator.iter_errors(value).take(most);
    errors.map(|error| (error.instance_path().to_string(), error.to_string())).collect()
}

/// Why a schema cannot be checked in bounded time. A recursive schema can, if each round descends into the
/// value.
pub fn schema_fault(schema: &Value) -> Option<String> {
    Evaluations::of(schema).fault(schema, &mut HashSet::new(), 0)
}

/// Number of values, keys included, and their depth.
fn extent(value: &Value) -> (u64, usize) {
    let (own, inner): (usize, Vec<_>) = match value {
        Value::Array(items) => (1, items.iter().map(extent).collect()),
        Value::Object(fields) => (1 + fields.len(), fields.values().map(extent).collect()),
        _ => return (1, 0),
    };
    let values = inner.iter().fold(own as u64, |sum, (values, _)| sum + values);
    (values, 1 + inner.iter().map(|(_, depth)| *depth).max().unwrap_or_default())
}

/// Counts the evaluations of a schema.
struct Evaluations<'a> {
    root: &'a Value,
    /// Schemas by `$id`, and by `#` and anchor.
    named: HashMap<String, Vec<&'a Value>>,
    /// A part has an `$id`, relative to which its references are.
    has_resources: bool,
    /// By schema and depth of the value; endless while it is being counted.
    counted: HashMap<(*const Value, usize), u64>,
    chain: usize,
}

/// Subschemas of a schema.
#[derive(Default)]
struct Parts<'a> {
    /// For the value itself.
    same: Vec<&'a Value>,
    /// For the values in it: alternatives, of which one applies, and others.
    properties: Vec<&'a Value>,
    of_object: Vec<&'a Value>,
    items: Vec<&'a Value>,
    of_array: Vec<&'a Value>,
    /// References to published dialects.
    dialects: u64,
}

impl<'a> Evaluations<'a> {
    fn of(root: &'a Value) -> Self {
        let mut new =
            Self { root, named: HashMap::new(), has_resources: false, counted: HashMap::new(), chain: 0 };
        new.collect_names(root);
        new
    }

    fn collect_names(&mut self, value: &'a Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.collect_names(item)),
            Value::Object(map) => {
                let text = |key: &str| map.get(key).and_then(Value::as_str);
                if let Some(id) = text("$id") {
                    self.has_resources |= !std::ptr::eq(value, self.root);
                    self.named.entry(id.trim_end_matches('#').to_owned()).or_default().push(value);
                }
                for anchor in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
                    self.named.entry(format!("#{anchor}")).or_default().push(value);
                }
                map.values().for_each(|value| self.collect_names(value));
            }
            _ => {}
        }
    }

    /// # Errors
    /// The reference, if it does not lead to a part of the schema.
    fn parts(&self, map: &'a Map<String, Value>) -> Result<Parts<'a>, &'a str> {
        let mut parts = Parts::default();
        for (key, value) in map {
            let list = || value.as_array().into_iter().flatten();
            let values = || value.as_object().into_iter().flat_map(Map::values);
            match key.as_str() {
                "allOf" | "anyOf" | "oneOf" => parts.same.extend(list()),
                "not" | "if" | "then" | "else" => parts.same.push(value),
                "dependentSchemas" | "dependencies" => parts.same.extend(values()),
                "properties" => parts.properties.extend(values()),
                "additionalProperties" => parts.properties.push(value),
                "patternProperties" => parts.of_object.extend(values()),
                "propertyNames" | "unevaluatedProperties" => parts.of_object.push(value),
                "items" if value.is_array() => parts.items.extend(list()),
                "prefixItems" => parts.items.extend(list()),
                "items" | "additionalItems" => parts.items.push(value),
                "contains" | "unevaluatedItems" => parts.of_array.push(value),
                "$ref" | "$dynamicRef" | "$recursiveRef" => {
                    let Some(reference) = value.as_str() else { continue };
                    match self.referred(reference) {
                        found if !found.is_empty() => parts.same.extend(found),
                        _ if DIALECTS.iter().any(|dialect| reference.starts_with(dialect)) => {
                            parts.dialects += OF_DIALECT;
                        }
                        _ => return Err(reference),
                    }
                }
                _ => {}
            }
        }
        Ok(parts)
    }

    fn referred(&self, reference: &str) -> Vec<&'a Value> {
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.named(&format!("#{fragment}")).to_vec();
        }
        let root = [self.root];
        let resources: &[&Value] = match resource {
            "" if self.has_resources => return Vec::new(),
            "" => &root,
            id => self.named(id),
        };
        let Ok(pointer) = percent_decode_str(fragment).decode_utf8() else { return Vec::new() };
        resources.iter().filter_map(|resource| resource.pointer(&pointer)).collect()
    }

    fn named(&self, name: &str) -> &[&'a Value] {
        let found = self.named.get(name).filter(|found| found.len() <= NAMESAKES);
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// An upper bound of the evaluations of a value of this depth, along the path with the most.
    fn count(&mut self, schema: &'a Value, depth: usize) -> u64 {
        let Value::Object(map) = schema else { return 1 };
        let key = (std::ptr::from_ref(schema), depth);
        if let Some(known) = self.counted.get(&key) {
            return *known;
        }
        self.counted.insert(key, u64::MAX);
        let (Ok(parts), true) = (self.parts(map), self.chain < CHAIN) else { return u64::MAX };
        self.chain += 1;
        let mut same = parts.dialects.saturating_mul(depth as u64 + 1);
        for part in parts.same {
            same = same.saturating_add(self.count(part, depth));
        }
        if map.contains_key("unevaluatedProperties") || map.contains_key("unevaluatedItems") {
            same = same.saturating_mul(WITH_UNEVALUATED);
        }
        let mut inner = 0;
        if let Some(depth) = depth.checked_sub(1) {
            for (one_of, others) in [(parts.properties, parts.of_object), (parts.items, parts.of_array)] {
                let one = one_of.into_iter().map(|part| self.count(part, depth)).max().unwrap_or_default();
                let all =
                    others.into_iter().fold(one, |sum, part| sum.saturating_add(self.count(part, depth)));
                inner = inner.max(all);
            }
        }
        self.chain -= 1;
        let all = same.saturating_add(inner).saturating_add(1);
        self.counted.insert(key, all);
        all
    }

    /// Checks a schema and all schemas that it leads to.
    fn fault(&mut self, schema: &'a Value, seen: &mut HashSet<*const Value>, chain: usize) -> Option<String> {
        let Value::Object(map) = schema else { return None };
        if !seen.insert(std::ptr::from_ref(schema)) {
            return None;
        }
        if chain >= CHAIN {
            return Some(format!("more than {CHAIN} of its parts lead to each other"));
        }
        let parts = match self.parts(map) {
            Ok(parts) => parts,
            Err(reference) => {
                let reference: String = reference.chars().take(100).collect();
                return Some(format!("it refers to {reference:?}, which is not a part of it"));
            }
        };
        match self.count(schema, 0) {
            0..=EVALUATIONS => {}
            u64::MAX => return Some("it leads back to itself for the same value".into()),
            _ => return Some(format!("it checks a value more than {EVALUATIONS} times")),
        }
        let Parts { same, properties, of_object, items, of_array, dialects: _ } = parts;
        let mut all = [same, properties, of_object, items, of_array].into_iter().flatten();
        all.find_map(|part| self.fault(part, seen, chain + 1))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    /// `d0` requires `d1` twice, and so on.
    fn laughing(levels: usize, twice: impl Fn(Value) -> Value) -> Value {
        let last = (format!("d{levels}"), json!({"type": "object"}));
        let defs = (0..levels).map(|at| {
            let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
            (format!("d{at}"), twice(next))
        });
        let defs: Map<String, Value> = defs.chain([last]).collect();
        json!({"type": "object", "$ref": "#/$defs/d0", "$defs": defs})
    }

    #[test]
    fn schema_that_multiplies_evaluations_is_refused() {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let schema = laughing(40, |next| json!({ keyword: [next, next] }));
            assert!(schema.to_string().len() < 4_096);
            assert_eq!(
                schema_fault(&schema).unwrap(),
                "it checks a value more than 10000 times",
                "{keyword}"
            );
        }
        let twice = |next: Value| json!({"$ref": next["$ref"], "unevaluatedProperties": false});
        assert!(schema_fault(&laughing(20, twice)).is_some(), "evaluates the reference again");
        let hidden = json!({"type": "object", "properties": {"a": {"items": {"$ref": "#/$defs/all"}}}});
        let mut deep = laughing(40, |next| json!({ "allOf": [next, next] }));
        deep["$defs"]["all"] = json!({"$ref": "#/$defs/d0"});
        let schema = json!({"properties": hidden["properties"], "$defs": deep["$defs"]});
        assert!(schema_fault(&schema).is_some(), "below properties and items");
        assert!(
            schema_fault(&laughing(10, |next| json!({ "allOf": [next, next] }))).is_none(),
            "2^10 can be checked"
        );
    }

    #[test]
    fn schema_that_leads_back_for_the_same_value_is_refused() {
        let schema = json!({"$ref": "#/$defs/a", "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}},
        }});
        assert_eq!(schema_fault(&schema).unwrap(), "it leads back to itself for the same value");
    }

    #[test]
    fn long_chain_of_references_is_refused() {
        let chain = laughing(2_000, |next| json!({"properties": {"a": next}}));
        assert_eq!(schema_fault(&chain).unwrap(), "more than 512 of its parts lead to each other");
        let short = laughing(250, |next| json!({"properties": {"a": next}}));
        assert!(compile_schema(&short).is_ok(), "the validator follows it");
    }

    #[test]
    fn reference_that_leads_elsewhere_is_refused() {
        for reference in ["https://example.com/a", "other.json", "#/$defs/none", "#none"] {
            let fault = schema_fault(&json!({"properties": {"a": {"$ref": reference}}})).unwrap();
            assert!(fault.contains("is not a part of it"), "{reference}: {fault}");
        }
        // Its references are relative to it, not to the document.
        let nested = json!({"properties": {"a": {"$id": "a", "$ref": "#/$defs/b"}}, "$defs": {"b": {}}});
        assert!(schema_fault(&nested).is_some());
    }

    #[test]
    fn recursive_schemas_that_descend_are_accepted() {
        let tree = json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/node"}}, "$defs": {
            "node": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            }},
        }});
        let validator = compile_schema(&tree).unwrap();
        let nested =
            (0..30).fold(json!({"name": "leaf"}), |inner, _| json!({"name": "n", "children": [inner]}));
        assert_eq!(violations(&validator, &tree, &json!({ "root": nested }), 5), []);
        let wrong = json!({"root": {"name": "n", "children": [{}]}});
        assert_eq!(violations(&validator, &tree, &wrong, 5)[0].0, "/root/children/0");
    }

    #[test]
    fn schemas_as_generators_write_them_are_accepted() {
        for schema in [
            // A filter with operators over lists of filters.
            json!({"$ref": "#/$defs/filter", "$defs": {"filter": {"anyOf": [
                {"properties": {"and": {"type": "array", "items": {"$ref": "#/$defs/filter"}}}},
                {"properties": {"or": {"type": "array", "items": {"$ref": "#/$defs/filter"}}}},
                {"properties": {"not": {"$ref": "#/$defs/filter"}}},
                {"properties": {"property": {"type": "string"}}},
            ]}}}),
            // TypeBox.
            json!({"properties": {"node": {"$id": "T0", "properties": {"nodes": {"items": {"$ref": "T0"}}}}}}),
            // Zod and Pydantic.
            json!({"properties": {"a": {"$ref": "#/definitions/A%20b"}}, "definitions": {"A b": {"enum": [1]}}}),
            json!({"$id": "https://example.com/a", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "https://example.com/a#/$defs/b"}}, "$defs": {"b": {}}}),
            json!({"properties": {"a": {"$ref": "#node"}}, "$defs": {"node": {"$anchor": "node", "items": {"$ref": "#node"}}}}),
            json!({"properties": {"schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}),
            // Not a reference.
            json!({"properties": {"$ref": {"type": "string", "default": {"$ref": "x"}}}}),
        ] {
            assert_eq!(schema_fault(&schema), None, "{schema}");
            assert!(compile_schema(&schema).is_ok(), "{schema}");
        }
    }

    #[test]
    fn deep_value_for_a_multiplying_recursion_is_not_checked() {
        let schema = json!({"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"a": {
            "allOf": [{"$ref": "#/$defs/t"}, {"$ref": "#/$defs/t"}],
        }}}}});
        let validator = compile_schema(&schema).unwrap();
        let deep = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }));
        assert_eq!(violations(&validator, &schema, &deep(8), 5), []);
        let refused = violations(&validator, &schema, &deep(100), 5);
        assert!(refused[0].1.contains("too deep to be checked"), "{refused:?}");
    }
}
