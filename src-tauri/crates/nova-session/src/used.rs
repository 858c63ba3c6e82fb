//! Derives the usage of skills from events, and adds it to the statistics.

use std::collections::HashMap;

use nova_protocol::{Envelope, ErrorCode, Event};
use sqlx::SqliteConnection;

/// Receives the events of a turn, a form or a command in order, and determines what counts as usage.
#[derive(Debug, Default)]
pub struct UseMeter {
    /// `skill.tool` by the id of a running call.
    running: HashMap<String, String>,
}

impl UseMeter {
    /// The usage that the event adds: an activation, or a call that has ended. Calls of unknown tools do not
    /// count.
    pub fn observe(&mut self, envelope: &Envelope) -> Option<Used> {
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
    pub(crate) skill: String,
    /// RFC 3339
    pub(crate) at: String,
    pub(crate) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Activation,
    /// `error`: the message, if it failed.
    Call {
        tool: String,
        ms: u64,
        output_bytes: u64,
        error: Option<String>,
    },
}

impl Used {
    /// `session`: where it happened, which owns the error message.
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

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
