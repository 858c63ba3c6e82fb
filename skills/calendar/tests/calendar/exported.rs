//! Calendars exported by other programs.

use nova_skill::json;

use crate::listing::{lines, with_file};

/// The events of the week from 21 November 2026, all of them readable.
#[track_caller]
fn lists(file: &str, expected: &[&str]) {
    let answer = with_file("", file).value("list_events", json!({}));
    assert_eq!(lines(&answer), expected);
    assert_eq!(answer["problems"], nova_skill::Value::Null);
}

#[test]
fn a_calendar_of_google() {
    lists(
        include_str!("exported/google.ics"),
        &[
            "2026-11-23T08:00 .. 2026-11-23T08:15 Stand-up",
            "2026-11-24 .. 2026-11-25 Trade fair",
            "2026-11-25T10:00 .. 2026-11-25T10:30 Stand-up, late",
            "2026-11-26T17:00 .. 2026-11-26T18:00 Call",
        ],
    );
}

#[test]
fn a_calendar_of_apple() {
    lists(
        include_str!("exported/apple.ics"),
        &["2026-11-23T08:30 .. 2026-11-23T09:15 Dentist", "2026-11-24T18:00 .. 2026-11-24T20:00 Choir"],
    );
}

/// Zones have Windows names, or names that only the file defines, and begin in 1601.
#[test]
fn a_calendar_of_outlook() {
    lists(
        include_str!("exported/outlook.ics"),
        &[
            "2026-11-24T15:00 .. 2026-11-24T15:30 Numbers",
            "2026-11-25T14:00 .. 2026-11-25T15:00 New York",
            "2026-11-27 .. 2026-11-27 Day off",
        ],
    );
}

#[test]
fn a_calendar_of_nextcloud() {
    lists(
        include_str!("exported/nextcloud.ics"),
        &[
            "2026-11-21T22:00 .. 2026-11-22T01:00 Night walk 🌙",
            "2026-11-26T19:00 .. 2026-11-26T20:30 Rehearsal",
        ],
    );
}
