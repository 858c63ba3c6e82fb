//! Commands that the user configured for a skill, which run with the user's own rights.

use std::time::Duration;

use serde_json::Value;

/// Default time limit of a command, in minutes.
const MINUTES: u64 = 10;
/// Maximum configurable time limit, in minutes.
const LONGEST: u64 = 120;

/// A command in the configuration of a skill. `deploy` is configured by the keys `deploy_command`, a list of
/// words; `deploy_folder`; `deploy_environment`, the names of variables passed on from Nova's environment;
/// and `deploy_minutes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredCommand {
    /// The program and its arguments; never empty.
    pub words: Vec<String>,
    /// An absolute path, or one below `~/`; defaults to the user's home folder.
    pub folder: String,
    pub environment: Vec<String>,
    pub time_limit: Duration,
}

/// The input that a call passes to its command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandInput {
    /// Written to its standard input, which is then closed.
    pub stdin: Vec<u8>,
    /// Additional environment variables.
    pub variables: Vec<(String, String)>,
}

impl ConfiguredCommand {
    /// The time limit of a tool that runs such a command: its
    /// [`NativeTool::TIME_LIMIT`](crate::NativeTool::TIME_LIMIT).
    pub const TIME_LIMIT: Duration = Duration::from_secs(LONGEST * 60 + 60);

    /// Returns `None` if it is not configured.
    pub fn of(config: &Value, name: &str) -> Option<Self> {
        let at = |part: &str| config.get(format!("{name}_{part}"));
        let texts = |part: &str| -> Vec<String> {
            let all = at(part).and_then(Value::as_array).into_iter().flatten();
            all.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let words = texts("command");
        let minutes = at("minutes").and_then(Value::as_u64).unwrap_or(MINUTES).clamp(1, LONGEST);
        words.first().is_some_and(|program| !program.trim().is_empty()).then(|| Self {
            folder: at("folder").and_then(Value::as_str).unwrap_or("~").to_owned(),
            environment: texts("environment"),
            time_limit: Duration::from_secs(minutes * 60),
            words,
        })
    }

    /// The reason why a tool without its command is unavailable: see
    /// [`NativeTool::unavailable`](crate::NativeTool::unavailable).
    pub fn missing(config: &Value, skill: &str, name: &str) -> Option<String> {
        Self::of(config, name).is_none().then(|| {
            format!(
                "No command is set. Set skills.{skill}.config.{name}_command in nova.config.json, or in Settings, Skills."
            )
        })
    }

    /// The words quoted as for a shell, as shown on a card.
    pub fn shown(&self) -> String {
        self.words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,~".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn command_is_read_from_its_keys() {
        let config = json!({
            "deploy_command": ["./deploy.sh", "to production"], "deploy_folder": "~/site",
            "deploy_environment": ["FLY_API_TOKEN"], "deploy_minutes": 30, "send_command": ["mail"],
        });
        let command = ConfiguredCommand::of(&config, "deploy").expect("a command");
        assert_eq!(
            command,
            ConfiguredCommand {
                words: vec!["./deploy.sh".into(), "to production".into()],
                folder: "~/site".into(),
                environment: vec!["FLY_API_TOKEN".into()],
                time_limit: Duration::from_secs(1800),
            }
        );
        assert_eq!(command.shown(), "./deploy.sh 'to production'");
        let other = ConfiguredCommand::of(&config, "send").expect("a command");
        assert_eq!((other.folder.as_str(), other.time_limit.as_secs()), ("~", 600));
    }

    #[test]
    fn missing_command_is_reported_with_its_key() {
        for config in [json!({}), json!({"deploy_command": []}), json!({"deploy_command": [" "]})] {
            let why = ConfiguredCommand::missing(&config, "release-management", "deploy").expect("a reason");
            assert!(why.contains("skills.release-management.config.deploy_command"), "{why}");
        }
        assert_eq!(ConfiguredCommand::missing(&json!({"deploy_command": ["a"]}), "x", "deploy"), None);
    }

    #[test]
    fn unusual_words_are_quoted() {
        for (word, shown) in
            [("", "''"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("$(rm)", "'$(rm)'"), ("-p", "-p")]
        {
            assert_eq!(quoted(word), shown);
        }
    }
}
