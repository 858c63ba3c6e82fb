//! Logging interactions. Today is 2026-11-21.

use nova_protocol::ErrorCode;
use nova_skill::{Value, json};

use crate::{PEOPLE, crm};

const JANE: &str = "CRM/People/Jane Doe.md";

/// Checks that the note changes by `edits` (from, to) and in no other byte.
#[track_caller]
fn check(vault: &str, args: Value, path: &str, edits: &[(&str, &str)]) -> Value {
    let crm = crm(vault);
    let mut expected = crm.vault.read(path);
    for (from, to) in edits {
        assert_eq!(expected.matches(from).count(), 1, "{from:?} is there once");
        expected = expected.replace(from, to);
    }
    let outcome = crm.call("log_interaction", args);
    assert_eq!(crm.vault.read(path), expected);
    assert_eq!(outcome.changes.len(), 1, "one note, one change set");
    outcome.result.unwrap()
}

#[test]
fn interaction_of_today_is_appended_and_sets_last_contact() {
    let answer = check(
        PEOPLE,
        json!({"name": "Jane Doe", "text": " She wants two references. "}),
        JANE,
        &[
            ("last_contact: 2026-11-12", "last_contact: 2026-11-21"),
            ("Call: two years.\n", "Call: two years.\n- 2026-11-21 She wants two references.\n"),
        ],
    );
    assert_eq!(answer["logged"], "- 2026-11-21 She wants two references.");
    assert_eq!(
        (&answer["last_contact"], &answer["next_contact"]),
        (&json!("2026-11-21"), &json!("2026-11-24")),
        "a date still to come stays"
    );
}

#[test]
fn earlier_interaction_is_inserted_before_later_ones() {
    check(
        PEOPLE,
        json!({"name": "Jane Doe", "text": "Met in Lisbon.", "date": "2026-10-29"}),
        JANE,
        &[("- 2026-11-12 Call", "- 2026-10-29 Met in Lisbon.\n- 2026-11-12 Call")],
    );
    check(
        PEOPLE,
        json!({"name": "Jane Doe", "text": "Mail.", "date": "2026-11-12"}),
        JANE,
        &[("Call: two years.\n", "Call: two years.\n- 2026-11-12 Mail.\n")],
    );
}

#[test]
fn a_note_without_a_log_gets_one() {
    check(
        PEOPLE,
        json!({"name": "Theo", "text": "Lunch."}),
        "Friends/Theo.md",
        &[
            ("stage: customer # since June\n", "stage: customer # since June\nlast_contact: 2026-11-21\n"),
            ("Met in Lisbon.\n", "Met in Lisbon.\n\n## Log\n- 2026-11-21 Lunch.\n"),
        ],
    );
}

#[test]
fn multiline_text_is_one_entry() {
    check(
        PEOPLE,
        json!({"name": "Jane Doe", "text": "Three points:\n\n- price\n## seats\n", "date": "2026-11-12"}),
        JANE,
        &[("Call: two years.\n", "Call: two years.\n- 2026-11-12 Three points:\n  - price\n  ## seats\n")],
    );
}

#[test]
fn keeps_windows_line_endings() {
    let note = "---\r\ntype: contact\r\nname: Al\r\n---\r\n## Log\r\n\r\n- 2026-11-20 Later.\r\n";
    let crm = crm("");
    crm.vault.write("Al.md", note);
    crm.value("log_interaction", json!({"name": "Al", "text": "Sooner.", "date": "2026-11-19"}));
    assert_eq!(
        crm.vault.read("Al.md"),
        "---\r\ntype: contact\r\nname: Al\r\nlast_contact: 2026-11-19\r\n---\r\n## Log\r\n\r\n- 2026-11-19 Sooner.\r\n\
         - 2026-11-20 Later.\r\n"
    );
}

const DUE: &str = "//- A.md\n---\ntype: contact\nname: Ilse\nlast_contact: 2026-11-10\nnext_contact: 2026-11-17\n---\n## Log\n";

#[test]
fn interaction_clears_a_due_next_contact() {
    let note = ("last_contact: 2026-11-10", "last_contact: 2026-11-21");
    let line = ("## Log\n", "## Log\n- 2026-11-21 Called.\n");
    let text = json!("Called.");
    check(
        DUE,
        json!({"name": "Ilse", "text": text}),
        "A.md",
        &[note, line, ("next_contact: 2026-11-17\n", "")],
    );
    check(
        DUE,
        json!({"name": "Ilse", "text": text, "next_contact": "2026-12-01"}),
        "A.md",
        &[note, line, ("next_contact: 2026-11-17", "next_contact: 2026-12-01")],
    );
    check(
        DUE,
        json!({"name": "Ilse", "text": "Called.", "date": "2026-11-16"}),
        "A.md",
        &[
            ("last_contact: 2026-11-10", "last_contact: 2026-11-16"),
            ("## Log\n", "## Log\n- 2026-11-16 Called.\n"),
        ],
    );
}

#[track_caller]
fn refuses(args: Value, code: ErrorCode, message: &str) {
    let crm = crm(PEOPLE);
    let before = crm.vault.read(JANE);
    let error = crm.error("log_interaction", args);
    assert_eq!((error.code, error.message.as_str()), (code, message));
    assert_eq!(crm.vault.read(JANE), before);
}

#[test]
fn rejects_future_date_and_other_invalid_arguments() {
    let invalid = ErrorCode::InvalidArguments;
    refuses(
        json!({"name": "Jane Doe", "text": "Call.", "date": "2026-11-22"}),
        invalid,
        "/date: 2026-11-22 is after today, 2026-11-21, and cannot have happened; a future day belongs in next_contact.",
    );
    refuses(
        json!({"name": "Jane Doe", "text": "Call.", "date": "2026-02-30"}),
        invalid,
        "/date: \"2026-02-30\" is not a date YYYY-MM-DD.",
    );
    refuses(
        json!({"name": "Jane Doe", "text": " \n "}),
        invalid,
        "/text: must not be empty; say what happened.",
    );
    refuses(
        json!({"name": "Jane", "text": "Call."}),
        ErrorCode::Ambiguous,
        "Several contacts match \"Jane\": Jane Doe (Quillon Labs), Jane Roe (Fernhill Dairy).",
    );
}

#[test]
fn invalid_date_is_not_overwritten() {
    let crm = crm("//- A.md\n---\ntype: contact\nname: Al\nlast_contact: yesterday\n---\n");
    let error = crm.error("log_interaction", json!({"name": "Al", "text": "Call."}));
    assert_eq!(error.message, "A.md, line 4: `last_contact` is `yesterday`, which is not a date.");
}

#[test]
fn ignores_log_heading_in_a_code_block() {
    let fenced = "````\n```\n## Log\n- 2026-11-20 An example.\n````\n\n";
    check(
        &format!(
            "//- A.md\n---\ntype: contact\nname: Al\nlast_contact: 2026-11-20\n---\n{fenced}## Log\n- 2026-11-20 Later.\n"
        ),
        json!({"name": "Al", "text": "Sooner.", "date": "2026-11-19"}),
        "A.md",
        &[("- 2026-11-20 Later.", "- 2026-11-19 Sooner.\n- 2026-11-20 Later.")],
    );
}
