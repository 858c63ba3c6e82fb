use std::collections::{BTreeMap, HashMap};

use crate::store::{SessionError, Store};

/// What became of one skill in all sessions that are kept. Counted from their logs each time: nothing
/// of it is stored by itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkillUse {
    pub activations: u32,
    pub calls: u32,
    /// Calls that ended badly, also by a denial.
    pub errors: u32,
    /// Of all calls together.
    pub ms: u64,
    /// What its calls gave to the model, in bytes.
    pub output_bytes: u64,
    /// When it was last activated or called, RFC 3339.
    pub last_used: Option<String>,
    /// Calls by day, `YYYY-MM-DD` in UTC.
    pub days: BTreeMap<String, u32>,
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

/// An event as it counts: session, call or skill, `skill.tool`, whether it went well, how long, how
/// much, when, and the message of a failure.
type Row = (
    String,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<bool>,
    Option<i64>,
    Option<i64>,
    String,
    Option<String>,
);

impl Store {
    /// What was used how often, by skill id.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn usage(&self) -> Result<HashMap<String, SkillUse>, SessionError> {
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT body ->> 'type', session, body ->> 'call', body ->> 'tool', body ->> 'skill', body ->> 'ok',
                    body ->> 'ms', length(body -> 'output'), body ->> 'at', body -> 'output' ->> 'message'
             FROM log
             WHERE kind = 'event'
               AND body ->> 'type' IN ('tool_call_started', 'tool_call_completed', 'skill_activated')
             ORDER BY session, seq",
        )
        .fetch_all(self.pool())
        .await?;
        let mut used: HashMap<String, SkillUse> = HashMap::new();
        // A call begins before it ends, in one session.
        let mut running: HashMap<(String, String), String> = HashMap::new();
        for (kind, session, call, tool, skill, ok, ms, bytes, at, message) in rows {
            match (kind.as_str(), call, tool, skill) {
                ("skill_activated", _, _, Some(skill)) => {
                    let skill = used.entry(skill).or_default();
                    skill.activations += 1;
                    skill.used_at(&at);
                }
                ("tool_call_started", Some(call), Some(tool), _) => {
                    running.insert((session, call), tool);
                }
                ("tool_call_completed", Some(call), _, _) => {
                    let Some(name) = running.remove(&(session, call)) else { continue };
                    let Some((skill, tool)) = name.split_once('.') else { continue };
                    let done = Done { tool, ok: ok.unwrap_or_default(), at, message };
                    let (ms, bytes) = (ms.unwrap_or_default(), bytes.unwrap_or_default());
                    used.entry(skill.to_owned()).or_default().count(
                        done,
                        ms.unsigned_abs(),
                        bytes.unsigned_abs(),
                    );
                }
                _ => {}
            }
        }
        Ok(used)
    }
}

struct Done<'a> {
    tool: &'a str,
    ok: bool,
    at: String,
    message: Option<String>,
}

impl SkillUse {
    fn count(&mut self, done: Done, ms: u64, bytes: u64) {
        let Done { tool, ok, at, message } = done;
        let of_tool = self.tools.entry(tool.to_owned()).or_default();
        for (calls, errors, total) in [
            (&mut self.calls, &mut self.errors, &mut self.ms),
            (&mut of_tool.calls, &mut of_tool.errors, &mut of_tool.ms),
        ] {
            *calls += 1;
            *errors += u32::from(!ok);
            *total += ms;
        }
        self.output_bytes += bytes;
        let day = at.get(..10).unwrap_or_default().to_owned();
        *self.days.entry(day).or_default() += 1;
        self.used_at(&at);
        if !ok && self.last_error.as_ref().is_none_or(|last| last.at <= at) {
            let message = message.unwrap_or_default();
            self.last_error = Some(LastError { at, tool: tool.to_owned(), message });
        }
    }

    fn used_at(&mut self, at: &str) {
        if self.last_used.as_deref().is_none_or(|last| last < at) {
            self.last_used = Some(at.to_owned());
        }
    }
}
