//! Models behind one trait: turns one request into a stream of events from a model.
//!
//! It never runs a tool, never reads the environment, never retries after the first byte of an
//! answer, and is given a function that returns a secret, never the store that keeps it.
//!
//! A dialect (the shape of requests and answers on the wire) is one module; what a dialect must
//! carry from one step to the next without anybody else understanding it (signatures of
//! reasoning, for instance) travels in [`Completed::provider_data`] and
//! [`Message::Assistant::provider_data`].
//!
//! Deliberately absent: the environment's proxy variables (a proxy is a setting), redirects (a
//! key would follow them), compressed answers (a small one can unpack to gigabytes).
//!
//! # Invariants
//!
//! - A stream ends in one `End` or one error. A cut, garbled or endless answer is an error, and a cut call never
//!   runs: `tests/provider/endings.rs`, `tests/provider/streams.rs`, `tests/provider/calls.rs`.
//! - `encode` of a longer conversation begins with the bytes of the shorter one, because providers cache by prefix:
//!   `tests/provider/requests.rs`.
//! - A key goes to its provider's address only and is never printed: `tests/provider/secrets.rs`.
//! - Tools that arrive with an activation are sent in the message that activates the skill where the dialect supports
//!   it (`defers_tools`), so the tools before it keep their bytes: `tests/journeys/keeping_requests_small.rs`.
//!   The output of any other call loads nothing.
//! - Schema keys for forms (`x-…`, `format: decimal`) reach no model: `src/schema.rs`.
//! - A schema that is reduced for Gemini refuses nothing that the whole one accepts: `tests/provider/gemini/schema.rs`.
//! - A server on this machine is asked whether it passes a model on, in whatever dialect it is addressed:
//!   `tests/provider/listings.rs`.
//!
//! Ollama is addressed by its own API because only that sets the context size; without it the server silently cuts
//! off the tools.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

mod anthropic;
mod carried;
mod detect;
mod error;
mod event;
mod gemini;
mod http;
mod image;
mod ollama;
mod openai;
mod openai_responses;
mod passing_on;
mod read;
mod request;
mod said;
mod schema;
mod settings;
mod sse;
mod wire_ids;

pub use detect::detect;
pub use error::{ProviderError, key_variable};
pub use event::{ChatEvent, ChatStream, Completed, FinishReason, Usage};
pub use image::{Image, ImageError, image_tokens};
pub use nova_protocol::ProviderKind;
pub use request::{ChatRequest, Loads, Message, ToolCall, ToolChoice, ToolDefinition};
pub use schema::normalise_schema;
pub use settings::{
    Backoff, Limits, Locality, ProviderSettings, SecretSource, Thinking, default_backoff, locality_of,
};

/// A service that runs models.
#[async_trait]
pub trait Provider: Send + Sync {
    /// The id the user gave it in the configuration, the part before `/` in `provider/model`.
    fn id(&self) -> &str;

    /// Whether what is sent stays on this machine. A local server may still pass single models
    /// on: see [`ModelInfo::runs_at`].
    fn locality(&self) -> Locality;

    /// The models offered, in the provider's order.
    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError>;

    /// What its server says of one model, asked anew where it may pass models on to another machine.
    async fn model(&self, _id: &str, _cancel: &CancellationToken) -> Result<Asked, ProviderError> {
        Ok(Asked::PassesNothingOn)
    }

    /// Sends one request and returns the answer as it arrives.
    ///
    /// The stream ends after one [`ChatEvent::End`] or one error, whichever comes first.
    /// Cancelling, or dropping the stream, closes the connection.
    async fn stream(
        &self,
        request: &ChatRequest,
        cancel: CancellationToken,
    ) -> Result<ChatStream, ProviderError>;

    /// Whether tools may be sent to this model aside, so that they are none of what it keeps from request to
    /// request ([`ChatRequest::deferred`]).
    fn defers_tools(&self, model: &str) -> bool;

    /// The bytes [`Provider::stream`] sends as the body of this request.
    ///
    /// The same request gives the same bytes, and a request with more messages starts with the
    /// bytes of the shorter one up to the end of its last message: providers cache by prefix.
    fn encode(&self, request: &ChatRequest) -> Vec<u8>;
}

/// What a server says of one model before anything is sent to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// It is none of those that pass models on; of the model nothing is known.
    PassesNothingOn,
    Has(ModelInfo),
    HasNot,
}

/// A model that a provider offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name to put into [`ChatRequest::model`].
    pub id: String,
    /// How many tokens the model can take in, where the provider says so.
    pub context: Option<u64>,
    /// Whether it can call tools, where the provider says so.
    pub tools: Option<bool>,
    /// Whether it can look at images, where the provider says so.
    pub images: Option<bool>,
    /// The address a local server passes this model's requests on to, where it says so: an
    /// Ollama "cloud" model leaves the machine although its provider is local.
    pub runs_at: Option<String>,
}

/// Whether a server means the same model by both names: it folds their case, and `:latest` may be left out.
pub fn is_same_model(one: &str, other: &str) -> bool {
    fn plain(name: &str) -> &str {
        let tag = name.len().checked_sub(":latest".len()).filter(|at| name.is_char_boundary(*at));
        tag.filter(|at| name[*at..].eq_ignore_ascii_case(":latest")).map_or(name, |at| &name[..at])
    }
    plain(one).eq_ignore_ascii_case(plain(other))
}

/// Where a provider of this kind is when nothing else is configured; `None` of an unknown kind.
pub fn default_address(kind: &ProviderKind) -> Option<&'static str> {
    match kind {
        ProviderKind::OpenAi => Some(openai::DEFAULT_ADDRESS),
        ProviderKind::OpenAiResponses => Some(openai_responses::DEFAULT_ADDRESS),
        ProviderKind::Anthropic => Some(anthropic::DEFAULT_ADDRESS),
        ProviderKind::Gemini => Some(gemini::DEFAULT_ADDRESS),
        ProviderKind::Ollama => Some(ollama::DEFAULT_ADDRESS),
        ProviderKind::Unknown(_) => None,
    }
}

/// Makes the provider for a `kind` of the configuration. Nothing is sent yet.
pub fn connect(
    kind: impl Into<ProviderKind>,
    settings: ProviderSettings,
) -> Result<Arc<dyn Provider>, ProviderError> {
    match kind.into() {
        ProviderKind::OpenAi => Ok(Arc::new(openai::OpenAi::new(settings)?)),
        ProviderKind::OpenAiResponses => Ok(Arc::new(openai_responses::OpenAiResponses::new(settings)?)),
        ProviderKind::Anthropic => Ok(Arc::new(anthropic::Anthropic::new(settings)?)),
        ProviderKind::Gemini => Ok(Arc::new(gemini::Gemini::new(settings)?)),
        ProviderKind::Ollama => Ok(Arc::new(ollama::Ollama::new(settings)?)),
        ProviderKind::Unknown(written) => Err(ProviderError::Settings {
            provider: settings.id,
            reason: format!("unknown kind `{written}`; use {}", ProviderKind::choices()),
        }),
    }
}
