//! Recurring events of a server: all instances move, or one.

use nova_skill::{Value, json};
use nova_testkit::SkillInVault;

use crate::caldav::{listed, refresh};
use crate::radicale::{Radicale, WithSkill as _};

/// Every Tuesday at nine in New York, until 7 April; not on 17 March, and on 24 March a day later at its own time.
const JOUR: &str = "BEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nSUMMARY:Jour fixe\nDTSTART;TZID=America/New_York:20260303T090000\nDTEND;TZID=America/New_York:20260303T100000\nRRULE:FREQ=WEEKLY;UNTIL=20260407T130000Z\nEXDATE;TZID=America/New_York:20260317T090000\nX-OTHER:1\nEND:VEVENT\nBEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nRECURRENCE-ID;TZID=America/New_York:20260324T090000\nSUMMARY:Jour fixe\\, moved\nDTSTART;TZID=Europe/Berlin:20260325T110000\nDTEND;TZID=Europe/Berlin:20260325T120000\nEND:VEVENT\nBEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nRECURRENCE-ID:20260310T130000Z\nSUMMARY:Jour fixe\\, at home\nDTSTART;TZID=America/New_York:20260310T090000\nDTEND;TZID=America/New_York:20260310T093000\nEND:VEVENT";

fn with_series(series: &str) -> (Radicale, SkillInVault) {
    let server = Radicale::start();
    server.make_calendar("work", "Work");
    let answer = server.put_file("jour", series);
    assert!(answer.contains(" 201 "), "{answer}");
    let skill = server.skill();
    refresh(&skill);
    (server, skill)
}

fn update(skill: &SkillInVault, change: Value) -> Value {
    let mut args = json!({"event": "Mine/Work/jour"});
    args.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    skill.value("update_event", args)
}

/// Six hours lie between Berlin and New York, five from 8 to 28 March.
#[test]
fn series_moves_with_its_exceptions_across_clock_changes() {
    let (server, skill) = with_series(JOUR);
    let moved = update(&skill, json!({"start": "16:30"}));
    assert_eq!(moved["now"], "Jour fixe (2026-03-03 16:30)");
    let rows = [
        "2026-03-03T16:30 Jour fixe",
        "2026-03-10T15:30 Jour fixe, at home",
        "2026-03-25T11:00 Jour fixe, moved",
        "2026-03-31T16:30 Jour fixe",
        "2026-04-07T16:30 Jour fixe",
    ];
    assert_eq!(listed(&skill, "2026-03-01", 60), rows);
    let there = server.get("jour");
    for line in [
        "DTSTART;TZID=America/New_York:20260303T103000",
        "DTEND;TZID=America/New_York:20260303T113000",
        "EXDATE;TZID=America/New_York:20260317T103000",
        "RECURRENCE-ID;TZID=America/New_York:20260324T103000",
        "DTEND;TZID=America/New_York:20260310T110000",
        "UNTIL=20260407T143000Z",
        "X-OTHER:1",
    ] {
        assert!(there.contains(line), "{line}: {there}");
    }
    update(&skill, json!({"end": "18:00"}));
    let longer = skill.value("list_events", json!({"from": "2026-03-31", "days": 1}));
    assert_eq!(longer["events"][0]["end"], "2026-03-31T18:00");
}

#[test]
fn only_one_instance_moves() {
    let (server, skill) = with_series(JOUR);
    let moved = update(&skill, json!({"date": "2026-03-31", "start": "2026-04-01T08:00", "title": "Once"}));
    assert_eq!(
        (&moved["before"], &moved["now"]),
        (&json!("Jour fixe (2026-03-31 15:00)"), &json!("Once (2026-04-01 08:00)"))
    );
    // An instance that was moved can move again, whichever zone its id has.
    update(&skill, json!({"date": "2026-03-10", "start": "15:00"}));
    update(&skill, json!({"date": "2026-03-25", "location": "Room 2"}));
    let rows = [
        "2026-03-03T15:00 Jour fixe",
        "2026-03-10T15:00 Jour fixe, at home",
        "2026-03-25T11:00 Jour fixe, moved",
        "2026-04-01T08:00 Once",
        "2026-04-07T15:00 Jour fixe",
    ];
    assert_eq!(listed(&skill, "2026-03-01", 60), rows);
    let there = server.get("jour");
    assert_eq!(there.matches("BEGIN:VEVENT").count(), 4, "{there}");
    assert!(there.contains("RECURRENCE-ID;TZID=America/New_York:20260331T090000"), "{there}");
    assert!(there.contains("DTSTART;TZID=America/New_York:20260401T020000"), "{there}");
    assert_eq!((there.matches("FREQ=WEEKLY").count(), there.matches("EXDATE").count()), (1, 1));
    skill.value("delete_event", json!({"event": "Mine/Work/jour", "date": "2026-03-10"}));
    assert_eq!(listed(&skill, "2026-03-10", 1), [] as [&str; 0]);
}

#[test]
fn whole_days_of_a_series_move_one_by_one() {
    let (_server, skill) = with_series(
        "BEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nSUMMARY:Bins\nDTSTART;VALUE=DATE:20261201\nRRULE:FREQ=WEEKLY;COUNT=3\nEND:VEVENT",
    );
    update(&skill, json!({"date": "2026-12-08", "start": "2026-12-09"}));
    assert_eq!(listed(&skill, "2026-12-01", 30), ["2026-12-01 Bins", "2026-12-09 Bins", "2026-12-15 Bins"]);
    let error = skill.error("update_event", json!({"event": "Mine/Work/jour", "start": "10:00"}));
    assert_eq!(
        error.message,
        "Nothing was changed: the event recurs on whole days, which have no clock time."
    );
}

/// 18:00 in New York is midnight in Berlin.
#[test]
fn unmovable_series_reports_why() {
    let series = |more: &str| {
        format!(
            "BEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nSUMMARY:Jour\nDTSTART;TZID=America/New_York:20261201T180000\nDURATION:PT1H\n{more}\nEND:VEVENT"
        )
    };
    let later = format!(
        "{}\n{}",
        series("RRULE:FREQ=DAILY;COUNT=9"),
        series("RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=America/New_York:20261203T180000")
            .replace("20261201", "20261203")
    );
    for (series, start, reason) in [
        (series("RRULE:FREQ=DAILY"), "2026-12-02T10:00", "the event recurs: give the clock alone"),
        (series("RRULE:FREQ=DAILY;BYHOUR=18,20"), "10:00", "its rule says at which times of a day"),
        (series("RRULE:FREQ=HOURLY"), "10:00", "its rule says at which times of a day"),
        (
            series("RRULE:FREQ=DAILY"),
            "10:00",
            "in its time zone America/New_York all its instances would move to another day",
        ),
        (later, "23:30", "one of its exceptions holds for all later instances"),
    ] {
        let (server, skill) = with_series(&series);
        let error = skill.error("update_event", json!({"event": "Mine/Work/jour", "start": start}));
        assert!(error.message.contains(reason), "{reason}: {}", error.message);
        assert!(server.get("jour").contains("DTSTART;TZID=America/New_York:20261201T180000"));
    }
}

#[test]
fn a_day_without_an_instance_is_refused() {
    let (_server, skill) = with_series(JOUR);
    for (day, reason) in [
        ("2026-03-17", "the event does not take place on 2026-03-17"),
        ("2026-03-24", "the event does not take place on 2026-03-24"),
        ("tomorrow", "\"tomorrow\" is neither a day such as 2026-11-24"),
    ] {
        let args = json!({"event": "Mine/Work/jour", "date": day, "start": "10:00"});
        let error = skill.error("update_event", args);
        assert!(error.message.contains(reason), "{day}: {}", error.message);
    }
}

#[test]
fn single_instance_of_a_note_cannot_move() {
    let note = "//- Events/Gym.md\n---\ntype: event\nstartDate: 2026-11-23\nrrule: FREQ=DAILY\n---\n";
    let skill = crate::calendar(note);
    let args = json!({"event": "Events/Gym.md", "date": "2026-11-24", "start": "10:00"});
    let error = skill.error("update_event", args);
    assert!(error.message.contains("a note describes all instances"), "{}", error.message);
}

/// The series is the same on both sides; only the instance differs.
#[test]
fn conflict_of_one_instance_shows_both_versions_of_it() {
    let conflict = |theirs: &str, change: &str, args: Value| {
        let (server, skill) = with_series(JOUR);
        server.put_file("jour", theirs);
        let mut named = json!({"event": "Mine/Work/jour"});
        named.as_object_mut().unwrap().extend(args.as_object().unwrap().clone());
        let error = skill.error(change, named);
        let (_, versions) = error.message.split_once("in the meantime. ").expect("a conflict");
        assert!(server.get("jour").contains(theirs.lines().nth(3).unwrap()), "the server's version stays");
        versions.to_owned()
    };
    let moved = JOUR.replace("T110000", "T130000").replace("T120000", "T140000");
    assert_eq!(
        conflict(&moved, "update_event", json!({"date": "2026-03-25", "location": "Room 2"})),
        "Before: Jour fixe, moved (2026-03-25 11:00). Yours: Jour fixe, moved (2026-03-25 11:00, Room 2). \
         Theirs: Jour fixe, moved (2026-03-25 13:00)."
    );
    // A past instance that the other side removed.
    let dropped = JOUR.replace("20260317T090000", "20260317T090000,20260303T090000");
    assert_eq!(
        conflict(&dropped, "update_event", json!({"date": "2026-03-03", "title": "First"})),
        "Before: Jour fixe (2026-03-03 15:00). Yours: First (2026-03-03 15:00). Theirs: does not take place."
    );
    let renamed = JOUR.replace("SUMMARY:Jour fixe\n", "SUMMARY:Weekly\n");
    assert_eq!(
        conflict(&renamed, "delete_event", json!({"date": "2026-03-31"})),
        "Before: Jour fixe (2026-03-31 15:00). Yours: does not take place. Theirs: Weekly (2026-03-31 15:00)."
    );
}
