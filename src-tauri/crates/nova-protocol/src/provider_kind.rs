//! The provider APIs that Nova supports.

use std::fmt;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The API of a provider: the `kind` of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(from = "String", into = "String")]
pub enum ProviderKind {
    /// The chat completions of OpenAI and of the many servers that copy them.
    #[default]
    #[ts(rename = "openai")]
    OpenAi,
    /// OpenAI's Responses.
    #[ts(rename = "openai_responses")]
    OpenAiResponses,
    /// Anthropic's Messages.
    #[ts(rename = "anthropic")]
    Anthropic,
    /// Google's `generateContent`.
    #[ts(rename = "gemini")]
    Gemini,
    /// Ollama's own chat.
    #[ts(rename = "ollama")]
    Ollama,
    /// An unknown kind, as written. Connecting refuses it, so it occurs only
    /// in rows with a problem.
    #[ts(skip)]
    Unknown(String),
}

impl ProviderKind {
    /// All supported kinds.
    pub const KNOWN: [Self; 5] =
        [Self::OpenAi, Self::OpenAiResponses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The kind as written in the configuration.
    pub fn as_str(&self) -> &str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Unknown(written) => written,
        }
    }

    /// The list for errors: "openai, openai_responses, anthropic, gemini or ollama".
    pub fn choices() -> String {
        let names: Vec<&str> = Self::KNOWN.iter().map(Self::as_str).collect();
        match names.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

impl From<&str> for ProviderKind {
    fn from(written: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|kind| kind.as_str() == written);
        known.unwrap_or_else(|| Self::Unknown(written.to_owned()))
    }
}

impl From<String> for ProviderKind {
    fn from(written: String) -> Self {
        written.as_str().into()
    }
}

impl From<ProviderKind> for String {
    fn from(kind: ProviderKind) -> Self {
        kind.as_str().to_owned()
    }
}

impl fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_is_written_as_it_was_read() {
        let unknown = ["Ollama", "", "gopher"].map(|written| ProviderKind::Unknown(written.into()));
        for kind in ProviderKind::KNOWN.into_iter().chain(unknown) {
            assert_eq!(ProviderKind::from(kind.as_str()), kind);
            let json = serde_json::to_value(&kind).expect("JSON");
            assert_eq!(json, kind.as_str());
            assert_eq!(serde_json::from_value::<ProviderKind>(json).expect("a kind"), kind);
        }
    }

    #[test]
    fn typescript_has_exactly_the_known_kinds() {
        let names: Vec<String> =
            ProviderKind::KNOWN.iter().map(|kind| format!("\"{}\"", kind.as_str())).collect();
        assert_eq!(ProviderKind::inline(&ts_rs::Config::default()), names.join(" | "));
    }

    #[test]
    fn choices_are_a_sentence() {
        assert_eq!(ProviderKind::choices(), "openai, openai_responses, anthropic, gemini or ollama");
    }
}
