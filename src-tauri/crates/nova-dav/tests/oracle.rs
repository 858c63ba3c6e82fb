//! Instances of 2,000 generated events, equal to those of an independent library.
//! `.ci/oracles/recurrence.py` writes the fixture and describes its lines.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use nova_dav::events::{Agenda, Bounds, Span};
use nova_dav::ical::Calendar;

const FIXTURE: &str = include_str!("oracle/recurrence.txt");

const HEADQUARTERS: &str = "\
BEGIN:VTIMEZONE
TZID:Headquarters
BEGIN:DAYLIGHT
DTSTART:19900325T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:19901028T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
END:VTIMEZONE
";

#[test]
fn instances_equal_those_of_an_independent_library() {
    let lines: Vec<&str> = FIXTURE.lines().collect();
    assert_eq!(lines.len(), 4_000, "two lines for each of 2,000 events");
    let mut wrong = Vec::new();
    for (number, pair) in lines.chunks(2).enumerate() {
        let (event, expected) = (pair[0], expected(pair[1]));
        let actual = instances(event);
        if actual != expected {
            let differ = actual
                .iter()
                .zip(&expected)
                .position(|(a, b)| a != b)
                .unwrap_or(actual.len().min(expected.len()));
            wrong.push(format!(
                "event {number}: {event}\n  from instance {differ}: {:?}\n  expected {:?}",
                &actual[differ..actual.len().min(differ + 3)],
                &expected[differ..expected.len().min(differ + 3)],
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of 2,000 differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n")
    );
}

/// Pairs of start and duration, in seconds.
fn instances(line: &str) -> Vec<(i64, i64)> {
    let mut parts = line.split('\t');
    let (from, to) = parts.next().and_then(|window| window.split_once(' ')).expect("a window");
    let mut text = format!("BEGIN:VCALENDAR\n{HEADQUARTERS}BEGIN:VEVENT\nUID:1\n");
    for part in parts {
        match part {
            "&" => text.push_str("END:VEVENT\nBEGIN:VEVENT\nUID:1\n"),
            property => text.extend([property, "\n"]),
        }
    }
    text.push_str("END:VEVENT\nEND:VCALENDAR\n");
    let agenda = Agenda::new(Calendar::parse(text.as_bytes()).expect("a calendar"));
    assert!(agenda.problems().is_empty(), "{:?}: {line}", agenda.problems());
    let second = |text: &str| Timestamp::from_second(text.parse().expect("seconds")).expect("an instant");
    let listing = agenda.between(second(from), second(to), &TimeZone::UTC, Bounds::default());
    assert!(listing.cut.is_empty(), "{line}");
    let mut found: Vec<(i64, i64)> = listing
        .instances
        .iter()
        .map(|instance| match &instance.span {
            Span::Days { first, after } => (day(*first), day(*after) - day(*first)),
            Span::Times { start, end } => {
                let start = start.timestamp().as_second();
                (start, end.timestamp().as_second() - start)
            }
        })
        .collect();
    found.sort_unstable();
    // An override may coincide with another instance; the fixture has one line for both.
    found.dedup_by_key(|(start, _)| *start);
    found
}

fn day(date: Date) -> i64 {
    TimeZone::UTC.to_timestamp(date.to_datetime(Time::midnight())).expect("an instant").as_second()
}

fn expected(line: &str) -> Vec<(i64, i64)> {
    let (mut start, mut length) = (0, 0);
    let mut found = Vec::new();
    for token in line.split(' ').filter(|token| !token.is_empty()) {
        let (step, mark) = token.split_once('/').map_or((token, None), |(step, mark)| (step, Some(mark)));
        let (step, times) = step.split_once('*').unwrap_or((step, "1"));
        if let Some(mark) = mark {
            length = mark.parse().expect("seconds");
        }
        for _ in 0..times.parse().expect("a number") {
            start += step.parse::<i64>().expect("seconds");
            found.push((start, length));
        }
    }
    found
}
