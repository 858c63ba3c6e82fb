//! Due follow-ups. Today is 2026-11-21, a Saturday.

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
fn follow_ups_are_grouped_by_due_date() {
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
fn row_has_contact_details_and_the_open_deal() {
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
fn until_excludes_later_dates() {
    let answer = crm(VAULT).value("follow_ups", json!({"until": "2026-11-21"}));
    assert_eq!(groups(&answer), [("Ilse Brandvik", "overdue"), ("Today", "this_week")]);
    assert_eq!(answer["later"], 1, "the counts are of all");
    let error = crm(VAULT).error("follow_ups", json!({"until": "friday"}));
    assert_eq!(error.message, "/until: \"friday\" is not a date YYYY-MM-DD.");
}

#[test]
fn ten_thousand_contacts_are_found_and_counted() {
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
    // For eleven months the 15th has passed; the first four months have one contact more.
    assert_eq!((due["overdue"].as_u64(), due["later"].as_u64()), (Some(4 * 834 + 7 * 833), Some(833)));
    assert_eq!(due["follow_ups"].as_array().unwrap().len(), 834);
    assert_eq!(crm.value("get_contact", json!({"name": "person 9999"}))["email"], "p9999@tern.example");
    let twice = crm.error("add_contact", json!({"name": "Other", "email": "P1234@tern.example"}));
    assert!(twice.message.contains("Person 1234"), "{twice}");
}

#[test]
fn cadence_counts_from_last_contact_unless_a_date_is_planned() {
    let people = "
//- P/Two.md
---
type: contact
name: Two weeks
last_contact: 2026-11-07
every: 2 weeks
---
//- P/Late.md
---
type: contact
name: Late
last_contact: 2026-09-30
kontakt_alle: Monat
every: month
---
//- P/Planned.md
---
type: contact
name: Planned
last_contact: 2026-01-01
every: month
next_contact: 2026-12-24
---
//- P/Never.md
---
type: contact
name: Never met
every: quarterly
---
//- P/Odd.md
---
type: contact
name: Odd
every: now and then
---
";
    let answer = crm(people).value("follow_ups", json!({}));
    assert_eq!(
        groups(&answer),
        [("Late", "overdue"), ("Never met", "this_week"), ("Two weeks", "this_week"), ("Planned", "later")]
    );
    let row = |at: usize, key: &str| answer["follow_ups"][at][key].clone();
    assert_eq!((row(0, "next_contact"), row(0, "every")), (json!("2026-10-30"), json!("every month")));
    assert_eq!((row(2, "next_contact"), row(2, "every")), (json!("2026-11-21"), json!("every 2 weeks")));
    assert_eq!(row(3, "every"), json!(null), "the day was planned");
    assert_eq!((&answer["overdue"], &answer["without_date"]), (&json!(1), &json!(0)));
    assert_eq!(
        answer["problems"],
        json!([{
            "path": "P/Odd.md", "line": 4,
            "problem": "Odd is not among the follow-ups: `every` is `now and then`, which cannot be read",
            "remedy": "Write it as 2 weeks, month or 3 months.",
        }])
    );
}

#[test]
fn logged_interaction_restarts_the_cadence() {
    let crm = crm(
        "//- P/Two.md\n---\ntype: contact\nname: Two weeks\nlast_contact: 2026-11-01\nevery: 2 weeks\n---\n",
    );
    assert_eq!(groups(&crm.value("follow_ups", json!({}))), [("Two weeks", "overdue")]);
    crm.value("log_interaction", json!({"name": "Two weeks", "text": "Called."}));
    assert_eq!(crm.value("follow_ups", json!({}))["follow_ups"][0]["next_contact"], "2026-12-05");
}

/// Checks the date by a cadence; `None` expects a problem.
#[track_caller]
fn cadence(text: &str, last: &str, expected: Option<&str>) {
    let note =
        format!("//- P/Ada.md\n---\ntype: contact\nname: Ada\nlast_contact: {last}\nevery: {text}\n---\n");
    let answer = crm(&note).value("follow_ups", json!({}));
    assert_eq!(answer["follow_ups"][0]["next_contact"], json!(expected), "{text} after {last}: {answer}");
    assert_eq!(answer["problems"].is_array(), expected.is_none(), "{text}: {answer}");
}

#[test]
fn parses_cadences_in_words() {
    cadence("2 weeks", "2026-11-09", Some("2026-11-23"));
    cadence("Every month", "2026-01-31", Some("2026-02-28"));
    cadence("quarterly", "2026-11-30", Some("2027-02-28"));
    cadence("10 days", "2026-11-25", Some("2026-12-05"));
    cadence("alle 6 Monate", "2026-05-01", Some("2026-11-01"));
    cadence("year", "2024-02-29", Some("2025-02-28"));
    cadence("1000 years", "9999-01-01", Some("9999-12-31"));
}

#[test]
fn invalid_cadence_is_reported() {
    for text in ["often", "0 weeks", "-1 week", "1001 days", "2", "two weeks", "every", "2 weeks ago"] {
        cadence(text, "2026-11-09", None);
    }
}
