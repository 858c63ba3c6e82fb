//! Recurrence rules, compared with results of the plugin Tasks' own library.

use jiff::civil::Date;

use crate::RecurrenceRule;

fn next(rule: &str, reference: &str, today: &str) -> String {
    let date = |text: &str| text.parse::<Date>().unwrap();
    match RecurrenceRule::parse(rule) {
        None => "unreadable".to_owned(),
        Some(rule) => {
            rule.next(date(reference), date(today)).map_or("over".to_owned(), |date| date.to_string())
        }
    }
}

#[test]
fn next_days_equal_those_of_the_library() {
    let mut wrong = Vec::new();
    let rows = include_str!("recurrence.tsv").lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for row in rows {
        let [rule, reference, today, expected] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let got = next(rule, reference, today);
        if got != expected {
            wrong.push(format!("{row}: {got}"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 700, "{count}");
}

/// The sequences in the plugin's manual, *Recurring Tasks*.
#[test]
fn sequences_of_the_manual() {
    for (rule, days) in [
        (
            "every month on the last",
            &["2022-01-31", "2022-02-28", "2022-03-31", "2022-04-30", "2022-05-31", "2022-06-30"][..],
        ),
        (
            "every month",
            &["2021-10-31", "2021-11-30", "2021-12-30", "2022-01-30", "2022-02-28", "2022-03-28"][..],
        ),
        (
            "every month on the 31st",
            &["2022-01-31", "2022-03-31", "2022-05-31", "2022-07-31", "2022-08-31"][..],
        ),
        ("every 3 months", &["2022-01-31", "2022-04-30", "2022-07-30"][..]),
        ("every 2 years", &["2024-02-29", "2026-02-28"][..]),
    ] {
        for two in days.windows(2) {
            assert_eq!(next(rule, two[0], "2030-01-01"), two[1], "{rule} after {}", two[0]);
        }
    }
}

#[test]
fn hostile_rules_are_evaluated_in_bounded_time() {
    for rule in [
        "every 4294967295 years",
        "every 99999999999 days",
        "every 4294967295 hours",
        "every 4294967295 weeks on Monday",
        "every 4000000000 months on the 31st",
        "every month on the 30th in February",
        "every day for 0 times",
        "every day until",
        "every day until 31 31 31",
        "every year on the 366th last Monday",
        "every ,,,,,,,,,,,,,,,,",
    ] {
        next(rule, "2026-11-26", "2026-11-26");
        next(&format!("{rule} when done"), "9999-12-31", "9999-12-31");
    }
    next(&"every day and ".repeat(10_000), "2026-11-26", "2026-11-26");
}
