//! A secret typed in the window is stored in an encrypted file if there is no keychain, and is never shown.

use serde_json::json;

use crate::harness::{Home, Window};

const CANARY: &str = "canary-77ab02-key";

#[tokio::test]
async fn key_is_stored_by_clicks_under_a_new_passphrase_and_removed() {
    let home = Home::new().settings(&json!({}));
    let window = Window::open(&home).await;

    window.click("[data-testid=nav-settings]").await;
    window.click("[data-testid=settings-nav-credentials]").await;
    window.click("[data-testid=credential-add]").await;
    window.type_into("input[placeholder='service/key']", "weather/key").await;
    window.type_into("[data-testid=credential-value]", CANARY).await;
    window.click("[data-testid=credential-keep]").await;
    // Without a keychain nothing is stored before there is a passphrase.
    window.wait_for("[data-testid=passphrase]").await;
    assert!(!home.data().join("credentials.age").exists());
    window.type_into("[data-testid=passphrase]", "correct horse battery staple").await;
    window.type_into("[data-testid=passphrase-again]", "correct horse battery staple").await;
    window.click("[data-testid=passphrase-form] button[type=submit]").await;
    let row = "[data-testid=credential-row][data-credential='weather/key']";
    window.wait_for_text(row, "kept").await;

    let kept = std::fs::read(home.data().join("credentials.age")).expect("the file is there");
    assert!(kept.starts_with(b"age-encryption.org/"));
    let page = window.ask("return document.documentElement.outerHTML").await.to_string();
    assert!(!page.contains(CANARY), "the page still holds the key");

    window.click("[data-testid=credential-remove]").await;
    window.click("[data-testid=credential-remove-confirm]").await;
    window.wait_gone(row).await;
    window.close().await;
}
