//! Everything is found by name: panels, pages, tools and notes in the palette, notes by Ctrl+O, and note
//! links wherever they appear.

use std::path::Path;

use fantoccini::key::Key;

use crate::harness::{Home, Window};

fn template() -> Home {
    Home::new().vault_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template"))
}

async fn open() -> (Home, Window) {
    let home = template();
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    (home, window)
}

/// Types into the palette and chooses the first row, which must be `line`.
async fn find(window: &Window, text: &str, line: &str) {
    window.press(&[Key::Control], 'k').await;
    window.type_into("[data-testid=palette-field]", text).await;
    window.wait_for_text("[data-testid=palette] [aria-selected=true]", line).await;
    window.press(&[], Key::Enter).await;
    window.wait_gone("[data-testid=palette]").await;
}

#[tokio::test]
async fn palette_finds_pages_panels_tools_and_notes() {
    let (_home, window) = open().await;
    find(&window, "settings: vault", "Settings: Vault").await;
    window.wait_for("[data-testid=vault-open]").await;
    find(&window, "crm.list_contacts", "crm.list_contacts").await;
    window.wait_for_text("[data-region=form]", "Lists your contacts").await;
    find(&window, "jane doe", "Jane Doe").await;
    window.wait_for_text("[data-testid=note-preview]", "Runs platform engineering").await;
    find(&window, "pinecrest second", "Pinecrest second clinic").await;
    window.wait_for_text("[data-testid=note-preview] h2", "Pinecrest second clinic").await;
    find(&window, "portfolio", "Portfolio").await;

    // The last choice comes first.
    window.press(&[Key::Control], 'k').await;
    window.wait_for_text("[data-testid=palette] [role=group]", "Recent").await;
    window.wait_for_text("[data-testid=palette] [aria-selected=true]", "Portfolio").await;
    window.close().await;
}

#[tokio::test]
async fn ctrl_o_opens_a_note_by_name() {
    let (_home, window) = open().await;
    window.press(&[Key::Control], 'o').await;
    window.type_into("[data-testid=note-finder-field]", "theo").await;
    window.wait_for_text("[data-testid=note-finder] [aria-selected=true]", "Theo Marsh").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[data-testid=note-preview] h2", "Theo Marsh").await;
    window.close().await;
}

#[tokio::test]
async fn link_in_a_result_opens_the_note_in_place() {
    let (_home, window) = open().await;
    window.click("[data-testid=nav-run-tool]").await;
    window.click("[data-tool='crm.list_contacts']").await;
    window.click("[data-testid=run-tool]").await;
    window.wait_for_text("[data-testid=tool-result]", "Jane Doe").await;
    window.click_named("Jane Doe").await;
    window.wait_for_text("[data-testid=note-popover]", "Runs platform engineering").await;
    window.wait_for("[data-testid=note-popover] [data-testid=open-in-obsidian]").await;
    // Esc closes the popover and returns the focus to the link.
    window.press(&[], Key::Escape).await;
    window.wait_gone("[data-testid=note-popover]").await;
    window
        .until(
            "the focus to be on the link",
            "return document.activeElement.textContent === 'Jane Doe';",
            Vec::new(),
        )
        .await;
    window.click_named("Jane Doe").await;
    window.click("[data-testid=note-beside]").await;
    window.wait_for_text("[data-testid=note-preview]", "Runs platform engineering").await;
    window.wait_for("[data-testid=composer-input]").await;
    window.close().await;
}

/// Opens a contact's link in a tool result; its note is in the popover.
async fn popover_of_jane(window: &Window) {
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.click("[data-testid=nav-run-tool]").await;
    window.click("[data-tool='crm.list_contacts']").await;
    window.click("[data-testid=run-tool]").await;
    window.wait_for_text("[data-testid=tool-result]", "Jane Doe").await;
    window.click_named("Jane Doe").await;
    window.wait_for_text("[data-testid=note-popover]", "Runs platform engineering").await;
}

#[tokio::test]
async fn note_opens_in_obsidian_when_chosen() {
    let home = template().launcher("echo \"$*\" >>\"$HOME/opened\"");
    let window = Window::open(&home).await;
    popover_of_jane(&window).await;
    let opened = home.in_home("opened");
    assert!(!opened.exists(), "the link opened something outside Nova");
    window.click("[data-testid=note-popover] [data-testid=open-in-obsidian]").await;
    window.wait_for_file(&opened, "obsidian://open?").await;
    let address = std::fs::read_to_string(&opened).expect("the address");
    assert!(address.contains("Jane"), "{address}");
    window.close().await;
}

#[tokio::test]
async fn missing_obsidian_is_reported_in_one_sentence() {
    let home = template().launcher("echo \"No application is registered for $1\" >&2; exit 3");
    let window = Window::open(&home).await;
    popover_of_jane(&window).await;
    window.click("[data-testid=note-popover] [data-testid=open-in-obsidian]").await;
    let alert = "[data-testid=note-popover] [role=alert]";
    window.wait_for_text(alert, "Obsidian is not installed, or did not open.").await;
    window.wait_for_text(alert, "Install it from obsidian.md, or read the note in Nova.").await;
    let said = window.ask(&format!("return document.querySelector('{alert}').innerText;")).await;
    assert!(said.as_str().is_some_and(|said| !said.contains("xdg") && !said.contains("exit")), "{said}");
    let result = window.text("[data-testid=tool-result]").await;
    assert!(!result.contains("Obsidian"), "not in the table: {result}");
    window.close().await;
}
