use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NoteScope, Output, ToolContext, ToolError, ToolOutput,
    async_trait, has_heading, json, new_task, schemars,
};
use serde::Deserialize;

use crate::daily_note::open_daily;
use crate::notes::named_part;
use crate::task_line::{Fields, refused, used_form};

pub(crate) struct AddTask;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a task to a note."))]
pub(crate) struct NewTask {
    /// What is to be done, on one line, without dates.
    #[schemars(extend("x-label" = "Task"))]
    text: String,
    /// The note; default: today's daily note.
    #[serde(default)]
    #[schemars(extend("x-label" = "Note", "x-note" = true, "x-help" = "Today's daily note if left empty"))]
    path: Option<String>,
    /// The heading under which it goes; default: the end.
    #[serde(default)]
    #[schemars(extend("x-label" = "Heading"))]
    heading: Option<String>,
    /// Due date YYYY-MM-DD.
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
}

#[async_trait]
impl NativeTool for AddTask {
    type Args = NewTask;
    const ID: &'static str = "add_task";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose("Adds a task to a note; where none is named, to the daily note.")
            .use_when("add a task, with or without a date or recurrence")
            .not_when("other lines are added", "vault.append_to_note")
            .example("Add a task to water the plants every Sunday")
    }

    async fn run(&self, new: NewTask, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let rules = ctx.vault().obsidian().await?.tasks.rules;
        let form = used_form(ctx.as_ref(), &rules).await?;
        let line =
            new_task(without_box(&new.text), &rules, form, ctx.clock().today()).map_err(refused("text"))?;
        let fields = Fields {
            due: new.due,
            scheduled: new.scheduled,
            start: new.start,
            priority: new.priority,
            recurrence: new.recurrence,
        };
        let line = fields.set(line, &rules, form)?;
        let path = new.path.as_deref().map(str::trim).filter(|path| !path.is_empty());
        let (note, part, created) = match path {
            Some(path) => {
                let (note, part) = named_part(ctx.as_ref(), path).await?;
                (note, part, false)
            }
            None => {
                let (note, _, created) = open_daily(ctx.as_ref(), None).await?;
                (note, None, created)
            }
        };
        let heading = new.heading.filter(|heading| !heading.trim().is_empty()).or(part);
        let is_new = heading.as_deref().is_some_and(|heading| !has_heading(&note.text, heading));
        ctx.vault().append(&note.path, &line, heading.as_deref()).await?;
        let after = ctx.vault().read(&note.path).await?;
        let mut value =
            json!({"path": note.path, "task": line, "line": added_at(&note.text, &after.text, &line)});
        if is_new {
            value["heading_added"] = true.into();
        }
        if created {
            value["note_created"] = true.into();
        }
        Ok(Output::new(value).from_notes([note.path]).into())
    }
}

/// The text without list marker and checkbox, for calls that contain the whole line.
fn without_box(text: &str) -> &str {
    let text = text.trim();
    ["- [ ] ", "* [ ] "].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(text)
}

/// The line of the new task, 1-based.
fn added_at(before: &str, after: &str, line: &str) -> Option<usize> {
    let same = before.lines().zip(after.lines()).take_while(|(before, after)| before == after).count();
    after.lines().skip(same).position(|other| other == line).map(|at| same + at + 1)
}
