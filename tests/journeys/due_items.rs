//! Due items are shown beside a skill and where a chat begins, without a request.

use std::fs;

use nova_app::App;
use nova_protocol::{Commands as _, GlanceValue, GlanceView, Nothing, PanelFormat};
use nova_testkit::PATIENCE;
use serde_json::{Value, json};

use super::nova::{Nova, drain};

/// Today is 21 November 2026.
const DUE: &str = "
//- CRM/People/Ilse Brandvik.md
---
type: contact
name: Ilse Brandvik
next_contact: 2026-11-17
---
//- CRM/People/Secret Sam.md
---
type: contact
name: Secret Sam
next_contact: 2026-11-19
nova: private
---
//- CRM/People/Jane Doe.md
---
type: contact
name: Jane Doe
next_contact: 2026-11-24
---
//- Budget/Incomes/2026/November.md
---
type: income
date: 2026-11-02
amount: 800.00
currency: EUR
---
//- Budget/Expenses/2026/Rent.md
---
type: expense
date: 2026-11-03
amount: 80.45
currency: EUR
---
";

async fn glances(app: &App) -> Vec<GlanceView> {
    app.list_glances(Nothing {}).await.unwrap()
}

async fn of(app: &App, skill: &str) -> GlanceView {
    glances(app).await.into_iter().find(|one| one.skill == skill).expect("the skill has a glance")
}

fn number(value: i32, words: &str) -> GlanceValue {
    GlanceValue { value: json!(value), format: PanelFormat::Text, unit: String::new(), words: words.into() }
}

#[tokio::test]
async fn due_items_follow_the_notes() {
    let nova = Nova::new(DUE, []);
    let app = nova.start().await;

    let crm = of(&app, "crm").await;
    assert_eq!(crm.name, "CRM");
    assert_eq!(crm.ask.as_deref(), Some("Follow-ups due this week"));
    assert_eq!(crm.says, [number(2, "overdue"), number(1, "due this week")]);
    assert_eq!(crm.badge, [number(2, "overdue")]);
    let left = GlanceValue {
        value: json!("719.55"),
        format: PanelFormat::Money,
        unit: "EUR".into(),
        words: "left".into(),
    };
    assert_eq!(of(&app, "budget").await.says, std::slice::from_ref(&left));
    let upcoming = GlanceValue {
        value: json!("20.00"),
        format: PanelFormat::Money,
        unit: "EUR".into(),
        words: "upcoming".into(),
    };
    nova.vault
        .write("Budget/Later.md", "---\ntype: expense\ndate: 2026-11-22\namount: 20\ncurrency: EUR\n---\n");
    assert_eq!(of(&app, "budget").await.says, [left, upcoming]);
    assert_eq!((of(&app, "portfolio").await.says, of(&app, "portfolio").await.badge), (vec![], vec![]));

    let ilse = "CRM/People/Ilse Brandvik.md";
    nova.vault.write(ilse, &nova.vault.read(ilse).replace("11-17", "12-17"));
    assert_eq!(of(&app, "crm").await.badge, [number(1, "overdue")]);
}

#[tokio::test]
async fn listing_due_items_asks_nobody_is_not_counted_and_reaches_no_model() {
    let nova = Nova::new(DUE, []);
    nova.rules("permissions:\n  human_approval: [ \"crm__*\" ]\n");
    let app = nova.start().await;
    let mut events = app.events();

    let seen = glances(&app).await;

    let crm = seen.iter().find(|one| one.skill == "crm").unwrap();
    assert_eq!((&crm.says, &crm.badge), (&vec![], &vec![]), "a rule requires asking");
    assert!(crm.ask.is_some(), "a chat can still start with it");
    let heard = drain(&mut events);
    assert!(heard.iter().all(|event| !format!("{event:?}").contains("call")), "{heard:?}");
    let rows = app.list_skills(Nothing {}).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.usage.calls).sum::<u32>(), 0, "no tool was called");
    assert!(nova.model.requests().is_empty());
    // The suggested message is the same whatever the notes contain.
    let asks: Vec<Value> = seen.iter().map(|one| json!(one.ask)).collect();
    let empty = Nova::new("", []);
    let elsewhere: Vec<Value> =
        glances(&empty.start().await).await.iter().map(|one| json!(one.ask)).collect();
    assert_eq!(asks, elsewhere);
}

#[tokio::test]
async fn folder_skill_lists_due_items_only_by_reading_tools() {
    let nova = Nova::new("", []);
    let folder = nova.config().join("skills/tasks");
    fs::create_dir_all(folder.join("tools")).unwrap();
    fs::write(folder.join("SKILL.md"), "---\nname: tasks\ndescription: Tasks.\n---\nText.\n").unwrap();
    let manifest = "display_name: Tasks\nglance:\n\
        \x20 - { tool: waiting, ask: What waits?, says: [{ at: \"\", many: waiting }] }\n\
        \x20 - { tool: clear, ask: Clear it, says: [{ at: \"\", many: gone }] }\n\
        \x20 - { tool: nope, ask: What is that? }\n";
    fs::write(folder.join("manifest.yaml"), manifest).unwrap();
    let waiting = "name: waiting\ndescription: Lists.\neffect: read\ngives: three\n";
    fs::write(folder.join("tools/waiting.ts"), waiting).unwrap();
    let clear = "name: clear\ndescription: Clears.\neffect: write\ngives: three\n";
    fs::write(folder.join("tools/clear.ts"), clear).unwrap();
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;

    let all = glances(&app).await;
    let asks: Vec<_> = all.iter().filter(|one| one.skill == "tasks").map(|one| one.ask.as_deref()).collect();
    assert_eq!(asks, [Some("What waits?")], "writing and missing tools are skipped");
    // The file is not approved yet: its first call would ask.
    assert_eq!(of(&app, "tasks").await.says, []);

    fs::write(folder.join("manifest.yaml"), "glance:\n  - { tool: waiting, asks: What waits? }\n").unwrap();
    let again = nova.start().await;
    again.tools_loaded(PATIENCE).await;
    assert!(
        glances(&again).await.iter().all(|one| one.skill != "tasks"),
        "an invalid declaration shows nothing"
    );
    assert!(glances(&again).await.iter().any(|one| one.skill == "crm"), "and hides no other");
}
