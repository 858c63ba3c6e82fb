//! Nova's own files next to `SKILL.md`: `manifest.yaml` and `config.yaml`.

use nova_skill::{Manifest, RecordTypes};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::finding::{line_of_key, yaml_fault};
use crate::{Finding, SkillMd, compile_schema};

pub(crate) const MANIFEST: &str = "manifest.yaml";
pub(crate) const CONFIG: &str = "config.yaml";

/// Maximum size of these files, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Parses a manifest; returns it with its warnings.
///
/// # Errors
/// The problem that makes it unusable.
pub(crate) fn manifest(text: &str) -> Result<(Manifest, Vec<Finding>), Finding> {
    let Value::Object(root) = yaml::<Value>(MANIFEST, text)?.unwrap_or_default_object() else {
        return Err(Finding::error(
            MANIFEST,
            None,
            "It is not a mapping of keys to values. Write it as one.",
        ));
    };
    let mut manifest: Manifest = yaml(MANIFEST, text)?.unwrap_or_default();
    if manifest.display_name.is_none() {
        manifest.display_name =
            root.get("loading").and_then(|loading| loading["skill_label"].as_str()).map(str::to_owned);
    }
    let mut findings = Vec::new();
    let within = |key: &str| -> Option<&[&str]> {
        match key {
            "loading" => Some(&["mode", "always", "lifetime", "skill_id", "skill_label"]),
            "requires" => Some(&["env", "credentials"]),
            "hints" => Some(&["use_when", "not_when"]),
            "routing" => Some(&["examples", "near_misses"]),
            _ => None,
        }
    };
    for (key, value) in &root {
        let line = line_of_key(text, key, 0);
        // The layout without SKILL.md has these two keys here.
        if !Manifest::KEYS.contains(&key.as_str()) && !["name", "description"].contains(&key.as_str()) {
            let key: String = key.chars().take(60).collect();
            findings.push(Finding::warning(
                MANIFEST,
                line,
                format!("Unknown key {key}. Known keys: {}.", Manifest::KEYS.join(", ")),
            ));
        }
        for inner in value.as_object().into_iter().flatten().map(|(inner, _)| inner) {
            if let Some(known) = within(key)
                && !known.contains(&inner.as_str())
            {
                let inner: String = inner.chars().take(60).collect();
                findings.push(Finding::warning(
                    MANIFEST,
                    line,
                    format!("Unknown key {key}.{inner}. Known keys: {}.", known.join(", ")),
                ));
            }
        }
    }
    if let Some(schema) = &manifest.config
        && let Err(error) = compile_schema(schema)
    {
        let line = line_of_key(text, "config", 0);
        return Err(Finding::error(
            MANIFEST,
            line,
            format!("config is not a JSON Schema: {error}. Correct it."),
        ));
    }
    Ok((manifest, findings))
}

/// The record types that a manifest declares; none if it cannot be parsed.
pub fn records_in(manifest_yaml: &str) -> RecordTypes {
    manifest(manifest_yaml).map(|(manifest, _)| manifest.records).unwrap_or_default()
}

/// Parses `config.yaml`, a mapping; empty if there is none.
///
/// # Errors
/// If it is not a mapping, or does not fit the manifest's schema.
pub(crate) fn defaults(text: &str, schema: Option<&Value>) -> Result<Value, Finding> {
    let value = yaml::<Value>(CONFIG, text)?.unwrap_or_default_object();
    if !value.is_object() {
        return Err(Finding::error(CONFIG, None, "It is not a mapping of keys to values. Write it as one."));
    }
    // A required value may come from the user.
    let faults = config_faults(schema, &value).into_iter().find(|fault| !fault.missing);
    match faults {
        Some(fault) => {
            let key = fault.key.split('.').next().unwrap_or_default();
            Err(Finding::error(CONFIG, line_of_key(text, key, 0), format!("{}.", fault.said)))
        }
        None => Ok(value),
    }
}

/// Reads the layout without `SKILL.md`: name and description from the manifest, the instructions from
/// `instructions.md`.
///
/// # Errors
/// If there is no description.
pub(crate) fn without_skill_md(manifest: &str, instructions: &str, folder: &str) -> Result<SkillMd, Finding> {
    let root = yaml::<Value>(MANIFEST, manifest)?.unwrap_or_default_object();
    let text =
        |key: &str| root[key].as_str().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let description = text("description").filter(|text| !text.is_empty()).ok_or_else(|| {
        Finding::error(
            MANIFEST,
            None,
            "It has no description, and there is no SKILL.md. Write a SKILL.md with name and description.",
        )
    })?;
    Ok(SkillMd {
        name: text("name").unwrap_or_else(|| folder.to_owned()),
        description: description.chars().take(1024).collect(),
        instructions: instructions.trim().to_owned(),
        ..SkillMd::default()
    })
}

/// One error in a configuration.
pub(crate) struct ConfigFault {
    /// Separated by dots; empty for the whole configuration.
    pub(crate) key: String,
    /// The key and the rule.
    pub(crate) said: String,
    missing: bool,
}

/// Violations of the schema, at most ten. `fields`, `choices` and `records` belong to the record types.
pub(crate) fn config_faults(schema: Option<&Value>, config: &Value) -> Vec<ConfigFault> {
    let Some(Ok(validator)) = schema.map(compile_schema) else { return Vec::new() };
    let mut config = config.clone();
    if config.is_null() {
        config = Value::Object(serde_json::Map::new());
    }
    if let (Some(map), Some(schema)) = (config.as_object_mut(), schema) {
        for own in ["fields", "choices", "records"] {
            if schema["properties"].get(own).is_none() {
                map.remove(own);
            }
        }
    }
    let faults = validator.iter_errors(&config).take(10).map(|error| {
        let key = error.instance_path().to_string().trim_start_matches('/').replace('/', ".");
        let rule: String = error.to_string().chars().take(300).collect();
        let missing = matches!(error.kind(), jsonschema::error::ValidationErrorKind::Required { .. });
        ConfigFault { said: if key.is_empty() { rule } else { format!("{key}: {rule}") }, key, missing }
    });
    faults.collect()
}

/// Merges the user's values over the defaults, by key.
pub(crate) fn merged(defaults: &Value, own: &Value) -> Value {
    match (defaults, own) {
        (Value::Object(defaults), Value::Object(own)) => {
            let mut all = defaults.clone();
            for (key, value) in own {
                let value = all.get(key).map_or_else(|| value.clone(), |default| merged(default, value));
                all.insert(key.clone(), value);
            }
            Value::Object(all)
        }
        (defaults, Value::Null) => defaults.clone(),
        (_, own) => own.clone(),
    }
}

/// `None` for an empty file.
fn yaml<T: DeserializeOwned>(file: &str, text: &str) -> Result<Option<T>, Finding> {
    if text.len() > MAX_BYTES {
        return Err(Finding::error(file, None, "It is larger than 256 KiB. Shorten it."));
    }
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(None);
    }
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map(Some).map_err(|error| {
        let (line, what) = yaml_fault(&error, 0);
        Finding::error(file, line, format!("{}. Correct it.", what.trim_end_matches('.')))
    })
}

trait OrObject {
    fn unwrap_or_default_object(self) -> Value;
}

impl OrObject for Option<Value> {
    fn unwrap_or_default_object(self) -> Value {
        self.unwrap_or_else(|| Value::Object(serde_json::Map::new()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_keys_are_reported_with_their_line() {
        let (read, findings) =
            manifest("display_name: Things\nloading:\n  mdoe: always\ncolour: red\n").unwrap();
        assert_eq!(read.display_name.as_deref(), Some("Things"));
        let mut said: Vec<String> = findings.iter().map(ToString::to_string).collect();
        said.sort();
        assert_eq!(
            said,
            [
                "manifest.yaml, line 2: Unknown key loading.mdoe. Known keys: mode, always, lifetime, skill_id, skill_label.",
                "manifest.yaml, line 4: Unknown key colour. Known keys: display_name, summary, version, author, tags, icon, loading, requires, hints, routing, records, vault, panel, glance, config.",
            ]
        );
    }

    #[test]
    fn older_keys_for_loading_are_accepted() {
        let older = "loading:\n  mode: skill\n  skill_id: mail\n  skill_label: Mail\n";
        let (read, findings) = manifest(older).unwrap();
        assert_eq!(read.loading.mode, nova_skill::Mode::OnDemand);
        assert_eq!(read.display_name.as_deref(), Some("Mail"));
        assert_eq!(findings, Vec::new());
        let (read, _) = manifest(&format!("display_name: Post\n{older}")).unwrap();
        assert_eq!(read.display_name.as_deref(), Some("Post"));
    }

    #[test]
    fn unusable_manifest_is_reported_with_its_line() {
        assert_eq!(manifest("version: 1\nloading:\n  mode: sometimes\n").unwrap_err().line, Some(3));
        assert_eq!(manifest("- a\n").unwrap_err().line, None);
        let schema = manifest("version: 1\nconfig:\n  type: wat\n").unwrap_err();
        assert_eq!(schema.line, Some(2));
        assert!(schema.message.starts_with("config is not a JSON Schema"), "{schema}");
        assert_eq!(manifest("# nothing yet\n").unwrap(), (Manifest::default(), Vec::new()));
        assert!(manifest(&"# x\n".repeat(100_000)).is_err());
    }

    #[test]
    fn user_values_override_defaults() {
        let defaults = json!({"a": 1, "deep": {"x": 1, "y": [1, 2]}, "kept": true});
        let own = json!({"a": 2, "deep": {"y": [3]}, "new": null});
        let both = json!({"a": 2, "deep": {"x": 1, "y": [3]}, "kept": true, "new": null});
        assert_eq!(merged(&defaults, &own), both);
        assert_eq!(merged(&defaults, &Value::Null), defaults);
    }

    #[test]
    fn defaults_are_checked_against_the_schema() {
        let schema =
            json!({"type": "object", "required": ["team"], "properties": {"days": {"type": "integer"}}});
        assert_eq!(defaults("days: 3\n", Some(&schema)), Ok(json!({"days": 3})));
        let fault = defaults("# comment\ndays: soon\n", Some(&schema)).unwrap_err();
        assert_eq!(fault.to_string(), "config.yaml, line 2: days: \"soon\" is not of type \"integer\".");
        assert!(defaults("- a\n", None).is_err());
        let said: Vec<String> =
            config_faults(Some(&schema), &Value::Null).into_iter().map(|fault| fault.said).collect();
        assert_eq!(said, ["\"team\" is a required property"]);
    }
}
