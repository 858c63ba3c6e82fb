use std::collections::BTreeSet;
use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, Search, SearchMode, ToolContext, ToolError,
    ToolOutput, async_trait, json, schemars,
};
use serde::Deserialize;

/// Lines in an answer: default and maximum.
const LIMIT: (usize, usize) = (50, 500);

pub(crate) struct SearchNotes;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Searches all notes."))]
pub(crate) struct Sought {
    /// The text to find, within one line.
    #[schemars(extend("x-label" = "Search"))]
    query: String,
    /// The query is a regular expression; case matters unless it begins with (?i).
    #[serde(default)]
    #[schemars(extend("x-label" = "Regular expression"))]
    regex: Option<bool>,
    /// All words of the query must be in the note, in any order.
    #[serde(default)]
    #[schemars(extend("x-label" = "Whole words"))]
    words: Option<bool>,
    /// How many lines at most; default: 50, at most 500.
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[schemars(extend("x-label" = "Rows"))]
    limit: Option<usize>,
}

#[async_trait]
impl NativeTool for SearchNotes {
    type Args = Sought;
    const ID: &'static str = "search";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Finds the lines of notes that hold a text, whatever its case.")
            .use_when("it is not known in which note something stands, or where it was written down")
            .not_when("notes are sought by a property", "vault.query")
            .example("Where did I write down the wifi password?")
    }

    async fn run(&self, sought: Sought, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let mode = match (sought.regex.unwrap_or_default(), sought.words.unwrap_or_default()) {
            (true, true) => {
                return Err(ToolError::InvalidArguments {
                    path: "/words".into(),
                    rule: "is either `words` or `regex`, not both".into(),
                    allowed: Vec::new(),
                });
            }
            (true, false) => SearchMode::Regex,
            (false, true) => SearchMode::Words,
            (false, false) => SearchMode::Text,
        };
        let limit = sought.limit.unwrap_or(LIMIT.0).min(LIMIT.1);
        let query = sought.query;
        let is_phrase = mode == SearchMode::Text && query.split_whitespace().nth(1).is_some();
        let tag = query.trim().trim_start_matches("tag:").strip_prefix('#').map(str::to_owned);
        let tag = tag.filter(|tag| mode != SearchMode::Regex && !tag.is_empty() && !tag.contains([' ', '"']));
        let answer = ctx.vault().search(&Search { query, mode, limit }).await?;
        let paths: BTreeSet<_> = answer.hits.iter().map(|hit| hit.path.clone()).collect();
        let mut value = json!({"hits": answer.hits, "more": answer.more});
        if !answer.skipped.is_empty() {
            value["not_searched"] = json!(answer.skipped.iter().take(LIMIT.0).collect::<Vec<_>>());
        }
        if let Some(tag) = tag.filter(|_| answer.hits.is_empty()) {
            value["hint"] = format!(
                "No line has this text. A tag may be in a property without its #: vault.query with the condition \
                 `tags contains {tag}` finds all notes that have it."
            )
            .into();
        }
        if is_phrase && answer.hits.is_empty() {
            value["hint"] =
                "No line has exactly this text, including the quotes. With `words` notes are found that \
                             have all of its words, in any order."
                    .into();
        }
        Ok(Output::new(value).from_notes(paths).into())
    }
}
