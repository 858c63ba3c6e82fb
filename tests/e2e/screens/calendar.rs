//! The calendar beside the chat, with notes and a team's calendar file, on the current day.

use fantoccini::key::Key;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde_json::json;

use crate::harness::{Home, Theme, Window};
use crate::{SIZES, take, take_in};

pub(crate) async fn calendar(name: &str, theme: Theme) {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    let (today, last) = (now.date().to_string(), now.date().saturating_add(2.days()).to_string());
    // Events near the current hour, so that all of them are in the picture.
    let hour = now.hour().clamp(3, 18);
    let at = |from: i8, minute: i8| format!("{:02}:{minute:02}", hour + from);
    let event = |title: &str, start: String, end: String, more: &str| {
        format!(
            "---\ntype: event\ntitle: {title}\ndate: {today}\nstartTime: \"{start}\"\nendTime: \"{end}\"\n{more}---\n"
        )
    };
    let mut home = Home::new().theme(theme).vault_named("Work");
    for (title, start, end, more) in [
        ("Brightwater line 2", at(-2, 0), at(-1, 30), "location: Room 2\n"),
        ("Interview", at(-2, 30), at(-1, 30), ""),
        (
            "Quillon renewal terms",
            at(0, 0),
            at(1, 0),
            "location: meet.example.org/quillon\nattendees: [\"[[Jane Doe]]\", P. Ambrose]\n",
        ),
        ("Lunch with Ravi Penhale", at(1, 15), at(2, 15), "location: Tessel Robotics\n"),
        ("Fernhill revised quote", at(2, 30), at(3, 30), ""),
        ("Pick up Leo", at(4, 15), at(5, 0), ""),
    ] {
        home = home.note(&format!("Events/{title}.md"), &event(title, start, end, more));
    }
    let vault = home.vault();
    let home = home
        .note("Events/Quarter close.md", &format!("---\ntype: event\ntitle: Quarter close\nallDay: true\ndate: {today}\nendDate: {last}\n---\n"))
        .note("CRM/People/Jane Doe.md", "---\ntype: contact\n---\n")
        .note("Calendars/team.ics", &team(&today, hour))
        .settings(&json!({"vault": vault, "skills": {"calendar": {"config": {"calendars": [{"name": "Team", "file": "Calendars/team.ics"}]}}}}));
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], '2').await;
    window.wait_for("[data-event-id='Events/Quillon renewal terms.md']").await;
    window.click("[data-event-id='Events/Quillon renewal terms.md']").await;
    window.wait_for_text("[data-testid=event-sheet]", "Jane Doe").await;
    take(&window, "calendar", name).await;
    window.resize(1440, 900).await;
    for (view, radio) in [("week", 2), ("month", 3)] {
        window.click(&format!("[aria-label=View] button:nth-child({radio})")).await;
        take_in(&window, &format!("calendar-{view}"), name, SIZES[0]).await;
    }
    window.close().await;
}

fn team(today: &str, hour: i8) -> String {
    let day = today.replace('-', "");
    let event = |uid: &str, title: &str, from: i8, to: i8| {
        format!(
            "BEGIN:VEVENT\r\nUID:{uid}@team\r\nSUMMARY:{title}\r\nDTSTART:{day}T{:02}3000Z\r\nDTEND:{day}T{:02}1500Z\r\nEND:VEVENT\r\n",
            hour + from,
            hour + to
        )
    };
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}{}END:VCALENDAR\r\n",
        event("a", "Team stand-up", -1, 0),
        event("b", "Design review", -2, 0)
    )
}
