use nova_skill::{Value, json};
use nova_testkit::SkillInVault;

use crate::{NOVEMBER, budget};

const GERMAN: &str = "Kontoumsätze;01.11.2026 - 30.11.2026
Kontonummer: 123456

Buchungstag;Valuta;Auftraggeber/Empfänger;Verwendungszweck;Betrag;Saldo;Währung
20.11.2026;20.11.2026;Corner Market;Einkauf;-1.084,20;900,00;EUR
20.11.2026;20.11.2026;Café Ember;Kaffee;-2,10;897,90;EUR
20.11.2026;20.11.2026;Café Ember;Kaffee;-2,10;895,80;EUR
21.11.2026;21.11.2026;Quillon Labs;\"Gehalt; November\";2.400,00;3.295,80;EUR
";

/// A vault with one rule and the file `bank.csv`.
fn with_file(bytes: &[u8]) -> SkillInVault {
    let budget = budget("//- Budget/Rules/R.md\n---\ntype: rule\nmatch: corner\ncategory: groceries\n---\n");
    budget.vault.write_bytes("bank.csv", bytes);
    budget
}

/// The proposed mapping of a file, with the open questions.
fn proposed(text: &[u8]) -> Value {
    with_file(text).value("import_transactions", json!({"path": "bank.csv"}))
}

/// Imports with the proposed mapping.
#[track_caller]
fn import(budget: &SkillInVault) -> Value {
    let first = budget.value("import_transactions", json!({"path": "bank.csv", "currency": "EUR"}));
    if first["needs_confirmation"] != true {
        return first;
    }
    let mapping = first["mapping"].clone();
    budget.value("import_transactions", json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"}))
}

/// Checks the error of an import with this mapping.
#[track_caller]
fn fails(text: &str, mapping: Value, says: &str) {
    let budget = with_file(text.as_bytes());
    let before = budget.vault.files();
    let error = budget
        .error("import_transactions", json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"}));
    assert!(error.message.starts_with(says), "{error}");
    assert!(!error.hint.is_empty(), "{error}");
    assert_eq!(budget.vault.files(), before, "nothing half written");
}

#[test]
fn proposes_a_mapping_before_importing() {
    let budget = with_file(GERMAN.as_bytes());
    let before = budget.vault.files();
    let proposal = budget.value("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!(proposal["needs_confirmation"], true);
    assert_eq!(proposal["header_line"], 4);
    assert_eq!(
        proposal["mapping"],
        json!({
            "date": "Buchungstag", "amount": "Betrag", "payee": "Auftraggeber/Empfänger",
            "memo": "Verwendungszweck", "currency": "Währung", "date_format": "DD.MM.YYYY", "decimal": ",",
            "delimiter": "semicolon", "encoding": "utf-8",
        })
    );
    assert_eq!(
        proposal["preview"][0],
        json!({
            "date": "2026-11-20", "kind": "expense", "amount": "1084.20", "currency": "EUR",
            "payee": "Corner Market", "memo": "Einkauf",
        })
    );
    assert_eq!(budget.vault.files(), before);
}

#[test]
fn confirmed_import_creates_a_note_for_each_transaction() {
    let budget = with_file(GERMAN.as_bytes());
    let done = import(&budget);
    assert_eq!((&done["imported"], &done["without_a_category"]), (&json!(4), &json!(3)));
    assert_eq!(done["summary"], "4 imported, 3 without a category");
    let files = budget.vault.files();
    let made: Vec<&str> = files.iter().map(String::as_str).filter(|file| file.contains("/2026/")).collect();
    assert_eq!(
        made,
        [
            "Budget/Expenses/2026/2026-11-20 Café Ember 2.10 2.md",
            "Budget/Expenses/2026/2026-11-20 Café Ember 2.10.md",
            "Budget/Expenses/2026/2026-11-20 Corner Market 1084.20.md",
            "Budget/Incomes/2026/2026-11-21 Quillon Labs 2400.00.md",
        ]
    );
    let note = budget.vault.read("Budget/Expenses/2026/2026-11-20 Corner Market 1084.20.md");
    let (before_id, _) = note.split_once("import_id: tx-").unwrap();
    assert_eq!(
        before_id,
        "---\ntype: expense\ndate: 2026-11-20\namount: 1084.20\ncurrency: EUR\ncategory: groceries\n\
         payee: Corner Market\nmemo: Einkauf\n"
    );
    assert!(
        budget
            .vault
            .read("Budget/Incomes/2026/2026-11-21 Quillon Labs 2400.00.md")
            .contains("memo: Gehalt; November")
    );
}

#[test]
fn already_imported_rows_are_skipped_in_overlapping_files() {
    let budget = with_file(GERMAN.as_bytes());
    import(&budget);
    let before = budget.vault.files();
    let again = budget.value("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!(
        (&again["imported"], &again["already_there"]),
        (&json!(0), &json!(4)),
        "the mapping is remembered"
    );
    assert_eq!(budget.vault.files(), before);
    assert_eq!(again["summary"], "0 imported, 4 already there");

    let more = format!("{GERMAN}22.11.2026;22.11.2026;Café Ember;Kaffee;-2,10;1,00;EUR\n");
    budget.vault.write("bank.csv", &more);
    let more = budget.value("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!((&more["imported"], &more["already_there"]), (&json!(1), &json!(4)));
}

#[test]
fn import_is_one_change_set_and_its_undo_restores_every_byte() {
    let budget = with_file(GERMAN.as_bytes());
    let (before, rule) = (budget.vault.files(), budget.vault.read("Budget/Rules/R.md"));
    let mapping = proposed(GERMAN.as_bytes())["mapping"].clone();
    let outcome = budget.call("import_transactions", json!({"path": "bank.csv", "mapping": mapping}));
    assert_eq!(outcome.changes.len(), 5, "four transactions and the bank");
    let set = outcome.change_set.unwrap();
    let author = nova_vault::Author { principal: "user".into(), skill: None, call: None };
    budget.vault.open().history().undo(&set, nova_vault::Scope::All, &author).unwrap();
    assert_eq!(budget.vault.files(), before);
    assert_eq!(budget.vault.read("Budget/Rules/R.md"), rule);
    assert_eq!(budget.vault.read("bank.csv"), GERMAN);
}

#[test]
fn detects_encoding_delimiter_and_signs() {
    let windows: Vec<u8> = encoding_rs::WINDOWS_1252.encode(GERMAN).0.into_owned();
    assert_eq!(proposed(&windows)["mapping"]["encoding"], "windows-1252");
    assert_eq!(proposed(&windows)["preview"][1]["payee"], "Café Ember");
    let with_bom = [b"\xef\xbb\xbf".as_slice(), GERMAN.as_bytes()].concat();
    assert_eq!(proposed(&with_bom)["mapping"]["date"], "Buchungstag");
    let wide: Vec<u8> =
        [0xff_u8, 0xfe].into_iter().chain(GERMAN.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(proposed(&wide)["preview"][1]["payee"], "Café Ember");

    let american = "Date,Description,Debit,Credit,Balance\n11/14/2026,\"MARKET, CORNER\",\"1,084.20\",,5.00\n11/15/2026,PAY,,\"2,400.00\",6.00\n";
    let proposal = proposed(american.as_bytes());
    let mapping = &proposal["mapping"];
    assert_eq!((&mapping["debit"], &mapping["credit"]), (&json!("Debit"), &json!("Credit")));
    assert_eq!((&mapping["date_format"], &mapping["decimal"]), (&json!("MM/DD/YYYY"), &json!(".")));
    assert_eq!(proposal["preview"][0]["amount"], "1084.20");
    assert_eq!(proposal["preview"][1]["kind"], "income");

    let tabs = "date\tamount\tpayee\n2026-11-14\t-5\tKiosk\n";
    assert_eq!(proposed(tabs.as_bytes())["mapping"]["delimiter"], "tab");
    let nameless = "2026-11-14,Kiosk,-5.10,100.00\n2026-11-15,Kiosk,-6.10,93.90\n";
    let mapping = &proposed(nameless.as_bytes())["mapping"];
    assert_eq!(
        (&mapping["date"], &mapping["payee"], &mapping["amount"]),
        (&json!("1"), &json!("2"), &json!("3"))
    );
}

#[test]
fn asks_about_ambiguous_day_and_month() {
    let text = "Date,Payee,Amount\n03/04/2026,Kiosk,-5.10\n05/06/2026,Kiosk,-5.10\n";
    let proposal = proposed(text.as_bytes());
    assert_eq!(
        proposal["questions"],
        json!([{
            "about": "date_format", "question": "How are the dates written, such as \"03/04/2026\"?",
            "choices": ["DD/MM/YYYY", "MM/DD/YYYY"],
        }])
    );
    fails(text, proposal["mapping"].clone(), "bank.csv, line 1: How are the dates written");
    let budget = with_file(text.as_bytes());
    let mut mapping = proposal["mapping"].clone();
    mapping["date_format"] = json!("MM/DD/YYYY");
    budget.value("import_transactions", json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"}));
    assert!(budget.vault.exists("Budget/Expenses/2026/2026-03-04 Kiosk 5.10.md"));
}

#[test]
fn import_errors_name_file_and_line() {
    let mapping = json!({"date": "Date", "amount": "Amount", "payee": "Payee"});
    let file = |rows: &str| format!("Date,Payee,Amount\n2026-11-14,Kiosk,-5.10\n{rows}");
    fails(
        &file(""),
        json!({"date": "Day", "amount": "Amount"}),
        "bank.csv, line 1: there is no column \"Day\" for date.",
    );
    fails(
        &file("14.11.2026,Kiosk,-1\n2026-11-14,Kiosk,-1\n2026-11-31,Kiosk,-1\n"),
        mapping.clone(),
        "bank.csv, line 3: \"14.11.2026\" is not a date YYYY-MM-DD. Line 5 is also wrong.",
    );
    fails(
        &file("2026-11-15,Kiosk,about 5\n"),
        mapping.clone(),
        "bank.csv, line 3: \"about 5\" is not an amount with the decimal sign \".\".",
    );
    fails(
        &file("2026-11-15,Kiosk\n"),
        mapping.clone(),
        "bank.csv, line 3: it has 2 cells, but the table has 3 columns.",
    );
    fails(&file("2026-11-15,Kiosk,\n"), mapping.clone(), "bank.csv, line 3: it has no amount.");
    fails("Just a letter.\n", mapping, "bank.csv, line 1: no table with dates and amounts begins");
}

#[test]
fn rejects_files_outside_the_vault() {
    for path in ["../bank.csv", "/etc/passwd", "C:\\bank.csv"] {
        let error = budget("").error("import_transactions", json!({"path": path}));
        assert!(error.message.contains("is not in the vault"), "{error}");
        assert!(error.hint.contains("Copy the file into the vault"), "{error}");
    }
    for path in ["none.csv", "Budget"] {
        let error = budget(NOVEMBER).error("import_transactions", json!({"path": path}));
        assert_eq!(error.message, format!("There is no file \"{path}\" in the vault."));
        assert!(error.hint.starts_with("Give the path of the CSV file itself"), "{error}");
    }
    let error = with_file(b"").error("import_transactions", json!({"path": "bank.csv", "format": "ofx"}));
    assert_eq!(error.message, "/format: \"ofx\" cannot be imported.");
}

#[test]
fn currency_in_the_amount_cell_is_used() {
    let mapping = json!({"date": "Date", "amount": "Amount", "payee": "Payee", "expenses": "negative"});
    let file =
        |amount: &str| format!("Date;Payee;Amount\n2026-11-14;Kiosk;-5.10\n2026-11-15;Kiosk;{amount}\n");
    for (amount, given, currency) in [
        ("-6.00 USD", Value::Null, "USD"),
        ("€-6.00", Value::Null, "EUR"),
        ("-£6.00", Value::Null, "GBP"),
        ("-$6.00", json!("cad"), "CAD"),
        ("¥-6.00", json!("JPY"), "JPY"),
    ] {
        let budget = with_file(file(amount).as_bytes()).with_config(json!({"currency": "CHF"}));
        let done = budget
            .value("import_transactions", json!({"path": "bank.csv", "mapping": mapping, "currency": given}));
        assert_eq!(done["preview"][1]["currency"], currency, "{amount}");
    }
    // With EUR as the currency.
    for (amount, says) in [
        ("-6.00 USD", "\"-6.00 USD\" is in USD, but the currency is set to EUR."),
        ("$-6.00", "\"$-6.00\" is in $, but the currency is set to EUR."),
        ("-6.00 XYZ", "\"-6.00 XYZ\" has no known currency."),
    ] {
        fails(&file(amount), mapping.clone(), &format!("bank.csv, line 3: {says}"));
    }
    let error = with_file(file("$-6.00").as_bytes())
        .error("import_transactions", json!({"path": "bank.csv", "mapping": mapping}));
    assert_eq!(
        error.message,
        "bank.csv, line 3: \"$-6.00\" could be several currencies; name one, such as USD."
    );
    let column = "Date;Payee;Amount;Currency\n2026-11-14;Kiosk;-5.10 USD;EUR\n";
    fails(
        column,
        json!({"date": "Date", "amount": "Amount", "currency": "Currency"}),
        "bank.csv, line 2: \"-5.10 USD\" is in USD, but the currency is set to EUR.",
    );
}

#[test]
fn first_row_with_invalid_date_is_not_taken_for_a_header() {
    let mapping = json!({"date": "1", "amount": "3"});
    let rows = "31.02.2026;Kiosk;-5,10\n14.11.2026;Kiosk;-5,10\n";
    let proposal = with_file(format!("Day;Payee;Amount\n{rows}").as_bytes())
        .error("import_transactions", json!({"path": "bank.csv"}));
    assert!(
        proposal.message.starts_with("bank.csv, line 2: \"31.02.2026\" is not a date DD.MM.YYYY."),
        "{proposal}"
    );
    fails(
        &format!("Day;Payee;Amount\n{rows}"),
        mapping.clone(),
        "bank.csv, line 2: \"31.02.2026\" is not a date DD.MM.YYYY.",
    );
    fails(rows, mapping, "bank.csv, line 1: \"31.02.2026\" is not a date DD.MM.YYYY.");
}

#[test]
fn transaction_of_an_unreadable_note_is_not_imported_again() {
    let budget = with_file(GERMAN.as_bytes());
    import(&budget);
    for (note, right, wrong) in [
        ("Budget/Expenses/2026/2026-11-20 Corner Market 1084.20.md", "1084.20", "1084,20"),
        ("Budget/Incomes/2026/2026-11-21 Quillon Labs 2400.00.md", "type: income", "type: [income"),
    ] {
        let text = budget.vault.read(note).replace(right, wrong);
        budget.vault.write(note, &text);
    }
    let again = budget.value("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(4)));
}

#[test]
fn corrected_mapping_imports_no_duplicates() {
    let budget = with_file(GERMAN.as_bytes());
    import(&budget);
    for mapping in [
        json!({"date": "Buchungstag", "amount": "Betrag", "payee": "Verwendungszweck"}),
        json!({"date": "Buchungstag", "amount": "Betrag", "payee": "3", "id": "Saldo"}),
    ] {
        let again = budget.value("import_transactions", json!({"path": "bank.csv", "mapping": mapping}));
        assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(4)));
    }
}

#[test]
fn duplicate_bank_id_is_an_error() {
    let mapping = json!({"date": "Date", "amount": "Amount", "payee": "Payee", "id": "No"});
    let none = "Date,Payee,Amount,No\n2026-11-14,Kiosk,-1,\n2026-11-14,Kiosk,-2,\n2026-11-14,Kiosk,-2,\n";
    let budget = with_file(none.as_bytes());
    let args = json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"});
    assert_eq!(budget.value("import_transactions", args.clone())["imported"], 3);
    assert_eq!(budget.value("import_transactions", args)["already_there"], 3);
    fails(
        "Date,Payee,Amount,No\n2026-11-14,Kiosk,-1,7\n2026-11-15,Kiosk,-2,8\n2026-11-16,Kiosk,-3,7\n",
        mapping,
        "bank.csv, line 4: it has the same id as line 2, \"7\".",
    );
}

#[test]
fn unsigned_amounts_need_an_answer_or_a_debit_credit_column() {
    let text = "Date,Payee,Amount\n2026-11-14,Kiosk,5.10\n2026-11-15,Kiosk,6.10\n";
    let proposal = proposed(text.as_bytes());
    assert_eq!(proposal["questions"][0]["about"], "expenses");
    assert_eq!(proposal["questions"][0]["choices"], json!(["negative", "positive"]));
    fails(text, proposal["mapping"].clone(), "bank.csv, line 1: No amount has a minus sign.");

    let words = "Datum;Wer;Betrag;SH\n14.11.2026;Kiosk;5,10;S\n15.11.2026;Quillon;6,10;H\n";
    let proposal = proposed(words.as_bytes());
    assert_eq!((&proposal["mapping"]["side"], &proposal["questions"]), (&json!("SH"), &json!([])));
    assert_eq!(proposal["preview"][0]["kind"], "expense");
    assert_eq!(proposal["preview"][1]["kind"], "income");
    let mapping = proposal["mapping"].clone();
    fails(
        &words.replace("5,10;S", "5,10;X"),
        mapping,
        "bank.csv, line 2: \"X\" does not say whether it is money in or money out",
    );
    let budget = with_file(words.as_bytes());
    import(&budget);
    let again = budget.value("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!(again["already_there"], 2, "the column is remembered");

    let mixed =
        "Date,Payee,Debit,Credit\n2026-11-14,Kiosk,5.10,\n2026-11-15,Kiosk,-6.10,\n2026-11-16,Pay,,9.00\n";
    let proposal = proposed(mixed.as_bytes());
    assert_eq!(proposal["questions"][0]["about"], "expenses");
    for (answer, kinds) in [("positive", ["expense", "income"]), ("negative", ["income", "expense"])] {
        let mut mapping = proposal["mapping"].clone();
        mapping["expenses"] = json!(answer);
        let args = json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"});
        let preview = with_file(mixed.as_bytes()).value("import_transactions", args)["preview"].clone();
        assert_eq!((&preview[0]["kind"], &preview[1]["kind"]), (&json!(kinds[0]), &json!(kinds[1])));
    }
}

/// Checks whether a second file is imported with the mapping confirmed for the first, or a mapping is
/// proposed again.
#[track_caller]
fn second_file(first: &str, answers: Value, second: &str, is_asked_about: bool) {
    let budget = with_file(first.as_bytes());
    let mut mapping = budget.value("import_transactions", json!({"path": "bank.csv"}))["mapping"].clone();
    for (key, value) in answers.as_object().unwrap() {
        mapping[key] = value.clone();
    }
    budget.value("import_transactions", json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"}));
    budget.vault.write("bank.csv", second);
    let before = budget.vault.files();
    let next = budget.value("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!(next["needs_confirmation"] == true, is_asked_about, "{next:#}");
    assert_eq!(budget.vault.files() == before, is_asked_about);
}

#[test]
fn remembered_mapping_that_contradicts_the_file_is_proposed_again() {
    let file = |rows: &str| format!("Date;Payee;Amount\n{rows}");
    let first = file("14/11/2026;Kiosk;-5,10\n15/11/2026;Pay;6,10\n");
    let none = json!({});
    second_file(&first, none.clone(), &file("16/11/2026;Kiosk;-7,10\n"), false);
    second_file(&first, none.clone(), &file("16/11/2026;Kiosk;-7\n"), false);
    second_file(&first, none.clone(), &file("11/16/2026;Kiosk;-7,10\n"), true);
    second_file(&first, none.clone(), &file("03/04/2026;Kiosk;-7,10\n"), true);
    second_file(&first, none.clone(), &file("16/11/2026;Kiosk;-7.10\n"), true);
    second_file(&first, none.clone(), &file("16/11/2026;Kiosk;7,10\n"), true);
    let card = file("14/11/2026;Kiosk;5,10\n");
    second_file(&card, json!({"expenses": "positive"}), &file("16/11/2026;Kiosk;7,10\n"), false);
    second_file(&card, json!({"expenses": "positive"}), &file("16/11/2026;Kiosk;-7,10\n"), true);
    let nameless = "14/11/2026;Kiosk;-5,10\n";
    second_file(nameless, none, "16/11/2026;Kiosk;-5,10\n", true);
}

#[test]
fn rejects_file_with_too_many_rows() {
    let mut file = "Date,Payee,Amount\n".to_owned();
    for n in 0..=100_000 {
        file.push_str(&format!("2026-11-02,{n},-1\n"));
    }
    let budget = with_file(file.as_bytes());
    let before = budget.vault.files();
    let mapping = json!({"date": "Date", "payee": "Payee", "amount": "Amount"});
    let error = budget
        .error("import_transactions", json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"}));
    assert_eq!(error.message, "bank.csv has 100001 rows; at most 100000 are imported at once.");
    assert_eq!(budget.vault.files(), before);
}

/// Entries noted by hand before the bank's file was available, and a recurring one.
const BY_HAND: &str = "
//- Budget/Expenses/2026/Coffee.md
---
type: expense
date: 2026-11-18
amount: 2.1
currency: EUR
payee: Ember
---
//- Budget/Expenses/2026/Rent.md
---
type: expense
date: 2026-08-01
amount: 1180.00
currency: EUR
payee: Linden Apartments
recurring: monthly
---
//- Budget/Expenses/2026/Back.md
---
type: expense
date: 2026-11-17
amount: 10.00
currency: EUR
payee: Shop
kind: refund
---
//- Budget/Expenses/2026/Elsewhere.md
---
type: expense
date: 2026-11-20
amount: 7.00
currency: EUR
account: Savings
---
//- Budget/Expenses/2026/Long ago.md
---
type: expense
date: 2026-11-15
amount: 5.00
currency: EUR
---
";

const OF_NOVEMBER: &str = "Date,Payee,Amount,Currency
2026-11-02,Linden,-1180.00,EUR
2026-11-17,Shop,10.00,EUR
2026-11-20,Café Ember,-2.10,EUR
2026-11-21,Café Ember,-2.10,EUR
2026-11-20,Kiosk,-7.00,EUR
2026-11-19,Kiosk,-5.00,EUR
2026-11-20,Kiosk,-2.10,CHF
";

fn november_by_hand() -> SkillInVault {
    let budget = budget(BY_HAND);
    budget.vault.write_bytes("bank.csv", OF_NOVEMBER.as_bytes());
    budget
}

#[test]
fn possible_duplicates_are_reported_and_asked_about() {
    let budget = november_by_hand();
    let call = json!({"path": "bank.csv", "account": "Giro"});
    let proposal = budget.value("import_transactions", call);
    let twins: Vec<(&str, &str, &str)> = proposal["looks_like"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap();
            (text("date"), text("path"), text("on"))
        })
        .collect();
    assert_eq!(
        twins,
        [
            ("2026-11-02", "Budget/Expenses/2026/Rent.md", "2026-11-01"),
            ("2026-11-17", "Budget/Expenses/2026/Back.md", "2026-11-17"),
            ("2026-11-20", "Budget/Expenses/2026/Coffee.md", "2026-11-18"),
        ],
        "one coffee of two; not of another account, four days apart or in another currency"
    );
    assert_eq!(proposal["preview"][0]["looks_like"], "Budget/Expenses/2026/Rent.md");
    assert_eq!(
        proposal["questions"],
        json!([{
            "about": "alike", "choices": ["leave_out", "import"],
            "question": "3 transactions may be duplicates. Leave them out?",
        }])
    );
}

#[test]
fn possible_duplicates_need_the_users_answer() {
    for (answer, imported, left_out, summary) in [
        ("leave_out", 4, 3, "4 imported, 3 left out, 4 without a category"),
        ("import", 7, 0, "7 imported, 7 without a category"),
    ] {
        let budget = november_by_hand();
        let before = budget.vault.files();
        let mut call = json!({"path": "bank.csv", "account": "Giro"});
        call["mapping"] = budget.value("import_transactions", call.clone())["mapping"].clone();
        let unanswered = budget.value("import_transactions", call.clone());
        assert_eq!((&unanswered["needs_confirmation"], &unanswered["imported"]), (&json!(true), &json!(0)));
        assert_eq!(unanswered["alike"], 3);
        assert_eq!(budget.vault.files(), before, "nothing without an answer");

        call["mapping"]["alike"] = json!(answer);
        let done = budget.value("import_transactions", call);
        assert_eq!((&done["imported"], &done["left_out"]), (&json!(imported), &json!(left_out)));
        assert_eq!(done["summary"], summary);
        let entries = budget.value("list", json!({"month": "2026-11"}))["entries"].as_array().unwrap().len();
        assert_eq!(entries, 5 + imported, "five days of November were there");
    }
}

#[test]
fn known_bank_asks_about_duplicates_every_time() {
    let budget = november_by_hand();
    let mut call = json!({"path": "bank.csv", "account": "Giro"});
    call["mapping"] = budget.value("import_transactions", call.clone())["mapping"].clone();
    call["mapping"]["alike"] = json!("leave_out");
    budget.value("import_transactions", call);
    let next = "Date,Payee,Amount,Currency\n2026-12-01,Linden,-1180.00,EUR\n2026-12-02,Kiosk,-3.00,EUR\n";
    budget.vault.write_bytes("next.csv", next.as_bytes());
    let asked = budget.value("import_transactions", json!({"path": "next.csv"}));
    assert_eq!(asked["questions"][0]["about"], "alike", "{asked:#}");
    assert_eq!(asked["looks_like"][0]["on"], "2026-12-01");
    let looked = budget.value("import_transactions", json!({"path": "next.csv", "dry_run": true}));
    assert_eq!((&looked["alike"], &looked["imported"]), (&json!(1), &json!(2)));
    assert_eq!(looked["questions"], asked["questions"], "what is open is asked after a look, too");
    // Rows left out of the first import are still open questions; imported rows are not imported again.
    let again = budget.value("import_transactions", json!({"path": "bank.csv"}));
    assert_eq!(again["looks_like"].as_array().unwrap().len(), 3, "{again:#}");
}

#[test]
fn maximum_number_of_rows_is_read_to_the_end() {
    let mut file = "Date,Payee,Amount\n".to_owned();
    for n in 1..=100_000 {
        // The benchmark writes all rows; this would be too slow for a test.
        let amount = if n % 100 == 0 { "-1" } else { "0" };
        file.push_str(&format!("2026-11-02,{n},{amount}\n"));
    }
    let budget = with_file(file.as_bytes());
    let mapping = json!({"date": "Date", "payee": "Payee", "amount": "Amount"});
    let done = budget
        .value("import_transactions", json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"}));
    assert_eq!(
        (&done["rows"], &done["imported"], &done["of_no_amount"]),
        (&json!(100_000), &json!(1_000), &json!(99_000))
    );
    let last = "Budget/Expenses/2026/2026-11-02 100000 1.00.md";
    assert!(budget.vault.files().iter().any(|file| file == last));
}
