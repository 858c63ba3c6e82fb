//! Reduces tool schemas to those that Gemini supports: a subset of JSON Schema, without references.
//!
//! A reduced schema accepts everything that the original accepts. It is equivalent if the supported keywords
//! suffice; other constraints are added to the description. Arguments are validated against the original
//! schema before a tool runs.

use serde_json::{Map, Value, json};

use self::node::{Facts, Node, Schemas};
use crate::normalise_schema;

mod node;

/// Maximum number of schemas within a reduced one, to bound the expansion of references. Long lists of values
/// and descriptions count as several.
const MOST: usize = 5_000;
/// The number of bytes that count as one schema.
const BYTES_OF_ONE: usize = 64;
/// Maximum nesting depth.
const DEEPEST: usize = 24;
/// String formats that Gemini supports.
const FORMATS: [&str; 3] = ["date-time", "date", "time"];

/// Reduces a tool's schema.
pub(super) fn reduce(schema: &Value) -> Value {
    let whole = normalise_schema(schema);
    let mut reducing = Reducing { root: &whole, left: MOST };
    let reduced = reducing.schema(&[&whole], &Path::default());
    arguments(reduced)
}

/// The schema of a tool's arguments, which must be a single object: a choice among objects becomes an object
/// with the properties of all.
fn arguments(reduced: Map<String, Value>) -> Value {
    let mut out = Map::new();
    out.insert("type".into(), json!("object"));
    out.insert("properties".into(), json!({}));
    let Some(Value::Array(choices)) = reduced.get("anyOf") else {
        if reduced.get("type").is_none_or(|kind| *kind == "object" || kind.is_array()) {
            out.extend(reduced.into_iter().filter(|(key, _)| key != "type"));
        }
        return Value::Object(out);
    };
    out.extend(reduced.get("description").map(|text| ("description".to_owned(), text.clone())));
    let objects: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
    let mut properties: Map<String, Value> = Map::new();
    for (name, schema) in objects.iter().filter_map(|choice| choice["properties"].as_object()).flatten() {
        match properties.get_mut(name) {
            None => _ = properties.insert(name.clone(), schema.clone()),
            Some(known) if known == schema => {}
            Some(known) => *known = either(known.take(), schema.clone()),
        }
    }
    out.insert("properties".into(), Value::Object(properties));
    let needs = |choice: &&Value, name: &Value| {
        choice["required"].as_array().is_some_and(|names| names.contains(name))
    };
    if let Some(first) = objects.first() {
        let names = first["required"].as_array().into_iter().flatten();
        let always: Vec<&Value> =
            names.filter(|name| objects.iter().all(|choice| needs(choice, name))).collect();
        if !always.is_empty() {
            out.insert("required".into(), json!(always));
        }
    }
    Value::Object(out)
}

fn either(one: Value, other: Value) -> Value {
    let choices = |schema: Value| match schema {
        Value::Object(mut map) if map.len() == 1 && map.contains_key("anyOf") => map.remove("anyOf"),
        schema => Some(json!([schema])),
    };
    let both = [one, other].into_iter().filter_map(choices).filter_map(|list| match list {
        Value::Array(list) => Some(list),
        _ => None,
    });
    json!({ "anyOf": both.flatten().collect::<Vec<_>>() })
}

struct Reducing<'a> {
    root: &'a Value,
    /// The remaining number of schemas.
    left: usize,
}

/// The path to a schema.
#[derive(Debug, Clone, Default)]
struct Path<'a> {
    /// The references followed so far.
    followed: Vec<&'a str>,
    depth: usize,
}

impl<'a> Reducing<'a> {
    /// Creates one schema for the conjunction of these.
    fn schema(&mut self, all: Schemas<'_, 'a>, path: &Path<'a>) -> Map<String, Value> {
        if path.depth >= DEEPEST || self.left == 0 {
            return Map::new();
        }
        self.left -= 1;
        let mut node =
            Node { path: Path { followed: path.followed.clone(), depth: path.depth + 1 }, ..Node::default() };
        for schema in all {
            self.add(schema, &mut node, 0);
        }
        self.of_node(&node)
    }

    /// Adds a schema and those that it references.
    fn add(&mut self, schema: &'a Value, node: &mut Node<'a>, depth: usize) {
        let Value::Object(map) = schema else { return };
        if depth >= DEEPEST || self.left == 0 {
            return;
        }
        self.left -= 1;
        node.facts.push(Facts { map, without_choice: false });
        if let Some(Value::String(reference)) = map.get("$ref") {
            // A recursive reference is expanded once more, and then replaced by a schema that accepts
            // anything.
            let times = node.path.followed.iter().filter(|known| *known == reference).count();
            if let Some(target) = self.target(reference).filter(|_| times < 2) {
                node.path.followed.push(reference);
                self.add(target, node, depth + 1);
            }
        }
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(part, node, depth + 1);
        }
    }

    /// Whether the budget allows this many bytes; consumes them.
    fn affords(&mut self, bytes: usize) -> bool {
        let price = bytes / BYTES_OF_ONE;
        let is_affordable = price <= self.left;
        self.left = self.left.saturating_sub(price);
        is_affordable
    }

    fn target(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        let pointer = percent_decoded(pointer)?;
        self.root.pointer(&pointer)
    }

    fn of_node(&mut self, node: &Node<'a>) -> Map<String, Value> {
        let mut out = match node.choice() {
            Some((at, choices)) => self.of_choice(node, at, choices),
            None => self.of_types(node),
        };
        if let Some(description) = node.description().filter(|text| self.affords(text.len())) {
            let rest = std::mem::take(&mut out);
            out.insert("description".into(), json!(description));
            out.extend(rest.into_iter().filter(|(key, _)| key != "description"));
        }
        out
    }

    /// A choice must be the only keyword: the others are copied into each alternative.
    fn of_choice(&mut self, node: &Node<'a>, at: usize, choices: &'a [Value]) -> Map<String, Value> {
        let mut found: Vec<Value> = Vec::new();
        for choice in choices {
            if *choice == Value::Bool(false) {
                continue;
            }
            if self.left == 0 {
                // Omitting an alternative would refuse values that it accepts.
                return Map::new();
            }
            let mut branch = node.without_choice(at);
            self.add(choice, &mut branch, 0);
            let description = branch.describes_itself(node.facts.len());
            let mut reduced = match branch.choice() {
                Some((at, choices)) => self.of_choice(&branch, at, choices),
                None => self.of_types(&branch),
            };
            if reduced.is_empty() {
                return Map::new();
            }
            if let Some(description) = description.filter(|text| self.affords(text.len())) {
                reduced.insert("description".into(), json!(description));
            }
            match reduced.remove("anyOf") {
                Some(Value::Array(inner)) => found.extend(inner),
                _ => found.push(Value::Object(reduced)),
            }
        }
        any_of(found)
    }

    fn of_types(&mut self, node: &Node<'a>) -> Map<String, Value> {
        if let Some(values) = node.values() {
            let bytes = values.iter().map(|value| value.as_str().map_or(BYTES_OF_ONE, str::len)).sum();
            return if self.affords(bytes) { any_of(of_values(&values)) } else { Map::new() };
        }
        let Some(types) = node.types() else { return self.typed(node, None) };
        match types.as_slice() {
            [] => Map::new(),
            [one] => self.typed(node, Some(one)),
            [one, "null"] | ["null", one] => {
                let mut out = self.typed(node, Some(one));
                out.insert("type".into(), json!([one, "null"]));
                out
            }
            several => any_of(several.iter().map(|one| Value::Object(self.typed(node, Some(one)))).collect()),
        }
    }

    /// The schema for values of one type, or of any.
    fn typed(&mut self, node: &Node<'a>, kind: Option<&str>) -> Map<String, Value> {
        let mut out = Map::new();
        if let Some(kind) = kind {
            out.insert("type".into(), json!(kind));
        }
        if matches!(kind, Some("string") | None)
            && let Some(format) = node.text("format").filter(|format| FORMATS.contains(format))
        {
            out.insert("format".into(), json!(format));
        }
        if matches!(kind, Some("number" | "integer") | None) {
            out.extend(node.bounds(kind == Some("integer")));
        }
        if matches!(kind, Some("array") | None) {
            self.add_items(node, &mut out);
        }
        if matches!(kind, Some("object") | None) {
            self.add_properties(node, &mut out);
        }
        out
    }

    fn add_items(&mut self, node: &Node<'a>, out: &mut Map<String, Value>) {
        let lists = node.lists();
        let fixed = lists.iter().map(|list| list.first.len()).max().unwrap_or(0);
        if fixed > 0 {
            let first = (0..fixed).map(|at| {
                let all: Vec<&Value> = lists.iter().filter_map(|list| list.at(at)).collect();
                Value::Object(self.schema(&all, &node.path))
            });
            let first: Vec<Value> = first.collect();
            out.insert("prefixItems".into(), json!(first));
        }
        let rest: Vec<&Value> =
            lists.iter().filter_map(|list| list.rest).filter(|rest| rest.is_object()).collect();
        if !rest.is_empty() {
            out.insert("items".into(), Value::Object(self.schema(&rest, &node.path)));
        }
        let closed = lists.iter().filter(|list| list.rest == Some(&Value::Bool(false)));
        let most = closed.map(|list| list.first.len() as u64).chain(node.numbers("maxItems")).min();
        out.extend(node.numbers("minItems").max().map(|least| ("minItems".to_owned(), json!(least))));
        out.extend(most.map(|most| ("maxItems".to_owned(), json!(most))));
    }

    fn add_properties(&mut self, node: &Node<'a>, out: &mut Map<String, Value>) {
        let mut properties = Map::new();
        for name in node.property_names() {
            let all = node.property(name);
            if all.contains(&&Value::Bool(false)) {
                continue;
            }
            properties.insert(name.to_owned(), Value::Object(self.schema(&all, &node.path)));
        }
        let mut required: Vec<&str> = Vec::new();
        for name in node.required() {
            if properties.contains_key(name) && !required.contains(&name) {
                required.push(name);
            }
        }
        if !properties.is_empty() {
            out.insert("properties".into(), Value::Object(properties));
        }
        if !required.is_empty() {
            out.insert("required".into(), json!(required));
        }
        let others = node.other_properties();
        if others.contains(&&Value::Bool(false)) {
            out.insert("additionalProperties".into(), json!(false));
        } else if others.iter().any(|other| other.is_object()) {
            let other = self.schema(&others, &node.path);
            if !other.is_empty() {
                out.insert("additionalProperties".into(), Value::Object(other));
            }
        }
    }
}

/// A choice of these schemas, deduplicated; accepts anything if one of them does.
fn any_of(found: Vec<Value>) -> Map<String, Value> {
    let mut each: Vec<Value> = Vec::new();
    for schema in found {
        if schema.as_object().is_some_and(Map::is_empty) {
            return Map::new();
        }
        if !each.contains(&schema) {
            each.push(schema);
        }
    }
    match each.len() {
        0 => Map::new(),
        1 => match each.swap_remove(0) {
            Value::Object(only) => only,
            _ => Map::new(),
        },
        _ => Map::from_iter([("anyOf".to_owned(), Value::Array(each))]),
    }
}

/// Strings and numbers can be enumerated, other values only by type.
fn of_values(values: &[&Value]) -> Vec<Value> {
    let texts: Vec<&&Value> = values.iter().filter(|value| value.is_string()).collect();
    let numbers: Vec<&&Value> = values.iter().filter(|value| value.is_number()).collect();
    let mut found = Vec::new();
    if !texts.is_empty() {
        found.push(json!({ "type": "string", "enum": texts }));
    }
    if !numbers.is_empty() {
        let is_whole = |number: &&&Value| number.is_i64() || number.is_u64();
        let kind = if numbers.iter().all(is_whole) { "integer" } else { "number" };
        found.push(json!({ "type": kind, "enum": numbers }));
    }
    for (kind, is_kind) in [
        ("boolean", Value::is_boolean as fn(&Value) -> bool),
        ("array", Value::is_array),
        ("object", Value::is_object),
        ("null", Value::is_null),
    ] {
        if values.iter().any(|value| is_kind(value)) {
            found.push(json!({ "type": kind }));
        }
    }
    found
}

/// Decodes a JSON pointer in a URL: `#/$defs/a%20b`. `None` if it is not UTF-8.
fn percent_decoded(pointer: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}
