//! Imports servers from the configurations of other programs, in the form of `mcpServers`.

use serde_json::{Map, Value, json};
use url::Url;

/// Format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// With comments and trailing commas.
    Json,
    Toml,
    Yaml,
    /// Detected: one of the other formats, a command line or a URL.
    Pasted,
}

/// A server in another program's configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundServer {
    pub name: String,
    /// The entry for `mcpServers`; or why it cannot be converted, and the remedy.
    pub entry: Result<Map<String, Value>, String>,
    /// Credentials referenced by the entry for values that only the other program knows.
    pub asks: Vec<String>,
}

/// Why a text cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FormError {
    /// 1-based.
    pub line: Option<usize>,
    pub message: String,
}

/// Finds the servers in a text. Starts nothing, and reads no file referenced by the text.
///
/// # Errors
/// When the format does not match, or there is no server.
pub fn find_servers(form: Form, text: &str) -> Result<Vec<FoundServer>, FormError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let root = match form {
        Form::Json => json(text)?,
        Form::Toml => toml(text)?,
        Form::Yaml => yaml(text)?,
        Form::Pasted => pasted(text)?,
    };
    let mut found: Vec<FoundServer> = Vec::new();
    for (name, entry) in servers_in(&root) {
        // Claude Code may have the same server in several projects.
        if !found.iter().any(|other| other.name == name) {
            found.push(found_server(name, entry));
        }
    }
    if found.is_empty() && form == Form::Pasted {
        let message = "It names no server. Paste a block with \"mcpServers\", a command or an address.";
        return Err(FormError { line: None, message: message.into() });
    }
    Ok(found)
}

fn json(text: &str) -> Result<Value, FormError> {
    let options = jsonc_parser::ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    jsonc_parser::parse_to_serde_value(text, &options).map_err(|error| FormError {
        line: Some(error.line_display()),
        message: format!("It is not JSON: {}.", error.kind()),
    })
}

fn toml(text: &str) -> Result<Value, FormError> {
    ::toml::from_str(text).map_err(|error| FormError {
        line: error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1),
        message: format!("It is not TOML: {}.", error.message()),
    })
}

fn yaml(text: &str) -> Result<Value, FormError> {
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| FormError {
        line: error.location().and_then(|place| usize::try_from(place.line()).ok()),
        // The parser's message repeats the position.
        message: "It is not YAML.".into(),
    })
}

fn pasted(text: &str) -> Result<Value, FormError> {
    if text.starts_with('{') {
        return json(text);
    }
    // The contents of an object without its braces.
    if text.starts_with('"') && text.contains(':') {
        return json(&format!("{{{text}\n}}"));
    }
    if text.starts_with('[') || text.contains("\n[mcp_servers") {
        return toml(text);
    }
    if text.contains('\n') {
        return yaml(text);
    }
    if text.is_empty() {
        return Ok(Value::Null);
    }
    match Url::parse(text) {
        Ok(url) if url.has_host() => Ok(json!({ "url": text })),
        _ => Ok(json!({ "command": text })),
    }
}

/// The entries, at any of the places used by known programs.
fn servers_in(root: &Value) -> Vec<(String, &Value)> {
    let own = ["mcpServers", "mcp_servers", "servers", "context_servers", "extensions"];
    let mut places: Vec<&Value> = own.iter().filter_map(|key| root.get(key)).collect();
    places.extend(root.pointer("/mcp/servers"));
    let projects = root.get("projects").and_then(Value::as_object).into_iter().flatten();
    places.extend(projects.filter_map(|(_, project)| project.get("mcpServers")));
    let named = |place: &'_ Value| -> Vec<String> {
        place.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
    };
    if places.is_empty() {
        return if is_entry(root) {
            vec![(name_of(root), root)]
        } else {
            let all = named(root).into_iter().filter_map(|name| Some((name.clone(), root.get(&name)?)));
            all.filter(|(_, entry)| is_entry(entry)).collect()
        };
    }
    places
        .into_iter()
        .flat_map(|place| {
            named(place).into_iter().filter_map(move |name| Some((name.clone(), place.get(&name)?)))
        })
        .collect()
}

fn is_entry(value: &Value) -> bool {
    ["command", "cmd", "url", "uri", "httpUrl"].iter().any(|key| value.get(key).is_some())
}

/// A name for an entry without one: from its package, or its host.
fn name_of(entry: &Value) -> String {
    let url = ["url", "uri", "httpUrl"].iter().find_map(|key| entry.get(key)?.as_str());
    let long = match url.and_then(|url| Url::parse(url).ok()) {
        Some(url) => url.host_str().unwrap_or_default().to_owned(),
        None => {
            let command =
                entry.get("command").or(entry.get("cmd")).and_then(Value::as_str).unwrap_or_default();
            let args = entry.get("args").and_then(Value::as_array).into_iter().flatten();
            let mut words = command.split_whitespace().chain(args.filter_map(Value::as_str));
            let program = words.next().unwrap_or_default();
            let package = words.find(|word| !word.starts_with('-')).unwrap_or(program);
            let package = package.rsplit('/').next().unwrap_or(package);
            package.split(['@', '=']).next().unwrap_or(package).to_owned()
        }
    };
    let short = long.trim_start_matches("mcp-server-").trim_start_matches("server-").trim_end_matches("-mcp");
    if short.is_empty() { "server".into() } else { short.to_owned() }
}

fn found_server(name: String, entry: &Value) -> FoundServer {
    let mut asks = Vec::new();
    let entry = entry_of(&name, entry, &mut asks);
    FoundServer { name, entry, asks }
}

fn entry_of(name: &str, given: &Value, asks: &mut Vec<String>) -> Result<Map<String, Value>, String> {
    let no_entry = || "It is not an object. Write it as {\"command\": …} or {\"url\": …}.".to_owned();
    let mut given = given.as_object().ok_or_else(no_entry)?.clone();
    // Older versions of Zed nest the command in an object.
    if let Some(Value::Object(command)) = given.get("command").cloned() {
        given.remove("command");
        given.extend(command.into_iter().map(|(key, value)| match key.as_str() {
            "path" => ("command".to_owned(), value),
            _ => (key, value),
        }));
    }
    let mut entry = Map::new();
    let mut take = |to: &str, from: &[&str]| {
        if let Some(value) = from.iter().find_map(|key| given.get(*key)).filter(|value| !value.is_null()) {
            entry.insert(to.to_owned(), value.clone());
        }
    };
    take("command", &["command", "cmd"]);
    take("args", &["args"]);
    take("cwd", &["cwd"]);
    take("url", &["httpUrl", "url", "uri"]);
    take("env", &["env", "envs"]);
    take("headers", &["headers", "http_headers"]);
    take("description", &["description"]);
    take("timeout_ms", &["timeout_ms"]);
    take("startup_timeout_ms", &["startup_timeout_ms"]);
    take("tools", &["tools"]);
    if !entry.contains_key("command") && !entry.contains_key("url") {
        let kind = given.get("type").and_then(Value::as_str).unwrap_or_default();
        return Err(match kind {
            "" => "It has neither a command nor an address. It cannot be imported.".into(),
            kind => format!("It is built into its own program ({kind}). It cannot be imported."),
        });
    }
    if given.contains_key("envFile") {
        return Err("It reads a file of variables (envFile), which Nova does not. Write them in env.".into());
    }
    let seconds = |keys: &[&str]| {
        let seconds = keys.iter().find_map(|key| given.get(*key)?.as_f64()).filter(|seconds| *seconds > 0.0);
        seconds.map(|seconds| json!((seconds * 1_000.0).min(3_600_000.0).ceil() as u64))
    };
    for (key, value) in [
        ("startup_timeout_ms", seconds(&["startup_timeout_sec"])),
        // goose uses seconds, others milliseconds.
        ("timeout_ms", seconds(&["tool_timeout_sec"])),
    ] {
        if let Some(value) = value {
            entry.entry(key).or_insert(value);
        }
    }
    if given.get("enabled") == Some(&json!(false)) || given.get("disabled") == Some(&json!(true)) {
        entry.insert("enabled".into(), json!(false));
    }
    let choice =
        |key: &str, other: &str| given.get(key).or(given.get(other)).filter(|value| value.is_array());
    for (key, list) in [
        ("allow", choice("enabled_tools", "includeTools")),
        ("deny", choice("disabled_tools", "excludeTools")),
    ] {
        if let Some(list) = list
            && let Some(tools) = entry.entry("tools").or_insert_with(|| json!({})).as_object_mut()
        {
            tools.insert(key.into(), list.clone());
        }
    }
    named_variables(&given, &mut entry);
    for key in ["command", "args", "cwd", "url"] {
        if let Some(reference) = entry.get(key).and_then(reference_in) {
            return Err(format!(
                "{key} has {reference}, which only its own program fills in. Add it with the value in its place."
            ));
        }
    }
    for key in ["env", "headers"] {
        let values = entry.get_mut(key).and_then(Value::as_object_mut);
        for (_, value) in values.into_iter().flatten() {
            if let Some(text) = value.as_str() {
                *value = Value::from(with_credentials(name, text, asks)?);
            }
        }
    }
    Ok(entry)
}

/// Environment variables to pass through, by name.
fn named_variables(given: &Map<String, Value>, entry: &mut Map<String, Value>) {
    let mut add = |place: &str, name: &str, value: String| {
        if let Some(values) = entry.entry(place).or_insert_with(|| json!({})).as_object_mut() {
            values.entry(name).or_insert(Value::from(value));
        }
    };
    for key in ["env_vars", "env_keys"] {
        let names = given.get(key).and_then(Value::as_array).into_iter().flatten();
        for name in names.filter_map(Value::as_str) {
            add("env", name, format!("${{{name}}}"));
        }
    }
    if let Some(name) = given.get("bearer_token_env_var").and_then(Value::as_str) {
        add("headers", "Authorization", format!("Bearer ${{{name}}}"));
    }
    let headers = given.get("env_http_headers").and_then(Value::as_object).into_iter().flatten();
    for (header, name) in headers {
        if let Some(name) = name.as_str() {
            add("headers", header, format!("${{{name}}}"));
        }
    }
}

fn reference_in(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let (_, rest) = text.split_once("${")?;
            Some(format!("${{{}}}", rest.split_once('}')?.0))
        }
        Value::Array(items) => items.iter().find_map(reference_in),
        _ => None,
    }
}

/// Replaces variables and inputs of the other program by credentials of this server.
fn with_credentials(server: &str, text: &str, asks: &mut Vec<String>) -> Result<String, String> {
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((reference, after)) = after.split_once('}') else { break };
        whole.push_str(before);
        rest = after;
        if reference.starts_with("credentials:") {
            whole.push_str(&format!("${{{reference}}}"));
            continue;
        }
        let named = reference.strip_prefix("env:").or(reference.strip_prefix("input:")).unwrap_or(reference);
        match named.split_once(":-") {
            Some((_, usual)) => whole.push_str(usual),
            None => {
                let credential = credential_of(server, named).ok_or_else(|| {
                    format!("It has ${{{reference}}}, which Nova cannot fill in. Replace it.")
                })?;
                whole.push_str(&format!("${{credentials:{credential}}}"));
                asks.push(credential);
            }
        }
    }
    whole.push_str(rest);
    Ok(whole)
}

/// The credential name for a variable of a server.
pub fn credential_of(server: &str, variable: &str) -> Option<String> {
    let service = crate::config::skill_id(server)?;
    let key: String = variable
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' })
        .collect();
    let name: nova_credentials::CredentialName = format!("{service}/{key}").parse().ok()?;
    Some(name.to_string())
}

#[cfg(test)]
mod tests;
