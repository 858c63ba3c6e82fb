use nova_protocol::ErrorCode;
use nova_skill::{Value, json};

use crate::{OWNED, portfolio, trade};

/// Checks fields of an answer against manual calculations.
#[track_caller]
fn check(vault: &str, tool: &str, args: Value, expected: &[(&str, Value)]) {
    let value = portfolio(vault).value(tool, args);
    for (at, wanted) in expected {
        assert_eq!(value.pointer(at), Some(wanted), "{at} of {value:#}");
    }
}

#[test]
fn positions_have_cost_and_gain() {
    // Held: 100 of the first buy (6,005 / 2 = 3,002.50) and the second (6,885).
    check(
        OWNED,
        "positions",
        json!({}),
        &[
            ("/positions/0/symbol", json!("NGTL")),
            ("/positions/0/name", json!("Northgate Tooling")),
            ("/positions/0/quantity", json!("300")),
            ("/positions/0/price", json!("42.18")),
            ("/positions/0/price_at", json!("2026-11-20")),
            ("/positions/0/stale", Value::Null),
            ("/positions/0/value", json!("12654.00")),
            ("/positions/0/cost", json!("9887.50")),
            ("/positions/0/gain", json!("2766.50")),
            ("/positions/0/gain_percent", json!("28.0")),
            ("/positions/0/share", json!("63.4")),
            ("/positions/0/path", json!("Portfolio/Positions/NGTL.md")),
            ("/positions/1/symbol", json!("FRNH")),
            ("/positions/1/quantity", json!("640")),
            ("/positions/1/value", json!("7308.80")),
            ("/positions/1/gain", json!("1004.80")),
            ("/positions/1/stale", json!("very_old")),
            ("/total/value", json!("19962.80")),
            ("/total/gain", json!("3771.30")),
            ("/problems", json!([])),
            ("/unreadable", json!([])),
        ],
    );
}

#[test]
fn value_includes_what_was_realised_this_year() {
    // Sold 100 for 4,000 - 4; they had cost 3,002.50. Dividend: 300 × 0.60 - 27.
    check(
        OWNED,
        "value",
        json!({}),
        &[
            ("/value", json!([{"amount": "19962.80", "currency": "EUR"}])),
            ("/cost", json!([{"amount": "16191.50", "currency": "EUR"}])),
            ("/gain", json!([{"amount": "3771.30", "currency": "EUR"}])),
            ("/realised", json!([{"amount": "993.50", "currency": "EUR"}])),
            ("/income", json!([{"amount": "153.00", "currency": "EUR"}])),
            ("/prices", json!("1 of 2 prices is old")),
        ],
    );
}

#[test]
fn past_day_is_valued_with_the_data_up_to_then() {
    let vault = format!(
        "{OWNED}//- P.md\n---\ntype: price\nsymbol: NGTL\ndate: 2026-05-29\nclose: 33\ncurrency: EUR\n---\n"
    );
    check(
        &vault,
        "positions",
        json!({"as_of": "2026-06-01"}),
        &[
            ("/positions/0/quantity", json!("200")),
            ("/positions/0/value", json!("6600.00")),
            ("/positions/0/cost", json!("6005.00")),
            ("/problems/0/problem", json!("FRNH has no price in EUR")),
        ],
    );
}

#[test]
fn each_figure_has_its_parts_and_sources() {
    let outcome = portfolio(OWNED).call("value", json!({}));
    let gain = outcome.figures.iter().find(|figure| figure.at == "/gain/0/amount").unwrap();
    assert_eq!((gain.label.as_str(), gain.value.as_str()), ("Unrealised gain", "3771.30"));
    let parts: Vec<(&str, &str)> =
        gain.parts.iter().map(|part| (part.label.as_str(), part.value.as_str())).collect();
    assert_eq!(
        parts,
        [
            ("Value of 2 positions", "19962.80"),
            ("Cost, from 2 buys and 1 position, first in, first out", "-16191.50")
        ]
    );
    assert_eq!(gain.caution.as_deref(), Some("1 old quote"));
    // Two positions, three trades that moved shares, and two prices.
    assert_eq!(gain.sources.len(), 7);
    let ats: Vec<&str> = outcome.figures.iter().map(|figure| figure.at.as_str()).collect();
    assert_eq!(ats, ["/value/0/amount", "/gain/0/amount", "/realised/0/amount", "/income/0/amount"]);
}

#[test]
fn currencies_are_never_added() {
    let vault = format!(
        "{OWNED}{}//- U.md\n---\ntype: price\nsymbol: UBER\ndate: 2026-11-20\nclose: 80\ncurrency: USD\n---\n",
        trade("u", "symbol: UBER\nkind: buy\ndate: 2026-02-02\nquantity: 10\nprice: 70\ncurrency: USD")
    );
    check(
        &vault,
        "value",
        json!({"currency": "EUR"}),
        &[
            (
                "/value",
                json!([{"amount": "19962.80", "currency": "EUR"}, {"amount": "800.00", "currency": "USD"}]),
            ),
            ("/problems/0/problem", json!("there is no rate from USD to EUR, so there is no total in EUR")),
        ],
    );
    check(&vault, "positions", json!({}), &[("/total", Value::Null)]);
    let with_rate = format!(
        "{vault}//- R.md\n---\ntype: price\nsymbol: USD/EUR\ndate: 2026-11-20\nclose: 0.92\ncurrency: EUR\n---\n"
    );
    check(
        &with_rate,
        "value",
        json!({"currency": "EUR"}),
        &[
            ("/converted/value", json!("20698.80")),
            (
                "/converted/rates",
                json!([{"from": "USD", "to": "EUR", "rate": "0.92", "at": "2026-11-20", "source": "note", "stale": null}]),
            ),
            ("/problems", json!([])),
        ],
    );
}

#[test]
fn split_does_not_change_the_value() {
    let split = trade("s", "symbol: NGTL\nkind: split\ndate: 2026-11-21\nquantity: 2");
    let quantity = OWNED.replace(
        "quantity: 300\n---\n//- Portfolio/Positions/FRNH",
        "quantity: 600\n---\n//- Portfolio/Positions/FRNH",
    );
    check(
        &format!("{quantity}{split}"),
        "positions",
        json!({}),
        &[
            ("/positions/0/quantity", json!("600")),
            // The price is older than the split.
            ("/positions/0/price", json!("21.09")),
            ("/positions/0/value", json!("12654.00")),
            ("/positions/0/cost", json!("9887.50")),
            ("/problems", json!([])),
        ],
    );
}

#[test]
fn position_that_contradicts_its_trades_is_reported_with_its_line() {
    let vault = OWNED.replace("quantity: 300\n---", "quantity: 310\n---");
    check(
        &vault,
        "positions",
        json!({}),
        &[
            ("/positions/0/quantity", json!("300")),
            (
                "/problems",
                json!([{
                    "path": "Portfolio/Positions/NGTL.md",
                    "line": 7,
                    "problem": "NGTL has the quantity 310, its trades come to 300",
                    "remedy": "Write 300, or correct the trades. The trades are counted.",
                }]),
            ),
        ],
    );
}

#[test]
fn oversold_symbol_is_excluded_from_totals() {
    let vault = format!(
        "{OWNED}{}",
        trade("e", "symbol: NGTL\nkind: sell\ndate: 2026-10-01\nquantity: 301\nprice: 1\ncurrency: EUR")
    );
    check(
        &vault,
        "positions",
        json!({}),
        &[
            ("/positions/0/symbol", json!("FRNH")),
            ("/problems/0/path", json!("Portfolio/Trades/e.md")),
            ("/problems/0/line", json!(6)),
            ("/problems/0/problem", json!("NGTL: 301 sold on 2026-10-01, but only 300 held then")),
        ],
    );
    let error = portfolio(&vault).error("gains", json!({"symbol": "NGTL"}));
    assert_eq!(
        error.message,
        "Portfolio/Trades/e.md, line 6: NGTL: 301 sold on 2026-10-01, but only 300 held then."
    );
}

#[test]
fn invalid_record_is_reported_and_excluded() {
    for (properties, line, problem) in [
        (
            "symbol: X\nkind: buy\ndate: 2026-02-30\nquantity: 1\nprice: 1",
            5,
            "`date` is `2026-02-30`, which is not a date",
        ),
        (
            "symbol: X\nkind: buy\ndate: 2026-02-01\nquantity: 1\nprice: -1",
            7,
            "`price` is `-1`, which is less than 0",
        ),
        ("symbol: X\nkind: buy\ndate: 2026-02-01\nprice: 1", 1, "`quantity` is missing"),
        ("symbol: X\nkind: gift\ndate: 2026-02-01", 4, "`kind` is `gift`, which is not one of its choices"),
        (
            "symbol: X\nkind: buy\ndate: 2026-02-01\nquantity: 1\nprice: 1\ncurrency: ZZZ",
            8,
            "`currency` is `ZZZ`, which is not a currency",
        ),
        (
            "symbol: X\nkind: buy\ndate: 2026-02-01\nquantity: 1,5\nprice: 1",
            6,
            "`quantity` is `1,5`, which is not a plain decimal",
        ),
    ] {
        let currency = if properties.contains("currency") { "" } else { "\ncurrency: EUR" };
        let vault = trade("x", &format!("{properties}{currency}"));
        let value = portfolio(&vault).value("positions", json!({}));
        assert_eq!(value["positions"], json!([]), "{properties}");
        let found = &value["unreadable"][0];
        assert_eq!(
            (found["path"].as_str(), found["line"].as_u64(), found["problem"].as_str()),
            (Some("Portfolio/Trades/x.md"), Some(line), Some(problem))
        );
        assert!(found["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{found}");
    }
}

#[test]
fn gains_by_either_method() {
    let of = |method: &str, expected: &[(&str, Value)]| {
        check(OWNED, "gains", json!({"symbol": "northgate", "method": method}), expected);
    };
    of(
        "fifo",
        &[
            ("/sales/0/gain", json!("993.50")),
            ("/sales/0/cost", json!("3002.50")),
            ("/sales/0/proceeds", json!("3996.00")),
            ("/unrealised/0/amount", json!("2766.50")),
            (
                "/lots/0",
                json!({"bought": "2026-03-12", "quantity": "100", "cost": "3002.50", "currency": "EUR", "path": "Portfolio/Trades/a.md"}),
            ),
        ],
    );
    // A quarter of 12,890 is 3,222.50.
    of(
        "average",
        &[
            ("/sales/0/gain", json!("773.50")),
            ("/unrealised/0/amount", json!("2986.50")),
            ("/income/0/amount", json!("153.00")),
        ],
    );
}

#[test]
fn allocation_has_shares_of_the_total() {
    check(
        OWNED,
        "allocation",
        json!({"by": "exchange"}),
        &[
            (
                "/shares/0",
                json!({"label": "XETRA", "symbols": ["NGTL"], "share": "63.4", "value": "12654.00", "currency": "EUR"}),
            ),
            ("/shares/1/label", json!("no exchange")),
            ("/shares/1/share", json!("36.6")),
        ],
    );
}

#[test]
fn history_marks_carried_prices() {
    let value = portfolio(OWNED).value("history", json!({"range": "all"}));
    let points = value["points"].as_array().unwrap();
    // NGTL has no price before 20 November; FRNH's is eight days old.
    assert_eq!(points[0], json!({"date": "2026-11-20", "value": "19962.80", "carried": true}));
    assert_eq!(
        points.last(),
        Some(&json!({"date": "2026-11-21", "value": "19962.80", "carried": true})),
        "the price of FRNH is nine days old"
    );
    assert_eq!(value["currency"], "EUR");
}

#[test]
fn history_marks_carried_closes() {
    let mut vault =
        "//- P.md\n---\ntype: position\nsymbol: NGTL\ncurrency: EUR\nquantity: 1\n---\n".to_owned();
    // Fridays except for the first; a gap of three weeks in October.
    for day in ["2026-10-01", "2026-10-23", "2026-10-30", "2026-11-06", "2026-11-13"] {
        vault.push_str(&format!(
            "//- {day}.md\n---\ntype: price\nsymbol: NGTL\ndate: {day}\nclose: 40\ncurrency: EUR\n---\n"
        ));
    }
    let value = portfolio(&vault).value("history", json!({"range": "all"}));
    let carried: Vec<&str> = value["points"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|point| point["carried"] == true)
        .map(|point| point["date"].as_str().unwrap())
        .collect();
    let weeks =
        ["2026-10-09", "2026-10-12", "2026-10-13", "2026-10-14", "2026-10-15", "2026-10-16", "2026-10-19"];
    let weeks = [&weeks[..], &["2026-10-20", "2026-10-21", "2026-10-22"]].concat();
    // On Tuesday the 17th, Monday's close is missing.
    let last = ["2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21"];
    assert_eq!(carried, [&weeks[..], &last[..]].concat());
}

#[test]
fn rejects_invalid_arguments() {
    for (tool, args, message) in [
        ("positions", json!({"as_of": "yesterday"}), "/as_of: \"yesterday\" is not a date YYYY-MM-DD."),
        (
            "value",
            json!({"currency": "EURO"}),
            "/currency: \"EURO\" is not a currency. Write its code of three letters, such as EUR or USD.",
        ),
        ("gains", json!({"from": "2027-01-01"}), "/from: 2027-01-01 is after 2026-11-21."),
    ] {
        let error = portfolio(OWNED).error(tool, args);
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::InvalidArguments, message));
    }
    let error = portfolio(OWNED).error("gains", json!({"symbol": "NGTX"}));
    assert_eq!(error.message, "There is no symbol \"NGTX\".");
    assert!(error.hint.contains("NGTL"), "{error}");
}

#[test]
fn an_empty_vault_has_an_empty_portfolio() {
    check("", "value", json!({}), &[("/value", json!([])), ("/problems", json!([]))]);
    check("", "positions", json!({}), &[("/positions", json!([])), ("/total", Value::Null)]);
    check("", "history", json!({}), &[("/points", json!([]))]);
    check("", "allocation", json!({}), &[("/shares", json!([]))]);
}

/// €100 and $100, and further notes.
fn of_two_currencies(more: &str) -> String {
    let position = |symbol: &str, currency: &str| {
        format!(
            "//- {symbol}.md\n---\ntype: position\nsymbol: {symbol}\ncurrency: {currency}\nquantity: 1\ncost_basis: 90\n---\n\
             //- Price of {symbol}.md\n---\ntype: price\nsymbol: {symbol}\ndate: 2026-11-20\nclose: 100\ncurrency: {currency}\n---\n"
        )
    };
    position("EUE", "EUR") + &position("USU", "USD") + more
}

/// The note of an exchange rate.
fn rate(pair: &str, day: &str, close: &str) -> String {
    let to = &pair[4..];
    format!(
        "//- {day} {}.md\n---\ntype: price\nsymbol: {pair}\ndate: {day}\nclose: {close}\ncurrency: {to}\n---\n",
        &pair[..3]
    )
}

#[test]
fn shares_across_currencies_need_a_rate() {
    let apart = portfolio(&of_two_currencies("")).call("allocation", json!({"by": "currency"}));
    assert_eq!(apart.figures.len(), 0, "nothing is 100 % of all");
    let apart = apart.result.unwrap();
    assert_eq!(
        apart["shares"],
        json!([
            {"label": "EUR", "symbols": ["EUE"], "share": null, "value": "100.00", "currency": "EUR"},
            {"label": "USD", "symbols": ["USU"], "share": null, "value": "100.00", "currency": "USD"},
        ])
    );
    assert_eq!(
        (&apart["problems"][0]["problem"], &apart["problems"][0]["remedy"]),
        (
            &json!("There are no rates between EUR, USD, so shares are unknown"),
            &json!("Fetch the quote EUR/USD.")
        )
    );

    let known = of_two_currencies(&rate("EUR/USD", "2026-11-20", "1.25"));
    let whole = portfolio(&known).value("allocation", json!({"by": "currency"}));
    let shares: Vec<_> = ["/shares/0", "/shares/1"]
        .iter()
        .map(|at| (whole.pointer(at).unwrap()["label"].clone(), whole.pointer(at).unwrap()["share"].clone()))
        .collect();
    // 100 and 80 of €180.
    assert_eq!(shares, [(json!("EUR"), json!("55.6")), (json!("USD"), json!("44.4"))]);
    assert_eq!((&whole["rates"][0]["source"], &whole["problems"]), (&json!("note"), &json!([])));
}

#[test]
fn newer_of_a_rate_and_its_inverse_is_used() {
    let value = |more: String| {
        let answer = portfolio(&of_two_currencies(&more)).value("value", json!({"currency": "EUR"}));
        let converted = &answer["converted"];
        (converted["value"].clone(), converted["rates"][0]["at"].clone())
    };
    let old = rate("USD/EUR", "2026-01-05", "0.5");
    let new = rate("EUR/USD", "2026-11-20", "1.25");
    assert_eq!(value(old.clone() + &new), (json!("180.00"), json!("2026-11-20")));
    let newer = rate("USD/EUR", "2026-11-21", "0.9");
    assert_eq!(value(newer + &new), (json!("190.00"), json!("2026-11-21")));
    assert_eq!(value(old), (json!("150.00"), json!("2026-01-05")));
}

fn position(symbol: &str, currency: &str, close: &str, cost: &str) -> String {
    format!(
        "//- Portfolio/Positions/{symbol}.md\n---\ntype: position\nsymbol: {symbol}\ncurrency: {currency}\n\
         quantity: 1\ncost_basis: {cost}\n---\n//- Portfolio/Prices/{symbol}.md\n---\ntype: price\nsymbol: {symbol}\n\
         date: 2026-11-20\nclose: {close}\ncurrency: {currency}\n---\n"
    )
}

#[test]
fn totals_are_sums_of_rounded_rows() {
    // 0.125 is shown as 0.13; the total is 0.26, though the exact sum is 0.25. The return is exact:
    // (0.25 − 0.20) ÷ 0.20, where the rows shown would give 30 %.
    let vault = ["AAA", "BBB"].map(|symbol| position(symbol, "EUR", "0.125", "0.10")).concat();
    check(
        &vault,
        "positions",
        json!({}),
        &[
            ("/positions/0/value", json!("0.13")),
            ("/positions/0/gain", json!("0.03")),
            ("/positions/0/gain_percent", json!("25.0")),
            ("/positions/1/value", json!("0.13")),
            ("/total/value", json!("0.26")),
            ("/total/cost", json!("0.20")),
            ("/total/gain", json!("0.06")),
            ("/total/gain_percent", json!("25.0")),
        ],
    );
}

#[test]
fn rows_have_the_decimal_places_of_their_currency() {
    // By code: 0.000000125 BTC, 301.5 JPY, 1.0005 KWD.
    let vault = [("AAA", "BTC", "0.000000125"), ("BBB", "JPY", "301.5"), ("CCC", "KWD", "1.0005")]
        .map(|(symbol, currency, close)| position(symbol, currency, close, "0"))
        .concat();
    check(
        &vault,
        "positions",
        json!({}),
        &[
            ("/positions/0/value", json!("0.00000013")),
            ("/positions/1/value", json!("302")),
            ("/positions/2/value", json!("1.001")),
        ],
    );
}
