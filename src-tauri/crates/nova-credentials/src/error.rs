use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use nova_error::{ErrorCode, UserError};
use nova_skill::ToolError;

use crate::{CredentialName, StoreKind};

/// Errors of reading, storing, granting and renewing credentials. No message contains a secret.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    #[error("That is not a valid credential name.")]
    BadName,
    #[error("The credential {other} already exists and differs from {name} only in case.")]
    CaseConflict { name: CredentialName, other: CredentialName },
    #[error("The credential {name} is missing.")]
    Missing { name: CredentialName },
    /// The user has not granted this consumer the credential for this destination.
    #[error("{consumer} may not have the credential {name} for {destination}.")]
    NotGranted { name: CredentialName, consumer: String, destination: String },
    /// `${credentials:…}` where other processes can read its value.
    #[error("The credential {name} is named in an argument, and every process can read arguments.")]
    InArgument { name: CredentialName },
    /// A malformed `${credentials:…}`.
    #[error("A credential reference must have the form ${{credentials:service/key}}.")]
    BadReference,
    /// Such as a line break in a header.
    #[error("The value of {name} contains characters that are invalid in a header or environment variable.")]
    InvalidValue { name: CredentialName },
    #[error("The value of {name} is empty.")]
    Empty { name: CredentialName },
    #[error("The value of {name} is too long: the store holds at most {max} bytes.")]
    TooLong { name: CredentialName, max: usize },

    /// There is neither a keychain nor a passphrase.
    #[error("There is no credential store: the keychain does not respond ({reason}).")]
    NoStore { reason: String },
    /// There are credentials, but their store cannot be reached. No other store is opened instead.
    #[error("The credentials are in {store}, which cannot be reached ({reason}).")]
    Unreachable { store: StoreKind, reason: String },
    /// Another process has meanwhile chosen the other store.
    #[error("The credentials are now kept in {store}.")]
    StoreChanged { store: StoreKind },
    #[error("The credentials are in an encrypted file, and no passphrase was given.")]
    PassphraseNeeded,
    #[error("The passphrase cannot be read: {reason}.")]
    UnreadablePassphrase { reason: String },
    #[error("The passphrase is empty.")]
    EmptyPassphrase,
    #[error("The passphrase does not open {}.", file.display())]
    WrongPassphrase { file: PathBuf },
    #[error("{} is damaged: {reason}.", file.display())]
    Damaged { file: PathBuf, reason: String },
    #[error("The keychain refused: {reason}.")]
    Keychain { reason: String },
    #[error("{} cannot be read or written: {source}.", file.display())]
    Io { file: PathBuf, source: io::Error },
    #[error("Timed out: another Nova process holds {}.", file.display())]
    Busy { file: PathBuf },

    /// The user must sign in again.
    #[error("{name} needs a new sign-in: {reason}.")]
    NeedsSignIn { name: CredentialName, reason: String },
    /// A sign-in address that Nova refuses to use.
    #[error("The {what} cannot be used: {reason}.")]
    BadEndpoint { what: &'static str, reason: &'static str },
    /// The sign-in was not completed.
    #[error("The sign-in failed: {reason}.")]
    SignIn { reason: String },
    /// The server's documents offer no secure way to sign in.
    #[error("There is no way to sign in: {reason}.")]
    CannotSignIn { reason: String, remedy: String },
    /// The token server failed or sent an invalid response; a retry may help.
    #[error("{host} gave no token: {reason}.")]
    TokenServer { host: String, reason: String },
}

impl CredentialError {
    /// The code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::PassphraseNeeded
            | Self::UnreadablePassphrase { .. }
            | Self::EmptyPassphrase
            | Self::WrongPassphrase { .. } => ErrorCode::PassphraseNeeded,
            Self::NoStore { .. } => ErrorCode::NoCredentialStore,
            Self::Missing { .. } => ErrorCode::CredentialNeeded,
            Self::NotGranted { .. } => ErrorCode::CredentialNotGranted,
            Self::NeedsSignIn { .. } => ErrorCode::NeedsSignIn,
            Self::BadName
            | Self::CaseConflict { .. }
            | Self::InArgument { .. }
            | Self::BadReference
            | Self::InvalidValue { .. }
            | Self::Empty { .. }
            | Self::TooLong { .. }
            | Self::BadEndpoint { .. } => ErrorCode::CredentialInvalid,
            Self::SignIn { .. } | Self::CannotSignIn { .. } | Self::TokenServer { .. } => {
                ErrorCode::SignInFailed
            }
            _ => ErrorCode::CredentialStore,
        }
    }

    /// The remedy, one sentence.
    pub fn hint(&self) -> String {
        match self {
            Self::BadName => {
                "Use SERVICE/KEY, of letters, digits, `_`, `-` and `.`, as in openai/key.".to_owned()
            }
            Self::CaseConflict { other, .. } => format!("Use {other}, or remove it first."),
            Self::Missing { name } => format!("Run `nova credential set {name}`."),
            Self::NotGranted { name, consumer, .. } => {
                format!("Run `nova credential grant {name} --to {consumer}` if it should have it.")
            }
            Self::InArgument { .. } => "Pass it in `env` or `headers`.".to_owned(),
            Self::BadReference => "Write ${credentials:service/key}.".to_owned(),
            Self::InvalidValue { name } | Self::Empty { name } => {
                format!("Run `nova credential set {name}` with the right value.")
            }
            Self::TooLong { .. } => "Use a shorter key or token.".to_owned(),
            Self::NoStore { .. } => "Start the keychain, or give a passphrase (--passphrase-fd, or \
                 NOVA_PASSPHRASE_FILE) to store them in an encrypted file."
                .to_owned(),
            Self::Unreachable { store: StoreKind::Keychain, .. } => {
                "Unlock or start the keychain, then start Nova again.".to_owned()
            }
            Self::Unreachable { store: StoreKind::File, .. } => {
                "Put credentials.age back into Nova's data folder; or remove credentials.json there to start \
                 without credentials."
                    .to_owned()
            }
            Self::StoreChanged { .. } => "Start Nova again.".to_owned(),
            Self::PassphraseNeeded | Self::EmptyPassphrase | Self::UnreadablePassphrase { .. } => {
                "Give it with --passphrase-fd or NOVA_PASSPHRASE_FILE.".to_owned()
            }
            Self::WrongPassphrase { .. } => "Use the passphrase the file was created with.".to_owned(),
            Self::Damaged { .. } => "Restore a backup of it, or move it away.".to_owned(),
            Self::Keychain { .. } => "Unlock the keychain, then try again.".to_owned(),
            Self::Io { .. } => "Check the folder's permissions and the space on the disk.".to_owned(),
            Self::Busy { .. } => "End the Nova process that hangs, then try again.".to_owned(),
            Self::NeedsSignIn { .. } => "Sign in again.".to_owned(),
            Self::BadEndpoint { .. } => {
                "Use an https address, or an http address of this machine.".to_owned()
            }
            Self::SignIn { .. } => "Start the sign-in again.".to_owned(),
            Self::CannotSignIn { remedy, .. } => remedy.clone(),
            Self::TokenServer { .. } => "Check the connection, then try again.".to_owned(),
        }
    }

    pub(crate) fn io(file: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { file: file.to_owned(), source }
    }
}

impl From<&CredentialError> for UserError {
    fn from(error: &CredentialError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}

impl From<CredentialError> for UserError {
    fn from(error: CredentialError) -> Self {
        Self::from(&error)
    }
}

impl From<CredentialError> for ToolError {
    fn from(error: CredentialError) -> Self {
        let (what, remedy) = (error.to_string(), error.hint());
        match error {
            CredentialError::Missing { name } => Self::CredentialNeeded { credential: name.into() },
            CredentialError::NotGranted { name, consumer, destination } => {
                Self::CredentialNotGranted { credential: name.into(), consumer, destination }
            }
            CredentialError::NeedsSignIn { name, reason } => {
                Self::NeedsSignIn { credential: name.into(), reason }
            }
            _ => Self::failed(what, remedy),
        }
    }
}

impl FromStr for CredentialName {
    type Err = CredentialError;

    /// The error does not repeat the text, which may be a secret pasted into the wrong field.
    fn from_str(text: &str) -> Result<Self, CredentialError> {
        Self::checked(text).ok_or(CredentialError::BadName)
    }
}

impl TryFrom<String> for CredentialName {
    type Error = CredentialError;

    fn try_from(text: String) -> Result<Self, CredentialError> {
        text.parse()
    }
}
