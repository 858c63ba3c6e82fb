use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, FrontMatter, JsonSchema, NativeTool, NoteScope, Output, SettingError, ToolContext,
    ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::{new_path, without_private};
use crate::set_properties::edits;

pub(crate) struct CreateNote;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewNote {
    /// Where the note goes: "Folder/Name.md". Without a folder it goes where the user's new notes go.
    path: String,
    /// The note's text in Markdown. It may begin with properties of its own.
    #[serde(default)]
    content: Option<String>,
    /// Properties, in the order in which they are to stand. Dates as YYYY-MM-DD, links as "[[Name]]".
    #[serde(default)]
    properties: Option<Map<String, Value>>,
}

#[async_trait]
impl NativeTool for CreateNote {
    type Args = NewNote;
    const ID: &'static str = "create_note";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose(
            "Creates a note, with the folders it needs. Where a note is already, nothing is written.",
        )
        .use_when("the user wants a new note: make, write, start a note about something")
        .not_when("the note is there already", "vault.append_to_note")
        .example("Make a note with the agenda for Monday")
    }

    async fn run(&self, new: NewNote, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let settings = ctx.vault().obsidian().await?;
        let folder = settings.new_notes.folder().map_err(not_followed)?;
        let path = new_path(ctx.as_ref(), &new.path, folder).await?;
        if let Err(error) = ctx.vault().create(&path, new.content.unwrap_or_default()).await {
            return Err(without_private(ctx.as_ref(), &path, error).await);
        }
        let note = ctx.vault().read(&path).await?;
        if let FrontMatter::Broken { line, reason } = note.document.front_matter() {
            return Err(ToolError::InvalidArguments {
                path: "/content".into(),
                rule: format!("begins with properties that cannot be read (line {line}: {reason})"),
                allowed: Vec::new(),
            });
        }
        if let Some(properties) = new.properties {
            ctx.vault().set_properties(&path, &edits(&note, &properties)).await?;
        }
        Ok(Output::new(json!({"path": path})).from_notes([path]).into())
    }
}

/// A setting of Obsidian's that stands in the way.
pub(crate) fn not_followed(error: SettingError) -> ToolError {
    ToolError::failed(format!("{}: {}.", error.file, error.problem), error.remedy)
}
