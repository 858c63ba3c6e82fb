use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NoteScope, Output, TaskRules, ToolContext, ToolError,
    ToolOutput, async_trait, json, schemars, set_task_status, set_task_text,
};
use serde::Deserialize;

use crate::notes::named;
use crate::task_line::{Fields, find, refused, used_form};

pub(crate) struct UpdateTask;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Changes a task."))]
pub(crate) struct Change {
    /// The note: its path in the vault, or its name if unique.
    #[schemars(extend("x-label" = "Note", "x-note" = true))]
    path: String,
    /// The task's text, or a part that no other task of the note has.
    #[schemars(extend("x-label" = "Task"))]
    text: String,
    /// Its line, if several tasks have the text.
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[schemars(extend("x-label" = "Line"))]
    line: Option<u32>,
    /// Another text, without dates.
    #[serde(default)]
    #[schemars(extend("x-label" = "New text"))]
    new_text: Option<String>,
    /// Due date YYYY-MM-DD. Here and below "" removes.
    #[serde(default)]
    #[schemars(extend("x-label" = "Due"))]
    due: Option<String>,
    /// Scheduled date.
    #[serde(default)]
    #[schemars(extend("x-label" = "Scheduled"))]
    scheduled: Option<String>,
    /// Start date.
    #[serde(default)]
    #[schemars(extend("x-label" = "Start"))]
    start: Option<String>,
    /// highest, high, medium, low or lowest.
    #[serde(default)]
    #[schemars(extend("x-label" = "Priority"))]
    priority: Option<String>,
    /// A rule: "every 2 weeks on Friday".
    #[serde(default)]
    #[schemars(extend("x-label" = "Recurrence"))]
    recurrence: Option<String>,
    /// todo, in progress, done, cancelled, or a status of the user's.
    #[serde(default)]
    #[schemars(extend("x-label" = "Status"))]
    status: Option<String>,
}

#[async_trait]
impl NativeTool for UpdateTask {
    type Args = Change;
    const ID: &'static str = "update_task";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose("Changes a task's text, dates, priority, recurrence or status.")
            .use_when("put off, rename, cancel, begin or reopen a task")
            .not_when("a task is done", "vault.complete_task")
            .example("Put the task about the boiler off to Friday")
    }

    async fn run(&self, change: Change, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let note = named(ctx.as_ref(), &change.path).await?;
        let rules = ctx.vault().obsidian().await?.tasks.rules;
        let given = change.status.as_deref().map(str::trim).filter(|status| !status.is_empty());
        let status =
            given.map(|status| rules.named(status).ok_or_else(|| no_status(status, &rules))).transpose()?;
        let reopens = status.is_some_and(|status| !rules.kind(status).is_closed());
        let found = find(&note, &change.text, change.line, &rules, reopens)?;
        let form = used_form(ctx.as_ref(), &rules).await?;
        let mut line = found.line.clone();
        if let Some(text) = &change.new_text {
            line = set_task_text(&line, text).map_err(refused("new_text"))?;
        }
        let fields = Fields {
            due: change.due,
            scheduled: change.scheduled,
            start: change.start,
            priority: change.priority,
            recurrence: change.recurrence,
        };
        line = fields.set(line, &rules, form)?;
        let mut lines = vec![line.clone()];
        let mut value = json!({"path": note.path});
        if let Some(status) = status {
            let changed = set_task_status(&line, status, &rules, form, ctx.clock().today())
                .map_err(refused("status"))?;
            lines = changed.lines(&rules);
            if let Some(next) = &changed.next {
                value["next"] = json!(next.trim());
            }
            if let Some(reason) = &changed.not_repeated {
                value["not_repeated"] = json!(reason);
            }
            line = changed.line.unwrap_or_default();
        }
        value["task"] = json!(line.trim());
        ctx.vault().replace_line(&note.path, found.task.line, &found.line, &lines).await?;
        Ok(Output::new(value).from_notes([note.path]).into())
    }
}

fn no_status(said: &str, rules: &TaskRules) -> ToolError {
    ToolError::InvalidArguments {
        path: "/status".into(),
        rule: format!("\"{said}\" is not a status in this vault"),
        allowed: rules.statuses.iter().map(|status| status.name.clone()).collect(),
    }
}
