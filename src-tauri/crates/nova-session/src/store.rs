mod calls;
mod children;

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use nova_protocol::Envelope;
use nova_provider::Image;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
};

use crate::error::SessionError;
use crate::message::Entry;
use crate::named_image::NamedImage;
use crate::search_text::searchable;
use crate::used::Used;

/// Stores all sessions and the usage of skills, in `<data>/nova.db`.
#[derive(Clone)]
pub struct Store {
    pool: SqlitePool,
    leases: PathBuf,
}

/// A row of the session list.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SessionInfo {
    pub id: String,
    pub title: String,
    pub created_at: String,
    pub updated_at: String,
    pub model: Option<String>,
    pub pinned: bool,
    pub archived: bool,
    /// The time since when it has been in the trash.
    pub deleted_at: Option<String>,
    /// The session whose sub-agent works in this one.
    pub parent: Option<String>,
}

/// The result of a purge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purged {
    pub sessions: Vec<String>,
    /// How many of them were listed in the trash; the others are their sub-sessions.
    pub listed: usize,
    /// Whether no trace of them is left in the write-ahead log.
    pub log_emptied: bool,
}

/// Held while a turn runs; the system releases it when the process ends, in whatever way.
#[derive(Debug)]
pub(crate) struct Lease(Unlocking);

impl Drop for Lease {
    fn drop(&mut self) {
        let _ = self.0.0.set_len(0);
    }
}

/// A locked file that is unlocked on drop. Closing it is not enough: a process that is being spawned briefly
/// has a copy of every open file, and thus of the lock.
#[derive(Debug)]
struct Unlocking(File);

impl Drop for Unlocking {
    fn drop(&mut self) {
        // Closing it has the same effect, a little later.
        let _ = self.0.unlock();
    }
}

impl Store {
    /// Opens or creates the database in the folder.
    ///
    /// # Errors
    /// If the folder or the database cannot be written, or the database is from a newer Nova version.
    pub async fn open(data: &Path) -> Result<Self, SessionError> {
        let leases = data.join("leases");
        let io = |source| SessionError::Io { path: data.display().to_string(), source };
        make_private(data, &leases).map_err(io)?;
        let options = SqliteConnectOptions::new()
            .filename(data.join("nova.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .foreign_keys(true)
            // Purged data is overwritten.
            .pragma("secure_delete", "ON")
            .busy_timeout(std::time::Duration::from_secs(10));
        // Serialises processes that start at once, of which one creates or migrates the database; SQLite has
        // no lock for that.
        let alone = leases.join(".opening");
        let alone = tokio::task::spawn_blocking(move || {
            let named = |error: std::io::Error| {
                std::io::Error::new(error.kind(), format!("{}: {error}", alone.display()))
            };
            let file = nova_files::open_lock(&alone).map_err(named)?;
            file.lock()?;
            Ok(Unlocking(file))
        });
        let alone = alone.await.map_err(std::io::Error::other).and_then(|locked| locked).map_err(io)?;
        let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
        sqlx::migrate!("./migrations").run(&pool).await.map_err(|error| match error {
            sqlx::migrate::MigrateError::VersionMissing(_) => SessionError::Newer,
            error => SessionError::Migration(error),
        })?;
        let store = Self { pool, leases };
        store.fold_said().await?;
        drop(alone);
        Ok(store)
    }

    /// Sessions that are neither deleted nor sub-sessions, newest first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn list(&self) -> Result<Vec<SessionInfo>, SessionError> {
        let list = "SELECT * FROM sessions WHERE deleted_at IS NULL AND parent IS NULL
             ORDER BY updated_at DESC, id DESC";
        Ok(sqlx::query_as(list).fetch_all(&self.pool).await?)
    }

    /// Sessions in the trash, newest first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn list_deleted(&self) -> Result<Vec<SessionInfo>, SessionError> {
        let list = "SELECT * FROM sessions WHERE deleted_at IS NOT NULL
                AND (parent IS NULL OR parent IN (SELECT id FROM sessions WHERE deleted_at IS NULL))
             ORDER BY deleted_at DESC, id DESC";
        Ok(sqlx::query_as(list).fetch_all(&self.pool).await?)
    }

    /// # Errors
    /// [`SessionError::Unknown`], or when the database cannot be read.
    pub async fn info(&self, id: &str) -> Result<SessionInfo, SessionError> {
        sqlx::query_as("SELECT * FROM sessions WHERE id = ? AND deleted_at IS NULL")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?
            .ok_or_else(|| SessionError::Unknown(id.to_owned()))
    }

    /// # Errors
    /// When the database cannot be written.
    pub async fn create(&self, id: &str, at: &str) -> Result<SessionInfo, SessionError> {
        sqlx::query("INSERT INTO sessions (id, title, created_at, updated_at) VALUES (?, '', ?, ?)")
            .bind(id)
            .bind(at)
            .bind(at)
            .execute(&self.pool)
            .await?;
        self.info(id).await
    }

    /// # Errors
    /// [`SessionError::Unknown`], or when the database cannot be written.
    pub async fn rename(&self, id: &str, title: &str) -> Result<SessionInfo, SessionError> {
        sqlx::query("UPDATE sessions SET title = ? WHERE id = ? AND deleted_at IS NULL")
            .bind(title)
            .bind(id)
            .execute(&self.pool)
            .await?;
        self.info(id).await
    }

    /// # Errors
    /// When the database cannot be written.
    pub async fn set_model(&self, id: &str, model: &str) -> Result<(), SessionError> {
        sqlx::query("UPDATE sessions SET model = ? WHERE id = ?")
            .bind(model)
            .bind(id)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Pins or unpins a session, which is listed before others.
    ///
    /// # Errors
    /// [`SessionError::Unknown`], or if the database cannot be written.
    pub async fn pin(&self, id: &str, pinned: bool) -> Result<SessionInfo, SessionError> {
        let pin = sqlx::query("UPDATE sessions SET pinned = ? WHERE id = ? AND deleted_at IS NULL");
        pin.bind(pinned).bind(id).execute(&self.pool).await?;
        self.info(id).await
    }

    /// Archives or unarchives a session.
    ///
    /// # Errors
    /// [`SessionError::Unknown`], or if the database cannot be written.
    pub async fn archive(&self, id: &str, archived: bool) -> Result<SessionInfo, SessionError> {
        let archive = sqlx::query("UPDATE sessions SET archived = ? WHERE id = ? AND deleted_at IS NULL");
        archive.bind(archived).bind(id).execute(&self.pool).await?;
        self.info(id).await
    }

    /// Moves it to the trash, with its sub-sessions.
    ///
    /// # Errors
    /// [`SessionError::Busy`] while a turn runs, [`SessionError::Unknown`], or if the database cannot be
    /// written.
    pub async fn delete(&self, id: &str, at: &str) -> Result<(), SessionError> {
        self.info(id).await?;
        let _lease = self.lease(id)?;
        let under = self.children(id).await?;
        let _leases = under.iter().map(|child| self.lease(child)).collect::<Result<Vec<_>, _>>()?;
        let delete = sqlx::query("UPDATE sessions SET deleted_at = ? WHERE id = ? OR parent = ?");
        delete.bind(at).bind(id).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Restores it from the trash, with its sub-sessions.
    ///
    /// # Errors
    /// [`SessionError::Unknown`], also if it was purged, or if the database cannot be written.
    pub async fn restore(&self, id: &str) -> Result<SessionInfo, SessionError> {
        let restore = sqlx::query("UPDATE sessions SET deleted_at = NULL WHERE id = ? OR parent = ?");
        restore.bind(id).bind(id).execute(&self.pool).await?;
        self.info(id).await
    }

    /// Deletes sessions of the trash permanently: those deleted up to this time, or all. Returns which.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub async fn purge(&self, until: Option<&str>) -> Result<Purged, SessionError> {
        // If nothing is due, skips the transaction, which would wait for writers. An unconditional purge
        // always runs, since it may be a retry because the log was not emptied.
        let is_due = |info: &SessionInfo| until.is_none_or(|until| info.deleted_at.as_deref() <= Some(until));
        if until.is_some() && !self.list_deleted().await?.iter().any(is_due) {
            return Ok(Purged { sessions: Vec::new(), listed: 0, log_emptied: true });
        }
        let listed = self.list_deleted().await?.iter().filter(|info| is_due(info)).count();
        // Sub-sessions first: deleted by a cascade, their ids would be unknown.
        let (under, others) = (
            "DELETE FROM sessions WHERE parent IS NOT NULL AND deleted_at <= coalesce(?, deleted_at) RETURNING id",
            "DELETE FROM sessions WHERE deleted_at <= coalesce(?, deleted_at) RETURNING id",
        );
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let mut sessions: Vec<String> = Vec::new();
        for purge in [under, others] {
            sessions.extend(
                sqlx::query_scalar::<_, String>(purge).bind(until).fetch_all(&mut *transaction).await?,
            );
        }
        transaction.commit().await?;
        Ok(Purged { sessions, listed, log_emptied: self.empty_log().await? })
    }

    /// Deletes one session of the trash permanently.
    ///
    /// # Errors
    /// [`SessionError::Unknown`] if it is not in the trash, [`SessionError::LogKept`] if it is deleted but
    /// still on disk, or if the database cannot be written.
    pub async fn purge_one(&self, id: &str) -> Result<(), SessionError> {
        let purge = sqlx::query("DELETE FROM sessions WHERE id = ? AND deleted_at IS NOT NULL");
        if purge.bind(id).execute(&self.pool).await?.rows_affected() == 0 {
            return Err(SessionError::Unknown(id.to_owned()));
        }
        if self.empty_log().await? { Ok(()) } else { Err(SessionError::LogKept) }
    }

    /// Truncates the write-ahead log, which contains purged data until then. Returns `false` if another
    /// process reads from it.
    async fn empty_log(&self) -> Result<bool, SessionError> {
        let checkpoint = sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)");
        let busy: i64 = checkpoint.fetch_one(&self.pool).await?;
        Ok(busy == 0)
    }

    /// The change sets with their sessions. Changes by a sub-agent belong to its parent.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn change_sets(&self) -> Result<Vec<(String, String)>, SessionError> {
        Ok(sqlx::query_as(
            "SELECT DISTINCT body ->> 'change_set', session FROM log
             JOIN sessions ON sessions.id = log.session
             WHERE kind = 'event' AND body ->> 'type' = 'tool_call_completed' AND body ->> 'change_set' IS NOT NULL
             ORDER BY parent IS NULL",
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// The events of a session, oldest first.
    ///
    /// # Errors
    /// [`SessionError::Unknown`], or when the log cannot be read.
    pub async fn events(&self, id: &str) -> Result<Vec<Envelope>, SessionError> {
        self.info(id).await?;
        Ok(self.events_since(id, 0).await?.into_iter().map(|(_, envelope)| envelope).collect())
    }

    /// Whether the turn is part of the session.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn has_turn(&self, id: &str, turn: &str) -> Result<bool, SessionError> {
        let found: Option<(i64,)> = sqlx::query_as(
            "SELECT seq FROM log
             WHERE session = ? AND kind = 'event' AND body ->> 'type' = 'turn_started' AND body ->> 'turn' = ?",
        )
        .bind(id)
        .bind(turn)
        .fetch_optional(&self.pool)
        .await?;
        Ok(found.is_some())
    }

    /// Stores images of a session, deduplicated.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub(crate) async fn add_images(&self, id: &str, images: &[NamedImage]) -> Result<(), SessionError> {
        for NamedImage { image, .. } in images {
            let insert = "INSERT INTO images (session, id, media_type, bytes) VALUES (?, ?, ?, ?)
                 ON CONFLICT DO NOTHING";
            sqlx::query(insert)
                .bind(id)
                .bind(&image.id)
                .bind(image.media_type)
                .bind(image.bytes())
                .execute(&self.pool)
                .await?;
        }
        Ok(())
    }

    /// An image of a session that is not deleted; `None` if it has no such image.
    ///
    /// # Errors
    /// [`SessionError::Unknown`], or if the database cannot be read.
    pub async fn image(&self, id: &str, image: &str) -> Result<Option<Image>, SessionError> {
        self.info(id).await?;
        let bytes: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT bytes FROM images WHERE session = ? AND id = ?")
                .bind(id)
                .bind(image)
                .fetch_optional(&self.pool)
                .await?;
        Ok(bytes.and_then(|bytes| Image::read(&bytes).ok()))
    }

    /// Wraps an open database, without a folder for leases.
    #[cfg(test)]
    pub(crate) fn over(pool: SqlitePool) -> Self {
        Self { pool, leases: PathBuf::new() }
    }

    pub(crate) fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    pub(crate) async fn entries(&self, id: &str) -> Result<Vec<(i64, Entry)>, SessionError> {
        let rows: Vec<(i64, String, String)> =
            sqlx::query_as("SELECT seq, kind, body FROM log WHERE session = ? ORDER BY seq")
                .bind(id)
                .fetch_all(&self.pool)
                .await?;
        let entries = rows.into_iter().filter_map(|(seq, kind, body)| {
            let entry = match kind.as_str() {
                "event" => readable(id, seq, &body).map(Entry::Event),
                _ => readable(id, seq, &body).map(Entry::Message),
            };
            Some((seq, entry?))
        });
        Ok(entries.collect())
    }

    /// The number of the session's next entry.
    pub(crate) async fn next_seq(&self, id: &str) -> Result<i64, SessionError> {
        let last: Option<i64> = sqlx::query_scalar("SELECT max(seq) FROM log WHERE session = ?")
            .bind(id)
            .fetch_one(&self.pool)
            .await?;
        Ok(last.map_or(0, |last| last + 1))
    }

    /// Indexes text written by Nova versions that did not fold it.
    async fn fold_said(&self) -> Result<(), SessionError> {
        // It reads before it writes: with a deferred transaction, a concurrent write by another process would
        // make it fail.
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        fold_said(&mut transaction).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Appends entries and their skill usage, in one transaction.
    pub(crate) async fn append(
        &self,
        id: &str,
        at: &str,
        entries: &[(i64, Entry)],
        used: &[Used],
    ) -> Result<(), SessionError> {
        let mut transaction = self.pool.begin().await?;
        for (seq, entry) in entries {
            let (kind, body) = match entry {
                Entry::Event(envelope) => ("event", serde_json::to_string(envelope)?),
                Entry::Message(message) => ("message", serde_json::to_string(message)?),
            };
            // An event outside of a turn may have taken the number meanwhile, in this or another Nova
            // process.
            sqlx::query(
                "INSERT INTO log (session, seq, kind, body)
                 SELECT ?1, max(?2, coalesce((SELECT max(seq) + 1 FROM log WHERE session = ?1), 0)), ?3, ?4",
            )
            .bind(id)
            .bind(seq)
            .bind(kind)
            .bind(body)
            .execute(&mut *transaction)
            .await?;
        }
        for used in used {
            used.add(Some(id), &mut transaction).await?;
        }
        fold_said(&mut transaction).await?;
        sqlx::query("UPDATE sessions SET updated_at = ? WHERE id = ?")
            .bind(at)
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Acquires the right to run a turn in the session.
    pub(crate) fn lease(&self, id: &str) -> Result<Lease, SessionError> {
        let file = self.lock_file(&safe_name(id))?;
        // Marked before it is checked: a check tries the lock, which would block another turn.
        let _ = (&file.0).write_all(b"held");
        Ok(Lease(file))
    }

    /// Whether any Nova process runs a turn in the session.
    pub fn is_running(&self, id: &str) -> bool {
        let claims = std::fs::metadata(self.leases.join(safe_name(id))).is_ok_and(|file| file.len() > 0);
        if !claims {
            return false;
        }
        match self.lock_file(&safe_name(id)) {
            // Its process was killed.
            Ok(file) => {
                let _ = file.0.set_len(0);
                false
            }
            Err(error) => matches!(error, SessionError::Busy),
        }
    }

    /// The events of a session from this position in its log on, with their positions, oldest first.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub async fn events_since(&self, id: &str, seq: i64) -> Result<Vec<(i64, Envelope)>, SessionError> {
        let rows: Vec<(i64, String)> = sqlx::query_as(
            "SELECT seq, body FROM log WHERE session = ? AND kind = 'event' AND seq >= ? ORDER BY seq",
        )
        .bind(id)
        .bind(seq)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.iter().filter_map(|(seq, body)| Some((*seq, readable(id, *seq, body)?))).collect())
    }

    fn lock_file(&self, name: &str) -> Result<Unlocking, SessionError> {
        let path = self.leases.join(name);
        let io = |source| SessionError::Io { path: path.display().to_string(), source };
        let file = nova_files::open_lock(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => Ok(Unlocking(file)),
            Err(std::fs::TryLockError::WouldBlock) => Err(SessionError::Busy),
            Err(std::fs::TryLockError::Error(source)) => Err(io(source)),
        }
    }
}

/// Folds new messages for the search index.
async fn fold_said(transaction: &mut SqliteConnection) -> Result<(), SessionError> {
    /// Maximum number of texts in memory at once.
    const AT_ONCE: usize = 200;
    loop {
        let unfolded = sqlx::query_as("SELECT id, text FROM said WHERE folded IS NULL LIMIT ?");
        let unfolded: Vec<(i64, String)> = unfolded.bind(AT_ONCE as i64).fetch_all(&mut *transaction).await?;
        for (id, text) in &unfolded {
            let fold = sqlx::query("UPDATE said SET folded = ? WHERE id = ?");
            fold.bind(searchable(text)).bind(id).execute(&mut *transaction).await?;
        }
        if unfolded.len() < AT_ONCE {
            return Ok(());
        }
    }
}

/// Parses an entry; an unreadable one is skipped.
fn readable<T: serde::de::DeserializeOwned>(session: &str, seq: i64, body: &str) -> Option<T> {
    let read = serde_json::from_str(body);
    read.inspect_err(|error| tracing::warn!(session, seq, %error, "skipping an unreadable log entry")).ok()
}

/// Held while a detached call runs; released like a [`Lease`].
#[derive(Debug)]
pub(crate) struct HeldCall {
    _file: Unlocking,
    path: PathBuf,
}

impl Drop for HeldCall {
    fn drop(&mut self) {
        // Nothing waits for it, so an error is not reported.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Restricts access to the database: chats contain the content of notes, so other users must not read them,
/// whatever the folder.
fn make_private(data: &Path, leases: &Path) -> std::io::Result<()> {
    nova_files::private_folder(data)?;
    nova_files::private_folder(leases)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
        // SQLite creates its other files with the mode of this one.
        let database = data.join("nova.db");
        let file = File::options().create(true).append(true).mode(0o600).open(database)?;
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        for beside in
            ["nova.db-wal", "nova.db-shm"].map(|name| data.join(name)).iter().filter(|path| path.exists())
        {
            std::fs::set_permissions(beside, std::fs::Permissions::from_mode(0o600))?;
        }
    }
    #[cfg(not(unix))]
    let _ = data;
    Ok(())
}

fn safe_name(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

#[cfg(test)]
mod tests;
