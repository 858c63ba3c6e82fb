//! Each skill's events and due items of a day: on the page of a new chat, for a model, in a terminal.

use nova_app::App;
use nova_protocol::{Commands as _, Event, Nothing, TodayView};
use nova_testkit::{ScriptedApprover, call, text};
use serde_json::{Value, json};

use super::nova::{Nova, drain, turn};

/// Today is 21 November 2026, a Saturday.
const DAY: &str = "
//- House.md
- [ ] Pay the rent 📅 2026-11-17
- [ ] Sweep the stairs 📅 2026-11-21
- [ ] Much later 📅 2026-12-21
- [x] Done already 📅 2026-11-17
- [ ] No day
//- Events/Dentist.md
---
type: event
title: Dentist
date: 2026-11-21
startTime: \"15:30\"
endTime: \"16:15\"
---
//- Events/Tomorrow.md
---
type: event
title: Tomorrow
date: 2026-11-22
allDay: true
---
//- CRM/People/Ilse.md
---
type: contact
name: Ilse Brandvik
company: \"[[Fernhill Dairy]]\"
next_contact: 2026-11-17
birthday: --11-21
---
//- CRM/People/Odile.md
---
type: contact
name: Odile Farrow
last_contact: 2026-11-08
every: 2 weeks
birthday: 1990-12-04
---
//- CRM/People/Later.md
---
type: contact
name: Later
next_contact: 2026-12-24
birthday: 1990-12-05
---
//- CRM/People/Secret.md
---
type: contact
name: Secret Sam
next_contact: 2026-11-19
nova: private
---
//- Budget/Rent.md
---
type: expense
date: 2026-01-01
amount: 820
currency: EUR
payee: Office rent
recurring: monthly
---
//- Budget/Power.md
---
type: expense
date: 2026-11-26
amount: 64.60
currency: EUR
payee: Electricity
---
//- Budget/Groceries.md
---
type: expense
date: 2026-11-21
amount: 12
currency: EUR
payee: Corner Market
---
//- Portfolio/Watchlist.md
---
type: watchlist
---
- [[NGTL]] target 42 EUR
- [[SLVN]] target 46 EUR
//- Portfolio/Prices/a.md
---
type: price
symbol: NGTL
date: 2026-11-19
close: 41.80
currency: EUR
---
//- Portfolio/Prices/b.md
---
type: price
symbol: NGTL
date: 2026-11-20
close: 42.18
currency: EUR
---
//- Portfolio/Prices/c.md
---
type: price
symbol: SLVN
date: 2026-11-20
close: 50
currency: EUR
---
";

fn rows(section: &TodayView) -> Vec<String> {
    let text = |row: &nova_protocol::TodayRow| {
        let late = if row.overdue { "!" } else { "" };
        let parts = [late, &row.at, &row.text, &row.detail, &row.value];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" | ")
    };
    section.rows.iter().map(text).collect()
}

async fn sections(app: &App) -> Vec<TodayView> {
    let glances = app.list_glances(Nothing {}).await.unwrap();
    let mut sections: Vec<TodayView> = glances.into_iter().filter_map(|glance| glance.today).collect();
    sections.retain(|section| !section.rows.is_empty() || section.problem.is_some());
    sections.sort_by_key(|section| (section.side, section.order));
    sections
}

#[tokio::test]
async fn each_skill_has_its_section_of_the_day() {
    let nova = Nova::new(DAY, []);
    let app = nova.start().await;

    let sections = sections(&app).await;

    let found: Vec<(&str, Vec<String>)> =
        sections.iter().map(|section| (section.title.as_str(), rows(section))).collect();
    let expected: [(&str, &[&str]); 6] = [
        ("Events", &["2026-11-21T15:30 | Dentist"]),
        ("Tasks", &["! | 2026-11-17 | Pay the rent", "2026-11-21 | Sweep the stairs"]),
        (
            "Birthdays",
            &["2026-11-21 | Ilse Brandvik | Fernhill Dairy", "2026-12-04 | Odile Farrow | turns 36"],
        ),
        (
            "Follow-ups",
            &[
                "! | 2026-11-17 | Ilse Brandvik | Fernhill Dairy",
                "! | 2026-11-19 | Secret Sam",
                "2026-11-22 | Odile Farrow | every 2 weeks",
            ],
        ),
        (
            "Bills, next 14 days",
            &["2026-11-26 | Electricity | 64.60", "2026-12-01 | Office rent | monthly | 820.00"],
        ),
        ("Watchlist", &["NGTL | above your target of 42.00 EUR | 42.18"]),
    ];
    let expected: Vec<(&str, Vec<String>)> = expected
        .into_iter()
        .map(|(title, rows)| (title, rows.iter().map(|row| (*row).to_owned()).collect()))
        .collect();
    assert_eq!(found, expected);
    assert_eq!((sections[4].total[0].value.as_str(), sections[4].total[0].unit.as_str()), ("884.60", "EUR"));
    let tick = sections[1].rows[0].tick.as_ref().unwrap();
    assert_eq!(tick.tool, "vault.complete_task");
    assert_eq!(
        Value::Object(tick.args.clone()),
        json!({"path": "House.md", "text": "Pay the rent", "line": 1})
    );

    // The same for the terminal and another day.
    let day = app.today(None).await.unwrap();
    assert_eq!((day.date.as_str(), &day.sections), ("2026-11-21", &sections));
    let later = app.today(Some("2026-11-22")).await.unwrap();
    let events = later.sections.iter().find(|section| section.title == "Events").unwrap();
    assert_eq!(rows(events), ["2026-11-22 | Tomorrow"]);
    let wrong = app.today(Some("tomorrow")).await.unwrap_err();
    assert!(wrong.message.contains("tomorrow"), "{wrong:?}");
}

#[tokio::test]
async fn row_is_completed_by_its_text_and_the_completion_undone() {
    let nova = Nova::new(DAY, []);
    let app = nova.start().await;
    let before = nova.vault.read("House.md");
    let tick = sections(&app).await[1].rows[1].tick.clone().unwrap();

    let run = nova_protocol::CallTool { run: "tick".into(), tool: tick.tool, args: Value::Object(tick.args) };
    let ticked = app.call_tool(run).await.unwrap();

    assert!(ticked.ok, "{ticked:?}");
    assert!(nova.vault.read("House.md").contains("- [x] Sweep the stairs 📅 2026-11-21"));
    assert_eq!(rows(&sections(&app).await[1]), ["! | 2026-11-17 | Pay the rent"]);
    let set = nova_protocol::UndoChanges { change_set: ticked.change_set.unwrap(), note: None, call: None };
    app.undo_changes(set).await.unwrap();
    assert_eq!(nova.vault.read("House.md"), before);
}

#[tokio::test]
async fn disabled_skill_is_absent_and_failing_one_says_why() {
    let nova = Nova::new(DAY, []);
    nova.rules("permissions:\n  human_approval: [ \"crm__follow_ups\" ]\n");
    let app = nova.start().await;
    let set = nova_protocol::EnableSkill { skill: "budget".into(), enabled: false };
    app.enable_skill(set).await.unwrap();

    let sections = sections(&app).await;

    let titles: Vec<&str> = sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["Events", "Tasks", "Birthdays", "Follow-ups", "Watchlist"]);
    let problem = sections[3].problem.as_deref().unwrap();
    assert!(sections[3].rows.is_empty() && !problem.contains('\n') && problem.ends_with('.'), "{problem}");
}

#[tokio::test]
async fn remote_model_gets_the_day_without_private_notes() {
    let answers = [call("vault__today", json!({})), text("Ilse is overdue.")];
    let nova = Nova::new(DAY, answers);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": "ollama", "base_url": nova.model.address()}],
        "model": "near/run-elsewhere",
    }));
    let app = nova.start().await;
    nova.model.passes_on("run-elsewhere");
    app.agree_to_provider("near").await.unwrap();
    let approver = ScriptedApprover::default();

    let (_, events) = turn(&app, None, "What about today?", approver.clone()).await;

    assert!(approver.asked().is_empty(), "a call that does not read");
    let answer: Value = serde_json::from_str(&nova.model.last_texts("tool").pop().unwrap()).unwrap();
    assert_eq!(answer["date"], "2026-11-21");
    let titles: Vec<&str> = answer["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["Events", "Tasks", "Birthdays", "Follow-ups", "Bills, next 14 days", "Watchlist"]);
    let follow_ups = &answer["sections"][3];
    assert_eq!(follow_ups["overdue"], 1, "{follow_ups}");
    assert!(!answer.to_string().contains("Secret"), "{answer}");
    let asked: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            Event::ToolCallStarted { tool, within: Some(_), .. } => Some(tool.as_str()),
            _ => None,
        })
        .collect();
    let mut once = asked.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), asked.len(), "asked twice: {asked:?}");
}

#[tokio::test]
async fn denied_tools_section_has_no_rows_but_the_reason() {
    let answers = [call("vault__today", json!({"date": "2026-11-21"})), text("No follow-ups.")];
    let nova = Nova::new(DAY, answers);
    nova.rules("permissions:\n  deny: [ \"crm__follow_ups\" ]\n");
    let app = nova.start().await;

    turn(&app, None, "What about today?", ScriptedApprover::default()).await;

    let answer: Value = serde_json::from_str(&nova.model.last_texts("tool").pop().unwrap()).unwrap();
    let section = &answer["sections"][3];
    assert_eq!((&section["title"], &section["rows"]), (&json!("Follow-ups"), &json!([])), "{answer}");
    assert!(section["problem"].as_str().unwrap().contains("rule"), "{section}");
    assert!(!answer.to_string().contains("next_contact"));
}

#[tokio::test]
async fn loading_the_page_emits_no_tool_events() {
    let nova = Nova::new(DAY, []);
    let app = nova.start().await;
    let mut events = app.events();
    let glances = app.list_glances(Nothing {}).await.unwrap();
    let crm: Vec<_> = glances.iter().filter(|glance| glance.skill == "crm").collect();
    assert!(crm[0].today.is_some() && crm[0].ask.is_some(), "one entry for the page and the list");
    assert!(drain(&mut events).iter().all(|event| !format!("{event:?}").contains("call")));
}

#[tokio::test]
async fn without_a_vault_there_is_no_day_view() {
    let nova = Nova::new(DAY, []);
    nova.settings(&json!({"vault": nova.home().join("gone")}));
    let app = nova.start().await;
    let glances = app.list_glances(Nothing {}).await.unwrap();
    assert!(!glances.is_empty() && glances.iter().all(|glance| glance.today.is_none()));
    assert!(app.today(None).await.is_err());
}

#[test]
fn day_is_printed_in_a_terminal() {
    let nova = Nova::new(DAY, []);
    let output = nova.run(&["today", "--date", "2026-11-21"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Tasks (2, 1 overdue)\n  2026-11-17  Pay the rent (overdue)\n"), "{text}");
    assert!(text.contains("  15:30       Dentist\n"), "{text}");
    let (code, day) = nova.json(&["today", "--date", "2026-11-21"]);
    assert_eq!((code, &day["date"]), (0, &json!("2026-11-21")));
    assert_eq!(day["sections"][1]["rows"][0]["text"], "Pay the rent");
    let (code, error) = nova.json(&["today", "--date", "2026-02-30"]);
    assert_eq!((code, &error["ok"]), (1, &json!(false)), "{error}");
    let hostile = Nova::new("//- A.md\n- [ ] \u{1b}[2Jx\u{202e}y 📅 2020-01-01\n", []);
    let text = String::from_utf8(hostile.run(&["today"]).stdout).unwrap();
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && text.contains("overdue"), "{text}");
}
