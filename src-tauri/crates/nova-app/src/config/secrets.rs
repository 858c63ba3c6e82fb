//! Detects literal secrets in a configuration, where they do not belong.

use nova_provider::ProviderKind;
use serde_json::{Map, Value};

use super::ConfigError;

/// Secrets belong in the environment or the keychain, never in this file.
pub(super) fn refuse_secrets(file: &str, root: &Map<String, Value>) -> Result<(), ConfigError> {
    for (at, provider) in root.get("providers").and_then(Value::as_array).into_iter().flatten().enumerate() {
        if provider["kind"].as_str().map(ProviderKind::from) == Some(ProviderKind::Ollama) {
            continue;
        }
        let id = provider["id"].as_str().unwrap_or("provider");
        let remedy = format!(
            "Remove it from the file, run `nova credential set {id}/key`, and write \
             ${{credentials:{id}/key}} instead."
        );
        check_value(file, &format!("providers[{at}]"), provider, &remedy)?;
    }
    for (name, server) in root.get("mcpServers").and_then(Value::as_object).into_iter().flatten() {
        let remedy = format!(
            "Remove it from the file, run `nova credential set {name}/key`, and write \
             ${{credentials:{name}/key}} instead."
        );
        check_value(file, &format!("mcpServers.{name}"), server, &remedy)?;
    }
    for (at, calendar) in root.get("calendars").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let id = calendar["id"].as_str().unwrap_or("ID");
        let remedy = format!(
            "Remove it from the file, run `nova credential set calendar/{id}`, and write \
             ${{credentials:calendar/{id}}} instead."
        );
        check_value(file, &format!("calendars[{at}]"), calendar, &remedy)?;
    }
    Ok(())
}

/// The key of a literal secret in an entry of `mcpServers`.
pub(crate) fn secret_in_server(name: &str, entry: &Value) -> Option<String> {
    match check_value("", &format!("mcpServers.{name}"), entry, "") {
        Err(ConfigError::LiteralSecret { key, .. }) => Some(key),
        _ => None,
    }
}

fn check_value(file: &str, path: &str, value: &Value, remedy: &str) -> Result<(), ConfigError> {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}.{key}");
                if value.as_str().is_some_and(|text| is_secret(key, text)) {
                    return Err(ConfigError::LiteralSecret {
                        file: file.to_owned(),
                        key: path,
                        remedy: remedy.to_owned(),
                    });
                }
                check_value(file, &path, value, remedy)?;
            }
            Ok(())
        }
        Value::Array(items) => {
            // `--token SECRET` counts like `--token=SECRET`.
            let mut before = "";
            items.iter().enumerate().try_for_each(|(at, item)| {
                let path = format!("{path}[{at}]");
                let Some(text) = item.as_str() else { return check_value(file, &path, item, remedy) };
                let (key, value) = text.split_once('=').unwrap_or((before, text));
                before = if text.starts_with('-') { text } else { "" };
                if text.starts_with('-') && !text.contains('=') || !is_secret(key, value) {
                    return Ok(());
                }
                let remedy = remedy.to_owned();
                Err(ConfigError::LiteralSecret { file: file.to_owned(), key: path, remedy })
            })
        }
        _ => Ok(()),
    }
}

/// The text outside of `${…}`: a scheme such as `Token`, or possibly a secret.
pub(crate) fn without_references(text: &str) -> String {
    let mut rest = String::new();
    let mut left = text;
    while let Some((before, after)) = left.split_once("${") {
        let Some((_, after)) = after.split_once('}') else { break };
        rest.push_str(before);
        left = after;
    }
    rest.push_str(left);
    rest
}

pub(crate) fn is_secret(key: &str, text: &str) -> bool {
    let key = key.to_lowercase().replace('-', "_");
    let text = text.trim();
    let text = without_references(text.strip_prefix("Bearer ").unwrap_or(text));
    if text.trim().len() < 9 {
        return false;
    }
    let named = ["token", "secret", "password", "api_key", "apikey", "authorization"];
    named.iter().any(|name| key.contains(name)) || KNOWN_KEYS.iter().any(|start| text.starts_with(start))
}

/// Prefixes of the keys of some services.
const KNOWN_KEYS: [&str; 8] = ["sk-", "ghp_", "github_pat_", "xoxb-", "xoxp-", "AKIA", "AIza", "glpat-"];

/// Removes obvious keys from a text.
pub(crate) fn without_secrets(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        let is_key = word.len() >= 16
            && word.contains(|c: char| c.is_ascii_digit())
            && KNOWN_KEYS.iter().any(|start| word.starts_with(start));
        clean.push_str(before);
        clean.push_str(if is_key { "[key left out]" } else { word });
        rest = after;
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_removed_from_a_text_and_words_are_not() {
        let key = "sk-proj-0123456789abcdefghij";
        assert_eq!(without_secrets(&format!("use \"{key}\", then")), "use \"[key left out]\", then");
        for text in ["", "sk-", "task-0123456789abcdef", "sk-learning-by-doing-it", "grün: 50 %", "AKIA"] {
            assert_eq!(without_secrets(text), text);
        }
    }
}
