//! The calendar beside the chat: a day is opened, an event is moved by mouse and by keys, another is added.

use fantoccini::key::Key;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use crate::harness::{Home, Window};

const DENTIST: &str = "Events/Dentist.md";

/// Both on the same day.
fn note(title: &str, date: &str, start: &str, end: &str) -> String {
    format!(
        "---\ntype: event\ntitle: {title}\ndate: {date}\nstartTime: \"{start}\"\nendTime: \"{end}\"\n---\n"
    )
}

#[tokio::test]
async fn event_is_moved_by_mouse_and_by_keys_and_another_is_added() {
    // The window runs in UTC.
    let tomorrow = Timestamp::now().to_zoned(TimeZone::UTC).date().saturating_add(1.day()).to_string();
    let before = note("Dentist", &tomorrow, "09:30", "10:30");
    let home = Home::new()
        .note(DENTIST, &before)
        .note("Events/Lunch.md", &note("Lunch", &tomorrow, "12:00", "13:00"));
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], '2').await;
    window.wait_for("[data-testid=skill-panel][data-skill=calendar]").await;
    window.click("[aria-label='Next day']").await;

    let event = |path: &str| format!("[data-event-id='{path}']");
    window.wait_for(&event(DENTIST)).await;
    window.drag(&event(DENTIST), &event("Events/Lunch.md")).await;
    window.wait_for_text("[data-testid=undo-bar]", "Moved Dentist to 12:00").await;
    let moved = home.read_note(DENTIST);
    assert!(moved.contains("12:00") && moved.contains("13:00") && moved.contains(&tomorrow), "{moved}");
    window.click("[data-testid=undo-call]").await;
    window.wait_for_text("[data-testid=undo-bar]", "undone").await;
    assert_eq!(home.read_note(DENTIST), before);

    // By keyboard: pick up, move a quarter of an hour later, drop.
    window.wait_for_text(&event(DENTIST), "09:30–10:30").await;
    window.ask(&format!("document.querySelector(\"{}\").focus();", event(DENTIST))).await;
    for key in [char::from(Key::Space), char::from(Key::Down), char::from(Key::Space)] {
        window.press(&[], key).await;
    }
    window.wait_for_text(&event(DENTIST), "09:45–10:45").await;
    window.wait_for_text("[data-testid=skill-panel]", "Moved Dentist to 09:45").await;
    assert!(home.read_note(DENTIST).contains("09:45"));

    window.ask(&format!("document.querySelector(\"{}\").focus();", event(DENTIST))).await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[data-testid=event-sheet]", "tomorrow, 09:45–10:45").await;

    window.press(&[], 'n').await;
    window.wait_for_focus("[data-testid=new-event] input").await;
    window.type_into("[data-testid=new-event] input", "Lunch with Ravi").await;
    window.press(&[], Key::Enter).await;
    window.wait_gone("[data-testid=new-event]").await;
    let path = format!("Events/{tomorrow} Lunch with Ravi.md");
    window.wait_for(&event(&path)).await;
    assert!(home.read_note(&path).contains("09:00"));

    // An outside edit appears by itself.
    let home = home.note(DENTIST, &note("Dentist", &tomorrow, "15:00", "16:00"));
    window.wait_for_text(&event(DENTIST), "15:00–16:00").await;
    drop(home);
    window.close().await;
}
