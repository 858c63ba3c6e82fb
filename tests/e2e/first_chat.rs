//! From a question to the note on disk and back.

use std::path::Path;

use fantoccini::key::Key;

use crate::harness::{Home, Window};
use crate::model;

const JANE: &str = "CRM/People/Jane Doe.md";

fn home(model: &nova_testkit::ModelServer) -> Home {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    Home::new().vault_from(&template).provider(&model.base_url())
}

async fn say(window: &Window, words: &str) {
    window.type_into("[data-testid=composer-input]", words).await;
    window.click("[data-testid=send]").await;
}

/// Allows the pending call, once the button is armed.
async fn allow(window: &Window) {
    window.click("[data-testid=approval-card][data-armed=true] [data-testid=approval-once]").await;
}

#[tokio::test]
async fn change_is_asked_made_undone_and_redone_and_an_outside_edit_is_shown() {
    let model = model::start();
    let home = home(&model);
    let before = home.read_note(JANE);
    let window = Window::open(&home).await;

    say(&window, "Set Jane Doe to won").await;
    window.wait_for_text("[data-testid=approval-card]", "Change 1 note?").await;
    window.wait_for_text("[data-testid=approval-card]", "1 property, nothing else in the note").await;
    let diff = window.text("[data-testid=approval-card] [data-testid=diff]").await;
    assert!(diff.contains("stage:") && diff.contains("lead") && diff.contains("won"), "{diff}");
    assert_eq!(home.read_note(JANE), before, "nothing is written before the answer");
    allow(&window).await;
    window.wait_for("[data-testid=tool-card][data-state=done]").await;
    let won = before.replace("stage: lead", "stage: won");
    assert_eq!(home.read_note(JANE), won);

    window.press(&[Key::Control], '.').await;
    window.wait_for("[data-testid=changes-panel] [data-testid=change-note]").await;
    window.click("[data-testid=undo-turn]").await;
    window.wait_for("[data-testid=tool-card][data-state=undone]").await;
    assert_eq!(home.read_note(JANE), before, "every byte is restored");

    say(&window, "Set Jane Doe to won").await;
    allow(&window).await;
    window.wait_for("[data-testid=tool-card][data-state=done]").await;
    assert_eq!(home.read_note(JANE), won);

    let lost = won.replace("stage: won", "stage: lost");
    std::fs::write(home.vault().join(JANE), &lost).expect("the note, as Obsidian saves it");
    window.wait_for_text("[role=log]", "Changed in Obsidian: Jane Doe (stage: won → lost)").await;

    say(&window, "Where does Jane Doe stand?").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lost.").await;
    assert_eq!(home.read_note(JANE), lost);

    window.close().await;
    model.finish();
}

#[tokio::test]
async fn open_note_follows_its_file() {
    let model = model::start();
    let home = home(&model);
    let window = Window::open(&home).await;

    say(&window, "Where does Jane Doe stand?").await;
    window.click("[role=log] a[data-note='Jane Doe']").await;
    window.wait_for_text("[data-testid=note-preview]", "lead").await;
    let edited = home.read_note(JANE).replace("stage: lead", "stage: proposal");
    std::fs::write(home.vault().join(JANE), edited).expect("the note, as Obsidian saves it");
    window.wait_for_text("[data-testid=note-preview]", "proposal").await;

    window.close().await;
    model.finish();
}

#[tokio::test]
async fn denied_change_is_not_made() {
    let model = model::start();
    let home = home(&model);
    let before = home.read_note(JANE);
    let window = Window::open(&home).await;

    say(&window, "Set Jane Doe to won").await;
    window.click("[data-testid=approval-card][data-armed=true] [data-testid=approval-deny]").await;
    window.click("[data-testid=approval-deny-send]").await;
    window.wait_for_text("[role=log]", "That did not happen").await;
    assert_eq!(home.read_note(JANE), before);

    window.close().await;
    model.finish();
}

#[tokio::test]
async fn stop_ends_a_waiting_turn() {
    let model = model::start();
    let home = home(&model);
    let before = home.read_note(JANE);
    let window = Window::open(&home).await;

    say(&window, "Set Jane Doe to won").await;
    window.wait_for("[data-testid=approval-card]").await;
    window.click("[data-testid=stop]").await;
    window.wait_for("[data-testid=tool-card][data-state=cancelled]").await;
    assert_eq!(home.read_note(JANE), before);
    say(&window, "Where does Jane Doe stand?").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;

    window.close().await;
    model.finish();
}

#[tokio::test]
async fn chat_is_restored_after_a_restart() {
    let model = model::start();
    let home = home(&model);
    let window = Window::open(&home).await;
    say(&window, "Where does Jane Doe stand?").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;
    window.close().await;

    let window = Window::open(&home).await;
    window.click("[data-testid=chat-list] [data-chat]").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;
    window.close().await;
    model.finish();
}
