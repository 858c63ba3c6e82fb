use jiff::civil::DateTime;

use super::*;

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("a zone")
}

fn at(time: &str, zone: &TimeZone) -> Timestamp {
    let time: DateTime = time.parse().expect("a time");
    zone.to_ambiguous_timestamp(time).compatible().expect("an instant")
}

/// Checks the next due times after `after`, in local time.
#[track_caller]
fn check(when: &str, zone_name: &str, after: &str, expected: &[&str]) {
    let zone = zone(zone_name);
    let schedule = Schedule::new(vec![When::parse(when).expect("a schedule")], zone.clone());
    let mut next = at(after, &zone);
    for expected in expected {
        let due = schedule.next_after(next).expect("a next time");
        assert_eq!(due.to_zoned(zone.clone()).strftime("%FT%H:%M%:z").to_string(), *expected, "{when}");
        assert_eq!(schedule.last_until(due), Some(due), "{when} ends with {expected}");
        next = due;
    }
}

#[test]
fn each_form_is_due_on_its_days() {
    // 20 November 2026 is a Friday.
    check(
        "weekdays 07:30",
        "Europe/Berlin",
        "2026-11-20T07:30",
        &["2026-11-23T07:30+01:00", "2026-11-24T07:30+01:00"],
    );
    check("weekends 9:05", "Europe/Berlin", "2026-11-20T07:30", &["2026-11-21T09:05+01:00"]);
    check("daily 18:00", "Asia/Kolkata", "2026-11-20T17:59", &["2026-11-20T18:00+05:30"]);
    check(
        "Mon, Thu 09:00",
        "America/New_York",
        "2026-11-20T09:00",
        &["2026-11-23T09:00-05:00", "2026-11-26T09:00-05:00", "2026-11-30T09:00-05:00"],
    );
    check("monthly 1 09:00", "UTC", "2026-12-01T09:00", &["2027-01-01T09:00+00:00"]);
    check(
        "every 2 hours",
        "UTC",
        "2026-11-20T21:10",
        &["2026-11-20T22:00+00:00", "2026-11-21T00:00+00:00", "2026-11-21T02:00+00:00"],
    );
    check("every 7 hours", "UTC", "2026-11-20T14:00", &["2026-11-20T21:00+00:00", "2026-11-21T00:00+00:00"]);
}

#[test]
fn short_month_uses_its_last_day() {
    check(
        "monthly 31 08:00",
        "UTC",
        "2026-01-31T08:00",
        &["2026-02-28T08:00+00:00", "2026-03-31T08:00+00:00", "2026-04-30T08:00+00:00"],
    );
    check("monthly last 08:00", "UTC", "2028-02-01T00:00", &["2028-02-29T08:00+00:00"]);
    check("monthly 30 08:00", "UTC", "2026-01-31T00:00", &["2026-02-28T08:00+00:00"]);
}

#[test]
fn time_in_a_dst_gap_moves_and_ambiguous_time_is_due_once() {
    check(
        "daily 02:30",
        "Europe/Berlin",
        "2026-03-28T02:30",
        &["2026-03-29T03:30+02:00", "2026-03-30T02:30+02:00"],
    );
    check(
        "daily 02:30",
        "Europe/Berlin",
        "2026-10-24T02:30",
        &["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"],
    );
    check(
        "every 30 minutes",
        "Europe/Berlin",
        "2026-10-25T02:00",
        &["2026-10-25T02:30+02:00", "2026-10-25T02:00+01:00", "2026-10-25T02:30+01:00"],
    );
    check("every 2 hours", "Europe/Berlin", "2026-03-29T00:00", &["2026-03-29T03:00+02:00"]);
    // Samoa had no 30 December 2011.
    check(
        "daily 09:00",
        "Pacific/Apia",
        "2011-12-29T09:00",
        &["2011-12-31T09:00+14:00", "2012-01-01T09:00+14:00"],
    );
}

/// A reference implementation: iterates over the minutes of the local time, without any DST logic.
fn by_minutes(days: &Days, time: Time, minutes: &[(Timestamp, DateTime)]) -> Vec<Timestamp> {
    let mut dues = Vec::new();
    let mut before = minutes[0].1;
    let mut done = None;
    for &(now, local) in minutes {
        let target = local.date().to_datetime(time);
        if days.include(local.date()) && done != Some(local.date()) && local >= target {
            let missing = target.duration_since(before).as_mins();
            let due = now - SignedDuration::from_mins(1) + SignedDuration::from_mins(missing);
            dues.push(if before.date() == local.date() { due } else { now });
            done = Some(local.date());
        }
        before = local;
    }
    dues
}

#[test]
fn agrees_with_a_walk_over_every_minute() {
    let whens = ["daily 02:15", "weekdays 07:30", "sun, wed 23:45", "monthly last 02:30", "monthly 29 12:00"];
    let zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"];
    // These weeks include every DST change of the tested zones.
    let weeks = [("2026-03-06T00:00", "2026-04-07T00:00"), ("2026-10-02T00:00", "2026-11-03T00:00")];
    for (zone_name, (from, until)) in zones.into_iter().flat_map(|zone| weeks.map(|weeks| (zone, weeks))) {
        let zone = zone(zone_name);
        let (from, until) = (at(from, &zone), at(until, &zone));
        let local = |now: Timestamp| (now, now.to_zoned(zone.clone()).datetime());
        let starts = std::iter::successors(Some(from), |now| Some(*now + SignedDuration::from_mins(1)));
        let minutes: Vec<_> = starts.take_while(|now| *now <= until).map(local).collect();
        for when in whens {
            let parsed = When::parse(when).expect("a schedule");
            let When::At { days, time } = &parsed else { panic!("{when}") };
            let expected = by_minutes(days, *time, &minutes);
            let mut found = Vec::new();
            let mut next = parsed.next_after(from - SignedDuration::from_secs(1), &zone);
            while let Some(due) = next.filter(|due| *due <= until) {
                found.push(due);
                next = parsed.next_after(due, &zone);
            }
            assert_eq!(found, expected, "{when} in {zone_name}");
            for (one, after) in expected.iter().zip(expected.iter().skip(1)) {
                let between = *after - SignedDuration::from_secs(1);
                assert_eq!(parsed.last_until(between, &zone), Some(*one), "{when} in {zone_name}");
            }
        }
    }
}

#[test]
fn invalid_schedule_names_the_accepted_forms() {
    for (text, why) in [
        ("", "`when` is empty."),
        ("07:30", "\"07:30\" needs a day."),
        ("weekdays", "\"weekdays\" does not end with a time such as 07:30."),
        ("weekdays 25:00", "does not end with a time"),
        ("weekdays 7:3", "does not end with a time"),
        ("sometimes 07:30", "has the unknown day \"sometimes\"."),
        ("monthly 0 09:00", "needs a day of the month."),
        ("monthly 32 09:00", "needs a day of the month."),
        ("every 0 minutes", "is not between 5 minutes and 24 hours."),
        ("every -5 minutes", "is not between 5 minutes and 24 hours."),
        ("every 9223372036854775807 hours", "is not between 5 minutes and 24 hours."),
        ("every 99999999999999999999 hours", "needs a whole number."),
        ("every 2 days", "must be in minutes or hours."),
        ("when pigs fly", "does not say which kind of note changes."),
    ] {
        let problem = When::parse(text).expect_err(text);
        assert!(problem.contains(why), "{text}: {problem}");
        assert!(problem.ends_with(ACCEPTED), "{problem}");
    }
    assert_eq!(When::parse("At Start"), Ok(When::Start));
    assert_eq!(When::parse("when a contact changes"), Ok(When::Change { record_type: "contact".into() }));
}

#[test]
fn no_due_time_beyond_the_supported_range() {
    let schedule = Schedule::new(vec![When::parse("daily 07:30").expect("a schedule")], TimeZone::UTC);
    assert_eq!(schedule.next_after(Timestamp::MAX), None);
    assert_eq!(schedule.last_until(Timestamp::MIN), None);
}
