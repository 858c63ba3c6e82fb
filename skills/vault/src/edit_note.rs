use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NoteScope, Output, ToolContext, ToolError, ToolOutput,
    async_trait, json, schemars, summarize,
};
use serde::Deserialize;

use crate::notes::named;

pub(crate) struct EditNote;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Replaces text in a note."))]
pub(crate) struct Replacement {
    /// The note: its path in the vault, or its name if unique.
    #[schemars(extend("x-label" = "Note", "x-note" = true))]
    path: String,
    /// The text to replace, exactly as it is in the note, with enough context to occur only once.
    #[schemars(extend("x-label" = "Find", "x-help" = "Exactly as in the note"))]
    old: String,
    /// What replaces it; empty to remove it.
    #[schemars(extend("x-label" = "Replace with"))]
    new: String,
    /// How often `old` occurs, to replace each one.
    #[serde(default)]
    #[schemars(extend("x-label" = "Times", "x-help" = "How many times it occurs; 1 if left empty"))]
    count: Option<usize>,
}

#[async_trait]
impl NativeTool for EditNote {
    type Args = Replacement;
    const ID: &'static str = "edit_note";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose("Replaces an exact text in a note; every other byte stays as it is.")
            .use_when("words or a line in a note's text change")
            .not_when("a property changes", "vault.set_properties")
            .not_when("something is added to a note", "vault.append_to_note")
            .not_when("a task is ticked off or put off", "vault.complete_task")
            .example("Change the hotel in the Lisbon note to Casa Azul")
    }

    async fn run(&self, edit: Replacement, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let before = named(ctx.as_ref(), &edit.path).await?;
        ctx.vault().replace(&before.path, &edit.old, &edit.new, edit.count).await?;
        let after = ctx.vault().read(&before.path).await?;
        let changed = summarize(&before.text, &after.text);
        Ok(Output::new(json!({"path": before.path, "changed": changed})).from_notes([before.path]).into())
    }
}
