use std::sync::atomic::{AtomicUsize, Ordering};

use nova_skill::{Value, json};
use nova_testkit::{Reply, SkillInVault};

use crate::calendar;

const EVENTS: &str = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Retro\r\nDTSTART:20261124T160000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// A skill with the calendar Team at an address whose server gives these answers in turn, the last one again and again.
fn team(replies: &[fn() -> Reply]) -> SkillInVault {
    let replies = replies.to_vec();
    let asked = AtomicUsize::new(0);
    calendar("")
        .with_config(json!({"calendars": [{"name": "Team", "address": "webcal://team.example/private-key/basic.ics"}]}))
        .with_web(&["team.example"], move |_| {
            let at = asked.fetch_add(1, Ordering::SeqCst).min(replies.len() - 1);
            replies[at]()
        })
}

fn calendar_file() -> Reply {
    Reply::with(200, &[("content-type", "text/calendar"), ("etag", "\"one\"")], EVENTS)
}

fn refreshed(skill: &SkillInVault) -> Value {
    skill.value("refresh_calendars", json!({}))["calendars"][0].clone()
}

#[test]
fn an_address_is_fetched_once_and_listed_with_its_age() {
    let skill = team(&[calendar_file]);
    let before = skill.value("list_events", json!({}));
    assert_eq!(
        before["problems"],
        json!([{"calendar": "Team", "problem": "Team was not fetched yet.", "remedy": "Call calendar.refresh_calendars."}])
    );
    assert_eq!(
        refreshed(&skill),
        json!({"calendar": "Team", "fetched": "2026-11-21T09:00:00Z", "changed": true})
    );
    let after = skill.value("list_events", json!({}));
    assert_eq!(after["events"][0]["title"], "Retro");
    assert_eq!(after["fetched"], json!({"Team": "2026-11-21T09:00:00Z"}));
    assert_eq!(skill.requests().len(), 1, "a listing reaches no network");
}

#[test]
fn an_unchanged_calendar_is_not_sent_again() {
    let skill = team(&[calendar_file, || Reply::with(304, &[], "")]);
    refreshed(&skill);
    assert_eq!(refreshed(&skill)["changed"], false);
    assert_eq!(skill.requests()[1].headers["if-none-match"], "\"one\"");
    assert_eq!(skill.value("list_events", json!({}))["count"], 1);
}

#[test]
fn a_failed_fetch_keeps_what_was_there() {
    type Failure = (fn() -> Reply, &'static str);
    let failures: [Failure; 4] = [
        (
            || Reply::text("<html>Sign in</html>"),
            "Team cannot be read: it is no iCalendar file: it begins with \"<html>Sign in</html>\" and not with BEGIN:VCALENDAR.",
        ),
        (
            || Reply::text("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"),
            "Team cannot be read: line 2: BEGIN:VEVENT is never ended; the file is cut off.",
        ),
        (|| Reply::with(403, &[], ""), "Team refuses access (status 403)."),
        (|| Reply::with(404, &[], ""), "Team was not found there (status 404)."),
    ];
    for (failure, reason) in failures {
        let skill = team(&[calendar_file, failure]);
        refreshed(&skill);
        let row = refreshed(&skill);
        assert_eq!(
            (row["problem"].as_str(), row["fetched"].as_str()),
            (Some(reason), Some("2026-11-21T09:00:00Z"))
        );
        assert!(!row.to_string().contains("private-key"), "the address may be a secret: {row}");
        assert_eq!(skill.value("list_events", json!({}))["count"], 1);
    }
}
