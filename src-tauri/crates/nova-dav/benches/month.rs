//! Expands one month of 10,000 events, 500 of them recurring. Goal: 10 ms.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use jiff::civil::date;
use jiff::tz::TimeZone;
use nova_dav::events::{Agenda, Bounds};
use nova_dav::ical::Calendar;

const GOAL: Duration = Duration::from_millis(10);

fn main() {
    let agenda = Agenda::new(Calendar::parse(calendar().as_bytes()).expect("a calendar"));
    let home = TimeZone::get("Europe/Berlin").expect("a zone");
    let at = |month| date(2026, month, 1).to_zoned(home.clone()).expect("midnight").timestamp();
    let mut times: Vec<Duration> = Vec::new();
    let mut found = 0;
    for _ in 0..50 {
        let begin = Instant::now();
        found = agenda.between(at(11), at(12), &home, Bounds::default()).instances.len();
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    eprintln!("a month of 10,000 events, 500 recurring: {found} instances in {median:.2?} (goal {GOAL:?})");
    if median > GOAL {
        std::process::exit(1);
    }
}

fn calendar() -> String {
    let rules = [
        "FREQ=DAILY",
        "FREQ=WEEKLY;BYDAY=MO,WE,FR",
        "FREQ=MONTHLY;BYDAY=2TU",
        "FREQ=YEARLY",
        "FREQ=WEEKLY;COUNT=400",
        "FREQ=MONTHLY;BYMONTHDAY=-1",
    ];
    let zones = ["Europe/Berlin", "America/New_York", "Asia/Tokyo"];
    let mut text = "BEGIN:VCALENDAR\nVERSION:2.0\n".to_owned();
    for number in 0..10_000 {
        let (year, month, day) = (2019 + number % 9, 1 + number % 12, 1 + number % 28);
        let zone = zones[number % 3];
        let _ = write!(
            text,
            "BEGIN:VEVENT\nUID:{number}\nSUMMARY:Event {number}\n\
             DTSTART;TZID={zone}:{year}{month:02}{day:02}T090000\nDURATION:PT45M\n"
        );
        if number % 20 == 0 {
            let _ = writeln!(text, "RRULE:{}", rules[number / 20 % rules.len()]);
        }
        text.push_str("END:VEVENT\n");
    }
    text.push_str("END:VCALENDAR\n");
    text
}
