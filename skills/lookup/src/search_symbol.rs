use std::sync::Arc;

use nova_market::tools::{self, Web};
use nova_market::{Found, sources};
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::SOURCES;

pub(crate) struct SearchSymbol;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Finds the symbol of a company."))]
pub(crate) struct Query {
    /// A company's name or a part of it.
    #[schemars(extend("x-label" = "Company", "x-help" = "Its name or a part of it"))]
    query: String,
}

/// Maximum matches in an answer.
const MOST: usize = 20;

#[async_trait]
impl NativeTool for SearchSymbol {
    type Args = Query;
    const ID: &'static str = "search_symbol";
    const EFFECT: Effect = Effect::External;
    const HOSTS: &'static [&'static str] = &sources::HOSTS;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &sources::CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose("Finds the symbols of companies and funds by name, each with its exchange.")
            .use_when("the user asks for the symbol or ticker of a company, or which exchanges list it")
            .not_when("the symbol is known", "lookup.pull_up_symbol")
            .example("What is the ticker of Northgate Tooling?")
    }

    async fn run(&self, of: Query, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let query = of.query.trim();
        if query.is_empty() {
            return Err(ToolError::InvalidArguments {
                path: "/query".into(),
                rule: "must be a company's name".into(),
                allowed: Vec::new(),
            });
        }
        let sources = tools::sources(ctx, "sources", &SOURCES).await;
        let (source, found) = sources.search(query, &Web(ctx)).await.map_err(|reasons| {
            ToolError::failed(
                format!("Nothing is listed as \"{query}\": {reasons}."),
                "Try another part of the name.",
            )
        })?;
        let row = |found: &Found| {
            json!({
                "symbol": found.symbol,
                "name": found.name,
                "exchange": found.exchange,
                "kind": found.kind,
                "source": source,
            })
        };
        Ok(Output::new(json!({"found": found.iter().take(MOST).map(row).collect::<Value>()})).into())
    }
}
