//! Chat in the window: rich answers, queued messages, persistent drafts, find, the palette; and their
//! accessibility.

use std::path::Path;

use fantoccini::key::Key;
use serde_json::{Value, json};

use crate::harness::{Home, Theme, Window};
use crate::model;

const COMPOSER: &str = "[data-testid=composer-input]";

fn home(model: &nova_testkit::ModelServer) -> Home {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    Home::new().vault_from(&template).provider(&model.base_url())
}

async fn say(window: &Window, words: &str) {
    window.type_into(COMPOSER, words).await;
    window.press(&[], Key::Enter).await;
}

#[tokio::test]
async fn answer_is_rendered_with_code_formulas_and_footnotes() {
    let model = model::start();
    let home = home(&model);
    let window = Window::open(&home).await;
    say(&window, "Show everything").await;
    window.wait_for("[data-testid=message] .katex-display").await;
    window.wait_for("[data-testid=message] .math-inline .katex").await;
    window.wait_for("[data-testid=message] .hljs-keyword").await;
    window.wait_for_text(".nova-code-bar", "rust").await;
    // The formula fonts are bundled; no other host was contacted.
    let loaded = window
        .ask_later(
            "const done = arguments[0];
             document.fonts.ready.then(() => done({
               math: document.fonts.check('16px KaTeX_Math'),
               elsewhere: performance.getEntriesByType('resource').map(({ name }) => new URL(name))
                 .filter(({ protocol, host }) => protocol !== 'tauri:' && host !== 'ipc.localhost').map(String),
               pictures: document.querySelectorAll('[role=log] img').length,
             }));",
        )
        .await;
    assert_eq!(loaded, json!({ "math": true, "elsewhere": [], "pictures": 0 }));
    window.click("[data-testid=message] a[data-footnote-ref='1']").await;
    let at = window.ask("return document.activeElement.dataset.footnote;").await;
    assert_eq!(at, "1");
    window.click("[data-testid=message] a[data-note='Jane Doe']").await;
    window.wait_for_text("[data-testid=note-popover] [data-testid=note-preview]", "lead").await;
    window.press(&[], Key::Escape).await;
    window.wait_gone("[data-testid=note-popover]").await;
    window.close().await;
    model.finish();
}

#[tokio::test]
async fn message_waits_for_the_end_of_the_turn() {
    let model = model::start();
    let home = home(&model);
    let window = Window::open(&home).await;
    say(&window, "Begin and wait").await;
    window.wait_for_text("[role=log]", "It begins.").await;
    say(&window, "Where does Jane Doe stand?").await;
    window.wait_for_text("[data-testid=queued]", "Where does Jane Doe stand?").await;
    model.resume();
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;
    window.wait_gone("[data-testid=queue]").await;
    window.close().await;
    model.finish();
}

#[tokio::test]
async fn draft_survives_a_kill() {
    let model = model::start();
    let home = home(&model);
    let window = Window::open(&home).await;
    window.type_into(COMPOSER, "Do not lose this").await;
    let draft = home.data().join("drafts/new.json");
    window.wait_for_file(&draft, "Do not lose this").await;
    window.kill().await;

    let window = Window::open(&home).await;
    window
        .until(
            "the draft to be in the field again",
            "return document.querySelector(arguments[0])?.value === arguments[1];",
            vec![json!(COMPOSER), json!("Do not lose this")],
        )
        .await;
    window.close().await;
    model.finish();
}

#[tokio::test]
async fn message_sent_during_model_discovery_survives_a_kill() {
    // Accepts every connection and never responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a local port");
    let address = format!("http://{}", silent.local_addr().expect("its address"));
    let home = Home::new();
    let vault = home.vault();
    let near = json!({ "id": "near", "kind": "ollama", "base_url": address });
    let home = home.settings(&json!({ "vault": vault, "providers": [near] }));
    let window = Window::open(&home).await;
    say(&window, "Do not lose this").await;
    window.wait_for_text("[data-testid=on-its-way]", "Do not lose this").await;
    window.wait_for("[data-testid=stop]").await;
    window.kill().await;

    let window = Window::open(&home).await;
    window.click("[data-testid=chat-list] [data-chat]").await;
    window
        .until(
            "the message to be in the field again",
            "return document.querySelector(arguments[0])?.value === arguments[1];",
            vec![json!(COMPOSER), json!("Do not lose this")],
        )
        .await;
    window.close().await;
}

#[tokio::test]
async fn attached_image_survives_a_kill() {
    let model = model::start();
    let home = home(&model);
    let window = Window::open(&home).await;
    window.wait_for(COMPOSER).await;
    // Dropped on the conversation, not on the composer.
    window.wait_for("[role=log]").await;
    window
        .ask(
            "const bytes = Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), (sign) => sign.charCodeAt(0));
             const data = new DataTransfer();
             data.items.add(new File([bytes], 'plan.png', { type: 'image/png' }));
             document.querySelector('[role=log]').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));",
        )
        .await;
    window.wait_for_text("[data-testid=draft-image]", "plan.png").await;
    window.wait_for_file(&home.data().join("drafts/new.json"), "plan.png").await;
    window.kill().await;

    let window = Window::open(&home).await;
    window.wait_for_text("[data-testid=draft-image]", "plan.png").await;
    window.close().await;
    model.finish();
}

#[tokio::test]
async fn copy_and_edit_buttons_do_not_overlap() {
    let model = model::start();
    let home = home(&model);
    let window = Window::open(&home).await;
    say(&window, "Where does Jane Doe stand?").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;
    // The display's clipboard is shared with other programs, so writes are intercepted.
    window
        .ask("window.copied = []; navigator.clipboard.writeText = async (text) => void copied.push(text);")
        .await;
    window.click("[data-turn] [data-testid=copy-message]").await;
    window
        .until(
            "the message to be copied",
            "return copied[0] === arguments[0];",
            vec![json!("Where does Jane Doe stand?")],
        )
        .await;
    window.click("[data-testid=edit-message]").await;
    window.wait_for_focus("[data-testid=edit-form] textarea").await;
    window.close().await;
    model.finish();
}

/// At 200% zoom, which accessibility requires: nothing is clipped horizontally, everything is reachable, and
/// the zoom persists.
#[tokio::test]
async fn at_double_zoom_nothing_is_clipped() {
    let model = model::start();
    let home = home(&model);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    say(&window, "Set Jane Doe to won").await;
    window.wait_for("[data-testid=approval-card][data-armed=true]").await;
    for _ in 0..5 {
        window.press(&[Key::Control], '+').await;
    }
    window.until("the page to be half as wide", "return innerWidth <= 720;", Vec::new()).await;
    window.wait_for("[data-testid=show-list]").await;
    for button in ["approval-once", "approval-deny", "approval-edit", "stop", "model-menu", "show-list"] {
        let within = window
            .ask(&format!(
                "const {{ left, right, top, bottom }} = document.querySelector('[data-testid={button}]').getBoundingClientRect();
                 return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;"
            ))
            .await;
        assert_eq!(within, json!(true), "{button} is not visible");
    }
    let sideways = window.ask("return document.documentElement.scrollWidth > innerWidth;").await;
    assert_eq!(sideways, json!(false));
    // Keys are sent to the page itself: the driver ignores the zoom and considers the focused element out of
    // view.
    let press = async |key: &str, shift: bool| {
        window
            .ask(&format!(
                "document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
                   {{ key: '{key}', ctrlKey: true, shiftKey: {shift}, bubbles: true, cancelable: true }}));"
            ))
            .await;
    };
    press("a", true).await;
    window.wait_for_focus("[data-testid=approval-card]").await;
    press("Enter", false).await;
    window.wait_for("[data-testid=tool-card][data-state=done]").await;
    press("b", false).await;
    window.wait_for("[role=dialog] [data-chat]").await;
    window.close().await;

    let window = Window::open(&home).await;
    window.until("it to be as large as it was left", "return innerWidth <= 720;", Vec::new()).await;
    window.close().await;
    model.finish();
}

#[tokio::test]
async fn finds_text_and_commands() {
    let model = model::start();
    let home = home(&model);
    let window = Window::open(&home).await;
    say(&window, "Show everything").await;
    window.wait_for("[data-testid=message] .hljs-keyword").await;
    window.press(&[Key::Control], 'f').await;
    window.type_into("[data-testid=find-field]", "grown").await;
    window.wait_for_text("[data-testid=find-count]", "1 of 2").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[data-testid=find-count]", "2 of 2").await;
    let marked = window.ask("return CSS.highlights.get('found-now').size;").await;
    assert_eq!(marked, 1);
    window.press(&[], Key::Escape).await;
    window.wait_gone("[data-testid=find]").await;

    window.press(&[Key::Control], 'k').await;
    window.type_into("[data-testid=palette-field]", "activ").await;
    window.press(&[], Key::Enter).await;
    window.wait_for("[data-testid=activity-panel] [data-testid=activity-step]").await;
    window.close().await;
    model.finish();
}

/// Accessibility rules that need a browser, mainly contrast, on the window's screens.
#[tokio::test]
async fn every_screen_is_readable_in_both_themes() {
    for theme in [Theme::Light, Theme::Dark] {
        let model = model::start();
        let home = home(&model).theme(theme).note("CRM/Deals/Torn.md", "---\ntype: deal\nstage: [\n---\n");
        let window = Window::open(&home).await;
        let axe = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(axe).expect("`npm ci` in ui brings axe");
        window.wait_for(COMPOSER).await;
        window.ask(&format!("{axe}; return null;")).await;

        say(&window, "Show everything").await;
        window.wait_for("[data-testid=message] .hljs-keyword").await;
        assert_readable(&window, theme, "an answer").await;
        say(&window, "Set Jane Doe to won").await;
        window.wait_for("[data-testid=approval-card][data-armed=true]").await;
        window.type_into(COMPOSER, "a message that waits").await;
        window.press(&[], Key::Enter).await;
        window.wait_for("[data-testid=queued]").await;
        window.press(&[Key::Control], '.').await;
        window.click_named("Activity").await;
        window.wait_for("[data-testid=activity-step]").await;
        assert_readable(&window, theme, "an approval, a waiting message, activity").await;
        window.press(&[Key::Control], 'k').await;
        window.wait_for("[data-testid=palette] [role=option]").await;
        assert_readable(&window, theme, "the palette").await;
        window.press(&[], Key::Escape).await;
        window.wait_gone("[data-testid=palette]").await;
        window.press(&[Key::Control], 'f').await;
        window.type_into("[data-testid=find-field]", "grown").await;
        window.wait_for("[data-testid=find-count]").await;
        assert_readable(&window, theme, "find").await;
        window.press(&[], Key::Escape).await;
        window.wait_gone("[data-testid=find]").await;
        window.type_into(COMPOSER, "/get").await;
        window.wait_for("[data-testid=picker] [role=option]").await;
        assert_readable(&window, theme, "the picker").await;
        window.press(&[], Key::Escape).await;
        window.wait_gone("[data-testid=picker]").await;
        window.press(&[Key::Control], 'a').await;
        window.type_into(COMPOSER, "[[Ja").await;
        window.wait_for("[data-testid=note-picker] [role=option]").await;
        assert_readable(&window, theme, "the list of notes").await;
        window.press(&[], Key::Escape).await;
        window.click("[data-testid=message] a[data-note='Jane Doe']").await;
        window.wait_for("[data-testid=note-popover] [data-testid=note-preview]").await;
        assert_readable(&window, theme, "a note").await;
        window.press(&[], Key::Escape).await;
        window.wait_gone("[data-testid=note-popover]").await;
        window.click("[data-testid=show-problems]").await;
        window.wait_for("[data-testid=note-problems]").await;
        assert_readable(&window, theme, "problems").await;
        for panel in ['1', '2', '3', '4'] {
            window.press(&[Key::Control], panel).await;
            window.wait_for("[data-testid=skill-panel]").await;
            window.press(&[Key::Control, Key::Shift], '.').await;
            window
                .wait_for("[data-testid=wide-panel] :is([data-card], tbody tr, [data-entry], [data-hours])")
                .await;
            assert_readable(&window, theme, &format!("panel {panel}")).await;
            window.press(&[Key::Control, Key::Shift], '.').await;
            window.wait_gone("[data-testid=wide-panel]").await;
        }
        window.click("[data-testid=nav-run-tool]").await;
        window.click("[data-tool='crm.list_contacts']").await;
        window.click("[data-testid=run-tool]").await;
        window.wait_for_text("[data-testid=tool-result]", "Jane Doe").await;
        assert_readable(&window, theme, "a tool that was run").await;
        for page in ["skills", "models", "permissions", "credentials", "vault", "keyboard", "appearance"] {
            window.press(&[Key::Control], ',').await;
            window.click(&format!("[data-testid=settings-nav-{page}]")).await;
            window
                .wait_for(&format!("[data-testid=settings-{page}] h1, [data-testid=settings-{page}] h2"))
                .await;
            assert_readable(&window, theme, page).await;
        }
        window.press(&[], Key::Escape).await;
        // A running chat cannot be deleted.
        window.click("[data-testid=stop]").await;
        window.wait_gone("[data-testid=stop]").await;
        window.choose("More for Show everything", "Delete chat").await;
        window.click("[data-testid=nav-trash]").await;
        window.wait_for("[data-testid=trash-row]").await;
        assert_readable(&window, theme, "the deleted chats").await;
        window.close().await;

        let first = Home::new().theme(theme).first_start().local_server("lm-studio", &model.base_url());
        let window = Window::open(&first).await;
        window.wait_for("[data-testid=first-run-local]").await;
        window.ask(&format!("{axe}; return null;")).await;
        assert_readable(&window, theme, "the first start").await;
        window.close().await;
    }
}

/// Target sizes are excluded: small icons have a larger hit area by a pseudo-element, which axe does not see.
async fn assert_readable(window: &Window, theme: Theme, screen: &str) {
    let found = window
        .ask_later(
            "const done = arguments[0];
             const settled = Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})));
             const rules = { 'target-size': { enabled: false } };
             settled.then(() => axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'], rules }))
               .then(({ violations }) => done(violations.flatMap(({ id, nodes }) =>
                 nodes.map(({ html, any }) => `${id}: ${html.slice(0, 200)} ${any[0]?.message ?? ''}`))));",
        )
        .await;
    assert_eq!(found, Value::Array(Vec::new()), "{theme:?}, {screen}: {found:#}");
}
