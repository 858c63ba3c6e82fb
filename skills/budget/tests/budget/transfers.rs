use nova_skill::{Value, json};
use nova_testkit::{SkillInVault, TempVault, save_form};

use crate::budget;

/// An entry's note. An account is the user's own if two notes name it.
fn entry(name: &str, kind: &str, date: &str, amount: &str, more: &str) -> String {
    format!("//- {name}.md\n---\ntype: {kind}\ndate: {date}\namount: {amount}\ncurrency: EUR\n{more}---\n")
}

fn savings(name: &str, date: &str, amount: &str) -> String {
    entry(name, "income", date, amount, "account: Savings\npayee: Transfer from Giro\n")
}

/// A second note that names the savings account, so that it is known.
fn known() -> String {
    entry("Interest", "income", "2026-10-31", "1.25", "account: Savings\npayee: Bank\n")
}

/// Imports rows of `date,payee,amount` from a file of the current account.
fn import_with(budget: &SkillInVault, rows: &str, more: Value) -> Value {
    budget.vault.write("giro.csv", &format!("Date,Payee,Amount\n{rows}"));
    let mut args = json!({
        "path": "giro.csv", "account": "Giro", "currency": "EUR",
        "mapping": {"date": "Date", "payee": "Payee", "amount": "Amount", "expenses": "negative"},
    });
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    budget.value("import_transactions", args)
}

fn import(budget: &SkillInVault, rows: &str) -> Value {
    import_with(budget, rows, json!({}))
}

/// Checks the income, spending and transfers of November.
#[track_caller]
fn month(budget: &SkillInVault, income: &str, spent: &str, transferred: Value) {
    let summary = budget.value("month_summary", json!({"month": "2026-11", "currency": "EUR"}));
    assert_eq!(summary["unreadable"], json!([]));
    assert_eq!(
        (&summary["income"], &summary["spent"], &summary["transferred"]),
        (&json!(income), &json!(spent), &transferred)
    );
}

/// Whether the answer's transfers are joined.
fn joined(answer: &Value) -> Vec<bool> {
    answer["transfers"].as_array().unwrap().iter().map(|row| row["joined"] == true).collect()
}

#[test]
fn a_transfer_is_neither_income_nor_expense() {
    let notes = entry("Shop", "expense", "2026-11-02", "20", "category: groceries\n")
        + "//- T.md\n---\ntype: transfer\ndate: 2026-11-10\namount: 300\ncurrency: EUR\nfrom: Giro\nto: Savings\n---\n"
        + "//- U.md\n---\ntype: transfer\ndate: 2026-11-25\namount: 50\ncurrency: EUR\nfrom: Giro\nto: Savings\n---\n"
        + "//- L.md\n---\ntype: limit\ncategory: groceries\namount: 30\ncurrency: EUR\n---\n";
    let budget = budget(&notes);
    month(&budget, "0.00", "20.00", json!("300.00"));
    let outcome = budget.call("month_summary", json!({"month": "2026-11"}));
    let summary = outcome.result.unwrap();
    assert_eq!(summary["upcoming_transferred"], "50.00");
    assert_eq!((&summary["upcoming_spent"], &summary["entries"]), (&json!("0.00"), &json!(1)));
    assert_eq!(summary["categories"].as_array().unwrap().len(), 1);
    let detail = "moved between accounts in 1 transfer, not counted as income or spent, + 50.00 EUR upcoming";
    assert_eq!(summary["transferred_detail"], detail);
    for (at, note) in [("/transferred", "T.md"), ("/upcoming_transferred", "U.md")] {
        let figure = outcome.figures.iter().find(|figure| figure.at == at).unwrap();
        assert_eq!(summary.pointer(at), Some(&json!(figure.value)));
        let [source] = figure.sources.as_slice() else { panic!("one note: {figure:?}") };
        assert!(format!("{:?}", outcome.sources[*source as usize]).contains(note), "{figure:?}");
    }
    let list = budget.value("list", json!({"month": "2026-11", "kind": "transfer"}));
    assert_eq!((&list["count"], &list["upcoming"]), (&json!(2), &json!(1)));
    assert_eq!(
        (&list["totals"][0]["spent"], &list["totals"][0]["transferred"]),
        (&json!("0.00"), &json!("300.00"))
    );
    assert_eq!(list["entries"][1]["payee"], "Giro → Savings");
    let of_category = budget.value("list", json!({"month": "2026-11", "category": "groceries"}));
    assert_eq!(of_category["count"], 1);
}

#[test]
fn add_transfer_writes_a_note_and_refuses_loss() {
    let budget = budget(&known());
    let done = budget
        .value("add_transfer", json!({"date": "2026-11-10", "amount": 300, "from": "Giro", "to": "savings"}));
    let path = "Budget/Transfers/2026/2026-11-10 Giro to Savings 300.00.md";
    assert_eq!(done["path"], path);
    assert_eq!(
        budget.vault.read(path),
        "---\ntype: transfer\ndate: 2026-11-10\namount: 300.00\ncurrency: EUR\nfrom: Giro\nto: Savings\n---\n"
    );
    let abroad = json!({
        "date": "2026-11-11", "amount": "100", "from": "Giro", "to": "Zurich", "to_amount": "95.5", "to_currency": "chf",
    });
    assert_eq!(budget.value("add_transfer", abroad)["to_currency"], "CHF");
    month(&budget, "0.00", "0.00", json!("400.00"));
    for (more, says) in [
        (json!({"to": "GIRO"}), "/to: is Giro, as `from` is."),
        (
            json!({"to_amount": "299"}),
            "/to_amount: is 299.00, and 300.00 went out: a fee is an expense of its own.",
        ),
        (json!({"to_currency": "CHF"}), "/to_amount: is needed if the currencies differ."),
        (json!({"to": " "}), "/to: must not be empty; leave it out when it is not known."),
    ] {
        let mut args = json!({"date": "2026-11-10", "amount": 300, "from": "Giro", "to": "Savings"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(budget.error("add_transfer", args).message, says);
    }
}

#[test]
fn form_rejects_what_add_transfer_rejects() {
    let vault = TempVault::from(known().as_str());
    let filled = json!({"date": "2026-11-10", "amount": "300", "from": "Giro", "to": "Savings"});
    let save = |more: Value| {
        let mut entered = filled.clone();
        entered.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        save_form(nova_skill_budget::skill, &vault, "transfer", None, &entered)
    };
    for (more, says) in [
        (json!({"to": "giro"}), "/to: is giro, as `from` is."),
        (
            json!({"to_amount": "299"}),
            "/to_amount: is 299.00, and 300.00 went out: a fee is an expense of its own.",
        ),
        (json!({"to_currency": "CHF"}), "/to_amount: is needed if the currencies differ."),
    ] {
        assert_eq!(save(more).unwrap_err().to_string(), says);
    }
    assert_eq!(save(json!({})).unwrap().values["currency"], "EUR");
}

#[test]
fn import_joins_certain_sides_as_one_change() {
    let budget = budget(&(known() + &savings("Budget/Incomes/2026/S", "2026-11-11", "300.00")));
    let files = budget.vault.files();
    let before = budget.vault.read("Budget/Incomes/2026/S.md");
    budget
        .vault
        .write("giro.csv", "Date,Payee,Amount\n2026-11-10,Own savings,-300.00\n2026-11-12,Shop,-20.00\n");
    let args = json!({
        "path": "giro.csv", "account": "Giro", "currency": "EUR",
        "mapping": {"date": "Date", "payee": "Payee", "amount": "Amount"},
    });
    let outcome = budget.call("import_transactions", args.clone());
    let done = outcome.result.unwrap();
    let path = "Budget/Transfers/2026/2026-11-10 Giro to Savings 300.00.md";
    assert_eq!(
        done["transfers"],
        json!([{
            "date": "2026-11-10", "amount": "300.00", "currency": "EUR", "from": "Giro", "to": "Savings",
            "joined": true, "paths": [path],
        }])
    );
    assert_eq!(done["summary"], "1 imported, 1 joined, 1 without a category");
    month(&budget, "0.00", "20.00", json!("300.00"));
    let note = budget.vault.read(path);
    assert!(
        note.contains("to_date: 2026-11-11\n") && note.contains("to_payee: Transfer from Giro\n"),
        "{note}"
    );

    let again = budget.value("import_transactions", args);
    assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(2)));
    assert_eq!(again["transfers"], json!([]));

    let author = nova_vault::Author { principal: "user".into(), skill: None, call: None };
    let set = outcome.change_set.unwrap();
    // The second import wrote nothing, so the first can be undone as a whole.
    budget.vault.open().history().undo(&set, nova_vault::Scope::All, &author).unwrap();
    assert_eq!(budget.vault.read("Budget/Incomes/2026/S.md"), before);
    let left: Vec<String> = budget.vault.files().into_iter().filter(|file| file != "giro.csv").collect();
    assert_eq!(left, files);
}

#[test]
fn answer_keep_joins_nothing() {
    let budget = budget(&(known() + &savings("S", "2026-11-11", "300.00")));
    let done = import_with(&budget, "2026-11-10,Own savings,-300.00\n", json!({"transfers": "keep"}));
    assert_eq!((&done["imported"], &done["transfers"]), (&json!(1), &json!([])));
    month(&budget, "300.00", "300.00", Value::Null);
}

#[test]
fn merely_likely_transfers_are_proposed() {
    let own = |more: &str| entry("S", "income", "2026-11-11", "300.00", more);
    for (why, notes, rows) in [
        ("too far apart", known() + &savings("S", "2026-11-14", "300.00"), ""),
        ("other amount", known() + &savings("S", "2026-11-11", "300.01"), ""),
        ("same account", known() + &own("account: GIRO\n"), ""),
        (
            "a refund",
            known() + &entry("S", "expense", "2026-11-11", "300", "account: Savings\nkind: refund\n"),
            "",
        ),
        ("recurring", known() + &own("account: Savings\nrecurring: monthly\n"), ""),
    ] {
        let done = import(&budget(&notes), &format!("2026-11-10,Own savings,-300.00\n{rows}"));
        assert_eq!((joined(&done), &done["imported"]), (vec![], &json!(1)), "{why}");
    }
    for (why, notes, rows, proposed) in [
        ("account in one note only", savings("S", "2026-11-11", "300.00"), "", 1),
        ("no account", known() + &own(""), "", 1),
        (
            "two incomes",
            known() + &savings("S", "2026-11-11", "300") + &savings("T", "2026-11-12", "300"),
            "",
            2,
        ),
        ("two rows", known() + &savings("S", "2026-11-11", "300"), "2026-11-12,Own savings,-300.00\n", 2),
        (
            "two of each",
            known() + &savings("S", "2026-11-11", "300") + &savings("T", "2026-11-11", "300"),
            "2026-11-10,Own savings,-300.00\n",
            4,
        ),
        (
            "another entry fits the income",
            known()
                + &savings("S", "2026-11-11", "300")
                + &entry("Card", "expense", "2026-11-09", "300", "account: Card\n"),
            "",
            1,
        ),
        (
            "bought and paid back",
            known() + &own("account: Savings\npayee: Own savings\ncategory: clothes\n"),
            "",
            1,
        ),
    ] {
        let budget = budget(&notes);
        let rows = format!("2026-11-10,Own savings,-300.00\n{rows}");
        let done = import(&budget, &rows);
        assert_eq!(joined(&done), vec![false; proposed], "{why}: {done:#}");
        assert_eq!(done["imported"], rows.lines().count(), "{why}");
        assert_eq!(done["transfers"][0]["paths"].as_array().map(Vec::len), Some(2), "{why}");
        assert!(done["note"].as_str().unwrap().contains("may be"), "{why}");
        month(
            &budget,
            &done_income(&notes),
            &format!("{}.00", 300 * rows.lines().count() + spent_in(&notes)),
            Value::Null,
        );
    }
}

/// November's income in these notes, calculated from their number.
fn done_income(notes: &str) -> String {
    format!("{}.00", 300 * (notes.matches("//- S.md").count() + notes.matches("//- T.md").count()))
}

fn spent_in(notes: &str) -> usize {
    300 * notes.matches("//- Card.md").count()
}

#[test]
fn different_currencies_are_never_joined_automatically() {
    let francs = |more: &str| {
        format!("//- S.md\n---\ntype: income\ndate: 2026-11-11\namount: 285\ncurrency: CHF\n{more}---\n")
    };
    let named = budget(&(known() + &francs("account: Savings\npayee: from Giro\n")));
    let done = import(&named, "2026-11-10,Exchange,-300.00\n");
    assert_eq!(joined(&done), [false]);
    let paths = done["transfers"][0]["paths"].clone();
    let done = named.value("join_transfer", json!({"paths": paths}));
    assert_eq!((&done["to_amount"], &done["to_currency"]), (&json!("285.00"), &json!("CHF")));
    month(&named, "0.00", "0.00", json!("300.00"));

    let unnamed = budget(&(known() + &francs("account: Savings\n")));
    assert_eq!(joined(&import(&unnamed, "2026-11-10,Exchange,-300.00\n")), Vec::<bool>::new());
}

#[test]
fn a_later_file_completes_an_existing_transfer() {
    let by_hand = "//- Budget/Transfers/2026/T.md\n---\ntype: transfer\ndate: 2026-11-10\namount: 300.00\n\
                   currency: EUR\nfrom: Giro\nto: Savings\n---\nFor the roof.\n";
    let budget = budget(by_hand);
    let out = import(&budget, "2026-11-11,Own savings,-300.00\n");
    assert_eq!((joined(&out), &out["imported"]), (vec![true], &json!(0)));
    budget.vault.write("savings.csv", "Date,Payee,Amount,Note\n2026-11-12,Own account,300.00,\n");
    let args = json!({
        "path": "savings.csv", "account": "Savings", "currency": "EUR", "bank": "Savings",
        "mapping": {"date": "Date", "payee": "Payee", "amount": "Amount", "expenses": "negative"},
    });
    let into = budget.value("import_transactions", args.clone());
    assert_eq!((joined(&into), &into["imported"]), (vec![true], &json!(0)));
    month(&budget, "0.00", "0.00", json!("300.00"));
    let note = budget.vault.read("Budget/Transfers/2026/T.md");
    assert!(note.contains("\nimport_id: tx-") && note.contains("\nto_import_id: tx-"), "{note}");
    assert!(note.ends_with("For the roof.\n"), "{note}");
    let again = budget.value("import_transactions", args);
    assert_eq!((&again["already_there"], joined(&again)), (&json!(1), vec![]));
    let again = import(&budget, "2026-11-11,Own savings,-300.00\n");
    assert_eq!((&again["already_there"], joined(&again)), (&json!(1), vec![]));
}

#[test]
fn equal_purchases_on_one_day_stay_separate() {
    let budget = budget(&known());
    let rows = "2026-11-10,Cafe,-2.10\n2026-11-10,Cafe,-2.10\n";
    let done = import(&budget, rows);
    assert_eq!((&done["imported"], joined(&done)), (&json!(2), vec![]));
    assert_eq!(import(&budget, rows)["already_there"], 2);
    month(&budget, "0.00", "4.20", Value::Null);
}

#[test]
fn split_transfer_restores_the_joined_entries() {
    let expense = "//- Budget/Expenses/2026/E.md\n---\ntype: expense\ndate: 2026-11-10\namount: 300.00\n\
                   currency: EUR\ncategory: saving\npayee: Own savings\naccount: Giro\nimport_id: tx-1\n\
                   tags: [roof]\n---\nText of the expense.\n";
    let income = "//- Budget/Incomes/2026/I.md\n---\ntype: income\ndate: 2026-11-12\namount: 300\ncurrency: EUR\n\
                  payee: Own account\naccount: Savings\nimport_id: tx-2\nproject: house\n---\nText of the income.\n";
    let budget = budget(&(expense.to_owned() + income));
    let values = |path: &str| {
        let list = budget.value("list", json!({"month": "2026-11"}));
        let rows = list["entries"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["path"] == path).unwrap()
    };
    let (out, into) = (values("Budget/Expenses/2026/E.md"), values("Budget/Incomes/2026/I.md"));
    let done = budget
        .value("join_transfer", json!({"paths": ["Budget/Incomes/2026/I.md", "Budget/Expenses/2026/E.md"]}));
    let path = "Budget/Transfers/2026/2026-11-10 Giro to Savings 300.00.md";
    assert_eq!(done["path"], path);
    let note = budget.vault.read(path);
    for kept in [
        "tags: [roof]",
        "project: house",
        "Text of the expense.",
        "Text of the income.",
        "to_date: 2026-11-12",
    ] {
        assert!(note.contains(kept), "{kept} in {note}");
    }
    assert!(!note.contains("account:"), "{note}");
    month(&budget, "0.00", "0.00", json!("300.00"));

    let split = budget.value("split_transfer", json!({"path": path}));
    month(&budget, "300.00", "300.00", Value::Null);
    for (before, at) in [(out, 0), (into, 1)] {
        let path = split["paths"][at].as_str().unwrap();
        let mut after = values(path);
        after["path"] = before["path"].clone();
        assert_eq!(after, before);
        let id = format!("import_id: tx-{}", at + 1);
        assert!(budget.vault.read(path).contains(&id), "{path}");
    }
    let again = split["paths"][1].as_str().unwrap().rsplit('/').next().unwrap().replace(".md", "");
    let done = budget.value("join_transfer", json!({"paths": [again]}));
    assert_eq!(done["amount"], "300.00", "a note by its name, and the only other side is found");
}

#[test]
fn join_transfer_rejects_loss_of_data() {
    let e = |name: &str, kind: &str, amount: &str, more: &str| entry(name, kind, "2026-11-10", amount, more);
    let notes = e("Out", "expense", "300", "account: Giro\n")
        + &e("In", "income", "300", "account: Savings\n")
        + &e("In2", "income", "300", "account: Card\n")
        + &e("Less", "income", "299", "account: Savings\n")
        + &e("Own", "income", "300", "account: Giro\n")
        + &e("Nowhere", "income", "77", "")
        + &e("Gone", "expense", "77", "account: Giro\n")
        + &e("Rent", "expense", "300", "account: Giro\nrecurring: monthly\n")
        + &e("Back", "expense", "300", "account: Savings\nkind: refund\n")
        + &e("Mine", "expense", "300", "account: Giro\nto: me\n");
    let budget = budget(&notes);
    let before = budget.vault.files();
    for (paths, says) in [
        (
            vec!["Out.md", "Less.md"],
            "/to_amount: is 299.00, and 300.00 went out: a fee is an expense of its own.",
        ),
        (vec!["Out.md", "Own.md"], "/to: is Giro, as `from` is."),
        (vec!["Out.md", "Mine.md"], "/paths: must name an expense and an income."),
        (vec!["Rent.md", "In.md"], "/paths: names Rent.md, which is recurring: one note covers many days."),
        (
            vec!["Out.md", "Back.md"],
            "/paths: names Back.md, which is a refund, which lowers what its category has cost.",
        ),
        (vec!["Gone.md", "Nowhere.md"], "/to: is needed: Nowhere.md names no account."),
        (vec!["Out.md"], "Several notes can be the other side of Out.md: In.md, In2.md."),
        (
            vec!["Less.md"],
            "No other side of Less.md was found: an entry of 299.00 EUR the other way, at most 3 days apart.",
        ),
        (vec!["Mine.md", "In.md"], "Mine.md has a property `to` of its own, which a transfer uses."),
        (vec!["Nothing.md"], "There is no income, expense or transfer \"Nothing.md\"."),
    ] {
        assert_eq!(budget.error("join_transfer", json!({"paths": paths})).message, says);
    }
    assert_eq!(budget.vault.files(), before);
    let done = budget.value("join_transfer", json!({"paths": ["Gone", "Nowhere"], "to": "savings"}));
    assert_eq!((&done["from"], &done["to"]), (&json!("Giro"), &json!("Savings")));
    let error = budget.error("split_transfer", json!({"path": "Out.md"}));
    assert_eq!(error.message, "/path: names Out.md, which is not a transfer.");
}

#[test]
fn join_preserves_the_currency_of_notes_without_one() {
    let without_currency = "//- Silent.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\n---\n";
    let francs = "//- F.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\ncurrency: CHF\n---\n";
    let notes = entry("O", "expense", "2026-11-10", "300", "account: Giro\n")
        + &entry("I", "income", "2026-11-10", "300", "account: Savings\n")
        + without_currency
        + francs;
    let budget = budget(&notes);
    budget.value("join_transfer", json!({"paths": ["O.md", "I.md"]}));
    month(&budget, "0.00", "5.00", json!("300.00"));
}

#[test]
fn invalid_transfers_are_reported_as_unreadable() {
    let note = |name: &str, more: &str| {
        format!(
            "//- {name}.md\n---\ntype: transfer\ndate: 2026-11-10\namount: 9\ncurrency: EUR\nfrom: A\n{more}---\n"
        )
    };
    let notes = note("1", "")
        + &note("2", "to: a\n")
        + &note("3", "to: B\nto_amount: 8\n")
        + &note("4", "to: B\nto_currency: CHF\n");
    let summary = budget(&notes).value("month_summary", json!({"month": "2026-11"}));
    let rows = summary["unreadable"].as_array().unwrap();
    let problems: Vec<(&str, &str)> =
        rows.iter().map(|row| (row["path"].as_str().unwrap(), row["problem"].as_str().unwrap())).collect();
    assert_eq!(
        problems,
        [
            ("1.md", "`to` is missing"),
            ("2.md", "`to` is a, as `from` is"),
            ("3.md", "`to_amount` is 8.00, and 9.00 went out: a fee is an expense of its own"),
            ("4.md", "`to_amount` is needed if the currencies differ"),
        ]
    );
    assert_eq!(summary["transferred"], Value::Null);
}
