//! An endless answer is cut at its limits, and the chat continues.

use nova_app::{NoApprover, TurnEnd};
use nova_protocol::{ErrorCode, Event};
use nova_testkit::{Answer, PATIENCE, calls, reasoning, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, turn};

/// The answer ends its turn with this error, and the next turn is normal.
async fn check(endless: Answer, code: ErrorCode, says: &str, answer_timeout: u64) {
    // Two answers if history is compacted.
    let nova = Nova::new(PEOPLE, [endless, text("Fine."), text("Fine.")]);
    let mut settings = nova.read_settings();
    settings["providers"][0]["answer_timeout"] = json!(answer_timeout);
    nova.settings(&settings);
    let app = nova.start().await;
    let answer = turn(&app, None, "Go on for ever", NoApprover);
    let (end, _) = tokio::time::timeout(PATIENCE, answer).await.expect("the answer ends");
    let TurnEnd::Failed(error) = end.end else { panic!("{:?}", end.end) };
    assert_eq!((error.code, error.message.as_str()), (code, says));
    assert!(!error.hint.is_empty());
    let (end, _) = turn(&app, Some(&end.session), "And now?", NoApprover).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Fine.".into() });
}

/// This many megabytes of words, which a script sends in pieces.
fn megabytes(count: usize) -> String {
    format!("{} ", "x".repeat(64 * 1024 - 1)).repeat(16 * count)
}

#[tokio::test]
async fn too_much_text_ends_the_answer() {
    let says = "test ended its answer: its text and reasoning are longer than 4 MB";
    check(text(&megabytes(5)), ErrorCode::ProviderTruncated, says, 600).await;
}

#[tokio::test]
async fn too_much_reasoning_ends_the_answer() {
    let says = "test ended its answer: its text and reasoning are longer than 4 MB";
    let both = reasoning(&megabytes(3)).and(text(&megabytes(2)));
    check(both, ErrorCode::ProviderTruncated, says, 600).await;
}

#[tokio::test]
async fn dripping_answer_ends_at_its_time_limit() {
    let says = "The answer was incomplete after 1 s";
    check(text("It goes on").dripping(), ErrorCode::ProviderTimeout, says, 1).await;
}

#[tokio::test]
async fn calls_beyond_the_limit_are_answered() {
    let asked: Vec<String> = (0..100).map(|n| format!("word{n}")).collect();
    let asked = asked.iter().map(|word| ("vault__search", json!({"query": word})));
    let nova = Nova::new(PEOPLE, [calls(asked), text("That is all."), text("Still here.")]);
    let app = nova.start().await;
    let (end, events) = turn(&app, None, "Search for everything", NoApprover).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "That is all.".into() });
    let outputs = nova.model.last_texts("tool");
    let refused = |output: &String| output.contains("One answer may make 64 calls; this one was not run.");
    assert_eq!(outputs.len(), 100, "every call has its output");
    assert!(!outputs[..64].iter().any(refused) && outputs[64..].iter().all(refused), "{outputs:?}");
    let ran = events.iter().filter(|event| matches!(event, Event::ToolCallStarted { .. })).count();
    assert_eq!(ran, 64);
    let (end, _) = turn(&app, Some(&end.session), "And now?", NoApprover).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Still here.".into() });
    nova.model.finish();
}
