use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NoteScope, Output, ToolContext, ToolError, ToolOutput,
    VaultError, VaultPath, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::{folder_of, free, named, new_path, path_of, without_brackets, without_private};

/// Maximum number of notes with rewritten links that an answer names.
const NAMED: usize = 100;

pub(crate) struct MoveNote;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Moves or renames a note."))]
pub(crate) struct Move {
    /// The note: its path in the vault, or its name if unique.
    #[schemars(extend("x-label" = "Note", "x-note" = true))]
    path: String,
    /// Its new path from the vault's root ("Archive/Lisbon 2026.md"), a folder ("Archive/") to keep its name, or a name ("Lisbon 2026") to rename it where it is.
    #[schemars(extend("x-label" = "New name", "x-help" = "With its folder"))]
    to: String,
}

#[async_trait]
impl NativeTool for MoveNote {
    type Args = Move;
    const ID: &'static str = "move_note";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose("Moves or renames a note and rewrites every link to it.")
            .use_when("move a note to another folder, or rename it")
            .example("Move the meeting notes to the archive folder")
    }

    async fn run(&self, args: Move, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let note = named(ctx.as_ref(), &args.path).await?;
        let file = note.path.as_str().rsplit('/').next().unwrap_or_default();
        let to = args.to.trim();
        let target = match to.strip_suffix('/') {
            Some("") => file.to_owned(),
            Some(folder) => format!("{folder}/{file}"),
            None if is_folder(ctx.as_ref(), to).await? => format!("{to}/{file}"),
            // A name alone renames the note in its folder, as in Obsidian; a path needs an extension.
            None if is_name(to) && !note.path.folder().is_empty() => {
                format!("{}/{}", note.path.folder(), without_brackets(to))
            }
            None => to.to_owned(),
        };
        let asked = path_of(without_brackets(&target))?;
        // A note moved to another folder keeps its name, even one that Nova would not create, such as `What
        // now?.md`.
        let to = match asked.as_str().rsplit('/').next() == Some(file) {
            true => {
                let folder = folder_of(ctx.as_ref(), asked.folder()).await?;
                free(ctx.as_ref(), VaultPath::in_folder(&folder, file).map_err(VaultError::from)?).await
            }
            false => new_path(ctx.as_ref(), &target, "").await,
        };
        let to = match to {
            // It is already there.
            Err(ToolError::Vault(VaultError::Exists { path })) if path == note.path => path,
            other => other?,
        };
        let moved = match ctx.vault().move_note(&note.path, &to).await {
            Ok(moved) => moved,
            Err(error) => return Err(without_private(ctx.as_ref(), &to, error).await),
        };
        let mut value = json!({
            "path": to,
            "from": note.path,
            "rewritten": moved.rewritten.iter().take(NAMED).collect::<Vec<_>>(),
        });
        if moved.rewritten.len() > NAMED {
            value["rewritten_total"] = moved.rewritten.len().into();
        }
        if !moved.left.is_empty() {
            value["links_left"] = json!(moved.left.iter().take(NAMED).collect::<Vec<_>>());
        }
        Ok(Output::new(value).from_notes([to]).into())
    }
}

/// Whether it is only a name, neither a path nor a file name.
fn is_name(said: &str) -> bool {
    let lower = said.to_ascii_lowercase();
    let is_file = lower.ends_with(".md") || lower.ends_with(".base");
    !is_file && path_of(without_brackets(said)).is_ok_and(|path| path.folder().is_empty())
}

/// Whether a folder exists, ignoring case.
async fn is_folder(ctx: &dyn ToolContext, said: &str) -> Result<bool, ToolError> {
    if said.ends_with(".md") || said.ends_with(".base") {
        return Ok(false);
    }
    // An invalid path is refused where it is used as one.
    if path_of(without_brackets(said)).is_err() {
        return Ok(false);
    }
    ctx.vault().has_folder(said).await
}
