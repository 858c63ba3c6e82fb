use std::collections::BTreeSet;
use std::sync::Arc;

use nova_skill::{
    Access, Description, Effect, Entry, EntryKind, JsonSchema, NativeTool, Output, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::place::{Place, VAULT, below, notes_below};

/// Maximum number of entries in an answer.
const LIMIT: usize = 500;

pub(crate) struct Ls;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists a folder."))]
pub(crate) struct Which {
    /// The folder: `vault/…`, `scratch/…` or `NAME/…`. Empty lists the folders that are open.
    #[serde(default)]
    #[schemars(extend("x-label" = "Folder"))]
    path: Option<String>,
}

#[async_trait]
impl NativeTool for Ls {
    type Args = Which;
    const ID: &'static str = "ls";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Lists the files of a folder; without a path, the open folders with what may be done in them. Of \
             the vault it lists notes.",
        )
        .use_when("file names are asked for")
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let Some(path) = which.path.filter(|path| !path.trim().is_empty()) else {
            return Ok(Output::new(open_folders(ctx.as_ref()).await?).from_notes([]).into());
        };
        match Place::of(ctx.as_ref(), &path).await? {
            Place::Folder(path) => {
                let listing = ctx.files().list(&path, LIMIT).await?;
                let value = json!({"path": path, "entries": listing.entries, "more": listing.more});
                Ok(Output::new(value).untrusted().into())
            }
            Place::Vault(folder) => {
                let entries = entries_of_vault(ctx.as_ref(), &folder).await?;
                if entries.is_empty() && !folder.is_empty() && !ctx.vault().has_folder(&folder).await? {
                    return Err(ToolError::NotFound {
                        kind: "folder".into(),
                        name: path,
                        nearest: Vec::new(),
                    });
                }
                let more = entries.len().saturating_sub(LIMIT);
                let shown: Vec<&Entry> = entries.iter().take(LIMIT).collect();
                Ok(Output::new(json!({"path": path, "entries": shown, "more": more})).into())
            }
        }
    }
}

async fn open_folders(ctx: &dyn ToolContext) -> Result<Value, ToolError> {
    let mut folders = Vec::new();
    // Notes are changed through the vault, whatever the folder's other rights.
    if !matches!(ctx.vault().name_of("/").await, Err(ToolError::NoVault)) {
        folders.push(json!({"path": VAULT, "access": "write"}));
    }
    for folder in ctx.files().folders().await? {
        let access = if folder.access == Access::Write { "write" } else { "read" };
        folders.push(json!({"path": folder.name, "access": access}));
    }
    Ok(json!({"folders": folders}))
}

/// Folders first, then by name.
async fn entries_of_vault(ctx: &dyn ToolContext, folder: &str) -> Result<Vec<Entry>, ToolError> {
    let (mut folders, mut files) = (BTreeSet::new(), BTreeSet::new());
    for path in notes_below(ctx, folder, |_| true).await? {
        match below(&path, folder).and_then(|below| below.split_once('/')) {
            Some((name, _)) => folders.insert(name.to_owned()),
            None => files.insert(below(&path, folder).unwrap_or_default().to_owned()),
        };
    }
    let folders = folders.into_iter().map(|name| Entry { name, kind: EntryKind::Folder, size: None });
    let files = files.into_iter().map(|name| Entry { name, kind: EntryKind::File, size: None });
    Ok(folders.chain(files).collect())
}
