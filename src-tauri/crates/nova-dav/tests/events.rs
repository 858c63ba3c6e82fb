//! Listing of events: zones, all-day events, exceptions, problems and limits.

use jiff::civil::date;
use jiff::tz::TimeZone;
use nova_dav::events::{Agenda, Bounds, Span};
use nova_dav::ical::Calendar;

/// Lists the events of November 2026 in Berlin as `start .. end: title`; `events` are the inner lines of
/// `VEVENT`s, separated by empty lines.
fn november(events: &str) -> Vec<String> {
    listed(&agenda(events), Bounds::default()).0
}

fn agenda(events: &str) -> Agenda {
    let inner: Vec<String> = events
        .trim()
        .split("\n\n")
        .map(|event| format!("BEGIN:VEVENT\n{}\nEND:VEVENT\n", event.trim().replace("\n    ", "\n")))
        .collect();
    Agenda::new(
        Calendar::parse(format!("BEGIN:VCALENDAR\n{}END:VCALENDAR\n", inner.concat()).as_bytes())
            .expect("a calendar"),
    )
}

fn listed(agenda: &Agenda, bounds: Bounds) -> (Vec<String>, bool) {
    let home = TimeZone::get("Europe/Berlin").expect("a zone");
    let at = |month| date(2026, month, 1).to_zoned(home.clone()).expect("midnight").timestamp();
    let listing = agenda.between(at(11), at(12), &home, bounds);
    let lines = listing.instances.iter().map(|instance| {
        let title = instance.event.text("SUMMARY").unwrap_or_default();
        match &instance.span {
            Span::Days { first, after } => format!("{first} .. {after}: {title}"),
            Span::Times { start, end } => format!("{start} .. {}: {title}", end.strftime("%F %H:%M")),
        }
    });
    (lines.collect(), !listing.cut.is_empty())
}

fn problems(events: &str) -> Vec<String> {
    agenda(events).problems().iter().map(|problem| format!("{}: {}", problem.uid, problem.reason)).collect()
}

#[test]
fn zones_are_resolved_by_name_and_dates_have_none() {
    let found = november(
        "UID:1
    SUMMARY:Call
    DTSTART;TZID=America/New_York:20261102T090000
    DTEND;TZID=America/New_York:20261102T093000

    UID:2
    SUMMARY:Holiday
    DTSTART;VALUE=DATE:20261103
    DTEND;VALUE=DATE:20261105

    UID:3
    SUMMARY:Wake up
    DTSTART:20261104T070000
    DURATION:PT10M

    UID:4
    SUMMARY:Windows
    DTSTART;TZID=W. Europe Standard Time:20261105T120000",
    );
    assert_eq!(
        found,
        [
            "2026-11-02T09:00:00-05:00[America/New_York] .. 2026-11-02 09:30: Call",
            "2026-11-03 .. 2026-11-05: Holiday",
            "2026-11-04T07:00:00+01:00[Europe/Berlin] .. 2026-11-04 07:10: Wake up",
            "2026-11-05T12:00:00+01:00[Europe/Berlin] .. 2026-11-05 12:00: Windows",
        ]
    );
}

#[test]
fn overrides_replace_and_exceptions_remove() {
    let found = november(
        "UID:1
    SUMMARY:Stand-up
    DTSTART;TZID=Europe/Berlin:20261026T090000
    DTEND;TZID=Europe/Berlin:20261026T091500
    RRULE:FREQ=WEEKLY
    EXDATE;TZID=Europe/Berlin:20261109T090000

    UID:1
    SUMMARY:Stand-up, late
    RECURRENCE-ID:20261116T080000Z
    DTSTART;TZID=Europe/Berlin:20261117T140000
    DTEND;TZID=Europe/Berlin:20261117T150000",
    );
    assert_eq!(
        found,
        [
            "2026-11-02T09:00:00+01:00[Europe/Berlin] .. 2026-11-02 09:15: Stand-up",
            "2026-11-17T14:00:00+01:00[Europe/Berlin] .. 2026-11-17 15:00: Stand-up, late",
            "2026-11-23T09:00:00+01:00[Europe/Berlin] .. 2026-11-23 09:15: Stand-up",
            "2026-11-30T09:00:00+01:00[Europe/Berlin] .. 2026-11-30 09:15: Stand-up",
        ]
    );
}

/// DST ends in Chicago on 1 November (RFC 5545, 3.8.5.3).
#[test]
fn end_with_zone_is_a_duration_and_floating_end_a_clock_time() {
    let found = november(
        "UID:1
    SUMMARY:Zoned
    DTSTART;TZID=America/Chicago:20261025T220000
    DTEND;TZID=America/Chicago:20261026T060000
    RRULE:FREQ=WEEKLY;BYDAY=SU,SA;COUNT=3

    UID:2
    SUMMARY:Clock
    DTSTART;TZID=America/Chicago:20261025T220000
    DTEND:20261026T060000
    RRULE:FREQ=WEEKLY;BYDAY=SU,SA;COUNT=3",
    );
    assert_eq!(
        found,
        [
            "2026-10-31T22:00:00-05:00[America/Chicago] .. 2026-11-01 05:00: Zoned",
            "2026-10-31T22:00:00-05:00[America/Chicago] .. 2026-11-01 06:00: Clock",
            "2026-11-01T22:00:00-06:00[America/Chicago] .. 2026-11-02 06:00: Zoned",
            "2026-11-01T22:00:00-06:00[America/Chicago] .. 2026-11-02 06:00: Clock",
        ]
    );
}

/// RFC 5545, 3.3.5 and 3.8.5.3: a start in a DST gap moves behind it, and the end with it.
#[test]
fn event_starting_in_a_dst_gap_keeps_its_length() {
    let agenda = agenda(
        "UID:1
    SUMMARY:Zoned
    DTSTART;TZID=Europe/Berlin:20260328T023000
    DTEND;TZID=Europe/Berlin:20260328T033000
    RRULE:FREQ=DAILY;COUNT=2

    UID:2
    SUMMARY:Floating
    DTSTART:20260328T023000
    DTEND:20260328T033000
    RRULE:FREQ=DAILY;COUNT=2",
    );
    let home = TimeZone::get("Europe/Berlin").expect("a zone");
    let at = |day| date(2026, 3, day).to_zoned(home.clone()).expect("midnight").timestamp();
    let listing = agenda.between(at(29), at(30), &home, Bounds::default());
    for instance in &listing.instances {
        let Span::Times { start, end } = &instance.span else { panic!("{instance:?}") };
        assert_eq!(start.strftime("%H:%M").to_string(), "03:30", "{instance:?}");
        assert_eq!(end.strftime("%H:%M").to_string(), "04:30", "{instance:?}");
    }
    assert_eq!(listing.instances.len(), 2);
}

#[test]
fn highest_sequence_wins() {
    let found = november(
        "UID:1
    SUMMARY:New
    SEQUENCE:2
    DTSTART:20261103T100000Z

    UID:1
    SUMMARY:Old
    SEQUENCE:1
    DTSTART:20261102T100000Z",
    );
    assert_eq!(found, ["2026-11-03T10:00:00+00:00[UTC] .. 2026-11-03 10:00: New"]);
}

#[test]
fn until_with_a_date_includes_that_day() {
    let found = november(
        "UID:1
    DTSTART;TZID=Europe/Berlin:20261101T180000
    RRULE:FREQ=DAILY;UNTIL=20261102",
    );
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn invalid_event_is_reported_and_hides_no_other() {
    let events = "UID:good
    DTSTART:20261103T100000Z

    UID:backwards
    DTSTART:20261103T100000Z
    DTEND:20261103T090000Z

    UID:zone
    DTSTART;TZID=Moon/Tranquility:20261103T100000

    UID:rule
    DTSTART:20261103T100000Z
    RRULE:FREQ=FORTNIGHTLY

    UID:none
    SUMMARY:No start

    UID:mixed
    DTSTART;VALUE=DATE:20261103
    DTEND:20261103T100000Z

    UID:skip
    DTSTART:20261103T100000Z
    RRULE:FREQ=MONTHLY;RSCALE=GREGORIAN;SKIP=BACKWARD";
    assert_eq!(november(events).len(), 1);
    assert_eq!(
        problems(events),
        [
            "backwards: it ends before it begins",
            "zone: unknown time zone \"Moon/Tranquility\"",
            "rule: the rule's FREQ=FORTNIGHTLY cannot be read",
            "none: it has no DTSTART",
            "mixed: one of its start and its end is a day and the other a time",
            "skip: the rule's SKIP=BACKWARD is not supported",
        ]
    );
}

#[test]
fn expansion_is_bounded() {
    let every_second = agenda("UID:1\n    DTSTART:19700101T000000Z\n    RRULE:FREQ=SECONDLY");
    let (found, cut) = listed(&every_second, Bounds { instances: 100, ..Bounds::default() });
    assert_eq!((found.len(), cut), (100, true));

    let counted = agenda("UID:1\n    DTSTART:19700101T000000Z\n    RRULE:FREQ=SECONDLY;COUNT=4294967295");
    let (found, cut) = listed(&counted, Bounds::default());
    assert_eq!((found.len(), cut), (0, true));

    let never = agenda("UID:1\n    DTSTART:19700101T000000Z\n    RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30");
    assert_eq!(listed(&never, Bounds { steps: 1_000, ..Bounds::default() }), (Vec::new(), false));
}

#[test]
fn busy_event_is_named_and_displaces_no_other() {
    let event = |uid: &str, year: i16, more: &str| {
        format!("UID:{uid}\nSUMMARY:{uid}\nDTSTART:{year}1101T080000Z\nDURATION:PT1M\n{more}\n\n")
    };
    let events = [
        event("every minute", 2026, "RRULE:FREQ=MINUTELY"),
        // Spends all steps of one event before its first instance of the month.
        event("counted", 1970, "RRULE:FREQ=SECONDLY;COUNT=4294967295"),
        event("daily", 2026, "RRULE:FREQ=DAILY"),
        event("once", 2026, "TRANSP:OPAQUE"),
    ];
    let agenda = agenda(&events.concat());
    let home = TimeZone::UTC;
    let at = |month| date(2026, month, 1).to_zoned(home.clone()).expect("midnight").timestamp();
    let bounds = Bounds { instances: 140, of_one: 100, steps: 2_000, steps_of_one: 1_000 };
    let listing = agenda.between(at(11), at(12), &home, bounds);
    let count = |uid: &str| listing.instances.iter().filter(|instance| instance.uid == uid).count();
    assert_eq!((count("every minute"), count("daily"), count("once")), (100, 30, 1));
    assert_eq!(listing.cut, ["every minute", "counted"]);
}

/// Outlook names every zone that a user composed like this.
#[test]
fn time_zone_is_that_of_its_own_calendar() {
    let file = |uid: &str, offset: &str| {
        format!(
            "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:Customized Time Zone\nBEGIN:STANDARD\nDTSTART:16010101T000000\n\
             TZOFFSETFROM:{offset}\nTZOFFSETTO:{offset}\nEND:STANDARD\nEND:VTIMEZONE\nBEGIN:VEVENT\nUID:{uid}\n\
             SUMMARY:{uid}\nDTSTART;TZID=Customized Time Zone:20261103T090000\nEND:VEVENT\nEND:VCALENDAR\n"
        )
    };
    let mut calendar = Calendar::default();
    for (uid, offset) in [("Berlin", "+0100"), ("Karachi", "+0500"), ("Tunis", "+0100")] {
        calendar.append(Calendar::parse(file(uid, offset).as_bytes()).expect("a calendar"));
    }
    assert_eq!(
        listed(&Agenda::new(calendar), Bounds::default()).0,
        [
            "2026-11-03T09:00:00+05:00[+05:00] .. 2026-11-03 09:00: Karachi",
            "2026-11-03T09:00:00+01:00[+01:00] .. 2026-11-03 09:00: Berlin",
            "2026-11-03T09:00:00+01:00[+01:00] .. 2026-11-03 09:00: Tunis",
        ]
    );
}

#[test]
fn zone_expansion_is_bounded_per_calendar() {
    let zone = |name: &str, rule: &str| {
        format!(
            "BEGIN:VTIMEZONE\nTZID:{name}\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\n\
             TZOFFSETTO:+0100\nRRULE:{rule}\nEND:STANDARD\nEND:VTIMEZONE\n"
        )
    };
    let every_second: Vec<String> =
        (0..1_000).map(|at| zone(&format!("Hostile {at}"), "FREQ=SECONDLY")).collect();
    let event =
        |zone: &str| format!("BEGIN:VEVENT\nUID:{zone}\nDTSTART;TZID={zone}:20261103T100000\nEND:VEVENT\n");
    let text = [
        "BEGIN:VCALENDAR\n",
        &zone("Own", "FREQ=YEARLY"),
        &every_second.concat(),
        &event("Own"),
        &event("Hostile 999"),
        "END:VCALENDAR\n",
    ]
    .concat();
    let agenda = Agenda::new(Calendar::parse(text.as_bytes()).expect("a calendar"));
    assert_eq!(listed(&agenda, Bounds::default()).0.len(), 1);
    let reasons: Vec<&str> = agenda.problems().iter().map(|problem| problem.reason.as_str()).collect();
    assert_eq!(reasons, ["unknown time zone \"Hostile 999\""]);
}

#[test]
fn extreme_dates_do_not_panic() {
    let found = november(
        "UID:1
    DTSTART;VALUE=DATE:00010101
    DURATION:P999999999D
    RRULE:FREQ=YEARLY;INTERVAL=1000000

    UID:2
    DTSTART:99991231T235959Z
    DURATION:P9999W
    RRULE:FREQ=WEEKLY;COUNT=3

    UID:3
    DTSTART;TZID=Europe/Berlin:00000101T000000
    RRULE:FREQ=DAILY;INTERVAL=1000000",
    );
    assert_eq!(found.len(), 1, "{found:?}");
}
