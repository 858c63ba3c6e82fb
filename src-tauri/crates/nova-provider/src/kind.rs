//! Which APIs Nova speaks.

use std::fmt;

use crate::{anthropic, ollama, openai};

/// The API by which a provider is spoken to: the `kind` of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ProviderKind {
    /// `openai`: the API of OpenAI and of the many servers that copy it.
    #[default]
    OpenAi,
    /// `anthropic`: its Messages.
    Anthropic,
    /// `ollama`: its own chat.
    Ollama,
    /// None that Nova knows, as it is written. [`connect`](crate::connect) refuses it by that name.
    Unknown(String),
}

impl ProviderKind {
    /// As the configuration has it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
            Self::Unknown(written) => written,
        }
    }

    /// Where a provider of this kind is when nothing else is configured.
    pub fn default_address(&self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some(openai::DEFAULT_ADDRESS),
            Self::Anthropic => Some(anthropic::DEFAULT_ADDRESS),
            Self::Ollama => Some(ollama::DEFAULT_ADDRESS),
            Self::Unknown(_) => None,
        }
    }
}

impl From<&str> for ProviderKind {
    fn from(written: &str) -> Self {
        let known = [Self::OpenAi, Self::Anthropic, Self::Ollama];
        known
            .into_iter()
            .find(|kind| kind.as_str() == written)
            .unwrap_or_else(|| Self::Unknown(written.to_owned()))
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
        for (written, kind) in [
            ("openai", ProviderKind::OpenAi),
            ("anthropic", ProviderKind::Anthropic),
            ("ollama", ProviderKind::Ollama),
            ("Ollama", ProviderKind::Unknown("Ollama".into())),
            ("", ProviderKind::Unknown(String::new())),
        ] {
            assert_eq!(ProviderKind::from(written), kind);
            assert_eq!(kind.to_string(), written);
            assert_eq!(kind.default_address().is_none(), matches!(kind, ProviderKind::Unknown(_)));
        }
    }
}
