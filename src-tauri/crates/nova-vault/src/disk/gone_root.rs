//! An extra root that is unreachable.

use std::path::PathBuf;

/// An extra root, linked from the top of the vault, that is unreachable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneRoot {
    /// The link's name.
    pub link: String,
    /// Where it leads.
    pub folder: PathBuf,
    pub(super) remedy: &'static str,
}

impl GoneRoot {
    /// What happened, without a full stop.
    pub fn message(&self) -> String {
        format!("The folder that \"{}\" links to is gone: {}", self.link, self.folder.display())
    }

    pub(crate) fn remedy(&self) -> &'static str {
        self.remedy
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        format!("Nothing is written there until it is back. {}", self.remedy)
    }
}
