//! Deposits, withdrawals and the cash that follows, calculated by hand.

use nova_skill::{Value, json};

use crate::{OWNED, portfolio, trade};

fn deposit(date: &str, amount: &str, currency: &str) -> String {
    moved("deposit", date, amount, currency)
}

fn moved(kind: &str, date: &str, amount: &str, currency: &str) -> String {
    let properties = format!("kind: {kind}\ndate: {date}\nprice: {amount}\ncurrency: {currency}");
    trade(&format!("{date} {kind} {currency}"), &properties)
}

fn buy(symbol: &str, date: &str, quantity: &str, price: &str, currency: &str) -> String {
    let properties = format!(
        "symbol: {symbol}\nkind: buy\ndate: {date}\nquantity: {quantity}\nprice: {price}\nfee: 5\ncurrency: {currency}"
    );
    trade(&format!("{date} {symbol}"), &properties)
}

fn price(date: &str, symbol: &str, close: &str, currency: &str) -> String {
    let file = format!("{date} {}", symbol.replace('/', " in "));
    format!(
        "//- Portfolio/Prices/{file}.md\n---\ntype: price\nsymbol: {symbol}\ndate: {date}\nclose: {close}\ncurrency: {currency}\n---\n"
    )
}

fn problems(value: &Value) -> Vec<&str> {
    value["problems"].as_array().unwrap().iter().filter_map(|row| row["problem"].as_str()).collect()
}

#[test]
fn cash_follows_from_deposits_and_trades() {
    // 20,000 - 1,000 in, buys of 6,005 and 6,885, a sale of 3,996, a dividend of 153; FRNH has no trade.
    let vault =
        [OWNED, &deposit("2026-03-01", "20000", "EUR"), &moved("withdrawal", "2026-11-02", "1000", "EUR")]
            .concat();
    let outcome = portfolio(&vault).call("value", json!({}));
    let figures = outcome.figures;
    let value = outcome.result.unwrap();
    assert_eq!(value["cash"], json!([{"amount": "10259.00", "currency": "EUR"}]));
    assert_eq!(value["value"], json!([{"amount": "19962.80", "currency": "EUR"}]), "without cash, as before");
    assert_eq!(value["with_cash"], json!([{"amount": "30221.80", "currency": "EUR"}]));
    assert_eq!(problems(&value), Vec::<&str>::new());
    let cash = figures.iter().find(|figure| figure.at == "/cash/0/amount").unwrap();
    let parts: Vec<(&str, &str)> =
        cash.parts.iter().map(|part| (part.label.as_str(), part.value.as_str())).collect();
    assert_eq!(
        parts,
        [
            ("1 deposit", "20000.00"),
            ("1 withdrawal", "-1000.00"),
            ("2 buys", "-12890.00"),
            ("1 sale", "3996.00"),
            ("1 dividend", "153.00")
        ]
    );
    assert_eq!(cash.sources.len(), 6, "each note that counts");
    assert!(figures.iter().any(|figure| figure.at == "/with_cash/0/amount"));
}

#[test]
fn without_deposits_there_is_no_cash() {
    for tool in ["allocation", "returns", "positions"] {
        let value = portfolio(OWNED).value(tool, json!({}));
        assert!(!value.to_string().contains("cash"), "{tool}: {value}");
    }
    let outcome = portfolio(OWNED).call("value", json!({"currency": "EUR"}));
    let value = outcome.result.unwrap();
    for at in ["/cash", "/with_cash", "/converted/cash", "/converted/with_cash"] {
        assert_eq!(value.pointer(at), Some(&Value::Null), "{at}");
    }
    assert!(outcome.figures.iter().all(|figure| !figure.at.contains("cash")));
}

#[test]
fn negative_cash_is_reported_with_its_first_day() {
    let vault = [
        deposit("2026-02-02", "1000", "EUR"),
        buy("NGTL", "2026-02-03", "9", "100", "EUR"),
        buy("NGTL", "2026-03-03", "9", "100", "EUR"),
        buy("UBER", "2026-04-03", "1", "10", "USD"),
    ]
    .concat();
    let value = portfolio(&vault).value("value", json!({}));
    assert_eq!(
        value["cash"],
        json!([{"amount": "-810.00", "currency": "EUR"}, {"amount": "-15.00", "currency": "USD"}])
    );
    let said = problems(&value);
    assert!(said.contains(&"the cash in EUR is -810.00, below zero since 3 Mar"), "{said:?}");
    assert!(said.contains(&"the cash in USD is -15.00, below zero since 3 Apr"), "{said:?}");
    // On an earlier day, only earlier trades count.
    let before = portfolio(&vault).value("value", json!({"as_of": "2026-02-28"}));
    assert_eq!(before["cash"], json!([{"amount": "95.00", "currency": "EUR"}]));
}

#[test]
fn total_in_one_currency_includes_all_cash() {
    let vault = [
        deposit("2026-02-02", "1000", "EUR"),
        deposit("2026-02-02", "100", "USD"),
        buy("UBER", "2026-04-03", "1", "10", "USD"),
        price("2026-11-20", "UBER", "20", "USD"),
        price("2026-11-20", "USD/EUR", "0.92", "EUR"),
    ]
    .concat();
    let converted = &portfolio(&vault).value("value", json!({"currency": "EUR"}))["converted"];
    // 20 × 0.92; 1000 + 85 × 0.92
    assert_eq!(converted["value"], json!("18.40"));
    assert_eq!(converted["cash"], json!("1078.20"));
    assert_eq!(converted["with_cash"], json!("1096.60"));
    let shares = portfolio(&vault).value("allocation", json!({"currency": "EUR"}));
    assert_eq!(shares["shares"][0]["label"], json!("Cash"));
    assert_eq!(
        (&shares["shares"][0]["kind"], &shares["shares"][0]["share"]),
        (&json!("cash"), &json!("98.3"))
    );
    let by = portfolio(&vault).value("allocation", json!({"by": "currency", "currency": "EUR"}));
    assert_eq!(by["shares"][1]["value"], json!("96.60"), "dollars, shares and cash");
}

#[test]
fn deposits_are_recorded_and_listed() {
    let skill = portfolio(OWNED);
    let added = skill.value(
        "add_trade",
        json!({"kind": "deposit", "date": "2026-11-02", "price": "13000", "fee": "1", "currency": "EUR"}),
    );
    assert_eq!(added["path"], json!("Portfolio/Trades/2026-11-02 deposit.md"));
    // 13,000 - 1 - 12,890 + 3,996 + 153
    assert_eq!(added["cash"], json!("4258.00"));
    let out = skill.value("add_trade", json!({"kind": "withdrawal", "date": "2026-11-03", "price": "4258"}));
    assert_eq!((&out["cash"], &out["currency"]), (&json!("0.00"), &json!("EUR")), "the default currency");
    let listed = skill.value("list_trades", json!({"from": "2026-11-01"}));
    let rows: Vec<(&Value, &Value, &Value)> = listed["trades"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["kind"], &row["symbol"], &row["amount"]))
        .collect();
    assert_eq!(
        rows,
        [
            (&json!("withdrawal"), &Value::Null, &json!("-4258.00")),
            (&json!("deposit"), &Value::Null, &json!("12999.00"))
        ]
    );
    let of_symbol = skill.value("list_trades", json!({"symbol": "NGTL", "from": "2026-11-01"}));
    assert_eq!(of_symbol["trades"], json!([]));
}

#[test]
fn rejects_invalid_deposits_by_field() {
    let skill = portfolio(OWNED);
    for (args, at) in [
        (json!({"kind": "deposit", "date": "2026-11-02"}), "/price"),
        (json!({"kind": "deposit", "date": "2026-11-02", "price": "0"}), "/price"),
        (json!({"kind": "deposit", "date": "2026-11-02", "price": "5", "symbol": "NGTL"}), "/symbol"),
        (json!({"kind": "withdrawal", "date": "2026-11-02", "price": "5", "quantity": "2"}), "/quantity"),
        (json!({"kind": "buy", "date": "2026-11-02", "price": "5", "quantity": "2"}), "/symbol"),
        (json!({"kind": "deposit", "date": "2027-01-02", "price": "5"}), "/date"),
        (json!({"kind": "deposit", "date": "2026-11-02", "price": "5", "currency": "EURO?"}), "/currency"),
    ] {
        let error = skill.error("add_trade", args.clone());
        assert!(error.to_string().contains(at), "{args}: {error}");
    }
}

#[test]
fn invalid_deposit_is_reported_and_excluded() {
    let vault = [
        deposit("2026-02-02", "1000", "EUR"),
        trade("zero", "kind: deposit\ndate: 2026-02-03\nprice: 0\ncurrency: EUR"),
        trade("later", "kind: deposit\ndate: 2027-02-03\nprice: 1\ncurrency: EUR"),
        trade("no symbol", "kind: buy\ndate: 2026-02-03\nprice: 1\nquantity: 1\ncurrency: EUR"),
    ]
    .concat();
    let value = portfolio(&vault).value("value", json!({}));
    assert_eq!(value["cash"], json!([{"amount": "1000.00", "currency": "EUR"}]));
    let unreadable: Vec<&str> =
        value["unreadable"].as_array().unwrap().iter().filter_map(|row| row["problem"].as_str()).collect();
    assert_eq!(
        unreadable,
        ["`date` is `2027-02-03`, which is in the future", "`symbol` is missing", "`price` is `0`"]
    );
}

#[test]
fn returns_count_deposits_as_flows_and_cash_as_value() {
    // 1,000 in; 500 of it in shares that double; the rest stays cash. A buy is no flow.
    let vault = [
        deposit("2025-11-21", "1000", "EUR"),
        trade("b", "symbol: NGTL\nkind: buy\ndate: 2026-03-02\nquantity: 5\nprice: 100\ncurrency: EUR"),
        price("2026-11-20", "NGTL", "200", "EUR"),
    ]
    .concat();
    let value = portfolio(&vault).value("returns", json!({}));
    let total = &value["total"];
    assert_eq!(total["put_in"], json!("1000.00"));
    assert_eq!((&total["value"], &total["cash"]), (&json!("1500.00"), &json!("500.00")));
    assert_eq!(total["time_weighted"], json!("50.00"));
    assert_eq!(total["money_weighted"], json!("50.00"));
    // For the position alone, its buy is the flow.
    let row = &value["positions"][0];
    assert_eq!(
        (&row["put_in"], &row["time_weighted"], row.get("cash")),
        (&json!("500.00"), &json!("100.00"), None)
    );
}

#[test]
fn time_weighted_return_ignores_the_timing_of_deposits() {
    let vault = [
        deposit("2025-11-21", "1000", "EUR"),
        trade("b", "symbol: NGTL\nkind: buy\ndate: 2025-11-21\nquantity: 10\nprice: 100\ncurrency: EUR"),
        // 1,000 → 1,100, then 1,100 more, which is not invested.
        price("2026-05-20", "NGTL", "110", "EUR"),
        deposit("2026-05-20", "1100", "EUR"),
        price("2026-05-19", "NGTL", "110", "EUR"),
        // 2,200 → 2,310
        price("2026-11-20", "NGTL", "121", "EUR"),
    ]
    .concat();
    let total = &portfolio(&vault).value("returns", json!({}))["total"];
    // 1.1 × 2310 / 2200
    assert_eq!((&total["time_weighted"], &total["value"]), (&json!("15.50"), &json!("2310.00")));
}

mod forms {
    use nova_skill::{ToolError, Value, json};
    use nova_testkit::{FormSaved, TempVault, save_form};

    use super::deposit;
    use crate::OWNED;

    const BUY: &str = "Portfolio/Trades/b.md";
    const DEPOSIT: &str = "Portfolio/Trades/2026-03-01 deposit EUR.md";

    fn saved(path: Option<&str>, entered: &Value) -> Result<FormSaved, ToolError> {
        let vault = TempVault::from([OWNED, &deposit("2026-03-01", "20000", "EUR")].concat().as_str());
        save_form(nova_skill_portfolio::skill, &vault, "trade", path, entered)
    }

    #[test]
    fn form_saves_a_deposit_without_a_symbol() {
        let new = json!({"kind": "deposit", "date": "2026-11-20", "price": "50"});
        let saved_new = saved(None, &new).unwrap();
        assert_eq!(saved_new.values["currency"], "EUR", "the default currency");
        assert_eq!(saved(Some(DEPOSIT), &json!({"price": "60"})).unwrap().others.len(), 0);
        for entered in [json!({"price": "0"}), json!({"symbol": "NGTL"}), json!({"quantity": "3"})] {
            assert!(saved(Some(DEPOSIT), &entered).is_err(), "{entered}");
        }
    }

    #[test]
    fn buy_changed_to_a_deposit_is_deducted_from_its_position() {
        let entered = json!({"kind": "deposit", "symbol": null, "quantity": null, "price": "6885"});
        let saved_as = saved(Some(BUY), &entered).unwrap();
        let position = &saved_as.others["Portfolio/Positions/NGTL.md"];
        assert!(position.contains("\nquantity: 100\n"), "{position}");
        // A later trade sells 100 of the first buy.
        let first = saved(Some("Portfolio/Trades/a.md"), &entered).unwrap();
        assert!(first.others["Portfolio/Positions/NGTL.md"].contains("\nquantity: 100\n"));
        let leftover = saved(Some(BUY), &json!({"kind": "deposit"})).unwrap_err();
        assert!(leftover.to_string().contains("a deposit has no symbol"), "{leftover}");
    }

    #[test]
    fn deposit_changed_to_a_buy_is_added_to_its_position() {
        let entered = json!({"kind": "buy", "symbol": "NGTL", "quantity": "10", "price": "2"});
        let position = &saved(Some(DEPOSIT), &entered).unwrap().others["Portfolio/Positions/NGTL.md"];
        assert!(position.contains("\nquantity: 310\n"), "{position}");
    }
}

#[test]
fn interest_fees_and_taxes_of_the_account_have_no_symbol() {
    let portfolio = portfolio("");
    let cash_after = |args: Value| portfolio.value("add_trade", args)["cash"].clone();
    let on = |day: u8| format!("2026-11-{day:02}");
    let deposit = json!({"kind": "deposit", "date": on(2), "price": "100", "currency": "EUR"});
    assert_eq!(cash_after(deposit), "100.00");
    assert_eq!(cash_after(json!({"kind": "interest", "date": on(3), "price": "3"})), "103.00");
    assert_eq!(cash_after(json!({"kind": "fee", "date": on(4), "fee": "2.50"})), "100.50");
    assert_eq!(cash_after(json!({"kind": "tax", "date": on(5), "fee": "0.50"})), "100.00");
    assert_eq!(
        portfolio.vault.read("Portfolio/Trades/2026-11-05 tax.md"),
        "---\ntype: trade\nkind: tax\ndate: 2026-11-05\nfee: 0.50\ncurrency: EUR\n---\n"
    );
    // With a symbol, it is a cost of that holding.
    let bought = json!({"symbol": "NGTL", "kind": "buy", "date": on(6), "quantity": 1, "price": "10"});
    portfolio.value("add_trade", bought);
    portfolio.value("add_trade", json!({"symbol": "NGTL", "kind": "tax", "date": on(7), "fee": "1"}));
    assert_eq!(portfolio.value("value", json!({}))["cash"], json!([{"amount": "89.00", "currency": "EUR"}]));
    for wrong in [
        json!({"symbol": "NGTL", "kind": "interest", "date": on(8), "price": "3"}),
        json!({"kind": "interest", "date": on(8), "fee": "3"}),
        json!({"kind": "fee", "date": on(8), "price": "3"}),
    ] {
        portfolio.error("add_trade", wrong);
    }
}

#[test]
fn interest_without_deposits_gives_no_cash() {
    let vault = trade("a", "kind: interest\ndate: 2026-11-03\nprice: 3.00\ncurrency: EUR");
    let value = portfolio(&vault).value("value", json!({}));
    assert!(value.get("cash").is_none_or(Value::is_null), "{value:#}");
}
