//! Desktop notifications before events, and for the day in the morning.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jiff::Timestamp;
use nova_app::{App, Desktop};
use nova_protocol::{Commands as _, ErrorCode, Nothing, Reminders, RequestedPage};
use serde_json::json;

use super::nova::Nova;

/// Now is 21 November 2026, 9:00.
const EVENTS: &str = "
//- Events/Dentist.md
---
type: event
title: Dentist
date: 2026-11-21
startTime: \"09:15\"
endTime: \"10:00\"
location: Elm Street 4
---
//- Events/Train.md
---
type: event
title: Night train
date: 2026-11-22
startTime: \"00:05\"
endTime: \"08:00\"
---
//- Events/Fair.md
---
type: event
title: Fair
date: 2026-11-21
allDay: true
---
//- House.md
- [ ] Pay the rent 📅 2026-11-17
- [ ] Sweep the stairs 📅 2026-11-21
";

/// A desktop that records its notifications.
#[derive(Default)]
pub(crate) struct Told(pub(crate) Mutex<Vec<String>>);

#[async_trait]
impl Desktop for Told {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn open_url(&self, _: &str) -> Result<(), String> {
        Err("no browser".into())
    }

    fn show_file(&self, _: &Path) -> Result<(), String> {
        Err("no file manager".into())
    }

    fn notify(&self, title: &str, text: &str, page: RequestedPage) {
        assert_eq!(page, RequestedPage::Today {});
        self.0.lock().unwrap().push(format!("{title}: {text}"));
    }
}

struct Day {
    nova: Nova,
    app: App,
    told: Arc<Told>,
    since: Timestamp,
}

impl Day {
    async fn with(notes: &str, events: Option<u16>, morning: Option<&str>) -> Self {
        let told = Arc::new(Told::default());
        let mut nova = Nova::new(notes, []);
        nova.desktop = told.clone();
        let app = nova.start().await;
        let reminders = Reminders { events, morning: morning.map(str::to_owned) };
        app.set_reminders(reminders).await.unwrap();
        let since = "2026-11-21T09:00:00Z".parse().unwrap();
        Self { nova, app, told, since }
    }

    /// The notifications after this many minutes.
    async fn after(&mut self, minutes: i64) -> Vec<String> {
        self.nova.clock.advance(minutes * 60);
        self.since = self.app.remind_since(self.since).await;
        std::mem::take(&mut self.told.0.lock().unwrap())
    }
}

#[tokio::test]
async fn event_is_announced_once_the_set_minutes_before_it() {
    let mut day = Day::with(EVENTS, Some(10), None).await;
    assert!(day.after(4).await.is_empty(), "11 minutes before");
    assert_eq!(day.after(1).await, ["Dentist: 09:15 to 10:00, Elm Street 4"]);
    assert!(day.after(1).await.is_empty(), "already reminded");
    // 23:54 and 23:55.
    assert!(day.after(888).await.is_empty(), "the next day begins in six minutes");
    assert_eq!(day.after(1).await, ["Night train: 00:05 to 08:00"]);
}

#[tokio::test]
async fn event_that_began_while_the_machine_slept_is_skipped() {
    let mut day = Day::with(EVENTS, Some(10), None).await;
    assert_eq!(day.after(19).await, ["Dentist: 09:15 to 10:00, Elm Street 4"], "it began four minutes ago");
    let mut day = Day::with(EVENTS, Some(10), None).await;
    assert!(day.after(20).await.is_empty(), "it began five minutes ago");
}

#[tokio::test]
async fn many_events_at_one_time_share_few_notifications() {
    let event = |at| {
        format!(
            "//- Events/{at}.md\n---\ntype: event\ntitle: Talk {at}\ndate: 2026-11-21\nstartTime: \"09:15\"\n---\n"
        )
    };
    let notes: String = (0..40).map(event).collect();
    let told = Day::with(&notes, Some(10), None).await.after(5).await;
    assert_eq!(told.len(), 6, "{told:?}");
    assert_eq!(told[5], "35 more events begin: ");
}

#[tokio::test]
async fn morning_summary_appears_once() {
    let mut day = Day::with(EVENTS, None, Some("09:30")).await;
    assert!(day.after(29).await.is_empty());
    assert_eq!(day.after(1).await, ["Today: Events: 2\nTasks: 2 (1 overdue)"]);
    assert!(day.after(60).await.is_empty());
    // After a later start, the window shows the day.
    assert!(Day::with(EVENTS, None, Some("08:30")).await.after(10).await.is_empty());
    assert!(Day::with("//- Plan.md\nLisbon.\n", None, Some("09:30")).await.after(40).await.is_empty());
}

#[tokio::test]
async fn notifications_are_off_by_default() {
    let mut day = Day::with(EVENTS, None, None).await;
    assert!(day.after(5).await.is_empty());
    assert_eq!(day.app.app_status(Nothing {}).await.unwrap().reminders, Reminders::default());
}

#[tokio::test]
async fn unreadable_event_is_announced_once_readable() {
    let day = Day::with(EVENTS, Some(10), None).await;
    let vault = day.nova.vault.root().to_owned();
    std::fs::rename(&vault, day.nova.home().join("away")).unwrap();
    let app = day.nova.start().await;
    day.nova.clock.advance(6 * 60);
    assert_eq!(app.remind_since(day.since).await, day.since, "no reminder was sent or skipped");
    assert!(day.told.0.lock().unwrap().is_empty());
    std::fs::rename(day.nova.home().join("away"), &vault).unwrap();
    let app = day.nova.start().await;
    assert_eq!(app.remind_since(day.since).await.to_string(), "2026-11-21T09:06:00Z");
    assert_eq!(*day.told.0.lock().unwrap(), ["Dentist: 09:15 to 10:00, Elm Street 4"]);
}

#[tokio::test]
async fn invalid_time_is_refused_and_changes_nothing() {
    let day = Day::with(EVENTS, Some(10), Some("08:00")).await;
    let before = day.nova.read_settings();
    for wrong in [
        Reminders { events: Some(9999), morning: None },
        Reminders { events: None, morning: Some("8 o'clock".into()) },
    ] {
        let error = day.app.set_reminders(wrong).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::ConfigBroken, "{error}");
    }
    assert_eq!(day.nova.read_settings(), before);
    assert_eq!(before["reminders"], json!({"events": 10, "morning": "08:00"}));
}
