//! Chats: running sub-agents, a failed answer, an answer with its notes, an edit, the trash.

use std::path::Path;

use fantoccini::key::Key;

use crate::harness::{Home, Theme, Window};
use crate::{earlier_chats, giving_tasks, model, say, take, take_beside_panel};

/// Two running ones, one of them open in the panel.
pub(crate) async fn sub_agents(name: &str, theme: Theme) {
    let model = giving_tasks::model();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().theme(theme).vault_named("Work vault").vault_from(&template);
    earlier_chats(&home).await;
    let settings = serde_json::json!({
        "vault": home.vault(),
        "providers": [{ "id": "lm-studio", "kind": "openai", "base_url": model.base_url(), "models": ["qwen3-14b"] }],
        "model": "lm-studio/qwen3-14b",
    });
    let home = home.settings(&settings);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    say(&window, giving_tasks::COMPARE).await;
    model.wait_for_pause(2).await;
    window.click("[data-testid=task-row]").await;
    window.wait_for_text("[data-testid=subagents-panel] [aria-label='So far']", "its prices are not").await;
    take_beside_panel(&window, "sub-agents", name).await;
    window.click("[data-testid=stop]").await;
    window.wait_for("[data-testid=send]").await;
    window.close().await;
}

/// An unreachable provider on a machine without a network.
pub(crate) async fn failed(name: &str, theme: Theme) {
    let model = model::start();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().theme(theme).vault_named("Work vault").vault_from(&template);
    let settings = serde_json::json!({
        "vault": home.vault(),
        "providers": [
            { "id": "lm-studio", "kind": "openai", "base_url": model.base_url(), "models": ["qwen3-14b"] },
            { "id": "lab", "kind": "openai", "base_url": "https://lab.invalid/v1", "models": ["large"] },
        ],
        "model": "lab/large",
    });
    let home = home.settings(&settings);
    earlier_chats(&home).await;
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    say(&window, "Where does Jane Doe stand?").await;
    // Its host is known a moment later.
    window.click("[data-testid=provider-agree]:enabled").await;
    window.wait_for("[data-testid=try-again]").await;
    window
        .ask(
            "Object.defineProperty(navigator, 'onLine', { get: () => false });
             dispatchEvent(new Event('offline'));",
        )
        .await;
    window.wait_for_text("body", "Offline. Notes and local tools work.").await;
    take(&window, "failed", name).await;
    window.close().await;
}

/// A rich answer with a queued message, then activity, find and the palette over it.
pub(crate) async fn answer(name: &str, theme: Theme) {
    let model = model::start();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home =
        Home::new().theme(theme).vault_named("Work vault").vault_from(&template).provider(&model.base_url());
    earlier_chats(&home).await;
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    say(&window, "Show everything").await;
    window.wait_for("[data-testid=message] .hljs-keyword").await;
    window.wait_for("[data-testid=message] .katex").await;
    say(&window, "Set Jane Doe to won").await;
    window.wait_for("[data-testid=approval-card][data-armed=true]").await;
    window.type_into("[data-testid=composer-input]", "Then draft the thank-you mail").await;
    window.press(&[], Key::Enter).await;
    window.wait_for("[data-testid=queued]").await;
    window.press(&[Key::Control], '.').await;
    window.click_named("Activity").await;
    window.wait_for("[data-testid=activity-step]").await;
    take_beside_panel(&window, "answer", name).await;
    window.resize(1440, 900).await;
    // Beside the chat again, not over it.
    window.wait_for("aside[data-region=panel]").await;
    window.press(&[Key::Control], 'f').await;
    window.type_into("[data-testid=find-field]", "year").await;
    window.wait_for_text("[data-testid=find-count]", "1 of").await;
    take_beside_panel(&window, "find", name).await;
    window.resize(1440, 900).await;
    window.wait_for("aside[data-region=panel]").await;
    window.click("[data-testid=find] [aria-label=Close]").await;
    window.press(&[Key::Control], 'k').await;
    window.type_into("[data-testid=palette-field]", "se").await;
    window.wait_for("[data-testid=palette] [role=option]").await;
    take(&window, "palette", name).await;
    window.close().await;
}

/// A message with two versions and its arrows, edited once more.
pub(crate) async fn edit(name: &str, theme: Theme) {
    let model = model::start();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home =
        Home::new().theme(theme).vault_named("Work vault").vault_from(&template).provider(&model.base_url());
    earlier_chats(&home).await;
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    say(&window, "Where does Jane Doe stand?").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;
    say(&window, "Where does Mara Lindholt stand?").await;
    window.wait_for("[data-testid=send]").await;
    window.click("[data-testid=composer-input]").await;
    window.press(&[], Key::Up).await;
    window.wait_for_focus("[data-testid=edit-form] textarea").await;
    window.type_into("[data-testid=edit-form] textarea", " And what is next?").await;
    take(&window, "edit", name).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=send-edited]").await;
    window.wait_for_text("[data-testid=versions]", "2/2").await;
    window.wait_for("[data-testid=send]").await;
    take(&window, "versions", name).await;
    window.close().await;
}

/// Two chats in the trash, one about to be purged.
pub(crate) async fn trash(name: &str, theme: Theme) {
    let model = model::start();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home =
        Home::new().theme(theme).vault_named("Work vault").vault_from(&template).provider(&model.base_url());
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    for chat in ["Trip costs, Lisbon offsite", "Watchlist clean-up", "Who knows someone at Solvane?"] {
        window.click("[data-testid=new-chat]").await;
        say(&window, chat).await;
        window.wait_for_text("[role=log]", "I only set stages").await;
        window.wait_for("[data-testid=send]").await;
    }
    for chat in ["Who knows someone at Solvane?", "Watchlist clean-up"] {
        window.wait_for_text("[data-chat]", chat).await;
        window.click("[data-chat]").await;
        window.click_named(&format!("More for {chat}")).await;
        window.click_named("Delete chat").await;
    }
    window.wait_for_text("[data-testid=nav-trash]", "2").await;
    window.click("[data-testid=nav-trash]").await;
    window.click_named("Delete permanently: Watchlist clean-up").await;
    window.wait_for("[data-testid=purge-confirm]").await;
    take(&window, "trash", name).await;
    window.close().await;
}
