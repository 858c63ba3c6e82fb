//! What a call is of, and what it may use.

use std::sync::Arc;
use std::time::Duration;

/// What is called.
#[derive(Debug, Clone)]
pub(super) struct Callee {
    pub(super) owner: String,
    /// The file's name.
    pub(super) file: String,
    pub(super) source: Arc<str>,
    pub(super) hash: blake3::Hash,
    /// Other files of the owner may follow.
    pub(super) more: bool,
    /// It is no file, and runs once in its process.
    pub(super) snippet: bool,
}

/// What a call may use of Nova.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Without the time in which Nova works on what the script asks for.
    pub(super) time: Duration,
    /// From Stop to the end of the process.
    pub(super) grace: Duration,
    pub(super) asks: usize,
    pub(super) output: u64,
}
