//! What can go wrong with a provider, said to a person, with the remedy.

use std::time::Duration;

use nova_error::{ErrorCode, UserError};

/// Why a request to a provider gave no complete answer.
///
/// `Display` is a sentence for the user, [`ProviderError::hint`] the remedy. Neither holds a
/// secret: text from a server is shortened and the key is cut out of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// No connection, or one that closed without an answer.
    #[error("Cannot reach {address}: {reason}")]
    Unreachable {
        /// The provider's id.
        provider: String,
        /// The address tried.
        address: String,
        /// Whether that address is this machine.
        local: bool,
        /// What the system said.
        reason: String,
    },
    /// The provider wants a key, or another one (401, 403).
    #[error("{provider} {}{}", if *.had_key { "refused the key" } else { "needs a key" }, said(.detail))]
    RefusedKey {
        /// The provider's id.
        provider: String,
        /// Whether a key was sent.
        had_key: bool,
        /// What the provider said, possibly empty.
        detail: String,
    },
    /// Too many requests, or no credit left (429), also after trying again.
    #[error("{provider} accepts no more requests for now{}", said(.detail))]
    RateLimited {
        /// The provider's id.
        provider: String,
        /// How long the provider asks to wait.
        wait: Option<Duration>,
        /// What the provider said, possibly empty.
        detail: String,
    },
    /// Nothing arrived for longer than the limit.
    #[error("No answer from the model for {}", span(.after))]
    Timeout {
        /// The limit.
        after: Duration,
    },
    /// The answer went on for longer than the limit.
    #[error("The answer was incomplete after {}", span(.after))]
    AnswerTimeout {
        /// The provider's id.
        provider: String,
        /// The limit.
        after: Duration,
    },
    /// The answer was ended because it is larger than any may be.
    #[error("{provider} ended its answer: {reason}")]
    TooMuch {
        /// The provider's id.
        provider: String,
        /// What there is too much of.
        reason: &'static str,
    },
    /// The answer stopped in the middle.
    #[error("The answer was cut off")]
    Truncated,
    /// Something answered, but not in the way the provider's kind does.
    #[error("{provider} sent an answer Nova cannot use: {reason}")]
    BadResponse {
        /// The provider's id.
        provider: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The provider does not offer this model.
    #[error("{provider} has no model `{model}`")]
    ModelNotFound {
        /// The provider's id.
        provider: String,
        /// The model asked for.
        model: String,
    },
    /// The model cannot call tools, and the request has some.
    #[error("`{model}` of {provider} cannot call tools")]
    NoTools {
        /// The provider's id.
        provider: String,
        /// The model asked.
        model: String,
    },
    /// The model cannot look at images, and the request has some.
    #[error("`{model}` of {provider} cannot look at images")]
    NoImages {
        /// The provider's id.
        provider: String,
        /// The model asked.
        model: String,
    },
    /// The request is longer than the context that the user set.
    #[error("The context is {context} tokens: a request of about {needed} with {tools} tools does not fit")]
    ContextTooSmall {
        /// The provider's id.
        provider: String,
        /// The size set, in tokens.
        context: u64,
        /// About how many tokens the request has.
        needed: u64,
        /// How many tools it has.
        tools: usize,
    },
    /// The provider says that the request is longer than the model's context.
    #[error("The request is too long for `{model}` of {provider}{}", said(.detail))]
    TooLong {
        /// The provider's id.
        provider: String,
        /// The model asked.
        model: String,
        /// What it takes in, in tokens, where the provider names that.
        context: Option<u64>,
        /// What the provider said, possibly empty.
        detail: String,
    },
    /// The provider answered with an error of its own.
    #[error("{provider} failed{}{}", status.map(|code| format!(" ({code})")).unwrap_or_default(), said(.detail))]
    Failed {
        /// The provider's id.
        provider: String,
        /// The HTTP status, if the failure was one; none in the middle of an answer.
        status: Option<u16>,
        /// What the provider said, possibly empty.
        detail: String,
    },
    /// The provider's entry in the configuration cannot be used.
    #[error("The settings of {provider} cannot be used: {reason}")]
    Settings {
        /// The provider's id.
        provider: String,
        /// What is wrong with them.
        reason: String,
    },
    /// The caller stopped the request.
    #[error("Stopped")]
    Cancelled,
}

impl ProviderError {
    /// The case of the error for programs.
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

    /// What the user can do about it.
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
                "Choose a model that can look at images, or send the message without them.".into()
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

/// The variable that holds a provider's key: `open-router` gives `NOVA_OPEN_ROUTER_KEY`.
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
