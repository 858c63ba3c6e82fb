use std::fmt;

use serde::{Deserialize, Serialize};

/// The maximum length of the service and of the key, in characters.
const MAX_PART_LENGTH: usize = 64;

/// A credential's name, `service/key`. Each half has 1 to 64 ASCII letters, digits, `_`, `-` and `.`, and
/// starts with a letter or a digit.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CredentialName {
    whole: String,
}

impl CredentialName {
    /// `None` if the text is not a valid name.
    pub(crate) fn checked(text: &str) -> Option<Self> {
        let (service, key) = text.split_once('/')?;
        (is_valid_part(service) && is_valid_part(key)).then(|| Self { whole: text.to_owned() })
    }

    pub fn as_str(&self) -> &str {
        &self.whole
    }

    /// The half before the slash.
    pub fn service(&self) -> &str {
        self.whole.split_once('/').map_or("", |(service, _)| service)
    }

    /// Whether a case-insensitive store would confuse the two.
    pub(crate) fn differs_in_case_only(&self, other: &Self) -> bool {
        self != other && self.whole.eq_ignore_ascii_case(&other.whole)
    }
}

fn is_valid_part(text: &str) -> bool {
    text.len() <= MAX_PART_LENGTH
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

impl From<CredentialName> for String {
    fn from(name: CredentialName) -> Self {
        name.whole
    }
}

impl fmt::Display for CredentialName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.whole)
    }
}

impl fmt::Debug for CredentialName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_a_service_and_a_key() {
        for name in ["openai/key", "research-assistant/FINNHUB_API_KEY", "a/b", "x.y/1"] {
            assert!(name.parse::<CredentialName>().is_ok(), "{name}");
        }
        let long = format!("{}/key", "a".repeat(65));
        for name in [
            "", "/", "openai", "openai/", "/key", "a/b/c", "../key", "a/..", ".a/b", "a b/c", "a/b\n", "ä/b",
            "a/b\0", "-a/b", "a\\b/c", &long,
        ] {
            assert!(name.parse::<CredentialName>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn invalid_name_is_not_repeated_in_the_error() {
        let error = "sk-canary-000".parse::<CredentialName>().expect_err("no name");
        assert!(!format!("{error} {error:?} {}", error.hint()).contains("canary"));
    }
}
