//! Historical closes fetched for the value chart.

use futures::FutureExt as _;
use nova_market::kept::Kept;
use nova_market::{Bar, Events, History};
use nova_protocol::{ErrorCode, Event};
use nova_skill::{StoreSource as _, ToolStore as _, Value, json};
use nova_testkit::{CancellationToken, MemoryStores, Reply, SkillInVault, WebRequest};

use crate::{cached, portfolio, stored, trade};

/// 10 NGTL in euros since 2 November, split 2:1 on the 16th; SLVN, sold on the 10th.
const VAULT: &str = "//- N1.md
---
type: trade
symbol: NGTL
kind: buy
date: 2026-11-02
quantity: 10
price: 80
currency: EUR
---
//- N2.md
---
type: trade
symbol: NGTL
kind: split
date: 2026-11-16
quantity: 2
currency: EUR
---
//- S1.md
---
type: trade
symbol: SLVN
kind: buy
date: 2026-09-01
quantity: 4
price: 50
currency: EUR
---
//- S2.md
---
type: trade
symbol: SLVN
kind: sell
date: 2026-11-10
quantity: 4
price: 55
currency: EUR
---
//- NGTL.md
---
type: position
symbol: NGTL
exchange: XETRA
currency: EUR
---
//- SLVN.md
---
type: position
symbol: SLVN
exchange: XETRA
currency: EUR
---
";

fn sources(
    vault: &str,
    sources: Value,
    answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static,
) -> SkillInVault {
    portfolio(vault)
        .with_config(json!({
            "sources": sources,
            "base_urls": {"stooq": "http://stooq.test", "yahoo": "http://yahoo.test", "finnhub": "http://finnhub.io"},
        }))
        .with_web(&["stooq.test", "yahoo.test", "finnhub.io"], answer)
}

/// The symbol in a Stooq request, such as `ngtl.de`.
fn symbol(request: &WebRequest) -> String {
    request.path.split(['=', '&']).nth(1).unwrap_or_default().to_owned()
}

fn is_closes(request: &WebRequest) -> bool {
    request.path.starts_with("/q/d/l/")
}

fn newest(request: &WebRequest, price: &str) -> Reply {
    let of = symbol(request).to_uppercase();
    Reply::text(&format!(
        "Symbol,Date,Time,Open,High,Low,Close,Volume\n{of},2026-11-20,17:35:00,1,1,1,{price},1\n"
    ))
}

fn closes(rows: &[(&str, &str)]) -> Reply {
    let rows: String = rows.iter().map(|(day, close)| format!("{day},1,1,1,{close},1\n")).collect();
    Reply::text(&format!("Date,Open,High,Low,Close,Volume\n{rows}"))
}

/// Stooq's closes are split-adjusted: those before the split are halved.
fn answers(request: &WebRequest) -> Reply {
    match (symbol(request).as_str(), is_closes(request)) {
        ("ngtl.de", true) => closes(&[("2026-11-02", "40"), ("2026-11-13", "42"), ("2026-11-17", "43")]),
        ("slvn.de", true) => closes(&[("2026-10-30", "54"), ("2026-11-09", "55")]),
        ("ngtl.de", false) => newest(request, "44"),
        _ => panic!("{} is no longer held", request.path),
    }
}

#[test]
fn history_covers_present_and_past_holdings_from_their_first_day() {
    let skill = sources(VAULT, json!(["stooq"]), answers);
    let value = skill.value("quote", json!({"range": "1m"}));
    assert_eq!(
        value["closes"],
        json!([
            {"symbol": "NGTL", "from": "2026-11-02", "to": "2026-11-17", "count": 3, "source": "Stooq"},
            {"symbol": "SLVN", "from": "2026-10-30", "to": "2026-11-09", "count": 2, "source": "Stooq"},
        ])
    );
    assert_eq!((value["quotes"].as_array().unwrap().len(), &value["problems"]), (1, &json!([])));
    let asked: Vec<String> =
        skill.requests().into_iter().filter(is_closes).map(|request| request.path).collect();
    assert!(asked.iter().any(|path| path.contains("s=ngtl.de&d1=20261102&")), "{asked:?}");
    assert!(asked.iter().any(|path| path.contains("s=slvn.de&d1=20261021&")), "a month back: {asked:?}");

    skill.value("quote", json!({"range": "all"}));
    let asked: Vec<String> =
        skill.requests().into_iter().filter(is_closes).map(|request| request.path).collect();
    assert!(asked.iter().any(|path| path.contains("s=slvn.de&d1=20260901&")), "{asked:?}");
}

#[test]
fn split_does_not_change_the_chart() {
    let skill = sources(VAULT, json!(["stooq"]), answers);
    skill.value("quote", json!({"range": "1m"}));
    let answer = skill.value("history", json!({"range": "1m"}));
    let on = |day: &str| {
        let points = answer["points"].as_array().unwrap();
        points.iter().find(|point| point["date"] == day).map(|point| point["value"].clone())
    };
    // 10 × 84, with SLVN sold; 20 × 42 on the day of the split; 20 × 43.
    assert_eq!(on("2026-11-13"), Some(json!("840.00")));
    assert_eq!(on("2026-11-16"), Some(json!("840.00")));
    assert_eq!(on("2026-11-17"), Some(json!("860.00")));
    // 10 × 80 and 4 × 54.
    assert_eq!(on("2026-11-02"), Some(json!("1016.00")));
}

#[test]
fn history_reports_missing_prices() {
    let skill = sources(VAULT, json!(["stooq"]), |request| match is_closes(request) {
        true => closes(&[("2026-11-12", "41")]),
        false => newest(request, "44"),
    });
    let before = skill.value("history", json!({"range": "1m"}));
    assert_eq!((&before["points"], &before["missing"]), (&json!([]), &Value::Null));
    skill.value("quote", json!({"range": "1m"}));
    let after = skill.value("history", json!({"range": "1m"}));
    assert_eq!(after["missing"], "No prices of NGTL before 12 Nov, SLVN before 12 Nov.");
}

#[test]
fn closes_fall_back_to_the_next_source_and_report_if_all_fail() {
    let skill = sources(VAULT, json!(["stooq", "yahoo"]), |request| {
        match request.path.starts_with("/q/") && !is_closes(request) {
            true => newest(request, "44"),
            false => Reply::text("<html>Are you a robot?</html>"),
        }
    });
    let value = skill.value("quote", json!({"symbols": ["NGTL"], "range": "1m"}));
    assert_eq!(value["quotes"][0]["price"], "44.00", "the quote is as good without them");
    assert_eq!(value["closes"], json!([]));
    assert_eq!(
        value["problems"][0]["problem"],
        "NGTL has no closes since 2 Nov: Stooq answered with a web page instead of a quote; \
         Yahoo answered with a web page instead of a quote"
    );
}

#[test]
fn implausible_closes_are_rejected() {
    for (rows, why) in [
        (vec![("2026-11-16", "-3"), ("2027-01-04", "99")], "has none"),
        (
            vec![("2026-11-16", "41"), ("2026-11-17", "99999999"), ("2026-11-18", "42")],
            "answered with the close 99999999 of 2026-11-17, more than 1,000 times off the others",
        ),
    ] {
        let skill = sources(VAULT, json!(["stooq"]), move |request| match is_closes(request) {
            true => closes(&rows),
            false => newest(request, "44"),
        });
        let value = skill.value("quote", json!({"symbols": ["NGTL"], "range": "1m"}));
        assert_eq!(value["problems"][0]["problem"], format!("NGTL has no closes since 2 Nov: Stooq {why}"),);
        assert_eq!(stored(&skill, "ngtl-20xetra").as_object().unwrap().len(), 1, "only the quote");
        assert_eq!(cached(&skill, "closes-ngtl-20xetra"), None);
    }
}

#[test]
fn source_without_closes_still_provides_quotes() {
    let vault = VAULT.replace("exchange: XETRA\n", "exchange: XETRA\nname: Northgate\n");
    let skill = sources(&vault, json!(["stooq"]), |request| match is_closes(request) {
        true => Reply::with(503, &[("retry-after", "0")], ""),
        false => newest(request, "44"),
    });
    let symbols: Vec<String> = (0..12).map(|number| format!("S{number}")).collect();
    let value = skill.value("quote", json!({"symbols": symbols, "range": "1m"}));
    assert_eq!(value["quotes"].as_array().unwrap().len(), 12);
    assert_eq!(value["problems"].as_array().unwrap().len(), 12);
}

#[test]
fn few_quotes_are_emitted_one_by_one_and_stored_on_cancel() {
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    let skill = sources("", json!(["stooq"]), move |request| {
        if symbol(request) == "c.us" {
            stopping.cancel();
            return Reply::Stall(Vec::new());
        }
        newest(request, "10")
    });
    let outcome = skill.call_until("quote", json!({"symbols": ["A", "B", "C"]}), stop);
    assert_eq!(outcome.result.unwrap_err().code, ErrorCode::Cancelled);
    assert!(!outcome.unknown, "a quote changes nothing anywhere");
    let mut partial = skill.events.events().into_iter().filter_map(|event| match event {
        Event::ToolCallProgress { partial, .. } => partial,
        _ => None,
    });
    assert_eq!(outcome.so_far, partial.next_back(), "what was shown last");
}

#[test]
fn split_recorded_after_the_closes_does_not_change_the_chart() {
    let skill = sources(VAULT, json!(["stooq"]), answers);
    let split = skill.vault.read("N2.md");
    skill.vault.remove("N2.md");
    skill.value("quote", json!({"range": "1m"}));
    skill.vault.write("N2.md", &split);
    let worth = || {
        let points = skill.value("history", json!({"range": "1m"}))["points"].clone();
        let on = |day: &str| points.as_array().unwrap().iter().find(|point| point["date"] == day).cloned();
        ["2026-11-13", "2026-11-17"].map(|day| on(day).unwrap()["value"].clone())
    };
    // 10 × 84 and 20 × 43.
    assert_eq!(worth(), [json!("840.00"), json!("860.00")]);
    skill.vault.write("N2.md", &split.replace("quantity: 2", "quantity: 4"));
    assert_eq!(worth(), [json!("1680.00"), json!("1720.00")], "10 of 168, and 40 of 43: the note was wrong");
}

#[test]
fn concurrent_calls_store_both_results() {
    let stores = MemoryStores::default();
    let shared = stores.clone();
    let mut skill = sources("", json!(["stooq"]), move |request| {
        let stores = shared.clone();
        // While this call waits for its response, another starts and ends.
        let another = std::thread::spawn(move || {
            let mut another = sources("", json!(["stooq"]), |request| newest(request, "20"));
            another.stores = stores;
            another.value("quote", json!({"symbols": ["B"]}));
        });
        another.join().unwrap();
        newest(request, "10")
    });
    skill.stores = stores;
    skill.value("quote", json!({"symbols": ["A"]}));
    let prices = ["a", "b"].map(|symbol| stored(&skill, symbol)["2026-11-20"]["price"].clone());
    assert_eq!(prices, [json!("10"), json!("20")]);
}

/// Closes as any skill caches them.
fn cache(stores: &MemoryStores, key: &str, currency: &str, closes: &[(&str, &str)], fetched: &str) {
    cache_with(stores, key, currency, closes, fetched, Events::default());
}

fn cache_with(
    stores: &MemoryStores,
    key: &str,
    currency: &str,
    closes: &[(&str, &str)],
    fetched: &str,
    events: Events,
) {
    let bar = |(date, close): &(&str, &str)| Bar {
        date: date.parse().unwrap(),
        close: close.parse().unwrap(),
        open: None,
        high: None,
        low: None,
        volume: None,
    };
    let history = History {
        currency: currency.into(),
        bars: closes.iter().map(bar).collect(),
        unknown: Vec::new(),
        events: Some(events),
        url: "https://yahoo.test/".into(),
        fetched: fetched.into(),
    };
    let kept = Kept { source: "Yahoo".into(), since: closes[0].0.parse().unwrap(), history };
    stores.cache().set(key, kept.encode()).now_or_never().unwrap().unwrap();
}

#[test]
fn uses_closes_and_rates_that_another_skill_fetched() {
    let skill = portfolio(VAULT);
    let fetched = "2026-11-18T08:00:00Z";
    let days = [("2026-11-13", "42"), ("2026-11-17", "43")];
    cache(&skill.stores, "closes-ngtl-20xetra", "EUR", &days, fetched);
    cache(&skill.stores, "closes-eur-2fchf", "CHF", &[("2026-11-17", "0.95")], fetched);
    let row = &skill.value("positions", json!({}))["positions"][0];
    assert_eq!((&row["price"], &row["price_source"]), (&json!("43.00"), &json!("Yahoo")));
    assert_eq!(row["price_at"], "2026-11-17");
    // 20 of 43 at 0.95.
    assert_eq!(skill.value("value", json!({"currency": "CHF"}))["converted"]["value"], "817.00");
    let points = skill.value("history", json!({"range": "1m"}))["points"].clone();
    let on = |day: &str| points.as_array().unwrap().iter().find(|point| point["date"] == day).cloned();
    // Ten of twice 42: the split was on the 16th.
    assert_eq!(on("2026-11-13").unwrap()["value"], "840.00");
}

#[test]
fn closes_of_another_currency_value_nothing() {
    let skill = portfolio(VAULT);
    let days = [("2026-11-17", "43")];
    cache(&skill.stores, "closes-ngtl-20xetra", "USD", &days, "2026-11-18T08:00:00Z");
    assert_eq!(skill.value("positions", json!({}))["positions"][0]["price"], Value::Null);
}

#[test]
fn a_month_of_closes_keeps_the_older_ones_of_another_source() {
    let skill = sources(VAULT, json!(["stooq"]), answers);
    let days = [("2026-10-01", "39"), ("2026-11-02", "40.5")];
    cache(&skill.stores, "closes-ngtl-20xetra", "EUR", &days, "2026-11-03T08:00:00Z");
    skill.value("quote", json!({"symbols": ["NGTL"], "range": "1m"}));
    let asked: Vec<String> =
        skill.requests().into_iter().filter(is_closes).map(|request| request.path).collect();
    // Closes of two sources are not joined: the one that answers is asked for all of them.
    assert!(asked[1].contains("&d1=20261001&"), "{asked:?}");
    let kept = Kept::decode(&cached(&skill, "closes-ngtl-20xetra").unwrap()).unwrap();
    assert_eq!((kept.source.as_str(), kept.since.to_string().as_str()), ("Stooq", "2026-10-01"));
}

#[test]
fn a_final_close_replaces_the_quote_of_its_day() {
    let skill = sources(VAULT, json!(["stooq"]), answers);
    skill.value("quote", json!({"symbols": ["NGTL"]}));
    let price = || skill.value("positions", json!({}))["positions"][0]["price"].clone();
    let close =
        |fetched| cache(&skill.stores, "closes-ngtl-20xetra", "EUR", &[("2026-11-20", "45")], fetched);
    close("2026-11-20T12:00:00Z");
    assert_eq!(price(), "44.00", "that day was not over");
    close("2026-11-21T06:00:00Z");
    assert_eq!(price(), "45.00");
}

#[test]
fn quotes_of_the_old_store_move_into_the_cache() {
    let skill = portfolio(VAULT);
    let old = json!({"NGTL": {
        "2026-11-13": {
            "price": "42", "currency": "EUR", "source": "Stooq", "url": "https://stooq.test/", "at": null,
            "fetched": "2026-11-18T08:00:00Z",
        },
        "2026-11-20": {
            "price": "44.10", "currency": "EUR", "source": "Stooq", "url": "https://stooq.test/",
            "at": "2026-11-20T16:35:00Z", "fetched": "2026-11-20T16:40:00Z", "before": "44.00",
        },
    }});
    let store = skill.stores.store("portfolio");
    store.set("quotes", old).now_or_never().unwrap().unwrap();
    let row = &skill.value("positions", json!({}))["positions"][0];
    assert_eq!((&row["price"], &row["price_at"]), (&json!("44.10"), &json!("2026-11-20T16:35:00Z")));
    assert_eq!(store.values().get("quotes"), None);
    let points = skill.value("history", json!({"range": "1m"}))["points"].clone();
    let first = points.as_array().unwrap().iter().find(|point| point["date"] == "2026-11-13").cloned();
    assert_eq!(first.unwrap()["value"], "840.00", "a close in shares of the day it was fetched");
}

fn bought(date: &str) -> String {
    trade("b", &format!("symbol: KSTL\nkind: buy\ndate: {date}\nquantity: 10\nprice: 80\ncurrency: EUR"))
}

/// The problems of a value on 21 November 2026, with closes fetched on the 20th after a split of two for one.
fn problems_with_split(vault: &str, split: &str) -> Vec<String> {
    let skill = portfolio(vault);
    let events = Events { splits: vec![(split.parse().unwrap(), 2.into())], ..Events::default() };
    let days = [("2026-11-11", "41"), ("2026-11-13", "42"), ("2026-11-19", "43")];
    cache_with(&skill.stores, "closes-kstl", "EUR", &days, "2026-11-20T08:00:00Z", events);
    ["value", "positions", "returns"]
        .map(|tool| {
            let value = skill.value(tool, json!({}));
            let rows = value["problems"].as_array().unwrap().iter();
            rows.map(|row| row["problem"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join("; ")
        })
        .into()
}

#[test]
fn split_that_no_trade_records_is_a_problem() {
    let why = "Yahoo reports a 2:1 split of KSTL on 12 Nov, and no trade records it";
    assert_eq!(problems_with_split(&bought("2026-02-02"), "2026-11-12"), [why; 3]);
    // Recorded a day off, or before the first buy.
    let split = trade("s", "symbol: KSTL\nkind: split\ndate: 2026-11-13\nquantity: 2");
    assert_eq!(problems_with_split(&[bought("2026-02-02"), split].concat(), "2026-11-12"), [""; 3]);
    assert_eq!(problems_with_split(&bought("2026-11-12"), "2026-11-12"), [""; 3]);
}

#[test]
fn split_announced_for_tomorrow_changes_nothing_today() {
    assert_eq!(problems_with_split(&bought("2026-02-02"), "2026-11-22"), [""; 3]);
    let split = trade("s", "symbol: KSTL\nkind: split\ndate: 2026-11-22\nquantity: 2");
    let skill = portfolio(&[bought("2026-02-02"), split].concat());
    let days = [("2026-11-13", "42"), ("2026-11-20", "43")];
    cache(&skill.stores, "closes-kstl", "EUR", &days, "2026-11-21T08:00:00Z");
    let today = &skill.value("positions", json!({}))["positions"][0];
    assert_eq!((&today["quantity"], &today["value"]), (&json!("10"), &json!("430.00")));
}
