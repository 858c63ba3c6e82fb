//! Forms by keyboard alone: focus order, accepted input, refused input.

use std::path::Path;

use fantoccini::key::Key;
use serde_json::{Value, json};

use crate::harness::{Home, Window};
use crate::model;

fn home() -> Home {
    Home::new().vault_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template"))
}

/// Opens a skill's panel in place of the chat.
async fn open_panel(window: &Window, key: char) {
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], key).await;
    window.wait_for("[data-testid=skill-panel]").await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.wait_for("[data-testid=wide-panel]").await;
}

async fn write(window: &Window, text: &str) {
    for letter in text.chars() {
        window.press(&[], letter).await;
    }
}

/// Waits until the focus is in the field.
async fn focus_is_in(window: &Window, field: &str) {
    window
        .until(
            &format!("the focus to be in {field}"),
            "return document.activeElement.closest('[data-path]')?.dataset.path === arguments[0];",
            vec![json!(field)],
        )
        .await;
}

async fn value_of(window: &Window, field: &str) -> Value {
    window.ask(&format!("return document.querySelector('[data-path={field}] input').value;")).await
}

#[tokio::test]
async fn tab_after_an_invalid_field_reaches_the_next() {
    let home = home();
    let window = Window::open(&home).await;
    open_panel(&window, '4').await;
    window.click_named("Add trade").await;

    focus_is_in(&window, "symbol").await;
    window.press(&[], Key::Tab).await;
    focus_is_in(&window, "kind").await;
    window.press(&[], Key::Tab).await;
    focus_is_in(&window, "date").await;
    window.press(&[Key::Control], 'a').await;
    write(&window, "2026-02-30").await;
    window.press(&[], Key::Tab).await;
    focus_is_in(&window, "quantity").await;
    window.wait_for_text("[data-path=date]", "Use 2026-02-28").await;
    write(&window, "12").await;
    assert_eq!(value_of(&window, "quantity").await, "12");
    assert_eq!(value_of(&window, "date").await, "2026-02-30");

    // Shift+Tab goes to the field to fix; focus continues from there.
    window.press(&[Key::Shift], Key::Tab).await;
    focus_is_in(&window, "date").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_focus("[data-path=date] input").await;
    assert_eq!(value_of(&window, "date").await, "2026-02-28");
    window.close().await;
}

#[tokio::test]
async fn dates_take_words_and_numbers_take_groups() {
    let home = home();
    let window = Window::open(&home).await;
    open_panel(&window, '4').await;
    window.click_named("Add trade").await;
    focus_is_in(&window, "symbol").await;
    write(&window, "NEWCO").await;
    window.wait_for_text("[data-path=symbol]", "New symbol").await;
    for _ in 0..2 {
        window.press(&[], Key::Tab).await;
    }
    focus_is_in(&window, "date").await;
    window.press(&[Key::Control], 'a').await;
    write(&window, "next friday").await;
    window.wait_for_text("[data-path=date] [role=status]", "= Fri ").await;
    window.press(&[], Key::Tab).await;
    focus_is_in(&window, "quantity").await;
    let friday = value_of(&window, "date").await;
    let weekday = window.ask(&format!("return new Date({friday} + 'T00:00Z').getUTCDay();")).await;
    assert_eq!(weekday, 5, "{friday}");
    write(&window, "12,500").await;
    window.wait_for_text("[data-path=quantity] [role=status]", "= 12,500").await;

    // The calendar opens by a key, moves by the arrow keys, and Esc closes only it.
    window.press(&[Key::Shift], Key::Tab).await;
    focus_is_in(&window, "date").await;
    window.press(&[Key::Alt], Key::Down).await;
    window.wait_for_focus("[role=grid] button").await;
    window.press(&[], Key::Escape).await;
    window.wait_gone("[role=grid]").await;
    window.wait_for("[data-path=date]").await;
    window.press(&[Key::Alt], Key::Down).await;
    window.wait_for_focus("[role=grid] button").await;
    window.press(&[], Key::Right).await;
    window.press(&[], Key::Enter).await;
    window.wait_for_focus("[data-path=date] input").await;
    let saturday = value_of(&window, "date").await;
    let weekday = window.ask(&format!("return new Date({saturday} + 'T00:00Z').getUTCDay();")).await;
    assert_eq!(weekday, 6, "{saturday}");

    assert_eq!(value_of(&window, "quantity").await, "12500");
    window.close().await;
}

#[tokio::test]
async fn german_system_reads_and_shows_a_decimal_comma() {
    let home = Home::new().language("de_DE");
    let window = Window::open(&home).await;
    assert_eq!(window.ask("return navigator.language;").await, "de-DE");
    open_panel(&window, '4').await;
    window.click_named("Add trade").await;
    focus_is_in(&window, "symbol").await;
    write(&window, "NEWCO").await;
    window.press(&[], Key::Tab).await;
    focus_is_in(&window, "kind").await;
    window
        .ask(
            "const field = document.querySelector('[data-path=kind] select'); field.value = 'buy';
             field.dispatchEvent(new Event('change', { bubbles: true }));",
        )
        .await;
    for _ in 0..2 {
        window.press(&[], Key::Tab).await;
    }
    focus_is_in(&window, "quantity").await;
    // In an English locale this is twelve and a half.
    write(&window, "12.500").await;
    window.wait_for_text("[data-path=quantity] [role=status]", "= 12,500").await;
    window.press(&[], Key::Tab).await;
    focus_is_in(&window, "price").await;
    write(&window, "12.500,00").await;
    window.wait_for_text("[data-path=price] [role=status]", "= 12,500.00").await;
    for _ in 0..2 {
        window.press(&[], Key::Tab).await;
    }
    assert_eq!(value_of(&window, "price").await, "12500,00");
    focus_is_in(&window, "currency").await;
    write(&window, "EUR").await;
    window.press(&[Key::Control], Key::Enter).await;
    window.wait_for_text("[data-testid=wide-panel]", "NEWCO").await;
    let trades = home.nova(&["--json", "vault", "query", "--type", "trade"]);
    assert_eq!(trades[0]["properties"]["quantity"], 12500);
    assert_eq!(trades[0]["properties"]["price"], "12500.00");
    window.close().await;
}

#[tokio::test]
async fn contact_is_found_by_part_of_its_name() {
    let home = home();
    let window = Window::open(&home).await;
    open_panel(&window, '3').await;
    window.click_named("New deal").await;
    focus_is_in(&window, "title").await;
    write(&window, "Clinic lease").await;
    window.press(&[], Key::Tab).await;
    focus_is_in(&window, "contact").await;
    write(&window, "doe").await;
    window.wait_for_text("[data-path=contact] [role=option]", "Jane Doe").await;
    window.press(&[], Key::Down).await;
    window.press(&[], Key::Enter).await;
    window.wait_gone("[data-path=contact] [role=listbox]").await;
    window.press(&[Key::Control], Key::Enter).await;
    window.wait_gone("[data-testid=save-record]").await;
    let deal = home.read_note("CRM/Deals/Clinic lease.md");
    assert!(deal.contains("contact: \"[[Jane Doe]]\"\n"), "{deal}");
    window.close().await;
}

#[tokio::test]
async fn tooltip_takes_no_esc_and_covers_no_button() {
    let home = home();
    let window = Window::open(&home).await;
    open_panel(&window, '3').await;
    window.click_named("New deal").await;
    focus_is_in(&window, "title").await;
    // Before the first field is the sheet's ×, which has a tooltip.
    window.press(&[Key::Shift], Key::Tab).await;
    window.wait_for("[role=tooltip]").await;
    let reached = window
        .ask(
            "const { x, y, width, height } = document.querySelector('[role=tooltip]').getBoundingClientRect();
             return document.elementFromPoint(x + width / 2, y + height / 2)?.closest('[role=tooltip]') === null;",
        )
        .await;
    assert_eq!(reached, true, "a click passes through the tooltip");
    window.press(&[], Key::Escape).await;
    window.wait_gone("[data-testid=save-record]").await;
    window.close().await;
}

#[tokio::test]
async fn unknown_stage_is_refused_with_the_nearest() {
    let home = home();
    let window = Window::open(&home).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.click("[data-testid=nav-run-tool]").await;
    window.wait_for_focus("[data-tool-search]").await;
    write(&window, "list_contacts").await;
    window.press(&[], Key::Enter).await;
    focus_is_in(&window, "stage").await;
    write(&window, "led").await;
    window.press(&[Key::Control], Key::Enter).await;
    window.wait_for_text("[data-path=stage]", "led is not a stage.").await;
    assert_eq!(
        window.ask("return document.querySelector('[data-testid=tool-result] table');").await,
        Value::Null
    );
    window.click_named("Use lead?").await;
    focus_is_in(&window, "stage").await;
    assert_eq!(value_of(&window, "stage").await, "lead");
    window.press(&[Key::Control], Key::Enter).await;
    window.wait_for_text("[data-testid=tool-result]", "Jane Doe").await;
    window.close().await;
}

#[tokio::test]
async fn esc_closes_the_list_first_and_then_the_form() {
    let home = home();
    let window = Window::open(&home).await;
    open_panel(&window, '3').await;
    window.click_named("New deal").await;
    focus_is_in(&window, "title").await;
    window.press(&[], Key::Tab).await;
    focus_is_in(&window, "contact").await;
    write(&window, "jan").await;
    window.wait_for_text("[data-path=contact] [role=listbox]", "Jane Doe").await;
    window.press(&[], Key::Escape).await;
    window.wait_gone("[data-path=contact] [role=listbox]").await;
    window.wait_for("[data-testid=save-record]").await;
    // The list is closed and the field empty again: the next Esc closes the sheet.
    window.press(&[Key::Control], 'a').await;
    window.press(&[], Key::Backspace).await;
    window.press(&[], Key::Escape).await;
    window.wait_gone("[data-testid=save-record]").await;
    window.close().await;
}

#[tokio::test]
async fn esc_closes_an_untouched_form_and_the_focus_returns() {
    let home = home();
    let window = Window::open(&home).await;
    open_panel(&window, '3').await;
    window.click_named("New deal").await;
    focus_is_in(&window, "title").await;
    window.press(&[], Key::Escape).await;
    window.wait_gone("[data-testid=save-record]").await;
    window
        .until(
            "the focus to be on the button that opened the form",
            "return document.activeElement.textContent.includes('New deal');",
            Vec::new(),
        )
        .await;
    window.close().await;
}

#[tokio::test]
async fn ctrl_enter_in_an_empty_composer_answers_the_approval() {
    let model = model::start();
    let home = home().provider(&model.base_url());
    let window = Window::open(&home).await;
    window.type_into("[data-testid=composer-input]", "Set Jane Doe to won").await;
    window.press(&[], Key::Enter).await;
    window.wait_for("[data-testid=approval-card][data-armed=true]").await;
    window.wait_for_focus("[data-testid=composer-input]").await;
    window.press(&[Key::Control], Key::Enter).await;
    window.wait_for_text("[role=log]", "Done. See Jane Doe.").await;
    assert!(home.read_note("CRM/People/Jane Doe.md").contains("stage: won\n"));
    window.close().await;
    model.finish();
}
