//! What only a person can say of a file, and what is wrong in it.

use nova_skill::{JsonSchema, ToolError, Value, json, schemars};
use serde::{Deserialize, Serialize};

use crate::table::Table;

/// How many wrong lines an error names.
const LINES_NAMED: usize = 3;

/// What the file does not tell and a person has to say.
#[derive(Debug)]
pub struct Question {
    /// The key of the mapping.
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

/// A line that cannot be imported, and why.
#[derive(Debug)]
pub struct Wrong {
    pub line: u64,
    pub problem: String,
}

impl Question {
    /// About this many rows, such as "transactions", that look like existing records; none for no rows.
    pub fn of_alike(count: usize, one: &str, many: &str) -> Option<Self> {
        let asks = match count {
            0 => return None,
            1 => format!("1 {one} may be a duplicate. Leave it out?"),
            count => format!("{count} {many} may be duplicates. Leave them out?"),
        };
        Some(Self { about: "alike".into(), asks, choices: vec!["leave_out".into(), "import".into()] })
    }

    /// Which of the columns has something.
    pub fn of_column(about: &str, asks: &str, table: &Table) -> Self {
        Self { about: about.into(), asks: asks.into(), choices: table.header.clone() }
    }

    /// As an answer tells it.
    pub fn to_json(&self) -> Value {
        json!({"about": self.about, "question": self.asks, "choices": self.choices})
    }
}

/// A choice of a question with the words for a person.
pub fn choice(value: &str, label: String) -> Value {
    json!({"value": value, "label": label})
}

/// The first question as an error.
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
/// With file and line, where there is a wrong line.
pub fn refuse_wrong(file: &str, wrong: &[Wrong]) -> Result<(), ToolError> {
    let Some(Wrong { line, problem }) = wrong.first() else { return Ok(()) };
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
