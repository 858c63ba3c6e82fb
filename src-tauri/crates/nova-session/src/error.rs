use nova_protocol::{ErrorCode, UserError};

/// Why a session cannot be read, written or started.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("There is no session \"{0}\".")]
    Unknown(String),
    #[error("There is no turn \"{0}\" in this session.")]
    UnknownTurn(String),
    /// A turn is running in it, in this or another Nova process.
    #[error("A turn is running in this session.")]
    Busy,
    #[error("The sessions cannot be read or written: {0}.")]
    Database(#[from] sqlx::Error),
    #[error("The session database cannot be migrated: {0}.")]
    Migration(sqlx::migrate::MigrateError),
    #[error("The session database was written by a newer version of Nova.")]
    Newer,
    #[error("{path}: {source}.")]
    Io { path: String, source: std::io::Error },
    #[error(
        "The chat was deleted, but its text may still be in the database's log, which another program is reading."
    )]
    LogKept,
    #[error("The session's log has an entry that cannot be read: {0}.")]
    Entry(#[from] serde_json::Error),
}

impl From<SessionError> for UserError {
    fn from(error: SessionError) -> Self {
        let (code, hint) = match &error {
            SessionError::Unknown(_) => (
                ErrorCode::UnknownSession,
                "List sessions with: nova session list, or deleted ones with: nova session list --deleted.",
            ),
            SessionError::UnknownTurn(_) => {
                (ErrorCode::BadRequest, "See its turns: nova session show ID --json.")
            }
            SessionError::Busy => (ErrorCode::SessionBusy, "Wait until it ends, or stop it."),
            SessionError::LogKept => {
                (ErrorCode::Io, "Close other programs that use Nova's data, then run: nova session purge.")
            }
            SessionError::Newer => (ErrorCode::Io, "Update Nova, or choose another data folder."),
            SessionError::Database(_)
            | SessionError::Migration(_)
            | SessionError::Io { .. }
            | SessionError::Entry(_) => {
                (ErrorCode::Io, "Check the data folder and the disk, then try again.")
            }
        };
        UserError::new(code, error.to_string(), hint)
    }
}
