use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest service, and the longest key, in characters.
const LONGEST: usize = 64;

/// `service/key`: what a credential is called. Each half is 1 to 64 ASCII letters, digits, `_`,
/// `-` and `.`, and starts with a letter or a digit.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CredentialName {
    whole: String,
}

impl CredentialName {
    /// `None` where the text is no such name.
    pub(crate) fn checked(text: &str) -> Option<Self> {
        let (service, key) = text.split_once('/')?;
        (is_half(service) && is_half(key)).then(|| Self { whole: text.to_owned() })
    }

    pub fn as_str(&self) -> &str {
        &self.whole
    }

    /// What it is for: the half before the slash.
    pub fn service(&self) -> &str {
        self.whole.split_once('/').map_or("", |(service, _)| service)
    }

    /// Whether a system that takes capital and small letters as one would mix the two up.
    pub(crate) fn differs_in_case_only(&self, other: &Self) -> bool {
        self != other && self.whole.eq_ignore_ascii_case(&other.whole)
    }
}

fn is_half(text: &str) -> bool {
    text.len() <= LONGEST
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
    fn what_is_no_name_is_not_repeated() {
        let error = "sk-canary-000".parse::<CredentialName>().expect_err("no name");
        assert!(!format!("{error} {error:?} {}", error.hint()).contains("canary"));
    }
}
