//! Finds a task in its note, and sets its fields.

use nova_skill::figures::similarity;
use nova_skill::{
    Note, NoteTask, RecurrenceRule, TaskEditError, TaskField, TaskForm, TaskQuery, TaskRules, ToolContext,
    ToolError, line_of, set_task_field, tasks,
};

use crate::notes::NEAREST;

/// A task found in its note.
pub(crate) struct Found {
    pub(crate) task: NoteTask,
    /// Its text line.
    pub(crate) line: String,
}

/// Fields to set; empty text removes one.
#[derive(Default)]
pub(crate) struct Fields {
    pub(crate) due: Option<String>,
    pub(crate) scheduled: Option<String>,
    pub(crate) start: Option<String>,
    pub(crate) priority: Option<String>,
    pub(crate) recurrence: Option<String>,
}

/// The task with that text and, if given, on that line. A line with another text is ignored, since the note
/// may have changed. Of several matches, those that are `closed` as requested come first.
///
/// # Errors
/// [`ToolError::Ambiguous`] with all matching lines, [`ToolError::NotFound`] with the nearest.
pub(crate) fn find(
    note: &Note,
    text: &str,
    line: Option<u32>,
    rules: &TaskRules,
    closed: bool,
) -> Result<Found, ToolError> {
    let all: Vec<Found> = tasks(&note.text)
        .into_iter()
        .filter_map(|task| Some(Found { line: line_of(&note.text, task.line)?.to_owned(), task }))
        .collect();
    let said = bare(text);
    let kinds: [&dyn Fn(&Found) -> bool; 3] = [
        &|found| folded(&found.line) == folded(text),
        &|found| bare(&found.line) == said || folded(&found.task.text) == said,
        &|found| !said.is_empty() && bare(&found.line).contains(&said),
    ];
    let mut meant: Vec<&Found> = kinds
        .iter()
        .map(|is_meant| all.iter().filter(|found| is_meant(found)).collect::<Vec<_>>())
        .find(|meant| !meant.is_empty())
        .unwrap_or_default();
    // The line number only decides between equal texts: it may be stale.
    if let Some(at) = line.and_then(|line| meant.iter().position(|found| found.task.line == line)) {
        meant = vec![meant[at]];
    }
    let is_wanted = |found: &&Found| rules.kind(found.task.status).is_closed() == closed;
    if meant.len() > 1 && meant.iter().any(is_wanted) {
        meant.retain(is_wanted);
    }
    match meant.as_slice() {
        [found] => Ok(Found { task: found.task.clone(), line: found.line.clone() }),
        [] => Err(not_found(&all, text)),
        several => Err(ToolError::Ambiguous {
            kind: "task".into(),
            name: text.into(),
            matches: several.iter().map(|found| shown(found)).collect(),
        }),
    }
}

/// The notation of fields in this vault: as configured in the plugin Tasks, else the most common one.
pub(crate) async fn used_form(ctx: &dyn ToolContext, rules: &TaskRules) -> Result<TaskForm, ToolError> {
    if let Some(form) = rules.form {
        return Ok(form);
    }
    Ok(ctx.vault().tasks(&TaskQuery { limit: Some(0), ..TaskQuery::default() }).await?.form)
}

impl Fields {
    /// The line with these fields set.
    ///
    /// # Errors
    /// A value that is invalid for its field.
    pub(crate) fn set(
        &self,
        mut line: String,
        rules: &TaskRules,
        form: TaskForm,
    ) -> Result<String, ToolError> {
        if let Some(rule) = self.recurrence.as_deref().map(str::trim).filter(|rule| !rule.is_empty())
            && RecurrenceRule::parse(rule).is_none()
        {
            return Err(ToolError::InvalidArguments {
                path: "/recurrence".into(),
                rule: format!("\"{rule}\" is not understood; write it as \"every 2 weeks on Friday\""),
                allowed: Vec::new(),
            });
        }
        for (argument, field, value) in [
            ("recurrence", TaskField::Recurrence, &self.recurrence),
            ("priority", TaskField::Priority, &self.priority),
            ("start", TaskField::Start, &self.start),
            ("scheduled", TaskField::Scheduled, &self.scheduled),
            ("due", TaskField::Due, &self.due),
        ] {
            let Some(value) = value else { continue };
            let value = Some(value.trim()).filter(|value| !value.is_empty());
            line = set_task_field(&line, field, value, rules, form).map_err(refused(argument))?;
        }
        Ok(line)
    }
}

/// Converts an edit error to an error of this argument.
pub(crate) fn refused(argument: &str) -> impl FnOnce(TaskEditError) -> ToolError {
    let path = format!("/{argument}");
    move |error| ToolError::InvalidArguments { path, rule: error.to_string(), allowed: Vec::new() }
}

fn not_found(all: &[Found], text: &str) -> ToolError {
    let mut near: Vec<_> = all.iter().map(|found| (similarity(&found.task.text, text), found)).collect();
    near.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.task.line.cmp(&b.1.task.line)));
    ToolError::NotFound {
        kind: "task".into(),
        name: text.into(),
        nearest: near.into_iter().take(NEAREST).map(|(_, found)| shown(found)).collect(),
    }
}

fn shown(found: &Found) -> String {
    format!("line {}: {}", found.task.line, found.line.trim())
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// A line without list marker and checkbox.
fn bare(text: &str) -> String {
    let text = folded(text);
    let behind = || {
        let (marker, rest) = text.trim_start_matches(['>', ' ']).split_once(' ')?;
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let is_marker =
            matches!(marker, "-" | "*" | "+") || marker.strip_suffix(['.', ')']).is_some_and(is_number);
        let status = rest.strip_prefix('[').filter(|_| is_marker)?.chars().next()?;
        rest[1 + status.len_utf8()..].strip_prefix("] ").map(str::to_owned)
    };
    behind().unwrap_or(text)
}
