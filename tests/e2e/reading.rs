//! Reading while an answer streams: the visible text stays in place, and can be quoted.

use fantoccini::key::Key;
use nova_testkit::{Answer, ModelServer, pause, text};
use serde_json::{Value, json};

use crate::harness::{Home, Window};

const COMPOSER: &str = "[data-testid=composer-input]";
const NEW_BELOW: &str = "[data-testid=new-below]";
/// Paragraphs that exist at once, and that are streamed.
const FIRST: usize = 40;
const MORE: usize = 12;

fn growing() -> Answer {
    let paragraph = |number: usize| {
        text(&format!("Paragraph {number} says in a line or two what there is to say about it.\n\n"))
    };
    let first = (1..=FIRST).map(paragraph).reduce(Answer::and).expect("turns exist");
    (FIRST + 1..=FIRST + MORE).fold(first, |answer, number| answer.and(pause()).and(paragraph(number)))
}

async fn paragraph_is_there(window: &Window, number: usize) {
    window
        .until(
            &format!("paragraph {number}"),
            "return document.querySelector('[role=log]').textContent.includes(`Paragraph ${arguments[0]} `);",
            vec![json!(number)],
        )
        .await;
}

/// Vertical position of a paragraph of the answer.
async fn top_of(window: &Window, number: usize) -> f64 {
    let script = format!(
        "const found = [...document.querySelectorAll('[role=log] p')].find(p => p.textContent.startsWith('Paragraph {number} '));
         return found.getBoundingClientRect().top;"
    );
    window.ask(&script).await.as_f64().expect("a place on the screen")
}

const AT_END: &str = "const log = document.querySelector('[role=log]');
    return log.scrollHeight - log.scrollTop - log.clientHeight < 2;";

async fn follows_the_end(window: &Window) {
    window.until("the view to follow the end", AT_END, Vec::new()).await;
}

#[tokio::test]
async fn visible_text_stays_in_place_while_text_streams_below() {
    let model = ModelServer::start([growing()]);
    let home = Home::new().provider(&model.base_url());
    let window = Window::open(&home).await;
    window.type_into(COMPOSER, "Write on").await;
    window.press(&[], Key::Enter).await;
    paragraph_is_there(&window, FIRST).await;
    follows_the_end(&window).await;
    // A reader at the end follows new text.
    model.resume();
    paragraph_is_there(&window, FIRST + 1).await;
    follows_the_end(&window).await;

    // Two pages up, by keyboard.
    window.ask("document.querySelector('[role=log]').focus();").await;
    for _ in 0..2 {
        window.press(&[], Key::PageUp).await;
    }
    window.wait_for_text(NEW_BELOW, "To the end").await;
    let read = FIRST - 12;
    // Stops the rest of the smooth scrolling, which a busy machine may draw late.
    window.ask("document.querySelector('[role=log]').scrollBy({ top: -1, behavior: 'instant' });").await;
    window
        .until(
            "the view to stand still",
            "const { scrollTop } = document.querySelector('[role=log]');
             window.stoodFor = window.wasAt === scrollTop ? (window.stoodFor ?? 0) + 1 : 0;
             window.wasAt = scrollTop;
             return window.stoodFor > 20;",
            Vec::new(),
        )
        .await;
    let before = top_of(&window, read).await;
    for number in FIRST + 2..=FIRST + MORE {
        model.resume();
        paragraph_is_there(&window, number).await;
    }
    window.wait_for("[data-testid=send]").await;
    assert_eq!(top_of(&window, read).await, before, "the reading position moved");
    window.wait_for_text(NEW_BELOW, "New below").await;

    window.click(NEW_BELOW).await;
    follows_the_end(&window).await;
    window.wait_gone(NEW_BELOW).await;
    window.close().await;
    model.finish();
}

#[tokio::test]
async fn selected_text_is_quoted() {
    let model =
        ModelServer::start([text("The offer holds until Friday.\n\nThen it is void."), text("Noted.")]);
    let home = Home::new().provider(&model.base_url());
    let window = Window::open(&home).await;
    window.type_into(COMPOSER, "How long?").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[data-testid=message]", "void").await;
    window.wait_for("[data-testid=send]").await;
    window.type_into(COMPOSER, "Is that so?").await;
    assert_eq!(window.ask("return document.querySelector('[data-testid=quote]');").await, Value::Null);

    select(&window, "The offer holds until Friday.").await;
    window.click("[data-testid=quote]").await;
    let quoted = "Is that so?\n\n> The offer holds until Friday.\n\n";
    window.until("the quotation", WRITTEN, vec![json!(quoted)]).await;
    window.wait_gone("[data-testid=quote]").await;

    // The same by keyboard, after the draft.
    select(&window, "Then it is void.").await;
    window.wait_for("[data-testid=quote]").await;
    window.press(&[Key::Control, Key::Shift], 'q').await;
    let both = format!("{quoted}> Then it is void.\n\n");
    window.until("both quotations", WRITTEN, vec![json!(both)]).await;
    window.wait_for_focus("[data-testid=composer-input]").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[role=log]", "Noted.").await;
    assert!(model.requests()[1].to_string().contains("> The offer holds until Friday."));
    window.close().await;
    model.finish();
}

const WRITTEN: &str = "return document.querySelector('[data-testid=composer-input]').value === arguments[0];";

/// Selects a paragraph of the answer.
async fn select(window: &Window, paragraph: &str) {
    let script = format!(
        "const found = [...document.querySelectorAll('[role=log] p')].find(p => p.textContent === {paragraph:?});
         document.querySelector('[role=log]').focus();
         getSelection().selectAllChildren(found);"
    );
    window.ask(&script).await;
}
