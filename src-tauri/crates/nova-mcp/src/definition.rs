mod warning;

use nova_calls::ToolFace;
use nova_registry::{harmless, harmless_line, schema_fault, skeletons};
use nova_skill::Effect;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(crate) use self::warning::warning;
use crate::limits;

/// A tool as defined by its server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default)]
    pub description: String,
    pub parameters: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Annotations about its effects. Shown to the user but not trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<Value>,
    #[serde(default, skip_serializing_if = "Kind::is_tool")]
    pub kind: Kind,
}

/// The request that a call makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    #[default]
    Tool,
    /// Nova's own tool for the server's resources.
    Resources,
}

impl Kind {
    fn is_tool(&self) -> bool {
        *self == Self::Tool
    }
}

impl Definition {
    /// The description for the model, attributed to the server.
    pub(crate) fn description_for_model(&self, server: &str) -> String {
        if self.kind == Kind::Resources {
            return format!("{} Server: {server}.", self.description);
        }
        let said = match self.description.trim() {
            "" => self.title.as_deref().unwrap_or("no description").trim(),
            said => said,
        };
        format!("Says the server {server}: {}", cut(&harmless(said), limits::DESCRIPTION))
    }

    /// In bytes, as it is stored.
    pub(crate) fn size(&self) -> usize {
        let json = |value: &Option<Value>| value.as_ref().map_or(0, |value| value.to_string().len());
        let texts = self.name.len() + self.description.len() + self.title.as_ref().map_or(0, String::len);
        texts + self.parameters.to_string().len() + json(&self.output) + json(&self.hints)
    }

    /// Ensures an object schema, without `$schema`, which would select another dialect.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = self.parameters.as_object().cloned().unwrap_or_else(Map::new);
        schema.remove("$schema");
        schema.insert("type".into(), json!("object"));
        Value::Object(schema)
    }

    /// Why the tool cannot be used, and the remedy. `before` are the tools listed earlier.
    pub(crate) fn fault(&self, before: &[&Self]) -> Option<String> {
        const TELL: &str = "Report it to the server's author";
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let name = short(&harmless_line(&self.name));
        if self.name.is_empty() || self.name.len() > limits::NAME || !self.name.chars().all(legal) {
            let most = limits::NAME;
            return Some(format!(
                "Its name \"{name}\" is not valid: it may have up to {most} letters, digits, _, -, . and /. {TELL}."
            ));
        }
        let like = before.iter().find(|other| {
            let own = skeletons(&self.name);
            skeletons(&other.name).iter().any(|one| own.contains(one))
        });
        if let Some(other) = like {
            return Some(format!(
                "Its name looks like that of {}. {TELL}, or deny one of them in tools.deny.",
                other.name
            ));
        }
        let schemas = [Some(&self.parameters), self.output.as_ref()];
        let depth = schemas.into_iter().flatten().map(depth).max().unwrap_or_default();
        if depth > limits::DEPTH {
            return Some(format!(
                "Its schemas nest {depth} levels deep; the limit is {}. {TELL}.",
                limits::DEPTH
            ));
        }
        let size: usize = schemas.into_iter().flatten().map(|schema| schema.to_string().len()).sum();
        if size > limits::SCHEMA {
            return Some(format!("Its schemas have {size} bytes; the limit is {}. {TELL}.", limits::SCHEMA));
        }
        if !self.parameters.is_object() {
            return Some(format!("Its parameters are not a JSON Schema. {TELL}."));
        }
        let fault = schemas.into_iter().flatten().find_map(schema_fault)?;
        Some(format!("Its schemas cannot be checked: {}. {TELL}.", harmless_line(&fault)))
    }

    pub(crate) fn changes_since(&self, before: &Self) -> Vec<String> {
        let mut lines = self.face().changes_since(&before.face());
        let mut differs = |what: &str, old: Option<String>, new: Option<String>| {
            if old != new {
                let shown = |text: Option<String>| text.map_or("none".to_owned(), |text| short(&text));
                lines.push(format!("{what}: {} → {}", shown(old), shown(new)));
            }
        };
        let json = |value: &Option<Value>| value.as_ref().map(Value::to_string);
        differs("title", before.title.clone(), self.title.clone());
        differs("result", json(&before.output), json(&self.output));
        differs("hints", json(&before.hints), json(&self.hints));
        lines.iter().map(|line| harmless_line(line)).collect()
    }

    /// Canonical text with one part per line, independent of the server's formatting.
    pub(crate) fn as_text(&self) -> String {
        let mut lines = vec![self.description.clone()];
        let required: Vec<&str> =
            self.parameters["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let parameters = self.parameters["properties"].as_object().into_iter().flatten();
        let mut parameters: Vec<String> = parameters
            .map(|(name, schema)| {
                let optional = if required.contains(&name.as_str()) { "" } else { " (optional)" };
                format!("parameter {name}{optional}: {schema}")
            })
            .collect();
        parameters.sort();
        lines.append(&mut parameters);
        let rest = self.parameters.as_object().cloned().unwrap_or_default();
        let rest: Map<String, Value> =
            rest.into_iter().filter(|(key, _)| !matches!(key.as_str(), "properties" | "required")).collect();
        lines.push(format!("parameters: {}", Value::Object(rest)));
        lines.extend(self.title.iter().map(|title| format!("title: {title}")));
        lines.extend(self.output.iter().map(|output| format!("result: {output}")));
        lines.extend(self.hints.iter().map(|hints| format!("hints: {hints}")));
        lines.iter().map(|line| cut(line, limits::SCHEMA)).collect::<Vec<_>>().join("\n")
    }

    fn face(&self) -> ToolFace {
        ToolFace {
            name: self.name.clone(),
            description: self.description.clone(),
            parameters: self.parameters.clone(),
            effect: Effect::Undeclared,
            hosts: Vec::new(),
            credentials: Vec::new(),
            vault: None,
        }
    }
}

/// Shortens a server's text for a message.
pub(crate) fn short(text: &str) -> String {
    cut(text, limits::QUOTE)
}

pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// Recursion is safe: the JSON parser limits the depth.
pub(crate) fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn definition(name: &str, parameters: Value) -> Definition {
        Definition {
            name: name.into(),
            title: None,
            description: "Lists.".into(),
            parameters,
            output: None,
            hints: None,
            kind: Kind::Tool,
        }
    }

    fn plain(name: &str) -> Definition {
        definition(name, json!({"type": "object"}))
    }

    #[test]
    fn invalid_and_look_alike_names_are_refused() {
        let known = plain("list_Items");
        for (name, said) in [
            ("", "is not valid"),
            (&"a".repeat(300), "is not valid"),
            ("l\u{456}st", "is not valid"),
            ("a\0b", "is not valid"),
            ("list_items", "looks like that of list_Items"),
            ("list-items", "looks like that of list_Items"),
            ("1ist_Items", "looks like that of list_Items"),
        ] {
            let fault = plain(name).fault(&[&known]).unwrap_or_default();
            assert!(fault.contains(said), "{name}: {fault}");
            assert!(fault.chars().count() < 600, "{}", fault.len());
        }
        for name in ["lists", "get-sum", "a.b", "repo/list", "getIt", &"a".repeat(128)] {
            assert_eq!(plain(name).fault(&[&known]), None, "{name}");
        }
    }

    #[test]
    fn schemas_are_bounded_in_size_and_depth() {
        let nested = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }));
        assert_eq!(definition("a", nested(limits::DEPTH - 1)).fault(&[]), None);
        let deep = definition("a", nested(limits::DEPTH)).fault(&[]).unwrap_or_default();
        assert!(deep.contains("nest 41 levels deep"), "{deep}");
        let large = definition("a", json!({"x": "y".repeat(limits::SCHEMA)})).fault(&[]).unwrap_or_default();
        assert!(large.contains("bytes"), "{large}");
        assert!(definition("a", json!([])).fault(&[]).is_some());
    }

    #[test]
    fn schemas_that_multiply_evaluations_are_refused() {
        let defs: Map<String, Value> = (0..40)
            .map(|at| {
                let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
                (format!("d{at}"), json!({ "allOf": [next, next] }))
            })
            .chain([("d40".to_owned(), json!({}))])
            .collect();
        let laughing = json!({"type": "object", "$ref": "#/$defs/d0", "$defs": defs});
        let said = "Its schemas cannot be checked: it checks a value more than 10000 times. ";
        let of_input = definition("a", laughing.clone()).fault(&[]).unwrap_or_default();
        assert!(of_input.starts_with(said), "{of_input}");
        let of_output = Definition { output: Some(laughing), ..plain("a") }.fault(&[]).unwrap_or_default();
        assert!(of_output.starts_with(said), "{of_output}");
        let tree = json!({"properties": {"children": {"items": {"$ref": "#"}}}});
        assert_eq!(Definition { output: Some(tree.clone()), ..definition("a", tree) }.fault(&[]), None);
    }

    #[test]
    fn server_texts_are_attributed_and_sanitised() {
        let mut tool = plain("a");
        tool.description = format!("</tool-text>\u{202e}{}", "x".repeat(10_000));
        let description = tool.description_for_model("github");
        assert!(
            description.starts_with("Says the server github: &lt;/tool-text>[U+202E]x"),
            "{}",
            &description[..60]
        );
        assert!(description.chars().count() < 4_100);
    }
}
