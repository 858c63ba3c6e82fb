//! The conjunction of several schemas for one value. Nothing is copied: a schema that is referenced a
//! thousand times costs no more than its reduced form.

use serde_json::{Map, Value, json};

use super::{FORMATS, Path};

pub(super) type Schemas<'s, 'a> = &'s [&'a Value];

/// Keywords that Gemini does not support, which are described in prose instead.
const TOLD: [&str; 9] = [
    "default",
    "pattern",
    "minLength",
    "maxLength",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "uniqueItems",
    "format",
];

const KINDS: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// Schemas that all apply.
#[derive(Default)]
pub(super) struct Node<'a> {
    pub(super) facts: Vec<Facts<'a>>,
    pub(super) path: Path<'a>,
}

#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) map: &'a Map<String, Value>,
    /// One of its choices was expanded already.
    pub(super) without_choice: bool,
}

/// The constraints of one schema on the items of a list.
pub(super) struct List<'a> {
    pub(super) first: &'a [Value],
    pub(super) rest: Option<&'a Value>,
}

impl<'a> List<'a> {
    pub(super) fn at(&self, at: usize) -> Option<&'a Value> {
        self.first.get(at).or(self.rest)
    }
}

impl<'a> Node<'a> {
    /// The first choice that was not expanded yet, with its schema's index. Further ones are dropped.
    pub(super) fn choice(&self) -> Option<(usize, &'a [Value])> {
        self.facts.iter().enumerate().filter(|(_, facts)| !facts.without_choice).find_map(|(at, facts)| {
            let choices = facts.map.get("anyOf").or_else(|| facts.map.get("oneOf"))?;
            Some((at, choices.as_array()?.as_slice()))
        })
    }

    pub(super) fn without_choice(&self, at: usize) -> Self {
        let mut facts = self.facts.clone();
        facts[at].without_choice = true;
        Self { facts, path: self.path.clone() }
    }

    fn all(&self, key: &'a str) -> impl Iterator<Item = &'a Value> {
        self.facts.iter().filter_map(move |facts| facts.map.get(key))
    }

    pub(super) fn text(&self, key: &'a str) -> Option<&'a str> {
        self.all(key).find_map(Value::as_str)
    }

    pub(super) fn numbers(&self, key: &'a str) -> impl Iterator<Item = u64> {
        self.all(key).filter_map(Value::as_u64)
    }

    /// The types that all schemas allow; `None` if none specifies any.
    pub(super) fn types(&self) -> Option<Vec<&'a str>> {
        let mut allowed: Option<Vec<&'a str>> = None;
        for kinds in self.all("type") {
            let kinds: Vec<&str> = match kinds {
                Value::String(kind) => vec![kind],
                Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
                _ => continue,
            };
            let kinds: Vec<&str> = kinds.into_iter().filter(|kind| KINDS.contains(kind)).collect();
            if kinds.is_empty() {
                continue;
            }
            let both = |one: &'a str| match one {
                one if kinds.contains(&one) => Some(one),
                "integer" if kinds.contains(&"number") => Some("integer"),
                "number" if kinds.contains(&"integer") => Some("integer"),
                _ => None,
            };
            allowed = Some(match allowed {
                None => kinds,
                Some(before) => before.into_iter().filter_map(both).collect(),
            });
        }
        let mut allowed = allowed?;
        if allowed.contains(&"number") {
            allowed.retain(|kind| *kind != "integer");
        }
        Some(allowed)
    }

    /// The values that all schemas enumerate, of types that all allow.
    pub(super) fn values(&self) -> Option<Vec<&'a Value>> {
        let mut lists = self.facts.iter().flat_map(|facts| {
            let listed = facts.map.get("enum").and_then(Value::as_array).map(Vec::as_slice);
            let only = facts.map.get("const").map(std::slice::from_ref);
            listed.into_iter().chain(only)
        });
        let mut values: Vec<&Value> = lists.next()?.iter().collect();
        for list in lists {
            values.retain(|value| list.iter().any(|other| is_same(value, other)));
        }
        if let Some(types) = self.types() {
            values.retain(|value| types.iter().any(|kind| is_of(value, kind)));
        }
        Some(values)
    }

    /// `minimum` and `maximum`; for integers also derived from the exclusive ones.
    pub(super) fn bounds(&self, is_whole: bool) -> Vec<(String, Value)> {
        let exclusive = |key: &'a str, step: i64| {
            self.all(key).filter_map(move |bound| match bound.as_i64() {
                Some(bound) if is_whole => Some(json!(bound.saturating_add(step))),
                _ => bound.is_number().then(|| bound.clone()),
            })
        };
        let inclusive = |key: &'a str| self.all(key).filter(|bound| bound.is_number()).cloned();
        let size = |bound: &Value| bound.as_f64().unwrap_or_default();
        let highest = inclusive("minimum")
            .chain(exclusive("exclusiveMinimum", 1))
            .max_by(|one, other| size(one).total_cmp(&size(other)));
        let lowest = inclusive("maximum")
            .chain(exclusive("exclusiveMaximum", -1))
            .min_by(|one, other| size(one).total_cmp(&size(other)));
        let found = [("minimum", highest), ("maximum", lowest)];
        found.into_iter().filter_map(|(key, bound)| Some((key.to_owned(), bound?))).collect()
    }

    pub(super) fn lists(&self) -> Vec<List<'a>> {
        let of = |facts: &Facts<'a>| {
            let prefix = facts.map.get("prefixItems").and_then(Value::as_array);
            match facts.map.get("items") {
                // The form of tuples before the 2020 draft.
                Some(Value::Array(first)) => {
                    List { first: first.as_slice(), rest: facts.map.get("additionalItems") }
                }
                rest => List { first: prefix.map(Vec::as_slice).unwrap_or_default(), rest },
            }
        };
        self.facts.iter().map(of).collect()
    }

    /// Deduplicated, in order of first occurrence.
    pub(super) fn property_names(&self) -> Vec<&'a str> {
        let mut seen = std::collections::HashSet::new();
        let objects = self.all("properties").filter_map(Value::as_object);
        objects
            .flat_map(|object| object.keys())
            .map(String::as_str)
            .filter(|name| seen.insert(*name))
            .collect()
    }

    pub(super) fn property(&self, name: &str) -> Vec<&'a Value> {
        self.all("properties").filter_map(|properties| properties.get(name)).collect()
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &'a str> {
        self.all("required").filter_map(Value::as_array).flatten().filter_map(Value::as_str)
    }

    /// The constraints on additional properties. Schemas with patterns are excluded: the constraint would
    /// refuse properties that a pattern allows.
    pub(super) fn other_properties(&self) -> Vec<&'a Value> {
        let plain = self.facts.iter().filter(|facts| !facts.map.contains_key("patternProperties"));
        plain.filter_map(|facts| facts.map.get("additionalProperties")).collect()
    }

    /// The description, with constraints that Gemini does not support.
    pub(super) fn description(&self) -> Option<String> {
        let mut notes: Vec<String> = Vec::new();
        for key in TOLD {
            let Some(value) = self.all(key).next() else { continue };
            let is_taken = key == "format" && value.as_str().is_some_and(|format| FORMATS.contains(&format));
            let line = match value {
                _ if is_taken => continue,
                Value::String(text) => format!("{key}: {text}"),
                Value::Bool(_) | Value::Number(_) => format!("{key}: {value}"),
                _ => continue,
            };
            notes.push(line);
        }
        let notes = (!notes.is_empty()).then(|| format!("({})", notes.join(", ")));
        let text = self.text("description").filter(|text| !text.trim().is_empty());
        let parts: Vec<String> = text.map(str::to_owned).into_iter().chain(notes).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// The descriptions of the schemas after the first ones.
    pub(super) fn describes_itself(&self, first: usize) -> Option<String> {
        let own = Self { facts: self.facts.get(first..)?.to_vec(), path: Path::default() };
        own.description()
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

/// 1 and 1.0 are equal.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}
