use nova_protocol::Panel;
use nova_skill::{Value, json};
use nova_testkit::snapshot_of;

use crate::{OWNED, portfolio};

/// Calls `add_trade` and compares the new note.
#[track_caller]
fn check(args: Value, path: &str, note: &str) {
    let portfolio = portfolio(OWNED);
    assert_eq!(portfolio.value("add_trade", args)["path"], path);
    assert_eq!(portfolio.vault.read(path), note);
}

/// Expects the call to fail without writing anything.
#[track_caller]
fn refuses(args: Value, message: &str) {
    let portfolio = portfolio(OWNED);
    let files = portfolio.vault.files();
    assert_eq!(portfolio.error("add_trade", args).message, message);
    assert_eq!(portfolio.vault.files(), files);
}

#[test]
fn buy_of_a_new_symbol() {
    check(
        json!({"symbol": "uber", "kind": "buy", "date": "2026-11-20", "quantity": 10, "price": "70.25", "fee": "1.00", "currency": "usd"}),
        "Portfolio/Trades/2026-11-20 UBER buy.md",
        "---\ntype: trade\nsymbol: UBER\nkind: buy\ndate: 2026-11-20\nquantity: 10\nprice: 70.25\nfee: 1.00\ncurrency: USD\n---\n",
    );
}

#[test]
fn trade_links_to_its_position_and_updates_it() {
    let portfolio = portfolio(OWNED);
    let outcome = portfolio.call(
        "add_trade",
        json!({"symbol": "Northgate Tooling", "kind": "sell", "date": "2026-11-20", "quantity": "50", "price": "42.00"}),
    );
    let value = outcome.result.unwrap();
    // The 50 shares are from the remaining 100 of the first buy and cost 1,501.25.
    assert_eq!((&value["gain"], &value["held"]), (&json!("598.75"), &json!("250")));
    assert_eq!(
        portfolio.vault.read("Portfolio/Trades/2026-11-20 NGTL sell.md"),
        "---\ntype: trade\nsymbol: NGTL\nkind: sell\ndate: 2026-11-20\nquantity: 50\nprice: 42.00\nfee: 0\ncurrency: EUR\n---\n\n[[NGTL]]\n"
    );
    assert_eq!(
        portfolio.vault.read("Portfolio/Positions/NGTL.md"),
        "---\ntype: position\nsymbol: NGTL\nname: Northgate Tooling\nexchange: XETRA\ncurrency: EUR\nquantity: 250\n---\n"
    );
    assert_eq!(outcome.figures[0].at, "/gain");
    assert_eq!(outcome.changes.len(), 2);
}

#[test]
fn records_dividends_splits_and_fees() {
    check(
        json!({"symbol": "FRNH", "kind": "dividend", "date": "2026-11-02", "quantity": 640, "price": "0.25"}),
        "Portfolio/Trades/2026-11-02 FRNH dividend.md",
        "---\ntype: trade\nsymbol: FRNH\nkind: dividend\ndate: 2026-11-02\nquantity: 640\nprice: 0.25\nfee: 0\ncurrency: EUR\n---\n\n[[FRNH]]\n",
    );
    check(
        json!({"symbol": "NGTL", "kind": "split", "date": "2026-11-02", "quantity": 1, "per": 3}),
        "Portfolio/Trades/2026-11-02 NGTL split.md",
        "---\ntype: trade\nsymbol: NGTL\nkind: split\ndate: 2026-11-02\nquantity: 1\nper: 3\ncurrency: EUR\n---\n\n[[NGTL]]\n",
    );
    check(
        json!({"symbol": "NGTL", "kind": "fee", "date": "2026-11-02", "fee": "2.50"}),
        "Portfolio/Trades/2026-11-02 NGTL fee.md",
        "---\ntype: trade\nsymbol: NGTL\nkind: fee\ndate: 2026-11-02\nfee: 2.50\ncurrency: EUR\n---\n\n[[NGTL]]\n",
    );
}

#[test]
fn gift_needs_a_price_of_zero() {
    let portfolio = portfolio(OWNED);
    let free = |kind: &str, date: &str| json!({"symbol": "NGTL", "kind": kind, "date": date, "quantity": 10, "price": 0});
    let gift = portfolio.value("add_trade", free("buy", "2026-11-19"));
    assert_eq!((&gift["held"], &gift["price"]), (&json!("310"), &json!("0")));
    let lost = portfolio.value("add_trade", free("sell", "2026-11-20"));
    // A tenth of the remaining 100 of the first buy, which cost 3,002.50.
    assert_eq!((&lost["held"], &lost["gain"]), (&json!("300"), &json!("-300.25")));
    assert_eq!(portfolio.value("list_trades", json!({}))["problems"], json!([]));
}

#[test]
fn rejects_impossible_trades() {
    let sell = |quantity: u32, date: &str| json!({"symbol": "NGTL", "kind": "sell", "date": date, "quantity": quantity, "price": 1});
    refuses(sell(301, "2026-11-20"), "301 NGTL cannot be sold on 2026-11-20: 300 are held then.");
    // 200 were held then, and September's sale needs 100 of the later 400.
    refuses(sell(201, "2026-04-01"), "201 NGTL cannot be sold on 2026-04-01: 200 are held then.");
    let buy = |field: &str, value: Value| {
        let mut args =
            json!({"symbol": "UBER", "kind": "buy", "date": "2026-11-20", "quantity": 1, "price": 1});
        args[field] = value;
        args
    };
    refuses(buy("price", json!("-1")), "/price: -1 is below zero; write it without a sign.");
    refuses(buy("quantity", json!(0)), "/quantity: must be above zero.");
    refuses(
        json!({"symbol": "NGTL", "kind": "dividend", "date": "2026-11-20", "quantity": 1, "price": 0}),
        "/price: must be above zero.",
    );
    refuses(
        buy("price", json!("1,5")),
        "/price: \"1,5\" is not a plain decimal; write it as digits with at most one point, such as 1250.50.",
    );
    refuses(buy("date", json!("2026-02-30")), "/date: \"2026-02-30\" is not a date YYYY-MM-DD.");
    refuses(
        buy("date", json!("2026-11-22")),
        "/date: 2026-11-22 is in the future; record it once it has happened.",
    );
    refuses(
        buy("currency", json!("Taler")),
        "/currency: \"Taler\" is not a currency. Write its code of three letters, such as EUR or USD.",
    );
    refuses(
        buy("symbol", json!("two words")),
        "/symbol: \"two words\" is neither a symbol nor a position's name; a symbol is one word such as NGTL.",
    );
    refuses(
        json!({"symbol": "UBER", "kind": "buy", "date": "2026-11-20", "quantity": 1}),
        "/price: a buy needs a price.",
    );
}

#[test]
fn rejects_trade_that_makes_a_later_sale_impossible() {
    refuses(
        json!({"symbol": "NGTL", "kind": "split", "date": "2026-09-01", "quantity": 1, "per": 8}),
        "This trade makes a later trade impossible: Portfolio/Trades/c.md, line 6: NGTL: 100 sold on 2026-09-15, but only 50 held then.",
    );
}

#[test]
fn rejects_trade_that_hides_shares_stated_only_in_a_position() {
    refuses(
        json!({"symbol": "FRNH", "kind": "buy", "date": "2026-11-20", "quantity": 10, "price": 11}),
        "The 640 FRNH are in Portfolio/Positions/FRNH.md and in no trade; after a first trade only trades count.",
    );
}

#[test]
fn trades_are_listed_with_their_amounts() {
    let value = portfolio(OWNED).value("list_trades", json!({"symbol": "NGTL", "from": "2026-09-01"}));
    assert_eq!(
        value["trades"],
        json!([
            {"date": "2026-10-05", "kind": "dividend", "symbol": "NGTL", "name": "Northgate Tooling", "quantity": "300",
             "price": "0.60", "fee": "27.00", "amount": "153.00", "currency": "EUR", "path": "Portfolio/Trades/d.md"},
            {"date": "2026-09-15", "kind": "sell", "symbol": "NGTL", "name": "Northgate Tooling", "quantity": "100",
             "price": "40.00", "fee": "4.00", "amount": "3996.00", "currency": "EUR", "path": "Portfolio/Trades/c.md"},
        ])
    );
}

#[test]
fn dividend_defaults_to_the_quantity_held() {
    let dividend = |symbol: &str, date: &str| json!({"symbol": symbol, "kind": "dividend", "date": date, "price": "0.25"});
    let portfolio = portfolio(OWNED);
    let answer = portfolio.value("add_trade", dividend("FRNH", "2026-11-02"));
    assert_eq!(
        (&answer["quantity"], &answer["held"], &answer["cost"]),
        (&json!("640"), &json!("640"), &json!("6304.00"))
    );
    // 200 were held between the two buys.
    assert_eq!(portfolio.value("add_trade", dividend("NGTL", "2026-04-01"))["quantity"], "200");
    refuses(dividend("NGTL", "2026-03-11"), "/quantity: is needed: no NGTL are held on 2026-03-11.");
    refuses(
        json!({"symbol": "FRNH", "kind": "dividend", "date": "2026-11-02", "quantity": 10, "price": "0.25", "fee": "2.51"}),
        "/fee: 2.51 is more than the payment of 2.50.",
    );
}

#[test]
fn rejects_split_with_a_fee() {
    refuses(
        json!({"symbol": "NGTL", "kind": "split", "date": "2026-11-02", "quantity": 2, "fee": 1}),
        "/fee: a split has no fee; leave it out.",
    );
}

#[test]
fn realised_gain_cites_its_trades() {
    let outcome = portfolio(OWNED).call(
        "add_trade",
        json!({"symbol": "NGTL", "kind": "sell", "date": "2026-11-20", "quantity": "50", "price": "42.00"}),
    );
    // Two buys, the first sale and this one.
    assert_eq!(outcome.figures[0].sources.len(), 4);
}

#[test]
fn trade_added_from_a_tab_has_the_currency_of_its_position() {
    let dollars = "//- Portfolio/Positions/UBER.md\n---\ntype: position\nsymbol: UBER\ncurrency: USD\n---\n";
    let skill = portfolio(&format!("{OWNED}{dollars}"));
    let declared = snapshot_of(vec![nova_skill_portfolio::skill()]).skills()[0].manifest.panel.clone();
    let panel = Panel::read(&declared.unwrap()).unwrap();
    let heads = panel.tabs.iter().flat_map(|tab| &tab.actions);
    let adding: Vec<_> = heads.filter(|action| action.tool.as_deref() == Some("add_trade")).collect();
    assert_eq!(adding.len(), 4);
    for (day, action) in (17..=20).map(|day| format!("2026-11-{day}")).zip(adding) {
        // The default currency of this vault is the euro; the user fills in the rest.
        let mut args = action.args.clone();
        for value in args.values_mut().filter(|value| **value == "{currency}") {
            *value = json!("EUR");
        }
        args.extend([
            ("symbol".into(), json!("UBER")),
            ("kind".into(), json!("buy")),
            ("date".into(), json!(day)),
            ("quantity".into(), json!("1")),
            ("price".into(), json!("70")),
        ]);
        let path = skill.value("add_trade", Value::Object(args))["path"].as_str().unwrap().to_owned();
        assert!(skill.vault.read(&path).contains("currency: USD\n"), "{path}");
    }
}
