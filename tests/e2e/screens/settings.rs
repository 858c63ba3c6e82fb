//! The pages of the settings.

use std::path::Path;

use crate::harness::{Home, Theme, Window};
use crate::{FOLLOW_UP, UPTIME, model, say, take, waiting_tools};

/// A vault with private notes and an extra root, and two recent vaults.
pub(crate) async fn settings_vault(name: &str, theme: Theme) {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new()
        .theme(theme)
        .vault_named("Work vault")
        .vault_from(&template)
        .note("Private/Salary 2026.md", "---\nnova: private\n---\nAs agreed.\n")
        .note("Health/Dentist.md", "In March.\n")
        .home_file("Documents/House/Garden.md", "Apples.\n")
        .home_file("Documents/Invoices/2091.md", "Ostler & Finch.\n");
    let documents = home.documents();
    let settings = serde_json::json!({
        "vault": home.vault(),
        "roots": [documents.join("Invoices")],
        "private": ["Health"],
        "recent_vaults": [{ "path": documents.join("House") }, { "path": documents.join("Archive 2024"), "missing_since": "2026-11-03T10:00:00Z" }],
    });
    let home = home.settings(&settings);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.choose("Work vault: vault", "Private notes, extra roots, history").await;
    window.wait_for_text("[aria-label='Open vault'] h2", "Work vault").await;
    take(&window, "settings-vault", name).await;
    window.close().await;
}

/// A provider that responded, one that does not exist, a favourite, a price, and one being added.
pub(crate) async fn models(name: &str, theme: Theme) {
    let model = model::start();
    let home = Home::new().theme(theme).settings(&serde_json::json!({
        "providers": [
            {
                "id": "scripted", "kind": "openai", "base_url": model.base_url(), "models": ["test"],
                "prices": { "test": { "input": 1.25, "output": 10 } },
            },
            { "id": "lab", "kind": "openai", "base_url": "http://127.0.0.1:9/v1" },
        ],
        "model": "scripted/test",
        "favourites": ["scripted/test"],
    }));
    let window = Window::open(&home).await;
    say(&window, "Where does Nobody stand?").await;
    window.wait_for("[data-testid=status-model] [data-health=answered]").await;
    window.click("[data-testid=nav-settings]").await;
    window.click("[data-testid=settings-nav-models]").await;
    window.click("[data-testid=provider-add]").await;
    window
        .ask(
            "const which = document.querySelector('[data-testid=new-provider-which]');
             Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(which, 'gemini');
             which.dispatchEvent(new Event('change', { bubbles: true }));",
        )
        .await;
    window.wait_for_text("[data-testid=new-provider]", "generativelanguage.googleapis.com").await;
    window.wait_for("[data-provider=lab]").await;
    take(&window, "models", name).await;
    window.close().await;
}

/// Skills in all states, one of them with a configuration and used today.
pub(crate) async fn settings(name: &str, theme: Theme) {
    let model = model::start();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().theme(theme).vault_from(&template);
    let settings = serde_json::json!({
        "vault": home.vault(),
        "providers": [{ "id": "scripted", "kind": "openai", "base_url": model.base_url(), "models": ["test"] }],
        "model": "scripted/test",
        "skills": {
            "meeting-notes": {"config": {"most": 5}, "pinned": true, "lifetime": "turn"},
            "release-management": {"enabled": false},
            "core": {"hidden": true},
        },
    });
    let home = home
        .settings(&settings)
        .config_file("skills/meeting-notes/SKILL.md", "---\nname: meeting-notes\ndescription: Turns what was said in a meeting into a note with decisions and next steps.\n---\nOne line for each decision.\n")
        .config_file("skills/meeting-notes/manifest.yaml", MEETING_NOTES)
        .config_file("skills/meeting-notes/config.yaml", "folder: Meetings\nmost: 7\nsections: [Decisions, Next steps]\n")
        .config_file("skills/follow-up/SKILL.md", FOLLOW_UP)
        .config_file("skills/group-mail/SKILL.md", "---\nname: group-mail\n---\nWrites to a group.\n")
        .config_file("tools/dynamic/uptime.ts", UPTIME)
        .config_file("tools/dynamic/weather.ts", "export default defineTool({")
        .config_file("skills/company-facts/SKILL.md", "---\nname: company-facts\ndescription: Facts about companies and symbols.\n---\nAsk first.\n")
        .config_file("skills/company-facts/manifest.yaml", "display_name: Company facts\nrequires: { env: { FINNHUB_API_KEY: } }\n");
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    say(&window, "Where does Jane Doe stand?").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;
    say(&window, "Where does Nobody stand?").await;
    window.wait_for_text("[role=log]", "That did not happen").await;
    window.click("[data-testid=nav-settings]").await;
    window.wait_for("[data-testid=skill-row][data-skill=group-mail]").await;
    window.wait_for("[data-testid=routing-example][data-reached]").await;
    take(&window, "settings", name).await;
    window.resize(1440, 900).await;
    window.click("[data-skill=crm] [data-testid=skill-name]").await;
    window.wait_for("[data-testid=skill-detail] [data-testid=tool-switch]").await;
    window.wait_for("[data-testid=routing-example][data-reached]").await;
    take(&window, "skill", name).await;
    window.close().await;
}

const MEETING_NOTES: &str = "\
display_name: Meeting notes
version: 1.2.0
hints:
  use_when: [a meeting is to be written down]
  not_when: [{ phrase: who was there, instead: crm }]
routing:
  examples: [Write down the meeting with Harborline, What did we decide on Tuesday]
config:
  type: object
  properties:
    folder: { type: string, title: Folder of the notes }
    most: { type: integer, minimum: 1, maximum: 30, title: Next steps at most }
    sections: { type: array, items: { type: string }, title: Sections }
";

/// Rules of every kind, then the credentials page.
pub(crate) async fn permissions(name: &str, theme: Theme) {
    let home = Home::new()
        .theme(theme)
        .settings(&serde_json::json!({
            "providers": [{ "id": "openai", "kind": "openai", "base_url": "https://api.openai.example/v1",
                            "api_key": "${credentials:openai/key}", "models": ["large"] }],
        }))
        .config_file(
            "permissions.yaml",
            "permissions:\n  allow: [ \"crm__list_*\", \"workflow__*\" ]\n  deny: [ \"*__delete_*\", \"vault__*(path=Diary/*)\" ]\n  human_approval: [ \"release-management__deploy_*\" ]\npolicies:\n  - name: limit external tools for unknown senders\n    match: { principal: { relationship: unknown } }\n    permissions: { tools: { deny: [internet_access, core__task] } }\n",
        );
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=nav-settings]").await;
    window.click("[data-testid=settings-nav-permissions]").await;
    window.wait_for("[data-testid=settings-permissions] li").await;
    take(&window, "permissions", name).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=settings-nav-credentials]").await;
    window.wait_for("[data-testid=credential-add]").await;
    take(&window, "credentials", name).await;
    window.close().await;
}

/// Background work: routines in several states, then the notifications.
pub(crate) async fn running(name: &str, theme: Theme) {
    let home = Home::new()
        .theme(theme)
        .note("Routines/Morning.md", "---\ntype: routine\nwhen: weekdays 07:30\nzone: Europe/Berlin\nallow: [vault.append_to_note]\n---\nWhat is due today?\n")
        .note("Routines/Month’s end.md", "---\ntype: routine\nwhen: [monthly last 18:00, at start]\nenabled: false\n---\nSum up the month.\n")
        .note("Routines/New people.md", "---\ntype: routine\nwhen: when a contact changes\n---\nLook for their company.\n")
        .note("Routines/Torn.md", "---\ntype: routine\nwhen: at dawn\n---\nGood morning.\n");
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=nav-settings]").await;
    window.click("[data-testid=settings-nav-routines]").await;
    window.wait_for_text("[data-testid=settings-routines]", "New people").await;
    take(&window, "routines", name).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=settings-nav-notifications]").await;
    window.wait_for("[data-testid=settings-notifications]").await;
    take(&window, "notifications", name).await;
    window.close().await;
}

/// A third-party skill that waits for review.
pub(crate) async fn review(name: &str, theme: Theme) {
    let home = Home::new()
        .theme(theme)
        .settings(&serde_json::json!({}))
        .home_file(
            ".agents/skills/pdf-forms/SKILL.md",
            "---\nname: pdf-forms\ndescription: Reads forms in PDF files and fills them in.\nallowed-tools: Bash(*)\n---\nSee references/forms.md.\n",
        )
        .home_file(".agents/skills/pdf-forms/references/forms.md", "# Forms\n")
        .home_file(".agents/skills/pdf-forms/tools/uptime.ts", UPTIME);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=nav-settings]").await;
    window.click("[data-skill=pdf-forms] [data-testid=skill-name]").await;
    window.wait_for_text("[data-testid=skill-detail]", "references/forms.md").await;
    take(&window, "review", name).await;
    window.close().await;
}

pub(crate) async fn waiting_tool(name: &str, theme: Theme) {
    let home = Home::new()
        .theme(theme)
        .settings(&serde_json::json!({}))
        .waiting_tool("tides.ts", waiting_tools::TIDES);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=nav-settings]").await;
    window.wait_for("[data-testid=promote-tool]").await;
    take(&window, "waiting-tool", name).await;
    window.close().await;
}
