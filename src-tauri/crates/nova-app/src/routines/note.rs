//! Parses routines from notes.

use jiff::tz::TimeZone;
use nova_protocol::{NewRoutine, UserError};
use nova_registry::Rule;
use nova_skill::{Note, RecordType, ToolError, VaultPath};
use serde_json::{Map, Value};

use super::schedule::{Schedule, When};

/// The record type.
pub(crate) const ROUTINE: &str = "routine";

/// A routine's note, valid or not.
pub(crate) struct RoutineNote {
    pub(crate) path: VaultPath,
    pub(crate) name: String,
    /// Unparsed.
    pub(crate) when: Vec<String>,
    pub(crate) zone: String,
    pub(crate) enabled: bool,
    /// As its form shows it.
    pub(crate) form: NewRoutine,
    /// The error is the problem and the remedy.
    pub(crate) routine: Result<Routine, String>,
}

/// What to run, and when.
pub(crate) struct Routine {
    pub(crate) schedule: Schedule,
    pub(crate) does: Does,
    pub(crate) skills: Vec<String>,
    /// `provider/model`; the default model if absent.
    pub(crate) model: Option<String>,
    /// What it may do without asking, in addition to reading.
    pub(crate) allow: Vec<Rule>,
    pub(crate) note: Note,
}

pub(crate) enum Does {
    Say(String),
    /// `skill.tool`, and its arguments.
    Call(String, Map<String, Value>),
}

impl RoutineNote {
    /// `here` is the default time zone.
    pub(crate) fn read(declared: &RecordType, note: Note, here: &TimeZone) -> Self {
        let record = declared.read(&note);
        let list = |field: &str| record.list(field).unwrap_or_default();
        let enabled = record.bool("enabled");
        let mut read = Self {
            path: note.path.clone(),
            name: note.path.name().to_owned(),
            when: list("when"),
            zone: record.text("zone").ok().flatten().unwrap_or_default(),
            // If the switch is invalid, the routine has a problem and does not run.
            enabled: !matches!(enabled, Ok(Some(false))),
            form: as_form(declared, &note),
            routine: Err(String::new()),
        };
        read.routine = read.parse(declared, note.clone(), here);
        read
    }

    /// Identifies the schedule, to detect changes.
    pub(crate) fn schedule(&self) -> String {
        let switch = if self.enabled { "on" } else { "off" };
        format!("{switch} | {} | {}", self.when.join(" | "), self.zone)
    }

    fn parse(&self, declared: &RecordType, note: Note, here: &TimeZone) -> Result<Routine, String> {
        let record = declared.read(&note);
        if note.path.sync_conflict_of().is_some() {
            return Err(
                "It is a sync program's copy of a note and does not run. Delete it, or rename it.".into()
            );
        }
        record.bool("enabled").map_err(in_words)?;
        let text = |field: &str| -> Result<Option<String>, String> {
            let text = record.text(field).map_err(in_words)?;
            Ok(text.filter(|text| !text.trim().is_empty()))
        };
        let zone = match text("zone")? {
            None => here.clone(),
            Some(name) => TimeZone::get(name.trim()).map_err(|_| {
                format!("`zone: {name}` is not a time zone. Use one such as Europe/Berlin, or leave it out.")
            })?,
        };
        if self.when.is_empty() {
            return Err(format!("`when` is missing. {}", super::schedule::ACCEPTED));
        }
        let entries = self.when.iter().map(|entry| When::parse(entry)).collect::<Result<_, _>>()?;
        let does = match text("tool")? {
            Some(tool) => Does::Call(tool.trim().to_owned(), arguments(text("args")?)?),
            None => {
                let body = note.text[note.document.body_start()..].trim();
                if body.is_empty() {
                    return Err("It has no message. Write one below the properties, or name a `tool`.".into());
                }
                Does::Say(body.to_owned())
            }
        };
        let list = |field: &str| record.list(field).unwrap_or_default();
        Ok(Routine {
            schedule: Schedule::new(entries, zone),
            does,
            skills: list("skills"),
            model: text("model")?,
            allow: list("allow").into_iter().map(|rule| Rule::new(rule, 0)).collect(),
            note,
        })
    }
}

fn as_form(declared: &RecordType, note: &Note) -> NewRoutine {
    let values = declared.form_values(note);
    let text = |key: &str| values.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |key: &str| -> Vec<String> {
        let items = values.get(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    NewRoutine {
        name: note.path.name().to_owned(),
        when: list("when"),
        zone: text("zone"),
        message: note.text[note.document.body_start()..].trim().to_owned(),
        tool: text("tool"),
        args: text("args"),
        allow: list("allow"),
        skills: list("skills"),
        model: text("model"),
    }
}

/// Parses `args:`, a JSON object as text.
fn arguments(text: Option<String>) -> Result<Map<String, Value>, String> {
    let Some(text) = text else { return Ok(Map::new()) };
    match serde_json::from_str(&text) {
        Ok(Value::Object(args)) => Ok(args),
        _ => Err(format!("`args: {text}` is not a JSON object. Write it as '{{\"due\": \"..today\"}}'.")),
    }
}

fn in_words(error: ToolError) -> String {
    let UserError { message, hint, .. } = error.into();
    format!("{message} {hint}").trim().to_owned()
}
