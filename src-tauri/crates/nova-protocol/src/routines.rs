//! Parameters and results of the commands for routines, which Nova runs by itself and notes define.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A routine, including one whose note is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RoutineRow {
    /// Of its note.
    pub path: String,
    pub name: String,
    /// As the note has it.
    pub when: Vec<String>,
    /// Empty for the zone of this machine.
    pub zone: String,
    pub enabled: bool,
    /// What it may run without asking, besides reading.
    pub allow: Vec<String>,
    /// The text below the properties: sent to the assistant if no tool is named.
    pub message: String,
    /// The tool that runs instead, `skill.tool`, and its arguments as the note has them; empty if
    /// none.
    pub tool: String,
    pub args: String,
    pub skills: Vec<String>,
    /// `provider/model`; empty for the default one.
    pub model: String,
    /// The problem of its note and the remedy, in one line.
    pub problem: Option<String>,
    /// The next due time, RFC 3339; none if it is off or not timed.
    pub next: Option<String>,
    pub last: Option<RoutineRun>,
}

/// The newest run of a routine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RoutineRun {
    /// Its chat; empty if it failed before one was created.
    pub session: String,
    /// RFC 3339.
    pub due: String,
    pub started: String,
    pub ended: Option<String>,
    /// Delay of its start in minutes; 0 if on time.
    pub late: u32,
    pub end: RoutineEnd,
    /// The question it stopped at, the reason it failed, or the beginning of the answer; one line.
    pub said: String,
    /// The user has seen how it ended.
    pub seen: bool,
}

/// How a run ended, or that it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RoutineEnd {
    Running,
    /// A card in its chat waits for an answer.
    Waiting,
    Completed,
    Failed,
    /// It was stopped, or the program ended while its card waited.
    Stopped,
    /// The program ended during it.
    CutOff,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RoutineRef {
    /// The note's path, or the routine's name.
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SwitchRoutine {
    pub path: String,
    pub enabled: bool,
}

/// A routine to be written as a note. Empty fields are omitted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct NewRoutine {
    pub name: String,
    pub when: Vec<String>,
    pub zone: String,
    /// The message to the assistant.
    pub message: String,
    /// A tool that runs instead, `skill.tool`, and its arguments as a JSON object.
    pub tool: String,
    pub args: String,
    pub allow: Vec<String>,
    pub skills: Vec<String>,
    /// `provider/model`
    pub model: String,
}

/// A routine as its form showed it, and as edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EditRoutine {
    /// Of its note, which keeps its name.
    pub path: String,
    pub before: NewRoutine,
    pub after: NewRoutine,
}
