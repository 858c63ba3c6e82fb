use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NoteScope, Output, ToolContext, ToolError, ToolOutput,
    async_trait, has_heading, json, schemars,
};
use serde::Deserialize;

use crate::notes::named_part;

pub(crate) struct AppendToNote;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds text to a note."))]
pub(crate) struct Addition {
    /// The note: its path in the vault, or its name if unique.
    #[schemars(extend("x-label" = "Note", "x-note" = true))]
    path: String,
    /// The lines to add, in Markdown.
    text: String,
    /// The heading under which they go ("Log" or "## Log"), added when the note has none. Without it they go to the end.
    #[serde(default)]
    #[schemars(extend("x-help" = "Adds the text below it"))]
    heading: Option<String>,
}

#[async_trait]
impl NativeTool for AppendToNote {
    type Args = Addition;
    const ID: &'static str = "append_to_note";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose("Adds lines at the end of a note, or at the end of the section under a heading.")
            .use_when("add something to a note: a line to a list or to its tasks, a log entry, a paragraph")
            .not_when("text that is there changes", "vault.edit_note")
            .example("Add \"Shoes\" under the heading Packing of the Lisbon note")
    }

    async fn run(&self, addition: Addition, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        if addition.text.trim().is_empty() {
            return Err(ToolError::InvalidArguments {
                path: "/text".into(),
                rule: "must not be empty; there is nothing to add".into(),
                allowed: Vec::new(),
            });
        }
        let (note, part) = named_part(ctx.as_ref(), &addition.path).await?;
        let heading = addition.heading.filter(|heading| !heading.trim().is_empty()).or(part);
        if let Some(block) = heading.as_deref().filter(|heading| heading.starts_with('^')) {
            return Err(ToolError::InvalidArguments {
                path: "/path".into(),
                rule: format!("names the block {block}; lines are added to a whole note or under a heading"),
                allowed: Vec::new(),
            });
        }
        let is_new = heading.as_deref().is_some_and(|heading| !has_heading(&note.text, heading));
        ctx.vault().append(&note.path, &addition.text, heading.as_deref()).await?;
        let mut value = json!({"path": note.path});
        if is_new {
            value["heading_added"] = true.into();
        }
        Ok(Output::new(value).from_notes([note.path]).into())
    }
}
