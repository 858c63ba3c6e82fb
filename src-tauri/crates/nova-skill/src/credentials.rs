use std::fmt;

use async_trait::async_trait;

use crate::{Secret, ToolError};

/// Stores secrets and decides who gets them; tools access it through [`crate::Credentials`], bound to the
/// tool and its declaration.
#[async_trait]
pub trait CredentialSource: Send + Sync {
    /// Returns the existing credentials under a declared name: `service/key`, or `service` for all of its
    /// keys.
    ///
    /// # Errors
    /// If the store cannot be read, and [`ToolError::NeedsSignIn`] if the user must sign in.
    async fn held(&self, consumer: &Consumer, declared: &str) -> Result<Vec<HeldCredential>, ToolError>;

    /// Saves a grant of this credential to the consumer, for its hosts.
    ///
    /// # Errors
    /// If it cannot be saved.
    async fn grant(&self, consumer: &Consumer, name: &str) -> Result<(), ToolError>;

    /// Returns the secret `service/key`; `None` if it does not exist.
    ///
    /// # Errors
    /// If it exists but this consumer may not have it, or it cannot be read.
    async fn secret(
        &self,
        consumer: &Consumer,
        name: &str,
        ground: Ground,
    ) -> Result<Option<Secret>, ToolError>;

    /// The same where a server refused this one: of a sign-in another token.
    ///
    /// # Errors
    /// As [`CredentialSource::secret`], and [`ToolError::NeedsSignIn`] where there is no other.
    async fn renewed(
        &self,
        consumer: &Consumer,
        name: &str,
        ground: Ground,
        _refused: &Secret,
    ) -> Result<Option<Secret>, ToolError> {
        self.secret(consumer, name, ground).await
    }
}

/// An existing credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldCredential {
    /// `service/key`
    pub name: String,
    /// Whether the consumer may use it for its hosts without a question.
    pub granted: bool,
}

/// The reason for releasing a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// A saved grant.
    Grant,
    /// The user has just allowed it for this call.
    JustAllowed,
}

/// The recipient of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Consumer {
    pub skill: String,
    pub tool: String,
    /// [`crate::ToolSpec::definition`]: another content of the file is another consumer.
    pub definition: Option<String>,
    /// The only hosts to which it may send the secret.
    pub hosts: Vec<String>,
}

/// `skill:crm`, or `tool:dynamic.weather` for a tool defined by a file.
impl fmt::Display for Consumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.definition {
            Some(_) => write!(f, "tool:{}.{}", self.skill, self.tool),
            None => write!(f, "skill:{}", self.skill),
        }
    }
}
