//! A command, from its card with its access to its Stop.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Home, Theme, Window};
use crate::model;

pub(crate) const CARD: &str = "[data-testid=tool-card][data-tool='core.bash']";
const APPROVAL: &str = "[data-testid=approval-card]";

/// A home whose user enabled commands.
pub(crate) fn home(model: &nova_testkit::ModelServer, theme: Theme) -> Home {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().theme(theme).vault_from(&template).provider(&model.base_url());
    let mut settings = home.read_config();
    settings["skills"] = json!({"core": {"tools": {"allow": ["bash"]}}});
    home.settings(&settings)
}

/// Whether this kernel can confine a command. Prints a message if not: then the test checks nothing.
fn can_run(home: &Home) -> bool {
    let tools = home.nova(&["tool", "list", "--json"]);
    let state = tools.as_array().into_iter().flatten().find(|tool| tool["name"] == "core.bash");
    let can = state.is_some_and(|tool| tool["state"] == "available");
    if !can {
        eprintln!("SKIPPED, nothing was tested: {:?}", state.map(|tool| &tool["reason"]));
    }
    can
}

/// Requests the command and waits for its card.
pub(crate) async fn asked(window: &Window) {
    window.type_into("[data-testid=composer-input]", model::SCANS).await;
    window.click("[data-testid=send]").await;
    window.wait_for(&format!("{APPROVAL}[data-armed=true]")).await;
}

/// Allows it and waits for its first output.
pub(crate) async fn running(window: &Window) {
    window.click(&format!("{APPROVAL}[data-armed=true] [data-testid=approval-once]")).await;
    window.wait_for_text(&format!("{CARD} [data-testid=command-output]"), "scans/2026-09-annex.pdf").await;
}

#[tokio::test]
async fn command_shows_its_access_streams_and_is_stopped() {
    let model = model::start();
    let home = home(&model, Theme::Light);
    if !can_run(&home) {
        return;
    }
    let window = Window::open(&home).await;
    asked(&window).await;
    window.wait_for_text(APPROVAL, "Run this command?").await;
    for fact in [
        "scratch folder of this chat",
        "none",
        "vault read only without private notes, at most 120 s and 1 GB",
    ] {
        window.wait_for_text(APPROVAL, fact).await;
    }
    let offered = "return [...document.querySelectorAll('[data-testid=approval-card] button[data-testid]')]
                     .map(({ dataset }) => dataset.testid);";
    let offered: Value = window.ask(offered).await;
    assert_eq!(offered, json!(["approval-once", "approval-deny", "approval-edit"]));

    running(&window).await;
    let output = format!("{CARD} [data-testid=command-output]");
    assert!(!window.text(&output).await.contains("2026-01-invoice"), "only the last lines");
    window.click("[data-testid=command-all]").await;
    window.wait_for_text(&output, "2026-01-invoice").await;

    window.click(&format!("{CARD} [data-testid=stop-call]")).await;
    window.wait_for(&format!("{CARD}:not([data-state=running])")).await;
    window.wait_for_text("[role=log]", "I stopped after 3 files.").await;
    window.wait_for_text(&output, "scans/2026-09-annex.pdf").await;
    window.close().await;
    model.finish();
}
