use std::sync::atomic::{AtomicUsize, Ordering};

use nova_skill::{Value, json};
use nova_testkit::{Reply, SkillInVault};

use crate::calendar;

const EVENTS: &str = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Retro\r\nDTSTART:20261124T160000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// A skill with the calendar Team at an address whose server gives these answers in turn, repeating the last one.
fn team(replies: &[fn() -> Reply]) -> SkillInVault {
    let replies = replies.to_vec();
    let asked = AtomicUsize::new(0);
    let skill = calendar("").with_web(&[], move |_| {
        let at = asked.fetch_add(1, Ordering::SeqCst).min(replies.len() - 1);
        replies[at]()
    });
    let address = format!("{}/private-key/basic.ics", skill.web_address());
    skill.with_config(json!({"calendars": [{"name": "Team", "address": address}]}))
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
        json!([{"calendar": "Team", "problem": "Team has not been fetched yet.", "remedy": "Call calendar.refresh_calendars."}])
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
fn failing_calendar_does_not_stop_others() {
    let skill = calendar("").with_web(&[], |request| match request.path.as_str() {
        "/gone.ics" => Reply::with(410, &[], ""),
        _ => calendar_file(),
    });
    let address = skill.web_address();
    let skill = skill.with_config(json!({"calendars": [
        {"name": "Gone", "address": format!("{address}/gone.ics")},
        {"name": "Team", "address": format!("{address}/team.ics")},
    ]}));
    let rows = skill.value("refresh_calendars", json!({}))["calendars"].clone();
    assert_eq!(rows[0]["problem"], "Gone was not found there (status 410).");
    assert_eq!(rows[1]["changed"], true);
    assert_eq!(skill.value("list_events", json!({}))["count"], 1);
}

#[test]
fn without_an_address_there_is_nothing_to_fetch() {
    let error = calendar("").error("refresh_calendars", json!({}));
    assert_eq!(error.message, "No calendar has an address. Add one in Settings, Skills, Calendar.");
}

/// `webcal` means https, and the test's server has no certificate.
#[test]
fn a_webcal_address_is_fetched_encrypted() {
    let skill = calendar("")
        .with_web(&["team.example"], |_| calendar_file())
        .with_config(json!({"calendars": [{"name": "Team", "address": "webcal://team.example/basic.ics"}]}));
    skill.skip_waiting();
    assert_eq!(refreshed(&skill)["fetched"], Value::Null);
    assert_eq!(skill.requests(), [], "nothing is sent in plain text");
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
fn failed_fetch_keeps_the_stored_events() {
    type Failure = (fn() -> Reply, &'static str);
    let failures: [Failure; 11] = [
        (
            || Reply::text("<html>Sign in</html>"),
            "Team cannot be read: it is not an iCalendar file: it begins with \"<html>Sign in</html>\" and not with BEGIN:VCALENDAR.",
        ),
        (
            || Reply::text("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"),
            "Team cannot be read: line 2: BEGIN:VEVENT is never closed; the file is truncated.",
        ),
        (|| Reply::with(403, &[], ""), "Team refuses access (status 403)."),
        (|| Reply::with(404, &[], ""), "Team was not found there (status 404)."),
        (
            || Reply::to(302, "https://elsewhere.example/"),
            "HOST redirected: to /, which is not the configured address.",
        ),
        // Closes mid-response.
        (
            || Reply::Bytes(b"HTTP/1.1 200 X\r\ncontent-length: 900\r\n\r\nBEGIN:VCALENDAR\r\n".to_vec()),
            "HOST sent an invalid response: end of file before message length reached.",
        ),
        (|| Reply::with(503, &[], ""), "The server of Team answers with status 503."),
        (
            || Reply::text(&format!("BEGIN:VCALENDAR\r\nX-A:{}\r\nEND:VCALENDAR\r\n", "x".repeat(7 << 20))),
            "Team has 7340070 bytes, more than the 6 MiB that are stored.",
        ),
        // 100 MB and more.
        (
            || Reply::Endless(b"HTTP/1.1 200 X\r\n\r\nBEGIN:VCALENDAR\r\n".to_vec(), vec![b'x'; 65_536]),
            "HOST sent more than 10485760 bytes of content.",
        ),
        // Too slow.
        (
            || Reply::Stall(b"HTTP/1.1 200 X\r\n\r\nBEGIN:VCALENDAR\r\n".to_vec()),
            "HOST did not answer in 15 s.",
        ),
        (|| Reply::Stall(Vec::new()), "HOST did not answer in 15 s."),
    ];
    for (failure, reason) in failures {
        let skill = team(&[calendar_file, failure]);
        refreshed(&skill);
        skill.skip_waiting();
        let row = refreshed(&skill);
        // The test's server has another port each time.
        let host = skill.web_address().replace("http://", "");
        let reason = reason.replace("HOST", &host);
        assert_eq!(
            (row["problem"].as_str(), row["fetched"].as_str()),
            (Some(reason.as_str()), Some("2026-11-21T09:00:00Z"))
        );
        assert!(!row.to_string().contains("private-key"), "the address may be a secret: {row}");
        assert_eq!(skill.value("list_events", json!({}))["count"], 1);
    }
}
