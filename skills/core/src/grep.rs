use std::collections::BTreeSet;
use std::sync::Arc;

use nova_skill::{
    Description, Effect, Grep, GrepHit, JsonSchema, NativeTool, Output, Parts, PathPattern, Search,
    SearchMode, ToolContext, ToolError, ToolOutput, VaultPath, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::place::{Place, VAULT, below, in_vault};

/// Matching lines in an answer: default and maximum.
const LIMIT: (usize, usize) = (100, 1000);
/// Maximum number of context lines around a match.
const CONTEXT: usize = 10;

pub(crate) struct GrepFiles;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Searches files."))]
pub(crate) struct Sought {
    /// A regular expression, for one line; case matters unless it begins with (?i).
    #[schemars(extend("x-label" = "Regular expression"))]
    pattern: String,
    /// Where: a folder or a file, `scratch/…`, `NAME/…` or `vault/…`. Default: all folders but the
    /// vault.
    #[serde(default)]
    #[schemars(extend("x-label" = "Where"))]
    path: Option<String>,
    /// Only in files whose path matches: `*.rs`, `src/**`.
    #[serde(default)]
    #[schemars(extend("x-label" = "Files"))]
    glob: Option<String>,
    /// Lines to show around each match, 10 at most.
    #[serde(default)]
    #[schemars(extend("x-label" = "Lines around"))]
    context: Option<usize>,
    /// How many matching lines at most; default: 100.
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[schemars(extend("x-label" = "Rows"))]
    limit: Option<usize>,
}

#[async_trait]
impl NativeTool for GrepFiles {
    type Args = Sought;
    const ID: &'static str = "grep";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Finds the lines of files that match a regular expression, as ripgrep does: hidden and \
             binary files and those that .gitignore names are left out.",
        )
        .use_when("a word or a pattern is to be found in source code and other files")
        .example("Grep the source code for TODO")
    }

    async fn run(&self, sought: Sought, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let grep = Grep {
            pattern: sought.pattern,
            glob: sought.glob,
            context: sought.context.unwrap_or_default().min(CONTEXT),
            limit: sought.limit.unwrap_or(LIMIT.0).min(LIMIT.1),
        };
        let places = match sought.path.filter(|path| !path.trim().is_empty()) {
            Some(path) => vec![Place::of(ctx.as_ref(), &path).await?],
            None => {
                let folders = ctx.files().folders().await?;
                folders.into_iter().map(|folder| Place::Folder(folder.name)).collect()
            }
        };
        if let [Place::Vault(folder)] = places.as_slice() {
            return in_notes(ctx.as_ref(), folder, grep).await;
        }
        Ok(ToolOutput::streamed(
            move |parts| async move { in_folders(ctx.as_ref(), places, grep, parts).await },
        ))
    }
}

async fn in_folders(
    ctx: &dyn ToolContext,
    places: Vec<Place>,
    grep: Grep,
    parts: Parts,
) -> Result<Output, ToolError> {
    let (mut hits, mut more, mut files) = (Vec::<GrepHit>::new(), false, 0);
    for place in places {
        let Place::Folder(path) = place else { continue };
        let matches = hits.iter().filter(|hit| !hit.context).count();
        let grep = Grep { limit: grep.limit - matches.min(grep.limit), ..grep.clone() };
        if grep.limit == 0 {
            more = true;
            break;
        }
        let (parts, before) = (parts.clone(), hits.clone());
        let so_far = move |found: &[GrepHit]| {
            let hits: Vec<&GrepHit> = before.iter().chain(found).collect();
            parts.partial(json!({"hits": hits}));
        };
        let answer = ctx.files().grep(&path, grep, Box::new(so_far)).await?;
        hits.extend(answer.hits);
        more |= answer.more;
        files += answer.files;
    }
    Ok(Output::new(json!({"hits": hits, "more": more, "files_searched": files})).untrusted())
}

/// Searches through the vault, which hides private notes.
async fn in_notes(ctx: &dyn ToolContext, folder: &str, grep: Grep) -> Result<ToolOutput, ToolError> {
    let fits = grep.glob.as_deref().map(PathPattern::new).transpose()?;
    // The limit applies after filtering, so a filtered search has none.
    let narrowed = fits.is_some() || !folder.is_empty();
    let limit = if narrowed { usize::MAX } else { grep.limit };
    let search = Search { query: grep.pattern, mode: SearchMode::Regex, limit };
    let answer = ctx.vault().search(&search).await?;
    let wanted = |path: &VaultPath| {
        // The path may name one note.
        let below = if path.as_str() == folder { Some(folder) } else { below(path, folder) };
        below.is_some_and(|below| fits.as_ref().is_none_or(|fits| fits.is_match(below)))
    };
    let found: Vec<_> = answer.hits.iter().filter(|hit| wanted(&hit.path)).collect();
    let more = answer.more || found.len() > grep.limit;
    let found = &found[..found.len().min(grep.limit)];
    let hits =
        found.iter().map(|hit| json!({"path": in_vault(&hit.path), "line": hit.line, "text": hit.text}));
    let mut value = json!({"hits": hits.collect::<Vec<_>>(), "more": more});
    if grep.context > 0 {
        value["hint"] = format!("Lines around a match are not shown of {VAULT}; read the note.").into();
    }
    let notes: BTreeSet<_> = found.iter().map(|hit| hit.path.clone()).collect();
    Ok(Output::new(value).from_notes(notes).into())
}
