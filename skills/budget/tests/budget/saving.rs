//! Saving a record with its form.

use nova_skill::{Value, json};
use nova_testkit::{TempVault, save_form};

use crate::NOVEMBER;

/// Saves a form with the `entered` fields, for the note at `path` or, if that is empty, a new record. Returns
/// the saved values or the error.
fn saved(notes: &str, record_type: &str, path: &str, entered: Value) -> Result<Value, String> {
    let path = Some(path).filter(|path| !path.is_empty());
    let saved = save_form(nova_skill_budget::skill, &TempVault::from(notes), record_type, path, &entered);
    saved.map(|saved| saved.values).map_err(|error| error.to_string())
}

#[track_caller]
fn check(record_type: &str, path: &str, entered: Value, field: &str, holds: Value) {
    let values = saved(NOVEMBER, record_type, path, entered).unwrap();
    assert_eq!(values[field], holds, "{values}");
}

#[track_caller]
fn refuses(notes: &str, record_type: &str, path: &str, entered: Value, message: &str) {
    assert_eq!(saved(notes, record_type, path, entered), Err(message.to_owned()));
}

const KIOSK: &str = "Budget/Expenses/2026/E.md";

#[test]
fn new_entry_gets_category_by_rule_and_default_currency() {
    let coffee = json!({"date": "2026-11-21", "amount": "2.10", "payee": "KIOSK Nord"});
    check("expense", "", coffee.clone(), "category", json!("snacks"));
    check("income", "", coffee.clone(), "category", json!("snacks"));
    check("expense", "", coffee, "currency", json!("EUR"));
    let own = json!({"date": "2026-11-21", "amount": "2.10", "payee": "KIOSK", "category": "GROCERIES"});
    check("expense", "", own, "category", json!("groceries"));
}

#[test]
fn payee_change_fills_category_unless_the_user_cleared_it() {
    check("expense", KIOSK, json!({"payee": "Kiosk am Park"}), "category", json!("snacks"));
    check("expense", KIOSK, json!({"amount": "6"}), "category", Value::Null);
    let from_note = json!({"category": null, "payee": "Kiosk"});
    check("expense", "Budget/Expenses/2026/A.md", from_note, "category", Value::Null);
}

#[test]
fn form_rejects_what_the_tools_reject() {
    let on = "2026-11-21";
    for (entered, message) in [
        (json!({"date": on, "amount": "1", "until": "2026-12-03"}), "/until: needs recurring as well."),
        (
            json!({"date": on, "amount": "1", "recurring": "weekly", "until": "2026-01-03"}),
            "/until: is before the first day, 2026-11-21.",
        ),
        (json!({"date": on, "amount": "1", "payee": "Kiosk\nNord"}), "/payee: must be one line of text."),
    ] {
        refuses(NOVEMBER, "expense", "", entered, message);
    }
    let tie = "//- a.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\ncurrency: EUR\n---\n\
               //- b.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\ncurrency: CHF\n---\n";
    refuses(
        tie,
        "expense",
        "",
        json!({"date": on, "amount": "1"}),
        "/currency: is needed: the notes name no usual currency; give a code such as EUR.",
    );
    refuses(
        NOVEMBER,
        "limit",
        "",
        json!({"category": "GROCERIES", "amount": "90"}),
        "/category: has a limit in EUR already, Budget/Limits/Groceries.md.",
    );
    check("limit", "Budget/Limits/Groceries.md", json!({"amount": "90"}), "amount", json!("90"));
    refuses(
        NOVEMBER,
        "rule",
        "",
        json!({"match": "Kiosk", "category": "drinks"}),
        "/match: is the same rule as Budget/Rules/Kiosk.md, with the category snacks.",
    );
    let lower = json!({"category": "GROCERIES", "amount": "90", "currency": "eur"});
    refuses(
        NOVEMBER,
        "limit",
        "",
        lower,
        "/category: has a limit in EUR already, Budget/Limits/Groceries.md.",
    );
    let broken = saved(NOVEMBER, "rule", "", json!({"match": "/(/", "category": "drinks"})).unwrap_err();
    assert!(broken.starts_with("/match: is not a regular expression: "), "{broken}");
}

#[test]
fn currency_can_be_removed_only_if_it_is_the_default() {
    let entries = |currencies: &[&str]| -> String {
        let entry = |(at, currency): (usize, &&str)| {
            format!("//- {at}.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\n{currency}---\n")
        };
        currencies.iter().enumerate().map(entry).collect()
    };
    let (eur, chf) = ("currency: EUR\n", "currency: chf\n");
    let taken = |notes: &str, path: &str| {
        saved(notes, "expense", path, json!({"currency": null})).map(|values| values["currency"].clone())
    };
    assert_eq!(taken(&entries(&[eur, eur, ""]), "0.md"), Ok(Value::Null));
    let refused = |why: &str| Err(format!("/currency: is needed: {why}."));
    let none = "the notes name no usual currency; give a code such as EUR";
    assert_eq!(taken(&entries(&[eur, "", ""]), "0.md"), refused(none));
    assert_eq!(taken(&entries(&[eur, eur, chf]), "0.md"), refused(none));
    let other = "without it the amount counts in EUR; name the currency";
    assert_eq!(taken(&entries(&[eur, chf]), "1.md"), refused(other));
    // An invalid currency was not in use anyway.
    assert_eq!(taken(&entries(&[eur, "currency: Taler\n"]), "1.md"), Ok(Value::Null));
}

#[test]
fn rejects_currency_change_that_affects_another_note() {
    let entry = |at: usize, currency: &str| {
        format!("//- {at}.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\n{currency}---\n")
    };
    let entries = |currencies: &[&str]| -> String {
        currencies.iter().enumerate().map(|(at, currency)| entry(at, currency)).collect()
    };
    let changed = |notes: &str, path: &str, code: &str| {
        saved(notes, "expense", path, json!({"currency": code})).map(|values| values["currency"].clone())
    };
    let refused = |of: &str| {
        Err(format!(
            "/currency: decides the currency of {of}, which names none; write EUR there first, or set the \
             currency of the skill budget."
        ))
    };
    let (eur, chf) = ("currency: EUR\n", "currency: CHF\n");
    // The only note with a currency.
    assert_eq!(changed(&entries(&[eur, ""]), "0.md", "CHF"), refused("1.md"));
    assert_eq!(changed(&entries(&[eur, "", ""]), "0.md", "CHF"), refused("1.md (and of 1 more)"));
    // A tie leaves no default, so the note without a currency would become unreadable.
    assert_eq!(changed(&entries(&[eur, "", ""]), "1.md", "CHF"), refused("2.md"));
    // The default stays the same, no note depends on it, or there was none before.
    assert_eq!(changed(&entries(&[eur, "", eur, eur]), "0.md", "CHF"), Ok(json!("CHF")));
    assert_eq!(changed(&entries(&[eur, chf]), "0.md", "CHF"), Ok(json!("CHF")));
    assert_eq!(changed(&entries(&[eur, "", chf]), "0.md", "CHF"), Ok(json!("CHF")));
    let limit = "//- limit.md\n---\ntype: limit\ncategory: food\namount: 9\n---\n";
    assert_eq!(changed(&[entries(&[eur]).as_str(), limit].concat(), "0.md", "CHF"), refused("limit.md"));
}

#[test]
fn rejects_new_record_that_changes_the_currency_of_others() {
    let entry = |at: usize, currency: &str| {
        format!("//- {at}.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\n{currency}---\n")
    };
    let entries = |currencies: &[&str]| -> String {
        currencies.iter().enumerate().map(|(at, currency)| entry(at, currency)).collect()
    };
    let (eur, chf) = ("currency: EUR\n", "currency: CHF\n");
    let refused = "/currency: decides the currency of 1.md, which names none; write EUR there first, or set the currency of \
                   the skill budget.";
    let limit = json!({"category": "food", "amount": "9", "currency": "CHF"});
    let expense = json!({"date": "2026-11-20", "amount": "9", "currency": "CHF"});
    let bank = "Date,Payee,Amount,Currency\n2026-11-20,Corner Market,-4.20,CHF\n2026-11-21,Kiosk,-1.00,CHF\n";
    for (currencies, is_refused) in
        [(vec![eur, ""], true), (vec![eur, "", eur, eur], false), (vec![eur, chf, eur, eur], false)]
    {
        let notes = entries(&currencies);
        let form = |record_type: &str, entered: &Value| {
            save_form(nova_skill_budget::skill, &TempVault::from(notes.as_str()), record_type, None, entered)
        };
        for (record_type, entered) in [("expense", &expense), ("limit", &limit)] {
            let result = form(record_type, entered).map(drop).map_err(|error| error.to_string());
            assert_eq!(result, if is_refused { Err(refused.to_owned()) } else { Ok(()) }, "{record_type}");
        }
        let import = json!({"path": "bank.csv"});
        for (tool, args) in [
            ("add_expense", &expense),
            ("add_income", &expense),
            ("set_limit", &limit),
            ("import_transactions", &import),
        ] {
            let budget = crate::budget(&notes);
            budget.vault.write_bytes("bank.csv", bank.as_bytes());
            let before = budget.vault.files();
            let mut args = args.clone();
            if tool == "import_transactions" {
                args["mapping"] = budget.value(tool, args.clone())["mapping"].clone();
            }
            let answer = budget.call(tool, args).result;
            match answer {
                Ok(_) => assert!(!is_refused, "{tool}"),
                Err(error) => {
                    assert_eq!((is_refused, error.message.as_str()), (true, refused), "{tool}");
                    assert_eq!(budget.vault.files(), before);
                }
            }
        }
    }
}
