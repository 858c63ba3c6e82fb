use std::collections::{BTreeMap, HashMap};

use nova_protocol::{Envelope, ErrorCode, Event};
use sqlx::SqliteConnection;

use crate::store::{SessionError, Store};

/// The numbers of this many days with calls are shown one by one.
const DAYS: usize = 31;

/// What became of one skill in turns, forms and commands, also of those whose session was deleted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkillUse {
    pub activations: u32,
    pub calls: u32,
    /// Calls that ended badly, also by a denial.
    pub errors: u32,
    /// Of all calls together.
    pub ms: u64,
    /// What its calls answered, in bytes of JSON.
    pub output_bytes: u64,
    /// When it was last activated or called, RFC 3339.
    pub last_used: Option<String>,
    /// Calls by day, `YYYY-MM-DD` in UTC, of the last days that had any.
    pub days: BTreeMap<String, u32>,
    /// Forgotten with the session in which it happened.
    pub last_error: Option<LastError>,
    /// By tool id.
    pub tools: BTreeMap<String, ToolUse>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolUse {
    pub calls: u32,
    pub errors: u32,
    /// Of all its calls together.
    pub ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastError {
    /// RFC 3339
    pub at: String,
    pub tool: String,
    pub message: String,
}

/// Hears the events of a turn, a form or a command in their order and says what counts. Nothing else
/// decides about it.
#[derive(Debug, Default)]
pub struct UseMeter {
    /// `skill.tool` by the id of a call that has not ended.
    running: HashMap<String, String>,
}

impl UseMeter {
    /// What the event adds to the numbers of a skill: an activation, or a call that has ended. A name
    /// that no tool has is not a call of anything.
    pub fn hear(&mut self, envelope: &Envelope) -> Option<Used> {
        let used = |skill: &str, what| Used { skill: skill.to_owned(), at: envelope.at.clone(), what };
        match &envelope.event {
            Event::SkillActivated { skill, .. } => Some(used(skill, What::Activation)),
            Event::ToolCallStarted { call, tool, .. } => {
                self.running.insert(call.clone(), tool.clone());
                None
            }
            Event::ToolCallCompleted { call, ok, output, ms, .. } => {
                let name = self.running.remove(call)?;
                let (skill, tool) = name.split_once('.')?;
                let says = |key: &str| output.get(key).and_then(serde_json::Value::as_str);
                if !ok && says("code") == Some(ErrorCode::UnknownTool.as_str()) {
                    return None;
                }
                let error = (!ok).then(|| says("message").unwrap_or_default().to_owned());
                let output_bytes = output.to_string().len() as u64;
                Some(used(skill, What::Call { tool: tool.to_owned(), ms: *ms, output_bytes, error }))
            }
            _ => None,
        }
    }
}

/// One activation or one call of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    skill: String,
    /// RFC 3339
    at: String,
    what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Activation,
    /// `error`: what was said, where it ended badly.
    Call {
        tool: String,
        ms: u64,
        output_bytes: u64,
        error: Option<String>,
    },
}

/// One row of the table, without its day.
type Row = (String, String, String, i64, i64, i64, i64, i64, String);

impl Store {
    /// Adds what happened outside of a session.
    ///
    /// # Errors
    /// When the database cannot be written.
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

    /// By skill id, in how many sessions it is active, as far as their logs have been written.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn active_in(&self) -> Result<HashMap<String, u32>, SessionError> {
        // Of each group the row with the highest number is taken.
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

    /// What was used how often, by skill id.
    ///
    /// # Errors
    /// When the database cannot be read.
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

impl Used {
    /// `session`: the one it happened in, which keeps what was said in an error.
    pub(crate) async fn add(
        &self,
        session: Option<&str>,
        database: &mut SqliteConnection,
    ) -> Result<(), sqlx::Error> {
        let (tool, activations, calls, ms, bytes, error) = match &self.what {
            What::Activation => ("", 1, 0, 0, 0, None),
            What::Call { tool, ms, output_bytes, error } => {
                (tool.as_str(), 0, 1, signed(*ms), signed(*output_bytes), error.as_deref())
            }
        };
        sqlx::query(
            "INSERT INTO skill_use VALUES (?, ?, substr(?, 1, 10), ?, ?, ?, ?, ?, ?)
             ON CONFLICT (skill, tool, day) DO UPDATE SET
                activations = activations + excluded.activations,
                calls = calls + excluded.calls,
                errors = errors + excluded.errors,
                ms = ms + excluded.ms,
                output_bytes = output_bytes + excluded.output_bytes,
                last_used = max(last_used, excluded.last_used)",
        )
        .bind(&self.skill)
        .bind(tool)
        .bind(&self.at)
        .bind(activations)
        .bind(calls)
        .bind(i64::from(error.is_some()))
        .bind(ms)
        .bind(bytes)
        .bind(&self.at)
        .execute(&mut *database)
        .await?;
        let Some(message) = error else { return Ok(()) };
        sqlx::query(
            "INSERT INTO last_error (skill, tool, at, message, session) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (skill) DO UPDATE SET
                tool = excluded.tool, at = excluded.at, message = excluded.message, session = excluded.session
             WHERE excluded.at >= at",
        )
        .bind(&self.skill)
        .bind(tool)
        .bind(&self.at)
        .bind(message)
        .bind(session)
        .execute(database)
        .await?;
        Ok(())
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

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
