use std::collections::{BTreeMap, HashMap};

use crate::error::SessionError;
use crate::store::Store;
use crate::used::Used;

/// Maximum number of days that are listed separately.
const DAYS: usize = 31;

/// The usage of one skill in turns, forms and commands, including deleted sessions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkillUse {
    pub activations: u32,
    pub calls: u32,
    /// Failed calls, including denied ones.
    pub errors: u32,
    /// Total duration of all calls.
    pub ms: u64,
    /// Total size of its outputs, in bytes of JSON.
    pub output_bytes: u64,
    /// Time of its last activation or call, RFC 3339.
    pub last_used: Option<String>,
    /// Calls by day, `YYYY-MM-DD` in UTC, for the last days with any.
    pub days: BTreeMap<String, u32>,
    /// Deleted with the session in which it happened.
    pub last_error: Option<LastError>,
    /// By tool id.
    pub tools: BTreeMap<String, ToolUse>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolUse {
    pub calls: u32,
    pub errors: u32,
    /// Total duration of its calls.
    pub ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastError {
    /// RFC 3339
    pub at: String,
    pub tool: String,
    pub message: String,
}

/// A row of the table, without its day.
type Row = (String, String, String, i64, i64, i64, i64, i64, String);

impl Store {
    /// Adds usage outside of sessions.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub async fn count(&self, used: &[Used]) -> Result<(), SessionError> {
        if used.is_empty() {
            return Ok(());
        }
        let mut transaction = self.pool().begin().await?;
        for used in used {
            used.add(None, &mut transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// The number of sessions in which each skill is active, by skill id, according to their written logs.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn active_in(&self) -> Result<HashMap<String, u32>, SessionError> {
        // SQLite takes the row with the maximum in each group.
        let rows: Vec<(String, u32)> = sqlx::query_as(
            "SELECT skill, count(*) FROM (
                 SELECT body ->> 'skill' AS skill, body ->> 'type' AS type, max(seq) FROM log
                 WHERE kind = 'event' AND body ->> 'type' IN ('skill_activated', 'skill_deactivated')
                     AND session IN (SELECT id FROM sessions WHERE deleted_at IS NULL)
                 GROUP BY session, body ->> 'skill'
             ) WHERE type = 'skill_activated' GROUP BY skill",
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().collect())
    }

    /// The usage by skill id.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn usage(&self) -> Result<HashMap<String, SkillUse>, SessionError> {
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT skill, tool, day, activations, calls, errors, ms, output_bytes, last_used FROM skill_use",
        )
        .fetch_all(self.pool())
        .await?;
        let mut all: HashMap<String, SkillUse> = HashMap::new();
        for row in rows {
            all.entry(row.0.clone()).or_default().add(row);
        }
        for used in all.values_mut() {
            while used.days.len() > DAYS {
                used.days.pop_first();
            }
        }
        let errors: Vec<(String, String, String, String)> = sqlx::query_as(
            "SELECT skill, at, tool, message FROM last_error
             WHERE session IS NULL OR session IN (SELECT id FROM sessions WHERE deleted_at IS NULL)",
        )
        .fetch_all(self.pool())
        .await?;
        for (skill, at, tool, message) in errors {
            all.entry(skill).or_default().last_error = Some(LastError { at, tool, message });
        }
        Ok(all)
    }
}

impl SkillUse {
    fn add(&mut self, (_, tool, day, activations, calls, errors, ms, output_bytes, last_used): Row) {
        let count = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
        let sum = |number: i64| u64::try_from(number).unwrap_or_default();
        self.activations += count(activations);
        self.calls += count(calls);
        self.errors += count(errors);
        self.ms += sum(ms);
        self.output_bytes += sum(output_bytes);
        if calls > 0 {
            *self.days.entry(day).or_default() += count(calls);
            let of_tool = self.tools.entry(tool).or_default();
            of_tool.calls += count(calls);
            of_tool.errors += count(errors);
            of_tool.ms += sum(ms);
        }
        self.last_used = self.last_used.take().max(Some(last_used));
    }
}

#[cfg(test)]
mod tests;
