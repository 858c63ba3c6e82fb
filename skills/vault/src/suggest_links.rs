use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, MentionAnswer, MentionQuery, NativeTool, NoteScope, Output, ToolContext,
    ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::{named, within_budget};

/// Links proposed by one call: default and maximum; a user reviews each one.
const LIMIT: (usize, usize) = (100, 1000);

/// Listed characters of a line.
const SHOWN: usize = 200;

/// Maximum number of ambiguous names in an answer.
const AMBIGUOUS: usize = 50;

pub(crate) struct SuggestLinks;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Makes links of mentions of your notes."))]
pub(crate) struct Where {
    /// A note or a folder; default: all notes.
    #[serde(default)]
    #[schemars(extend("x-label" = "Note or folder", "x-help" = "All notes if left empty"))]
    path: Option<String>,
    /// true: each mention, not only the first of a note where the text has no link to it yet.
    #[serde(default)]
    #[schemars(extend("x-label" = "Every mention", "x-help" = "Also where the note is linked already"))]
    every: Option<bool>,
    /// How many links at most; 100 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    #[schemars(extend("x-label" = "Links", "x-help" = "100 if left empty"))]
    limit: Option<usize>,
    /// true: only lists them, nothing is written. In a chat the user sees each change before it is made anyway.
    #[serde(default)]
    #[schemars(extend("x-label" = "List them first", "x-help" = "Nothing is written until you agree"))]
    dry_run: Option<bool>,
}

#[async_trait]
impl NativeTool for SuggestLinks {
    type Args = Where;
    const ID: &'static str = "suggest_links";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose(
            "Turns mentions of other notes, by name or alias, into links, all in one change. `ambiguous` has names of \
             several notes, which stay text.",
        )
        .use_when("unlinked mentions are to be found or to become links")
        .not_when("links that are there are asked for", "vault.links")
        .example("Turn the unlinked mentions in my meeting notes into links")
    }

    async fn run(&self, asked: Where, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let said = asked.path.as_deref().map(str::trim).filter(|path| !path.is_empty());
        let place = match said {
            Some(path) if path.ends_with('/') || ctx.vault().has_folder(path).await? => {
                Some(folder(ctx.as_ref(), path).await?)
            }
            Some(path) => Some(named(ctx.as_ref(), path).await?.path.to_string()),
            None => None,
        };
        let query = MentionQuery {
            place,
            every: asked.every.unwrap_or_default(),
            limit: asked.limit.unwrap_or(LIMIT.0).min(LIMIT.1),
        };
        let found = ctx.vault().mentions(&query).await?;
        let dry_run = asked.dry_run.unwrap_or_default();
        for line in found.lines.iter().filter(|_| !dry_run) {
            let linked = std::slice::from_ref(&line.linked);
            ctx.vault().replace_line(&line.path, line.line, &line.text, linked).await?;
        }
        Ok(Output::new(report(&found, dry_run)).from_notes(found.read.into_keys()).into())
    }
}

/// The folder, which must exist.
async fn folder(ctx: &dyn ToolContext, said: &str) -> Result<String, ToolError> {
    let folder = said.trim_end_matches('/');
    if folder.is_empty() || ctx.vault().has_folder(folder).await? {
        return Ok(folder.to_owned());
    }
    Err(ToolError::NoNote {
        what: format!("The folder \"{folder}\" was not found."),
        remedy: "Name a folder as the vault has it, or a note.".into(),
    })
}

fn report(found: &MentionAnswer, dry_run: bool) -> Value {
    let count: usize = found.lines.iter().map(|line| line.links.len()).sum();
    let rows = found.lines.iter().flat_map(|line| {
        line.links.iter().map(move |link| {
            let mut row = json!({"path": line.path, "line": line.line, "words": link.words, "to": link.to});
            // Writes are shown as a diff instead.
            if dry_run {
                row["text"] = line.linked.trim().chars().take(SHOWN).collect::<String>().into();
            }
            row
        })
    });
    let rows = within_budget(rows);
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let mut summary = format!("{} in {}", plural(count, "link"), plural(found.read.len(), "note"));
    if count < found.total {
        summary = format!("The first {summary}; {} in all", found.total);
    }
    let mut value = json!({
        "dry_run": dry_run, "summary": summary, "count": count, "total": found.total, "notes": found.notes,
        "changed": rows,
    });
    if !found.ambiguous.is_empty() {
        value["ambiguous"] = json!(found.ambiguous.iter().take(AMBIGUOUS).collect::<Vec<_>>());
    }
    if found.ambiguous.len() > AMBIGUOUS {
        value["ambiguous_total"] = found.ambiguous.len().into();
    }
    value
}
