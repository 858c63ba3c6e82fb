//! Errors of providers, worded for the user, with the remedy.

use std::time::Duration;

use nova_error::{ErrorCode, UserError};

/// Why a request to a provider gave no complete answer.
///
/// `Display` is a sentence for the user, [`ProviderError::hint`] the remedy. Neither contains a secret: text
/// from a server is shortened and the key is removed from it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// No connection, or one that closed without an answer.
    #[error("Cannot reach {address}: {reason}")]
    Unreachable {
        /// The provider's id.
        provider: String,
        /// The address of the request.
        address: String,
        /// Whether that address is this machine.
        local: bool,
        /// The system's message.
        reason: String,
    },
    /// The provider requires a key, or another one (401, 403).
    #[error("{provider} {}{}", if *.had_key { "refused the key" } else { "needs a key" }, said(.detail))]
    RefusedKey {
        /// The provider's id.
        provider: String,
        /// Whether a key was sent.
        had_key: bool,
        /// The provider's message, possibly empty.
        detail: String,
    },
    /// Too many requests, or no credit left (429), after retries.
    #[error("{provider} accepts no more requests for now{}", said(.detail))]
    RateLimited {
        /// The provider's id.
        provider: String,
        /// How long the provider asks to wait.
        wait: Option<Duration>,
        /// The provider's message, possibly empty.
        detail: String,
    },
    /// No data arrived for longer than the limit.
    #[error("No answer from the model for {}", span(.after))]
    Timeout {
        /// The limit.
        after: Duration,
    },
    /// The answer took longer than the limit.
    #[error("The answer was incomplete after {}", span(.after))]
    AnswerTimeout {
        /// The provider's id.
        provider: String,
        /// The limit.
        after: Duration,
    },
    /// The answer was aborted because it exceeds a size limit.
    #[error("{provider} ended its answer: {reason}")]
    TooMuch {
        /// The provider's id.
        provider: String,
        /// The exceeded size.
        reason: &'static str,
    },
    /// The answer ended before it was complete.
    #[error("The answer was cut off")]
    Truncated,
    /// The response does not match the provider's kind.
    #[error("{provider} sent an answer Nova cannot use: {reason}")]
    BadResponse {
        /// The provider's id.
        provider: String,
        /// The problem.
        reason: String,
    },
    /// The provider does not offer this model.
    #[error("{provider} has no model `{model}`")]
    ModelNotFound {
        /// The provider's id.
        provider: String,
        /// The requested model.
        model: String,
    },
    /// The model cannot call tools, but the request contains some.
    #[error("`{model}` of {provider} cannot call tools")]
    NoTools {
        /// The provider's id.
        provider: String,
        /// The requested model.
        model: String,
    },
    /// The model does not accept images, but the request contains some.
    #[error("`{model}` of {provider} cannot read images")]
    NoImages {
        /// The provider's id.
        provider: String,
        /// The requested model.
        model: String,
    },
    /// The request is longer than the context that the user set.
    #[error("The context is {context} tokens: a request of about {needed} with {tools} tools does not fit")]
    ContextTooSmall {
        /// The provider's id.
        provider: String,
        /// The configured size, in tokens.
        context: u64,
        /// The estimated tokens of the request.
        needed: u64,
        /// The number of tools.
        tools: usize,
    },
    /// The provider refused the request as longer than the model's context.
    #[error("The request is too long for `{model}` of {provider}{}", said(.detail))]
    TooLong {
        /// The provider's id.
        provider: String,
        /// The requested model.
        model: String,
        /// The model's context size in tokens, if the provider states it.
        context: Option<u64>,
        /// The provider's message, possibly empty.
        detail: String,
    },
    /// The provider returned an error.
    #[error("{provider} failed{}{}", status.map(|code| format!(" ({code})")).unwrap_or_default(), said(.detail))]
    Failed {
        /// The provider's id.
        provider: String,
        /// The HTTP status, if the error has one; `None` within an answer.
        status: Option<u16>,
        /// The provider's message, possibly empty.
        detail: String,
    },
    /// The provider's entry in the configuration cannot be used.
    #[error("The settings of {provider} cannot be used: {reason}")]
    Settings {
        /// The provider's id.
        provider: String,
        /// The problem.
        reason: String,
    },
    /// The caller cancelled the request.
    #[error("Stopped")]
    Cancelled,
}

impl ProviderError {
    /// The error code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Unreachable { .. } => ErrorCode::ProviderUnreachable,
            Self::RefusedKey { .. } => ErrorCode::ProviderRefusedKey,
            Self::RateLimited { .. } => ErrorCode::ProviderRateLimited,
            Self::Timeout { .. } | Self::AnswerTimeout { .. } => ErrorCode::ProviderTimeout,
            Self::Truncated | Self::TooMuch { .. } => ErrorCode::ProviderTruncated,
            Self::BadResponse { .. } => ErrorCode::ProviderBadResponse,
            Self::ModelNotFound { .. } => ErrorCode::UnknownModel,
            Self::NoTools { .. } => ErrorCode::ModelWithoutTools,
            Self::NoImages { .. } => ErrorCode::ModelWithoutImages,
            Self::ContextTooSmall { .. } | Self::TooLong { .. } => ErrorCode::ContextTooSmall,
            Self::Failed { .. } | Self::Settings { .. } => ErrorCode::ProviderFailed,
            Self::Cancelled => ErrorCode::Cancelled,
        }
    }

    /// The remedy for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Unreachable { provider, address, local: true, .. } => format!(
                "Start the model server at {address} (for Ollama: `ollama serve`), or change `base_url` of the provider `{provider}` in nova.config.json."
            ),
            Self::Unreachable { provider, address, local: false, .. } => format!(
                "Check the network and that {address} is right: it is `base_url` of the provider `{provider}` in nova.config.json."
            ),
            Self::RefusedKey { provider, .. } => format!(
                "Set {} to a valid key, or store one with `nova credential set {provider}/key`.",
                key_variable(provider)
            ),
            Self::RateLimited { wait: Some(wait), .. } => {
                format!("Try again in {}, or choose another model.", span(wait))
            }
            Self::RateLimited { wait: None, provider, .. } => format!(
                "Wait a little and try again, check the credit of your {provider} account, or choose another model."
            ),
            Self::Timeout { .. } => {
                "Try again; a large local model may still be loading. A smaller model answers sooner.".into()
            }
            Self::AnswerTimeout { provider, .. } => format!(
                "Ask for less at once, choose a faster model, or raise `answer_timeout` of the provider `{provider}` in nova.config.json."
            ),
            Self::TooMuch { .. } => {
                "Ask for less at once, or choose another model; nothing of the cut answer was run.".into()
            }
            Self::Truncated => "Try again; nothing of the cut answer was run.".into(),
            Self::BadResponse { provider, .. } => format!(
                "Check `kind` and `base_url` of the provider `{provider}` in nova.config.json; for the kind `openai` the address usually ends in /v1, for `gemini` in /v1beta."
            ),
            Self::ModelNotFound { provider, model } => format!(
                "Choose one of the models {provider} lists; with Ollama, `ollama pull {model}` fetches it."
            ),
            Self::NoTools { .. } => {
                "Choose a model that can call tools; the list of models says which cannot.".into()
            }
            Self::NoImages { .. } => {
                "Choose a model that can read images, or send the message without them.".into()
            }
            Self::ContextTooSmall { provider, .. } => format!(
                "Raise `context` of the provider `{provider}` in nova.config.json, or remove it: Nova then \
                 requests what is needed."
            ),
            Self::TooLong { provider, .. } => format!(
                "Edit the message that is too long, start a new chat, choose a model with a larger context, \
                 or set `context` of the provider `{provider}` in nova.config.json to the context of its \
                 models."
            ),
            Self::Failed { .. } => "Try again, or choose another model.".into(),
            Self::Settings { provider, .. } => {
                format!("Change the provider `{provider}` in nova.config.json.")
            }
            Self::Cancelled => String::new(),
        }
    }
}

impl From<&ProviderError> for UserError {
    fn from(error: &ProviderError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}

impl From<ProviderError> for UserError {
    fn from(error: ProviderError) -> Self {
        Self::from(&error)
    }
}

/// The environment variable for a provider's key: `open-router` gives `NOVA_OPEN_ROUTER_KEY`.
pub fn key_variable(provider: &str) -> String {
    let id: String = provider
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    format!("NOVA_{id}_KEY")
}

fn said(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(": {detail}") }
}

fn span(time: &Duration) -> String {
    if time.subsec_millis() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}
