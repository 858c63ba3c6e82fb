//! The screener over local sources that answer like those of the web.

use fantoccini::key::Key;
use jiff::Zoned;
use nova_testkit::{Reply, WebRequest, WebServer};
use serde_json::{Value, json};

use crate::harness::{Home, Window};
use crate::symbol::closes;

/// Symbol, name, revenue of 2022 and 2025, net income, debt; in millions.
const SHARES: [(&str, &str, [f64; 4]); 8] = [
    ("NGTL", "Northgate Tooling", [771.0, 1_148.0, 168.0, 310.0]),
    ("BWOP", "Brightwater Optics", [320.0, 580.0, 92.0, 240.0]),
    ("KSTL", "Kestrel Pumps", [410.0, 560.0, 81.0, 90.0]),
    ("ALDT", "Aldermoor Tools", [600.0, 910.0, 77.0, 120.0]),
    ("SLVN", "Solvane Energy", [505.0, 702.0, 64.0, 200.0]),
    ("PELM", "Pelmar Foods", [940.0, 1_290.0, 110.0, 260.0]),
    ("GRDN", "Gardane Rail", [300.0, 420.0, 39.0, 150.0]),
    ("LOSS", "Varnholt Energy", [200.0, 300.0, -12.0, 70.0]),
];

const UNIVERSE: &str = "---\ntype: universe\nday: 2026-09-30\n---\n- NGTL Northgate Tooling\n- BWOP Brightwater Optics\n\
    - KSTL Kestrel Pumps\n- ALDT Aldermoor Tools\n- SLVN Solvane Energy\n- PELM Pelmar Foods\n- GRDN Gardane Rail\n\
    - LOSS Varnholt Energy\n- HLMR Helmar Steel\n";
const SCREEN: &str = "---\ntype: screen\nuniverse: \"[[Mid caps]]\"\nconditions:\n  - market_value between 0.05 bn and 50 bn\n\
    \x20 - price_to_earnings < 60\n  - revenue_growth_3y > 10 %\n  - net_debt_to_ebitda < 3\n  - volume > 50,000\nscore:\n\
    \x20 - low price_to_earnings 50 %\n  - high revenue_growth_3y 50 %\n---\n";
const DIVIDENDS: &str =
    "---\ntype: screen\nuniverse: \"[[Mid caps]]\"\nconditions:\n  - dividend_yield > 3 %\n---\n";
const POSITION: &str =
    "---\ntype: position\nsymbol: NGTL\nname: Northgate Tooling\nquantity: 300\ncurrency: USD\n---\n";

fn chart(symbol: &str, name: &str) -> Reply {
    let closes = closes(symbol, 11, &Zoned::now());
    let (last, price) = *closes.last().expect("a day");
    let column = |of: &dyn Fn(&(i64, f64)) -> Value| closes.iter().map(of).collect::<Value>();
    let times = |part: f64| column(&|(_, close)| json!((close * part * 100.0).round() / 100.0));
    Reply::text(
        &json!({"chart": {"error": null, "result": [{
            "meta": {
                "symbol": symbol, "longName": name, "currency": "USD", "gmtoffset": 0, "regularMarketPrice": price,
                "regularMarketTime": last,
            },
            "timestamp": column(&|(second, _)| json!(second)),
            "events": {"dividends": {"1": {"amount": 0.4, "date": last - 86_400 * 60}}},
            "indicators": {"quote": [{
                "open": times(0.998), "high": times(1.01), "low": times(0.99), "close": times(1.0),
                "volume": column(&|(second, _)| json!(60_000 + second / 86_400 * 7_919 % 90_000)),
            }]},
        }]}})
        .to_string(),
    )
}

/// Twelve years of reports, each filed in February, with the growth of 2022 to 2025 extended to earlier
/// years.
fn reported(name: &str, [before, revenue, income, debt]: [f64; 4]) -> Value {
    let growth = (revenue / before).powf(1.0 / 3.0);
    let in_year = |year: i16, value: f64| value * 1e6 / growth.powi(i32::from(2025 - year));
    let years = |value: f64| {
        let year = |year: i16| {
            json!({
                "start": format!("{year}-01-01"), "end": format!("{year}-12-31"), "val": in_year(year, value),
                "form": "10-K", "filed": format!("{}-02-20", year + 1),
            })
        };
        json!({"units": {"USD": (2014..2026).map(year).collect::<Value>()}})
    };
    let days = |unit: &str, value: &dyn Fn(i16) -> f64| {
        let day = |year: i16| {
            json!({
                "end": format!("{year}-12-31"), "val": value(year), "form": "10-K",
                "filed": format!("{}-02-20", year + 1),
            })
        };
        json!({"units": {unit: (2014..2026).map(day).collect::<Value>()}})
    };
    json!({"entityName": name, "facts": {
        "dei": {"EntityCommonStockSharesOutstanding": days("shares", &|_| income.abs() * 300_000.0)},
        "us-gaap": {
            "Revenues": years(revenue),
            "NetIncomeLoss": years(income),
            "OperatingIncomeLoss": years(income.abs() * 1.4),
            "DepreciationDepletionAndAmortization": years(income.abs() * 0.3),
            "CashAndCashEquivalentsAtCarryingValue": days("USD", &|year| in_year(year, 20.0)),
            "LongTermDebtNoncurrent": days("USD", &|year| in_year(year, debt)),
        },
    }})
}

fn answer(request: &WebRequest) -> Reply {
    let path = request.path.split('?').next().unwrap_or_default();
    if let Some(symbol) = path.strip_prefix("/v8/finance/chart/") {
        return match SHARES.iter().find(|(known, ..)| *known == symbol) {
            Some((symbol, name, _)) => chart(symbol, name),
            None => {
                Reply::with(404, &[], r#"{"chart":{"result":null,"error":{"description":"No data found"}}}"#)
            }
        };
    }
    if path.starts_with("/files/") {
        let rows = SHARES.iter().enumerate().map(|(place, (symbol, name, _))| {
            (place.to_string(), json!({"cik_str": place + 1, "ticker": symbol, "title": name}))
        });
        return Reply::text(&Value::Object(rows.collect()).to_string());
    }
    let number =
        path.trim_start_matches("/api/xbrl/companyfacts/CIK").trim_end_matches(".json").parse::<usize>();
    match number.ok().and_then(|number| SHARES.get(number - 1)) {
        Some((_, name, figures)) => Reply::text(&reported(name, *figures).to_string()),
        None => Reply::with(404, &[], ""),
    }
}

pub(crate) const RULES: &str = "permissions: { allow: [ \"screener__*\" ] }\n";

/// A home with local sources; the server runs until it is dropped.
pub(crate) async fn home() -> (Home, WebServer) {
    home_with(answer).await
}

async fn home_with(answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static) -> (Home, WebServer) {
    let server = WebServer::start(answer).await;
    let here = format!("http://{}", server.address());
    let settings = json!({"skills": {"screener": {"config": {
        "contact": "sam@okell.example",
        "sources": ["yahoo"],
        "base_urls": {"yahoo": here, "sec": here},
    }}}});
    let home = Home::new()
        .settings(&settings)
        .config_file("permissions.yaml", RULES)
        .note("Portfolio/Positions/NGTL.md", POSITION)
        .note("Screener/Universes/Mid caps.md", UNIVERSE)
        .note("Screener/Screens/Mid-cap value.md", SCREEN)
        .note("Screener/Screens/Dividend growers.md", DIVIDENDS);
    (home, server)
}

/// Opens the panel in place of the chat with the screen selected.
pub(crate) async fn open(home: &Home) -> Window {
    let window = Window::open(home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], '6').await;
    window.wait_for("[data-skill=screener]").await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.wait_for("[data-testid=wide-panel]").await;
    window.click_named("Mid-cap value").await;
    window
}

/// Scans, and allows the call to the local sources: the rules cover only web sources.
pub(crate) async fn scan(window: &Window) {
    window.click_named("Scan").await;
    allow(window).await;
    window.wait_for_text("section[aria-label='Hits']", "1 left out").await;
}

/// Data fetched by today's scan is not requested again.
pub(crate) async fn explain(window: &Window, symbol: &str) {
    window.click(&format!("[data-hit={symbol}]")).await;
    window.wait_for("table[aria-label='Conditions of the hit']").await;
}

pub(crate) async fn back_test(window: &Window) {
    window.click_named("Run back-test").await;
    allow(window).await;
    window.wait_for("section[aria-label='What this cannot know']").await;
}

async fn allow(window: &Window) {
    window
        .click("[data-testid=skill-panel] [data-testid=approval-card][data-armed=true] [data-testid=approval-session]")
        .await;
}

#[tokio::test]
async fn screen_is_scanned_explained_and_backtested() {
    let (home, server) = home().await;
    let window = open(&home).await;
    assert!(server.requests().is_empty(), "nothing is asked before a scan");
    scan(&window).await;
    window.wait_for_text("table[aria-label='Hits']", "Brightwater Optics").await;
    // A loss has no ratio; one share is unknown.
    window.wait_for_text("section[aria-label='Hits']", "HLMR").await;
    explain(&window, "BWOP").await;
    window.wait_for_text("section[aria-label='Why BWOP is a hit']", "Price ÷ earnings").await;
    let asked = server.requests().len();
    back_test(&window).await;
    window.wait_for_text("section[aria-label='What this cannot know']", "Failed and bought companies").await;
    // Only the unknown share is requested again.
    assert_eq!(server.requests().len(), asked + 1);
    window.close().await;
}

#[tokio::test]
async fn stopped_scan_keeps_its_hits() {
    let (home, _server) = home_with(|request| match request.path.contains("/chart/HLMR") {
        // One share has no end.
        true => Reply::Stall(Vec::new()),
        false => answer(request),
    })
    .await;
    let window = open(&home).await;
    window.click_named("Scan").await;
    allow(&window).await;
    window.wait_for("[data-hit=BWOP]").await;
    window.click("[aria-label='Stop scan']").await;
    window.wait_for_text("section[aria-label='Hits']", "Stopped by you at").await;
    window.wait_for("[data-hit=BWOP]").await;
    window.close().await;
}

#[tokio::test]
async fn conditions_are_saved_as_another_screen() {
    let (home, server) = home().await;
    let window = open(&home).await;
    let screens = "section[aria-label='Saved screens']";
    window.click_named("Save as…").await;
    let name = "[aria-label='Name of the screen']";
    window.type_into(name, "dividend growers").await;
    window.wait_for_text("[role=alert]", "There is already a screen dividend growers.").await;
    window.type_into(name, " 2").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[data-testid=undo-bar]", "Saved dividend growers 2").await;
    window.wait_for_text(screens, "dividend growers 2").await;
    let note = home.read_note("Screener/Screens/dividend growers 2.md");
    assert!(
        note.contains("- net_debt_to_ebitda < 3") && note.contains("- low price_to_earnings 50 %"),
        "{note}"
    );
    assert_eq!(home.read_note("Screener/Screens/Dividend growers.md"), DIVIDENDS);

    window.click("[data-testid=undo-call]").await;
    window.wait_for_text("[data-testid=undo-bar]", "undone").await;
    assert!(!home.vault().join("Screener/Screens/dividend growers 2.md").exists());
    assert!(server.requests().is_empty(), "nothing is asked");
    window.close().await;
}

#[tokio::test]
async fn trades_of_today_are_proposed_and_not_recorded() {
    let (home, _server) = home().await;
    let window = open(&home).await;
    back_test(&window).await;
    window.click_named("Compute").await;
    allow(&window).await;
    let proposals = "table[aria-label='Proposals']";
    window.wait_for_text(proposals, "NGTL").await;
    window.wait_for_text(proposals, "It meets all 5 conditions").await;
    let today = "section[aria-label='What it would do today']";
    window.wait_for_text(today, "sizes are parts of what you hold in these shares").await;
    assert!(!home.vault().join("Portfolio/Trades").exists());
    assert_eq!(home.read_note("Portfolio/Positions/NGTL.md"), POSITION);
    window.close().await;
}
