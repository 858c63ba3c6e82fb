//! One instance of a recurring event of a server: which one a call means, and its times when the clock changes.

use nova_protocol::Decision;
use nova_skill::{Value, json};
use nova_testkit::{ScriptedApprover, SkillInVault, decided, edited};

use crate::caldav::{listed, refresh};
use crate::radicale::{Radicale, WithSkill as _};

/// One `VEVENT` "jour" in a zone, without its UID and its stamp.
fn event(zone: &str, start: &str, end: &str, more: &str) -> String {
    format!(
        "BEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nSUMMARY:Jour\nDTSTART;TZID={zone}:{start}\nDTEND;TZID={zone}:{end}\n{more}\nEND:VEVENT"
    )
}

fn with(events: &str) -> (Radicale, SkillInVault) {
    let server = Radicale::start();
    server.make_calendar("work", "Work");
    let answer = server.put_file("jour", events);
    assert!(answer.contains(" 201 "), "{answer}");
    let skill = server.skill();
    refresh(&skill);
    (server, skill)
}

fn named(more: Value) -> Value {
    let mut args = json!({"event": "Mine/Work/jour"});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    args
}

fn update(skill: &SkillInVault, change: Value) -> Value {
    skill.value("update_event", named(change))
}

/// Start and end of the instances from that day on.
fn times(skill: &SkillInVault, from: &str, days: i64) -> Vec<String> {
    let answer = skill.value("list_events", json!({"from": from, "days": days}));
    let text = |event: &Value, key: &str| event[key].as_str().unwrap().to_owned();
    let events = answer["events"].as_array().unwrap();
    events.iter().map(|event| format!("{} .. {}", text(event, "start"), text(event, "end"))).collect()
}

#[test]
fn night_is_the_one_that_starts_on_the_day() {
    let nights = event("Europe/Berlin", "20261123T220000", "20261124T060000", "RRULE:FREQ=DAILY;COUNT=4");
    let (server, skill) = with(&nights);
    skill.value("delete_event", named(json!({"date": "2026-11-24"})));
    assert!(server.get("jour").contains("EXDATE;TZID=Europe/Berlin:20261124T220000"));
    update(&skill, json!({"date": "2026-11-26", "title": "Last"}));
    assert_eq!(
        listed(&skill, "2026-11-23", 5),
        ["2026-11-23T22:00 Jour", "2026-11-25T22:00 Jour", "2026-11-26T22:00 Last"]
    );
    let error = skill.error("delete_event", named(json!({"date": "2026-11-27"})));
    assert_eq!(
        error.message,
        "/date: no instance starts on 2026-11-27; the one that lasts until then starts on 2026-11-26."
    );
}

#[test]
fn several_instances_of_a_day_are_told_apart_by_their_start() {
    let doses =
        event("Europe/Berlin", "20261123T080000", "20261123T081500", "RRULE:FREQ=DAILY;BYHOUR=8,20;COUNT=6");
    let (server, skill) = with(&doses);
    let before = server.get("jour");
    for tool in ["delete_event", "update_event"] {
        let error = skill.error(tool, named(json!({"date": "2026-11-24"})));
        assert_eq!(
            error.message,
            "/date: several instances start on 2026-11-24; give the start of one, 2026-11-24T08:00, 2026-11-24T20:00."
        );
    }
    assert_eq!(server.get("jour").matches("EXDATE").count(), before.matches("EXDATE").count());
    skill.value("delete_event", named(json!({"date": "2026-11-24T20:00"})));
    assert!(server.get("jour").contains("EXDATE;TZID=Europe/Berlin:20261124T200000"));
    let error = skill.error("delete_event", named(json!({"date": "2026-11-24T20:00"})));
    assert_eq!(error.message, "/date: no instance starts then; on 2026-11-24 it starts at 2026-11-24T08:00.");
}

/// Meanwhile the instance was dropped, and another one moved to its day.
#[test]
fn conflict_does_not_change_which_instance_is_meant() {
    let weekly = |more: &str| {
        event("Europe/Berlin", "20261124T090000", "20261124T100000", &format!("RRULE:FREQ=WEEKLY{more}"))
    };
    let theirs = weekly("\nEXDATE;TZID=Europe/Berlin:20261201T090000")
        + "\n"
        + &event(
            "Europe/Berlin",
            "20261201T150000",
            "20261201T160000",
            "RECURRENCE-ID;TZID=Europe/Berlin:20261208T090000",
        );
    for (tool, change) in [("delete_event", json!({})), ("update_event", json!({"start": "11:00"}))] {
        let (server, mut skill) = with(&weekly(""));
        server.put_file("jour", &theirs);
        skill.approver = ScriptedApprover::new([decided(Decision::Once), edited(json!({"keep": "mine"}))]);
        let mut args = named(json!({"date": "2026-12-01"}));
        args.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let error = skill.error(tool, args);
        assert_eq!(error.message, "Nothing was written: on the server this instance no longer takes place.");
        assert_eq!(listed(&skill, "2026-12-01", 8), ["2026-12-01T15:00 Jour"]);
        assert_eq!(server.get("jour").matches("EXDATE").count(), 1);
    }
}

/// A night from 22:00 to 06:00 by the clock has seven hours in March and nine in autumn; an instance always has eight. Those
/// of New York start on the next day in Berlin.
#[test]
fn renamed_night_keeps_its_times_over_both_changes_of_the_clock() {
    for (zone, days) in
        [("Europe/Berlin", ["2026-03-28", "2026-10-24"]), ("America/New_York", ["2026-03-08", "2026-11-01"])]
    {
        let (server, skill) = with(&event(zone, "20260301T220000", "20260302T060000", "RRULE:FREQ=DAILY"));
        for day in days {
            let before = times(&skill, day, 2);
            update(&skill, json!({"date": day, "title": "Night"}));
            assert_eq!(times(&skill, day, 2), before, "{zone}");
        }
        assert_eq!(server.get("jour").matches("RECURRENCE-ID").count(), 2);
    }
}

#[test]
fn event_moved_over_a_change_of_the_clock_and_back_has_its_length() {
    for (zone, start, change) in [
        ("Europe/Berlin", "2026-10-20T20:00", "2026-10-24T20:00"),
        ("America/New_York", "2026-10-21T02:00", "2026-11-01T01:00"),
        ("Europe/Berlin", "2026-10-20T20:00", "2026-03-28T20:00"),
    ] {
        let (server, skill) = with(&event(zone, "20261020T200000", "20261021T040000", "CLASS:PUBLIC"));
        update(&skill, json!({"start": change}));
        assert_eq!(listed(&skill, &change[..10], 1), [format!("{change} Jour")]);
        update(&skill, json!({"start": start}));
        let there = server.get("jour");
        assert!(there.contains(&format!("DTSTART;TZID={zone}:20261020T200000")), "{there}");
        assert!(there.contains(&format!("DTEND;TZID={zone}:20261021T040000")), "{there}");
    }
}

/// From 01:00 to 02:00 UTC it is the second time between two and three in Berlin.
#[test]
fn new_end_in_the_repeated_hour_leaves_the_start_alone() {
    let (server, skill) = with(
        "BEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nSUMMARY:Jour\nDTSTART:20261025T011500Z\nDTEND:20261025T013000Z\nEND:VEVENT",
    );
    for (end, written) in [("02:45", "20261025T014500Z"), ("04:00", "20261025T030000Z")] {
        update(&skill, json!({"end": end}));
        let there = server.get("jour");
        assert!(
            there.contains("DTSTART:20261025T011500Z") && there.contains(&format!("DTEND:{written}")),
            "{there}"
        );
    }
}

/// The end is the second 01:30 of that night, which the clock of its zone cannot say.
#[test]
fn end_in_the_repeated_hour_is_written_in_utc() {
    let (server, skill) =
        with(&event("America/New_York", "20261020T003000", "20261020T023000", "CLASS:PUBLIC"));
    update(&skill, json!({"start": "2026-11-01T05:30"}));
    let there = server.get("jour");
    assert!(there.contains("DTSTART;TZID=America/New_York:20261101T003000"), "{there}");
    assert!(there.contains("DTEND:20261101T063000Z"), "{there}");
    assert_eq!(times(&skill, "2026-11-01", 1), ["2026-11-01T05:30 .. 2026-11-01T07:30"]);
}

/// Nine in New York is 15:00 in Berlin, and 14:00 from 8 to 28 March.
#[test]
fn series_in_another_zone_moves_by_as_much_as_the_named_instance() {
    let weekly = event("America/New_York", "20260203T090000", "20260203T100000", "RRULE:FREQ=WEEKLY;COUNT=9");
    let (server, skill) = with(&weekly);
    update(&skill, json!({"date": "2026-03-17T14:00", "all": true, "start": "2026-03-17T15:00"}));
    let question = skill.approver.asked().last().unwrap().question.clone();
    assert_eq!(question, "Change all instances of this event in the calendar Mine?");
    let there = server.get("jour");
    assert!(there.contains("DTSTART;TZID=America/New_York:20260203T100000"), "{there}");
    assert!(there.contains("DTEND;TZID=America/New_York:20260203T110000"), "{there}");
    assert_eq!(
        times(&skill, "2026-03-03", 15),
        [
            "2026-03-03T16:00 .. 2026-03-03T17:00",
            "2026-03-10T15:00 .. 2026-03-10T16:00",
            "2026-03-17T15:00 .. 2026-03-17T16:00",
        ]
    );
    update(&skill, json!({"date": "2026-03-10", "all": true, "end": "2026-03-10T17:30"}));
    assert_eq!(times(&skill, "2026-03-31", 1), ["2026-03-31T16:00 .. 2026-03-31T18:30"]);

    update(&skill, json!({"date": "2026-03-10", "start": "08:00"}));
    let error =
        skill.error("update_event", named(json!({"date": "2026-03-10", "all": true, "start": "10:00"})));
    assert!(error.message.contains("has a time of its own"), "{}", error.message);
    let error = skill.error("update_event", named(json!({"all": true, "start": "10:00"})));
    assert_eq!(error.message, "/all: needs the date of an instance besides.");
}

/// It is winter, and the series began in the weeks in which one hour less lies between the zones.
#[test]
fn clock_time_is_that_of_the_next_instance() {
    let weekly = event("America/New_York", "20260310T090000", "20260310T100000", "RRULE:FREQ=WEEKLY");
    let (server, skill) = with(&weekly);
    update(&skill, json!({"start": "15:30"}));
    assert!(server.get("jour").contains("DTSTART;TZID=America/New_York:20260310T093000"));
    assert_eq!(listed(&skill, "2026-11-24", 1), ["2026-11-24T15:30 Jour"]);
}

#[test]
fn title_and_place_of_all_instances_reach_exceptions_that_had_them() {
    let series = event(
        "Europe/Berlin",
        "20261124T090000",
        "20261124T100000",
        "LOCATION:Room 1\nRRULE:FREQ=DAILY;COUNT=3",
    ) + "\n"
        + &event(
            "Europe/Berlin",
            "20261125T110000",
            "20261125T120000",
            "LOCATION:Room 9\nRECURRENCE-ID;TZID=Europe/Berlin:20261125T090000",
        )
        + "\n"
        + &event(
            "Europe/Berlin",
            "20261126T110000",
            "20261126T120000",
            "LOCATION:Room 1\nRECURRENCE-ID;TZID=Europe/Berlin:20261126T090000",
        )
        .replace("SUMMARY:Jour", "SUMMARY:Party");
    let (_server, skill) = with(&series);
    update(&skill, json!({"title": "Weekly", "location": "Room 2"}));
    let answer = skill.value("list_events", json!({"from": "2026-11-24", "days": 3}));
    let said: Vec<_> = answer["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| (&event["title"], &event["location"]))
        .collect();
    assert_eq!(
        said,
        [
            (&json!("Weekly"), &json!("Room 2")),
            (&json!("Weekly"), &json!("Room 9")),
            (&json!("Party"), &json!("Room 2")),
        ]
    );
}

#[test]
fn note_of_a_coming_night_has_the_day_on_which_it_starts() {
    let night =
        "---\ntype: event\ntitle: Night\ndaysOfWeek: [T, W]\nstartTime: \"22:00\"\nendTime: \"06:00\"\n---\n";
    let skill = crate::calendar(&format!("//- Night.md\n{night}"));
    let made = skill.value("document_event", json!({"event": "Night", "date": "2026-11-25"}));
    assert_eq!(
        (&made["date"], &made["path"]),
        (&json!("2026-11-25"), &json!("Meetings/2026-11-25 Night.md"))
    );
    let error = skill.error("document_event", json!({"event": "Night", "date": "2026-11-26"}));
    assert_eq!(error.message, "/date: the event does not take place on 2026-11-26.");
}
