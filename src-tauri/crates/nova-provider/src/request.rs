//! What is asked of a model, in no dialect.

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
    /// Tools that the model knows from the messages that load them on; only for a provider that
    /// [defers tools](crate::Provider::defers_tools). They break nothing of what it keeps.
    pub deferred: Vec<ToolDefinition>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The most tokens the model may write, if limited.
    pub max_output: Option<u32>,
    /// Whether the model must, may or must not call a tool.
    pub tool_choice: ToolChoice,
}

/// A notice as every dialect sends it.
pub(crate) fn noticed(mark: &str, text: &str) -> String {
    format!("<{mark}>\n{text}\n</{mark}>")
}

pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

impl ChatRequest {
    /// Ids of the calls in the conversation, which an invented one must not repeat.
    pub(crate) fn call_ids(&self) -> HashSet<String> {
        let calls = self.messages.iter().filter_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls),
            _ => None,
        });
        calls.flatten().map(|call| call.id.clone()).collect()
    }

    /// The tools that the model may call, wherever they are sent.
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
    /// The model must not call any tool, though it sees them.
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
        /// What it shows beside the text.
        images: Vec<Image>,
    },
    /// From the model.
    Assistant {
        /// What it wrote; may be empty beside calls.
        text: String,
        /// The tools it called.
        calls: Vec<ToolCall>,
        /// [`crate::Completed::provider_data`] of that answer, unchanged.
        provider_data: Option<Value>,
    },
    /// What a tool answered.
    ToolOutput {
        /// The [`ToolCall::id`] this belongs to.
        call_id: String,
        /// The output as text.
        content: String,
        /// Names of [deferred](ChatRequest::deferred) tools that the model knows from here on.
        loads: Vec<String>,
    },
    /// From Nova itself: a note changed, a skill was activated.
    Notice {
        /// The text, without any wrapping.
        text: String,
        /// The name of the mark that stands around it; the system prompt tells the model.
        mark: String,
        /// What the model can call from here on.
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

/// A call of a tool, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Unique within the answer; invented (`call_<n>`) where the server gave none.
    pub id: String,
    /// The tool's name on the wire, as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them: meant to be the text of a JSON object, but nobody
    /// has checked. `{}` where the model wrote nothing.
    pub arguments: String,
}
