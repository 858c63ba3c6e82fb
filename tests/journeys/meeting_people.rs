//! A meeting's note, created from its event: one click, one change, one undo.

use nova_app::App;
use nova_protocol::{CallTool, Commands as _, Decision, ToolResult, UndoChanges};
use nova_testkit::{ScriptedApprover, calls, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, turn};

/// Today is 21 November 2026. Jane and Tomasz are contacts, Odile is not.
const RETRO: &str = "
//- Events/Retro.md
---
type: event
title: Retro
date: 2026-11-20
startTime: \"15:30\"
attendees: [\"[[Jane Doe]]\", Tomasz Wirek, Odile, Jane]
---
//- Events/Board.md
---
type: event
title: Board
date: 2026-11-24
attendees: [\"[[Jane Doe]]\"]
---
//- Templates/Meeting.md
---
project: Harborline
---
# {{title}}

## Decisions
";

const JANE: &str = "CRM/People/Jane Doe.md";
const TOMASZ: &str = "Friends/Tomasz Wirek.md";

fn nova() -> Nova {
    Nova::new(&format!("{PEOPLE}{RETRO}"), [])
}

async fn make(app: &App, event: &str, run: &str) -> ToolResult {
    let args = json!({"event": event});
    app.call_tool(CallTool { run: run.into(), tool: "calendar.document_event".into(), args }).await.unwrap()
}

#[tokio::test]
async fn meeting_note_links_contacts_and_logs_with_each() {
    let nova = nova();
    let app = nova.start().await;
    let before = (nova.vault.read(JANE), nova.vault.read(TOMASZ));

    let made = make(&app, "Events/Retro.md", "run-1").await;

    assert!(made.ok, "{made:?}");
    let value = made.value.unwrap();
    assert_eq!(
        value,
        json!({
            "title": "Retro", "date": "2026-11-20", "path": "Meetings/2026-11-20 Retro.md", "new": true,
            "attendees": ["Jane Doe", "Tomasz Wirek"], "no_contacts": ["Odile", "Jane"],
            "logged": ["Jane Doe", "Tomasz Wirek"],
        })
    );
    let note = nova.vault.read("Meetings/2026-11-20 Retro.md");
    for line in [
        "type: meeting_note",
        "event: Events/Retro.md",
        "  - \"[[Jane Doe]]\"\n  - \"[[Tomasz Wirek]]\"\n  - Odile\n",
        "## Notes",
    ] {
        assert!(note.contains(line), "{line}: {note}");
    }
    for path in [JANE, TOMASZ] {
        let text = nova.vault.read(path);
        assert!(text.contains("- 2026-11-20 Meeting: [[2026-11-20 Retro]]"), "{text}");
        assert!(text.contains("last_contact: 2026-11-20"), "{text}");
    }

    // Repeating it creates nothing.
    let again = make(&app, "Events/Retro.md", "run-2").await.value.unwrap();
    assert_eq!((&again["new"], &again["logged"]), (&json!(false), &json!([])));
    assert_eq!(nova.vault.read(JANE).matches("Meeting:").count(), 1);

    let undo = UndoChanges { change_set: made.change_set.unwrap(), note: None, call: None };
    app.undo_changes(undo).await.unwrap();
    assert_eq!((nova.vault.read(JANE), nova.vault.read(TOMASZ)), before);
    assert!(!nova.vault.root().join("Meetings/2026-11-20 Retro.md").exists());
}

#[tokio::test]
async fn upcoming_meeting_is_logged_afterwards() {
    let nova = nova();
    let app = nova.start().await;
    let before = nova.vault.read(JANE);
    let made = make(&app, "Board", "run-1").await;
    assert!(made.ok, "{made:?}");
    let value = made.value.unwrap();
    assert!(value["note"].as_str().unwrap().contains("has not begun"), "{value}");
    assert!(nova.vault.read("Meetings/2026-11-24 Board.md").contains("[[Jane Doe]]"));
    assert_eq!(nova.vault.read(JANE), before);
}

#[tokio::test]
async fn meeting_note_begins_with_the_users_template() {
    let nova = nova();
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "skills": {"calendar": {"config": {"records": {"meeting_note": {"template": "Templates/Meeting.md"}}}}},
    }));
    let app = nova.start().await;
    let made = make(&app, "Events/Retro.md", "run-1").await;
    assert!(made.ok, "{made:?}");
    let note = nova.vault.read("Meetings/2026-11-20 Retro.md");
    assert!(
        note.contains("project: Harborline") && note.contains("# 2026-11-20 Retro\n\n## Decisions"),
        "{note}"
    );
    assert!(!note.contains("## Next steps"), "{note}");
}

#[tokio::test]
async fn without_crm_the_note_only_lists_names() {
    let nova = nova();
    let app = nova.start().await;
    let set = nova_protocol::EnableSkill { skill: "crm".into(), enabled: false };
    app.enable_skill(set).await.unwrap();
    let before = nova.vault.read(JANE);
    let value: Value = make(&app, "Events/Retro.md", "run-1").await.value.unwrap();
    let problem = value["problems"][0]["problem"].as_str().unwrap();
    assert!(problem.starts_with("Contacts were not looked up."), "{problem}");
    assert_eq!(value["no_contacts"], json!(["Jane Doe", "Tomasz Wirek", "Odile", "Jane"]));
    assert_eq!(nova.vault.read(JANE), before);
}

#[tokio::test]
async fn attendees_of_a_server_event_are_matched_by_address() {
    let ics = "//- Calendars/Team.ics
BEGIN:VCALENDAR
BEGIN:VEVENT
UID:sync@team
SUMMARY:Sync ]] of [[Ideas]]
DTSTART:20261120T090000Z
DTEND:20261120T100000Z
ORGANIZER;CN=J.:mailto:JANE@quillon.example
ATTENDEE;CN=\"[[Ideas]] Ann\":mailto:ann@example.org
ATTENDEE;PARTSTAT=DECLINED:mailto:late@example.org
ATTENDEE;CUTYPE=ROOM;CN=Room 1:mailto:room@example.org
END:VEVENT
END:VCALENDAR
";
    let nova = Nova::new(&format!("{PEOPLE}{ics}"), []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "skills": {"calendar": {"config": {"calendars": [{"name": "Team", "file": "Calendars/Team.ics"}]}}},
    }));
    let app = nova.start().await;
    let made = make(&app, "Team/sync@team", "run-1").await;
    assert!(made.ok, "{made:?}");
    let value = made.value.unwrap();
    assert_eq!(value["attendees"], json!(["Jane Doe"]));
    assert_eq!(value["no_contacts"], json!(["Ideas Ann <ann@example.org>"]));
    assert_eq!(value["logged"], json!(["Jane Doe"]));
    let note = nova.vault.read(value["path"].as_str().unwrap());
    assert!(note.contains("- \"[[Jane Doe]]\"\n"), "{note}");
    assert!(!note.contains("- \"[[Ideas"), "a stranger is not linked: {note}");
    assert!(nova.vault.read(JANE).contains("- 2026-11-20 Meeting: [[2026-11-20 Sync"));
}

#[tokio::test]
async fn private_contact_stays_unnamed_for_a_remote_model() {
    let private = "//- CRM/People/Samuel.md\n---\ntype: contact\nname: Samuel Quartz\naliases: [Odile]\nnova: private\n---\n";
    let made = [
        calls([("load_skill", json!({"skill": "calendar"})), ("load_skill", json!({"skill": "crm"}))]),
        calls([("calendar__document_event", json!({"event": "Events/Retro.md"}))]),
        text("Done."),
    ];
    let nova = Nova::new(&format!("{PEOPLE}{RETRO}{private}"), made);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": "ollama", "base_url": nova.model.address()}],
        "model": "near/run-elsewhere",
    }));
    let app = nova.start().await;
    nova.model.passes_on("run-elsewhere");
    app.agree_to_provider("near").await.unwrap();
    let before = nova.vault.read("CRM/People/Samuel.md");
    turn(&app, None, "Make the note of the event Retro", ScriptedApprover::always(Decision::Once)).await;
    let note = nova.vault.read("Meetings/2026-11-20 Retro.md");
    assert!(note.contains("\"[[Jane Doe]]\"") && note.contains("- Odile\n"), "{note}");
    assert_eq!(nova.vault.read("CRM/People/Samuel.md"), before);
    let sent: String = nova.model.requests().iter().map(ToString::to_string).collect();
    assert!(!sent.contains("Quartz"), "{sent}");
}
