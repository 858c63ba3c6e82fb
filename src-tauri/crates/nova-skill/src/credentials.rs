use std::fmt;

use async_trait::async_trait;

use crate::{Secret, ToolError};

/// Where the secrets are kept. It decides who gets one; a tool sees it through
/// [`crate::Credentials`], bound to the tool and to what it declares.
#[async_trait]
pub trait CredentialSource: Send + Sync {
    /// The secret `service/key`; None where there is none.
    ///
    /// # Errors
    /// When there is one and this consumer does not get it, or it cannot be read.
    async fn secret(&self, consumer: &Consumer, name: &str) -> Result<Option<Secret>, ToolError>;

    /// Whether there is one for this consumer: `service/key`, or `service` for any of its keys.
    async fn has(&self, consumer: &Consumer, name: &str) -> bool;
}

/// Who wants a secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Consumer {
    pub skill: String,
    pub tool: String,
    /// [`crate::ToolSpec::definition`]: another content of the file is another consumer.
    pub definition: Option<String>,
}

/// `skill:crm`, or `tool:dynamic.weather` for one that a file defines.
impl fmt::Display for Consumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.definition {
            Some(_) => write!(f, "tool:{}.{}", self.skill, self.tool),
            None => write!(f, "skill:{}", self.skill),
        }
    }
}
