use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NoteScope, Output, ToolContext, ToolError, ToolOutput,
    Trash, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::named;

pub(crate) struct DeleteNote;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Moves a note to the trash."))]
pub(crate) struct Which {
    /// The note: its path in the vault, or its name if unique.
    #[schemars(extend("x-label" = "Note", "x-note" = true))]
    path: String,
}

#[async_trait]
impl NativeTool for DeleteNote {
    type Args = Which;
    const ID: &'static str = "delete_note";
    const EFFECT: Effect = Effect::Destructive;
    const SCOPE: NoteScope = NoteScope::Anywhere;
    const ON_NOTES: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Deletes one note, as Obsidian is set to delete. The user is asked each time.")
            .use_when("the user asks to delete a note")
            .not_when("only a part of a note goes", "vault.edit_note")
            .example("Delete the note Scratch")
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let note = named(ctx.as_ref(), &which.path).await?;
        let kept_in = match ctx.vault().delete(&note.path).await? {
            Trash::System => "the trash of the system",
            Trash::Local => "the vault's folder .trash",
            Trash::None => "no trash; Nova can undo it",
        };
        let output = json!({"path": note.path, "deleted": true, "kept_in": kept_in});
        Ok(Output::new(output).from_notes([note.path]).into())
    }
}
