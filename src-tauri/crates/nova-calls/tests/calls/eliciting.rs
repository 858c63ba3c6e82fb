//! Questions to the user from the program behind a running call.

use std::sync::Arc;

use nova_calls::{Answer, Call, NoApprover, run_call};
use nova_protocol::{Decision, Event};
use nova_skill::{
    CallToken, Description, Effect, Elicitation, Elicited, Skill, Tool, ToolContext, ToolError, ToolOutput,
    ToolSpec, Value, Wanted, async_trait, json,
};
use nova_testkit::{PATIENCE, ScriptedApprover, decided, edited, snapshot_of};
use tokio_util::sync::CancellationToken;

use crate::{Bench, fetch};

/// `shop.buy {times, url}`: asks `times` times and returns the answers.
struct Shop(ToolSpec);

fn shop() -> Shop {
    let parameters = json!({"type": "object", "properties": {}});
    Shop(ToolSpec::new("buy", Description::purpose("Buys."), parameters, Effect::Read))
}

impl Skill for Shop {
    fn skill_md(&self) -> &str {
        "---\nname: shop\ndescription: Buys.\n---\nBuy.\n"
    }

    fn manifest(&self) -> &str {
        "display_name: Shop\nversion: 1.0.0\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Shop(self.0.clone()))]
    }
}

#[async_trait]
impl Tool for Shop {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(
        &self,
        _: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let wanted = match args["url"].as_str() {
            Some(url) => Wanted::Visit(url.parse().expect("a valid test URL")),
            None => Wanted::Values(json!({
                "type": "object",
                "properties": {"size": {"type": "integer", "minimum": 1}, "mail": {"type": "string", "format": "email"}},
                "required": ["size"],
            })),
        };
        let elicitation = Elicitation { from: "shop".into(), message: "Which?".into(), wanted };
        let mut answers = Vec::new();
        for _ in 0..args["times"].as_u64().unwrap_or(1) {
            let answer = ctx.user().ask(&elicitation).await?;
            answers.push(match answer {
                Elicited::Accepted(values) => json!(["accepted", values]),
                Elicited::Declined => json!("declined"),
                Elicited::Cancelled => json!("cancelled"),
            });
        }
        Ok(json!(answers).into())
    }
}

async fn buy(bench: &Bench, args: Value) -> Result<Value, String> {
    let call = Call::with_value("call1".into(), "shop.buy", args);
    let outcome = run_call(&bench.scope, call, CancellationToken::new()).await;
    outcome.result.map_err(|error| error.message)
}

fn bench(answers: impl IntoIterator<Item = Answer>) -> Bench {
    let mut bench = Bench::new(fetch(Effect::Read, &[]), ScriptedApprover::new(answers), &[]);
    bench.scope.snapshot = snapshot_of(vec![Box::new(shop())]);
    bench
}

#[tokio::test]
async fn only_valid_values_sent_by_the_user_are_returned() {
    let bench = bench([
        edited(json!({"size": 0})),
        edited(json!({"size": 3, "mail": "no mail"})),
        decided(Decision::Once),
        edited(json!({"size": 3, "mail": "jane@example.com"})),
    ]);
    let answer = buy(&bench, json!({})).await;
    assert_eq!(answer, Ok(json!([["accepted", {"size": 3, "mail": "jane@example.com"}]])));
    let asked = bench.approver.asked();
    assert_eq!(asked.len(), 4, "invalid values are requested again");
    assert_eq!(asked.iter().map(|asked| asked.revision).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let events = bench.events.events();
    let decided = events.iter().filter(|event| matches!(event, Event::ApprovalDecided { .. })).count();
    assert_eq!(decided, 1);
    let others: Vec<_> =
        events.iter().filter(|event| !matches!(event, Event::ToolCallCompleted { .. })).collect();
    let told = serde_json::to_string(&others).expect("events");
    assert!(!told.contains("jane@example.com"), "the values leaked: {told}");
}

#[tokio::test]
async fn each_answer_is_distinguished() {
    let bench = bench([decided(Decision::Deny), decided(Decision::Cancel), decided(Decision::Always)]);
    let answer = buy(&bench, json!({"times": 4})).await;
    let expected = json!(["declined", "cancelled", "declined", "declined"]);
    assert_eq!(answer, Ok(expected), "an invalid or missing answer sends nothing");
}

#[tokio::test]
async fn question_is_declined_without_a_user() {
    let bench = bench([]).with_approver(NoApprover, PATIENCE);
    assert_eq!(buy(&bench, json!({})).await, Ok(json!(["declined"])));
}

#[tokio::test]
async fn question_with_a_url_shows_it_and_takes_no_values() {
    let bench = bench([decided(Decision::Once)]);
    let answer = buy(&bench, json!({"url": "https://shop.example/pay"})).await;
    assert_eq!(answer, Ok(json!([["accepted", null]])));
    let asked = bench.events.events().into_iter().find_map(|event| match event {
        Event::ElicitationRequested { url, host, schema, .. } => Some((url, host, schema)),
        _ => None,
    });
    let expected = (Some("https://shop.example/pay".into()), Some("shop.example".into()), Value::Null);
    assert_eq!(asked, Some(expected));
}

#[tokio::test]
async fn call_that_asks_too_often_is_stopped() {
    let bench = bench(vec![decided(Decision::Deny); 100]);
    let error = buy(&bench, json!({"times": 100})).await.expect_err("stopped");
    assert_eq!(error, "shop asked more than 8 times in one call and was stopped.");
    assert_eq!(bench.approver.asked().len(), 8);
}
