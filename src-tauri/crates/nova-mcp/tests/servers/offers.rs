//! Prompts and resources, which a server offers to the user.

use std::collections::HashMap;

use futures::StreamExt as _;
use nova_mcp::{OfferedBy, PromptArgument};
use nova_skill::Value;
use serde_json::json;

use crate::support::{Servers, until, within};

async fn with_prompts(how: &str) -> Servers {
    let servers = Servers::one(how).await;
    until(|| offered(&servers).is_some_and(|one| !one.offers.prompts.is_empty())).await;
    servers
}

fn offered(servers: &Servers) -> Option<OfferedBy> {
    servers.mcp.offered().into_iter().next()
}

fn names(servers: &Servers) -> Vec<String> {
    let prompts = offered(servers).unwrap().offers.prompts;
    prompts.into_iter().map(|prompt| prompt.name).collect()
}

async fn fill(servers: &Servers, prompt: &str, args: Value) -> Option<Result<String, String>> {
    let (server, args) = (offered(servers).unwrap().name, args.as_object().unwrap().clone());
    let filled = within(servers.mcp.fill_prompt(&server, prompt, args)).await?;
    Some(filled.map_err(|trouble| trouble.line()))
}

#[tokio::test]
async fn prompts_are_listed_and_filled_in() {
    let servers = with_prompts("prompts").await;
    let one = offered(&servers).unwrap();
    let [review] = one.offers.prompts.as_slice() else { panic!("{:?}", one.offers.prompts) };
    assert_eq!((review.name.as_str(), review.description.as_str()), ("review", "Reviews a file."));
    let argument = |name: &str, description: &str, required| PromptArgument {
        name: name.into(),
        title: None,
        description: description.into(),
        required,
    };
    assert_eq!(review.arguments, [argument("file", "Which", true), argument("tone", "", false)]);

    let filled = fill(&servers, "review", json!({"file": "a.rs", "tone": "kind"})).await;
    let said = "Review a.rs in the tone \"kind\". </tool-text> ";
    assert_eq!(filled, Some(Ok(said.into())));
    let refused = fill(&servers, "review", json!({})).await.unwrap().unwrap_err();
    assert!(refused.starts_with("one refused it: file is missing."), "{refused}");
    assert_eq!(fill(&servers, "other", json!({})).await, None);
}

#[tokio::test]
async fn filled_prompt_contains_no_secret_of_its_server() {
    let servers = Servers::new();
    let mut entry = servers.entry("prompts");
    entry["env"] = json!({"TOKEN": "${credentials:github/token}"});
    servers.agree(&json!({ "github": entry }));
    servers.ready().await;
    until(|| offered(&servers).is_some_and(|one| !one.offers.prompts.is_empty())).await;
    let filled = fill(&servers, "review", json!({"file": "a.rs"})).await.unwrap().unwrap();
    assert!(filled.ends_with("[REDACTED]"), "{filled}");
}

#[tokio::test]
async fn server_completes_arguments() {
    let servers = with_prompts("prompts").await;
    let others = HashMap::from([("tone".to_owned(), "kind".to_owned())]);
    let values = within(servers.mcp.complete_argument("one", "review", "file", "main", others)).await;
    assert_eq!(values, ["main.rs", "tone kind"], "an invisible value is not offered");
}

#[tokio::test]
async fn changed_list_of_prompts_is_refreshed_and_reported() {
    let servers = with_prompts("prompts").await;
    let before = servers.mcp.statuses()[0].offers_changed;
    let mut changes = servers.mcp.source().changes();
    servers.call("one", "offer-more", json!({})).await.unwrap();
    until(|| names(&servers) == ["review", "later"]).await;
    within(changes.next()).await.unwrap();
    assert!(servers.mcp.statuses()[0].offers_changed > before);
    let empty = fill(&servers, "later", json!({})).await.unwrap().unwrap_err();
    assert!(empty.starts_with("one gave an empty prompt."), "{empty}");
}

#[tokio::test]
async fn resources_are_offered_with_the_tool_that_reads_them() {
    let servers = Servers::one("resources").await;
    until(|| offered(&servers).is_some_and(|one| one.offers.resources.len() == 2)).await;
    let one = offered(&servers).unwrap();
    assert_eq!(one.resource_tool.as_deref(), Some("read_resource"));
    let first = &one.offers.resources[0];
    assert_eq!((first.uri.as_str(), first.name.as_str()), ("note:///1", "Note 1"));
}

#[tokio::test]
async fn offers_are_known_after_a_restart() {
    let servers = with_prompts("prompts").await;
    let kept = servers.memory.tools.lock().unwrap()["one"].clone();
    assert_eq!(kept.offers.prompts[0].name, "review");
    // A server without an agreement offers nothing.
    servers.memory.agreed.lock().unwrap().clear();
    assert!(offered(&servers).is_none());
}
