use std::fmt;

use async_trait::async_trait;

use crate::{Secret, ToolError};

/// Where the secrets are kept. It decides who gets one; a tool sees it through
/// [`crate::Credentials`], bound to the tool and to what it declares.
#[async_trait]
pub trait CredentialSource: Send + Sync {
    /// The existing credentials under a declared name: `service/key`, or `service` for all
    /// of its keys.
    ///
    /// # Errors
    /// When it cannot be read, and [`ToolError::NeedsSignIn`] where only the user can continue.
    async fn held(&self, consumer: &Consumer, declared: &str) -> Result<Vec<HeldCredential>, ToolError>;

    /// Remembers that the user allows this consumer to have this credential for its hosts.
    ///
    /// # Errors
    /// When it cannot be written down.
    async fn grant(&self, consumer: &Consumer, name: &str) -> Result<(), ToolError>;

    /// The secret `service/key`; None where there is none.
    ///
    /// # Errors
    /// When there is one and this consumer does not get it, or it cannot be read.
    async fn secret(
        &self,
        consumer: &Consumer,
        name: &str,
        ground: Ground,
    ) -> Result<Option<Secret>, ToolError>;
}

/// An existing credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldCredential {
    /// `service/key`
    pub name: String,
    /// Whether the consumer may have it for its hosts without a question.
    pub granted: bool,
}

/// Why a secret may be handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// A grant that is remembered.
    Grant,
    /// The user has just allowed it, for this call.
    JustAllowed,
}

/// Who wants a secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Consumer {
    pub skill: String,
    pub tool: String,
    /// [`crate::ToolSpec::definition`]: another content of the file is another consumer.
    pub definition: Option<String>,
    /// Where it may send the secret, and nowhere else.
    pub hosts: Vec<String>,
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
