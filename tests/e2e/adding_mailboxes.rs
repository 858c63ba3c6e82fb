//! A mailbox of a local server is added on its settings page: refused with a wrong password, added with the
//! right one.

use nova_testkit::Dovecot;

use crate::harness::{Home, Window};

#[tokio::test]
async fn mailbox_is_added_by_clicks_after_its_test() {
    let server = Dovecot::start();
    server.deliver("jane", "INBOX", "", b"Subject: Lunch\n\nAt noon?\n");
    let home = Home::new().near_mail_server(&server);
    let file = home.config().join("nova.config.json");
    let window = Window::open(&home).await;
    window.click("[data-testid=nav-settings]").await;
    window.click("[data-skill=mail] [data-testid=skill-name]").await;
    window.click("[data-testid=mailbox-add]").await;
    window.click_named("Enter them myself").await;
    let server_name = format!("127.0.0.1:{}", server.port());
    for (field, text) in [("name", "Home"), ("imap", server_name.as_str()), ("user", "jane")] {
        window.type_into(&format!("[data-testid=mailbox-form] input[id$='-{field}']"), text).await;
    }
    let (wrong, rest) = Dovecot::PASSWORD.split_at(3);
    window.type_into("[data-testid=mailbox-password]", wrong).await;
    window.click("[data-testid=mailbox-save]").await;
    window.wait_for_text("[data-testid=mailbox-test]", "Authentication failed").await;
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(!before.contains("mailboxes"), "nothing is stored: {before}");

    window.type_into("[data-testid=mailbox-password]", rest).await;
    window.click("[data-testid=mailbox-save]").await;
    window.wait_for_text("[data-mailbox=Home]", "Ready").await;
    window.wait_for_text("[data-mailbox=Home]", "1 unread message").await;
    window.click("[aria-label='Home read only']").await;
    window.wait_for_text("[data-mailbox=Home]", "It changes nothing").await;
    window.wait_for_file(&file, "\"read_only\": true").await;
    let page = window.ask("return document.documentElement.outerHTML").await.to_string();
    let stored = std::fs::read_to_string(&file).expect("the settings");
    assert!(!page.contains("geheim") && !stored.contains("geheim"), "{stored}");
    window.close().await;
}
