//! Panels of the skills: a card is dragged, a figure shows its sources, a form writes a note.

use std::path::Path;

use fantoccini::key::Key;

use crate::harness::{Home, Window};

const TRADE: &str = "Portfolio/Trades/2026-01-20 QLN buy.md";
const DEAL: &str = "CRM/Deals/Pinecrest second clinic.md";

fn home() -> Home {
    Home::new().vault_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template"))
}

/// Opens a skill's panel in place of the chat.
async fn open(window: &Window, skill: &str) {
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    let at = ["budget", "calendar", "crm", "portfolio"].iter().position(|one| *one == skill);
    window.press(&[Key::Control], ['1', '2', '3', '4'][at.expect("a skill with a panel")]).await;
    window.wait_for("[data-testid=skill-panel]").await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.wait_for("[data-testid=wide-panel]").await;
}

#[tokio::test]
async fn deal_is_moved_by_dragging_its_card_and_reverted() {
    let home = home();
    let before = home.read_note(DEAL);
    let window = Window::open(&home).await;
    open(&window, "crm").await;

    let card = |column: &str| format!("[data-column={column}] [data-row='{DEAL}']");
    window.drag(&card("proposal"), "[data-column=won]").await;
    window.wait_for(&card("won")).await;
    window.wait_for("[data-testid=undo-call]").await;
    assert_eq!(home.read_note(DEAL), before.replace("stage: proposal", "stage: won"), "and nothing else");

    window.click("[data-testid=undo-call]").await;
    window.wait_for(&card("proposal")).await;
    assert_eq!(home.read_note(DEAL), before);

    // By the keyboard alone.
    window.ask(&format!("document.querySelector(\"{}\").focus();", card("proposal"))).await;
    for key in [char::from(Key::Space), char::from(Key::Left), char::from(Key::Space)] {
        window.press(&[], key).await;
    }
    window.wait_for(&card("qualified")).await;
    window.wait_for("[data-testid=undo-call]").await;
    assert_eq!(home.read_note(DEAL), before.replace("stage: proposal", "stage: qualified"));

    // An outside edit appears by itself.
    let home = home.note(DEAL, &before.replace("stage: proposal", "stage: lead"));
    window.wait_for(&card("lead")).await;
    drop(home);
    window.close().await;
}

#[tokio::test]
async fn figure_shows_its_source_notes() {
    let home = home();
    let window = Window::open(&home).await;
    open(&window, "portfolio").await;

    window.wait_for_text("[data-testid=wide-panel]", "Northgate Tooling").await;
    window.click("[data-testid=figure-chip][aria-label^='Value, ']").await;
    window.wait_for_text("[role=dialog]", "portfolio.").await;
    window.wait_for_text("[role=dialog]", "Open the ").await;

    // An outside change updates the figure, and the open popover stays open.
    let parts = window.text("[role=dialog] dl").await;
    let bought = home.read_note(TRADE);
    let home = home.note(TRADE, &bought.replace("quantity: 210", "quantity: 211"));
    window.wait_for_other_text("[role=dialog] dl", &parts).await;
    window.press(&[], Key::Escape).await;
    window.wait_gone("[role=dialog]").await;
    window.close().await;
    drop(home);
}

#[tokio::test]
async fn expense_is_written_by_its_form_and_counted_at_once() {
    let home = Home::new();
    let window = Window::open(&home).await;
    open(&window, "budget").await;

    window.wait_for_text("[data-testid=wide-panel]", "No entries this month.").await;
    window.click_named("Add expense").await;
    window.wait_for("[data-testid=save-record]").await;
    // The day is preset; no note yet suggests a currency.
    let today = window.ask("return document.querySelector('[data-path$=date] input').value;").await;
    let today = today.as_str().expect("the day that the form begins with").to_owned();
    for (field, value) in
        [("payee", "Corner Market"), ("amount", "12.50"), ("category", "groceries"), ("currency", "EUR")]
    {
        window.type_into(&format!("[role=dialog] [data-path$={field}] input"), value).await;
    }
    window.click("[data-testid=save-record]:not(:disabled)").await;
    window.wait_for("[data-testid=undo-record]").await;
    window.press(&[], Key::Escape).await;
    window.wait_for_text("[data-testid=wide-panel]", "Corner Market").await;

    let listed = home.nova(&["--json", "vault", "query", "--type", "expense"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["properties"]["amount"], "12.50");
    assert_eq!(
        listed[0]["path"],
        format!("Budget/Expenses/{}/{today} Corner Market 12.50.md", today.get(..4).unwrap_or_default())
    );
    window.close().await;
}

#[tokio::test]
async fn trade_is_added_with_all_its_digits_and_a_decimal_comma() {
    let home = Home::new();
    let window = Window::open(&home).await;
    open(&window, "portfolio").await;

    window.click_named("Add trade").await;
    window.wait_for("[role=dialog] [data-path$=price] input").await;
    window.ask("const field = document.querySelector('[role=dialog] [data-path$=kind] select'); field.value = 'buy'; field.dispatchEvent(new Event('change', { bubbles: true }));").await;
    for (field, value) in
        [("price", "84,20"), ("symbol", "NGTL"), ("quantity", "1.234567890123456789"), ("currency", "EUR")]
    {
        window.type_into(&format!("[role=dialog] [data-path$={field}] input"), value).await;
    }
    window.press(&[Key::Control], Key::Enter).await;
    window.wait_for_text("[data-testid=wide-panel]", "NGTL").await;
    let trades = home.nova(&["--json", "vault", "query", "--type", "trade"]);
    assert_eq!(trades[0]["properties"]["price"], "84.20");
    assert_eq!(trades[0]["properties"]["quantity"], "1.234567890123456789");
    window.close().await;
}

#[tokio::test]
async fn existing_deal_is_reported_and_saved_under_another_name_by_a_click() {
    let home = home();
    let before = home.read_note(DEAL);
    let window = Window::open(&home).await;
    open(&window, "crm").await;

    window.click_named("New deal").await;
    window.wait_for("[data-testid=save-record]").await;
    window.type_into("[role=dialog] [data-path$=title] input", "pinecrest second clinic").await;
    window.click("[data-testid=save-record]:not(:disabled)").await;
    window.wait_for_text("[data-testid=there-already]", "There is already a deal").await;
    assert_eq!(home.read_note(DEAL), before);
    window.click_named("Save as “pinecrest second clinic 2”").await;
    window.wait_for("[data-testid=undo-record]").await;
    assert_eq!(home.read_note(DEAL), before);
    assert!(
        home.read_note("CRM/Deals/pinecrest second clinic 2.md").contains("title: pinecrest second clinic\n")
    );
    window.close().await;
}

/// A statement with ambiguous dates: either number may be the month.
const STATEMENT: &str = "Date;Amount;Payee\n02/11/2026;-84.20;Corner Market\n03/11/2026;-2.10;Cafe Ember\n04/11/2026;2400.00;Quillon Labs\n";

/// One of its payments, entered before.
const BY_HAND: &str =
    "---\ntype: expense\ndate: 2026-11-03\namount: 2.10\npayee: Ember\ncurrency: EUR\n---\n";

#[tokio::test]
async fn file_on_the_wrong_panel_goes_to_the_right_one() {
    let home = Home::new().note("Budget/Expenses/2026/A.md", BY_HAND);
    let window = Window::open(&home).await;
    open(&window, "crm").await;

    window.drop_file("[data-testid=skill-panel]", "bank.csv", STATEMENT).await;
    window.wait_for_text("[data-testid=drop-offer]", "bank.csv cannot be dropped here.").await;
    window.click_named("Import into Budget").await;
    window.wait_for_text("[data-testid=import-question]", "Which day is 02/11/2026?").await;
    window.press(&[], '1').await;
    window.wait_for_text("[data-testid=import-question]", "Is this the same payment?").await;

    // A second file replaces the first and its answers only if the user confirms.
    window.drop_file("body", "other.csv", STATEMENT).await;
    window.wait_for_text("[data-testid=second-file]", "Import other.csv instead?").await;
    window.click_named("Keep bank.csv").await;
    window.wait_gone("[data-testid=second-file]").await;
    window.wait_for_text("[data-testid=import-question]", "Is this the same payment?").await;
    window.drop_file("body", "other.csv", STATEMENT).await;
    window.click_named("Use other.csv").await;
    window.wait_for_text("[data-testid=import-sheet]", "other.csv").await;
    window.wait_for_text("[data-testid=import-question]", "Which day is 02/11/2026?").await;
    window.close().await;
}

#[tokio::test]
async fn bank_file_from_elsewhere_is_imported_by_keys_and_undone() {
    let home = Home::new().note("Budget/Expenses/2026/A.md", BY_HAND);
    let window = Window::open(&home).await;
    open(&window, "budget").await;
    let expenses =
        || home.nova(&["--json", "vault", "query", "--type", "expense"]).as_array().map_or(0, Vec::len);

    window.drop_file("[data-testid=skill-panel]", "bank.csv", STATEMENT).await;
    window.wait_for_text("[data-testid=import-question]", "Which day is 02/11/2026?").await;
    window.wait_for_text("[data-testid=import-primary]", "Answer 1 question").await;
    window.press(&[], '1').await;
    window.wait_for_text("[data-testid=import-question]", "Is this the same payment?").await;
    window.wait_for_text("[data-testid=import-question]", "Cafe Ember").await;
    assert_eq!(expenses(), 1, "nothing is written before the approval");
    window.press(&[], '1').await;
    window.wait_for_text("[data-testid=import-primary]", "Import 2").await;
    window.press(&[Key::Control], Key::Enter).await;
    window.wait_for_text("[data-testid=imported-bar]", "Imported 2, 1 left out").await;
    window.wait_gone("[data-testid=import-sheet]").await;
    assert_eq!(expenses(), 2);

    window.click("[data-testid=undo-import]").await;
    window.wait_for_text("[data-testid=imported-bar]", "undone").await;
    assert_eq!(expenses(), 1);
    window.close().await;
}

/// Of a broker: a word that only the user knows, and a buy that was noted by hand.
const TRADES: &str = "Datum;Vorgang;Ticker;Stück;Kurs;Währung;Betrag\n20.11.2026;Zeichnung;NGTL;50;42,00;EUR;-2.100,00\n13.03.2026;Kauf;NGTL;200;30,00;EUR;-6.000,00\n";

const BOUGHT: &str = "---\ntype: trade\nsymbol: NGTL\nkind: buy\ndate: 2026-03-12\nquantity: 200\nprice: 30.00\ncurrency: EUR\n---\n";

#[tokio::test]
async fn broker_file_is_imported_by_keys_and_undone() {
    let home = Home::new().note("Portfolio/Trades/a.md", BOUGHT);
    let window = Window::open(&home).await;
    open(&window, "portfolio").await;
    let trades =
        || home.nova(&["--json", "vault", "query", "--type", "trade"]).as_array().map_or(0, Vec::len);

    window.drop_file("[data-testid=skill-panel]", "depot.csv", TRADES).await;
    window.wait_for_text("[data-testid=import-question]", "What is \"Zeichnung\"?").await;
    window.press(&[], '1').await;
    window.wait_for_text("[data-testid=import-question]", "Is this the same trade?").await;
    assert_eq!(trades(), 1, "nothing is written before the approval");
    window.press(&[], '1').await;
    window.wait_for_text("[data-testid=import-primary]", "Import 1").await;
    window.press(&[Key::Control], Key::Enter).await;
    window.wait_for_text("[data-testid=imported-bar]", "Imported 1, 1 left out").await;
    assert_eq!(trades(), 2);

    window.click("[data-testid=undo-import]").await;
    window.wait_for_text("[data-testid=imported-bar]", "undone").await;
    assert_eq!(trades(), 1);
    window.close().await;
}

#[tokio::test]
async fn deal_on_no_board_is_edited_and_appears_on_it() {
    let home = home();
    let deal = home.read_note(DEAL);
    let home = home.note(DEAL, &deal.replace("stage: proposal", "stage: nego"));
    let window = Window::open(&home).await;
    open(&window, "crm").await;

    window.wait_for_text("[aria-label=Problems]", "nego").await;
    window.click("[aria-label=Problems] [aria-label^='Edit ']").await;
    window.wait_for("[data-testid=save-record]").await;
    window.ask("const field = document.querySelector('[role=dialog] [data-path$=stage] select'); field.value = 'proposal'; field.dispatchEvent(new Event('change', { bubbles: true }));").await;
    window.click("[data-testid=save-record]:not(:disabled)").await;
    window.wait_for("[data-testid=undo-record]").await;
    window.press(&[], Key::Escape).await;
    window.wait_for(&format!("[data-column=proposal] [data-row='{DEAL}']")).await;
    assert_eq!(home.read_note(DEAL), deal);
    window.close().await;
}

#[tokio::test]
async fn price_is_added_from_the_palette() {
    let home = Home::new();
    let window = Window::open(&home).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], 'k').await;
    window.type_into("[data-testid=palette-field]", "new price").await;
    window.wait_for_text("[data-testid=palette] [aria-selected=true]", "New price").await;
    window.press(&[], Key::Enter).await;
    window.wait_for("[data-testid=save-record]").await;
    for (field, value) in [("symbol", "NGTL"), ("close", "41.20"), ("currency", "EUR")] {
        window.type_into(&format!("[role=dialog] [data-path$={field}] input"), value).await;
    }
    window.click("[data-testid=save-record]:not(:disabled)").await;
    window.wait_for("[data-testid=undo-record]").await;
    let prices = home.nova(&["--json", "vault", "query", "--type", "price"]);
    assert_eq!(prices[0]["properties"]["close"], "41.20");
    window.close().await;
}

#[tokio::test]
async fn notes_under_other_names_are_used_as_records_after_one_click() {
    let person = |name: &str, mail: &str| format!("---\ntype: person\nname: {name}\ne-mail: {mail}\n---\n");
    let home = Home::new()
        .note("Leute/Ada Byron.md", &person("Ada Byron", "ada@byron.example"))
        .note("Leute/Bo Ek.md", &person("Bo Ek", "bo@ek.example"));
    let before = home.read_note("Leute/Ada Byron.md");
    let window = Window::open(&home).await;
    open(&window, "crm").await;

    window.click("[role=tab]:nth-child(2)").await;
    window.click("[data-testid=use-fields]").await;
    window.wait_for_text("[data-testid=wide-panel] table", "ada@byron.example").await;
    window.wait_for_text("[data-testid=field-proposal]", "In use").await;
    assert_eq!(home.read_note("Leute/Ada Byron.md"), before, "no note is changed");
    assert_eq!(home.read_config()["skills"]["crm"]["config"]["fields"]["contact"]["email"], "e-mail");
    window.click_named("Take back").await;
    window.wait_gone("[data-testid=wide-panel] table").await;
    window.close().await;
}
