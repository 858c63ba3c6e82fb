//! Sub-sessions, which belong to sub-agents.

use super::{SessionInfo, Store};
use crate::error::SessionError;

impl Store {
    /// Creates a sub-session. It is not listed itself, and is deleted and restored with its parent.
    ///
    /// # Errors
    /// If there is no such parent, or the database cannot be written.
    pub async fn create_under(
        &self,
        parent: &str,
        id: &str,
        title: &str,
        at: &str,
    ) -> Result<SessionInfo, SessionError> {
        self.info(parent).await?;
        sqlx::query(
            "INSERT INTO sessions (id, title, created_at, updated_at, parent) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(id)
        .bind(title)
        .bind(at)
        .bind(at)
        .bind(parent)
        .execute(self.pool())
        .await?;
        self.info(id).await
    }

    /// Ids of the sub-sessions, oldest first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn children(&self, id: &str) -> Result<Vec<String>, SessionError> {
        let children = sqlx::query_scalar("SELECT id FROM sessions WHERE parent = ? ORDER BY created_at, id");
        Ok(children.bind(id).fetch_all(self.pool()).await?)
    }
}
