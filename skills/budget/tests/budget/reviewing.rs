//! The data of the import sheet before anything is written, and the effect of its answers.

use std::sync::Arc;

use nova_protocol::Event;
use nova_skill::{GivenFile, GivenFiles, Value, json};
use nova_testkit::SkillInVault;

use crate::budget;

struct Dropped(Vec<u8>);

impl GivenFiles for Dropped {
    fn get(&self, name: &str) -> Option<Arc<GivenFile>> {
        (name == "given:1/bank.csv")
            .then(|| Arc::new(GivenFile { name: "bank.csv".into(), bytes: self.0.clone() }))
    }
}

/// A vault with these notes, and a file dropped from outside the vault.
fn with_file(notes: &str, bytes: &[u8]) -> SkillInVault {
    let mut budget = budget(notes);
    budget.given = Arc::new(Dropped(bytes.to_vec()));
    budget
}

fn call(more: Value) -> Value {
    let mut call = json!({"path": "given:1/bank.csv", "currency": "EUR"});
    for (key, value) in more.as_object().unwrap() {
        call[key] = value.clone();
    }
    call
}

fn review(budget: &SkillInVault) -> Value {
    budget.value("import_transactions", call(json!({"review": true})))
}

/// Checks the error of reviewing a file that cannot be imported.
#[track_caller]
fn refused(bytes: &[u8], message: &str, remedy: &str) {
    let error = with_file("", bytes)
        .error("import_transactions", json!({"path": "given:1/bank.csv", "review": true}));
    assert_eq!(error.message, message);
    assert!(error.hint.contains(remedy), "{error}");
}

const NOTES: &str = "
//- Budget/Expenses/2026/Coffee.md
---
type: expense
date: 2026-11-18
amount: 2.10
currency: EUR
payee: Ember
recurring: weekly
account: Giro
---
//- Budget/Rules/R.md
---
type: rule
match: corner
category: groceries
---
";

const FILE: &str = "Date,Payee,Amount
2026-11-14,Corner Market,-54.20
2026-11-17,Ostler & Finch,-182.00
2026-11-19,Cafe Ember,-2.10
2026-11-20,Quillon Labs,2400.00
";

#[test]
fn review_lists_every_entry_and_writes_nothing() {
    let budget = with_file(NOTES, FILE.as_bytes());
    let before = budget.vault.files();
    let review = review(&budget);
    assert_eq!(budget.vault.files(), before);
    assert_eq!(
        (&review["file"], &review["from"], &review["to"]),
        (&json!("bank.csv"), &json!("2026-11-14"), &json!("2026-11-20"))
    );
    assert_eq!(
        (&review["total"], &review["by_rule"], &review["imported"]),
        (&json!(4), &json!(1), &json!(0))
    );
    assert_eq!(
        review["columns"][1],
        json!({
            "name": "Payee", "column": "Payee", "means": "payee",
            "examples": ["Corner Market", "Ostler & Finch", "Cafe Ember"],
        })
    );
    let twin = &review["entries"][1];
    assert_eq!((&twin["line"], &twin["is_open"]), (&json!(4), &json!(true)));
    assert_eq!(
        twin["twin"],
        json!({
            "path": "Budget/Expenses/2026/Coffee.md", "payee": "Ember", "memo": null,
            "date": "2026-11-18", "amount": "2.10", "repeats": "weekly", "days": 1,
        })
    );
    let first = &review["entries"][3];
    assert_eq!((&first["category"], &first["category_from"]), (&json!("groceries"), &json!("rule")));
    assert_eq!(review["questions"], json!([]));
}

#[test]
fn review_of_a_long_file_reports_progress() {
    let rows: String = (0..4800).map(|n| format!("2026-11-{:02},Payee {n},-1.50\n", n % 28 + 1)).collect();
    let budget = with_file("", format!("Date,Payee,Amount\n{rows}").as_bytes());
    assert_eq!(review(&budget)["rows"], 4800);
    let message = |event| match event {
        Event::ToolCallProgress { message, .. } => message,
        _ => None,
    };
    let reports: Vec<String> = budget.events.events().into_iter().filter_map(message).collect();
    assert_eq!(reports.first().map(String::as_str), Some("Reading 240 of 4,800 lines"));
    assert!(reports.iter().any(|report| report == "Reading 1,200 of 4,800 lines"), "{reports:?}");
    assert!(reports.len() <= 20, "{reports:?}");
}

#[test]
fn lines_are_skipped_categorised_and_made_rules_as_decided() {
    let budget = with_file(NOTES, FILE.as_bytes());
    let mapping = review(&budget)["mapping"].clone();
    let lines = json!([
        {"line": 4, "import": false},
        {"line": 3, "category": "office", "rule": true},
        {"line": 5, "import": false},
    ]);
    let done = budget
        .value("import_transactions", call(json!({"mapping": mapping, "lines": lines, "remember": false})));
    assert_eq!(done["summary"], "2 imported, 2 left out");
    let text = budget.vault.read("Budget/Expenses/2026/2026-11-17 Ostler & Finch 182.00.md");
    assert!(text.contains("category: office"), "{text}");
    let rule = budget.vault.read("Budget/Rules/Ostler & Finch is office.md");
    assert!(rule.contains("match: Ostler & Finch\ncategory: office"), "{rule}");
    assert!(!budget.vault.files().iter().any(|file| file.contains("Banks")), "nothing is remembered");
    assert_eq!(review(&budget)["already_there"], 2);
}

#[test]
fn import_requires_an_answer_for_each_duplicate() {
    let budget = with_file(NOTES, FILE.as_bytes());
    let mapping = review(&budget)["mapping"].clone();
    let open = budget.value("import_transactions", call(json!({"mapping": mapping})));
    assert_eq!(open["needs_confirmation"], true);
    let both = json!([{"line": 4, "import": true}]);
    let done = budget.value("import_transactions", call(json!({"mapping": mapping, "lines": both})));
    assert_eq!(done["imported"], 4);
}

#[test]
fn asks_only_about_ambiguities() {
    let notes = "
//- A.md
---
type: expense
date: 2026-01-02
amount: 1
currency: EUR
account: Giro
---
//- B.md
---
type: expense
date: 2026-01-02
amount: 1
currency: EUR
account: Card
---
";
    let file = "Date;Payee;Amount\n03/04/2026;Kiosk;5,10\n03/04/2026;Kiosk;6,10\n";
    let review = review(&with_file(notes, file.as_bytes()));
    let questions = review["questions"].as_array().unwrap();
    let asked: Vec<String> = questions
        .iter()
        .map(|question| {
            let labels: Vec<&str> = question["choices"]
                .as_array()
                .unwrap()
                .iter()
                .map(|choice| choice["label"].as_str().unwrap())
                .collect();
            format!("{} {}", question["question"].as_str().unwrap(), labels.join(" | "))
        })
        .collect();
    assert_eq!(
        asked,
        [
            "No amount has a minus sign. What are they? Expenses | Income",
            "Which day is 03/04/2026? 3 April 2026 | 4 March 2026",
            "Which account is this file from? Card | Giro",
        ]
    );
    assert_eq!(questions[1]["choices"][0]["value"], "DD/MM/YYYY");
}

#[test]
fn rejects_other_file_formats_with_a_remedy() {
    refused(b"%PDF-1.7\n...", "bank.csv is a PDF.", "Export CSV at your bank");
    refused(b"PK\x03\x04....", "bank.csv is a spreadsheet.", "Save it as CSV");
    refused(b"<?xml version=\"1.0\"?><Document/>", "bank.csv is an XML file.", "Export CSV");
    refused(b"", "bank.csv is empty.", "Export");
    refused(b"2026-11-14\n2026-11-15\n", "bank.csv has one column only.", "a column each for the date");
    refused(
        b"Date,Payee,Amount\n2026-11-14,\"Kiosk,-5.10\n2026-11-15,Kiosk,-6.10\n",
        "bank.csv, line 2: a quotation mark is not closed.",
        "Correct the line",
    );
}

#[test]
fn repeated_headers_are_skipped_and_different_ones_reported() {
    let twice = "Date,Payee,Amount\n2026-11-14,Kiosk,-5.10\nDate,Payee,Amount\n2026-11-15,Kiosk,-6.10\n";
    let review_of = |text: &str| review(&with_file("", text.as_bytes()));
    let review = review_of(twice);
    assert_eq!((&review["total"], &review["problems"]), (&json!(2), &json!([])));

    let other = "Date,Payee,Amount\n2026-11-14,Kiosk,-5.10\nFecha,Concepto,Importe\n2026-11-15,Kiosk,-6.10\n";
    let review = review_of(other);
    assert_eq!(
        review["problems"][0],
        json!({"line": 3, "problem": "a second header, with other columns, begins here: \"Fecha\""})
    );
}

#[test]
fn reads_utf16_and_reports_mixed_date_formats_by_line() {
    let text = "Date;Payee;Amount\n14.11.2026;Café;-5,10\n15.11.2026;Café;-6,10\n2026-11-16;Café;-7,10\n";
    let wide: Vec<u8> =
        [0xff_u8, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let budget = with_file("", &wide);
    let review = review(&budget);
    assert_eq!(review["encoding"], "UTF-16LE");
    assert_eq!(review["total"], 2);
    assert_eq!(
        review["problems"],
        json!([{"line": 4, "problem": "\"2026-11-16\" is not a date DD.MM.YYYY"}])
    );
    // With the invalid line, nothing is imported; without it, the others are.
    let mapping = review["mapping"].clone();
    let before = budget.vault.files();
    let error = budget.error("import_transactions", call(json!({"mapping": mapping})));
    assert!(error.message.starts_with("bank.csv, line 4: \"2026-11-16\" is not a date"), "{error}");
    assert_eq!(budget.vault.files(), before);
    let lines = json!([{"line": 4, "import": false}]);
    let done = budget.value("import_transactions", call(json!({"mapping": mapping, "lines": lines})));
    assert_eq!(done["imported"], 2);
}

#[test]
fn dropped_file_is_unknown_to_other_calls() {
    // The user chose no file for this call.
    let error = budget("").error("import_transactions", json!({"path": "given:1/bank.csv"}));
    assert!(
        error.message.contains("is not in the vault") || error.message.contains("There is no file"),
        "{error}"
    );
}
