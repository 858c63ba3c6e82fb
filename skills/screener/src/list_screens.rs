use std::sync::Arc;

use nova_market::expression::{Expression, FIELDS, Needs, Operator, Wanted};
use nova_market::screen::{Missing, Prefer, ScorePart};
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::last::last_scans;
use crate::notes::{STRATEGY, ScreenNote, ScreenText, screens, text};
use crate::shown::unit;

pub(crate) struct ListScreens;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists your screens."))]
pub(crate) struct Nothing {}

#[async_trait]
impl NativeTool for ListScreens {
    type Args = Nothing;
    const ID: &'static str = "list_screens";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Lists saved screens and strategies with their conditions, and all figures that a condition can read.")
            .use_when("the user asks which screens or strategies they have, or a condition needs a figure's name")
            .example("Which screens do I have?")
    }

    async fn run(&self, _: Nothing, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let (screens, unreadable) = screens(ctx.as_ref()).await?;
        let scans = last_scans(ctx.as_ref()).await;
        let strategies = ctx.vault().read_records(&[STRATEGY]).await?;
        let declared = ctx.records().get(STRATEGY)?;
        let rows = strategies.notes.iter().map(|note| {
            json!({
                "name": note.path.name(),
                "path": note.path,
                "screen": text(&declared.read(note), "screen"),
                "problems": [],
            })
        });
        let fields = FIELDS.iter().map(|row| {
            json!({
                "key": row.key,
                "name": row.name,
                "unit": unit(row.field.kind()),
                "needs": match row.field.needs() { Needs::Closes => "closes", Needs::Reports => "reports" },
                "example": row.example,
            })
        });
        let problems = unreadable.iter().chain(&strategies.unreadable);
        let notes: Vec<_> = screens
            .iter()
            .map(|screen| screen.path.clone())
            .chain(strategies.notes.iter().map(|note| note.path.clone()))
            .collect();
        let value = json!({
            "screens": screens.iter().map(|screen| row(screen, scans.get(screen.path.as_str()))).collect::<Value>(),
            "strategies": rows.collect::<Value>(),
            "fields": fields.collect::<Value>(),
            "functions": FUNCTIONS,
            "unreadable": problems.map(|problem| json!({
                "path": problem.path, "line": problem.line, "problem": problem.problem, "remedy": problem.remedy,
            })).collect::<Value>(),
        });
        Ok(Output::new(value).from_notes(notes).into())
    }
}

/// Examples of calling each function.
const FUNCTIONS: &str = "sma(close, 50), ema(close, 20), rsi(close, 14), macd(close, 12, 26, 9), macd_signal(close, 12, 26, 9), \
    macd_histogram(close, 12, 26, 9), atr(14), bollinger_upper(close, 20, 2), bollinger_lower(close, 20, 2), \
    standard_deviation(close, 20), highest(close, 250), lowest(close, 250), change(close, 120) in percent, \
    volatility(close, 60) in percent a year, abs(x), min(x, y), max(x, y); x[20] is x twenty days before";

fn row(screen: &ScreenNote, last: Option<&Value>) -> Value {
    let ScreenText { conditions, score, missing } = &screen.text;
    json!({
        "name": screen.name,
        "path": screen.path,
        "universe": screen.universe,
        "conditions": conditions.iter().map(|line| condition(line)).collect::<Value>(),
        "missing": match missing { Missing::LeaveOut => "leave_out", Missing::Keep => "keep" },
        "score": score.iter().map(|line| part(line)).collect::<Value>(),
        "last": last,
        "problems": screen.problems,
    })
}

fn condition(line: &str) -> Value {
    let parsed = Expression::parse(line, Wanted::Condition);
    let simple = parsed.as_ref().ok().and_then(Expression::simple);
    json!({
        "text": line,
        "field": simple.as_ref().map(|simple| simple.field.key()),
        "operator": simple.as_ref().map(|simple| match simple.operator {
            Operator::Below => "below",
            Operator::Above => "above",
            Operator::Between => "between",
        }),
        "values": simple.map(|simple| simple.values).unwrap_or_default(),
        "problem": parsed.err().map(|error| format!("{} {}", error.message, error.hint).trim().to_owned()),
    })
}

fn part(line: &str) -> Value {
    let parsed = ScorePart::parse(line);
    let known = parsed.as_ref().ok();
    json!({
        "text": line,
        "field": known.and_then(|part| part.figure.field()).map(|field| field.key()),
        "prefer": known.map(|part| if part.prefer == Prefer::Low { "low" } else { "high" }),
        "weight": known.map(|part| part.weight.to_string()),
        "problem": parsed.as_ref().err().map(|error| format!("{} {}", error.message, error.hint).trim().to_owned()),
    })
}
