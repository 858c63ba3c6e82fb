//! Parses `skills` of `nova.config.json`. A value of the wrong type is an error: a skill that the user meant
//! to disable must not run because of a typo.

use std::collections::BTreeMap;

use nova_registry::{Settings, SkillSettings, canonical};
use nova_skill::{Lifetime, Mode};
use serde_json::{Map, Value};

/// A key and its problem.
pub(crate) type Fault = (String, String);

/// # Errors
/// With the invalid key, as `skills.<id>.<key>`.
pub(crate) fn read(value: Option<&Value>) -> Result<Settings, Fault> {
    let mut settings: BTreeMap<String, SkillSettings> = BTreeMap::new();
    let Some(skills) = object("skills", value)? else { return Ok(Settings::default()) };
    for (id, own) in skills {
        let key = format!("skills.{id}");
        if let Some(other) = settings.keys().find(|other| canonical(other) == canonical(id)) {
            return Err((key, format!("is the same skill as skills.{other}; keep one of the two")));
        }
        let own = object(&key, Some(own))?.map(|own| one(&key, own)).transpose()?;
        settings.insert(id.clone(), own.unwrap_or_default());
    }
    Ok(Settings(settings))
}

fn one(key: &str, own: &Map<String, Value>) -> Result<SkillSettings, Fault> {
    let at = |name: &str| format!("{key}.{name}");
    let switch = |name: &str| match own.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(on)) => Ok(Some(*on)),
        Some(_) => Err((at(name), "must be true or false, without quotation marks".to_owned())),
    };
    let tools = object(&at("tools"), own.get("tools"))?;
    Ok(SkillSettings {
        enabled: switch("enabled")?,
        mode: word(&at("mode"), own.get("mode"), &[("always", Mode::Always), ("on_demand", Mode::OnDemand)])?,
        lifetime: word(
            &at("lifetime"),
            own.get("lifetime"),
            &[("turn", Lifetime::Turn), ("session", Lifetime::Session)],
        )?,
        pinned: switch("pinned")?.unwrap_or_default(),
        hidden: switch("hidden")?.unwrap_or_default(),
        denied_tools: texts(&at("tools.deny"), tools.and_then(|tools| tools.get("deny")))?,
        allowed_tools: texts(&at("tools.allow"), tools.and_then(|tools| tools.get("allow")))?,
        config: object(&at("config"), own.get("config"))?.cloned().map_or(Value::Null, Value::Object),
    })
}

fn object<'a>(key: &str, value: Option<&'a Value>) -> Result<Option<&'a Map<String, Value>>, Fault> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(map)) => Ok(Some(map)),
        Some(_) => Err((key.to_owned(), "must be an object".to_owned())),
    }
}

fn word<T: Copy>(key: &str, value: Option<&Value>, known: &[(&str, T)]) -> Result<Option<T>, Fault> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let found = known.iter().find(|(name, _)| value.as_str() == Some(name));
    found.map(|(_, meant)| Some(*meant)).ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        (key.to_owned(), format!("must be {}", names.join(" or ")))
    })
}

fn texts(key: &str, value: Option<&Value>) -> Result<Vec<String>, Fault> {
    let wrong = || (key.to_owned(), "must be a list of strings".to_owned());
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    let items = value.as_array().ok_or_else(wrong)?;
    items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn value_of_the_wrong_type_is_reported_with_its_key() {
        for (value, key, why) in [
            (json!([]), "skills", "object"),
            (json!({"crm": true}), "skills.crm", "object"),
            (json!({"crm": {"enabled": "false"}}), "skills.crm.enabled", "true or false"),
            (json!({"crm": {"enabled": 0}}), "skills.crm.enabled", "true or false"),
            (json!({"crm": {"pinned": "yes"}}), "skills.crm.pinned", "true or false"),
            (json!({"crm": {"hidden": 1}}), "skills.crm.hidden", "true or false"),
            (json!({"crm": {"mode": "sometimes"}}), "skills.crm.mode", "\"always\" or \"on_demand\""),
            (json!({"crm": {"mode": true}}), "skills.crm.mode", "\"always\" or \"on_demand\""),
            (json!({"crm": {"lifetime": "forever"}}), "skills.crm.lifetime", "\"turn\" or \"session\""),
            (json!({"crm": {"config": "x"}}), "skills.crm.config", "object"),
            (json!({"crm": {"tools": ["a"]}}), "skills.crm.tools", "object"),
            (json!({"crm": {"tools": {"deny": "a"}}}), "skills.crm.tools.deny", "list of strings"),
            (json!({"crm": {"tools": {"deny": [1]}}}), "skills.crm.tools.deny", "list of strings"),
            (json!({"core": {"tools": {"allow": true}}}), "skills.core.tools.allow", "list of strings"),
        ] {
            let (at, reason) = read(Some(&value)).expect_err(&value.to_string());
            assert_eq!(at, key, "{value}");
            assert!(reason.contains(why), "{value}: {reason}");
        }
    }

    #[test]
    fn two_spellings_of_one_skill_are_reported() {
        let both = json!({"CRM": {"enabled": false}, "crm": {"enabled": true}});
        let (key, reason) = read(Some(&both)).expect_err("duplicate skill");
        assert!(key == "skills.crm" && reason.contains("skills.CRM"), "{key} {reason}");
    }

    #[test]
    fn null_counts_as_unset() {
        let nulls = json!({"crm": {"enabled": null, "mode": null, "lifetime": null, "pinned": null,
            "hidden": null, "tools": {"deny": null}, "config": null}, "vault": null});
        let read = read(Some(&nulls)).expect("nothing is set");
        assert_eq!(read.of("crm"), Some(&SkillSettings::default()));
        assert_eq!(read.of("vault"), Some(&SkillSettings::default()));
    }

    #[test]
    fn settings_are_parsed() {
        let set = json!({"crm": {"enabled": false, "mode": "always", "lifetime": "turn", "pinned": true,
            "hidden": true, "tools": {"deny": ["export"], "allow": ["bash"]}, "config": {"team": "a"}, "mine": 1}});
        let own = SkillSettings {
            enabled: Some(false),
            mode: Some(Mode::Always),
            lifetime: Some(Lifetime::Turn),
            pinned: true,
            hidden: true,
            denied_tools: vec!["export".into()],
            allowed_tools: vec!["bash".into()],
            config: json!({"team": "a"}),
        };
        assert_eq!(read(Some(&set)).expect("all valid").of("crm"), Some(&own));
    }
}
