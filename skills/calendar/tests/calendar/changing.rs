use nova_skill::{Value, json};

use nova_testkit::SkillInVault;

use crate::calendar;

const VAULT: &str = r#"
//- Events/Dentist.md
---
# mine
type: event
title: Dentist
date: 2026-11-24   # a Tuesday
startTime: "09:30"
endTime: "10:15"
X-Own: kept
---

Bring the card.
//- Events/Standup.md
---
type: event
title: Stand-up
daysOfWeek: [M]
startTime: "09:00"
endTime: "09:30"
---
//- Events/Fair.md
---
type: event
title: Fair
date: 2026-11-22
endDate: 2026-11-23
---
"#;

/// Checks the text of a new note.
#[track_caller]
fn creates(args: Value, path: &str, note: &str) {
    let skill = calendar("");
    assert_eq!(skill.value("create_event", args)["event"], path);
    assert_eq!(skill.vault.read(path), note);
}

/// Checks a note after a change, in which each line of `changed` replaces another.
#[track_caller]
fn changes(tool: &str, args: Value, path: &str, changed: &[(&str, &str)]) {
    let skill = calendar(VAULT);
    let mut expected = skill.vault.read(path);
    skill.value(tool, args);
    for (before, after) in changed {
        assert!(expected.contains(before), "{before}");
        expected = expected.replace(before, after);
    }
    assert_eq!(skill.vault.read(path), expected);
}

#[track_caller]
fn refuses(tool: &str, args: Value, message: &str) {
    let skill = calendar(VAULT);
    let files = skill.vault.files();
    assert_eq!(skill.error(tool, args).message, message);
    assert!(skill.approver.asked().is_empty(), "no call is asked about that must fail");
    assert_eq!(skill.vault.files(), files);
}

#[test]
fn a_new_event_is_a_note() {
    creates(
        json!({"title": "Lunch", "start": "2026-11-24T12:00", "end": "13:30", "location": "Café"}),
        "Events/2026-11-24 Lunch.md",
        "---\ntype: event\ntitle: Lunch\ndate: 2026-11-24\nstartTime: 12:00\nendTime: 13:30\nlocation: Café\n---\n",
    );
    creates(
        json!({"title": "Trip", "start": "2026-11-24", "end": "2026-11-26"}),
        "Events/2026-11-24 Trip.md",
        "---\ntype: event\ntitle: Trip\ndate: 2026-11-24\nallDay: true\nendDate: 2026-11-26\n---\n",
    );
    creates(
        json!({"title": "Board", "start": "2026-11-24T14:00", "rrule": "FREQ=MONTHLY;BYDAY=4TU", "timezone": "America/New_York"}),
        "Events/2026-11-24 Board.md",
        "---\ntype: event\ntitle: Board\nstartTime: 14:00\ntimezone: America/New_York\nstartDate: 2026-11-24\n\
         rrule: FREQ=MONTHLY;BYDAY=4TU\n---\n",
    );
}

#[test]
fn created_event_is_listed() {
    let skill = calendar("");
    skill.value("create_event", json!({"title": "Night", "start": "2026-11-24T22:00", "end": "02:00"}));
    let answer = skill.value("list_events", json!({}));
    assert_eq!(answer["events"][0]["end"], "2026-11-25T02:00");
}

#[test]
fn impossible_events_are_not_written() {
    let time = |start: &str, end: &str| json!({"title": "X", "start": start, "end": end});
    refuses("create_event", time("2026-11-24T12:00", "2026-11-24T11:00"), "/end: is before the start.");
    refuses("create_event", time("2026-11-24", "11:00"), "/end: must be a day, because the start is one.");
    refuses("create_event", time("12:00", "13:00"), "/start: needs the day, such as 2026-11-24T09:30.");
    refuses(
        "create_event",
        json!({"title": "X", "start": "2026-11-24T12:00+01:00"}),
        "/start: \"2026-11-24T12:00+01:00\" is neither a day such as 2026-11-24 nor a time such as 2026-11-24T09:30.",
    );
    refuses(
        "create_event",
        json!({"title": "X", "start": "2026-11-24", "rrule": "often"}),
        "/rrule: the rule's OFTEN= is not supported.",
    );
    refuses(
        "create_event",
        json!({"title": "X", "start": "2026-11-24T12:00", "timezone": "Mars"}),
        "unknown time zone \"Mars\".",
    );
    refuses(
        "create_event",
        json!({"title": "a\nb", "start": "2026-11-24"}),
        "/title: must be one line of text.",
    );
}

#[test]
fn a_moved_event_keeps_length_and_other_bytes() {
    changes(
        "update_event",
        json!({"event": "dentist", "start": "15:00"}),
        "Events/Dentist.md",
        &[("\"09:30\"", "\"15:00\""), ("\"10:15\"", "\"15:45\"")],
    );
    changes(
        "update_event",
        json!({"event": "Events/Dentist", "start": "2026-11-26T15:00", "end": "16:00"}),
        "Events/Dentist.md",
        &[("2026-11-24", "2026-11-26"), ("\"09:30\"", "\"15:00\""), ("\"10:15\"", "\"16:00\"")],
    );
    changes(
        "update_event",
        json!({"event": "Fair", "start": "2026-11-29"}),
        "Events/Fair.md",
        &[("endDate: 2026-11-23", "endDate: 2026-11-30"), ("date: 2026-11-22", "date: 2026-11-29")],
    );
}

#[test]
fn only_the_clock_of_a_recurring_event_changes() {
    changes(
        "update_event",
        json!({"event": "Stand-up", "start": "10:00"}),
        "Events/Standup.md",
        &[("\"09:00\"", "\"10:00\""), ("\"09:30\"", "\"10:30\"")],
    );
    refuses(
        "update_event",
        json!({"event": "Stand-up", "start": "2026-11-24T10:00"}),
        "/start: the event recurs: give the clock alone, such as 15:00, or change its days in the note.",
    );
}

#[test]
fn one_day_of_a_recurring_event_is_left_out() {
    changes(
        "delete_event",
        json!({"event": "Stand-up", "date": "2026-11-30"}),
        "Events/Standup.md",
        &[("endTime: \"09:30\"\n", "endTime: \"09:30\"\nskipDates:\n  - 2026-11-30\n")],
    );
    refuses(
        "delete_event",
        json!({"event": "Stand-up", "date": "2026-12-01"}),
        "/date: the event does not take place on 2026-12-01.",
    );
    refuses(
        "delete_event",
        json!({"event": "Dentist", "date": "2026-11-24"}),
        "/date: the event does not recur; leave the date out to delete it.",
    );
}

/// Nine in the evening in Los Angeles is the next day in the user's zone, UTC.
#[test]
fn skipped_day_is_one_of_the_time_zone_of_the_note() {
    let late = "---\ntype: event\ntitle: Late\ndaysOfWeek: [T]\nstartTime: \"21:00\"\ntimezone: America/Los_Angeles\n---\n";
    let skill = calendar(&format!("//- Late.md\n{late}"));
    let dates = |skill: &SkillInVault| {
        let answer = skill.value("list_events", json!({"from": "2026-11-24", "days": 14}));
        let events = answer["events"].as_array().unwrap().clone();
        events.iter().map(|event| event["start"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(dates(&skill), ["2026-11-25T05:00", "2026-12-02T05:00"]);
    skill.value("delete_event", json!({"event": "Late", "date": "2026-11-25"}));
    assert!(skill.vault.read("Late.md").contains("skipDates:\n  - 2026-11-24\n"));
    assert_eq!(dates(&skill), ["2026-12-02T05:00"]);
    skill.value("delete_event", json!({"event": "Late", "date": "2026-12-02T05:00"}));
    assert_eq!(dates(&skill), [] as [&str; 0]);
}

#[test]
fn night_shift_is_skipped_by_the_day_on_which_it_starts() {
    let night =
        "---\ntype: event\ntitle: Night\ndaysOfWeek: [M]\nstartTime: \"22:00\"\nendTime: \"06:00\"\n---\n";
    let skill = calendar(&format!("//- Night.md\n{night}"));
    let error = skill.error("delete_event", json!({"event": "Night", "date": "2026-11-24"}));
    assert_eq!(
        error.message,
        "/date: no instance starts on 2026-11-24; the one that lasts until then starts on 2026-11-23."
    );
    assert_eq!(skill.vault.read("Night.md"), night);
}

#[test]
fn day_with_several_instances_is_skipped_as_a_whole() {
    let dose = "---\ntype: event\ntitle: Dose\nstartDate: 2026-11-21\nstartTime: \"08:00\"\nrrule: FREQ=DAILY;BYHOUR=8,20\n---\n";
    let skill = calendar(&format!("//- Dose.md\n{dose}"));
    let error = skill.error("delete_event", json!({"event": "Dose", "date": "2026-11-24T20:00"}));
    assert_eq!(
        error.message,
        "/date: a note skips whole days, on which it takes place several times: give the day."
    );
    skill.value("delete_event", json!({"event": "Dose", "date": "2026-11-24"}));
    let answer = skill.value("list_events", json!({"from": "2026-11-24", "days": 1}));
    assert_eq!(answer["count"], 0);
}

#[test]
fn a_deleted_event_is_gone() {
    let skill = calendar(VAULT);
    assert_eq!(skill.value("delete_event", json!({"event": "Dentist"}))["deleted"], true);
    assert!(!skill.vault.files().contains(&"Events/Dentist.md".to_owned()));
}

#[test]
fn an_event_of_a_file_is_read_only() {
    let file = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Retro\nDTSTART:20261124T160000Z\nEND:VEVENT\nEND:VCALENDAR\n";
    let skill = calendar(&format!("//- team.ics\n{file}"))
        .with_config(json!({"calendars": [{"name": "Team", "file": "team.ics"}]}));
    for (tool, args) in [
        ("update_event", json!({"event": "Retro", "start": "10:00"})),
        ("delete_event", json!({"event": "Retro"})),
        ("create_event", json!({"title": "X", "start": "2026-11-24", "calendar": "Team"})),
    ] {
        assert_eq!(skill.error(tool, args).message, "The calendar Team is read-only.");
    }
    assert_eq!(skill.vault.read("team.ics"), file);
}

#[test]
fn event_is_found_by_words_but_never_guessed() {
    refuses("update_event", json!({"event": "Dentists", "title": "X"}), "There is no event \"Dentists\".");
    let two =
        format!("{VAULT}//- Events/Dentist 2.md\n---\ntype: event\ntitle: Dentist\ndate: 2026-12-24\n---\n");
    let error = calendar(&two).error("delete_event", json!({"event": "dentist"}));
    assert!(error.message.starts_with("Several events match \"dentist\""), "{}", error.message);
}

#[test]
fn null_removes_a_place_and_omission_keeps_it() {
    let skill = calendar("//- A.md\n---\ntype: event\ntitle: A\ndate: 2026-11-24\nlocation: Hall\n---\n");
    skill.value("update_event", json!({"event": "A", "title": "B"}));
    assert!(skill.vault.read("A.md").contains("location: Hall"));
    skill.value("update_event", json!({"event": "B", "location": null}));
    assert_eq!(skill.vault.read("A.md"), "---\ntype: event\ntitle: B\ndate: 2026-11-24\n---\n");
}
