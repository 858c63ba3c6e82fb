/// Why a session cannot be read, written or begun.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("There is no session \"{0}\".")]
    Unknown(String),
    #[error("There is no turn \"{0}\" in this session.")]
    UnknownTurn(String),
    /// A turn runs in it, in this or another Nova.
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
