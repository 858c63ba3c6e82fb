//! Upcoming birthdays. Today is 2026-11-21.

use nova_skill::{Value, json};

use crate::crm;

const PEOPLE: &str = "
//- P/Today.md
---
type: contact
name: Odile Farrow
company: \"[[Pinecrest Clinics]]\"
birthday: 1990-11-21
---
//- P/Without.md
---
type: contact
name: Ravi Penhale
birthday: --11-27
---
//- P/Short.md
---
type: contact
name: Ada Byron
geburtstag: none
birthday: 12-10
---
//- P/Leap.md
---
type: contact
name: Leap
birthday: 2004-02-29
---
//- P/Odd.md
---
type: contact
name: Odd
birthday: 14 March
---
//- P/None.md
---
type: contact
name: None
---
";

#[test]
fn birthdays_are_sorted_by_date_with_the_age_if_known() {
    let answer = crm(PEOPLE).value("birthdays", json!({}));
    assert_eq!(
        answer["birthdays"],
        json!([
            {"name": "Odile Farrow", "date": "2026-11-21", "path": "P/Today.md", "company": "Pinecrest Clinics", "turns": "turns 36"},
            {"name": "Ravi Penhale", "date": "2026-11-27", "path": "P/Without.md"},
            {"name": "Ada Byron", "date": "2026-12-10", "path": "P/Short.md"},
        ])
    );
    assert_eq!((&answer["from"], &answer["to"]), (&json!("2026-11-21"), &json!("2026-12-20")));
    assert_eq!(
        answer["problems"],
        json!([{
            "path": "P/Odd.md", "line": 4,
            "problem": "Odd is not among the birthdays: `birthday` is `14 March`, which cannot be read",
            "remedy": "Write it as 1990-03-14, or as --03-14 without the year.",
        }])
    );
}

#[test]
fn period_is_given_by_first_day_and_length() {
    let crm = crm(PEOPLE);
    let answer = crm.value("birthdays", json!({"from": "2027-02-01", "days": 28}));
    assert_eq!((&answer["count"], &answer["birthdays"][0]["date"]), (&json!(1), &json!("2027-02-28")));
    assert_eq!(crm.value("birthdays", json!({"days": 366}))["count"], 4, "each once");
    let error = crm.error("birthdays", json!({"from": "tomorrow"}));
    assert_eq!(error.message, "/from: \"tomorrow\" is not a date YYYY-MM-DD.");
}

#[test]
fn birthday_and_cadence_are_written_verbatim_or_rejected() {
    let crm = crm("");
    crm.value("add_contact", json!({"name": "Mara", "birthday": "--03-14", "every": "2 weeks"}));
    let note = crm.vault.read("CRM/People/Mara.md");
    assert!(note.contains("\nbirthday: --03-14\n") && note.contains("\nevery: 2 weeks\n"), "{note}");
    crm.value("update_contact", json!({"name": "Mara", "birthday": "1990-03-14", "every": null}));
    let note = crm.vault.read("CRM/People/Mara.md");
    assert!(note.contains("\nbirthday: 1990-03-14\n") && !note.contains("every"), "{note}");
    let error = crm.error("update_contact", json!({"name": "Mara", "birthday": "02-30"}));
    assert_eq!(
        error.message,
        "/birthday: \"02-30\" is not a birthday; write 1990-03-14, or --03-14 without the year."
    );
    let error = crm.error("add_contact", json!({"name": "Noor", "every": "often"}));
    assert_eq!(error.message, "/every: \"often\" is not a cadence; write 2 weeks, month or 3 months.");
}

/// Checks the next birthday within a year, and the age, of a contact with `birthday: {text}`.
#[track_caller]
fn next(text: &str, from: &str, expected: Option<(&str, Option<&str>)>) {
    let note = format!("//- P/Ada.md\n---\ntype: contact\nname: Ada\nbirthday: {text}\n---\n");
    let answer = crm(&note).value("birthdays", json!({"from": from, "days": 366}));
    let row = &answer["birthdays"][0];
    let found = (&row["date"], &row["turns"]);
    let expected = expected.map_or((Value::Null, Value::Null), |(date, age)| (json!(date), json!(age)));
    assert_eq!(found, (&expected.0, &expected.1), "{text} from {from}: {answer}");
    assert_eq!(answer["problems"].is_array(), expected.0.is_null(), "{text}: {answer}");
}

#[test]
fn next_birthday_is_on_or_after_the_first_day() {
    next("1990-11-23", "2026-11-23", Some(("2026-11-23", Some("turns 36"))));
    next("1990-11-22", "2026-11-23", Some(("2027-11-22", Some("turns 37"))));
    next("--01-02", "2026-12-30", Some(("2027-01-02", None)));
    next("03-14", "2026-03-01", Some(("2026-03-14", None)));
    next("2030-03-14", "2026-03-01", Some(("2026-03-14", None)));
}

#[test]
fn leap_day_birthday_falls_on_28_february_in_common_years() {
    next("2000-02-29", "2026-02-01", Some(("2026-02-28", Some("turns 26"))));
    next("02-29", "2028-02-01", Some(("2028-02-29", None)));
    next("--02-29", "2027-03-01", Some(("2028-02-29", None)));
}

#[test]
fn invalid_birthday_is_reported() {
    for text in
        ["14 March", "02-30", "13-01", "--3-14", "---03-14", "1990-02-29", "1990", "03-14-1990", "１２-01"]
    {
        next(text, "2026-01-01", None);
    }
}
