//! Two machines with one synced vault and one account of a calendar server.

use std::sync::Arc;

use nova_app::{App, CancellationToken, ChangeSetKind, ToolRun};
use nova_protocol::{Commands as _, Decision, Reminders, ToolResult};
use nova_testkit::{FixedCredentials, PATIENCE, Radicale, ScriptedApprover};
use serde_json::{Value, json};

use super::being_reminded::Told;
use super::nova::Nova;

/// Now is 21 November 2026, 9:00.
const RETRO: &str = "SUMMARY:Retro\nDTSTART:20261121T160000Z\nDTEND:20261121T170000Z\nLOCATION:Room 1";

struct Machine {
    nova: Nova,
    app: App,
    told: Arc<Told>,
}

impl Machine {
    /// With settings, data and a clock of its own.
    async fn over(vault: Option<&Machine>, notes: &str, server: &Radicale) -> Self {
        let told = Arc::new(Told::default());
        let mut nova = Nova::new(notes, []);
        nova.desktop = told.clone();
        nova.credentials = FixedCredentials::default().with("calendar/mine", Radicale::PASSWORD);
        let mut settings = nova.read_settings();
        if let Some(first) = vault {
            settings["vault"] = json!(first.nova.vault.root());
        }
        settings["skills"]["calendar"]["config"]["calendars"] = json!([{
            "name": "Mine", "caldav": server.address(), "user": "noor", "password": "${credentials:calendar/mine}",
        }]);
        nova.settings(&settings);
        let app = nova.start().await;
        Self { nova, app, told }
    }

    async fn run(&self, tool: &str, args: Value) -> ToolResult {
        let run = ToolRun {
            run: "test".into(),
            tool: format!("calendar.{tool}"),
            args,
            kind: ChangeSetKind::Form,
            approver: Arc::new(ScriptedApprover::always(Decision::Once)),
            by_hand: true,
            cancel: CancellationToken::new(),
        };
        self.app.run_tool(run).await
    }

    async fn call(&self, tool: &str, args: Value) -> Value {
        let result = self.run(tool, args).await;
        assert!(result.ok, "{result:?}");
        result.value.unwrap()
    }

    async fn error(&self, tool: &str, args: Value) -> String {
        self.run(tool, args).await.error.expect("an error").message
    }

    /// Start, title and place of each event of the day.
    async fn listed(&self) -> Vec<String> {
        let answer = self.call("list_events", json!({"days": 1})).await;
        assert_eq!(answer["problems"], Value::Null);
        let text = |event: &Value, key: &str| event[key].as_str().unwrap_or_default().to_owned();
        let row = |event: &Value| {
            format!("{} {} {}", &text(event, "start")[11..], text(event, "title"), text(event, "location"))
        };
        answer["events"].as_array().unwrap().iter().map(|event| row(event).trim().to_owned()).collect()
    }

    async fn fetched(&self) -> Vec<String> {
        let answer = self.call("refresh_calendars", json!({})).await;
        assert_eq!(answer["calendars"][0]["problem"], Value::Null);
        self.listed().await
    }

    /// Waits until notes of the other machine have arrived.
    async fn until_listed(&self, expected: &[&str]) {
        let arrived = async {
            while self.listed().await != expected {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, arrived).await.expect("the notes of the other machine");
    }
}

async fn two_machines(notes: &str) -> (Radicale, Machine, Machine) {
    let server = Radicale::start();
    server.make_calendar("work", "Work");
    server.put("retro", RETRO);
    let first = Machine::over(None, notes, &server).await;
    let second = Machine::over(Some(&first), "", &server).await;
    assert_eq!(first.fetched().await, ["16:00 Retro Room 1"]);
    assert_eq!(second.fetched().await, ["16:00 Retro Room 1"]);
    (server, first, second)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_event_is_listed_once_on_both() {
    let (_server, first, second) = two_machines("").await;
    let new = |title: &str, start: &str| json!({"title": title, "start": start, "calendar": "Mine/Work"});
    // At once, and one of them again after it was fetched.
    tokio::join!(
        first.call("create_event", new("Dentist", "2026-11-21T10:00")),
        second.call("create_event", new("Lunch", "2026-11-21T12:00")),
    );
    let all = ["10:00 Dentist", "12:00 Lunch", "16:00 Retro Room 1"];
    for machine in [&first, &second, &first] {
        assert_eq!(machine.fetched().await, all);
    }
    let note = json!({"title": "Swim", "start": "2026-11-21T18:00"});
    first.call("create_event", note).await;
    let all = ["10:00 Dentist", "12:00 Lunch", "16:00 Retro Room 1", "18:00 Swim"];
    second.until_listed(&all).await;
    assert_eq!(first.fetched().await, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn change_of_one_machine_is_not_overwritten_by_the_other() {
    let (server, first, second) = two_machines("").await;
    let retro = |change: Value| {
        let mut args = json!({"event": "Mine/Work/retro"});
        args.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        args
    };
    first.call("update_event", retro(json!({"start": "2026-11-21T15:00"}))).await;
    let conflict = second.error("update_event", retro(json!({"location": "Room 2"}))).await;
    assert!(
        conflict.ends_with(
            "Before: Retro (2026-11-21 16:00, Room 1). Yours: Retro (2026-11-21 16:00, Room 2). \
             Theirs: Retro (2026-11-21 15:00, Room 1)."
        ),
        "{conflict}"
    );
    assert!(server.get("retro").contains("LOCATION:Room 1"));
    // The user chose: both changes hold.
    second.call("update_event", retro(json!({"location": "Room 2"}))).await;
    assert_eq!(first.fetched().await, ["15:00 Retro Room 2"]);

    second.call("delete_event", retro(json!({}))).await;
    let conflict = first.error("update_event", retro(json!({"title": "Review"}))).await;
    assert!(conflict.ends_with("Theirs: deleted."), "{conflict}");
    for machine in [&first, &second] {
        assert!(machine.fetched().await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reminder_is_not_repeated_after_the_other_machine_wrote_the_note() {
    let swim =
        "//- Events/Swim.md\n---\ntype: event\ntitle: Swim\ndate: 2026-11-21\nstartTime: \"09:15\"\n---\n";
    let server = Radicale::start();
    server.make_calendar("work", "Work");
    let first = Machine::over(None, swim, &server).await;
    let second = Machine::over(Some(&first), "", &server).await;
    assert_eq!(second.fetched().await, ["09:15 Swim"]);
    second.app.set_reminders(Reminders { events: Some(10), morning: None }).await.unwrap();
    let since = "2026-11-21T09:00:00Z".parse().unwrap();
    second.nova.clock.advance(5 * 60);
    let since = second.app.remind_since(since).await;
    assert_eq!(second.told.0.lock().unwrap().len(), 1);

    first.call("update_event", json!({"event": "Events/Swim.md", "location": "Pool"})).await;
    second.until_listed(&["09:15 Swim Pool"]).await;
    second.nova.clock.advance(60);
    second.app.remind_since(since).await;
    let told = second.told.0.lock().unwrap().clone();
    assert_eq!(told.len(), 1, "{told:?}");
}
