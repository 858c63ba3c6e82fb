//! Settings → Vault, by mouse and by keyboard.

use std::path::Path;

use fantoccini::key::Key;
use serde_json::json;

use crate::harness::{Home, Window};

/// A vault named by the settings, and a recent one.
fn home() -> Home {
    let home = Home::new()
        .first_start()
        .vault_named("Work vault")
        .vault_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template"))
        .home_file("Documents/House/Garden.md", "Apples.\n");
    let house = home.documents().join("House");
    let settings = json!({ "vault": home.vault(), "recent_vaults": [{ "path": house }] });
    home.settings(&settings)
}

async fn open(window: &Window) {
    window.wait_for("[data-testid=composer-input]").await;
    window.choose("Work vault: vault", "Private notes, extra roots, history").await;
    window.wait_for_text("[aria-label='Open vault'] h2", "Work vault").await;
}

#[tokio::test]
async fn private_note_is_added_checked_and_removed_by_keys() {
    let home = home();
    let window = Window::open(&home).await;
    open(&window).await;
    window.click("[data-testid=private-note]").await;
    window.type_into("[data-testid=note-finder-field]", "jane").await;
    window.wait_for_text("[data-testid=note-finder] [aria-selected=true]", "Jane Doe").await;
    window.press(&[], Key::Enter).await;
    let row = "[aria-label='Private notes and folders'] [data-testid=vault-row]";
    window.wait_for_text(row, "CRM/People/Jane Doe.md").await;
    assert_eq!(home.read_config()["private"], json!(["CRM/People/Jane Doe.md"]));

    window.click("[data-testid=check-note]").await;
    window.type_into("[data-testid=note-finder-field]", "jane").await;
    window.wait_for_text("[data-testid=note-finder] [aria-selected=true]", "Jane Doe").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[aria-label='Private notes']", "Private: listed as CRM/People/Jane Doe.md.").await;

    window.ask(&format!("document.querySelector(\"{row} button\").focus();")).await;
    window.press(&[], Key::Delete).await;
    window.wait_gone(row).await;
    assert_eq!(home.read_config()["private"], json!([]));
    window.click("[data-testid=vault-undo]").await;
    window.wait_for_text(row, "CRM/People/Jane Doe.md").await;
    window.close().await;
}

#[tokio::test]
async fn recent_vault_is_opened_and_the_last_one_listed() {
    let home = home();
    let window = Window::open(&home).await;
    open(&window).await;
    window.click_named("Open House").await;
    window.wait_for_text("[aria-label='Open vault'] h2", "House").await;
    window.wait_for_text("[aria-label='Open vault']", "1 note").await;
    window.wait_for_text("[aria-label='Recent vaults'] [data-testid=vault-row]", "Work vault").await;
    let house = home.documents().join("House");
    assert_eq!(home.read_config()["vault"], json!(house));

    window.click("[data-testid=vault-prune]").await;
    window.wait_for_text("[role=dialog]", "Nothing to delete").await;
    window.press(&[], Key::Escape).await;
    window.wait_gone("[role=dialog]").await;
    window.wait_for_focus("[data-testid=vault-prune]").await;
    window.close().await;
}
