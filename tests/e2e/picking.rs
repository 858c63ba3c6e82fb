//! A tool chosen in the composer is sent with the message and shown in it.

use std::path::Path;

use fantoccini::key::Key;

use crate::harness::{Home, Window};
use crate::model;

#[tokio::test]
async fn chosen_tool_is_sent_with_the_message_and_activates_its_skill() {
    let model = model::start();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().vault_from(&template).provider(&model.base_url());
    let window = Window::open(&home).await;

    window.type_into("[data-testid=composer-input]", "/get_c").await;
    window.wait_for("[data-testid=picker] [data-tool='crm.get_contact'][aria-selected=true]").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[data-testid=draft-chips]", "crm.get_contact").await;

    // Its placeholder is selected, so typing fills it.
    let prompt = window
        .ask(
            "const { value, selectionStart, selectionEnd } = document.activeElement;
        return value.slice(selectionStart, selectionEnd);",
        )
        .await;
    assert_eq!(prompt, "[contact]");
    window.press(&[Key::Control], 'a').await;
    window.type_into("[data-testid=composer-input]", "Where does Jane Doe stand?").await;
    window.click("[data-testid=send]").await;
    window.wait_for_text("[data-testid=user-message]", "crm.get_contact").await;
    window.wait_for_text("[role=log]", "CRM activated").await;
    window.wait_for_text("[role=log]", "by you, for crm.get_contact").await;
    window.wait_for("[data-testid=active-skill][data-skill=crm]").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;

    // Without a textual match, the result comes from the ranking.
    window.type_into("[data-testid=composer-input]", "/salary").await;
    window.wait_for("[data-testid=picker] [aria-label='By meaning'] [data-testid=picker-skill]").await;
    window.press(&[], Key::Escape).await;
    window.wait_gone("[data-testid=picker]").await;

    window.click_named("Deactivate CRM").await;
    window.wait_gone("[data-testid=active-skill]").await;
    window.wait_for_text("[role=log]", "CRM is no longer active, deactivated by you").await;

    window.close().await;
    model.finish();
}
