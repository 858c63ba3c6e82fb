//! The answer of a model, independent of the dialect.

use std::pin::Pin;

use futures::Stream;
use serde_json::Value;

use crate::{ProviderError, ToolCall};

/// An answer as it arrives: events, then one [`ChatEvent::End`] or one error, then nothing.
pub type ChatStream = Pin<Box<dyn Stream<Item = Result<ChatEvent, ProviderError>> + Send>>;

/// One event of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatEvent {
    /// More of the text.
    TextDelta(String),
    /// More of the reasoning, for display.
    ReasoningDelta(String),
    /// A call grew. For display only: calls are complete only in [`ChatEvent::End`].
    ToolCallDelta {
        /// The call's index in this answer, from 0, stable within the answer.
        index: usize,
        /// The tool's name, once known.
        name: Option<String>,
        /// Bytes of arguments received so far.
        arguments_so_far_len: usize,
    },
    /// The usage of the request so far; a later event replaces an earlier one.
    Usage(Usage),
    /// The answer is complete.
    End(Completed),
}

/// Tokens that a request used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Input tokens, including cached ones.
    pub input: u64,
    /// Input tokens that the provider had cached.
    pub cached: u64,
    /// Output tokens, including reasoning.
    pub output: u64,
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completed {
    /// The complete text.
    pub text: String,
    /// The calls, in the order in which the model started them, with unique ids.
    ///
    /// If the answer was truncated by its length limit or a filter, only calls whose arguments are a complete
    /// JSON object.
    pub calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// Opaque data to be sent back with this answer in later requests.
    pub provider_data: Option<Value>,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// The answer is complete, without calls.
    Stop,
    /// It waits for the outputs of its calls.
    ToolCalls,
    /// It reached the token limit.
    Length,
    /// The provider's filter stopped it, for this reason if known ("prohibited content").
    ContentFilter(Option<String>),
    /// The provider's filter refused the request, for this reason.
    Blocked(String),
    /// The model declined to answer; its text says why.
    Refusal,
    /// The answer ended early, for this reason ("malformed function call").
    Incomplete(String),
    /// Any other reason, in the provider's wording.
    Other(String),
}
