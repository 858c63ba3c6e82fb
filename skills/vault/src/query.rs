use std::sync::Arc;

use nova_skill::{
    Condition, Description, Effect, JsonSchema, NativeTool, Output, Query, QueryError, SortKey, ToolContext,
    ToolError, ToolOutput, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::within_budget;

/// Notes in an answer: default and maximum.
const LIMIT: (usize, usize) = (100, 1000);

pub(crate) struct QueryNotes;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Finds notes by their properties."))]
pub(crate) struct Question {
    /// Only notes with this `type:`; "contact" and the like also find what this vault calls so.
    #[serde(default, rename = "type")]
    #[schemars(extend("x-label" = "Type", "x-help" = "Such as contact"))]
    record_type: Option<String>,
    /// Conditions that all must hold, each "KEY OP VALUE" with = != < <= > >= contains in exists: "status = draft", "due < 2026-12-01", "tags contains work", "stage in lead, won", "rating exists". Also file.name, file.path, file.folder, file.mtime.
    #[serde(default, rename = "where")]
    #[schemars(extend("x-label" = "Conditions", "x-help" = "Such as status = draft"))]
    conditions: Option<Vec<String>>,
    /// Properties to sort by, "-" before one for the highest or newest first.
    #[serde(default)]
    #[schemars(extend("x-label" = "Sort by", "x-help" = "Such as date desc"))]
    sort: Option<Vec<String>>,
    /// How many notes at most; 100 by default, at most 1000.
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[schemars(extend("x-label" = "Rows"))]
    limit: Option<usize>,
}

#[async_trait]
impl NativeTool for QueryNotes {
    type Args = Question;
    const ID: &'static str = "query";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Finds notes by their properties and gives these, with `total`, the number of all that match.",
        )
        .use_when("notes are listed, counted or sorted by type, tag, status, date or another property")
        .not_when("a text is sought in the notes", "vault.search")
        .example("Show all notes with status draft, newest first")
    }

    async fn run(&self, question: Question, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let asked = question.record_type.as_deref().map(str::trim).filter(|asked| !asked.is_empty());
        let mut query = Query {
            record_types: asked.map(str::to_owned).into_iter().collect(),
            limit: Some(question.limit.unwrap_or(LIMIT.0).min(LIMIT.1)),
            ..Query::default()
        };
        let conditions = question.conditions.unwrap_or_default();
        let said = conditions.iter().enumerate().filter(|(_, condition)| !condition.trim().is_empty());
        for (at, condition) in said {
            query.conditions.push(Condition::parse(condition).map_err(wrong("where", at))?);
        }
        for (at, keys) in question.sort.unwrap_or_default().iter().enumerate() {
            query.sort.extend(SortKey::parse_list(keys).map_err(wrong("sort", at))?);
        }
        let answer = ctx.vault().query(&query).await?;
        let paths: Vec<_> = answer.rows.iter().map(|row| row.path.clone()).collect();
        let notes = within_budget(answer.rows.iter().map(|row| json!(row)));
        let more = notes.len() < answer.total;
        let paths = paths.into_iter().take(notes.len());
        let mut value = json!({"total": answer.total, "more": more, "notes": notes});
        if answer.not_comparable > 0 {
            value["not_comparable"] = json!(answer.not_comparable);
        }
        Ok(Output::new(value).from_notes(paths).into())
    }
}

fn wrong(argument: &str, at: usize) -> impl FnOnce(QueryError) -> ToolError {
    let path = format!("/{argument}/{at}");
    move |error| ToolError::InvalidArguments { path, rule: error.to_string(), allowed: Vec::new() }
}
