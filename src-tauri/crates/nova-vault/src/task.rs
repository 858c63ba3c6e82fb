//! Tasks: list items with a checkbox, as Obsidian's plugin Tasks reads and writes them. Pure functions over strings
//! and dates.
//!
//! ```text
//! tasks          the tasks of a note's text
//! line, fields   one line: checkbox, text, dates and the like, each with its place
//! edit           the line with one thing changed; what completing it makes of it
//! rule, dates    when a recurring task is due next
//! settings       statuses and habits of a vault
//! ```
//!
//! Source: <https://publish.obsidian.md/tasks>, version 8.3 of the plugin.

use std::ops::Range;

use jiff::civil::Date;

use crate::note::checkbox_lines;

mod dates;
mod edit;
mod fields;
mod line;
mod rule;
mod settings;

pub use edit::{
    Changed, TaskEditError, complete_task, new_task, set_task_field, set_task_status, set_task_text,
};
pub use fields::{Priority, TaskField, TaskForm};
pub use rule::Rule as RecurrenceRule;
pub use settings::{TaskKind, TaskRules, TaskStatus};

use line::Line;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its line in the file, 1-based.
    pub line: u32,
    /// The character in its checkbox.
    pub status: char,
    /// What is to be done: without checkbox, fields and block id, with its tags.
    pub text: String,
    /// When it is due.
    pub due: Option<Date>,
    /// When it is planned for.
    pub scheduled: Option<Date>,
    /// When it can begin.
    pub start: Option<Date>,
    /// When it was written down.
    pub created: Option<Date>,
    /// When it was done.
    pub done: Option<Date>,
    /// When it was cancelled.
    pub cancelled: Option<Date>,
    /// How urgent it is; `None` is between medium and low.
    pub priority: Option<Priority>,
    /// How it recurs, as written: `every week on Sunday`.
    pub recurrence: Option<String>,
    /// What other tasks call it.
    pub id: Option<String>,
    /// The ids of tasks to be done before.
    pub depends_on: Vec<String>,
    /// Its tags without `#`.
    pub tags: Vec<String>,
    /// How its fields are written; `None` without any.
    pub form: Option<TaskForm>,
}

/// The tasks of a note, in the order of their lines. What stands in code, in a comment or in the front matter
/// is none, nor is a checkbox without a text.
pub fn tasks(text: &str) -> Vec<Task> {
    checkbox_lines(text).into_iter().filter_map(|(number, line)| task_of(line, number)).collect()
}

/// The task of one line without its line break, wherever that stands.
pub fn task_of(line: &str, number: u32) -> Option<Task> {
    Line::parse(line).map(|read| read.task(number))
}

/// The status character of a checkbox that the text begins with, and where the text behind it begins. Behind
/// the checkbox there must be a blank and something else.
fn checkbox(text: &str) -> Option<(char, Range<usize>)> {
    let status = text.strip_prefix('[')?.chars().next().filter(|c| !matches!(c, '\n' | '\r'))?;
    let behind = text[1 + status.len_utf8()..].strip_prefix(']')?;
    let line = &behind[..behind.find('\n').unwrap_or(behind.len())];
    let trimmed = line.trim_start_matches([' ', '\t']);
    let has_text = trimmed.len() < line.len() && !trimmed.trim().is_empty();
    let start = text.len() - behind.len() + (line.len() - trimmed.len());
    has_text.then(|| (status, start..start + trimmed.trim_end().len()))
}
