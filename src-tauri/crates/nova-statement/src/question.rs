//! Questions that only the user can answer about a file, and its errors.

use nova_skill::{JsonSchema, ToolError, Value, json, schemars};
use serde::{Deserialize, Serialize};

use crate::table::Table;

/// The maximum number of lines named in an error.
const LINES_NAMED: usize = 3;

/// A question that the file does not answer.
#[derive(Debug)]
pub struct Question {
    /// The key of the mapping that the answer sets.
    pub about: String,
    pub asks: String,
    pub choices: Vec<String>,
}

/// What to do with rows that look like existing records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OfAlike {
    LeaveOut,
    Import,
}

/// A line that cannot be imported, with the reason.
#[derive(Debug)]
pub struct WrongLine {
    pub line: u64,
    pub problem: String,
}

impl Question {
    /// The question about this many possible duplicates, with the words for one and for several rows; `None`
    /// if there are none.
    pub fn of_alike(count: usize, one: &str, many: &str) -> Option<Self> {
        let asks = match count {
            0 => return None,
            1 => format!("1 {one} may be a duplicate. Leave it out?"),
            count => format!("{count} {many} may be duplicates. Leave them out?"),
        };
        Some(Self { about: "alike".into(), asks, choices: vec!["leave_out".into(), "import".into()] })
    }

    /// The question of which column to use.
    pub fn of_column(about: &str, asks: &str, table: &Table) -> Self {
        Self { about: about.into(), asks: asks.into(), choices: table.header.clone() }
    }

    /// The question as JSON for an answer.
    pub fn to_json(&self) -> Value {
        json!({"about": self.about, "question": self.asks, "choices": self.choices})
    }
}

/// A choice with its label.
pub fn choice(value: &str, label: String) -> Value {
    json!({"value": value, "label": label})
}

/// The first question as an error, for calls that cannot ask.
pub fn first_open(table: &Table, questions: &[Question]) -> ToolError {
    let file = &table.file;
    let Some(question) = questions.first() else {
        return ToolError::failed(format!("{file} cannot be read."), "Give a mapping.");
    };
    ToolError::failed(
        format!("{file}, line {}: {}", table.header_line, question.asks),
        format!("Give mapping.{}: one of {}.", question.about, question.choices.join(", ")),
    )
}

/// # Errors
/// If there is an unreadable line, with the file and line.
pub fn refuse_wrong_lines(file: &str, wrong: &[WrongLine]) -> Result<(), ToolError> {
    let Some(WrongLine { line, problem }) = wrong.first() else { return Ok(()) };
    let mut message = format!("{file}, line {line}: {problem}.");
    if wrong.len() > 1 {
        let lines: Vec<String> =
            wrong[1..].iter().take(LINES_NAMED).map(|wrong| wrong.line.to_string()).collect();
        message.push_str(&match lines.as_slice() {
            [one] => format!(" Line {one} is also wrong."),
            lines if wrong.len() - 1 > LINES_NAMED => {
                format!(" Lines {} and more are also wrong.", lines.join(", "))
            }
            lines => format!(" Lines {} are also wrong.", lines.join(", ")),
        });
    }
    Err(ToolError::failed(
        message,
        "Correct the mapping, or these lines of the file, and import it again; nothing was imported.",
    ))
}
