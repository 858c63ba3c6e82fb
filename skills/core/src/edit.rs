use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NoteScope, Output, ToolContext, ToolError, ToolOutput,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::place::{Place, in_vault, vault_path};

pub(crate) struct Edit;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Replaces text in a file."))]
pub(crate) struct Replacement {
    /// The file: `scratch/…`, `NAME/…` of a folder that is open for writing, or a note `vault/….md`.
    #[schemars(extend("x-label" = "File"))]
    path: String,
    /// The text to replace, exactly as it is in the file, with enough context to occur only once.
    #[schemars(extend("x-label" = "Find"))]
    old: String,
    /// What replaces it; empty to remove it.
    #[schemars(extend("x-label" = "Replace with"))]
    new: String,
    /// How often `old` occurs, to replace each one.
    #[serde(default)]
    #[schemars(extend("x-label" = "Times"))]
    count: Option<usize>,
}

#[async_trait]
impl NativeTool for Edit {
    type Args = Replacement;
    const ID: &'static str = "edit";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose("Replaces an exact text in a text file; every other byte stays as it is.")
            .use_when("a file is edited")
            .example("Edit the file main.rs")
    }

    async fn run(&self, edit: Replacement, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let replaced = edit.count.unwrap_or(1);
        match Place::of(ctx.as_ref(), &edit.path).await? {
            Place::Folder(path) => {
                ctx.files().edit(&path, &edit.old, &edit.new, edit.count).await?;
                Ok(Output::new(json!({"path": path, "replaced": replaced})).into())
            }
            Place::Vault(below) => {
                let path = vault_path(&below)?;
                ctx.vault().replace(&path, &edit.old, &edit.new, edit.count).await?;
                let value = json!({"path": in_vault(&path), "replaced": replaced});
                Ok(Output::new(value).from_notes([path]).into())
            }
        }
    }
}
