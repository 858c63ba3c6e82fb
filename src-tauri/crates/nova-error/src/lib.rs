//! User-facing errors: an [`ErrorCode`] for programs, and a [`UserError`] that says what happened and what to
//! do.
//!
//! A library defines its own error type, with everything that its callers may branch on, and converts it next
//! to that type, so that `?` suffices where a command returns:
//!
//! ```
//! use nova_error::{ErrorCode, UserError};
//!
//! #[derive(Debug, thiserror::Error)]
//! #[error("There is no shelf \"{0}\".")]
//! struct NoShelf(String);
//!
//! impl From<NoShelf> for UserError {
//!     fn from(error: NoShelf) -> Self {
//!         Self::new(ErrorCode::BadRequest, error.to_string(), "Choose one of the list.")
//!     }
//! }
//!
//! fn count(shelf: &str) -> Result<u32, NoShelf> {
//!     Err(NoShelf(shelf.to_owned()))
//! }
//!
//! fn command() -> Result<u32, UserError> {
//!     Ok(count("attic")?)
//! }
//! assert_eq!(command().unwrap_err().code.as_str(), "bad_request");
//! ```
//!
//! This crate never depends on another crate of Nova, so that every crate can depend on it (`.ci/layers`).
//!
//! # Invariants
//!
//! - `docs/errors.md` lists exactly these codes: `nova-protocol/tests/generated.rs`.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// An error as a person sees it: which case it is, what happened, what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[error("{message}{}{hint}", if hint.is_empty() { "" } else { " " })]
pub struct UserError {
    pub code: ErrorCode,
    /// One sentence: what happened.
    pub message: String,
    /// One sentence: what to do about it. Empty where nothing can be done.
    pub hint: String,
    /// The host that the user has not agreed to; with `provider_not_agreed` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub host: Option<String>,
    /// The id of the draft that holds a mail of which it is unknown whether it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub draft: Option<String>,
}

impl UserError {
    pub fn new(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into(), host: None, draft: None }
    }

    /// Adds the host to the error.
    pub fn about_host(self, host: impl Into<String>) -> Self {
        Self { host: Some(host.into()), ..self }
    }
}

macro_rules! error_codes {
    ($( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, )+) => {
        /// Every error code that Nova shows; exhaustive, so that a reader can branch on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
        pub enum ErrorCode {
            $( $(#[doc = $doc])+ #[serde(rename = $name)] #[ts(rename = $name)] $variant, )+
        }

        impl ErrorCode {
            /// All codes with their meaning, in the order of `docs/errors.md`.
            pub const ALL: &[(ErrorCode, &str)] = &[
                $( (ErrorCode::$variant, concat!($($doc),+)), )+
            ];

            /// The code on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $( ErrorCode::$variant => $name, )+ }
            }
        }
    };
}

error_codes! {
    /// The command or its parameters are invalid.
    BadRequest = "bad_request",
    /// An internal error; the message has details.
    Internal = "internal",
    /// No vault is open.
    NoVault = "no_vault",
    /// The vault folder does not exist, is a file, or cannot be read.
    VaultUnavailable = "vault_unavailable",
    /// The named note does not exist, or is a folder or another file.
    NoteNotFound = "note_not_found",
    /// Several notes, records or tools match the name.
    Ambiguous = "ambiguous",
    /// A note of that name exists already.
    NoteExists = "note_exists",
    /// The note's front matter cannot be read; it is left as it is.
    NoteBroken = "note_broken",
    /// The path leads outside the vault, or to a place Nova does not write.
    PathRefused = "path_refused",
    /// The note is private and the model is remote.
    Private = "private",
    /// The note was changed on both sides.
    Conflict = "conflict",
    /// The change could not be made without touching other bytes of the note.
    EditRefused = "edit_refused",
    /// Reading or writing failed.
    Io = "io",
    /// No skill has that id.
    UnknownSkill = "unknown_skill",
    /// The skill is disabled.
    SkillDisabled = "skill_disabled",
    /// The skill is installed, but its requirements are not met.
    SkillUnavailable = "skill_unavailable",
    /// The skill comes from elsewhere and differs from what the user agreed to.
    SkillNeedsReview = "skill_needs_review",
    /// No tool has that name.
    UnknownTool = "unknown_tool",
    /// No source knows the symbol.
    UnknownSymbol = "unknown_symbol",
    /// The arguments do not match the tool's parameters.
    InvalidArguments = "invalid_arguments",
    /// The tool ran and reported a failure.
    ToolFailed = "tool_failed",
    /// The tool did not finish in time.
    ToolTimedOut = "tool_timed_out",
    /// The file defines no usable tool; the message says where and why.
    ToolFileBroken = "tool_file_broken",
    /// No pending tool has that name.
    UnknownPendingTool = "unknown_pending_tool",
    /// The pending tool changed since it was reviewed.
    PendingToolChanged = "pending_tool_changed",
    /// A rule denies the call.
    DeniedByRule = "denied_by_rule",
    /// The user denied the call.
    DeniedByUser = "denied_by_user",
    /// The call needed an answer and nobody gave one.
    ApprovalUnanswered = "approval_unanswered",
    /// The tool needs a credential that is missing.
    CredentialNeeded = "credential_needed",
    /// The credential exists, but is not granted to this consumer for this destination.
    CredentialNotGranted = "credential_not_granted",
    /// The sign-in has expired or was never made; the user must sign in.
    NeedsSignIn = "needs_sign_in",
    /// The sign-in was not completed.
    SignInFailed = "sign_in_failed",
    /// The server of a mailbox or calendar does not accept the user and the password.
    SignInRefused = "sign_in_refused",
    /// The name, the value or a reference to a credential is invalid.
    CredentialInvalid = "credential_invalid",
    /// The keychain or the encrypted file of the credentials cannot be reached, opened or written.
    CredentialStore = "credential_store",
    /// There is neither a keychain nor a passphrase for credentials; a new passphrase creates a file.
    NoCredentialStore = "no_credential_store",
    /// The encrypted file of the credentials needs its passphrase.
    PassphraseNeeded = "passphrase_needed",
    /// The call was stopped.
    Cancelled = "cancelled",
    /// Nova ended while the call ran; its outcome is unknown.
    Interrupted = "interrupted",
    /// No pending approval has that id.
    UnknownApproval = "unknown_approval",
    /// No model is configured or found.
    NoModel = "no_model",
    /// No provider or model has that name.
    UnknownModel = "unknown_model",
    /// The user has not agreed to the host of this remote model.
    ProviderNotAgreed = "provider_not_agreed",
    /// Nothing answers at the provider's address.
    ProviderUnreachable = "provider_unreachable",
    /// The provider refused the key.
    ProviderRefusedKey = "provider_refused_key",
    /// The provider's rate limit was reached.
    ProviderRateLimited = "provider_rate_limited",
    /// The provider did not answer in time.
    ProviderTimeout = "provider_timeout",
    /// The provider's stream ended before the answer was complete.
    ProviderTruncated = "provider_truncated",
    /// The provider's filter stopped the answer.
    ProviderFiltered = "provider_filtered",
    /// The model ended without an answer.
    ProviderEmpty = "provider_empty",
    /// The provider's answer is invalid.
    ProviderBadResponse = "provider_bad_response",
    /// The model cannot call tools.
    ModelWithoutTools = "model_without_tools",
    /// The model cannot read images.
    ModelWithoutImages = "model_without_images",
    /// The request does not fit into the context configured for the model.
    ContextTooSmall = "context_too_small",
    /// The provider reported a failure.
    ProviderFailed = "provider_failed",
    /// The turn took more steps than allowed.
    StepLimit = "step_limit",
    /// The sub-agent used more tokens than allowed.
    TokenLimit = "token_limit",
    /// No session has that id.
    UnknownSession = "unknown_session",
    /// A turn is running in that session, in this or another Nova process.
    SessionBusy = "session_busy",
    /// No change set has that id, or it was pruned.
    UnknownChangeSet = "unknown_change_set",
    /// nova.config.json or permissions.yaml cannot be read; the last good one stays in use.
    ConfigBroken = "config_broken",
    /// nova.config.json contains a secret as plain text.
    LiteralSecret = "literal_secret",
}
