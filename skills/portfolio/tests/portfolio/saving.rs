//! What a record keeps to when it is saved with its form.

use nova_skill::{Value, json};
use nova_testkit::{FormSaved, TempVault, save_form};

use crate::OWNED;

const FIRST_BUY: &str = "Portfolio/Trades/a.md";
const SALE: &str = "Portfolio/Trades/c.md";
const NGTL: &str = "Portfolio/Positions/NGTL.md";

/// A form of a note, or of a new trade, in which these fields were filled in.
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

/// How much the position of NGTL says that there is after the form was saved.
#[track_caller]
fn follows(path: &str, entered: Value, quantity: &str) {
    let saved = saved(path, &entered).unwrap();
    let position = &saved.others[NGTL];
    assert!(position.contains(&format!("\nquantity: {quantity}\n")), "{position}");
}

#[test]
fn a_position_that_said_what_its_trades_come_to_follows_an_edit() {
    follows(SALE, json!({"quantity": "150"}), "250");
    follows(FIRST_BUY, json!({"quantity": "210"}), "310");
    follows(SALE, json!({"kind": "buy"}), "500");
    follows(
        "",
        json!({"symbol": "ngtl", "kind": "sell", "date": "2026-11-20", "quantity": "40", "price": "42"}),
        "260",
    );
    // The price decides nothing that it says.
    assert_eq!(saved(SALE, &json!({"price": "41"})).unwrap().others.len(), 0);
}

#[test]
fn an_edit_that_moves_a_trade_to_another_symbol_changes_both() {
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
fn more_than_is_held_is_sold_by_no_edit() {
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
    // The buy that a later sale takes from, and a split in between.
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
        "With this change a later one cannot be: Portfolio/Trades/c.md, line 6: NGTL: 100 sold on 2026-09-15, but only 99 held then."
    );
    let split = json!({"symbol": "NGTL", "kind": "split", "date": "2026-09-01", "quantity": "1", "per": "4"});
    assert_eq!(
        edit(split, None),
        "With this trade a later one cannot be: Portfolio/Trades/c.md, line 6: NGTL: 100 sold on 2026-09-15, but only 50 held then."
    );
}

/// Ten shares bought in each of two currencies; five of them were sold in one.
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

/// Takes the currency out of a note; else why it has to stay.
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
fn a_currency_is_taken_out_only_where_nothing_is_read_in_another_then() {
    let other = "/currency: is needed: without it the amount counts in EUR; name the currency.";
    without_currency(IN_TWO, "trade", "b.md", Err(other));
    // The other trades agree then, and are in dollars.
    without_currency(IN_TWO, "trade", "a.md", Err(&other.replace("EUR", "USD")));
    // The only one that says what all the others are in.
    let alone = IN_TWO.replace("currency: usd\n", "").replace("currency: USD\n", "");
    without_currency(&alone, "trade", "a.md", Ok(()));
    let alone = alone.replace("symbol: NGTL\ncurrency: EUR\n", "symbol: NGTL\n");
    let none = "/currency: is needed: the vault names no usual currency.";
    without_currency(&alone, "trade", "a.md", Err(none));
    // Trades that say none go by their position.
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
fn a_currency_is_changed_only_where_no_other_note_goes_by_it() {
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
    // The only one that any note names.
    let alone = [price("P", eur), price("Q", "")].concat();
    assert_eq!(changed(&alone, "price", "P.md", "USD"), refused("Q.md", "EUR"));
    assert_eq!(changed(&alone, "price", "P.md", "eur"), Ok(json!("EUR")));
    let three = [alone.clone(), price("R", "")].concat();
    assert_eq!(changed(&three, "price", "P.md", "USD"), refused("Q.md (and of 1 more)", "EUR"));
    // Two that are named as often leave it open: nobody knows then what is meant.
    assert_eq!(changed(&three, "price", "Q.md", "USD"), refused("R.md", "EUR"));
    // Most of the others say the same, or nobody leaves it open.
    let most = [price("P", eur), price("Q", ""), price("R", eur), price("S", eur)].concat();
    assert_eq!(changed(&most, "price", "P.md", "USD"), Ok(json!("USD")));
    assert_eq!(
        changed(&[price("P", eur), price("Q", usd)].concat(), "price", "P.md", "USD"),
        Ok(json!("USD"))
    );
    // Trades that say none go by their position.
    let of_position = "//- NGTL.md\n---\ntype: position\nsymbol: NGTL\ncurrency: EUR\n---\n\
                       //- b.md\n---\ntype: trade\nsymbol: NGTL\nkind: buy\ndate: 2026-01-02\nquantity: 1\nprice: 1\n---\n";
    assert_eq!(changed(of_position, "position", "NGTL.md", "USD"), refused("b.md", "EUR"));
}

#[test]
fn a_currency_that_nobody_touched_stays_as_it_is_spelled() {
    let edited = |entered: Value| {
        let vault = TempVault::from(IN_TWO);
        let saved = save_form(nova_skill_portfolio::skill, &vault, "trade", Some("b.md"), &entered);
        saved.unwrap().values["currency"].clone()
    };
    assert_eq!(edited(json!({"price": "44.50"})), "usd");
    assert_eq!(edited(json!({"quantity": "12", "currency": "usd"})), "USD");
}

#[test]
fn what_cannot_be_already_is_fixed_one_note_after_the_other() {
    // The first buy is missing, and so is a part of the second.
    let torn = OWNED.replace("quantity: 200\n", "quantity: 10\n");
    let vault = TempVault::from(torn.as_str());
    let path = Some(FIRST_BUY);
    let saved = save_form(nova_skill_portfolio::skill, &vault, "trade", path, &json!({"quantity": "20"}));
    assert!(saved.is_ok(), "30 of 100 is still too little, and nearer: {saved:?}");
}

#[test]
fn what_a_kind_lacks_or_does_not_have_is_reported_by_its_field() {
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
        "/date: 2026-11-22 is in the future; a trade has happened.",
    );
}

#[test]
fn a_new_trade_is_completed_as_the_tool_completes_it() {
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
    // What a note left open stays open.
    let none = OWNED.replace("quantity: 300\nprice: 0.60", "price: 180.00");
    let path = Some("Portfolio/Trades/d.md");
    let vault = TempVault::from(none.as_str());
    let saved = save_form(nova_skill_portfolio::skill, &vault, "trade", path, &json!({"fee": "20"}));
    assert_eq!(saved.unwrap().values["quantity"], Value::Null);
}

#[test]
fn a_price_is_above_zero() {
    let price = json!({"symbol": "NGTL", "date": "2026-11-20", "close": "0"});
    let saved = save_form(nova_skill_portfolio::skill, &TempVault::from(OWNED), "price", None, &price);
    assert_eq!(saved.unwrap_err().to_string(), "/close: must be above zero.");
}

#[test]
fn a_new_record_or_another_symbol_changes_the_currency_of_no_other_note() {
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
    // The trades of X say nothing, and go by what most say.
    let usual = [trade("a", "NGTL", eur), trade("b", "X", "")].concat();
    assert_eq!(added(&usual, "Y"), Err(refused("b.md", "EUR")));
    assert_eq!(added(&[usual.as_str(), &trade("c", "NGTL", eur)].concat(), "Y"), Ok(()));
    // They go by the others of their symbol.
    let of_symbol =
        [trade("a", "X", eur), trade("b", "X", ""), trade("c", "NGTL", eur), trade("d", "NGTL", usd)]
            .concat();
    let of_symbol = [of_symbol, trade("e", "UBER", usd), trade("f", "UBER", usd)].concat();
    assert_eq!(added(&of_symbol, "X"), Err(refused("b.md", "EUR")));
    assert_eq!(added(&of_symbol, "Y"), Ok(()));
    // The one that they go by becomes that of another symbol.
    let moved = |entered: Value| {
        let vault = TempVault::from(of_symbol.as_str());
        let saved = save_form(nova_skill_portfolio::skill, &vault, "trade", Some("a.md"), &entered);
        saved.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(moved(json!({"symbol": "Y"})), Err(refused("b.md", "EUR")));
    assert_eq!(moved(json!({"price": "2"})), Ok(()));
}

#[test]
fn what_prices_are_said_in_decides_nothing_that_is_held() {
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
