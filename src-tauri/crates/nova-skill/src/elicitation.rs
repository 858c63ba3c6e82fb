use async_trait::async_trait;
use serde_json::Value;
use url::Url;

use crate::ToolError;

/// A question of another program to the user, during a call of its tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Elicitation {
    /// The program that asks and receives the answer.
    pub from: String,
    /// In the program's own words.
    pub message: String,
    pub wanted: Wanted,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// Asks for values that match this JSON Schema of an object.
    Values(Value),
    /// Asks the user to open this page.
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

/// The user, as reached by a running call.
#[async_trait]
pub trait ToolUser: Send + Sync {
    /// Asks the user; nothing is returned that they did not send. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// If the call is stopped meanwhile, or asks too often.
    async fn ask(&self, elicitation: &Elicitation) -> Result<Elicited, ToolError>;
}

/// For calls without a user.
#[async_trait]
impl ToolUser for () {
    async fn ask(&self, _: &Elicitation) -> Result<Elicited, ToolError> {
        Ok(Elicited::Declined)
    }
}
