//! Edits of a task's line. Each edit is a splice: all other bytes are preserved.

use std::ops::Range;

use jiff::civil::Date;

use super::dates::{MOVING, next_dates};
use super::fields::{Field, TaskField, TaskForm, value_of_priority};
use super::line::Line;
use super::settings::{TaskKind, TaskRules};

/// Why an edit was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskEditError {
    /// The line has no checkbox followed by text.
    #[error("the line is not a task")]
    NoTask,
    /// The text is empty or has a line break.
    #[error("a task's text is one line with something in it")]
    Text,
    /// The value is invalid for the field.
    #[error("\"{value}\" cannot be the {field}; {}", expected(*.kind))]
    Value {
        /// The given value.
        value: String,
        /// The field's name for users.
        field: &'static str,
        /// The field.
        kind: TaskField,
    },
}

/// The result of changing a task's status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its new line; `None` if the task is set to be deleted on completion.
    pub line: Option<String>,
    /// The line of the next occurrence, if a recurring task was completed.
    pub next: Option<String>,
    /// Why a recurring task has no next occurrence, as a clause.
    pub not_repeated: Option<String>,
}

impl Changed {
    /// The lines that replace the old one, in the configured order.
    pub fn lines(&self, rules: &TaskRules) -> Vec<String> {
        let lines = if rules.next_below { [&self.line, &self.next] } else { [&self.next, &self.line] };
        lines.into_iter().flatten().cloned().collect()
    }
}

/// The line of a new task, without indentation. Fields in the text become the task's fields.
///
/// # Errors
/// If the text is not a single line.
pub fn new_task(text: &str, rules: &TaskRules, used: TaskForm, today: Date) -> Result<String, TaskEditError> {
    let text = one_line(text)?;
    let filter = rules.filter.as_str();
    let between = if rules.passes(text) { "" } else { " " };
    let filter = if rules.passes(text) { "" } else { filter };
    let line = format!("- [ ] {filter}{between}{text}");
    Line::parse(&line).ok_or(TaskEditError::Text)?;
    if !rules.set_created {
        return Ok(line);
    }
    set_task_field(&line, TaskField::Created, Some(&today.to_string()), rules, used)
}

/// Sets a field or, with `None`, removes it. A new field has the configured format, else that of the line's
/// other fields, else `used`.
///
/// # Errors
/// If the line is not a task, or the value is invalid for the field.
pub fn set_task_field(
    line: &str,
    kind: TaskField,
    value: Option<&str>,
    rules: &TaskRules,
    used: TaskForm,
) -> Result<String, TaskEditError> {
    let read = Line::parse(line).ok_or(TaskEditError::NoTask)?;
    let Some(value) = value.map(str::trim) else { return Ok(without(&read, kind)) };
    let is_day = !kind.holds_date() || value.parse::<Date>().is_ok();
    if !kind.accepts(value) || !is_day {
        return Err(TaskEditError::Value { value: value.to_owned(), field: name(kind), kind });
    }
    Ok(with(&read, kind, value, rules.form.or(read.form()).unwrap_or(used)))
}

/// Replaces the text; the fields stay after it, in their order.
///
/// # Errors
/// If the line is not a task, or the text not a single line.
pub fn set_task_text(line: &str, text: &str) -> Result<String, TaskEditError> {
    let read = Line::parse(line).ok_or(TaskEditError::NoTask)?;
    let mut body = one_line(text)?.to_owned();
    for field in &read.fields {
        body.push_str(blanks(field.form));
        body.push_str(&line[field.span.clone()]);
    }
    let out = spliced(line, &read.body, &body);
    Line::parse(&out).map(|_| out.clone()).ok_or(TaskEditError::Text)
}

/// Completes the task today: its status becomes the next one that means *done*.
///
/// # Errors
/// If the line is not a task.
pub fn complete_task(
    line: &str,
    rules: &TaskRules,
    used: TaskForm,
    today: Date,
) -> Result<Changed, TaskEditError> {
    let read = Line::parse(line).ok_or(TaskEditError::NoTask)?;
    set_task_status(line, rules.done_from(read.status), rules, used, today)
}

/// Changes the task's status today. Completing a task adds the completion date and, if it recurs, the next
/// occurrence; reopening it removes the date.
///
/// # Errors
/// If the line is not a task.
pub fn set_task_status(
    line: &str,
    symbol: char,
    rules: &TaskRules,
    used: TaskForm,
    today: Date,
) -> Result<Changed, TaskEditError> {
    let read = Line::parse(line).ok_or(TaskEditError::NoTask)?;
    let (before, after) = (rules.kind(read.status), rules.kind(symbol));
    let mut changed = spliced(line, &read.status_at, symbol.encode_utf8(&mut [0; 4]));
    // A checkbox without the global filter is only toggled.
    if before == after || !rules.passes(&read.description()) {
        return Ok(Changed { line: Some(changed), next: None, not_repeated: None });
    }
    let form = rules.form.or(read.form()).unwrap_or(used);
    let days = [
        (TaskField::Done, TaskKind::Done, rules.set_done),
        (TaskField::Cancelled, TaskKind::Cancelled, rules.set_cancelled),
    ];
    for (field, kind, is_set) in days {
        let now = Line::parse(&changed).ok_or(TaskEditError::NoTask)?;
        if after == kind {
            if is_set.unwrap_or(!read.fields.is_empty()) {
                changed = with(&now, field, &today.to_string(), form);
            }
        } else {
            changed = without(&now, field);
        }
    }
    let (mut next, mut not_repeated) = (None, None);
    if after == TaskKind::Done && read.field(TaskField::Recurrence).is_some() {
        match next_dates(&read, today) {
            Ok(dates) => {
                next = Some(next_line(&read, rules.next_recurrence(symbol), &dates, rules, form, today))
            }
            Err(reason) => not_repeated = Some(reason),
        }
    }
    let goes = after == TaskKind::Done
        && not_repeated.is_none()
        && read.value(TaskField::OnCompletion).is_some_and(|said| said.eq_ignore_ascii_case("delete"));
    Ok(Changed { line: (!goes).then_some(changed), next, not_repeated })
}

/// The line of the next occurrence.
fn next_line(
    read: &Line<'_>,
    symbol: char,
    dates: &[(TaskField, Date)],
    rules: &TaskRules,
    form: TaskForm,
    today: Date,
) -> String {
    let mut line = spliced(read.text, &read.status_at, symbol.encode_utf8(&mut [0; 4]));
    let mut edit = |change: &dyn Fn(&Line<'_>) -> String| {
        if let Some(read) = Line::parse(&line) {
            line = change(&read);
        }
    };
    edit(&without_block);
    for kind in [TaskField::Id, TaskField::DependsOn, TaskField::Done, TaskField::Cancelled] {
        edit(&|read| without(read, kind));
    }
    for (kind, date) in dates {
        let is_dropped = *kind == TaskField::Scheduled
            && rules.drop_scheduled
            && MOVING.iter().any(|other| other != kind && dates.iter().any(|(field, _)| field == other));
        edit(&|read| match is_dropped {
            true => without(read, *kind),
            false => with(read, *kind, &date.to_string(), form),
        });
    }
    edit(&|read| match rules.set_created {
        true => with(read, TaskField::Created, &today.to_string(), form),
        false => without(read, TaskField::Created),
    });
    line
}

/// Replaces the field's value, or adds the field where the plugin would.
fn with(read: &Line<'_>, kind: TaskField, value: &str, form: TaskForm) -> String {
    let line = read.text;
    if let Some(field) = read.field(kind) {
        let value =
            if kind == TaskField::Priority { value_of_priority(value, field.form) } else { value.to_owned() };
        return spliced(line, &field.value, &value);
    }
    let value = if kind == TaskField::Priority { value_of_priority(value, form) } else { value.to_owned() };
    let written = kind.written(&value, form);
    match read.fields.iter().find(|field| field.is_trailing && field.kind > kind) {
        Some(Field { span, form: next, .. }) => {
            let before = span.start - with_blanks(line, span).start;
            let missing = blanks(form).get(before..).unwrap_or_default();
            spliced(line, &(span.start..span.start), &format!("{missing}{written}{}", blanks(*next)))
        }
        None => spliced(line, &(read.body.end..read.body.end), &format!("{}{written}", blanks(form))),
    }
}

/// Removes all fields of that kind, and the blanks before them.
fn without(read: &Line<'_>, kind: TaskField) -> String {
    let mut line = read.text.to_owned();
    for field in read.fields.iter().rev().filter(|field| field.kind == kind) {
        line.replace_range(with_blanks(read.text, &field.span), "");
    }
    line
}

fn without_block(read: &Line<'_>) -> String {
    match &read.block {
        Some(block) => spliced(read.text, &with_blanks(read.text, block), ""),
        None => read.text.to_owned(),
    }
}

fn with_blanks(line: &str, span: &Range<usize>) -> Range<usize> {
    line[..span.start].trim_end_matches([' ', '\t']).len()..span.end
}

/// The separator before a field. Two blanks keep Obsidian from hiding every other bracketed field.
fn blanks(form: TaskForm) -> &'static str {
    match form {
        TaskForm::Emoji => " ",
        TaskForm::Dataview => "  ",
    }
}

fn spliced(line: &str, place: &Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &line[..place.start], &line[place.end..])
}

fn one_line(text: &str) -> Result<&str, TaskEditError> {
    let text = text.trim();
    if text.is_empty() || text.contains(['\n', '\r']) { Err(TaskEditError::Text) } else { Ok(text) }
}

fn name(kind: TaskField) -> &'static str {
    match kind {
        TaskField::Id => "id",
        TaskField::DependsOn => "ids of tasks before it",
        TaskField::Priority => "priority",
        TaskField::Recurrence => "recurrence",
        TaskField::OnCompletion => "action on completion",
        TaskField::Created => "day of creation",
        TaskField::Start => "start date",
        TaskField::Scheduled => "scheduled date",
        TaskField::Due => "due date",
        TaskField::Cancelled => "day of cancellation",
        TaskField::Done => "day of completion",
    }
}

fn expected(kind: TaskField) -> &'static str {
    match kind {
        TaskField::Priority => "use highest, high, medium, low or lowest",
        TaskField::Recurrence => "write it as \"every 2 weeks on Friday\"",
        TaskField::OnCompletion => "use keep or delete",
        TaskField::Id | TaskField::DependsOn => "use letters, digits, - and _",
        _ => "write a day as 2026-12-01",
    }
}
