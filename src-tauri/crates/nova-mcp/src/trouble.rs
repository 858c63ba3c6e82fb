use nova_credentials::CredentialError;
use nova_error::{ErrorCode, UserError};
use nova_skill::ToolError;

/// Why a server cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Trouble {
    pub kind: TroubleKind,
    /// The problem, one sentence.
    pub what: String,
    /// The remedy, one sentence.
    pub remedy: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TroubleKind {
    Failed,
    /// The user has not agreed to it.
    NotAgreed,
    NeedsSignIn,
    /// Cancelled by Nova.
    Stopped,
}

impl Trouble {
    pub(crate) fn failed(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { kind: TroubleKind::Failed, what: what.into(), remedy: remedy.into() }
    }

    pub(crate) fn stopped() -> Self {
        let (what, remedy) = ("The call was stopped.".into(), String::new());
        Self { kind: TroubleKind::Stopped, what, remedy }
    }

    /// Problem and remedy.
    pub fn line(&self) -> String {
        format!("{} {}", self.what, self.remedy).trim_end().to_owned()
    }
}

impl From<&CredentialError> for Trouble {
    fn from(error: &CredentialError) -> Self {
        let kind = match error {
            CredentialError::NeedsSignIn { .. } => TroubleKind::NeedsSignIn,
            _ => TroubleKind::Failed,
        };
        Self { kind, what: error.to_string(), remedy: error.hint() }
    }
}

impl From<Trouble> for UserError {
    fn from(trouble: Trouble) -> Self {
        Self::new(ErrorCode::ToolFailed, trouble.what, trouble.remedy)
    }
}

impl From<Trouble> for ToolError {
    fn from(trouble: Trouble) -> Self {
        match trouble.kind {
            TroubleKind::Stopped => Self::Cancelled,
            _ => Self::failed(trouble.what, trouble.remedy),
        }
    }
}
