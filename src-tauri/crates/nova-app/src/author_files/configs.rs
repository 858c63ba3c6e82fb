//! Generates TypeScript types for the settings of skills.

use nova_registry::{SkillEntry, SourceKind};
use serde_json::Value;

/// Deeper parts of a schema become `any`.
const MAX_DEPTH: usize = 8;

/// Declares `Configs`, which `ToolContext` indexes by skill id; only for the user's own folder skills.
pub(super) fn declarations<'a>(skills: impl Iterator<Item = &'a SkillEntry>) -> String {
    let own = skills.filter(|skill| skill.source == SourceKind::Folder && !skill.foreign);
    let typed = own.filter_map(|skill| {
        let schema = skill.manifest.config.as_ref()?;
        Some(format!("    {}: {}\n", quoted(&skill.id), object(schema, &skill.defaults, 0)))
    });
    format!(
        "import '@nova/tools'\n\ndeclare module '@nova/tools' {{\n  interface Configs {{\n{}  }}\n}}\n",
        typed.collect::<String>()
    )
}

/// A key that is required, or has a default, is not optional.
fn object(schema: &Value, defaults: &Value, depth: usize) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|_| depth < MAX_DEPTH) else {
        return "Readonly<Record<string, any>>".into();
    };
    let required = |key: &str| {
        let named = schema["required"].as_array().is_some_and(|keys| keys.iter().any(|other| other == key));
        named || defaults.get(key).is_some_and(|value| !value.is_null())
    };
    let members = properties.iter().map(|(key, property)| {
        let said = property["description"].as_str().or(property["title"].as_str());
        let said = said.map(|said| format!("/** {} */ ", one_line(&said.replace("*/", "* /"))));
        let optional = if required(key) { "" } else { "?" };
        let value = type_of(property, &defaults[key], depth + 1);
        format!("{}readonly {}{optional}: {value}", said.unwrap_or_default(), quoted(key))
    });
    format!("{{ {} }}", members.collect::<Vec<_>>().join("; "))
}

fn type_of(schema: &Value, defaults: &Value, depth: usize) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(literal).collect::<Vec<_>>().join(" | ");
    }
    if let Some(value) = schema.get("const") {
        return literal(value);
    }
    let one = |kind: &str| match kind {
        "string" => "string".to_owned(),
        "integer" | "number" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" if depth < MAX_DEPTH => {
            format!("readonly ({})[]", type_of(&schema["items"], &Value::Null, depth + 1))
        }
        "object" => object(schema, defaults, depth),
        _ => "any".to_owned(),
    };
    match &schema["type"] {
        Value::String(kind) => one(kind),
        Value::Array(kinds) if !kinds.is_empty() => {
            kinds.iter().map(|kind| one(kind.as_str().unwrap_or_default())).collect::<Vec<_>>().join(" | ")
        }
        _ => "any".to_owned(),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => "any".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schema_becomes_a_type() {
        let schema = json!({
            "type": "object",
            "required": ["who"],
            "properties": {
                "who": {"type": "string", "description": "Whose */ it is"},
                "days": {"type": ["integer", "null"]},
                "language": {"enum": ["en", "de"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "inner": {"type": "object", "properties": {"on": {"type": "boolean"}}},
                "other": {},
            },
        });
        assert_eq!(
            object(&schema, &json!({"language": "en"}), 0),
            "{ /** Whose * / it is */ readonly \"who\": string; readonly \"days\"?: number | null; \
             readonly \"language\": \"en\" | \"de\"; readonly \"tags\"?: readonly (string)[]; \
             readonly \"inner\"?: { readonly \"on\"?: boolean }; readonly \"other\"?: any }"
        );
    }

    #[test]
    fn recursive_schema_is_truncated() {
        let mut schema = json!({"type": "string"});
        for _ in 0..50 {
            schema = json!({"type": "object", "properties": {"a": schema}});
        }
        assert!(object(&schema, &Value::Null, 0).matches("\"a\"").count() <= MAX_DEPTH);
    }
}
