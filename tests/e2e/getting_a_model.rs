//! The first start of a user who has a model: a local server that is detected, and a pasted key.

use crate::harness::{Home, Window};
use crate::model;

const CANARY: &str = "canary-51cc90-key";

/// Asks a first question, so that the new model is used.
async fn ask(window: &Window) {
    window.type_into("[data-testid=composer-input]", "Where does Jane Doe stand?").await;
    window.click("[data-testid=send]").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;
}

#[tokio::test]
async fn local_model_server_is_found_chosen_and_answers() {
    let model = model::start();
    let home = Home::new().first_start().local_server("lm-studio", &model.base_url());
    let window = Window::open(&home).await;

    window.wait_for_text("[data-testid=first-run]", "LM Studio found").await;
    window.wait_for("[data-testid=first-run-local]:checked").await;
    window.click("label:has([data-testid=first-run-sample])").await;
    assert!(!home.documents().exists(), "nothing is written before the vault is opened");
    window.click("[data-testid=first-run-open]").await;

    window.wait_for_text("[data-testid=status-model]", "runs on this machine").await;
    ask(&window).await;
    window.close().await;
    model.finish();
}

#[tokio::test]
async fn pasted_key_is_tested_stored_under_a_passphrase_and_used() {
    let model = model::start();
    let home = Home::new().first_start();
    let window = Window::open(&home).await;

    window.click("label:has([data-testid=first-run-sample])").await;
    window
        .ask(
            "const which = document.querySelector('[data-testid=new-provider-which]');
             Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(which, 'another');
             which.dispatchEvent(new Event('change', { bubbles: true }));",
        )
        .await;
    window.type_into("[data-testid=new-provider-address]", &model.base_url()).await;
    window.type_into("[data-testid=new-provider-key]", CANARY).await;
    window.click("[data-testid=new-provider-check]").await;
    window.wait_for_text("[data-testid=new-provider]", "answers").await;
    assert!(!home.documents().exists(), "the key was tested, nothing was written");

    window.click("[data-testid=first-run-open]").await;
    // Without a keychain nothing is stored before there is a passphrase.
    window.type_into("[data-testid=passphrase]", "correct horse battery staple").await;
    window.type_into("[data-testid=passphrase-again]", "correct horse battery staple").await;
    window.click("[data-testid=passphrase-form] button[type=submit]").await;
    window.wait_for("[data-testid=composer-input]").await;
    ask(&window).await;

    let page = window.ask("return document.documentElement.outerHTML").await.to_string();
    assert!(!page.contains(CANARY), "the page still holds the key");
    assert!(!home.read_config().to_string().contains(CANARY), "the settings hold the key");
    window.close().await;
    model.finish();
}
