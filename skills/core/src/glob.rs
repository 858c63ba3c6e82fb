use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, PathPattern, ToolContext, ToolError, ToolOutput,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::place::{Place, VAULT, in_vault, notes_below};

/// Maximum number of paths in an answer.
const LIMIT: usize = 500;

pub(crate) struct Glob;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Finds files by name."))]
pub(crate) struct Wanted {
    /// A pattern that begins with the name of a folder: `code/src/**/*.rs`, `vault/**/*.md`. `*.pdf` alone searches
    /// all folders.
    #[schemars(extend("x-label" = "Pattern"))]
    pattern: String,
}

#[async_trait]
impl NativeTool for Glob {
    type Args = Wanted;
    const ID: &'static str = "glob";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Finds files whose path matches a pattern. Hidden files and those that .gitignore names are left \
             out; of the vault it finds notes.",
        )
        .use_when("a file is known by its ending")
        .example("Find all files that end in .rs")
    }

    async fn run(&self, wanted: Wanted, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let mut names: Vec<String> =
            ctx.files().folders().await?.into_iter().map(|folder| folder.name).collect();
        if !matches!(ctx.vault().name_of("/").await, Err(ToolError::NoVault)) {
            names.insert(0, VAULT.to_owned());
        }
        let pattern = wanted.pattern.trim_start_matches("./");
        let one = pattern.split_once('/').filter(|(name, _)| names.iter().any(|other| other == name));
        let (names, below) = match one {
            Some((name, below)) => (vec![name.to_owned()], below),
            None => (names, pattern),
        };
        let (mut paths, mut notes, mut more, mut foreign) = (Vec::new(), Vec::new(), false, false);
        for name in names {
            let room = LIMIT.saturating_sub(paths.len());
            match Place::of(ctx.as_ref(), &name).await? {
                Place::Folder(folder) => {
                    let answer = ctx.files().glob(&folder, below, room).await?;
                    foreign |= !answer.paths.is_empty();
                    more |= answer.more;
                    paths.extend(answer.paths);
                }
                Place::Vault(folder) => {
                    let fits = PathPattern::new(below)?;
                    let found = notes_below(ctx.as_ref(), &folder, |path| fits.is_match(path)).await?;
                    more |= found.len() > room;
                    notes.extend(found.into_iter().take(room));
                    paths.extend(notes.iter().map(in_vault));
                }
            }
        }
        let output = Output::new(json!({"paths": paths, "more": more})).from_notes(notes);
        Ok(if foreign { output.untrusted() } else { output }.into())
    }
}
