//! A share at a glance, from local sources that answer like those of the web.

use fantoccini::key::Key;
use jiff::{ToSpan as _, Zoned};
use nova_testkit::{Reply, WebRequest, WebServer};
use serde_json::{Value, json};

use crate::harness::{Home, Window};

const POSITION: &str = "---\ntype: position\nsymbol: NGTL\nname: Northgate Tooling\ncurrency: USD\n---\n";
const BOUGHT: &str = "---\ntype: trade\nsymbol: NGTL\nkind: buy\ndate: 2025-11-03\nquantity: 300\nprice: 31.50\ncurrency: USD\n---\n";

/// The weekdays of some years up to yesterday, with the closes of a deterministic walk.
pub(crate) fn closes(symbol: &str, years: i64, now: &Zoned) -> Vec<(i64, f64)> {
    let mut seed: u32 = symbol.bytes().map(u32::from).sum();
    let mut close = 18.0_f64;
    let mut closes = Vec::new();
    for back in (1..=years * 365).rev() {
        let day = now.saturating_sub(back.days());
        if matches!(day.weekday(), jiff::civil::Weekday::Saturday | jiff::civil::Weekday::Sunday) {
            continue;
        }
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        close *= 1.0 + (f64::from(seed >> 8) / f64::from(1_u32 << 24) - 0.48) / 40.0;
        closes.push((day.timestamp().as_second(), (close * 100.0).round() / 100.0));
    }
    closes
}

fn chart(symbol: &str) -> Reply {
    let closes = closes(symbol, 5, &Zoned::now());
    let (last, price) = *closes.last().expect("a day");
    let column = |of: fn(&(i64, f64)) -> Value| closes.iter().map(of).collect::<Value>();
    let name = if symbol == "NGTL" { "Northgate Tooling" } else { "Brightwater Optics" };
    Reply::text(
        &json!({"chart": {"error": null, "result": [{
            "meta": {
                "symbol": symbol, "longName": name, "currency": "USD", "gmtoffset": 0, "regularMarketPrice": price,
                "regularMarketTime": last, "chartPreviousClose": closes[closes.len() - 2].1,
            },
            "timestamp": column(|(second, _)| json!(second)),
            "events": {"dividends": {"1": {"amount": 0.8, "date": last - 86_400 * 60}}},
            "indicators": {"quote": [{
                "close": column(|(_, close)| json!(close)),
                "volume": column(|(second, _)| json!(90_000 + second / 86_400 * 7_919 % 90_000)),
            }]},
        }]}})
        .to_string(),
    )
}

/// Yesterday from 14:30 UTC, in New York: every five minutes of six and a half hours, some without a trade.
fn minutes(symbol: &str) -> Reply {
    let zone = jiff::tz::TimeZone::get("America/New_York").expect("a zone");
    let opened = Zoned::now().with_time_zone(zone).yesterday().expect("a day").date().at(9, 30, 0, 0);
    let opened = opened.in_tz("America/New_York").expect("a time").timestamp().as_second();
    let times: Vec<i64> = (0..79).map(|five| opened + five * 300).collect();
    let price = |(place, _): (usize, &i64)| match place % 11 {
        10 => Value::Null,
        _ => json!(40.0 + (place as f64 / 6.0).sin()),
    };
    Reply::text(
        &json!({"chart": {"error": null, "result": [{
            "meta": {
                "symbol": symbol, "currency": "USD", "gmtoffset": -18_000, "exchangeTimezoneName": "America/New_York",
                "dataGranularity": "5m", "range": "1d",
            },
            "timestamp": times,
            "indicators": {"quote": [{
                "close": times.iter().enumerate().map(price).collect::<Value>(),
                "volume": times.iter().map(|time| time % 977).collect::<Vec<_>>(),
            }]},
        }]}})
        .to_string(),
    )
}

/// Figures of a company with two full years, in millions.
fn reported() -> Value {
    let year = |from: &str, to: &str, value: f64| json!({"start": from, "end": to, "val": value * 1e6, "form": "10-K", "filed": to});
    let years = |now: f64, before: f64| json!({"units": {"USD": [year("2022-01-01", "2022-12-31", before), year("2025-01-01", "2025-12-31", now)]}});
    let on = |value: f64, unit: &str| json!({"units": {unit: [{"end": "2025-12-31", "val": value, "form": "10-K", "filed": "2026-02-20"}]}});
    json!({"entityName": "Northgate Tooling Inc.", "facts": {
        "dei": {"EntityCommonStockSharesOutstanding": on(45_500_000.0, "shares")},
        "us-gaap": {
            "Revenues": years(1_148.0, 771.0),
            "NetIncomeLoss": years(168.0, 90.0),
            "OperatingIncomeLoss": years(204.0, 120.0),
            "DepreciationDepletionAndAmortization": years(40.0, 30.0),
            "CashAndCashEquivalentsAtCarryingValue": on(90e6, "USD"),
            "LongTermDebtNoncurrent": on(310e6, "USD"),
        },
    }})
}

fn filings() -> Value {
    json!({"name": "Northgate Tooling Inc.", "filings": {"recent": {
        "accessionNumber": ["0000000042-26-000009", "0000000042-26-000007", "0000000042-26-000002"],
        "form": ["10-Q", "8-K", "10-K"],
        "filingDate": ["2026-11-05", "2026-09-14", "2026-02-20"],
        "reportDate": ["2026-09-30", "2026-09-14", "2025-12-31"],
        "primaryDocument": ["q3.htm", "event.htm", "annual.htm"],
        "primaryDocDescription": ["10-Q", "SHARE PURCHASE BY A DIRECTOR", "ANNUAL REPORT 2025"],
    }}})
}

const FEED: &str = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Tool Trade Weekly</title>
<item><title>Northgate raises its outlook</title><link>https://feeds.example/a</link><pubDate>Thu, 19 Nov 2026 08:00:00 GMT</pubDate></item>
<item><title>Mid caps: five names with little debt</title><link>https://feeds.example/b</link><pubDate>Tue, 17 Nov 2026 08:00:00 GMT</pubDate></item>
</channel></rss>"#;

fn answer(request: &WebRequest) -> Reply {
    let path = request.path.as_str();
    match path.split(['/', '?']).collect::<Vec<_>>().as_slice() {
        ["", "v8", "finance", "chart", symbol, ..] if path.contains("interval=5m") => minutes(symbol),
        ["", "v8", "finance", "chart", symbol @ ("NGTL" | "BWOP"), ..] => chart(symbol),
        ["", "files", ..] => {
            Reply::text(r#"{"0":{"cik_str":42,"ticker":"NGTL","title":"NORTHGATE TOOLING INC"}}"#)
        }
        ["", "api", "xbrl", ..] => Reply::text(&reported().to_string()),
        ["", "submissions", ..] => Reply::text(&filings().to_string()),
        ["", "feed", ..] => Reply::text(FEED),
        ["", "v1", "finance", "search", ..] => Reply::text(
            r#"{"quotes":[{"symbol":"NGTL","longname":"Northgate Tooling","exchDisp":"NYSE","quoteType":"EQUITY"}]}"#,
        ),
        _ => Reply::with(404, &[], r#"{"chart":{"result":null,"error":{"description":"No data found"}}}"#),
    }
}

pub(crate) const RULES: &str = "permissions: { allow: [ \"lookup__*\" ] }\n";

/// A home with local sources; the server runs until it is dropped.
pub(crate) async fn home() -> (Home, WebServer) {
    let server = WebServer::start(answer).await;
    let here = format!("http://{}", server.address());
    let settings = json!({"skills": {"lookup": {"config": {
        "contact": "sam@okell.example",
        "sources": ["yahoo"],
        "base_urls": {"yahoo": here, "sec": here},
        "feeds": [format!("{here}/feed?s={{symbol}}")],
    }}}});
    let home = Home::new()
        .settings(&settings)
        .note("Portfolio/Positions/NGTL.md", POSITION)
        .note("Portfolio/Trades/2025-11-03 NGTL buy.md", BOUGHT)
        .note("Mid-cap ideas.md", "[[NGTL]] keeps its margin even with higher steel prices.\n");
    (home, server)
}

/// Opens the panel in place of the chat.
pub(crate) async fn open(home: &Home) -> Window {
    let window = Window::open(home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], '5').await;
    window.wait_for("[data-testid=skill-panel]").await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.wait_for("[data-testid=wide-panel]").await;
    window
}

/// Looks up a share and allows each block to contact the local sources: the rules cover only web sources.
pub(crate) async fn look_up(window: &Window, symbol: &str) {
    window.press(&[], '/').await;
    window.type_into("[data-symbol-search] input", symbol).await;
    window.press(&[], Key::Enter).await;
    allow(window, "[data-testid=skill-panel]").await;
    window.wait_for_text("[aria-label='Price']", "12 months").await;
    allow(window, "section[aria-label='Key figures']").await;
    allow(window, "section[aria-label='Filings']").await;
}

/// Adds a second share to the chart.
pub(crate) async fn compare(window: &Window, symbol: &str) {
    window.press(&[], 'c').await;
    window.type_into("[aria-label='Symbol to compare with']", symbol).await;
    window.press(&[], Key::Enter).await;
    allow(window, "section[aria-label='Chart']").await;
    window.wait_for_text("[data-testid=skill-panel]", "Percent since").await;
}

async fn allow(window: &Window, block: &str) {
    window
        .click(&format!(
            "{block} [data-testid=approval-card][data-armed=true] [data-testid=approval-session]"
        ))
        .await;
}

#[tokio::test]
async fn share_is_looked_up_and_compared() {
    let (home, server) = home().await;
    let home = home.config_file("permissions.yaml", RULES);
    let window = open(&home).await;
    assert!(server.requests().is_empty(), "a request before a symbol was chosen");
    look_up(&window, "ngtl").await;
    window.wait_for_text("[data-testid=skill-panel]", "Northgate Tooling").await;
    window.wait_for_text("[data-testid=skill-panel]", "1.148 bn USD").await;
    window.wait_for_text("[data-testid=skill-panel]", "SHARE PURCHASE BY A DIRECTOR").await;
    window.wait_for_text("[data-testid=skill-panel]", "Northgate raises its outlook").await;
    window.wait_for_text("[aria-label='In your notes']", "Mid-cap ideas").await;
    window.wait_for_text("[aria-label='In your notes']", "31.50").await;

    // A second share, in percent; then the closes as a table.
    window.ask("document.querySelector('[data-testid=skill-panel]').focus()").await;
    compare(&window, "bwop").await;
    window.ask("document.querySelector('[data-testid=skill-panel]').focus()").await;
    window.press(&[], 't').await;
    window.wait_for("[data-testid=chart-table]").await;
    window.close().await;
}

#[tokio::test]
async fn share_has_the_prices_of_its_last_day() {
    let (home, server) = home().await;
    let home = home.config_file("permissions.yaml", RULES);
    let window = open(&home).await;
    look_up(&window, "ngtl").await;
    window.ask("document.querySelector('[data-testid=skill-panel]').focus()").await;
    window.press(&[], '1').await;
    allow(&window, "section[aria-label='Chart']").await;
    let chart = "section[aria-label='Chart']";
    window.wait_for_text(chart, "until 16:00, New York time, prices from Yahoo").await;
    window.wait_for("svg[aria-label^='Prices in USD']").await;
    let asked = |query: &str| server.requests().iter().any(|request| request.path.contains(query));
    assert!(asked("range=1d&interval=5m"));
    // The price 15:55 is the last but one. The focus was on the card.
    window.ask("document.querySelector('[data-testid=skill-panel]').focus()").await;
    window.press(&[], Key::Left).await;
    window.press(&[], Key::Left).await;
    window.wait_for_text(chart, "15:55: NGTL").await;
    window.press(&[], 't').await;
    window.wait_for_text("[data-testid=chart-table]", "15:55").await;
    window.press(&[], '4').await;
    window.wait_for_text("[data-testid=chart-table]", "NGTL average").await;
    window.close().await;
}

#[tokio::test]
async fn approval_is_asked_before_the_web_is_contacted() {
    let (home, server) = home().await;
    let window = open(&home).await;
    window.press(&[], '/').await;
    window.type_into("[data-symbol-search] input", "ngtl").await;
    window.press(&[], Key::Enter).await;
    window.wait_for("[data-testid=approval-card][data-armed=true]").await;
    assert!(server.requests().is_empty(), "the card comes first");
    window.close().await;
}
