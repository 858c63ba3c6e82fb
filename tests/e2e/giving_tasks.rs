//! A task for two sub-agents, followed and stopped in the window.

use std::path::Path;

use fantoccini::key::Key;
use nova_testkit::{Answer, ModelServer, call, calls, pause, text};
use serde_json::{Value, json};

use crate::harness::{Home, Window};

/// The user's request.
pub(crate) const COMPARE: &str = "Compare what Quillon offers with what we agreed on, and say who to ask.";

const PRICES: &str =
    "Find what our notes say of Quillon's prices. Give yearly cost and notice period, with the notes.";
const TERMS: &str = "List the contacts who are customers and say who knows our hosting terms.";

/// A model that starts two tasks whose sub-agents wait midway.
pub(crate) fn model() -> ModelServer {
    ModelServer::replying(|request| {
        let messages = request["messages"].as_array().cloned().unwrap_or_default();
        let wish = messages.iter().rev().filter(|message| message["role"] == "user").find_map(wish_of);
        let outputs = messages.iter().filter(|message| message["role"] == "tool").count();
        match (wish.as_deref(), outputs) {
            (Some(PRICES), step) => prices(step),
            (Some(TERMS), step) => terms(step),
            (_, 0) => calls([
                (
                    "core__task",
                    json!({"prompt": PRICES, "skills": ["vault.search", "vault.read_note"], "name": "prices"}),
                ),
                ("core__task", json!({"prompt": TERMS, "skills": ["crm"], "name": "our terms"})),
            ]),
            _ => text("The offer says nothing of hosting. Ask [[Jane Doe]]."),
        }
    })
}

fn wish_of(message: &Value) -> Option<String> {
    let said = message["content"].as_str()?;
    (!said.starts_with("<nova-notice")).then(|| said.to_owned())
}

fn prices(step: usize) -> Answer {
    match step {
        0 => call("vault__search", json!({"query": "Quillon"})),
        1 => call("vault__search", json!({"query": "licence price"})),
        2 => call("vault__read_note", json!({"path": "Jane Doe"})),
        _ => text("Quillon is in the notes, its prices are not.").and(pause()).and(text(" Ask for them.")),
    }
}

fn terms(step: usize) -> Answer {
    match step {
        0 => call("crm__list_contacts", json!({"stage": "customer"})),
        _ => text("Looking at who knows the terms.").and(pause()).and(text(" Nobody does.")),
    }
}

#[tokio::test]
async fn two_sub_agents_are_shown_one_is_stopped_and_the_other_answers() {
    let model = model();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().vault_from(&template).provider(&model.base_url());
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.type_into("[data-testid=composer-input]", COMPARE).await;
    window.press(&[], Key::Enter).await;
    model.wait_for_pause(2).await;
    window.wait_for_text("[data-testid=task-card]", "2 sub-agents, both running").await;

    // By keyboard: the first row, then its action.
    window.ask("document.querySelector('[data-testid=task-row]').focus();").await;
    window.press(&[], Key::Enter).await;
    let panel = "[data-testid=subagents-panel]";
    window.wait_for_text(panel, "4 of 20").await;
    window.wait_for_text(&format!("{panel} [aria-label='Its calls']"), "vault.search").await;
    window.wait_for_text(&format!("{panel} [aria-label='So far']"), "its prices are not").await;
    window.click(&format!("{panel} [data-testid=stop-subagent]")).await;
    window.wait_for("[data-testid=task-row][data-state=cancelled]").await;

    model.resume();
    model.resume();
    window.wait_for_text("[role=log]", "Ask Jane Doe.").await;
    window.wait_for("[data-testid=task-row][data-state=done]").await;

    // Its session opens as a chat with a link back, and is in no list.
    window.click("[data-testid=task-row][data-state=done]").await;
    window.click(&format!("{panel} [data-testid=open-subagent]")).await;
    window.wait_for_text("[role=log]", "Nobody does.").await;
    window.click("[data-testid=subagent-of] button").await;
    window.wait_for_text("[role=log]", "Ask Jane Doe.").await;
    let listed = home.nova(&["session", "list", "--json"]);
    assert_eq!(listed.as_array().expect("rows").len(), 1, "{listed}");
    window.close().await;
}
