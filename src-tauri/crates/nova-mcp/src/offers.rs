//! Prompts and resources of a server. Both are for the user, not for a model: the user fills in a prompt, or
//! attaches a resource.

use serde::{Deserialize, Serialize};

/// As last listed, within bounds. Its texts are sanitised for display.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Offers {
    pub prompts: Vec<Prompt>,
    pub resources: Vec<Resource>,
    /// The server completes arguments of prompts.
    pub completes: bool,
}

/// A prompt template of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    pub arguments: Vec<PromptArgument>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    pub required: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    pub uri: String,
    pub name: String,
    pub description: String,
    pub media_type: Option<String>,
}

impl Offers {
    pub(crate) fn prompt(&self, name: &str) -> Option<&Prompt> {
        self.prompts.iter().find(|prompt| prompt.name == name)
    }
}
