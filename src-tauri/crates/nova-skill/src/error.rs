use nova_error::{ErrorCode, UserError};
use nova_figures::TooLarge;
use nova_vault::{Problem, VaultError};
use nova_workspace::FileError;

/// Why a tool failed. Every message is sent to the model and shown to the user, so it says what happened and
/// what to do.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The arguments contradict each other, or name something of the wrong kind. (Arguments that violate the
    /// schema never reach a tool.)
    #[error("{}{rule}.", if path.is_empty() { String::new() } else { format!("{path}: ") })]
    InvalidArguments {
        /// JSON pointer to the argument, "" for the whole.
        path: String,
        /// The violated rule, without a full stop.
        rule: String,
        /// The accepted values, if they can be listed.
        allowed: Vec<String>,
    },
    /// Nothing has that name.
    #[error("There is no {kind} \"{name}\".")]
    NotFound {
        kind: String,
        name: String,
        /// The most similar names.
        nearest: Vec<String>,
    },
    /// No source of prices knows the symbol.
    #[error("No source knows {symbol}: {reasons}.")]
    UnknownSymbol { symbol: String, reasons: String, remedy: String },
    /// It exists but is not a note.
    #[error("{what}")]
    NoNote { what: String, remedy: String },
    /// Several items match the name.
    #[error("Several {} match \"{name}\": {}.", plural(kind), matches.join(", "))]
    Ambiguous { kind: String, name: String, matches: Vec<String> },
    /// It exists already.
    #[error("There is already a {kind} \"{name}\": {path}.")]
    Exists {
        kind: String,
        name: String,
        /// Its path.
        path: String,
        /// The remedy.
        remedy: String,
    },
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("{}.", capitalized(.0))]
    File(#[from] FileError),
    #[error("No vault is open.")]
    NoVault,
    /// A record has a value that its type does not allow; the tool must not guess.
    #[error("{}, line {}: {}.", .0.path, .0.line, .0.problem)]
    BrokenRecord(Problem),
    /// A credential is missing.
    #[error("The credential {credential} is missing.")]
    CredentialNeeded { credential: String },
    /// A credential exists, but was not granted to this tool.
    #[error("{consumer} may not have the credential {credential} for {destination}.")]
    CredentialNotGranted { credential: String, consumer: String, destination: String },
    /// A sign-in has expired, or was never made.
    #[error("{credential} needs a sign-in: {reason}.")]
    NeedsSignIn { credential: String, reason: String },
    /// A server does not accept the user and the password. `account` names the mailbox or calendar, `said` are the
    /// server's words, if any.
    #[error("{account} refused the sign-in{}.", after_colon(said))]
    SignInRefused { account: String, said: String, remedy: String },
    /// It is unknown whether a mail was sent.
    #[error("{what}")]
    MaybeSent {
        what: String,
        remedy: String,
        /// The id of the draft that holds it, if there is one.
        draft: Option<String>,
    },
    /// The tool used a part of its context that its skill has not declared.
    #[error("{what}")]
    NotDeclared { what: String, remedy: String },
    /// An action during the run was denied, or not approved by anyone.
    #[error("{what}")]
    NotAllowed {
        /// One sentence: what was not done, and why.
        what: String,
        remedy: String,
        /// There was no answer.
        unanswered: bool,
    },
    #[error("The call was stopped.")]
    Cancelled,
    /// Any other error, in the tool's own words.
    #[error("{message}")]
    Failed { message: String, hint: String },
}

impl ToolError {
    pub fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), hint: hint.into() }
    }

    /// The remedy in one sentence; empty if there is none.
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
            Self::Exists { remedy, .. }
            | Self::NoNote { remedy, .. }
            | Self::UnknownSymbol { remedy, .. }
            | Self::SignInRefused { remedy, .. }
            | Self::MaybeSent { remedy, .. } => remedy.clone(),
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
        match error {
            ToolError::Vault(error) => error.into(),
            ToolError::MaybeSent { draft, .. } => {
                Self { draft: draft.clone(), ..Self::new(error.code(), error.to_string(), error.hint()) }
            }
            error => Self::new(error.code(), error.to_string(), error.hint()),
        }
    }
}

impl ToolError {
    pub fn code(&self) -> ErrorCode {
        match self {
            ToolError::InvalidArguments { .. } => ErrorCode::InvalidArguments,
            ToolError::NotFound { .. } | ToolError::NoNote { .. } => ErrorCode::NoteNotFound,
            ToolError::UnknownSymbol { .. } => ErrorCode::UnknownSymbol,
            ToolError::Ambiguous { .. } => ErrorCode::Ambiguous,
            ToolError::Exists { .. } => ErrorCode::NoteExists,
            ToolError::BrokenRecord(_) => ErrorCode::NoteBroken,
            ToolError::Vault(error) => UserError::from(error).code,
            ToolError::File(error) => code_of_file(error),
            ToolError::NoVault => ErrorCode::NoVault,
            ToolError::CredentialNeeded { .. } => ErrorCode::CredentialNeeded,
            ToolError::CredentialNotGranted { .. } => ErrorCode::CredentialNotGranted,
            ToolError::NeedsSignIn { .. } => ErrorCode::NeedsSignIn,
            ToolError::SignInRefused { .. } => ErrorCode::SignInRefused,
            ToolError::NotAllowed { unanswered: true, .. } => ErrorCode::ApprovalUnanswered,
            ToolError::NotAllowed { .. } => ErrorCode::DeniedByUser,
            ToolError::NotDeclared { .. } | ToolError::MaybeSent { .. } | ToolError::Failed { .. } => {
                ErrorCode::ToolFailed
            }
            ToolError::Cancelled => ErrorCode::Cancelled,
        }
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
        FileError::ReadOnly { .. } | FileError::Hidden { .. } => ErrorCode::PathRefused,
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

/// `: said`, if anything was said.
fn after_colon(said: &str) -> String {
    match said.trim().trim_end_matches('.') {
        "" => String::new(),
        said => format!(": {said}"),
    }
}

/// Starts with a capital letter, unless it starts with a path.
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

/// The plural of a kind: "contacts", "companies".
fn plural(kind: &str) -> String {
    match kind.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{kind}s"),
    }
}
