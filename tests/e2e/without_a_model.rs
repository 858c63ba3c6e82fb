//! Features that work before anything is configured.

use std::path::Path;

use serde_json::json;

use crate::harness::{Home, Window};

#[tokio::test]
async fn first_start_copies_the_sample_vault_and_works_without_a_model() {
    let home = Home::new().first_start();
    let window = Window::open(&home).await;

    window.wait_for("[data-testid=first-run]").await;
    window.click("label:has([data-testid=first-run-sample])").await;
    window.click("label:has([data-testid=first-run-no-model])").await;
    assert!(!home.documents().exists(), "nothing is written before the vault is opened");
    window.click("[data-testid=first-run-open]").await;

    window.wait_for("[data-testid=composer-input]").await;
    assert!(home.documents().join("Nova sample vault/Welcome.md").is_file());
    window.close().await;

    let window = Window::open(&home).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.close().await;
}

#[tokio::test]
async fn every_tool_runs_from_a_form() {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().vault_from(&template).settings(&json!({}));
    let window = Window::open(&home).await;

    window.click("[data-testid=nav-run-tool]").await;
    window.click("[data-tool='crm.list_contacts']").await;
    window.click("[data-testid=run-tool]").await;
    window.wait_for_text("[data-testid=tool-result]", "Jane Doe").await;

    window.click("[data-tool='crm.add_contact']").await;
    window.type_into("[data-testid=tool-form] input", "Petra Holm").await;
    window.click("[data-testid=run-tool]").await;
    window.wait_for_text("[data-testid=tool-result]", "Petra Holm").await;
    let note = home.read_note("CRM/People/Petra Holm.md");
    assert!(note.starts_with("---\ntype: contact\nname: Petra Holm\n"), "{note}");

    window.close().await;
}

#[tokio::test]
async fn skill_is_disabled_and_enabled_at_once() {
    let home = Home::new();
    let window = Window::open(&home).await;

    window.click("[data-testid=nav-settings]").await;
    window.wait_for("[data-testid=skill-row][data-skill=crm][data-state=available]").await;
    window.click("[data-skill=crm] [data-testid=skill-switch]").await;
    window.wait_for("[data-testid=skill-row][data-skill=crm][data-state=disabled]").await;
    window.click("[data-skill=crm] [data-testid=skill-switch]").await;
    window.wait_for("[data-testid=skill-row][data-skill=crm][data-state=available]").await;

    window.close().await;
}

#[tokio::test]
async fn skill_settings_are_written_to_the_configuration_at_once() {
    let home = Home::new()
        .settings(&json!({}))
        .config_file("skills/letters/SKILL.md", "---\nname: letters\ndescription: Letters.\n---\n")
        .config_file(
            "skills/letters/manifest.yaml",
            "config: {type: object, properties: {greeting: {type: string}, most: {type: integer, minimum: 1}}}\n",
        )
        .config_file("skills/letters/config.yaml", "greeting: Dear\nmost: 3\n");
    let window = Window::open(&home).await;
    window.click("[data-testid=nav-settings]").await;

    window.click("[data-skill=crm] [data-testid=skill-pin]").await;
    window.wait_for("[data-skill=crm] [data-testid=skill-pin][aria-pressed=true]").await;
    window.click("[data-skill=crm] [data-testid=skill-name]").await;
    window.click("[data-tool='crm.add_contact'] [data-testid=tool-switch]").await;
    window
        .wait_for_text("[data-testid=skill-detail]", "A switched-off tool is hidden from every model.")
        .await;

    window.click("[data-skill=letters] [data-testid=skill-name]").await;
    window.wait_for("[data-testid=skill-config]").await;
    window.type_into("[data-testid=skill-config] [data-path=most] input", "0").await;
    window.wait_for_text("[data-testid=config-saved]", "Saved.").await;

    let config = home.read_config();
    assert_eq!(config["skills"]["crm"]["pinned"], json!(true), "{config}");
    assert_eq!(config["skills"]["crm"]["tools"]["deny"], json!(["add_contact"]), "{config}");
    assert_eq!(config["skills"]["letters"]["config"], json!({"most": 30}), "only what was typed: {config}");
    window.close().await;
}
