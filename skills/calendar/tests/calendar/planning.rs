use nova_skill::{Value, json};

use crate::calendar;

const MONDAY: &str = r#"
//- Events/Standup.md
---
type: event
title: Stand-up
date: 2026-11-23
startTime: "09:00"
endTime: "09:30"
---
//- Events/Lunch.md
---
type: event
title: Lunch
date: 2026-11-23
startTime: "12:00"
endTime: "13:00"
---
//- Events/Call.md
---
type: event
title: Call
date: 2026-11-23
startTime: "12:30"
endTime: "14:00"
---
//- Events/Holiday.md
---
type: event
title: Holiday
date: 2026-11-23
---
"#;

fn slots(args: Value) -> Vec<String> {
    let answer = calendar(MONDAY).value("free_time", args);
    let all = answer["slots"].as_array().unwrap().iter();
    all.map(|slot| {
        format!(
            "{} {}-{}",
            slot["date"].as_str().unwrap(),
            slot["start"].as_str().unwrap(),
            slot["end"].as_str().unwrap()
        )
    })
    .collect()
}

#[test]
fn finds_the_gaps_between_overlapping_events() {
    assert_eq!(
        slots(json!({"days": 1, "duration": 60, "from": "2026-11-23"})),
        ["2026-11-23 09:30-12:00", "2026-11-23 14:00-17:00"]
    );
    assert_eq!(
        slots(json!({"days": 1, "duration": 180, "from": "2026-11-23", "between": "8:00-18:00"})),
        ["2026-11-23 14:00-18:00"]
    );
}

#[test]
fn past_time_is_not_free() {
    // It is nine in the morning.
    assert_eq!(
        slots(json!({"days": 1, "duration": 30, "between": "07:00-10:00"})),
        ["2026-11-21 09:00-10:00"]
    );
}

#[test]
fn whole_days_do_not_block_and_are_listed() {
    let answer =
        calendar(MONDAY).value("free_time", json!({"days": 1, "duration": 60, "from": "2026-11-23"}));
    assert_eq!(answer["whole_days"][0]["title"], "Holiday");
}

#[test]
fn arguments_are_checked() {
    let refused = |args: Value| calendar(MONDAY).error("free_time", args).message;
    assert_eq!(refused(json!({"days": 0, "duration": 60})), "/days: must be from 1 to 31.");
    assert_eq!(refused(json!({"days": 1, "duration": 0})), "/duration: must be from 1 to 1440 minutes.");
    assert_eq!(
        refused(json!({"days": 1, "duration": 30, "between": "morning"})),
        "/between: \"morning\" is not two times such as 09:00-17:00."
    );
}
