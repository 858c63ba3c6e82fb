//! A request to a model, independent of the dialect.

use std::collections::HashSet;

use serde_json::Value;

use crate::Image;

/// One request to a model: one step of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The model's name as the provider knows it, without the provider's id.
    pub model: String,
    /// Instructions before the first message; empty for none.
    pub system: String,
    /// The tools the model may call, in the order they are sent.
    pub tools: Vec<ToolDefinition>,
    /// Tools that become available through the messages that load them; only for a provider that [defers
    /// tools](crate::Provider::defers_tools). They do not invalidate its cache.
    pub deferred: Vec<ToolDefinition>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The maximum number of output tokens, if limited.
    pub max_output: Option<u32>,
    /// Whether the model must, may or must not call a tool.
    pub tool_choice: ToolChoice,
}

/// A notice as sent in every dialect.
pub(crate) fn noticed(mark: &str, text: &str) -> String {
    format!("<{mark}>\n{text}\n</{mark}>")
}

pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

impl ChatRequest {
    /// Ids of the calls in the conversation, which generated ones must not repeat.
    pub(crate) fn call_ids(&self) -> HashSet<String> {
        let calls = self.messages.iter().filter_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls),
            _ => None,
        });
        calls.flatten().map(|call| call.id.clone()).collect()
    }

    /// All tools that the model may call, deferred ones included.
    pub fn all_tools(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.tools.iter().chain(&self.deferred)
    }

    /// Every image of the conversation.
    pub fn images(&self) -> impl Iterator<Item = &Image> {
        self.messages.iter().flat_map(|message| match message {
            Message::User { images, .. } => images.as_slice(),
            _ => &[],
        })
    }
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Its name on the wire: at most 64 characters of `[A-Za-z0-9_-]`.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// A JSON Schema of its arguments; sent in a form providers accept
    /// ([`crate::normalise_schema`]).
    pub input_schema: Value,
}

/// Whether the model must, may or must not call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The model must call the tool of this name.
    Required(String),
    /// The model must not call any tool, although it sees them.
    None,
}

/// One message of the conversation.
///
/// The outputs of an assistant's calls follow it directly, one for each call.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From the user.
    User {
        /// The text.
        content: String,
        /// Attached images.
        images: Vec<Image>,
    },
    /// From the model.
    Assistant {
        /// Its text; may be empty if there are calls.
        text: String,
        /// The tools it called.
        calls: Vec<ToolCall>,
        /// [`crate::Completed::provider_data`] of that answer, unchanged.
        provider_data: Option<Value>,
    },
    /// The output of a tool.
    ToolOutput {
        /// The [`ToolCall::id`] this belongs to.
        call_id: String,
        /// The output as text.
        content: String,
        /// Names of [deferred](ChatRequest::deferred) tools that are available from here on.
        loads: Vec<String>,
    },
    /// From Nova itself: a note changed, a skill was activated.
    Notice {
        /// The text, without its enclosing marker.
        text: String,
        /// The name of the enclosing marker, which the system prompt explains to the model.
        mark: String,
        /// The tools that are available from here on.
        loads: Option<Loads>,
    },
}

/// A skill that was activated without a call of the model, with its
/// [deferred](ChatRequest::deferred) tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loads {
    /// Its id.
    pub skill: String,
    /// Names of its tools.
    pub tools: Vec<String>,
}

/// A complete call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Unique within the answer; generated (`call_<n>`) if the server sent none.
    pub id: String,
    /// The tool's name on the wire, as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them: supposed to be the text of a JSON object, but not validated.
    /// `{}` if the model wrote nothing.
    pub arguments: String,
}
