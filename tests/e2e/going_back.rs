//! Branching a chat, finding it and restoring it.

use fantoccini::key::Key;
use nova_testkit::{ModelServer, text};

use crate::harness::{Home, Window};

/// Answers with the number of requests and their text.
fn model() -> ModelServer {
    let mut asked = 0;
    ModelServer::replying(move |request| {
        asked += 1;
        let messages = request["messages"].as_array().cloned().unwrap_or_default();
        let users = messages.iter().filter(|message| message["role"] == "user");
        let said: Vec<&str> = users
            .filter_map(|message| message["content"].as_str())
            .filter(|content| content.starts_with("Say"))
            .collect();
        text(&format!("Answer {asked} to {}.", said.join(", then ")))
    })
}

async fn say(window: &Window, words: &str, answer: &str) {
    window.type_into("[data-testid=composer-input]", words).await;
    window.click("[data-testid=send]").await;
    window.wait_for_text("[role=log]", answer).await;
    window.wait_for("[data-testid=send]").await;
}

#[tokio::test]
async fn edited_message_is_a_version_and_a_chat_is_found_at_its_message() {
    let model = model();
    let home = Home::new().note("Plan.md", "A plan.\n").provider(&model.base_url());
    let window = Window::open(&home).await;
    say(&window, "Say harbour", "Answer 1 to Say harbour.").await;
    say(&window, "Say lighthouse", "Answer 2 to Say harbour, then Say lighthouse.").await;

    // ↑ in the empty composer edits the last sent message.
    window.click("[data-testid=composer-input]").await;
    window.press(&[], Key::Up).await;
    window.wait_for_focus("[data-testid=edit-form] textarea").await;
    window.press(&[], '!').await;
    window.click("[data-testid=send-edited]").await;
    window.wait_for_text("[role=log]", "Answer 3 to Say harbour, then Say lighthouse!.").await;
    window.wait_for_text("[data-testid=versions]", "2/2").await;
    assert!(!window.text("[role=log]").await.contains("Answer 2"));

    window.click("[aria-label='Earlier version']").await;
    window.wait_for_text("[role=log]", "Answer 2").await;
    window.click("[data-testid=answer-again]").await;
    window.wait_for_text("[role=log]", "Answer 4 to Say harbour.").await;

    // A match in another branch opens in that branch.
    window.click("[data-testid=new-chat]").await;
    window.type_into("[data-list-search] input", "lighthouse!").await;
    window.click("[data-testid=found-place]").await;
    window.wait_for_text("[role=log]", "Answer 3").await;

    let found = home.nova(&["session", "search", "harbour", "--json"]);
    let id = found[0]["row"]["id"].as_str().expect("the chat").to_owned();
    let document = home.nova(&["session", "export", &id, "--json"]);
    assert!(document["markdown"].as_str().is_some_and(|text| text.contains("Answer 3")), "{document}");
    window.close().await;
    model.finish();
}

#[tokio::test]
async fn deleted_chat_can_be_restored() {
    let model = model();
    let home = Home::new().note("Plan.md", "A plan.\n").provider(&model.base_url());
    let window = Window::open(&home).await;
    say(&window, "Say harbour", "Answer 1").await;

    window.click("[data-chat]").await;
    window.choose("More for Say harbour", "Delete chat").await;
    window.wait_gone("[data-chat]").await;
    window.click("[data-testid=undo-delete]").await;
    window.click("[data-chat]").await;
    window.wait_for_text("[role=log]", "Answer 1").await;
    window.close().await;
    model.finish();
}

#[tokio::test]
async fn trash_restores_a_chat_and_purges_one_after_confirmation() {
    let model = model();
    let home = Home::new().note("Plan.md", "A plan.\n").provider(&model.base_url());
    let window = Window::open(&home).await;
    say(&window, "Say harbour", "Answer 1").await;
    window.click("[data-testid=new-chat]").await;
    say(&window, "Say lighthouse", "Answer 2").await;
    for chat in ["Say lighthouse", "Say harbour"] {
        window.wait_for_text("[data-chat]", chat).await;
        window.click("[data-chat]").await;
        window.choose(&format!("More for {chat}"), "Delete chat").await;
    }
    window.wait_gone("[data-chat]").await;

    // Also after a restart, when Undo is no longer offered.
    window.close().await;
    let window = Window::open(&home).await;
    window.wait_for_text("[data-testid=nav-trash]", "2").await;
    window.click("[data-testid=nav-trash]").await;
    window.click_named("Restore Say harbour").await;
    window.wait_for_text("[data-chat]", "Say harbour").await;
    window.click_named("Delete permanently: Say lighthouse").await;
    window.click_named("Keep").await;
    window.wait_gone("[data-testid=purge-confirm]").await;
    assert_eq!(home.nova(&["session", "list", "--deleted", "--json"])[0]["title"], "Say lighthouse");
    window.click_named("Delete permanently: Say lighthouse").await;
    window.click("[data-testid=purge-confirm]").await;
    window.wait_for_text("[data-testid=trash]", "No deleted chats").await;
    assert_eq!(home.nova(&["session", "list", "--deleted", "--json"]), serde_json::json!([]));

    window.click("[data-chat]").await;
    window.wait_for_text("[role=log]", "Answer 1").await;
    window.close().await;
    model.finish();
}
