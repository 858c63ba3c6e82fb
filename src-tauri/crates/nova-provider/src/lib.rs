//! A common interface to models: turns a request into a stream of events.
//!
//! It never runs a tool, never reads the environment, never retries after the first byte of an answer, and
//! gets secrets through a function, without access to their store.
//!
//! A dialect (the format of requests and answers on the wire) is one module. Opaque data that a dialect must
//! carry from one step to the next, such as signatures of reasoning, is in [`Completed::provider_data`] and
//! [`Message::Assistant::provider_data`].
//!
//! Deliberately absent: the environment's proxy variables (a proxy is a setting), redirects (a
//! key would follow them), compressed answers (a small one can unpack to gigabytes).
//!
//! # Invariants
//!
//! - A stream ends with one `End` or one error. A truncated, garbled or endless answer is an error, and an
//!   incomplete call never runs: `tests/provider/endings.rs`, `tests/provider/streams.rs`,
//!   `tests/provider/calls.rs`.
//! - `encode` of a longer conversation starts with the bytes of the shorter one, because providers cache by
//!   prefix: `tests/provider/requests.rs`.
//! - A key is sent only to its provider's address and never printed: `tests/provider/secrets.rs`.
//! - If the dialect supports it (`defers_tools`), tools of an activated skill are sent in the message that
//!   activates it, so that the tools before it keep their bytes: `tests/journeys/keeping_requests_small.rs`.
//!   The output of any other call loads nothing.
//! - Schema keys for forms (`x-…`, `format: decimal`) reach no model: `src/schema.rs`.
//! - A schema reduced for Gemini refuses nothing that the original accepts:
//!   `tests/provider/gemini/schema.rs`.
//! - A local server is asked whether it forwards a model's requests, whatever the dialect:
//!   `tests/provider/listings.rs`.
//!
//! Ollama is accessed by its own API because only that sets the context size; otherwise the server silently
//! truncates the request, including its tools.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

mod anthropic;
mod carried;
mod detect;
mod error;
mod event;
mod forwarding;
mod gemini;
mod http;
mod image;
mod ollama;
mod openai;
mod openai_responses;
mod read;
mod request;
mod schema;
mod server_message;
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

    /// Whether requests stay on this machine. A local server may still forward those of single models: see
    /// [`ModelInfo::runs_at`].
    fn locality(&self) -> Locality;

    /// The models offered, in the provider's order.
    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError>;

    /// The server's information on one model, queried again if it may forward requests to another machine.
    async fn model(&self, _id: &str, _cancel: &CancellationToken) -> Result<ModelLookup, ProviderError> {
        Ok(ModelLookup::NotForwarding)
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

    /// Whether this model supports deferred tools, which do not invalidate the cached prefix of requests
    /// ([`ChatRequest::deferred`]).
    fn defers_tools(&self, model: &str) -> bool;

    /// The bytes [`Provider::stream`] sends as the body of this request.
    ///
    /// The same request gives the same bytes, and a request with more messages starts with the
    /// bytes of the shorter one up to the end of its last message: providers cache by prefix.
    fn encode(&self, request: &ChatRequest) -> Vec<u8>;
}

/// A server's information on one model, before anything is sent to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelLookup {
    /// It is not a kind of server that forwards requests; nothing is known about the model.
    NotForwarding,
    Found(ModelInfo),
    Missing,
}

/// A model that a provider offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name to put into [`ChatRequest::model`].
    pub id: String,
    /// The model's context size in tokens, if the provider states it.
    pub context: Option<u64>,
    /// Whether it can call tools, if the provider says so.
    pub tools: Option<bool>,
    /// Whether it accepts images, if the provider says so.
    pub images: Option<bool>,
    /// The address to which a local server forwards this model's requests, if it says so: an Ollama "cloud"
    /// model is remote although its provider is local.
    pub runs_at: Option<String>,
}

/// Whether a server treats both names as the same model: it ignores case, and `:latest` is optional.
pub fn is_same_model(one: &str, other: &str) -> bool {
    fn plain(name: &str) -> &str {
        let tag = name.len().checked_sub(":latest".len()).filter(|at| name.is_char_boundary(*at));
        tag.filter(|at| name[*at..].eq_ignore_ascii_case(":latest")).map_or(name, |at| &name[..at])
    }
    plain(one).eq_ignore_ascii_case(plain(other))
}

/// The default address of a provider of this kind; `None` for an unknown kind.
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

/// Creates the provider for a `kind` of the configuration, without sending anything.
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
