use std::sync::Arc;

use nova_skill::{
    ATTACHMENTS, Attached, Description, Effect, JsonSchema, NativeTool, Note, NoteScope, Output, ToolContext,
    ToolError, ToolOutput, VaultPath, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::create_note::not_followed;
use crate::notes::named;

pub(crate) struct AddAttachment;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Saves a text as a file."))]
pub(crate) struct NewFile {
    /// The file's name with its ending, without a folder: "Plan.csv".
    #[schemars(extend("x-label" = "File name", "x-help" = "With its ending, such as list.csv"))]
    name: String,
    /// All of its text.
    #[schemars(extend("x-label" = "Content"))]
    text: String,
    /// The note that is to show it: its path in the vault, or its name if unique.
    #[serde(default)]
    #[schemars(extend("x-help" = "Links the file at its end", "x-note" = true))]
    note: Option<String>,
}

#[async_trait]
impl NativeTool for AddAttachment {
    type Args = NewFile;
    const ID: &'static str = "add_attachment";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose(
            "Makes a text file that is not a note, such as CSV or ICS, where Obsidian puts the attachments of a note. Gives the `link` that shows it.",
        )
        .use_when("the user wants data as a file of its own in the vault: a CSV, a JSON, a calendar entry as ICS")
        .not_when("the user wants a new note", "vault.create_note")
        .example("Save this table as a CSV file with the Lisbon note")
    }

    async fn run(&self, file: NewFile, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let name = file_of(&file.name)?;
        let note: Option<Note> = match file.note.as_deref().map(str::trim).filter(|said| !said.is_empty()) {
            Some(said) => Some(named(ctx.as_ref(), said).await?),
            None => None,
        };
        let note = note.map(|note| note.path);
        let settings = ctx.vault().obsidian().await?;
        let folder = settings.attachment_folder(note.as_ref().map_or("", VaultPath::folder));
        let folder = folder.map_err(not_followed)?;
        let Attached { path, link } = ctx.vault().attach(&folder, name, file.text, note.as_ref()).await?;
        Ok(Output::new(json!({"path": path, "link": link})).into())
    }
}

/// The name, if a file of its kind can be created.
fn file_of(said: &str) -> Result<&str, ToolError> {
    let refused = |rule: &str, allowed: &[&str]| ToolError::InvalidArguments {
        path: "/name".into(),
        rule: rule.to_owned(),
        allowed: allowed.iter().map(ToString::to_string).collect(),
    };
    let name = said.trim();
    if name.contains(['/', '\\']) {
        return Err(refused("must be a name without a folder; Obsidian's settings say where it goes", &[]));
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let ending = ending.to_ascii_lowercase();
    if matches!(ending.as_str(), "md" | "base") {
        return Err(refused("is a note's; use vault.create_note for it", &[]));
    }
    if stem.trim().is_empty() || !ATTACHMENTS.contains(&ending.as_str()) {
        return Err(refused("must be a name with one of these endings", &ATTACHMENTS));
    }
    Ok(name)
}
