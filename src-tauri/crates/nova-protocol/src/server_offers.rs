//! Parameters and results of the commands for prompts and resources of MCP servers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// A prompt of a server, filled in by the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServerPrompt {
    pub server: String,
    /// Of the server's skill.
    pub skill: String,
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    /// JSON Schema of its arguments, all of them texts.
    pub input_schema: Value,
    /// The server suggests values for them.
    pub completes: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FillPrompt {
    pub server: String,
    pub prompt: String,
    pub args: BTreeMap<String, String>,
}

/// An argument that is being typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CompletePrompt {
    pub server: String,
    pub prompt: String,
    pub argument: String,
    pub text: String,
    /// The other arguments, as far as they are filled in.
    pub args: BTreeMap<String, String>,
}

/// Words that name a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SuggestResources {
    pub text: String,
}

/// A resource that can be attached to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResourceSuggestion {
    pub server: String,
    /// `skill.tool` that reads it.
    pub tool: String,
    pub uri: String,
    pub name: String,
    pub description: String,
    pub media_type: Option<String>,
}

/// The `media` of a part of a server's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerMediaRef {
    pub id: String,
}
