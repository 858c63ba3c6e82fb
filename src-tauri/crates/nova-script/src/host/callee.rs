//! The target of a call and its limits.

use std::sync::Arc;
use std::time::Duration;

/// The file to call.
#[derive(Debug, Clone)]
pub(super) struct Callee {
    pub(super) owner: String,
    /// The file's name.
    pub(super) file: String,
    pub(super) source: Arc<str>,
    pub(super) hash: blake3::Hash,
    /// Other files of the owner may follow.
    pub(super) more: bool,
    /// A snippet rather than a file, run once in its process.
    pub(super) snippet: bool,
}

/// Resource limits of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Excluding the time Nova spends on the script's requests.
    pub(super) time: Duration,
    /// From the cancellation to the end of the process.
    pub(super) grace: Duration,
    pub(super) asks: usize,
    pub(super) output: u64,
}
