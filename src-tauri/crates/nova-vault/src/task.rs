//! Tasks: list items with a checkbox, as read and written by Obsidian's plugin Tasks. Pure functions over
//! strings and dates.
//!
//! ```text
//! tasks          the tasks of a note's text
//! line, fields   one line: checkbox, text and fields, each with its span
//! edit           edits of a line; completing a task
//! rule, dates    the next occurrence of a recurring task
//! settings       a vault's statuses and options
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
    /// Its description: without checkbox, fields and block id, but with its tags.
    pub text: String,
    /// Due date.
    pub due: Option<Date>,
    /// Scheduled date.
    pub scheduled: Option<Date>,
    /// Start date.
    pub start: Option<Date>,
    /// Creation date.
    pub created: Option<Date>,
    /// Completion date.
    pub done: Option<Date>,
    /// Cancellation date.
    pub cancelled: Option<Date>,
    /// Its priority; `None` ranks between medium and low.
    pub priority: Option<Priority>,
    /// Its recurrence rule, as written: `every week on Sunday`.
    pub recurrence: Option<String>,
    /// The id by which other tasks refer to it.
    pub id: Option<String>,
    /// The ids of tasks that must be done first.
    pub depends_on: Vec<String>,
    /// Its tags without `#`.
    pub tags: Vec<String>,
    /// The format of its fields; `None` if it has none.
    pub form: Option<TaskForm>,
}

/// The tasks of a note, in line order. Excludes code, comments, front matter and checkboxes without text.
pub fn tasks(text: &str) -> Vec<Task> {
    checkbox_lines(text).into_iter().filter_map(|(number, line)| task_of(line, number)).collect()
}

/// The task in one line, given without its line break, regardless of context.
pub fn task_of(line: &str, number: u32) -> Option<Task> {
    Line::parse(line).map(|read| read.task(number))
}

/// The status character of a checkbox at the start of the text, and the range of the text after it. The
/// checkbox must be followed by a blank and more text.
fn checkbox(text: &str) -> Option<(char, Range<usize>)> {
    let status = text.strip_prefix('[')?.chars().next().filter(|c| !matches!(c, '\n' | '\r'))?;
    let behind = text[1 + status.len_utf8()..].strip_prefix(']')?;
    let line = &behind[..behind.find('\n').unwrap_or(behind.len())];
    let trimmed = line.trim_start_matches([' ', '\t']);
    let has_text = trimmed.len() < line.len() && !trimmed.trim().is_empty();
    let start = text.len() - behind.len() + (line.len() - trimmed.len());
    has_text.then(|| (status, start..start + trimmed.trim_end().len()))
}
