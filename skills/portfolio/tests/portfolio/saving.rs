//! Saving a record with its form.

use nova_skill::{Value, json};
use nova_testkit::{FormSaved, TempVault, save_form};

use crate::OWNED;

const FIRST_BUY: &str = "Portfolio/Trades/a.md";
const SALE: &str = "Portfolio/Trades/c.md";
const NGTL: &str = "Portfolio/Positions/NGTL.md";

/// Saves the form of the note at `path`, or of a new trade, with the `entered` fields.
fn saved(path: &str, entered: &Value) -> Result<FormSaved, nova_skill::ToolError> {
    let path = Some(path).filter(|path| !path.is_empty());
    save_form(nova_skill_portfolio::skill, &TempVault::from(OWNED), "trade", path, entered)
}

#[track_caller]
fn refuses(path: &str, entered: Value, message: &str) {
    let error = saved(path, &entered).unwrap_err();
    assert_eq!(error.to_string(), message);
    assert!(!error.hint().is_empty(), "{error}");
}

/// Checks the quantity in NGTL's position after saving the form.
#[track_caller]
fn follows(path: &str, entered: Value, quantity: &str) {
    let saved = saved(path, &entered).unwrap();
    let position = &saved.others[NGTL];
    assert!(position.contains(&format!("\nquantity: {quantity}\n")), "{position}");
}

#[test]
fn matching_position_is_updated_after_an_edit() {
    follows(SALE, json!({"quantity": "150"}), "250");
    follows(FIRST_BUY, json!({"quantity": "210"}), "310");
    follows(SALE, json!({"kind": "buy"}), "500");
    follows(
        "",
        json!({"symbol": "ngtl", "kind": "sell", "date": "2026-11-20", "quantity": "40", "price": "42"}),
        "260",
    );
    // The price affects nothing that the position states.
    assert_eq!(saved(SALE, &json!({"price": "41"})).unwrap().others.len(), 0);
}

#[test]
fn moving_a_trade_to_another_symbol_updates_both_positions() {
    let of_two = format!(
        "{OWNED}//- Portfolio/Positions/SLVN.md\n---\ntype: position\nsymbol: SLVN\ncurrency: EUR\nquantity: 5\n---\n\
         //- s.md\n---\ntype: trade\nsymbol: SLVN\nkind: buy\ndate: 2026-01-02\nquantity: 5\nprice: 1\ncurrency: EUR\n---\n"
    );
    let vault = TempVault::from(of_two.as_str());
    let path = Some("Portfolio/Trades/b.md");
    let saved =
        save_form(nova_skill_portfolio::skill, &vault, "trade", path, &json!({"symbol": "slvn"})).unwrap();
    assert_eq!(saved.values["symbol"], "SLVN");
    assert!(saved.others[NGTL].contains("\nquantity: 100\n"), "{saved:?}");
    assert!(saved.others["Portfolio/Positions/SLVN.md"].contains("\nquantity: 205\n"), "{saved:?}");
}

#[test]
fn rejects_edit_that_sells_more_than_is_held() {
    refuses(
        SALE,
        json!({"quantity": "401"}),
        "Portfolio/Trades/c.md, line 6: 401 NGTL cannot be sold on 2026-09-15: 400 are held then.",
    );
    refuses(
        SALE,
        json!({"date": "2026-03-01"}),
        "Portfolio/Trades/c.md, line 6: 100 NGTL cannot be sold on 2026-03-01: 0 are held then.",
    );
    refuses(
        "",
        json!({"symbol": "NGTL", "kind": "sell", "date": "2026-11-20", "quantity": "301", "price": "1"}),
        "301 NGTL cannot be sold on 2026-11-20: 300 are held then.",
    );
    // The buy that a later sale depends on, and a split in between.
    let small = "//- Portfolio/Trades/b.md";
    let without = OWNED.split(small).next().unwrap().to_owned()
        + &format!("//- Portfolio/Trades/c.md{}", OWNED.split("//- Portfolio/Trades/c.md").nth(1).unwrap());
    let vault = TempVault::from(without.as_str());
    let edit = |entered: Value, path: Option<&str>| {
        let saved = save_form(nova_skill_portfolio::skill, &vault, "trade", path, &entered);
        saved.unwrap_err().to_string()
    };
    assert_eq!(
        edit(json!({"quantity": "99"}), Some(FIRST_BUY)),
        "This change makes a later trade impossible: Portfolio/Trades/c.md, line 6: NGTL: 100 sold on 2026-09-15, but only 99 held then."
    );
    let split = json!({"symbol": "NGTL", "kind": "split", "date": "2026-09-01", "quantity": "1", "per": "4"});
    assert_eq!(
        edit(split, None),
        "This trade makes a later trade impossible: Portfolio/Trades/c.md, line 6: NGTL: 100 sold on 2026-09-15, but only 50 held then."
    );
}

/// Ten shares bought in each of two currencies, and five sold in one of them.
const IN_TWO: &str = "//- NGTL.md
---
type: position
symbol: NGTL
currency: EUR
---
//- a.md
---
type: trade
symbol: NGTL
kind: buy
date: 2026-01-02
quantity: 10
price: 40
currency: EUR
---
//- b.md
---
type: trade
symbol: NGTL
kind: buy
date: 2026-01-03
quantity: 10
price: 44
currency: usd
---
//- c.md
---
type: trade
symbol: NGTL
kind: sell
date: 2026-01-04
quantity: 5
price: 45
currency: USD
---
";

/// Checks the result of removing the currency from a note.
#[track_caller]
fn without_currency(notes: &str, record_type: &str, path: &str, expected: Result<(), &str>) {
    let saved = save_form(
        nova_skill_portfolio::skill,
        &TempVault::from(notes),
        record_type,
        Some(path),
        &json!({"currency": null}),
    );
    let saved = saved.map(|saved| assert_eq!(saved.values["currency"], Value::Null));
    assert_eq!(saved.map_err(|error| error.to_string()), expected.map_err(str::to_owned));
}

#[test]
fn rejects_removing_a_currency_that_decides_an_amount() {
    let other = "/currency: is needed: without it the amount counts in EUR; name the currency.";
    without_currency(IN_TWO, "trade", "b.md", Err(other));
    // The other trades then agree on dollars.
    without_currency(IN_TWO, "trade", "a.md", Err(&other.replace("EUR", "USD")));
    // The only record that names the currency of all.
    let alone = IN_TWO.replace("currency: usd\n", "").replace("currency: USD\n", "");
    without_currency(&alone, "trade", "a.md", Ok(()));
    let alone = alone.replace("symbol: NGTL\ncurrency: EUR\n", "symbol: NGTL\n");
    let none = "/currency: is needed: the vault names no usual currency.";
    without_currency(&alone, "trade", "a.md", Err(none));
    // Trades without a currency take that of their position.
    let of_position = "//- NGTL.md\n---\ntype: position\nsymbol: NGTL\ncurrency: EUR\n---\n\
                       //- b.md\n---\ntype: trade\nsymbol: NGTL\nkind: buy\ndate: 2026-01-02\nquantity: 1\nprice: 1\n---\n\
                       //- P.md\n---\ntype: price\nsymbol: X\ndate: 2026-01-02\nclose: 1\ncurrency: USD\n---\n\
                       //- Q.md\n---\ntype: price\nsymbol: Y\ndate: 2026-01-02\nclose: 1\ncurrency: USD\n---\n";
    without_currency(of_position, "position", "NGTL.md", Err(&other.replace("EUR", "USD")));
    let of_same = of_position.replace("USD", "EUR");
    without_currency(&of_same, "price", "P.md", Ok(()));
    without_currency(&of_same, "position", "NGTL.md", Ok(()));
}

#[test]
fn rejects_currency_change_that_affects_another_note() {
    let changed = |notes: &str, record_type: &str, path: &str, code: &str| {
        let vault = TempVault::from(notes);
        let entered = json!({"currency": code});
        let saved = save_form(nova_skill_portfolio::skill, &vault, record_type, Some(path), &entered);
        saved.map(|saved| saved.values["currency"].clone()).map_err(|error| error.to_string())
    };
    let price = |name: &str, currency: &str| {
        format!(
            "//- {name}.md\n---\ntype: price\nsymbol: {name}\ndate: 2026-01-02\nclose: 1\n{currency}---\n"
        )
    };
    let (eur, usd) = ("currency: EUR\n", "currency: USD\n");
    let refused = |of: &str, now: &str| {
        Err(format!("/currency: decides the currency of {of}, which names none; write {now} there first."))
    };
    // The only note with a currency.
    let alone = [price("P", eur), price("Q", "")].concat();
    assert_eq!(changed(&alone, "price", "P.md", "USD"), refused("Q.md", "EUR"));
    assert_eq!(changed(&alone, "price", "P.md", "eur"), Ok(json!("EUR")));
    let three = [alone.clone(), price("R", "")].concat();
    assert_eq!(changed(&three, "price", "P.md", "USD"), refused("Q.md (and of 1 more)", "EUR"));
    // A tie leaves no default currency.
    assert_eq!(changed(&three, "price", "Q.md", "USD"), refused("R.md", "EUR"));
    // The default stays the same, or no note depends on it.
    let most = [price("P", eur), price("Q", ""), price("R", eur), price("S", eur)].concat();
    assert_eq!(changed(&most, "price", "P.md", "USD"), Ok(json!("USD")));
    assert_eq!(
        changed(&[price("P", eur), price("Q", usd)].concat(), "price", "P.md", "USD"),
        Ok(json!("USD"))
    );
    // Trades without a currency take that of their position.
    let of_position = "//- NGTL.md\n---\ntype: position\nsymbol: NGTL\ncurrency: EUR\n---\n\
                       //- b.md\n---\ntype: trade\nsymbol: NGTL\nkind: buy\ndate: 2026-01-02\nquantity: 1\nprice: 1\n---\n";
    assert_eq!(changed(of_position, "position", "NGTL.md", "USD"), refused("b.md", "EUR"));
}

#[test]
fn unchanged_currency_keeps_its_notation() {
    let edited = |entered: Value| {
        let vault = TempVault::from(IN_TWO);
        let saved = save_form(nova_skill_portfolio::skill, &vault, "trade", Some("b.md"), &entered);
        saved.unwrap().values["currency"].clone()
    };
    assert_eq!(edited(json!({"price": "44.50"})), "usd");
    assert_eq!(edited(json!({"quantity": "12", "currency": "usd"})), "USD");
}

#[test]
fn impossible_trades_can_be_corrected_one_by_one() {
    // The first buy is missing, and part of the second.
    let torn = OWNED.replace("quantity: 200\n", "quantity: 10\n");
    let vault = TempVault::from(torn.as_str());
    let path = Some(FIRST_BUY);
    let saved = save_form(nova_skill_portfolio::skill, &vault, "trade", path, &json!({"quantity": "20"}));
    assert!(saved.is_ok(), "30 of 100 is still too little, and nearer: {saved:?}");
}

#[test]
fn missing_and_surplus_fields_of_a_kind_are_reported() {
    let new = |kind: &str, more: Value| {
        let mut entered = json!({"symbol": "NGTL", "kind": kind, "date": "2026-11-20"});
        entered.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entered
    };
    refuses("", new("buy", json!({"quantity": "1"})), "/price: a buy needs a price.");
    refuses("", new("sell", json!({"price": "1"})), "/quantity: a sell needs a quantity.");
    refuses("", new("buy", json!({"quantity": "0", "price": "1"})), "/quantity: must be above zero.");
    refuses("", new("fee", json!({"fee": "1", "price": "2"})), "/price: a fee has no price; leave it out.");
    refuses(SALE, json!({"per": "2"}), "/per: a sell has no per; leave it out.");
    refuses(
        "",
        json!({"symbol": "NGTL", "kind": "buy", "date": "2026-11-22", "quantity": "1", "price": "1"}),
        "/date: 2026-11-22 is in the future; record it once it has happened.",
    );
}

#[test]
fn form_completes_a_new_trade_like_the_tool() {
    let dividend =
        json!({"symbol": "Northgate Tooling", "kind": "dividend", "date": "2026-11-02", "price": "0.25"});
    let values = saved("", &dividend).unwrap().values;
    assert_eq!(
        values,
        json!({
            "symbol": "NGTL", "kind": "dividend", "date": "2026-11-02", "price": "0.25",
            "quantity": "300", "currency": "EUR",
        })
    );
    // An implicit value stays implicit.
    let none = OWNED.replace("quantity: 300\nprice: 0.60", "price: 180.00");
    let path = Some("Portfolio/Trades/d.md");
    let vault = TempVault::from(none.as_str());
    let saved = save_form(nova_skill_portfolio::skill, &vault, "trade", path, &json!({"fee": "20"}));
    assert_eq!(saved.unwrap().values["quantity"], Value::Null);
}

#[test]
fn rejects_price_of_zero() {
    let price = json!({"symbol": "NGTL", "date": "2026-11-20", "close": "0"});
    let saved = save_form(nova_skill_portfolio::skill, &TempVault::from(OWNED), "price", None, &price);
    assert_eq!(saved.unwrap_err().to_string(), "/close: must be above zero.");
}

#[test]
fn rejects_new_record_or_symbol_that_changes_another_currency() {
    let trade = |name: &str, symbol: &str, currency: &str| {
        format!(
            "//- {name}.md\n---\ntype: trade\nsymbol: {symbol}\nkind: buy\ndate: 2026-01-02\nquantity: 1\nprice: 1\n{currency}---\n"
        )
    };
    let (eur, usd) = ("currency: EUR\n", "currency: USD\n");
    let refused = |of: &str, now: &str| {
        format!("/currency: decides the currency of {of}, which names none; write {now} there first.")
    };
    let buy = |symbol: &str| json!({"symbol": symbol, "kind": "buy", "date": "2026-11-20", "quantity": "1", "price": "1", "currency": "USD"});
    let added = |notes: &str, symbol: &str| {
        let form =
            save_form(nova_skill_portfolio::skill, &TempVault::from(notes), "trade", None, &buy(symbol));
        let form = form.map(drop).map_err(|error| error.to_string());
        let tool = crate::portfolio(notes).call("add_trade", buy(symbol)).result;
        assert_eq!(form, tool.map(drop).map_err(|error| error.message));
        form
    };
    // The trades of X name no currency and take the most frequent one.
    let usual = [trade("a", "NGTL", eur), trade("b", "X", "")].concat();
    assert_eq!(added(&usual, "Y"), Err(refused("b.md", "EUR")));
    assert_eq!(added(&[usual.as_str(), &trade("c", "NGTL", eur)].concat(), "Y"), Ok(()));
    // They take the currency of their symbol's other trades.
    let of_symbol =
        [trade("a", "X", eur), trade("b", "X", ""), trade("c", "NGTL", eur), trade("d", "NGTL", usd)]
            .concat();
    let of_symbol = [of_symbol, trade("e", "UBER", usd), trade("f", "UBER", usd)].concat();
    assert_eq!(added(&of_symbol, "X"), Err(refused("b.md", "EUR")));
    assert_eq!(added(&of_symbol, "Y"), Ok(()));
    // The trade that determines their currency is moved to another symbol.
    let moved = |entered: Value| {
        let vault = TempVault::from(of_symbol.as_str());
        let saved = save_form(nova_skill_portfolio::skill, &vault, "trade", Some("a.md"), &entered);
        saved.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(moved(json!({"symbol": "Y"})), Err(refused("b.md", "EUR")));
    assert_eq!(moved(json!({"price": "2"})), Ok(()));
}

#[test]
fn currencies_of_prices_do_not_affect_trades() {
    let price = |name: &str| {
        format!(
            "//- {name}.md\n---\ntype: price\nsymbol: {name}\ndate: 2026-01-02\nclose: 1\ncurrency: USD\n---\n"
        )
    };
    let held = "//- a.md\n---\ntype: trade\nsymbol: NGTL\nkind: buy\ndate: 2026-01-02\nquantity: 1\nprice: 1\n\
                currency: EUR\n---\n\
                //- b.md\n---\ntype: trade\nsymbol: X\nkind: buy\ndate: 2026-01-02\nquantity: 1\nprice: 1\n---\n";
    let portfolio = crate::portfolio(&[held, &price("P"), &price("Q")].concat());
    let trades = portfolio.value("list_trades", json!({"symbol": "X"}));
    assert_eq!(trades["trades"][0]["currency"], "EUR");
}
