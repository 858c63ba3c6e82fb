use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, VaultPath,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::{is_missing, named, path_of, within_budget, without_brackets};

pub(crate) struct QueryBase;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Runs a base of the vault."))]
pub(crate) struct Question {
    /// The base: its path ("CRM/Deals.base"), its name, or the note whose text holds it.
    #[schemars(extend("x-label" = "Base", "x-help" = "The .base file"))]
    path: String,
    /// The view, by its name; default: the first.
    #[serde(default)]
    #[schemars(extend("x-help" = "The first if left empty"))]
    view: Option<String>,
}

#[async_trait]
impl NativeTool for QueryBase {
    type Args = Question;
    const ID: &'static str = "query_base";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Answers with the rows of a view in an Obsidian base: a table the user made over their notes. `unsupported` names what is not computed.",
        )
        .use_when("the user asks for one of their bases, or a base holds just what they ask for")
        .not_when("there is no base for the question", "vault.query")
        .example("Show me the open deals from my Deals base")
    }

    async fn run(&self, question: Question, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let path = base(ctx.as_ref(), &question.path).await?;
        let answer = ctx.vault().query_base(&path, question.view.as_deref()).await?;
        let rows = answer.groups.iter().flat_map(|group| {
            group.rows.iter().map(|row| {
                let mut shown = json!({"path": row.path, "cells": row.cells});
                if let Some(key) = &group.key {
                    shown["group"] = json!(key);
                }
                shown
            })
        });
        let shown = answer.groups.iter().map(|group| group.rows.len()).sum::<usize>();
        let rows = within_budget(rows);
        let paths: Vec<VaultPath> =
            answer.groups.iter().flat_map(|group| &group.rows).map(|row| row.path.clone()).collect();
        let paths = paths.into_iter().take(rows.len());
        let value = json!({
            "base": answer.base,
            "view": answer.view,
            "views": answer.views,
            "columns": answer.columns,
            "total": answer.total,
            "more": rows.len() < shown,
            "rows": rows,
            "unsupported": answer.unsupported,
        });
        Ok(Output::new(value).from_notes(paths).into())
    }
}

/// The `.base` file of that path or name, else a note.
async fn base(ctx: &dyn ToolContext, said: &str) -> Result<VaultPath, ToolError> {
    let name = without_brackets(said);
    if !name.to_ascii_lowercase().ends_with(".md") {
        let file = if name.to_ascii_lowercase().ends_with(".base") {
            name.to_owned()
        } else {
            format!("{name}.base")
        };
        let path = path_of(&file)?;
        match ctx.vault().read(&path).await {
            Ok(_) => return Ok(path),
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error),
        }
        if let Some(path) = ctx.vault().resolve(&file).await? {
            return Ok(path);
        }
    }
    Ok(named(ctx, said).await?.path)
}
