use nova_skill::json;
use nova_testkit::SkillInVault;

use crate::budget;

fn with_file(text: &str) -> SkillInVault {
    let budget = budget("");
    budget.vault.write_bytes("bank.csv", text.as_bytes());
    budget
}

#[track_caller]
fn refused(text: &str, says: &str) {
    let budget = with_file(text);
    let before = budget.vault.files();
    let error = budget.error("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!(error.message, says);
    assert!(error.hint.len() < 200, "{}", error.hint);
    assert_eq!(budget.vault.files(), before);
}

/// A header and two rows with this many columns: a date, an amount and others.
fn wide(columns: usize) -> String {
    let row = |first: &str, second: &str, other: &str| {
        format!("{first};{second}{}\n", format!(";{other}").repeat(columns - 2))
    };
    row("Date", "Amount", "Column")
        + &row("2026-11-20", "-1.50", "1.00")
        + &row("2026-11-21", "-2.50", "1.00")
}

#[test]
fn too_many_columns_are_refused() {
    refused(
        &wide(100_000),
        "bank.csv, line 1: it has 100000 cells; a row of at most 200 cells can be imported.",
    );
    refused(&wide(201), "bank.csv, line 1: it has 201 cells; a row of at most 200 cells can be imported.");
    let proposal =
        with_file(&wide(200)).value("import_transactions", json!({"path": "bank.csv", "dry_run": true}));
    assert_eq!(proposal["needs_confirmation"], true);
}

#[test]
fn too_long_row_is_refused() {
    let file = |length: usize| {
        format!("Date;Payee;Amount\n2026-11-20;{};-1.50\n2026-11-21;B;-2.50\n", "x".repeat(length))
    };
    // The date has 10 bytes, the amount 5.
    refused(
        &file(31_986),
        "bank.csv, line 2: it has 32001 bytes; a row of at most 32000 bytes can be imported.",
    );
    let proposal = with_file(&file(31_985)).value("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!(proposal["needs_confirmation"], true);
}

#[test]
fn limits_hold_for_the_delimiter_in_use() {
    // Read with commas, the second row has 400 cells.
    let text = format!("Date;Memo;Amount\n2026-11-20;{};-1.50\n2026-11-21;b;-2.50\n", "a,".repeat(400));
    let proposal = with_file(&text).value("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!(proposal["mapping"]["delimiter"], "semicolon");
}
