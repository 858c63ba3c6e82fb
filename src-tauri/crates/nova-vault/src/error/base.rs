//! Why a base has no result.

use crate::note::VaultPath;

/// Why a base has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    /// The base cannot be read.
    #[error("the base \"{path}\" cannot be read, line {line}: {reason}")]
    Broken {
        /// The file.
        path: VaultPath,
        /// The line in the file, 1-based.
        line: u32,
        /// What is wrong there.
        reason: String,
    },
    /// The note has no block with a base.
    #[error("there is no base in \"{path}\"")]
    None {
        /// The note.
        path: VaultPath,
    },
    /// The base has no such view.
    #[error("the base \"{path}\" has no view \"{view}\"; it has {}", .views.join(", "))]
    NoView {
        /// The file.
        path: VaultPath,
        /// The view that was asked for.
        view: String,
        /// The existing views.
        views: Vec<String>,
    },
    /// A filter cannot be evaluated.
    #[error("the filter `{expression}` of \"{path}\" cannot be evaluated: {reason}")]
    Filter {
        /// The file.
        path: VaultPath,
        /// The filter's line in the file, 1-based, if it cannot be parsed; `None` if it parses but Nova
        /// does not support something in it.
        line: Option<u32>,
        /// The filter.
        expression: String,
        /// The part that cannot be evaluated, naming the function.
        reason: String,
    },
}

impl BaseError {
    /// What to do about it, one sentence.
    pub(crate) fn hint(&self) -> String {
        match self {
            BaseError::Broken { .. } => "Correct that line in the file.".to_owned(),
            BaseError::None { .. } => {
                "Name a .base file, or a note with a block that begins with ```base.".to_owned()
            }
            BaseError::NoView { .. } => "Name one of these, or none for the first.".to_owned(),
            BaseError::Filter { line: Some(_), .. } => "Correct the filter in Obsidian.".to_owned(),
            BaseError::Filter { line: None, .. } => {
                "Change the filter in Obsidian, or ask by properties with vault.query.".to_owned()
            }
        }
    }
}
