use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NoteScope, Output, ToolContext, ToolError, ToolOutput,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::named;
use crate::task_line::{find, refused, used_form};

pub(crate) struct CompleteTask;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Ticks off a task."))]
pub(crate) struct Which {
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
}

#[async_trait]
impl NativeTool for CompleteTask {
    type Args = Which;
    const ID: &'static str = "complete_task";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose("Ticks off a task. The next one of a recurring task follows.")
            .use_when("tick off a task: something in a note is done")
            .not_when("a task gets another date, text or status", "vault.update_task")
            .example("Tick off the train tickets in today's note")
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let note = named(ctx.as_ref(), &which.path).await?;
        let rules = ctx.vault().obsidian().await?.tasks.rules;
        let found = find(&note, &which.text, which.line, &rules, false)?;
        if rules.kind(found.task.status).is_closed() {
            return Err(ToolError::InvalidArguments {
                path: "/text".into(),
                rule: format!(
                    "the task on line {} is closed already: {}",
                    found.task.line,
                    found.line.trim()
                ),
                allowed: Vec::new(),
            });
        }
        let form = used_form(ctx.as_ref(), &rules).await?;
        let changed = nova_skill::complete_task(&found.line, &rules, form, ctx.clock().today())
            .map_err(refused("text"))?;
        let lines = changed.lines(&rules);
        ctx.vault().replace_line(&note.path, found.task.line, &found.line, &lines).await?;
        let mut value = json!({"path": note.path, "completed": changed.line.as_deref().map(str::trim)});
        if changed.line.is_none() {
            value["completed"] = json!(found.line.trim());
            value["removed"] = true.into();
        }
        if let Some(next) = &changed.next {
            value["next"] = json!(next.trim());
        }
        if let Some(reason) = &changed.not_repeated {
            value["not_repeated"] = json!(reason);
        }
        Ok(Output::new(value).from_notes([note.path]).into())
    }
}
