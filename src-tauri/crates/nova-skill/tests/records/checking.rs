//! Every problem of a record has its line and a remedy.

use nova_skill::Problem;

use super::{TRIP, note, types};

/// Compares problems as lines: `line problem -> remedy`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let types = types(TRIP);
    let problems = types.get("trip").unwrap().check(&note(text));
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| {
            assert_eq!(problem.path, "Trips/Alps.md");
            format!("{} {} -> {}", problem.line, problem.problem, problem.remedy)
        })
        .collect();
    assert_eq!(lines, expected, "{text}");
}

/// Checks a trip that is valid except for this line, its fourth.
#[track_caller]
fn check_line(line: &str, expected: &str) {
    check(&format!("---\ntype: trip\nstarts: 2026-12-31\n{line}\n---\n"), &[&format!("4 {expected}")]);
}

#[test]
fn valid_record_has_no_problems() {
    check(
        "---\ntype: trip\nname: Alps\nguide: \"[[Jane Doe|Jane]]\"\nstarts: 2026-12-31\nprice: 1250.50\nseats: 3\n\
         booked: true\nmood: Wild\ntags: [a, 2026]\nwith:\n  - \"[[Theo]]\"\nown: [anything, {at: all}]\n---\n",
        &[],
    );
}

#[test]
fn empty_value_is_missing() {
    check(
        "---\ntype: trip\nname:\nguide: \"\"\nstarts: 2026-12-31\nprice: ~\nseats: null\nmood: ' '\ntags: []\nwith:\n  -\n---\n",
        &[],
    );
}

#[test]
fn missing_required_field_is_reported() {
    check("---\ntype: trip\n---\n", &["1 `starts` is missing -> Add it: a trip needs a date."]);
    check("---\ntype: trip\nstarts:\n---\n", &["3 `starts` is empty -> Add it: a trip needs a date."]);
}

#[test]
fn dates() {
    let wrong = |line: &str, shown: &str, remedy: &str| {
        check(&format!("---\ntype: trip\n{line}\n---\n"), &[&format!("3 `starts` is {shown} -> {remedy}")]);
    };
    wrong("starts: 31.12.2026", "`31.12.2026`, which is not a date", "Write it as 2026-12-31.");
    wrong("starts: 2026-12-31T10:00", "`2026-12-31T10:00`, which is not a date", "Write it as 2026-12-31.");
    let form = "Write it as YYYY-MM-DD, such as 2026-12-31.";
    wrong("starts: 2026-02-30", "`2026-02-30`, which is not a date", form);
    wrong("starts: 3/4/2026", "`3/4/2026`, which is not a date", form);
    wrong("starts: 20", "`20`, which is not a date", form);
    wrong("starts: [2026-12-31]", "a list instead of a date", "Write one value after its name.");
    wrong("starts: {on: 1}", "a mapping instead of a date", "Write one value after its name.");
}

#[test]
fn money_is_never_guessed() {
    let no = "which is not a plain decimal";
    check_line("price: 1,250.50", &format!("`price` is `1,250.50`, {no} -> Write it as 1250.50."));
    check_line("price: 1.250,50", &format!("`price` is `1.250,50`, {no} -> Write it as 1250.50."));
    check_line("price: € 12", &format!("`price` is `€ 12`, {no} -> Write it as 12."));
    check_line(
        "price: 1,250",
        &format!("`price` is `1,250`, {no} -> Write it as 1250 or 1.250, whichever is meant."),
    );
    let form = "Write it as digits with at most one point, such as 1250.50.";
    check_line("price: a lot", &format!("`price` is `a lot`, {no} -> {form}"));
    check_line("price: 1e3", &format!("`price` is `1e3`, {no} -> {form}"));
    check_line("price: .nan", &format!("`price` is `.nan`, {no} -> {form}"));
    check_line("price: -1", "`price` is `-1`, which is less than 0 -> Write a number of at least 0.");
    check_line(
        "price: 9999.51",
        "`price` is `9999.51`, which is more than 9999.5 -> Write a number of at most 9999.5.",
    );
}

#[test]
fn integers_and_booleans() {
    let form = "Write it with digits alone, such as 12.";
    check_line("seats: 2.5", &format!("`seats` is `2.5`, which is not a whole number -> {form}"));
    check_line("seats: 1,000", "`seats` is `1,000`, which is not a whole number -> Write it as 1000.");
    check_line("seats: 0", "`seats` is `0`, which is less than 1 -> Write a number of at least 1.");
    check_line("booked: yes", "`booked` is `yes`, which is neither true nor false -> Write it as true.");
    check_line(
        "booked: maybe",
        "`booked` is `maybe`, which is neither true nor false -> Write it as true or false.",
    );
}

#[test]
fn invalid_choice_suggests_the_nearest() {
    check_line(
        "mood: cal",
        "`mood` is `cal`, which is not one of its choices -> Write one of calm, wild, Very wild; the nearest is calm.",
    );
    check_line(
        "mood: unheard of",
        "`mood` is `unheard of`, which is not one of its choices -> Write one of calm, wild, Very wild.",
    );
}

#[test]
fn currency_must_be_a_code() {
    let types = types("sum: { folder: S, fields: { currency: { kind: currency, codes: [BTC] } } }");
    let sum = types.get("sum").unwrap();
    let said = |value: &str| {
        let problems = sum.check(&note(&format!("---\ntype: sum\ncurrency: {value}\n---\n")));
        let text = |problem: &Problem| format!("{} {} {}", problem.line, problem.problem, problem.remedy);
        problems.first().map(text).unwrap_or_default()
    };
    for fine in ["EUR", "usd", "BTC", "''"] {
        assert_eq!(said(fine), "", "{fine}");
    }
    let form = "Write its code of three letters, such as EUR or USD.";
    assert_eq!(said("Euro"), format!("3 `currency` is `Euro`, which is not a currency {form}"));
    assert_eq!(said("€"), format!("3 `currency` is `€`, which is not a currency {form}"));
    assert_eq!(
        said("EUT"),
        "3 `currency` is `EUT`, which is not a currency Write its code of three letters; the nearest is EUR."
    );
    assert_eq!(said("[EUR]"), "3 `currency` is a list instead of a currency Write one value after its name.");
}

#[test]
fn name_without_brackets_is_not_a_link() {
    let text = "not a link; it is read as a note's name";
    check_line(
        "guide: Jane Doe",
        &format!("`guide` is the text `Jane Doe`, {text} -> Write it as \"[[Jane Doe]]\"."),
    );
    check_line(
        "guide: '[Jane](Jane.md)'",
        &format!(
            "`guide` is the text `[Jane](Jane.md)`, {text} -> Write it as a link in quotes, such as \"[[Name]]\"."
        ),
    );
    for fine in ["[[Jane Doe]]", "[[Acme, Inc]]", "[[Acme, Inc#Log|A, the firm]]"] {
        check(&format!("---\ntype: trip\nstarts: 2026-12-31\nguide: {fine}\n---\n"), &[]);
    }
    check_line(
        "guide: [[1, 2]]",
        "`guide` is a list instead of a link -> Write it as a link in quotes, such as \"[[Name]]\".",
    );
    check_line("guide: [Jane]", "`guide` is a list instead of a link -> Write it as \"[[Jane]]\".");
    check_line(
        "with: ['[[Theo]]', Jane]",
        "`with` has the item `Jane`, which is a text, not a link -> Write it as \"[[Jane]]\".",
    );
}

#[test]
fn texts_and_lists_are_distinct() {
    check_line("tags: dairy", "`tags` is `dairy` instead of a list -> Write it as [dairy].");
    check_line("tags: a, b", "`tags` is `a, b` instead of a list -> Write it as [a, b].");
    check_line("with: Theo", "`with` is `Theo` instead of a list -> Write it as [\"[[Theo]]\"].");
    check_line("with: '[[Theo]]'", "`with` is `[[Theo]]` instead of a list -> Write it as [\"[[Theo]]\"].");
    check_line(
        "with: [[Acme, Inc]]",
        "`with` is `[[Acme, Inc]]` instead of a list -> Write it as [\"[[Acme, Inc]]\"].",
    );
    check_line(
        "tags: [a, [b, c]]",
        "`tags` has the item `b, c`, which is not one value -> Write each item as one text.",
    );
    check_line("name: [a, b]", "`name` is a list instead of a text -> Write one value after its name.");
}

#[test]
fn all_problems_are_reported_in_line_order() {
    check(
        "---\ntype: trip\ntags: x\nstarts: soon\nprice: '€'\n---\n",
        &[
            "3 `tags` is `x` instead of a list -> Write it as [x].",
            "4 `starts` is `soon`, which is not a date -> Write it as YYYY-MM-DD, such as 2026-12-31.",
            "5 `price` is `€`, which is not a plain decimal -> Write it as digits with at most one point, such as 1250.50.",
        ],
    );
}

#[test]
fn long_value_is_truncated_quickly() {
    let long = "9,".repeat(20_000);
    let types = types(TRIP);
    let text = format!(
        "---\ntype: trip\nstarts: {long}\nprice: {long}\nmood: {long}\nguide: {long}\ntags: {long}\n---\n"
    );
    let problems = types.get("trip").unwrap().check(&note(&text));
    assert!(problems.iter().all(|problem| problem.problem.len() < 200 && problem.remedy.len() < 200));
    assert_eq!(problems.len(), 5, "{problems:?}");
}
