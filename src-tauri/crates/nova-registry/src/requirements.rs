//! Checks a skill's requirements against the environment.

use std::collections::BTreeMap;
use std::sync::Arc;

use nova_skill::{Requires, ToolSpec};
use serde_json::Value;

use crate::{State, compile_schema};

/// The resources that skills may require.
#[derive(Clone)]
pub struct Present {
    pub credentials: KnownCredentials,
    /// Looks up environment variables; values are not retained.
    pub variable: Variable,
    pub commands: Commands,
}

/// Whether commands of tools can be confined on this system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commands {
    /// Not checked yet.
    NotYet,
    Confined,
    /// Why they cannot, and the remedy.
    Unconfined(String),
}

/// Returns the value of an environment variable.
pub type Variable = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The existing credentials by `service/key`, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KnownCredentials {
    /// Not checked yet.
    NotYet,
    /// Why they cannot be checked, and the remedy, in one or two sentences.
    Unreachable(String),
    Known(BTreeMap<String, HeldState>),
}

/// The state of a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldState {
    Kept,
    NeedsSignIn,
}

impl Default for Present {
    fn default() -> Self {
        Self {
            credentials: KnownCredentials::Known(BTreeMap::new()),
            variable: Arc::new(|_| None),
            commands: Commands::Confined,
        }
    }
}

/// The state of a skill whose requirements are not met, with reason and remedy; `None` if they are met.
/// Values are checked but never included.
pub fn unmet(skill: &str, requires: &Requires, config: &Value, present: &Present) -> Option<(State, String)> {
    let mut worst: Option<(State, String)> = None;
    let variables =
        requires.env.iter().filter_map(|(name, entry)| variable(skill, name, entry, config, present));
    let credentials = requires.credentials.iter().filter_map(|name| credential(name, name, present));
    for found in variables.chain(credentials) {
        let worse = |(before, _): &(State, String)| weight(found.0) > weight(*before);
        if worst.as_ref().is_none_or(worse) {
            worst = Some(found);
        }
    }
    worst
}

/// The state of a tool that lacks a declared credential, with reason and remedy. `None` if it lacks none, or
/// if credentials were not checked yet.
pub fn lacking(tool: &ToolSpec, present: &Present) -> Option<(State, String)> {
    let found = tool.credentials.iter().filter_map(|name| {
        let missing = credential(name, tool.key_of(name), present)?;
        (missing.0 != State::Starting).then_some(missing)
    });
    found.max_by_key(|(state, _)| weight(*state))
}

/// Broken requirements are reported before missing ones, and those before temporary states.
fn weight(state: State) -> u8 {
    match state {
        State::Broken => 3,
        State::Unavailable => 2,
        State::NeedsSignIn => 1,
        _ => 0,
    }
}

fn variable(
    skill: &str,
    name: &str,
    entry: &Value,
    config: &Value,
    present: &Present,
) -> Option<(State, String)> {
    let credential = format!("{skill}/{name}");
    let validator = match validator(entry) {
        Ok(validator) => validator,
        Err(why) => return Some((State::Broken, format!("manifest.yaml: requires.env.{name} {why}."))),
    };
    if let KnownCredentials::Known(known) = &present.credentials {
        match known.get(&credential) {
            Some(HeldState::Kept) => return None,
            Some(HeldState::NeedsSignIn) => return Some(needs_sign_in(&credential)),
            None => {}
        }
    }
    let configured = config
        .get(name)
        .filter(|value| !value.is_null())
        .map(|value| (value.clone(), format!("skills.{skill}.config.{name} in nova.config.json")));
    let from_environment = || {
        let value = (present.variable)(name).filter(|value| !value.is_empty())?;
        Some((typed(value, entry), format!("The environment variable {name}")))
    };
    if let Some((value, place)) = configured.or_else(from_environment) {
        let fits = validator.is_none_or(|validator| validator.is_valid(&value));
        return (!fits).then(|| {
            let wanted = entry.get("schema").map(Value::to_string).unwrap_or_default();
            (State::Unavailable, format!("{place} is not valid for {skill}: {wanted}."))
        });
    }
    if entry["optional"] == Value::Bool(true) {
        return None;
    }
    // A credential cannot hold a list or an object.
    if entry.pointer("/schema/type").is_some_and(|kind| *kind == "array" || *kind == "object") {
        return Some((
            State::Unavailable,
            format!(
                "It needs {name}: set them in Settings, Skills, or as skills.{skill}.config.{name} in nova.config.json."
            ),
        ));
    }
    Some(match &present.credentials {
        KnownCredentials::NotYet => looking(&credential),
        KnownCredentials::Unreachable(why) => (
            State::Unavailable,
            format!("It needs a value: set {name}. The credentials cannot be read. {why}"),
        ),
        KnownCredentials::Known(_) => (
            State::Unavailable,
            format!(
                "It needs a value: set {name} with `nova credential set {credential}`, or in Settings, Credentials."
            ),
        ),
    })
}

/// `name` is `service/key`, or `service` for any of its keys; `key` is the one to set if there is none.
fn credential(name: &str, key: &str, present: &Present) -> Option<(State, String)> {
    let known = match &present.credentials {
        KnownCredentials::NotYet => return Some(looking(name)),
        KnownCredentials::Unreachable(why) => {
            return Some((State::Unavailable, format!("It needs the credential {name}. {why}")));
        }
        KnownCredentials::Known(known) => known,
    };
    let of_service = format!("{name}/");
    let mut found =
        known.iter().filter(|(held, _)| *held == name || held.starts_with(&of_service)).peekable();
    if found.peek().is_none() {
        let any = if key.contains('/') { "" } else { "/KEY" };
        return Some((
            State::Unavailable,
            format!(
                "It needs a credential: set {key}{any} with `nova credential set {key}{any}`, or in Settings, Credentials."
            ),
        ));
    }
    found.find(|(_, state)| **state == HeldState::NeedsSignIn).map(|(held, _)| needs_sign_in(held))
}

fn looking(what: &str) -> (State, String) {
    (State::Starting, format!("Nova is checking whether {what} exists."))
}

fn needs_sign_in(credential: &str) -> (State, String) {
    (
        State::NeedsSignIn,
        format!(
            "Sign in for {credential} in Settings, Credentials, or run `nova credential sign-in {credential}`."
        ),
    )
}

/// An entry is empty, or an object with `schema` and `optional`.
fn validator(entry: &Value) -> Result<Option<jsonschema::Validator>, String> {
    match entry {
        Value::Null => return Ok(None),
        Value::Object(_) => {}
        _ => return Err("is not an object with schema and optional".into()),
    }
    if !matches!(entry.get("optional"), None | Some(Value::Bool(_))) {
        return Err("must have true or false as optional".into());
    }
    let Some(schema) = entry.get("schema") else { return Ok(None) };
    let validator = compile_schema(schema);
    validator.map(Some).map_err(|error| format!("has a schema that is not a JSON Schema: {error}"))
}

/// Converts an environment variable, which is always a string, to the type of its schema.
fn typed(text: String, entry: &Value) -> Value {
    match entry.get("schema").and_then(|schema| schema.get("type")).and_then(Value::as_str) {
        Some("integer" | "number" | "boolean") => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        _ => Value::String(text),
    }
}

/// Validates a value that the user enters for `skill/NAME`.
///
/// # Errors
/// The violated rule, without the value.
pub fn fits(requires: &Requires, name: &str, value: &str) -> Result<(), String> {
    let Some(entry) = requires.env.get(name) else { return Ok(()) };
    let Ok(Some(validator)) = validator(entry) else { return Ok(()) };
    if validator.is_valid(&typed(value.to_owned(), entry)) {
        return Ok(());
    }
    Err(entry.get("schema").map(Value::to_string).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use nova_skill::{Description, Effect};
    use serde_json::json;

    use super::*;

    const NAME: &str = "FINNHUB_API_KEY";

    fn present(credentials: KnownCredentials, variables: &[(&str, &str)]) -> Present {
        let variables: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let variable = Arc::new(move |name: &str| variables.get(name).cloned());
        Present { credentials, variable, ..Present::default() }
    }

    fn known(names: &[(&str, HeldState)]) -> KnownCredentials {
        KnownCredentials::Known(
            names.iter().map(|(name, state)| ((*name).to_owned(), state.clone())).collect(),
        )
    }

    fn check(requires: Value, config: Value, present: &Present) -> Option<(State, String)> {
        let requires: Requires = serde_json::from_value(requires).expect("valid test requirements");
        unmet("finnhub", &requires, &config, present)
    }

    fn wants_key() -> Value {
        json!({"env": {NAME: {"schema": {"type": "string", "minLength": 4}}}})
    }

    #[test]
    fn variable_comes_from_credential_config_or_environment() {
        let nothing = present(known(&[]), &[]);
        let (state, reason) = check(wants_key(), json!({}), &nothing).expect("missing");
        assert_eq!(state, State::Unavailable);
        assert!(reason.contains("set FINNHUB_API_KEY"), "{reason}");
        assert!(reason.contains("`nova credential set finnhub/FINNHUB_API_KEY`"), "{reason}");

        let kept = present(known(&[("finnhub/FINNHUB_API_KEY", HeldState::Kept)]), &[(NAME, "x")]);
        assert_eq!(check(wants_key(), json!({NAME: "x"}), &kept), None, "the credential comes first");
        assert_eq!(check(wants_key(), json!({NAME: "long enough"}), &nothing), None);
        let set = present(known(&[]), &[(NAME, "long enough")]);
        assert_eq!(check(wants_key(), json!({}), &set), None);
        let configured_wrongly = check(wants_key(), json!({NAME: "x"}), &set).expect("too short");
        assert!(
            configured_wrongly.1.contains("skills.finnhub.config.FINNHUB_API_KEY"),
            "{configured_wrongly:?}"
        );
        let empty = present(known(&[]), &[(NAME, "")]);
        assert_eq!(check(wants_key(), json!({}), &empty).expect("empty").0, State::Unavailable);
        let other = present(known(&[("other/FINNHUB_API_KEY", HeldState::Kept)]), &[]);
        assert!(check(wants_key(), json!({}), &other).is_some(), "another skill's");
    }

    #[test]
    fn invalid_value_is_reported_without_the_value() {
        let set = present(known(&[]), &[(NAME, "c4n")]);
        let (state, reason) = check(wants_key(), json!({}), &set).expect("too short");
        assert_eq!(state, State::Unavailable);
        assert!(reason.contains("minLength") && !reason.contains("c4n"), "{reason}");
    }

    #[test]
    fn environment_values_are_converted_to_numbers_and_booleans() {
        let wants = |schema: Value| json!({"env": {"N": {"schema": schema}}});
        for (schema, value, fits) in [
            (json!({"type": "integer", "minimum": 5}), "7", true),
            (json!({"type": "integer", "minimum": 5}), "3", false),
            (json!({"type": "integer"}), "many", false),
            (json!({"type": "boolean"}), "true", true),
            (json!({"type": "string"}), "7", true),
        ] {
            let set = present(known(&[]), &[("N", value)]);
            assert_eq!(check(wants(schema.clone()), json!({}), &set).is_none(), fits, "{schema} {value}");
        }
    }

    #[test]
    fn optional_value_may_be_missing_but_not_invalid() {
        let wants = json!({"env": {"N": {"optional": true, "schema": {"type": "integer"}}}});
        assert_eq!(check(wants.clone(), json!({}), &present(known(&[]), &[])), None);
        let wrong = check(wants, json!({}), &present(known(&[]), &[("N", "x")]));
        assert_eq!(wrong.expect("wrong").0, State::Unavailable);
    }

    #[test]
    fn invalid_entry_breaks_the_skill() {
        for entry in [json!("text"), json!({"schema": {"type": 7}}), json!({"optional": "yes"})] {
            let (state, reason) =
                check(json!({"env": {"N": entry}}), json!({}), &present(known(&[]), &[("N", "x")]))
                    .expect("wrong");
            assert_eq!(state, State::Broken);
            assert!(reason.starts_with("manifest.yaml: requires.env.N "), "{reason}");
        }
    }

    #[test]
    fn tool_without_its_credential_names_the_key() {
        let spec = ToolSpec {
            credentials: vec!["github".into()],
            credential_keys: vec!["mail/login".into(), "github/token".into()],
            ..ToolSpec::new("search", Description::default(), json!({}), Effect::External)
        };
        let check = |credentials| lacking(&spec, &present(credentials, &[]));
        let (state, reason) = check(known(&[])).expect("missing");
        assert_eq!(state, State::Unavailable);
        assert!(reason.contains("`nova credential set github/token`"), "{reason}");
        let signed_out = check(known(&[("github/token", HeldState::NeedsSignIn)])).expect("signed out");
        assert_eq!(signed_out.0, State::NeedsSignIn);
        assert_eq!(check(known(&[("github/other", HeldState::Kept)])), None, "any key of the service");
        assert_eq!(check(KnownCredentials::NotYet), None);
        let unnamed = ToolSpec { credential_keys: Vec::new(), ..spec.clone() };
        let (_, reason) = lacking(&unnamed, &present(known(&[]), &[])).expect("missing");
        assert!(reason.contains("`nova credential set github/KEY`"), "{reason}");
    }

    #[test]
    fn credentials_are_present_missing_signed_out_or_unknown() {
        let wants = json!({"credentials": ["mail/login"]});
        let state = |credentials: KnownCredentials| {
            check(wants.clone(), json!({}), &present(credentials, &[])).map(|(state, _)| state)
        };
        assert_eq!(state(known(&[("mail/login", HeldState::Kept)])), None);
        assert_eq!(state(known(&[("mail/login", HeldState::NeedsSignIn)])), Some(State::NeedsSignIn));
        assert_eq!(state(known(&[("mail/other", HeldState::Kept)])), Some(State::Unavailable));
        assert_eq!(state(KnownCredentials::NotYet), Some(State::Starting));
        assert_eq!(state(KnownCredentials::Unreachable("Locked.".into())), Some(State::Unavailable));
        let service = json!({"credentials": ["mail"]});
        let any = present(known(&[("mail/other", HeldState::Kept)]), &[]);
        assert_eq!(check(service, json!({}), &any), None);
    }
}
