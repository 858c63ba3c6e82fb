mod calendars;
mod providers;
mod reminders;
mod secrets;
mod workspaces;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nova_credentials::CredentialName;
use nova_mcp::ServerConfig;
use nova_protocol::{Appearance, ConfigProblemView, ErrorCode, Theme, UserError};
use nova_registry::Settings;
use serde_json::{Map, Value};

use self::secrets::refuse_secrets;
use crate::credentials::SignIn;

pub(crate) use self::providers::ProviderConfig;
pub(crate) use self::reminders::RemindersConfig;
pub(crate) use self::secrets::{is_secret, secret_in_server, without_references, without_secrets};
pub(crate) use self::workspaces::WorkspaceConfig;

/// `nova.config.json`, raw and parsed. Unknown keys are retained.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    root: Map<String, Value>,
    pub vault: Option<PathBuf>,
    pub providers: Vec<ProviderConfig>,
    /// `provider/model`
    pub model: Option<String>,
    /// Models listed first, as `provider/model`.
    pub favourites: Vec<String>,
    /// As set by the user; see also [`Config::skills_in_force`].
    pub skills: Settings,
    /// External calendars, as configuration of the calendar skill.
    calendars: Vec<Value>,
    pub private: Vec<String>,
    /// Vaults whose skills are loaded.
    pub trusted_vaults: Vec<PathBuf>,
    pub appearance: Appearance,
    pub(crate) reminders: RemindersConfig,
    /// Closing the window hides it.
    pub keep_running: bool,
    /// Credentials that are got by signing in as the user describes it.
    sign_ins: BTreeMap<CredentialName, SignIn>,
    /// Recently open vaults including the current one, newest first.
    pub recent_vaults: Vec<RecentVaultConfig>,
    /// Folders outside of the vault that links at its top level may lead to.
    pub roots: Vec<PathBuf>,
    /// Retention of the history.
    pub history: nova_vault::Limits,
    /// Write notes with several hard links in place.
    pub write_through: bool,
    /// Folders outside of the vault that tools may access.
    pub workspaces: Vec<WorkspaceConfig>,
    /// Disables automatic activation of a skill by a request that is clearly about it.
    pub router_off: bool,
}

/// "http://127.0.0.1:1234/v1" → "127.0.0.1:1234"
pub(crate) fn host_of(address: &str) -> String {
    url::Url::parse(address)
        .ok()
        .and_then(|url| Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?)))
        .unwrap_or_else(|| address.to_owned())
}

/// An entry of `recent_vaults`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentVaultConfig {
    pub path: PathBuf,
    /// RFC 3339.
    pub opened: Option<String>,
    /// When the folder was first found missing, RFC 3339.
    pub missing_since: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("{file}, line {line}: {reason}.")]
    Syntax { file: String, line: u32, reason: String },
    #[error("{file}: {key} {reason}.")]
    Shape { file: String, key: String, reason: String },
    #[error("{file}: {key} holds a secret as plain text.")]
    LiteralSecret { file: String, key: String, remedy: String },
    #[error("{file}: {reason}.")]
    Io { file: String, reason: String },
}

impl Config {
    /// Reads the file; a missing one is an empty configuration.
    ///
    /// # Errors
    /// With the file, and the line or key of the problem.
    pub fn read(file: &Path) -> Result<Self, ConfigError> {
        let name = file.display().to_string();
        let text = match nova_files::read_text(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(ConfigError::Io { file: name, reason: error.to_string() }),
        };
        Self::parse(&name, &text)
    }

    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, ConfigError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let value: Value = serde_json::from_str(text).map_err(|error| ConfigError::Syntax {
            file: file.to_owned(),
            line: u32::try_from(error.line()).unwrap_or(1),
            reason: error.to_string(),
        })?;
        let Value::Object(root) = value else {
            return Err(shape(file, "the file", "must be a JSON object"));
        };
        refuse_secrets(file, &root)?;
        let text_at = |key: &str| match root.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(shape(file, key, "must be a string")),
        };
        let switch = |key: &str, default: bool| match root.get(key) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Bool(on)) => Ok(*on),
            Some(_) => Err(shape(file, key, "must be true or false")),
        };
        Ok(Self {
            vault: text_at("vault")?.map(PathBuf::from),
            model: text_at("model")?,
            favourites: texts(file, "favourites", root.get("favourites"))?,
            providers: providers::read(file, root.get("providers"))?,
            skills: crate::skill_settings::read(root.get("skills"))
                .map_err(|(key, why)| shape(file, &key, &why))?,
            calendars: calendars::read(root.get("calendars"))
                .map_err(|(key, why)| shape(file, &key, &why))?,
            roots: roots(file, root.get("roots"))?,
            private: texts(file, "private", root.get("private"))?,
            trusted_vaults: texts(file, "trusted_vaults", root.get("trusted_vaults"))?
                .into_iter()
                .map(PathBuf::from)
                .collect(),
            history: history(file, root.get("history"))?,
            recent_vaults: recent_vaults(root.get("recent_vaults")),
            appearance: appearance(root.get("appearance")),
            reminders: reminders::read(root.get("reminders"))
                .map_err(|(key, why)| shape(file, &key, &why))?,
            keep_running: switch("keep_running", false)?,
            write_through: switch("write_through", false)?,
            workspaces: workspaces::read(root.get("workspaces"))
                .map_err(|(key, why)| shape(file, &key, &why))?,
            router_off: !switch("router", true)?,
            sign_ins: crate::credentials::read_sign_ins(root.get("sign_ins"))
                .map_err(|(key, why)| shape(file, &key, &why))?,
            root,
        })
    }

    /// Changes keys of the file and leaves all others as they are, including concurrent edits by others.
    ///
    /// # Errors
    /// When the file is invalid or cannot be written; it is not changed then.
    pub fn change(file: &Path, edit: impl Fn(&mut Map<String, Value>)) -> Result<Self, ConfigError> {
        let name = file.display().to_string();
        let io = |error: std::io::Error| ConfigError::Io { file: name.clone(), reason: error.to_string() };
        crate::own_files::change(file, io, || {
            let mut root = Self::read(file)?.root;
            edit(&mut root);
            let mut text = serde_json::to_string_pretty(&root).unwrap_or_default();
            text.push('\n');
            let config = Self::parse(&name, &text)?;
            Ok((text.into_bytes(), config))
        })
    }

    /// The entries of `mcpServers`; for an invalid one its id and the reason.
    pub(crate) fn mcp_servers(&self) -> Vec<Result<ServerConfig, (String, String)>> {
        nova_mcp::read_servers(self.root.get("mcpServers"))
    }

    /// `skills` merged with the settings of other keys for skills.
    pub fn skills_in_force(&self) -> Settings {
        calendars::given_to_skill(self.skills.clone(), &self.calendars)
    }

    /// Credentials that are got by signing in. The provider that an entry names comes before what the user describes.
    pub(crate) fn sign_ins_in_force(&self) -> BTreeMap<CredentialName, SignIn> {
        let mut all = self.sign_ins.clone();
        let known = crate::credentials::known_sign_ins(&self.skills_in_force());
        all.extend(known.into_iter().map(|(name, known)| (name, SignIn::Known(known))));
        all
    }

    /// The raw contents of the file.
    pub(crate) fn whole(&self) -> &Map<String, Value> {
        &self.root
    }

    /// Unknown top-level keys.
    pub fn unknown_keys(&self) -> Vec<&str> {
        const KNOWN: &[&str] = &[
            "vault",
            "recent_vaults",
            "roots",
            "history",
            "providers",
            "model",
            "favourites",
            "mcpServers",
            "skills",
            "private",
            "trusted_vaults",
            "appearance",
            "reminders",
            "keep_running",
            "write_through",
            "router",
            "sign_ins",
            "workspaces",
            "calendars",
        ];
        self.root.keys().map(String::as_str).filter(|key| !KNOWN.contains(key)).collect()
    }
}

impl ConfigError {
    pub(crate) fn line(&self) -> Option<u32> {
        match self {
            Self::Syntax { line, .. } => Some(*line),
            _ => None,
        }
    }

    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::LiteralSecret { remedy, .. } => remedy.clone(),
            Self::Io { .. } => "Make the file readable and writable.".into(),
            _ => "Correct the file; the last good settings stay in use until then.".into(),
        }
    }
}

impl From<ConfigError> for UserError {
    fn from(error: ConfigError) -> Self {
        let code = match error {
            ConfigError::LiteralSecret { .. } => ErrorCode::LiteralSecret,
            ConfigError::Io { .. } => ErrorCode::Io,
            ConfigError::Syntax { .. } | ConfigError::Shape { .. } => ErrorCode::ConfigBroken,
        };
        Self::new(code, error.to_string(), error.remedy())
    }
}

impl ConfigError {
    /// The problem for the user, with the file's full path.
    pub(crate) fn problem(&self, file: &Path) -> ConfigProblemView {
        ConfigProblemView {
            file: file.display().to_string(),
            line: self.line(),
            message: format!("{self} {}", self.remedy()),
        }
    }
}

fn shape(file: &str, key: &str, reason: &str) -> ConfigError {
    ConfigError::Shape { file: file.to_owned(), key: key.to_owned(), reason: reason.to_owned() }
}

fn texts(file: &str, key: &str, value: Option<&Value>) -> Result<Vec<String>, ConfigError> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let wrong = || shape(file, key, "must be a list of strings");
    value
        .as_array()
        .ok_or_else(wrong)?
        .iter()
        .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
        .collect()
}

fn roots(file: &str, value: Option<&Value>) -> Result<Vec<PathBuf>, ConfigError> {
    let roots: Vec<_> = texts(file, "roots", value)?.into_iter().map(PathBuf::from).collect();
    match roots.iter().all(|root| root.is_absolute()) {
        true => Ok(roots),
        // A relative path would depend on the directory in which Nova was started.
        false => Err(shape(file, "roots", "must be a list of absolute paths")),
    }
}

/// Allowed retention in days and bytes.
pub(crate) const HISTORY_DAYS: std::ops::RangeInclusive<u32> = 1..=3650;
pub(crate) const HISTORY_BYTES: std::ops::RangeInclusive<u64> = 10_000_000..=1_000_000_000_000;

fn history(file: &str, value: Option<&Value>) -> Result<nova_vault::Limits, ConfigError> {
    let usual = nova_vault::Limits::default();
    let Some(value) = value else { return Ok(usual) };
    let number = |key: &str| match value.get(key) {
        None => Ok(None),
        Some(number) => number
            .as_u64()
            .map(Some)
            .ok_or_else(|| shape(file, &format!("history.{key}"), "must be a number")),
    };
    let days = number("days")?.map(|days| u32::try_from(days).unwrap_or(u32::MAX));
    let bytes = number("bytes")?;
    if days.is_some_and(|days| !HISTORY_DAYS.contains(&days)) {
        return Err(shape(file, "history.days", "must be 1 to 3650"));
    }
    if bytes.is_some_and(|bytes| !HISTORY_BYTES.contains(&bytes)) {
        return Err(shape(file, "history.bytes", "must be 10 MB to 1,000 GB"));
    }
    Ok(nova_vault::Limits {
        days: days.map_or(usual.days, i64::from),
        bytes: bytes.unwrap_or(usual.bytes),
        ..usual
    })
}

/// Nova maintains this list itself, so an invalid entry is skipped rather than an error.
fn recent_vaults(value: Option<&Value>) -> Vec<RecentVaultConfig> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    let entry = |entry: &Value| {
        let text = |key: &str| entry[key].as_str().map(str::to_owned);
        let path = PathBuf::from(text("path")?);
        Some(RecentVaultConfig { path, opened: text("opened"), missing_since: text("missing_since") })
    };
    entries.filter_map(entry).collect()
}

fn appearance(value: Option<&Value>) -> Appearance {
    let default = Appearance::default();
    let Some(value) = value else { return default };
    Appearance {
        theme: match value["theme"].as_str() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::System,
        },
        text_size: value["text_size"]
            .as_u64()
            .and_then(|size| u8::try_from(size).ok())
            .filter(|size| (12..=18).contains(size))
            .unwrap_or(default.text_size),
        activity_line: value["activity_line"].as_bool().unwrap_or(default.activity_line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_a_line() {
        let error =
            Config::parse("nova.config.json", "{\n  \"vault\": \"x\",\n  oops\n}").expect_err("broken");
        assert_eq!(error.line(), Some(3));
    }

    #[test]
    fn literal_secrets_are_refused_with_key_and_remedy() {
        let refused = [
            r#"{"providers":[{"id":"openai","kind":"openai","api_key":"abcdefghijkl"}]}"#,
            r#"{"providers":[{"id":"openai","kind":"openai","headers":{"Authorization":"Bearer abcdefghijkl"}}]}"#,
            r#"{"mcpServers":{"gh":{"command":"x","env":{"ANY":"ghp_0123456789"}}}}"#,
            r#"{"mcpServers":{"gh":{"command":"x","args":["--token=abcdefghijkl"]}}}"#,
            r#"{"mcpServers":{"gh":{"command":"x","args":["--api-key","abcdefghijkl"]}}}"#,
            r#"{"mcpServers":{"gh":{"command":"x","args":["ghp_0123456789"]}}}"#,
            r#"{"providers":[{"id":"o","kind":"openai","api_key":"${credentials:o/key}abcdefghijkl"}]}"#,
            r#"{"providers":[{"id":"o","kind":"openai","api_key":"${abcdefghijkl"}]}"#,
        ];
        for text in refused {
            let error = Config::parse("f", text).expect_err(text);
            assert!(matches!(error, ConfigError::LiteralSecret { .. }), "{error}");
        }
        let accepted = [
            r#"{"mcpServers":{"gh":{"command":"x","args":["--no-token","--verbose","--token-file","/a"]}}}"#,
            r#"{"providers":[{"id":"o","kind":"ollama","api_key":"abcdefghijkl"}]}"#,
            r#"{"providers":[{"id":"o","kind":"openai","api_key":"${credentials:o/key}"}]}"#,
            r#"{"providers":[{"id":"o","kind":"openai","api_key":"short"}]}"#,
            r#"{"providers":[{"id":"o","kind":"openai","headers":{"Authorization":"Token ${credentials:o/key}"}}]}"#,
        ];
        for text in accepted {
            assert!(Config::parse("f", text).is_ok(), "{text}");
        }
    }

    #[test]
    fn write_through_is_off_by_default() {
        for (text, on) in
            [("{}", false), (r#"{"write_through":true}"#, true), (r#"{"write_through":null}"#, false)]
        {
            let config = Config::parse("f", text).expect(text);
            assert_eq!((config.write_through, config.unknown_keys()), (on, Vec::new()), "{text}");
        }
        let error = Config::parse("f", r#"{"write_through":"yes"}"#).expect_err("a text");
        assert_eq!(error.to_string(), "f: write_through must be true or false.");
    }

    #[test]
    fn extra_roots_must_be_absolute() {
        let read = |text: &str| Config::parse("f", text);
        let whole = std::env::temp_dir().join("Team");
        let config = read(&serde_json::json!({ "roots": [whole] }).to_string()).expect("an absolute path");
        assert_eq!((config.roots, config.root.len()), (vec![whole], 1));
        assert_eq!(read("{}").expect("none").roots, Vec::<PathBuf>::new());
        for wrong in [r#"{"roots":["Team"]}"#, r#"{"roots":["~/Team"]}"#, r#"{"roots":"Team"}"#] {
            let error = read(wrong).expect_err(wrong).to_string();
            assert!(error.starts_with("f: roots must be a list of "), "{error}");
        }
    }

    #[test]
    fn change_keeps_unknown_keys_and_their_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("nova.config.json");
        std::fs::write(&file, "{\"zebra\": 1, \"model\": \"a/b\", \"apple\": {\"x\": [1]}}")
            .expect("written");
        let config = Config::change(&file, |root| {
            root.insert("model".into(), Value::String("c/d".into()));
        })
        .expect("changed");
        assert_eq!(config.model.as_deref(), Some("c/d"));
        assert_eq!(config.unknown_keys(), ["zebra", "apple"]);
        let text = std::fs::read_to_string(&file).expect("there");
        let places: Vec<_> = ["zebra", "model", "apple"].iter().map(|key| text.find(key)).collect();
        assert!(places.is_sorted() && places[0].is_some(), "{text}");
    }

    #[test]
    fn broken_file_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("nova.config.json");
        std::fs::write(&file, "{ broken").expect("written");
        assert!(Config::change(&file, |root| root.clear()).is_err());
        assert_eq!(std::fs::read_to_string(&file).expect("there"), "{ broken");
    }
}
