//! Problems in a vault that the user should fix.

use serde::Serialize;

use crate::disk::{GoneRoot, Refusal};
use crate::error::VaultError;
use crate::note::VaultPath;

/// A problem in the vault that the user should fix.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The file, relative to the vault.
    pub path: String,
    /// The line in the file, 1-based; 1 for the whole file.
    pub line: u32,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

impl Problem {
    /// An entry that cannot be a note or a folder of notes.
    pub(crate) fn of_unusable(path: String, reason: &str, remedy: &str) -> Problem {
        Problem { path, line: 1, problem: format!("{reason}; it is not read"), remedy: remedy.to_owned() }
    }

    /// A folder that cannot be listed. `prefix` is its path with a trailing `/`.
    pub(crate) fn of_refused(prefix: &str, error: &std::io::Error, gone: Option<GoneRoot>) -> Problem {
        let path = prefix.trim_end_matches('/').to_owned();
        if let Some(root) = gone {
            return Problem::of_unusable(path, &root.message(), root.remedy());
        }
        let refusal = error.get_ref().and_then(|cause| cause.downcast_ref::<Refusal>());
        let remedy = refusal.map_or("Give your user the right to read the folder.", Refusal::remedy);
        Problem::of_unusable(path, &error.to_string(), remedy)
    }

    /// A note that cannot be read.
    pub(crate) fn of_unreadable(path: &VaultPath, error: &VaultError) -> Problem {
        Problem { path: path.as_str().to_owned(), line: 1, problem: error.message(), remedy: error.hint() }
    }
}
