//! Detached calls in the log, and their locks between processes.

use nova_protocol::{Envelope, Event};

use super::{HeldCall, Store, readable, safe_name};
use crate::error::SessionError;
use crate::message::{LateEnd, LogMessage};

impl Store {
    /// Marks the call as running in this process.
    pub(crate) fn hold_call(&self, call: &str) -> Result<HeldCall, SessionError> {
        let name = format!("call-{}", safe_name(call));
        let file = self.lock_file(&name)?;
        Ok(HeldCall { _file: file, path: self.leases.join(name) })
    }

    /// Whether any Nova process runs the call.
    pub(crate) fn is_held(&self, call: &str) -> bool {
        matches!(self.hold_call(call), Err(SessionError::Busy))
    }

    /// The end of a detached call, regardless of the branch that was current then.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub(crate) async fn late_end(&self, id: &str, call: &str) -> Result<Option<LateEnd>, SessionError> {
        let late = self.of_call(id, call, "late_end", "$.of.call").await?;
        Ok(match late {
            Some(LogMessage::LateEnd(end)) => Some(*end),
            _ => None,
        })
    }

    /// The end of a call in the log.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub(crate) async fn end_of_call(&self, id: &str, call: &str) -> Result<Option<Event>, SessionError> {
        let end = self.of_call(id, call, "tool_call_completed", "$.call").await?;
        Ok(end.map(|envelope: Envelope| envelope.event))
    }

    /// The first entry of this kind whose field names the call.
    async fn of_call<T: serde::de::DeserializeOwned>(
        &self,
        id: &str,
        call: &str,
        kind: &str,
        field: &str,
    ) -> Result<Option<T>, SessionError> {
        // SQLite fails on the first entry that is not valid JSON.
        let entry: Option<(i64, String)> = sqlx::query_as(
            "SELECT seq, body FROM log WHERE session = ? AND
             CASE WHEN json_valid(body) THEN coalesce(body ->> 'type', body ->> 'role') = ? AND body ->> ? = ? END
             ORDER BY seq LIMIT 1",
        )
        .bind(id)
        .bind(kind)
        .bind(field)
        .bind(call)
        .fetch_optional(&self.pool)
        .await?;
        Ok(entry.and_then(|(seq, body)| readable(id, seq, &body)))
    }
}
