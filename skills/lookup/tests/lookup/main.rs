//! The skill with sources on test hosts; tools are called like the program calls them.
#![allow(clippy::unwrap_used)]

mod comparing;
mod finding;
mod fundamentals;
mod headlines;
mod pulling_up;
mod within_a_day;

use nova_skill::{Value, json};
use nova_testkit::{Reply, SkillInVault, WebRequest};

/// Today is Saturday, 21 November 2026.
fn lookup(answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static) -> SkillInVault {
    with(json!({}), answer)
}

/// With additional settings.
fn with(settings: Value, answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static) -> SkillInVault {
    let mut config = json!({
        "sources": ["yahoo"],
        "contact": "jane@example.org",
        "base_urls": { "yahoo": "http://yahoo.test", "stooq": "http://stooq.test", "sec": "http://sec.test" },
    });
    for (key, value) in settings.as_object().unwrap() {
        config[key] = value.clone();
    }
    configured(config, answer)
}

fn without_contact(answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static) -> SkillInVault {
    configured(json!({"base_urls": {"sec": "http://sec.test"}}), answer)
}

fn configured(config: Value, answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static) -> SkillInVault {
    SkillInVault::new(nova_skill_lookup::skill(), "").with_config(config).with_web(
        &[
            "yahoo.test",
            "stooq.test",
            "sec.test",
            "feeds.test",
            "www.alphavantage.co",
            "finnhub.io",
            "api.tiingo.com",
            "api.twelvedata.com",
        ],
        answer,
    )
}

/// Over a vault with positions.
fn beside_portfolio(
    vault: &str,
    answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static,
) -> SkillInVault {
    SkillInVault::beside(nova_skill_portfolio::skill(), nova_skill_lookup::skill, vault)
        .with_config(json!({"sources": ["yahoo"], "base_urls": {"yahoo": "http://yahoo.test"}}))
        .with_web(&["yahoo.test"], answer)
}

/// A chart page with closes at noon of these days, and additional data.
fn chart(symbol: &str, closes: &[(&str, &str)], events: &str) -> Reply {
    Reply::text(&chart_page(symbol, closes, events))
}

fn chart_page(symbol: &str, closes: &[(&str, &str)], events: &str) -> String {
    let second =
        |day: &str| format!("{day}T12:00:00Z").parse::<nova_skill::jiff::Timestamp>().unwrap().as_second();
    let times: Vec<String> = closes.iter().map(|(day, _)| second(day).to_string()).collect();
    let prices: Vec<&str> = closes.iter().map(|(_, close)| *close).collect();
    let (day, price) = closes.last().unwrap();
    format!(
        r#"{{"chart":{{"result":[{{"meta":{{"symbol":"{symbol}","longName":"Northgate Tooling","currency":"USD",
        "regularMarketPrice":{price},"regularMarketTime":{},"gmtoffset":0}},"timestamp":[{}],
        "events":{{{events}}},
        "indicators":{{"quote":[{{"close":[{}],"volume":[{}]}}]}}}}],"error":null}}}}"#,
        second(day),
        times.join(","),
        prices.join(","),
        closes.iter().map(|_| "1000").collect::<Vec<_>>().join(","),
    )
}

fn unknown_symbol() -> Reply {
    Reply::with(
        404,
        &[],
        r#"{"chart":{"result":null,"error":{"code":"Not Found","description":"No data found, symbol may be delisted"}}}"#,
    )
}

/// Search results: symbol, name, exchange.
fn found(rows: &[(&str, &str, &str)]) -> Reply {
    let rows = rows.iter().map(|(symbol, name, exchange)| {
        json!({"symbol": symbol, "longname": name, "exchDisp": exchange, "quoteType": "EQUITY"})
    });
    Reply::text(&json!({"quotes": rows.collect::<Value>()}).to_string())
}
