use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use nova_credentials::{CredentialError, CredentialName, Destination, GrantConsumer, Place, Template};
use nova_skill::Effect;
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use url::Url;

/// Default timeouts for starting a server, and for a request without progress.
const START: Duration = Duration::from_secs(30);
const REQUEST: Duration = Duration::from_secs(60);
/// Maximum of a configured timeout.
const LONGEST: Duration = Duration::from_secs(3_600);

/// An entry of `mcpServers`.
#[derive(Clone, PartialEq)]
pub struct ServerConfig {
    /// In the configuration's spelling.
    pub name: String,
    /// Skill id: the name in lower case, hyphenated.
    pub id: String,
    pub way: Way,
    pub description: Option<String>,
    pub enabled: bool,
    /// Timeout of a request without progress.
    pub timeout: Duration,
    pub startup_timeout: Duration,
    pub tools: ToolChoice,
}

/// Transport of a server.
#[derive(Clone, PartialEq)]
pub enum Way {
    Command { program: String, args: Vec<String>, env: BTreeMap<String, Text>, cwd: Option<PathBuf> },
    Address { url: Url, headers: BTreeMap<String, Text>, oauth: GivenSignIn },
}

/// Configured OAuth settings. All are optional: servers publish them.
#[derive(Clone, PartialEq, Default)]
pub struct GivenSignIn {
    pub client_id: Option<String>,
    pub client_secret: Option<Text>,
    pub scopes: Vec<String>,
    /// Loopback port of the redirect URI.
    pub port: Option<u16>,
}

/// A configuration value that may reference credentials.
#[derive(Clone, PartialEq)]
pub struct Text {
    /// The unresolved text, which names secrets but contains none.
    pub written: String,
    pub(crate) template: Template,
}

impl Text {
    /// Substitutes the secrets, which `secret` returns by name.
    ///
    /// # Errors
    /// Errors of `secret`, and when the value cannot be sent.
    pub async fn resolve<F>(
        &self,
        secret: impl Fn(CredentialName) -> F,
    ) -> Result<SecretString, CredentialError>
    where
        F: Future<Output = Result<SecretString, CredentialError>>,
    {
        self.template.resolve(secret).await
    }
}

/// The user's selection of a server's tools, and their effects.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolChoice {
    /// If not empty, only these tools.
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    /// By tool; for all others the effect is undeclared, whatever the server claims.
    pub effects: BTreeMap<String, Effect>,
}

/// Parses `mcpServers`. For an invalid entry, returns its name and a message: the problem, then the remedy.
pub fn read_servers(value: Option<&Value>) -> Vec<Result<ServerConfig, (String, String)>> {
    let mut read: Vec<Result<ServerConfig, (String, String)>> = Vec::new();
    let entries = match value {
        None | Some(Value::Null) => return read,
        Some(Value::Object(entries)) => entries,
        Some(_) => {
            let reason = "mcpServers is not an object. Write each server under its name.";
            return vec![Err(("mcpServers".into(), reason.into()))];
        }
    };
    for (name, entry) in entries {
        let server = ServerConfig::read(name, entry).and_then(|server| {
            match read.iter().flatten().find(|other| other.id == server.id) {
                Some(other) => Err(format!(
                    "The servers \"{}\" and \"{name}\" have the same id. Rename one.",
                    other.name
                )),
                None => Ok(server),
            }
        });
        read.push(server.map_err(|reason| (skill_id(name).unwrap_or_else(|| "mcp-server".into()), reason)));
    }
    read
}

impl ServerConfig {
    /// # Errors
    /// The problem, then the remedy.
    pub fn read(name: &str, entry: &Value) -> Result<Self, String> {
        let at = |key: &str| format!("mcpServers.{name}.{key}");
        let id = skill_id(name).ok_or_else(|| {
            format!(
                "The name \"{name}\" cannot be an id. Use lower-case letters, digits and hyphens, at most 64."
            )
        })?;
        let entry = entry.as_object().ok_or_else(|| {
            format!("mcpServers.{name} is not an object. Write {{\"command\": …}} or {{\"url\": …}}.")
        })?;
        let way = match (entry.get("command"), entry.get("url")) {
            (Some(command), None) => read_command(entry, command, &at)?,
            (None, Some(url)) => read_address(entry, url, &at)?,
            (Some(_), Some(_)) => {
                return Err(format!("mcpServers.{name} has a command and a url. Remove one of them."));
            }
            (None, None) => {
                return Err(format!("mcpServers.{name} has neither a command nor a url. Add one of them."));
            }
        };
        Ok(Self {
            id,
            way,
            description: text(entry, "description", &at)?,
            enabled: match (entry.get("enabled"), entry.get("disabled")) {
                // An alias used by other programs.
                (None, Some(Value::Bool(disabled))) => !disabled,
                (None | Some(Value::Null), _) => true,
                (Some(Value::Bool(enabled)), _) => *enabled,
                _ => return Err(format!("{} is neither true nor false. Correct it.", at("enabled"))),
            },
            timeout: duration(entry, "timeout_ms", REQUEST, &at)?,
            startup_timeout: duration(entry, "startup_timeout_ms", START, &at)?,
            tools: read_tools(entry.get("tools"), &at)?,
            name: name.to_owned(),
        })
    }

    /// Hash of everything that decides what is started or contacted, and with which secrets. The user agrees
    /// to it, and must agree again if it changes.
    pub fn fingerprint(&self) -> String {
        let written = |texts: &BTreeMap<String, Text>| -> BTreeMap<String, String> {
            texts.iter().map(|(name, text)| (name.clone(), text.written.clone())).collect()
        };
        let whole = match &self.way {
            Way::Command { program, args, env, cwd } => {
                json!(["command", self.name, program, args, written(env), cwd])
            }
            Way::Address { url, headers, oauth } if *oauth == GivenSignIn::default() => {
                json!(["url", self.name, url, written(headers)])
            }
            Way::Address { url, headers, oauth } => {
                let secret = oauth.client_secret.as_ref().map(|secret| &secret.written);
                let oauth = json!([oauth.client_id, secret, oauth.scopes, oauth.port]);
                json!(["url", self.name, url, written(headers), oauth])
            }
        };
        blake3::hash(whole.to_string().as_bytes()).to_hex().to_string()
    }

    /// The credentials it references.
    pub fn credentials(&self) -> Vec<CredentialName> {
        let (texts, secret) = match &self.way {
            Way::Command { env, .. } => (env, None),
            Way::Address { headers, oauth, .. } => (headers, oauth.client_secret.as_ref()),
        };
        let mut names: Vec<_> =
            texts.values().chain(secret).flat_map(|text| text.template.references()).cloned().collect();
        names.sort();
        names.dedup();
        names
    }

    /// Consumer and destination for credential grants: exactly this server.
    pub fn grantee(&self) -> (GrantConsumer, Destination) {
        let destination = match &self.way {
            Way::Command { program, args, .. } => {
                Destination::command(program, &args.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Way::Address { url, .. } => Destination::host(url),
        };
        (GrantConsumer::new(format!("server:{}", self.name), &["server", &self.fingerprint()]), destination)
    }

    /// The command as configured, or the host.
    pub fn shown(&self) -> String {
        match &self.way {
            Way::Command { program, args, .. } => {
                std::iter::once(program).chain(args).map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
            }
            Way::Address { url, .. } => url.to_string(),
        }
    }
}

fn quoted(word: &str) -> String {
    let plain =
        !word.is_empty() && word.chars().all(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\'));
    if plain { word.to_owned() } else { format!("{word:?}") }
}

/// Derives the skill id from a server's name.
pub(crate) fn skill_id(name: &str) -> Option<String> {
    let mut id = String::new();
    for c in name.trim().chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => id.push(c),
            '-' | '_' | ' ' | '.' | '/' => id.push('-'),
            _ => return None,
        }
    }
    while id.contains("--") {
        id = id.replace("--", "-");
    }
    let id = id.trim_matches('-');
    (!id.is_empty() && id.len() <= 64).then(|| id.to_owned())
}

fn read_command(
    entry: &Map<String, Value>,
    command: &Value,
    at: &impl Fn(&str) -> String,
) -> Result<Way, String> {
    let words = command.as_str().map(str::trim).filter(|command| !command.is_empty());
    let words = words.ok_or_else(|| format!("{} is not a command. Name a program.", at("command")))?;
    let mut args = texts(entry.get("args"), &at("args"))?;
    let mut program = words.to_owned();
    // Older configurations have the whole command line in one string; but a path may contain spaces.
    if !entry.contains_key("args") && !words.starts_with(['/', '.']) {
        let mut split = split_words(words)
            .ok_or_else(|| format!("{} has a quotation mark that is not closed. Close it.", at("command")))?
            .into_iter();
        program = split.next().unwrap_or_default();
        args.extend(split);
    }
    for word in std::iter::once(&program).chain(&args) {
        Template::parse(Place::Args, word).map_err(|error| match error {
            CredentialError::InArgument { name } => format!(
                "{} holds the credential {name}, and every process can read arguments. Move the secret to env.",
                at("args")
            ),
            error => format!("{}: {error} {}", at("args"), error.hint()),
        })?;
    }
    let cwd = text(entry, "cwd", at)?.map(PathBuf::from);
    if cwd.as_ref().is_some_and(|cwd| !cwd.is_absolute()) {
        return Err(format!("{} is not an absolute path. Write the absolute path.", at("cwd")));
    }
    let env = templates(entry.get("env"), Place::Env, &at("env"))?;
    if let Some(name) = env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        return Err(format!("{}: {name:?} is not a variable name. Correct it.", at("env")));
    }
    Ok(Way::Command { program, args, env, cwd })
}

fn read_address(
    entry: &Map<String, Value>,
    url: &Value,
    at: &impl Fn(&str) -> String,
) -> Result<Way, String> {
    let read = url.as_str().and_then(|url| Url::parse(url.trim()).ok());
    let url =
        read.ok_or_else(|| format!("{} is not an address. Write one such as https://…/mcp.", at("url")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!("{} holds a user name or a password. Move it to headers.", at("url")));
    }
    nova_http::named_server(&url).map_err(|error| format!("{}: {error} {}", at("url"), error.hint()))?;
    let headers = templates(entry.get("headers"), Place::Header, &at("headers"))?;
    let oauth = sign_in::read(entry.get("oauth"), at)?;
    Ok(Way::Address { url, headers, oauth })
}

fn templates(value: Option<&Value>, place: Place, at: &str) -> Result<BTreeMap<String, Text>, String> {
    let entries = match value {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(entries)) => entries,
        Some(_) => return Err(format!("{at} is not an object. Write each value under its name.")),
    };
    let one = |(name, value): (&String, &Value)| {
        let written = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return Err(format!("{at}.{name} is not a string. Write it in quotation marks.")),
        };
        let template = Template::parse(place, &written)
            .map_err(|error| format!("{at}.{name}: {error} {}", error.hint()))?;
        Ok((name.clone(), Text { written, template }))
    };
    entries.iter().map(one).collect()
}

fn read_tools(value: Option<&Value>, at: &impl Fn(&str) -> String) -> Result<ToolChoice, String> {
    let entry = match value {
        None | Some(Value::Null) => return Ok(ToolChoice::default()),
        Some(Value::Object(entry)) => entry,
        Some(_) => return Err(format!("{} is not an object. Write {{\"allow\": […]}}.", at("tools"))),
    };
    let mut effects = BTreeMap::new();
    for (tool, word) in entry.get("effects").and_then(Value::as_object).into_iter().flatten() {
        // A server must not declare note changes: it could only make them behind Nova's back.
        let effect = match word.as_str() {
            Some("read") => Effect::Read,
            Some("external") => Effect::External,
            Some("destructive") => Effect::Destructive,
            Some("send") => Effect::Send,
            _ => {
                let key = at(&format!("tools.effects.{tool}"));
                return Err(format!("{key} must be read, external, destructive or send. Correct it."));
            }
        };
        effects.insert(tool.clone(), effect);
    }
    Ok(ToolChoice {
        allow: texts(entry.get("allow"), &at("tools.allow"))?,
        deny: texts(entry.get("deny"), &at("tools.deny"))?,
        effects,
    })
}

fn text(
    entry: &Map<String, Value>,
    key: &str,
    at: &impl Fn(&str) -> String,
) -> Result<Option<String>, String> {
    match entry.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{} is not a string. Write it in quotation marks.", at(key))),
    }
}

fn texts(value: Option<&Value>, at: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("{at} is not a list of strings. Write [\"…\", \"…\"].");
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

fn duration(
    entry: &Map<String, Value>,
    key: &str,
    default: Duration,
    at: &impl Fn(&str) -> String,
) -> Result<Duration, String> {
    match entry.get(key) {
        None | Some(Value::Null) => Ok(default),
        Some(value) => value
            .as_u64()
            .map(Duration::from_millis)
            .filter(|given| !given.is_zero() && *given <= LONGEST)
            .ok_or_else(|| format!("{} is not a number of milliseconds up to 3600000. Correct it.", at(key))),
    }
}

/// Splits a command line into words, honouring quotes.
fn split_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut open) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (open, c) {
            (Some(mark), c) if c == mark => open = None,
            (None, '"' | '\'') => {
                open = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    open.is_none().then_some(words)
}

mod sign_in;
#[cfg(test)]
mod tests;
