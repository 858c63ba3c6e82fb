use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

/// Watched mailboxes. It ends when it is dropped.
pub(crate) struct MailWatch {
    /// The entries that are watched.
    pub(crate) entries: Vec<Value>,
    pub(crate) until: watch::Sender<Instant>,
}
