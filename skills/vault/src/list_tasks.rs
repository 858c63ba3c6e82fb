use std::sync::Arc;

use nova_skill::{
    Date, Description, Effect, JsonSchema, NativeTool, Output, TaskDue, TaskKind, TaskQuery, TaskRow,
    TaskSort, ToolContext, ToolError, ToolOutput, Value, async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::notes::{named, within_budget};

/// Tasks in an answer: default and maximum.
const LIMIT: (usize, usize) = (100, 1000);

pub(crate) struct ListTasks;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists the tasks of your notes."))]
pub(crate) struct Question {
    /// "overdue", "today", "none", a day YYYY-MM-DD, or days FROM..TO of which one may be left out: "..today". By the due date, else the scheduled one.
    #[serde(default)]
    #[schemars(extend("x-label" = "Due", "x-help" = "Such as today, overdue or 2026-12-01..2026-12-07"))]
    due: Option<String>,
    /// true: done or cancelled tasks instead of open ones.
    #[serde(default)]
    #[schemars(extend("x-label" = "Done"))]
    done: Option<bool>,
    /// Only of this note or folder.
    #[serde(default)]
    #[schemars(extend("x-label" = "Note or folder"))]
    path: Option<String>,
    /// Only with this tag.
    #[serde(default)]
    #[schemars(extend("x-label" = "Tag"))]
    tag: Option<String>,
    /// Only with these words in their text.
    #[serde(default)]
    #[schemars(extend("x-label" = "Words"))]
    query: Option<String>,
    /// Default: due; with `done` the last done first.
    #[serde(default)]
    #[schemars(extend("x-label" = "Sort by"))]
    sort: Option<Sort>,
    /// How many at most; 100 by default.
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[schemars(extend("x-label" = "Rows"))]
    limit: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    Due,
    Priority,
    Path,
    Done,
}

#[async_trait]
impl NativeTool for ListTasks {
    type Args = Question;
    const ID: &'static str = "list_tasks";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Gives the tasks, with their dates, and `total`. A task is a checkbox in any note.",
        )
        .use_when("the user asks which tasks are open, due, overdue or done")
        .not_when("notes are listed by a property `due`", "vault.query")
        .example("Which tasks are due today?")
    }

    async fn run(&self, question: Question, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let said = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let place = match said(&question.path) {
            Some(path) if path.ends_with('/') || ctx.vault().has_folder(&path).await? => Some(path),
            Some(path) => Some(named(ctx.as_ref(), &path).await?.path.to_string()),
            None => None,
        };
        let query = TaskQuery {
            due: said(&question.due).map(|due| days(&due, ctx.clock().today())).transpose()?,
            closed: question.done.unwrap_or_default(),
            place,
            tag: said(&question.tag),
            words: said(&question.query)
                .iter()
                .flat_map(|text| text.split_whitespace())
                .map(str::to_owned)
                .collect(),
            sort: match question.sort {
                Some(Sort::Priority) => TaskSort::Priority,
                Some(Sort::Path) => TaskSort::Path,
                Some(Sort::Done) => TaskSort::Closed,
                Some(Sort::Due) => TaskSort::Due,
                None if question.done.unwrap_or_default() => TaskSort::Closed,
                None => TaskSort::Due,
            },
            limit: Some(question.limit.unwrap_or(LIMIT.0).min(LIMIT.1)),
        };
        let answer = ctx.vault().tasks(&query).await?;
        let tasks = within_budget(answer.rows.iter().map(row));
        let more = tasks.len() < answer.total;
        let mut paths: Vec<_> = answer.rows.iter().take(tasks.len()).map(|row| row.path.clone()).collect();
        paths.sort();
        paths.dedup();
        let value = json!({"total": answer.total, "more": more, "tasks": tasks});
        Ok(Output::new(value).from_notes(paths).into())
    }
}

/// The requested range of days.
fn days(said: &str, today: Date) -> Result<TaskDue, ToolError> {
    let day = |said: &str| match said.trim().to_lowercase().as_str() {
        "" => Ok(None),
        "today" => Ok(Some(today)),
        "tomorrow" => Ok(today.tomorrow().ok()),
        "yesterday" => Ok(today.yesterday().ok()),
        other => date_argument("due", other).map(Some),
    };
    match said.to_lowercase().as_str() {
        "none" => return Ok(TaskDue::Undated),
        "overdue" => return Ok(TaskDue::Between(None, today.yesterday().ok())),
        _ => {}
    }
    match said.split_once("..") {
        Some((from, to)) => Ok(TaskDue::Between(day(from)?, day(to)?)),
        None => {
            let day = day(said)?;
            Ok(TaskDue::Between(day, day))
        }
    }
}

/// A task's fields, without empty ones.
fn row(found: &TaskRow) -> Value {
    let task = &found.task;
    let mut row = json!({"path": found.path, "line": task.line, "text": task.text});
    for (key, date) in [
        ("due", task.due),
        ("scheduled", task.scheduled),
        ("start", task.start),
        ("created", task.created),
        ("done", task.done),
        ("cancelled", task.cancelled),
    ] {
        if let Some(date) = date {
            row[key] = date.to_string().into();
        }
    }
    if !matches!(found.kind, TaskKind::Todo | TaskKind::Done) {
        row["status"] = json!(found.kind);
    }
    if let Some(priority) = task.priority {
        row["priority"] = json!(priority);
    }
    if let Some(rule) = &task.recurrence {
        row["recurrence"] = json!(rule);
    }
    if let Some(id) = &task.id {
        row["id"] = json!(id);
    }
    if !task.depends_on.is_empty() {
        row["depends_on"] = json!(task.depends_on);
    }
    row
}
