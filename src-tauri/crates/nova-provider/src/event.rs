//! What comes back from a model, in no dialect.

use std::pin::Pin;

use futures::Stream;
use serde_json::Value;

use crate::{ProviderError, ToolCall};

/// An answer as it arrives: events, then one [`ChatEvent::End`] or one error, then nothing.
pub type ChatStream = Pin<Box<dyn Stream<Item = Result<ChatEvent, ProviderError>> + Send>>;

/// One thing that happened in an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatEvent {
    /// More of the text.
    TextDelta(String),
    /// More of the reasoning, for display.
    ReasoningDelta(String),
    /// A call grew. For display only: a call is whole in [`ChatEvent::End`] and nowhere else.
    ToolCallDelta {
        /// The call's place in this answer, from 0, stable within the answer.
        index: usize,
        /// The tool's name, once known.
        name: Option<String>,
        /// Bytes of arguments received so far.
        arguments_so_far_len: usize,
    },
    /// What the request has used so far; a later one replaces an earlier one.
    Usage(Usage),
    /// The answer is complete.
    End(Completed),
}

/// Tokens that a request used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens read, those from the cache included.
    pub input: u64,
    /// Those of `input` that the provider had cached.
    pub cached: u64,
    /// Tokens written, reasoning included.
    pub output: u64,
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completed {
    /// All of the text.
    pub text: String,
    /// The calls, in the order the model began them; each id once.
    ///
    /// Of an answer that was cut by its length limit or a filter, only those whose arguments are
    /// a whole JSON object.
    pub calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// To be handed back with this answer in later requests, unread.
    pub provider_data: Option<Value>,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// It had said everything, and called no tool.
    Stop,
    /// It waits for the outputs of its calls.
    ToolCalls,
    /// It reached the limit on tokens.
    Length,
    /// The provider's filter stopped it, for this reason where it names one ("prohibited content").
    ContentFilter(Option<String>),
    /// The provider's filter refused the request before the model answered, for this reason.
    Blocked(String),
    /// The model declined to answer; its text says why.
    Refusal,
    /// It did not come to its end, for this reason ("malformed function call").
    Incomplete(String),
    /// Any other reason, in the provider's word.
    Other(String),
}
