//! The questions, errors, omissions and results of an import.

use nova_calls::Outcome;
use nova_skill::{Value, json};
use nova_testkit::SkillInVault;

use crate::{OWNED, portfolio, trade};

const HEADER: &str = "Date,Action,Symbol,Quantity,Price,Fee,Currency,Amount\n";

/// A vault with these notes and a file with these rows.
fn with_rows(vault: &str, rows: &str) -> SkillInVault {
    let skill = portfolio(vault);
    skill.vault.write("trades.csv", &format!("{HEADER}{rows}"));
    skill
}

/// Imports with the proposed mapping and additional arguments.
fn agreed(skill: &SkillInVault, more: Value) -> Outcome {
    let proposal = skill.value("import_transactions", json!({"path": "trades.csv"}));
    let mut args = json!({"path": "trades.csv", "mapping": proposal["mapping"]});
    for (key, value) in more.as_object().unwrap() {
        args[key] = value.clone();
    }
    skill.call("import_transactions", args)
}

fn review(skill: &SkillInVault, more: Value) -> Value {
    let mut args = json!({"path": "trades.csv", "review": true});
    for (key, value) in more.as_object().unwrap() {
        args[key] = value.clone();
    }
    skill.value("import_transactions", args)
}

/// Checks the problem of the first row: the import writes nothing, and without that row it writes the rest.
#[track_caller]
fn wrong(vault: &str, row: &str, problem: &str) {
    let skill = with_rows(vault, &format!("{row}\n2026-11-02,buy,SLVN,1,10.00,0,EUR,-10.00\n"));
    let shown = review(&skill, json!({}));
    assert_eq!(shown["problems"], json!([{"line": 2, "problem": problem}]), "{row}");
    let before = skill.vault.files();
    let refused = agreed(&skill, json!({})).result.unwrap_err();
    assert_eq!(refused.message, format!("trades.csv, line 2: {problem}."));
    assert_eq!(skill.vault.files(), before, "nothing is partially written");
    let rest = agreed(&skill, json!({"lines": [{"line": 2, "import": false}]})).result.unwrap();
    assert_eq!(rest["imported"], 1, "{rest:#}");
}

#[test]
fn proposes_before_importing_and_writes_notes_like_add_trade() {
    let skill = with_rows(
        OWNED,
        "2026-11-20,sell,NGTL,50,42.00,5.00,EUR,2095.00\n2026-11-19,buy,BWOP,10,61.25,1.00,USD,-613.50\n",
    );
    let before = skill.vault.files();
    let proposal = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!((&proposal["needs_confirmation"], &proposal["imported"]), (&json!(true), &json!(0)));
    assert_eq!(
        proposal["mapping"],
        json!({
            "date": "Date", "action": "Action", "symbol": "Symbol", "quantity": "Quantity", "price": "Price",
            "currency": "Currency", "fee": "Fee", "amount": "Amount", "date_format": "YYYY-MM-DD", "decimal": ".",
            "delimiter": "comma", "encoding": "utf-8",
        })
    );
    assert_eq!(skill.vault.files(), before);

    let outcome = agreed(&skill, json!({"broker": "Harbour"}));
    assert_eq!(outcome.changes.len(), 4, "two trades, the broker and the updated position");
    let value = outcome.result.unwrap();
    assert_eq!(
        (&value["summary"], &value["broker"]),
        (&json!("2 imported"), &json!("Portfolio/Brokers/Harbour.md"))
    );
    let note = skill.vault.read("Portfolio/Trades/2026-11-20 NGTL sell.md");
    let (properties, rest) = note.split_once("import_id: tx-").unwrap();
    assert_eq!(
        properties,
        "---\ntype: trade\nsymbol: NGTL\nkind: sell\ndate: 2026-11-20\nquantity: 50\nprice: 42.00\nfee: 5.00\ncurrency: EUR\n"
    );
    assert!(rest.ends_with("---\n\n[[NGTL]]\n"), "{rest}");
    assert!(skill.vault.read("Portfolio/Positions/NGTL.md").contains("quantity: 250\n"));
}

#[test]
fn second_import_adds_nothing_and_undo_restores_every_byte() {
    let rows =
        "2026-11-20,buy,BWOP,10,61.25,1.00,USD,-613.50\n2026-11-20,buy,BWOP,10,61.25,1.00,USD,-613.50\n";
    let skill = with_rows(OWNED, rows);
    let before = skill.vault.files();
    let outcome = agreed(&skill, json!({}));
    // Two equal rows in a file are two trades.
    assert_eq!(outcome.result.as_ref().unwrap()["imported"], 2);
    let after = skill.vault.files();
    let again = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(2)), "{again:#}");
    assert_eq!(skill.vault.files(), after);

    let author = nova_vault::Author { principal: "user".into(), skill: None, call: None };
    skill.vault.open().history().undo(&outcome.change_set.unwrap(), nova_vault::Scope::All, &author).unwrap();
    assert_eq!(skill.vault.files(), before);
}

#[test]
fn overlapping_file_adds_only_new_rows() {
    let skill = with_rows("", "2026-11-18,buy,BWOP,10,61.25,0,USD,-612.50\n");
    agreed(&skill, json!({})).result.unwrap();
    skill.vault.write(
        "trades.csv",
        &format!(
            "{HEADER}2026-11-19,sell,BWOP,4,62.00,0,USD,248.00\n2026-11-18,buy,BWOP,10,61.25,0,USD,-612.50\n"
        ),
    );
    let more = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!((&more["imported"], &more["already_there"]), (&json!(1), &json!(1)), "{more:#}");
}

#[test]
fn asks_about_a_trade_noted_by_hand() {
    // One buy noted by hand, two in the file: only one can be its duplicate.
    let noted =
        trade("a", "symbol: BWOP\nkind: buy\ndate: 2026-11-18\nquantity: 10\nprice: 61\ncurrency: USD");
    let row = "2026-11-19,buy,BWOP,10,61.25,1.00,USD,-613.50\n";
    let skill = with_rows(&noted, &format!("{row}{row}"));
    let proposal = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!(proposal["alike"], 1);
    assert_eq!(
        proposal["looks_like"],
        json!([{"line": 2, "date": "2026-11-19", "on": "2026-11-18", "path": "Portfolio/Trades/a.md"}])
    );
    let open = agreed(&skill, json!({})).result.unwrap();
    assert_eq!(open["needs_confirmation"], true, "it is undecided");
    let mut mapping = proposal["mapping"].clone();
    mapping["alike"] = "leave_out".into();
    let args = json!({"path": "trades.csv", "mapping": mapping});
    let done = skill.value("import_transactions", args);
    assert_eq!((&done["imported"], &done["left_out"]), (&json!(1), &json!(1)), "{done:#}");
    assert_eq!(skill.value("positions", json!({}))["positions"][0]["quantity"], "20");
}

#[test]
fn decision_for_a_line_overrides_the_general_one() {
    let noted =
        trade("a", "symbol: BWOP\nkind: buy\ndate: 2026-11-18\nquantity: 10\nprice: 61\ncurrency: USD");
    let skill = with_rows(&noted, "2026-11-19,buy,BWOP,10,61.25,1.00,USD,-613.50\n");
    let shown = review(&skill, json!({}));
    let entry = &shown["entries"][0];
    assert_eq!((&entry["is_open"], &entry["twin"]["days"]), (&json!(true), &json!(1)));
    let done = agreed(&skill, json!({"lines": [{"line": 2, "import": true}]})).result.unwrap();
    assert_eq!(done["imported"], 1, "{done:#}");
}

#[test]
fn contradictory_rows_are_reported_and_not_imported() {
    wrong(
        "",
        "2026-11-19,buy,BWOP,10,61.25,1.00,USD,-631.50",
        "10 × 61.25 + 1.00 is not its amount of 631.50",
    );
    wrong("", "2026-11-19,buy,BWOP,10,,1.00,USD,-613.50", "it has no price");
    wrong("", "2026-11-19,buy,,10,61.25,1.00,USD,-613.50", "it names no symbol and no ISIN");
    wrong("", "2026-11-19,buy,BWOP,10,61.25,1.00,XQZ,-613.50", "\"XQZ\" is not a currency");
    wrong("", "2026-11-31,buy,BWOP,10,61.25,1.00,USD,-613.50", "\"2026-11-31\" is not a date YYYY-MM-DD");
    wrong(
        "",
        "2026-11-30,buy,BWOP,10,61.25,1.00,USD,-613.50",
        "2026-11-30 is in the future; record it once it has happened",
    );
    wrong(
        "",
        "2026-11-19,buy,BWOP,ten,61.25,1.00,USD,-613.50",
        "\"ten\" is not a number with the decimal sign \".\"",
    );
    wrong(
        "",
        "2026-11-19,dividend,BWOP,,,0,USD,-6.00",
        "a dividend of -6.00 takes money out; it may reverse an earlier one",
    );
}

#[test]
fn sale_above_the_holding_is_reported() {
    wrong(
        OWNED,
        "2026-11-19,sell,NGTL,301,42.00,0,EUR,12642.00",
        "301 NGTL cannot be sold on 2026-11-19: 300 are held then",
    );
    wrong(
        OWNED,
        "2026-04-01,sell,NGTL,201,42.00,0,EUR,8442.00",
        "201 NGTL cannot be sold on 2026-04-01: 200 are held then",
    );
}

#[test]
fn sale_that_makes_a_later_one_impossible_is_reported() {
    // 200 were bought in March and 200 in June, and 100 sold in September: selling 350 before leaves 50.
    wrong(
        OWNED,
        "2026-07-01,sell,NGTL,350,42.00,0,EUR,14700.00",
        "it leaves too little for a later sale: Portfolio/Trades/c.md",
    );
}

#[test]
fn buy_and_sale_of_one_file_count_together_in_any_order() {
    let skill = with_rows(
        "",
        "2026-11-20,sell,BWOP,10,62.00,0,USD,620.00\n2026-11-19,buy,BWOP,10,61.25,0,USD,-612.50\n",
    );
    assert_eq!(agreed(&skill, json!({})).result.unwrap()["imported"], 2);
    assert_eq!(skill.value("list_trades", json!({}))["problems"], json!([]));
}

#[test]
fn reversal_is_not_a_second_trade() {
    let skill = with_rows(
        "",
        "2026-11-18,buy,BWOP,10,61.25,0,USD,-612.50\n2026-11-19,buy,BWOP,-10,61.25,0,USD,612.50\n",
    );
    assert_eq!(
        review(&skill, json!({}))["problems"],
        json!([{"line": 3, "problem": "its amount 612.50 has a different sign than every other buy; it may reverse an earlier one"}])
    );
}

#[test]
fn import_does_not_hide_shares_stated_only_in_a_position() {
    wrong(
        OWNED,
        "2026-11-19,buy,FRNH,10,11.00,0,EUR,-110.00",
        "the 640 FRNH of Portfolio/Positions/FRNH.md are in no trade and would no longer count; remove the quantity there first",
    );
    // A trade that equals the position's own statement hides nothing.
    let skill = with_rows(OWNED, "2024-09-02,buy,FRNH,640,9.85,0,EUR,-6304.00\n");
    assert_eq!(agreed(&skill, json!({})).result.unwrap()["imported"], 1);
}

#[test]
fn ambiguous_days_are_asked_about_each_time() {
    let rows = "03/04/2026,buy,BWOP,10,61.25,0,USD,-612.50\nTotal,,,,,,,-612.50\n";
    let skill = with_rows("", rows);
    let proposal = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!(
        proposal["questions"],
        json!([{
            "about": "date_format", "question": "How are the dates written, such as \"03/04/2026\"?",
            "choices": ["DD/MM/YYYY", "MM/DD/YYYY"],
        }])
    );
    let shown = review(&skill, json!({}));
    assert_eq!(
        shown["questions"][0]["choices"],
        json!([{"value": "DD/MM/YYYY", "label": "3 April 2026"}, {"value": "MM/DD/YYYY", "label": "4 March 2026"}])
    );
    let mut mapping = proposal["mapping"].clone();
    mapping["date_format"] = "MM/DD/YYYY".into();
    let args = json!({"path": "trades.csv", "mapping": mapping});
    assert_eq!(skill.value("import_transactions", args)["imported"], 1);
    assert!(skill.vault.exists("Portfolio/Trades/2026-03-04 BWOP buy.md"));
    let again = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!(again["needs_confirmation"], true);
}

#[test]
fn ambiguous_numbers_are_asked_about() {
    let skill = portfolio("");
    skill.vault.write(
        "trades.csv",
        "Date;Action;Symbol;Quantity;Price;Currency\n2026-11-19;buy;BWOP;10;1.250;USD\n",
    );
    let shown = review(&skill, json!({}));
    assert_eq!(
        shown["questions"],
        json!([{
            "about": "decimal", "question": "How much is 1.250?",
            "choices": [{"value": ",", "label": "1250.00"}, {"value": ".", "label": "1.25"}],
        }])
    );
}

#[test]
fn unknown_words_are_asked_about_and_remembered() {
    let rows = "2026-11-19,Zeichnung,BWOP,10,61.25,0,USD,-612.50\n2026-11-18,Umbuchung,BWOP,10,,,USD,\n";
    let skill = with_rows("", rows);
    let shown = review(&skill, json!({}));
    let about: Vec<&str> =
        shown["questions"].as_array().unwrap().iter().map(|one| one["about"].as_str().unwrap()).collect();
    assert_eq!(about, ["actions/Zeichnung", "actions/Umbuchung"]);
    let mut mapping = shown["mapping"].clone();
    mapping["actions"] = json!({"Zeichnung": "buy", "Umbuchung": "ignore"});
    let done = skill.value("import_transactions", json!({"path": "trades.csv", "mapping": mapping}));
    assert_eq!((&done["imported"], &done["left_out"]), (&json!(1), &json!(1)), "{done:#}");
    let note = skill.vault.read("Portfolio/Brokers/trades.md");
    assert!(note.contains("actions:\n  - Umbuchung = ignore\n  - Zeichnung = buy\n"), "{note}");
    skill.vault.write("trades.csv", &format!("{HEADER}2026-11-20,Zeichnung,BWOP,1,61.25,0,USD,-61.25\n"));
    assert_eq!(skill.value("import_transactions", json!({"path": "trades.csv"}))["imported"], 1);
}

#[test]
fn currencies_are_kept_separate_and_defaults_unchanged() {
    let skill = with_rows(
        "",
        "2026-11-19,buy,BWOP,10,61.25,0,USD,-612.50\n2026-11-19,buy,NGTL,10,30.00,0,EUR,-300.00\n",
    );
    assert_eq!(
        review(&skill, json!({}))["sums"],
        json!([
            {"currency": "EUR", "kind": "buy", "amount": "300.00"},
            {"currency": "USD", "kind": "buy", "amount": "612.50"},
        ])
    );
    // The position without a currency counts in euros as long as these are the default.
    let vault = [
        trade("a", "symbol: NGTL\nkind: buy\ndate: 2026-01-05\nquantity: 1\nprice: 30\ncurrency: EUR"),
        "//- Portfolio/Positions/KSTL.md\n---\ntype: position\nsymbol: KSTL\nquantity: 5\n---\n".to_owned(),
    ];
    let skill = with_rows(
        &vault.concat(),
        "2026-11-19,buy,BWOP,10,61.25,0,USD,-612.50\n2026-11-18,buy,SLVN,10,61.25,0,USD,-612.50\n",
    );
    let before = skill.vault.files();
    let error = agreed(&skill, json!({})).result.unwrap_err();
    assert!(error.message.contains("KSTL.md"), "{}", error.message);
    assert_eq!(skill.vault.files(), before);
}

#[test]
fn account_interest_and_fees_change_cash_and_return() {
    let skill = with_rows(
        "",
        "2026-01-05,deposit,,,,,EUR,1000.00\n2026-02-01,interest,,,,,EUR,3.00\n2026-03-01,fee,,,,,EUR,-5.00\n2026-04-01,tax,,,,,EUR,-1.00\n2026-05-01,withdrawal,,,,,EUR,-100.00\n",
    );
    assert_eq!(agreed(&skill, json!({})).result.unwrap()["imported"], 5);
    // 1000 + 3 − 5 − 1 − 100.
    assert_eq!(skill.value("value", json!({}))["cash"], json!([{"amount": "897.00", "currency": "EUR"}]));
    let total = &skill.value("returns", json!({"range": "all"}))["total"];
    assert_eq!((&total["put_in"], &total["taken_out"]), (&json!("1000.00"), &json!("100.00")), "{total:#}");
}

#[test]
fn rejects_file_with_too_many_rows() {
    let row = "2026-11-19,deposit,,,,,EUR,1.00\n";
    let skill = with_rows("", &row.repeat(50_001));
    let error = skill.error("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!(error.message, "trades.csv has 50001 rows; at most 50000 are imported at once.");
    skill.vault.write("trades.csv", &format!("{HEADER}{}", row.repeat(50_000)));
    let shown = review(&skill, json!({}));
    assert_eq!((&shown["total"], shown["entries"].as_array().unwrap().len()), (&json!(50_000), 20_000));
}

#[test]
fn reports_stray_bytes_and_malicious_cells() {
    for text in ["", "%PDF-1.7", "Date,Amount\n", "a,b\nc,d\n"] {
        let skill = portfolio("");
        skill.vault.write("trades.csv", text);
        let error = skill.error("import_transactions", json!({"path": "trades.csv"}));
        assert!(error.message.starts_with("trades.csv"), "{text}: {}", error.message);
    }
    wrong(
        "",
        "2026-11-19,buy,BWOP,79228162514264337593543950335,79228162514264337593543950335,0,USD,-1",
        "its numbers have too many digits",
    );
    wrong("", "2026-11-19,buy,[[x]] | y,10,61.25,0,USD,-612.50", "\"[[x]] | y\" is not a symbol");
}

#[test]
fn equal_order_ids_of_two_brokers_are_distinct() {
    let skill = portfolio("");
    let file = |header: &str, row: &str| skill.vault.write("trades.csv", &format!("{header}\n{row}\n"));
    file("Date,Action,Symbol,Quantity,Price,Currency,Order ID", "2026-11-18,buy,BWOP,10,61.25,USD,100001");
    assert_eq!(agreed(&skill, json!({})).result.unwrap()["imported"], 1);
    file(
        "Trade date,Action,Symbol,Quantity,Price,Currency,Order ID",
        "2026-11-19,buy,SLVN,5,12.00,USD,100001",
    );
    assert_eq!(agreed(&skill, json!({})).result.unwrap()["imported"], 1);
}

#[test]
fn symbol_of_an_isin_is_chosen_and_remembered() {
    let skill = portfolio("");
    let file = |day: &str| {
        let row = format!("{day};Kauf;US0000000001;10;61,25;USD\n");
        skill.vault.write("trades.csv", &format!("Datum;Vorgang;ISIN;Stück;Kurs;Währung\n{row}"));
    };
    file("18.11.2026");
    let shown = review(&skill, json!({}));
    let entry = &shown["entries"][0];
    assert_eq!((&entry["symbol"], &entry["isin"]), (&json!("US0000000001"), &json!("US0000000001")));
    let mut mapping = shown["mapping"].clone();
    mapping["symbols"] = json!({"US0000000001": "not a symbol"});
    let wrong = review(&skill, json!({"mapping": mapping}));
    assert_eq!(wrong["problems"], json!([{"line": 2, "problem": "\"not a symbol\" is not a symbol"}]));
    mapping["symbols"] = json!({"US0000000001": "bwop"});
    let done = skill.value("import_transactions", json!({"path": "trades.csv", "mapping": mapping}));
    assert_eq!(done["preview"][0]["symbol"], "BWOP");
    file("19.11.2026");
    let again = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!(again["preview"][0]["symbol"], "BWOP", "{again:#}");
}

/// Paid in euros: 10 × 42.00 USD and 2.00 EUR of fees at 1.09.
const EXCHANGED: &str = "Date,Action,Symbol,Quantity,Price,Currency,Fee,Amount,Currency (Amount),Exchange rate\n\
                         2026-03-13,buy,BWOP,10,42.00,USD,2.00,-387.32,EUR,1.0900\n";

fn deposit(file: &str, kind: &str, amount: &str, currency: &str) -> String {
    trade(file, &format!("kind: {kind}\ndate: 2026-03-13\nprice: {amount}\ncurrency: {currency}"))
}

fn cash(skill: &SkillInVault) -> Value {
    skill.value("value", json!({}))["cash"].clone()
}

#[test]
fn trade_paid_in_another_currency_moves_both_kinds_of_cash() {
    let skill = portfolio(&deposit("d", "deposit", "500", "EUR"));
    skill.vault.write("trades.csv", EXCHANGED);
    let done = agreed(&skill, json!({})).result.unwrap();
    assert_eq!(done["imported"], 3, "{done:#}");
    assert_eq!(
        cash(&skill),
        json!([{"amount": "112.68", "currency": "EUR"}, {"amount": "0.00", "currency": "USD"}])
    );
    let note = skill.vault.read("Portfolio/Trades/2026-03-13 withdrawal for BWOP.md");
    assert!(note.contains("price: 387.32\n") && note.contains("currency: EUR\n"), "{note}");
    let again = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(3)));
}

#[test]
fn exchange_is_recorded_once_cash_is_counted() {
    let skill = portfolio("");
    skill.vault.write("trades.csv", EXCHANGED);
    let done = agreed(&skill, json!({})).result.unwrap();
    assert_eq!((&done["imported"], &cash(&skill)), (&json!(1), &Value::Null));
    assert_eq!(
        done["note"],
        "1 trade was paid in another currency and recorded in the currency of the price. The currency exchange was not \
         recorded, because without deposits no cash is counted; add your deposits, then import the file again."
    );
    skill.vault.write("d.md", deposit("d", "deposit", "500", "EUR").split_once('\n').unwrap().1);
    let again = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!((&again["imported"], &again["already_there"]), (&json!(2), &json!(1)), "{again:#}");
    assert_eq!(cash(&skill)[0], json!({"amount": "112.68", "currency": "EUR"}));
}

#[test]
fn exchange_noted_by_hand_is_not_recorded_twice() {
    let noted = [
        deposit("a", "deposit", "500", "EUR"),
        deposit("b", "withdrawal", "387.32", "EUR"),
        deposit("c", "deposit", "422.18", "USD"),
    ];
    let skill = portfolio(&noted.concat());
    skill.vault.write("trades.csv", EXCHANGED);
    let done = agreed(&skill, json!({})).result.unwrap();
    assert_eq!((&done["imported"], &done["already_there"]), (&json!(1), &json!(2)), "{done:#}");
    assert_eq!(cash(&skill)[0], json!({"amount": "112.68", "currency": "EUR"}));
}

#[test]
fn identical_rows_of_two_accounts_are_two_trades() {
    let skill = portfolio("");
    let row = "2026-11-18,buy,BWOP,10,61.25,USD,7001234";
    skill.vault.write(
        "trades.csv",
        &format!("Date,Action,Symbol,Quantity,Price,Currency,Order ID,Account\n{row},A-1\n{row},A-2\n"),
    );
    let done = agreed(&skill, json!({})).result.unwrap();
    assert_eq!((&done["imported"], &done["mapping"]["account"]), (&json!(2), &json!("Account")), "{done:#}");
    assert_eq!(skill.value("positions", json!({}))["positions"][0]["quantity"], "20");
    let again = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(2)));
}

#[test]
fn statements_of_two_accounts_do_not_replace_each_other() {
    let skill = portfolio("");
    let statement = |account: &str| {
        format!(
            "Statement,Header,Field Name,Field Value\nAccount Information,Data,Account,{account}\n\
             Deposits & Withdrawals,Header,Currency,Settle Date,Description,Amount\n\
             Deposits & Withdrawals,Data,USD,2026-03-10,Electronic Fund Transfer,100\n"
        )
    };
    skill.vault.write("trades.csv", &statement("U1"));
    assert_eq!(agreed(&skill, json!({})).result.unwrap()["imported"], 1);
    skill.vault.write("trades.csv", &statement("U2"));
    let other = skill.value("import_transactions", json!({"path": "trades.csv"}));
    assert_eq!(
        (&other["already_there"], &other["alike"]),
        (&json!(0), &json!(1)),
        "it is a question: {other:#}"
    );
}
