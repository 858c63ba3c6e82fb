use async_trait::async_trait;
use serde_json::Value;
use url::Url;

use crate::ToolError;

/// What another program asks the user while a call of its tool runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Elicitation {
    /// The program that asks, and that gets the answer.
    pub from: String,
    /// In its own words.
    pub message: String,
    pub wanted: Wanted,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// Values that fit this JSON Schema of an object.
    Values(Value),
    /// That the user opens this page.
    Visit(Url),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Elicited {
    /// The values that the user sent; null for a page.
    Accepted(Value),
    Declined,
    /// The user closed the question without an answer.
    Cancelled,
}

/// The user, as a running call reaches them.
#[async_trait]
pub trait ToolUser: Send + Sync {
    /// Nothing is sent unless the user sends it. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// When the call is stopped meanwhile, and when it asks too often.
    async fn ask(&self, elicitation: &Elicitation) -> Result<Elicited, ToolError>;
}

/// Nobody is there.
#[async_trait]
impl ToolUser for () {
    async fn ask(&self, _: &Elicitation) -> Result<Elicited, ToolError> {
        Ok(Elicited::Declined)
    }
}
