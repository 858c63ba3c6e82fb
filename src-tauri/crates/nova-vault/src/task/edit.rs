//! A task's line with one thing changed. Each edit is a splice: what it is not about keeps its bytes.

use std::ops::Range;

use jiff::civil::Date;

use super::dates::{MOVING, next_dates};
use super::fields::{Field, TaskField, TaskForm, value_of_priority};
use super::line::Line;
use super::settings::{TaskKind, TaskRules};

/// Why a line was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskEditError {
    /// The line has no checkbox with a text behind it.
    #[error("the line is no task")]
    NoTask,
    /// A line break, or nothing.
    #[error("a task's text is one line with something in it")]
    Text,
    /// Not a value of that field.
    #[error("\"{value}\" cannot be the {field}; {}", expected(*.kind))]
    Value {
        /// What was given.
        value: String,
        /// What the field is called.
        field: &'static str,
        /// The field.
        kind: TaskField,
    },
}

/// What became of a task whose status was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its line; `None` where the task says that it goes when it is done.
    pub line: Option<String>,
    /// The line of the next task, of a recurring one that is done.
    pub next: Option<String>,
    /// Why a recurring one has no next task, as half a sentence.
    pub not_repeated: Option<String>,
}

impl Changed {
    /// The lines to stand in the place of the old one, in the order that is set.
    pub fn lines(&self, rules: &TaskRules) -> Vec<String> {
        let lines = if rules.next_below { [&self.line, &self.next] } else { [&self.next, &self.line] };
        lines.into_iter().flatten().cloned().collect()
    }
}

/// A line for a new task, without its list's indent. Fields in the text are those of the task.
///
/// # Errors
/// When the text is no single line.
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

/// The line with a field set or, with `None`, removed. A new field is written as the rules say, else as the
/// line's own fields are, else as `used`.
///
/// # Errors
/// When the line is no task, or the value cannot be that field's.
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

/// The line with another text; its fields stay behind it, in their order.
///
/// # Errors
/// When the line is no task, or the text no single line.
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

/// The task done today: its status is the next one that means *done*.
///
/// # Errors
/// When the line is no task.
pub fn complete_task(
    line: &str,
    rules: &TaskRules,
    used: TaskForm,
    today: Date,
) -> Result<Changed, TaskEditError> {
    let read = Line::parse(line).ok_or(TaskEditError::NoTask)?;
    set_task_status(line, rules.done_from(read.status), rules, used, today)
}

/// The task with another status, today. One that gets done gets its day, and if it recurs a next task; one that
/// is done no longer loses its day.
///
/// # Errors
/// When the line is no task.
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
    // A checkbox without the global filter is only ticked.
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

/// The next task of a recurring one.
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

/// With the value in the place of the field's own, else as a new field where the plugin would write it.
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

/// Without each field of that kind, and without the blanks before it.
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

/// What stands before a field. Two blanks keep Obsidian from hiding every other field in brackets.
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
