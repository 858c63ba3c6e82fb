use nova_error::{ErrorCode, UserError};
use nova_figures::TooLarge;
use nova_vault::{Problem, VaultError};
use nova_workspace::FileError;

/// Why a tool could not do what it was asked. Every message is sent to the model and shown to the
/// user, so it says what happened and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The arguments do not make sense together, or name something of the wrong kind.
    /// (Arguments that do not fit the schema never reach a tool.)
    #[error("{}{rule}.", if path.is_empty() { String::new() } else { format!("{path}: ") })]
    InvalidArguments {
        /// JSON pointer to the argument, "" for the whole.
        path: String,
        /// What it breaks, without a full stop.
        rule: String,
        /// What would be accepted, where it can be listed.
        allowed: Vec<String>,
    },
    /// Nothing has that name.
    #[error("There is no {kind} \"{name}\".")]
    NotFound {
        kind: String,
        name: String,
        /// The nearest names.
        nearest: Vec<String>,
    },
    /// What has that name is no note.
    #[error("{what}")]
    NoNote { what: String, remedy: String },
    /// Several things have that name.
    #[error("Several {} match \"{name}\": {}.", plural(kind), matches.join(", "))]
    Ambiguous { kind: String, name: String, matches: Vec<String> },
    /// It would be there twice.
    #[error("There is already a {kind} \"{name}\": {path}.")]
    Exists {
        kind: String,
        name: String,
        /// Where it is.
        path: String,
        /// What to do instead.
        remedy: String,
    },
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("{}.", capitalized(.0))]
    File(#[from] FileError),
    #[error("No vault is open.")]
    NoVault,
    /// A record says something that its type does not allow where it was asked for; nothing was
    /// guessed.
    #[error("{}, line {}: {}.", .0.path, .0.line, .0.problem)]
    BrokenRecord(Problem),
    /// A credential is missing.
    #[error("The credential {credential} is missing.")]
    CredentialNeeded { credential: String },
    /// A credential is there, and nobody has allowed this tool to have it.
    #[error("{consumer} may not have the credential {credential} for {destination}.")]
    CredentialNotGranted { credential: String, consumer: String, destination: String },
    /// A sign-in has ended, or was never made.
    #[error("{credential} needs a sign-in: {reason}.")]
    NeedsSignIn { credential: String, reason: String },
    /// The tool asked its context for something its skill has not declared.
    #[error("{what}")]
    NotDeclared { what: String, remedy: String },
    /// The user, or nobody, allowed what the tool wanted to do while it ran.
    #[error("{what}")]
    NotAllowed {
        /// One sentence: what was not done, and why.
        what: String,
        remedy: String,
        /// Nobody answered.
        unanswered: bool,
    },
    #[error("The call was stopped.")]
    Cancelled,
    /// Anything else, in the tool's own words.
    #[error("{message}")]
    Failed { message: String, hint: String },
}

impl ToolError {
    pub fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), hint: hint.into() }
    }

    /// What to do about it, one sentence; empty where nothing can be done.
    pub fn hint(&self) -> String {
        match self {
            Self::InvalidArguments { allowed, .. } if !allowed.is_empty() => {
                format!("Allowed: {}.", allowed.join(", "))
            }
            Self::InvalidArguments { .. } => "Change the argument and call again.".into(),
            Self::NotFound { nearest, .. } if !nearest.is_empty() => {
                format!("Nearest: {}.", nearest.join(", "))
            }
            Self::NotFound { .. } => "Check the list, or create it.".into(),
            Self::Ambiguous { .. } => "Ask which one is meant, then use its full name or path.".into(),
            Self::Exists { remedy, .. } | Self::NoNote { remedy, .. } => remedy.clone(),
            Self::Vault(error) => error.hint(),
            Self::File(FileError::NoFolder { folders, .. }) => {
                let names = std::iter::once("vault").chain(folders.iter().map(String::as_str));
                format!("Paths begin with the name of a folder: {}.", names.collect::<Vec<_>>().join(", "))
            }
            Self::File(error) => error.hint(),
            Self::BrokenRecord(problem) => problem.remedy.clone(),
            Self::CredentialNeeded { credential } => {
                let key = if credential.contains('/') { "" } else { "/KEY" };
                format!("Run `nova credential set {credential}{key}`, then call again.")
            }
            Self::CredentialNotGranted { credential, consumer, .. } => {
                format!("Run `nova credential grant {credential} --to {consumer}` if it should have it.")
            }
            Self::NeedsSignIn { credential, .. } => {
                format!("Sign in at Settings, Credentials, or run `nova credential sign-in {credential}`.")
            }
            Self::NotDeclared { remedy, .. } | Self::NotAllowed { remedy, .. } => remedy.clone(),
            Self::NoVault => "Open a vault first.".into(),
            Self::Cancelled => String::new(),
            Self::Failed { hint, .. } => hint.clone(),
        }
    }
}

impl From<TooLarge> for ToolError {
    fn from(error: TooLarge) -> Self {
        Self::failed(
            format!("It cannot be computed: {error}."),
            "Look for a number with too many digits, and correct its note.",
        )
    }
}

impl From<&ToolError> for UserError {
    fn from(error: &ToolError) -> Self {
        let code = match error {
            ToolError::InvalidArguments { .. } => ErrorCode::InvalidArguments,
            ToolError::NotFound { .. } | ToolError::NoNote { .. } => ErrorCode::NoteNotFound,
            ToolError::Ambiguous { .. } => ErrorCode::Ambiguous,
            ToolError::Exists { .. } => ErrorCode::NoteExists,
            ToolError::BrokenRecord(_) => ErrorCode::NoteBroken,
            ToolError::Vault(error) => return error.into(),
            ToolError::File(error) => code_of_file(error),
            ToolError::NoVault => ErrorCode::NoVault,
            ToolError::CredentialNeeded { .. } => ErrorCode::CredentialNeeded,
            ToolError::CredentialNotGranted { .. } => ErrorCode::CredentialNotGranted,
            ToolError::NeedsSignIn { .. } => ErrorCode::NeedsSignIn,
            ToolError::NotAllowed { unanswered: true, .. } => ErrorCode::ApprovalUnanswered,
            ToolError::NotAllowed { .. } => ErrorCode::DeniedByUser,
            ToolError::NotDeclared { .. } | ToolError::Failed { .. } => ErrorCode::ToolFailed,
            ToolError::Cancelled => ErrorCode::Cancelled,
        };
        Self::new(code, error.to_string(), error.hint())
    }
}

impl From<ToolError> for UserError {
    fn from(error: ToolError) -> Self {
        Self::from(&error)
    }
}

fn code_of_file(error: &FileError) -> ErrorCode {
    match error {
        FileError::NoFolder { .. } | FileError::Outside { .. } => ErrorCode::PathRefused,
        FileError::Pattern { .. } => ErrorCode::InvalidArguments,
        FileError::ReadOnly { .. } => ErrorCode::PathRefused,
        FileError::Count { .. } | FileError::TooLarge { .. } => ErrorCode::EditRefused,
        FileError::Changed { .. } => ErrorCode::Conflict,
        FileError::Io { .. } => ErrorCode::Io,
        FileError::Stopped => ErrorCode::Cancelled,
        FileError::NotFound { .. }
        | FileError::Kind { .. }
        | FileError::NotText { .. }
        | FileError::Document { .. } => ErrorCode::ToolFailed,
    }
}

/// As a sentence begins, unless it begins with a path.
fn capitalized(error: &FileError) -> String {
    let text = error.to_string();
    match error {
        FileError::Pattern { .. } | FileError::Stopped => {
            let mut letters = text.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        }
        _ => text,
    }
}

/// Several of a kind: "contacts", "companies".
fn plural(kind: &str) -> String {
    match kind.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{kind}s"),
    }
}
