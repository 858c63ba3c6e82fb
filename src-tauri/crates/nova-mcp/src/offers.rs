//! Prompts and resources of a server. Both are for its user, not for a model: the user fills in a prompt, or names a
//! resource.

use serde::{Deserialize, Serialize};

/// As a server last listed them, within bounds. Its texts are harmless to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Offers {
    pub prompts: Vec<Prompt>,
    pub resources: Vec<Resource>,
    /// It suggests values for the arguments of its prompts.
    pub completes: bool,
}

/// A text of the server that its user fills in.
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
