use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NoteScope, Output, ToolContext, ToolError, ToolOutput,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::place::{Place, in_vault, vault_path};

pub(crate) struct Write;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Writes a file."))]
pub(crate) struct NewText {
    /// The file: `scratch/…`, `NAME/…` of a folder that is open for writing, or a new note `vault/….md`.
    #[schemars(extend("x-label" = "File"))]
    path: String,
    /// The whole text of the file.
    #[schemars(extend("x-label" = "Text"))]
    content: String,
}

#[async_trait]
impl NativeTool for Write {
    type Args = NewText;
    const ID: &'static str = "write";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose(
            "Writes a whole text file, new or in place of what was there. A note must be new.",
        )
        .use_when("a file is written")
        .example("Write a text file in scratch")
    }

    async fn run(&self, new: NewText, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        match Place::of(ctx.as_ref(), &new.path).await? {
            Place::Folder(path) => {
                let size = new.content.len();
                let created = ctx.files().write(&path, new.content).await?;
                Ok(Output::new(json!({"path": path, "created": created, "size": size})).into())
            }
            Place::Vault(below) => {
                let path = vault_path(&below)?;
                ctx.vault().create(&path, new.content).await?;
                let value = json!({"path": in_vault(&path), "created": true});
                Ok(Output::new(value).from_notes([path]).into())
            }
        }
    }
}
