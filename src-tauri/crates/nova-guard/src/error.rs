use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// Why a command was not started.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    #[error("cannot start the guard {}: {error}; Nova's installation is incomplete, install it again", program.display())]
    Guard { program: PathBuf, error: io::Error },

    #[error("{} is not on the PATH that the command was given; name it with its folder", program.display())]
    NotFound { program: OsString },

    /// The reason given by the guard or its inner step: a missing program or folder, or a required
    /// confinement that this system cannot enforce.
    #[error("the command was not started: {reason}")]
    NotStarted { reason: String },

    #[error("lost the guard while it started the command: {0}; try again")]
    Lost(#[from] io::Error),
}
