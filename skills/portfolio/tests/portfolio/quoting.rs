//! Quote sources that answer correctly, wrongly, or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nova_protocol::{Decision, ErrorCode, Event};
use nova_skill::{Value, json};
use nova_testkit::{
    CancellationToken, FixedCredentials, Reply, ScriptedApprover, SkillInVault, WebRequest, decided, denied,
};

use crate::{portfolio, stored};

const VAULT: &str = "//- Portfolio/Positions/TSRB.md
---
type: position
symbol: TSRB
exchange: XETRA
currency: EUR
quantity: 95
---
//- Portfolio/Prices/TSRB.md
---
type: price
symbol: TSRB
date: 2026-11-17
close: 71.25
currency: EUR
---
";

const HEAD: &str = "Symbol,Date,Time,Open,High,Low,Close,Volume";

/// The skill with test hosts for its sources, all served by `answer`.
fn sources(
    vault: &str,
    sources: Value,
    answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static,
) -> SkillInVault {
    portfolio(vault)
        .with_config(json!({
            "sources": sources,
            "base_urls": {
                "stooq": "http://stooq.test", "yahoo": "http://yahoo.test", "finnhub": "http://finnhub.io",
            },
        }))
        .with_web(&["stooq.test", "yahoo.test", "finnhub.io"], answer)
}

fn stooq(close: &str, date: &str) -> Reply {
    Reply::text(&format!("{HEAD}\nTSRB.DE,{date},17:35:00,1,1,1,{close},1\n"))
}

fn yahoo(price: &str, currency: &str) -> Reply {
    Reply::text(&format!(
        r#"{{"chart":{{"result":[{{"meta":{{"symbol":"TSRB.DE","currency":"{currency}","regularMarketPrice":{price},
        "regularMarketTime":1795192500,"chartPreviousClose":70.00,"gmtoffset":3600}}}}],"error":null}}}}"#
    ))
}

/// Checks the problem reported if Stooq, the only source, answers like this.
#[track_caller]
fn refused(answer: impl Fn() -> Reply + Send + Sync + 'static, why: &str) {
    let skill = sources(VAULT, json!(["stooq"]), move |_| answer());
    let value = skill.value("quote", json!({"symbols": ["TSRB"]}));
    assert_eq!(
        value["problems"][0]["problem"],
        format!("TSRB: Stooq {why}. The last price, 71.25 EUR from 17 Nov, is used")
    );
    assert_eq!(value["quotes"][0]["price"], "71.25");
    assert_eq!(value["quotes"][0]["carried"], true);
    assert_eq!(stored(&skill, "tsrb-20xetra"), Value::Null, "it is not stored");
}

#[test]
fn quote_has_source_and_time() {
    let skill = sources(VAULT, json!(["stooq"]), |_| stooq("72.10", "2026-11-20"));
    let outcome = skill.call("quote", json!({"symbols": ["TSRB"]}));
    assert_eq!(
        outcome.result.unwrap(),
        json!({
            "quotes": [{
                "symbol": "TSRB", "price": "72.10", "currency": "EUR", "price_at": "2026-11-20T16:35:00Z",
                "price_source": "Stooq", "stale": null, "day_change": null,
            }],
            "problems": [],
        })
    );
    assert_eq!(skill.requests()[0].path, "/q/l/?s=tsrb.de&f=sd2t2ohlcv&h&e=csv");
    assert_eq!(
        (outcome.figures[0].at.as_str(), outcome.figures[0].unit.as_str()),
        ("/quotes/0/price", "EUR")
    );
    let asked = skill.approver.asked();
    assert!(
        asked.iter().any(|request| request.host.as_deref() == Some("stooq.test")),
        "another address needs approval"
    );

    let row = &skill.value("positions", json!({}))["positions"][0];
    assert_eq!((&row["price"], &row["price_source"]), (&json!("72.10"), &json!("Stooq")), "it is kept");
    assert_eq!(row["value"], "6849.50");
}

#[test]
fn invalid_responses_are_reported_with_the_reason() {
    refused(|| Reply::text("<html>Are you a robot?</html>"), "answered with a web page instead of a quote");
    refused(
        || Reply::with(200, &[("content-type", "text/html")], "Symbol,Close"),
        "answered with a web page instead of a quote",
    );
    refused(|| Reply::text(""), "answered with nothing");
    refused(|| stooq("N/D", "N/D"), "has no price of it (N/D)");
    refused(|| stooq("0", "2026-11-20"), "answered with the price 0, which is not above zero");
    refused(|| stooq("-3", "2026-11-20"), "answered with the price -3, which is not above zero");
    refused(|| stooq("12,5x", "2026-11-20"), "answered with 9 values for 8 columns");
    refused(|| stooq("12.5x", "2026-11-20"), "answered with \"12.5x\" as the price");
    refused(
        || stooq("99999999", "2026-11-20"),
        "answered with the price 99999999, more than 1,000 times off the last one, 71.25",
    );
    refused(|| stooq("71", "2026-11-13"), "has no newer price than that of 13 Nov 2026");
    refused(|| stooq("71", "2027-11-13"), "answered with a price of 2027-11-13, which is in the future");
    refused(|| stooq("71", "soon"), "answered with \"soon\" as the date");
    refused(
        || Reply::text(&format!("{HEAD}\nOTHER.DE,2026-11-20,17:35:00,1,1,1,71,1\n")),
        "answered about other.de instead of tsrb.de",
    );
    refused(
        || Reply::text("Exceeded the daily hits limit"),
        "answered with \"Exceeded the daily hits limit\" instead of a quote",
    );
    refused(|| Reply::with(404, &[], "Not found"), "answered with \"Not found\" instead of a quote");
    refused(|| Reply::with(429, &[("retry-after", "3600")], ""), "receives too many requests");
    refused(|| Reply::with(503, &[("retry-after", "0")], ""), "has a server error (status 503)");
    refused(|| Reply::with(200, &[], "\u{0}\u{1}"), "answered with \"\u{0}\u{1}\" instead of a quote");
}

#[test]
fn quote_fails_without_a_price_of_the_last_week() {
    let old = VAULT.replace("2026-11-17", "2026-11-20").replace("type: price", "type: other");
    let skill = sources(&old, json!(["stooq"]), |_| Reply::text("<html>"));
    let error = skill.error("quote", json!({"symbols": ["TSRB"]}));
    assert_eq!(error.message, "TSRB: Stooq answered with a web page instead of a quote.");
}

#[test]
fn falls_back_to_the_next_source() {
    let skill =
        sources(VAULT, json!(["stooq", "yahoo"]), |request| match request.path.starts_with("/q/l/") {
            true => Reply::text("<html>"),
            false => yahoo("72.5", "EUR"),
        });
    let value = skill.value("quote", json!({"symbols": ["TSRB"]}));
    assert_eq!(value["problems"], json!([]));
    let row = &value["quotes"][0];
    assert_eq!((&row["price"], &row["price_source"]), (&json!("72.50"), &json!("Yahoo")));
    assert_eq!(row["day_change"], "3.57");
    let paths: Vec<String> = skill.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths[1], "/v8/finance/chart/TSRB.DE?range=1d&interval=1d");
}

#[test]
fn pence_are_converted_and_another_currency_is_rejected() {
    let vault = VAULT.replace("EUR", "GBP").replace("71.25", "0.70");
    let skill = sources(&vault, json!(["yahoo"]), |_| yahoo("72.5", "GBp"));
    assert_eq!(skill.value("quote", json!({"symbols": ["TSRB"]}))["quotes"][0]["price"], "0.725");
    let skill = sources(VAULT, json!(["yahoo"]), |_| yahoo("72.5", "USD"));
    let value = skill.value("quote", json!({"symbols": ["TSRB"]}));
    let problem = value["problems"][0]["problem"].as_str().unwrap();
    assert!(problem.starts_with("TSRB: Yahoo quotes it in USD, but it is recorded in EUR."), "{problem}");
}

#[test]
fn busy_source_is_retried_after_retry_after() {
    let times = Arc::new(AtomicUsize::new(0));
    let seen = times.clone();
    let skill = sources(VAULT, json!(["stooq"]), move |_| match seen.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::with(429, &[("retry-after", "0")], ""),
        1 => Reply::with(503, &[("retry-after", "0")], ""),
        _ => stooq("72.10", "2026-11-20"),
    });
    assert_eq!(skill.value("quote", json!({}))["quotes"][0]["price"], "72.10");
    assert_eq!(times.load(Ordering::SeqCst), 3);
}

#[test]
fn users_price_of_today_needs_no_request() {
    let skill =
        sources(&VAULT.replace("2026-11-17", "2026-11-21"), json!(["stooq"]), |_| stooq("1", "2026-11-20"));
    assert_eq!(skill.value("quote", json!({"symbols": ["TSRB"]}))["quotes"][0]["price"], "71.25");
    assert!(skill.requests().is_empty());
}

#[test]
fn finnhub_needs_a_key_and_sends_it_only_in_a_header() {
    let finnhub = |_: &WebRequest| Reply::text(r#"{"c":72.3,"pc":72.0,"t":1795192500}"#);
    let without = sources(VAULT, json!(["finnhub"]), finnhub);
    assert_eq!(without.error("quote", json!({"symbols": ["TSRB"]})).message, "No quote source is on.");
    let mut skill = sources(VAULT, json!(["finnhub"]), finnhub);
    skill.credentials =
        Arc::new(FixedCredentials::default().with("portfolio/FINNHUB_API_KEY", "a-key-of-mine"));
    assert_eq!(skill.value("quote", json!({"symbols": ["TSRB"]}))["quotes"][0]["price"], "72.30");
    let request = &skill.requests()[0];
    assert_eq!(request.path, "/api/v1/quote?symbol=TSRB.DE");
    assert_eq!(request.headers["x-finnhub-token"], "a-key-of-mine");
}

#[test]
fn denied_key_falls_back_to_other_sources() {
    let answer = |request: &WebRequest| match request.path.starts_with("/api/") {
        true => Reply::text(r#"{"c":72.3,"pc":72.0,"t":1795192500}"#),
        false => stooq("72.10", "2026-11-20"),
    };
    let mut skill = sources(VAULT, json!(["finnhub", "stooq"]), answer);
    skill.credentials =
        Arc::new(FixedCredentials::default().ungranted("portfolio/FINNHUB_API_KEY", "a-key-of-mine"));
    let once = || decided(Decision::Once);
    // The prompts for the call, for the key and for Stooq's host.
    skill.approver = ScriptedApprover::new([once(), denied("not today"), once()]);
    let quote = &skill.value("quote", json!({"symbols": ["TSRB"]}))["quotes"][0];
    assert_eq!((&quote["price"], &quote["price_source"]), (&json!("72.10"), &json!("Stooq")));
    let questions: Vec<String> = skill.approver.asked().into_iter().map(|asked| asked.question).collect();
    assert!(questions[1].starts_with("Let portfolio.quote use the credential"), "{questions:?}");
    assert!(
        skill.requests().iter().all(|request| !request.path.starts_with("/api/")),
        "nothing was sent to Finnhub"
    );

    skill.approver = ScriptedApprover::always(Decision::Once);
    let quote = &skill.value("quote", json!({"symbols": ["TSRB"]}))["quotes"][0];
    assert_eq!(quote["price_source"], "Finnhub", "it is asked about again");
}

#[test]
fn fetched_rate_gives_one_total_and_is_cited() {
    let vault = "//- T.md\n---\ntype: trade\nsymbol: UBER\nkind: buy\ndate: 2026-11-02\nquantity: 10\nprice: 80\ncurrency: USD\n---\n\
                 //- P.md\n---\ntype: price\nsymbol: UBER\ndate: 2026-11-20\nclose: 90\ncurrency: USD\n---\n";
    let skill = sources(vault, json!(["stooq"]), |_| {
        Reply::text(&format!("{HEAD}\nUSDEUR,2026-11-20,22:00:00,1,1,1,0.9,1\n"))
    });
    skill.value("quote", json!({"symbols": ["usd/eur"]}));
    let value = skill.value("value", json!({"currency": "EUR"}));
    assert_eq!(value["converted"]["value"], "810.00");
    assert_eq!(value["converted"]["rates"][0]["source"], "Stooq");
    assert_eq!(value["converted"]["rates"][0]["at"], "2026-11-20T21:00:00Z");
}

#[test]
fn quote_fetches_the_rates_of_held_currencies() {
    let vault = "//- T.md\n---\ntype: trade\nsymbol: UBER\nkind: buy\ndate: 2026-11-02\nquantity: 10\nprice: 80\ncurrency: USD\n---\n\
                 //- D.md\n---\ntype: trade\nkind: deposit\ndate: 2026-11-02\nprice: 900\ncurrency: CHF\n---\n";
    let config = |rates: Value| {
        json!({
            "currency": "EUR", "sources": ["stooq"], "rates": rates,
            "base_urls": {"stooq": "http://stooq.test", "ecb": "http://ecb.test"},
        })
    };
    let skill = |rates: Value| {
        portfolio(vault).with_config(config(rates)).with_web(&["stooq.test", "ecb.test"], |request| {
            match request.path.contains("eurofxref") {
                true => Reply::text(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><gesmes:Envelope><Cube><Cube time='2026-11-20'><Cube currency='USD' rate='1.25'/>\
                     <Cube currency='CHF' rate='0.8'/></Cube></Cube></gesmes:Envelope>",
                ),
                false => Reply::text(&format!("{HEAD}\nUBER.US,2026-11-20,22:00:00,1,1,1,90.00,1\n")),
            }
        })
    };
    let with_rates = skill(json!(["ecb"]));
    let quoted = with_rates.value("quote", json!({}));
    let symbols: Vec<&str> =
        quoted["quotes"].as_array().unwrap().iter().map(|row| row["symbol"].as_str().unwrap()).collect();
    assert_eq!((symbols, &quoted["problems"]), (vec!["UBER", "CHF/EUR", "USD/EUR"], &json!([])));
    let value = with_rates.value("value", json!({"currency": "EUR"}));
    assert_eq!(value["converted"]["rates_detail"], "CHF at 1.25, ECB, 20 Nov; USD at 0.8, ECB, 20 Nov");
    // 900 × 1.25 - 800 × 0.8
    assert_eq!(value["converted"]["cash"], "485.00");
    // The user turned off all sources of rates.
    let quoted = skill(json!([])).value("quote", json!({}));
    assert_eq!(quoted["quotes"].as_array().map(Vec::len), Some(1));
}

#[test]
fn many_symbols_report_progress() {
    let skill = sources("", json!(["stooq"]), |request| {
        let symbol = request.path.split(['=', '&']).nth(1).unwrap_or_default().to_uppercase();
        Reply::text(&format!("{HEAD}\n{symbol},2026-11-20,22:00:00,1,1,1,10.00,1\n"))
    });
    let symbols: Vec<String> = (0..24).map(|number| format!("S{number}")).collect();
    let value = skill.value("quote", json!({ "symbols": symbols }));
    let quoted: Vec<&str> =
        value["quotes"].as_array().unwrap().iter().map(|row| row["symbol"].as_str().unwrap()).collect();
    assert_eq!(quoted, symbols);
    let events = skill.events.events();
    let fractions =
        events.iter().filter(|event| matches!(event, Event::ToolCallProgress { fraction: Some(_), .. }));
    let partial =
        events.iter().filter(|event| matches!(event, Event::ToolCallProgress { partial: Some(_), .. }));
    assert_eq!((fractions.count(), partial.count()), (24, 2));
}

#[test]
fn failing_source_is_not_asked_for_every_symbol() {
    let skill = sources("", json!(["stooq"]), |_| Reply::text("<html>"));
    let symbols: Vec<String> = (0..100).map(|number| format!("S{number}")).collect();
    let error = skill.error("quote", json!({ "symbols": symbols }));
    assert_eq!(
        error.message,
        "S0: Stooq answered with a web page instead of a quote. And 99 other symbols have no price."
    );
    assert!(skill.requests().len() <= 20, "{} requests", skill.requests().len());
}

#[test]
fn cancelled_call_stores_its_quotes_and_stops_requests() {
    let (stop, seen) = (CancellationToken::new(), AtomicUsize::new(0));
    let stopping = stop.clone();
    let skill = sources("", json!(["stooq"]), move |request| {
        if seen.fetch_add(1, Ordering::SeqCst) + 1 == 35 {
            stopping.cancel();
        }
        let symbol = request.path.split(['=', '&']).nth(1).unwrap_or_default().to_uppercase();
        Reply::text(&format!("{HEAD}\n{symbol},2026-11-20,22:00:00,1,1,1,10.00,1\n"))
    });
    let symbols: Vec<String> = (0..200).map(|number| format!("S{number}")).collect();
    let outcome = skill.call_until("quote", json!({ "symbols": symbols }), stop);
    assert_eq!(outcome.result.unwrap_err().code, ErrorCode::Cancelled);

    let partial = skill.events.events().into_iter().filter_map(|event| match event {
        Event::ToolCallProgress { partial, .. } => partial,
        _ => None,
    });
    let partial: Vec<_> = partial.collect();
    let shown: Vec<String> = partial.last().unwrap()["quotes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["symbol"].as_str().unwrap().to_owned())
        .collect();
    // 27 of 35 symbols were answered, 8 were in flight: two partial results of ten were emitted.
    assert!((20..100).contains(&shown.len()), "{shown:?}");
    for symbol in &shown {
        assert_eq!(stored(&skill, &symbol.to_lowercase())["2026-11-20"]["price"], "10.00", "{symbol}");
    }

    // The next call's request comes after any that the cancelled call may still have sent.
    skill.value("quote", json!({"symbols": ["LAST"]}));
    let asked = skill.requests().len() - 1;
    assert!((35..=35 + 8).contains(&asked), "{asked} requests");
}

#[test]
fn historical_closes_are_fetched_for_the_chart() {
    let skill = sources(VAULT, json!(["stooq"]), |request| match request.path.starts_with("/q/d/l/") {
        true => Reply::text(
            "Date,Open,High,Low,Close,Volume\n2026-11-17,1,1,1,70.90,1\n2026-11-18,1,1,1,71.60,1\n\
             2026-11-19,1,1,1,-3,1\n2027-01-04,1,1,1,99,1\n",
        ),
        false => stooq("72.10", "2026-11-20"),
    });
    skill.value("quote", json!({"symbols": ["TSRB"], "since": "2026-11-16"}));
    assert_eq!(skill.requests()[1].path, "/q/d/l/?s=tsrb.de&d1=20261116&d2=20261121&i=d");
    let points = skill.value("history", json!({"range": "1m"}))["points"].clone();
    // 95 shares. On the 17th a note precedes the quote; the 19th has no valid price.
    assert_eq!(
        points,
        json!([
            {"date": "2026-11-17", "value": "6768.75", "carried": false},
            {"date": "2026-11-18", "value": "6802.00", "carried": false},
            {"date": "2026-11-19", "value": "6802.00", "carried": false},
            {"date": "2026-11-20", "value": "6849.50", "carried": false},
            {"date": "2026-11-21", "value": "6849.50", "carried": false},
        ])
    );
}

#[test]
fn chart_page_provides_closes_and_a_bad_one_keeps_the_quote() {
    let second = |day: &str| day.parse::<nova_skill::jiff::Timestamp>().unwrap().as_second();
    let times = [second("2026-11-18T08:00:00Z"), second("2026-11-19T08:00:00Z")];
    let chart = move |request: &WebRequest| match request.path.contains("period1") {
        true => Reply::text(&format!(
            r#"{{"chart":{{"result":[{{"meta":{{"symbol":"TSRB.DE","currency":"EUR","gmtoffset":3600}},
            "timestamp":[{},{}],"indicators":{{"quote":[{{"close":[71.59999847412109,null]}}]}}}}],"error":null}}}}"#,
            times[0], times[1]
        )),
        false => yahoo("72.50", "EUR"),
    };
    let since = json!({"symbols": ["TSRB"], "since": "2026-11-16"});
    let skill = sources(VAULT, json!(["yahoo"]), chart);
    skill.value("quote", since.clone());
    let points = skill.value("history", json!({"range": "1m"}))["points"].clone();
    assert_eq!(points[1], json!({"date": "2026-11-18", "value": "6802.00", "carried": false}));

    let skill = sources(VAULT, json!(["yahoo"]), |request| match request.path.contains("period1") {
        true => Reply::text("<html>Are you a robot?</html>"),
        false => yahoo("72.50", "EUR"),
    });
    assert_eq!(skill.value("quote", since)["quotes"][0]["price"], "72.50");
}
