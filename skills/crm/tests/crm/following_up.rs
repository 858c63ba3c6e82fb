//! Whom to talk to next. Today is 2026-11-21, a Saturday.

use nova_skill::{Value, json};

use crate::crm;

const VAULT: &str = r#"
//- P/Ilse.md
---
type: contact
name: Ilse Brandvik
company: "[[Fernhill Dairy]]"
email: ilse@fernhill.example
last_contact: 2026-11-10
next_contact: 2026-11-17
---
//- P/Today.md
---
type: contact
name: Today
next_contact: 2026-11-21
---
//- P/Sixth.md
---
type: contact
name: In six days
next_contact: 2026-11-27
---
//- P/Seventh.md
---
type: contact
name: In seven days
next_contact: 2026-11-28
---
//- P/Nobody.md
---
type: contact
name: No date
---
//- P/Broken.md
---
type: contact
name: Broken
next_contact: soon
---
//- D/First.md
---
type: deal
title: Audit
contact: "[[Ilse]]"
stage: won
close_date: 2026-10-01
---
//- D/Second.md
---
type: deal
title: Second store
contact: "[[Ilse]]"
stage: lead
---
//- D/Third.md
---
type: deal
title: Revised quote
contact: "[[Ilse]]"
stage: proposal
close_date: 2026-12-11
---
"#;

fn groups(answer: &Value) -> Vec<(&str, &str)> {
    let rows = answer["follow_ups"].as_array().unwrap().iter();
    rows.map(|row| (row["name"].as_str().unwrap(), row["group"].as_str().unwrap())).collect()
}

#[test]
fn overdue_this_week_and_later() {
    let answer = crm(VAULT).value("follow_ups", json!({}));
    assert_eq!(
        groups(&answer),
        [
            ("Ilse Brandvik", "overdue"),
            ("Today", "this_week"),
            ("In six days", "this_week"),
            ("In seven days", "later"),
        ]
    );
    let counts = ["overdue", "this_week", "later", "without_date"].map(|key| answer[key].as_u64().unwrap());
    assert_eq!(counts, [1, 2, 1, 1]);
    assert_eq!(
        answer["problems"],
        json!([{
            "path": "P/Broken.md", "line": 4,
            "problem": "Broken is not among the follow-ups: `next_contact` is `soon`, which is not a date",
            "remedy": "Write it as YYYY-MM-DD, such as 2026-12-31.",
        }])
    );
}

#[test]
fn a_row_says_how_to_reach_them_and_what_is_open() {
    assert_eq!(
        crm(VAULT).value("follow_ups", json!({}))["follow_ups"][0],
        json!({
            "name": "Ilse Brandvik", "group": "overdue", "next_contact": "2026-11-17", "company": "Fernhill Dairy",
            "last_contact": "2026-11-10", "email": "ilse@fernhill.example", "deal": "Revised quote",
            "path": "P/Ilse.md",
        })
    );
}

#[test]
fn until_a_day_leaves_out_what_comes_after_it() {
    let answer = crm(VAULT).value("follow_ups", json!({"until": "2026-11-21"}));
    assert_eq!(groups(&answer), [("Ilse Brandvik", "overdue"), ("Today", "this_week")]);
    assert_eq!(answer["later"], 1, "the counts are of all");
    let error = crm(VAULT).error("follow_ups", json!({"until": "friday"}));
    assert_eq!(error.message, "/until: \"friday\" is not a date YYYY-MM-DD.");
}

#[test]
fn among_ten_thousand_people_each_is_found_and_counted() {
    const PEOPLE: usize = 10_000;
    let crm = crm("");
    for at in 0..PEOPLE {
        let month = 1 + at % 12;
        let note = format!(
            "---\ntype: contact\nname: Person {at}\nemail: p{at}@tern.example\nnext_contact: 2026-{month:02}-15\n---\n"
        );
        crm.vault.write(&format!("CRM/People/{}/Person {at}.md", at / 1000), &note);
    }
    let due = crm.value("follow_ups", json!({"until": "2026-01-31"}));
    // Eleven of twelve months are over by their fifteenth; the first four have one person more.
    assert_eq!((due["overdue"].as_u64(), due["later"].as_u64()), (Some(4 * 834 + 7 * 833), Some(833)));
    assert_eq!(due["follow_ups"].as_array().unwrap().len(), 834);
    assert_eq!(crm.value("get_contact", json!({"name": "person 9999"}))["email"], "p9999@tern.example");
    let twice = crm.error("add_contact", json!({"name": "Other", "email": "P1234@tern.example"}));
    assert!(twice.message.contains("Person 1234"), "{twice}");
}
