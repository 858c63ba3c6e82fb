use std::sync::Arc;

use nova_market::expression::{Expression, ExpressionError, FIELDS, Wanted};
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

pub(crate) struct CheckConditions;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Checks conditions without a scan."))]
pub(crate) struct Lines {
    /// Conditions, such as "close > sma(close, 200)".
    #[schemars(length(min = 1, max = 50))]
    #[schemars(extend("x-help" = "Such as close > sma(close, 200)"))]
    conditions: Vec<String>,
}

#[async_trait]
impl NativeTool for CheckConditions {
    type Args = Lines;
    const ID: &'static str = "check_conditions";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Checks the syntax of conditions without a scan: the error of each with its character, or the figures it reads.",
        )
        .use_when("a condition was rejected, or the user asks whether one is written correctly")
        .not_when("shares that meet it are wanted", "screener.scan_universe")
        .example("Is close > sma(close 200) written correctly?")
    }

    async fn run(&self, of: Lines, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let rows: Value =
            of.conditions.iter().enumerate().map(|(place, line)| checked(place + 1, line)).collect();
        Ok(Output::new(json!({"conditions": rows})).into())
    }
}

fn checked(line: usize, text: &str) -> Value {
    let parsed = Expression::parse(text, Wanted::Condition);
    let reads = parsed.as_ref().map(Expression::fields).unwrap_or_default();
    let names = FIELDS.iter().filter(|row| reads.contains(&row.field)).map(|row| row.name);
    json!({
        "line": line,
        "text": text,
        "problem": parsed.as_ref().err().map(|error| format!("{} {}", error.message, error.hint).trim().to_owned()),
        "character": parsed.as_ref().err().map(|error| character(text, error)),
        "reads": names.collect::<Value>(),
        "needs_reports": parsed.as_ref().is_ok_and(Expression::needs_reports),
    })
}

/// The position of an error in characters, from 1.
pub(crate) fn character(text: &str, error: &ExpressionError) -> usize {
    text.get(..error.place.start).map_or(0, |before| before.chars().count()) + 1
}
