//! Parsing and printing of iCalendar, and what is rejected.

use nova_dav::ical::{Calendar, Component, IcalError, Length, Limits, Moment, Property, unescape};

const EXPORTED: &str = "BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//Example//EN\r
X-WR-CALNAME:Team\r
BEGIN:VEVENT\r
UID:1@example\r
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE=\"Hall, 2nd; floor\":geo:52.5\r
 ,13.4\r
summary:Stand-\r
 up\\, daily\r
ATTENDEE;CN=\"Doe: Jane\";PARTSTAT=ACCEPTED;X-UNKNOWN=a,\"b,c\":mailto:jane@example\r
X-Empty:\r
this line has no colon\r
BEGIN:VALARM\r
TRIGGER:-PT15M\r
X-VENDOR;A=1:kept\r
END:VALARM\r
END:VEVENT\r
END:VCALENDAR\r
";

fn parsed(text: &str) -> Calendar {
    Calendar::parse(text.as_bytes()).expect("a calendar")
}

fn event(calendar: &Calendar) -> &Component {
    calendar.components("VEVENT").next().expect("an event")
}

#[test]
fn printing_returns_the_bytes_that_were_read() {
    let odd = [
        EXPORTED.to_owned(),
        EXPORTED.replace("\r\n", "\n"),
        format!("\u{feff}{EXPORTED}"),
        EXPORTED.trim_end().to_owned(),
        EXPORTED.replace("X-Empty", "\r\nX-Empty"),
        format!("{EXPORTED}{EXPORTED}"),
    ];
    for text in odd {
        assert_eq!(String::from_utf8(parsed(&text).print()).expect("UTF-8"), text);
    }
    // A fold within a character, and a byte that is not UTF-8.
    let folded = b"BEGIN:VCALENDAR\r\nX-A:f\xc3\r\n \xbcr\r\nX-B:\xff\r\nEND:VCALENDAR\r\n";
    let calendar = Calendar::parse(folded).expect("a calendar");
    assert_eq!(calendar.calendars().next().and_then(|all| all.text("X-A")).as_deref(), Some("f\u{fc}r"));
    assert_eq!(calendar.print(), folded);
}

#[test]
fn values_are_unfolded_and_unescaped() {
    let calendar = parsed(EXPORTED);
    let event = event(&calendar);
    assert_eq!(event.text("SUMMARY").as_deref(), Some("Stand-up, daily"));
    assert_eq!(event.text("x-empty"), None);
    let attendee = event.property("ATTENDEE").expect("an attendee");
    assert_eq!(attendee.param("CN"), Some("Doe: Jane"));
    assert_eq!(attendee.value(), "mailto:jane@example");
    let place = event.property("X-APPLE-STRUCTURED-LOCATION").expect("a place");
    assert_eq!((place.param("X-TITLE"), place.value()), (Some("Hall, 2nd; floor"), "geo:52.5,13.4"));
    assert_eq!(unescape("a\\nb\\;c\\\\d\\"), "a\nb;c\\d\\");
}

#[test]
fn edit_changes_only_the_lines_of_its_property() {
    let mut calendar = parsed(EXPORTED);
    let event = calendar.components_mut("VEVENT").next().expect("an event");
    event.set(Property::text("SUMMARY", "Review; second\nline"));
    event.set(Property::new("UID", "1@example"));
    event.remove("X-Empty");
    event.set(Property::new("X-NEW", "1"));
    let expected = EXPORTED
        .replace("summary:Stand-\r\n up\\, daily\r\n", "SUMMARY:Review\\; second\\nline\r\n")
        .replace("X-Empty:\r\n", "")
        .replace("mailto:jane@example\r\n", "mailto:jane@example\r\nX-NEW:1\r\n");
    assert_eq!(String::from_utf8(calendar.print()).expect("UTF-8"), expected);
}

#[test]
fn new_line_is_folded_between_characters() {
    let mut calendar = Calendar::new("-//Nova//EN");
    calendar.calendars_mut().next().expect("one").add(Property::text("X-LONG", &"\u{fc}".repeat(60)));
    let printed = String::from_utf8(calendar.print()).expect("every line is UTF-8");
    assert!(printed.lines().all(|line| line.len() <= 75), "{printed}");
    let again = parsed(&printed);
    assert_eq!(again.calendars().next().and_then(|all| all.text("X-LONG")), Some("\u{fc}".repeat(60)));
}

#[test]
fn value_cannot_add_a_line() {
    let mut calendar = Calendar::new("x\r\nATTENDEE:mailto:eve@example");
    let all = calendar.calendars_mut().next().expect("one");
    all.add(Property::new("X-RAW", "a\r\nEND:VCALENDAR").with("P", "\"x\r\nY:z"));
    let printed = String::from_utf8(calendar.print()).expect("UTF-8");
    assert_eq!(
        printed.lines().filter(|line| line.starts_with("ATTENDEE") || line.starts_with("Y:")).count(),
        0
    );
    let again = parsed(&printed);
    let raw = again.calendars().next().and_then(|all| all.property("X-RAW").cloned()).expect("X-RAW");
    assert_eq!(raw.param("P"), Some("\"x\nY:z"));
}

#[test]
fn rejects_files_that_are_not_calendars() {
    let refused = |text: &str| Calendar::parse(text.as_bytes()).expect_err(text).to_string();
    assert_eq!(
        refused("<!DOCTYPE html>\n<html>"),
        "it is not an iCalendar file: it begins with \"<!DOCTYPE html>\" and not with BEGIN:VCALENDAR"
    );
    assert!(refused("").starts_with("it is not an iCalendar file"));
    assert_eq!(
        refused("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n"),
        "line 2: BEGIN:VEVENT is never closed; the file is truncated"
    );
    assert_eq!(refused("BEGIN:VCALENDAR\nEND:VEVENT\n"), "line 2: END:VEVENT closes no component");
    assert!(refused("BEGIN:VCARD\nEND:VCARD\n").starts_with("it is not an iCalendar file"));
}

#[test]
fn parsing_is_bounded() {
    let limits = Limits { bytes: 4_000, depth: 3, components: 10 };
    let check = |text: String| Calendar::parse_within(text.as_bytes(), &limits).expect_err("refused");
    assert_eq!(check("x".repeat(4_001)), IcalError::TooLarge { bytes: 4_001, limit: 4_000 });
    let deep = "BEGIN:VCALENDAR\n".repeat(4);
    assert_eq!(check(deep), IcalError::TooDeep { line: 4, limit: 3 });
    let many = format!("BEGIN:VCALENDAR\n{}", "BEGIN:VEVENT\nEND:VEVENT\n".repeat(10));
    assert_eq!(check(many), IcalError::TooMany { line: 20, limit: 10 });
    assert!(matches!(Calendar::parse(&vec![b'x'; 100 << 20]), Err(IcalError::TooLarge { .. })));
}

#[test]
fn reads_dates_times_and_durations() {
    let moment = |text: &str| Moment::parse(text, Some("Europe/Berlin")).map(|moment| format!("{moment:?}"));
    assert_eq!(moment("20261124").as_deref(), Ok("Date(2026-11-24)"));
    assert_eq!(moment("20261124T093000Z").as_deref(), Ok("Utc(2026-11-24T09:30:00)"));
    assert_eq!(moment("20261124T0930").as_deref(), Ok("Zoned(2026-11-24T09:30:00, \"Europe/Berlin\")"));
    for wrong in [
        "",
        "2026-11-24",
        "20261324",
        "20260229",
        "20261124T",
        "20261124T250000",
        "20261124Z",
        "2026112\u{fc}",
    ] {
        assert!(moment(wrong).is_err(), "{wrong}");
    }
    let length = |text: &str| Length::parse(text).map(|length| (length.days, length.seconds));
    assert_eq!(length("P2W"), Ok((14, 0)));
    assert_eq!(length("-P1DT2H30M5S"), Ok((-1, -9005)));
    for wrong in ["", "P", "PT", "P1", "1D", "P1H", "PT99999999999H", "P1\u{fc}"] {
        assert!(length(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn changed_property_keeps_its_parameters_and_all_other_lines() {
    let mut calendar = parsed(EXPORTED);
    for event in calendar.components_mut("VEVENT") {
        for person in event.properties_mut("ATTENDEE") {
            person.set_param("partstat", "DECLINED");
            person.set_param("X-NEW", "a:b");
        }
        event.properties_mut("SUMMARY").for_each(|summary| summary.set_value("Retro\r\nX-MORE:1"));
        event.remove_properties(|property| property.is("X-EMPTY"));
    }
    let expected = EXPORTED
        .replace(
            "ATTENDEE;CN=\"Doe: Jane\";PARTSTAT=ACCEPTED;X-UNKNOWN=a,\"b,c\":mailto:jane@example\r\n",
            "ATTENDEE;CN=\"Doe: Jane\";PARTSTAT=DECLINED;X-UNKNOWN=a,\"b,c\";X-NEW=\"a:b\"\r\n :mailto:jane@example\r\n",
        )
        .replace("summary:Stand-\r\n up\\, daily", "SUMMARY:Retro\\nX-MORE:1")
        .replace("X-Empty:\r\n", "");
    let printed = String::from_utf8(calendar.print()).expect("text");
    let unfolded = |text: &str| text.replace("\r\n ", "");
    assert_eq!(unfolded(&printed), unfolded(&expected));
}
