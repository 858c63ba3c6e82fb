use std::io;

/// Size limit of written texts, in bytes.
pub const MAX_WRITTEN_BYTES: u64 = 8 * 1024 * 1024;

/// Size limit of new files of any kind, in bytes.
pub const MAX_ATTACHED_BYTES: u64 = 50 * 1024 * 1024;

/// Why a file could not be read, searched or written. Paths are spelled as by the caller.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{path} is not in a folder that tools may use")]
    NoFolder { path: String, folders: Vec<String> },
    #[error("{path} is outside its folder")]
    Outside { path: String },
    #[error("{path} was not found")]
    NotFound { path: String },
    #[error("{path} is {kind}")]
    Kind { path: String, kind: &'static str },
    #[error("{path} is {kind} of {size} bytes and cannot be shown as text")]
    NotText { path: String, kind: String, size: u64 },
    #[error("{path} could not be read as {kind}: {reason}")]
    Document { path: String, kind: &'static str, reason: String },
    #[error("the pattern is not valid: {reason}")]
    Pattern { reason: String },
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
    #[error("{path} is larger than {} MB", most / 1024 / 1024)]
    TooLarge { path: String, most: u64 },
    #[error("{path} is hidden, and no attachment is saved there")]
    Hidden { path: String },
    #[error("{path} is in {folder}, which is read-only")]
    ReadOnly { path: String, folder: String },
    #[error("the text to replace was found {found} times in {path}, not {expected}")]
    Count { path: String, found: usize, expected: usize },
    #[error("{path} was changed by another program; nothing was written to it")]
    Changed { path: String },
    #[error("it was stopped")]
    Stopped,
}

impl FileError {
    /// The user's next step, one sentence.
    pub fn hint(&self) -> String {
        match self {
            Self::NoFolder { folders, .. } => {
                format!("Paths begin with the name of a folder: {}.", folders.join(", "))
            }
            Self::Outside { .. } => "Use the file itself, in a folder that is open.".into(),
            Self::NotFound { .. } => "List its folder to see what is there.".into(),
            Self::Kind { .. } => "Name a file.".into(),
            Self::NotText { .. } | Self::Document { .. } => "Ask the user what is in it.".into(),
            Self::Pattern { .. } => "Correct it and call again.".into(),
            Self::Hidden { .. } => "Choose another folder.".into(),
            Self::TooLarge { .. } => "Work on a smaller file.".into(),
            Self::ReadOnly { .. } => {
                "The user opens a folder for writing in Settings, Vault, Linked folders; `scratch` is always writable.".into()
            }
            Self::Count { found: 0, .. } => "Read the file again and copy the text exactly.".into(),
            Self::Count { .. } => "Give more text around it, or `count` to replace each.".into(),
            Self::Changed { .. } => "Read it again, then repeat the change.".into(),
            Self::Io { .. } => "Check that the file is readable, then try again.".into(),
            Self::Stopped => String::new(),
        }
    }

    /// Converts an error of the operating system.
    pub(crate) fn of(path: &str, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotFound { path },
            // The confinement's own refusals have no OS error code.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Outside { path },
            _ => Self::Io { path, source: error },
        }
    }
}
