//! The skill with sources on test hosts; tools are called like the program calls them.
#![allow(clippy::unwrap_used)]

mod backtesting;
mod ranking;
mod scanning;
mod screens;
mod trading;

use nova_skill::{Value, json};
use nova_testkit::{Reply, SkillInVault, WebRequest};

/// Shares by symbol, each with daily closes up to Friday, 20 November 2026; today is the Saturday after it.
#[derive(Clone, Default)]
struct Market {
    closes: Vec<(&'static str, Vec<f64>)>,
    /// Revenue of 2024 and 2025, net income of 2025, and share count; in millions.
    reports: Vec<(&'static str, [i64; 4])>,
}

impl Market {
    fn share(mut self, symbol: &'static str, closes: &[f64]) -> Self {
        self.closes.push((symbol, closes.to_vec()));
        self
    }

    fn reports(mut self, symbol: &'static str, figures: [i64; 4]) -> Self {
        self.reports.push((symbol, figures));
        self
    }

    fn answer(&self, request: &WebRequest) -> Reply {
        let path = request.path.split('?').next().unwrap();
        if let Some(symbol) = path.strip_prefix("/v8/finance/chart/") {
            return match self.closes.iter().find(|(known, _)| *known == symbol) {
                Some((_, closes)) => Reply::text(&chart(symbol, closes)),
                None => Reply::with(
                    404,
                    &[],
                    r#"{"chart":{"result":null,"error":{"code":"Not Found","description":"No data found, symbol may be delisted"}}}"#,
                ),
            };
        }
        if path == "/files/company_tickers.json" {
            let rows = self.reports.iter().enumerate().map(|(place, (symbol, _))| {
                (
                    place.to_string(),
                    json!({"cik_str": place + 1, "ticker": symbol, "title": format!("{symbol} Inc.")}),
                )
            });
            return Reply::text(&Value::Object(rows.collect()).to_string());
        }
        let number: usize =
            path.trim_start_matches("/api/xbrl/companyfacts/CIK").trim_end_matches(".json").parse().unwrap();
        let (symbol, figures) = &self.reports[number - 1];
        Reply::text(&facts(symbol, *figures).to_string())
    }

    /// The skill over a vault with this market.
    fn over(self, vault: &str) -> SkillInVault {
        over(vault, move |request| self.answer(request))
    }

    /// Beside the skill Portfolio.
    fn beside_portfolio(self, vault: &str) -> SkillInVault {
        let skill = SkillInVault::beside(nova_skill_portfolio::skill(), nova_skill_screener::skill, vault);
        configured(skill, move |request| self.answer(request))
    }
}

/// The skill over a vault, with this web.
fn over(vault: &str, answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static) -> SkillInVault {
    configured(SkillInVault::new(nova_skill_screener::skill(), vault), answer)
}

fn configured(
    skill: SkillInVault,
    answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static,
) -> SkillInVault {
    let config = json!({
        "sources": ["yahoo"],
        "contact": "jane@example.org",
        "base_urls": { "yahoo": "http://yahoo.test", "sec": "http://sec.test" },
    });
    skill.with_config(config).with_web(&["yahoo.test", "sec.test"], answer)
}

/// A chart page: the last close is that of 20 November 2026, the others those of the days before.
fn chart(symbol: &str, closes: &[f64]) -> String {
    let last = "2026-11-20T15:00:00Z".parse::<nova_skill::jiff::Timestamp>().unwrap().as_second();
    let time = |place: usize| last - (closes.len() - 1 - place) as i64 * 86_400;
    json!({"chart": {"error": null, "result": [{
        "meta": {
            "symbol": symbol, "longName": format!("{symbol} Inc."), "currency": "USD", "gmtoffset": 0,
            "regularMarketPrice": closes.last(), "regularMarketTime": last,
        },
        "timestamp": (0..closes.len()).map(time).collect::<Vec<_>>(),
        "events": {},
        "indicators": {"quote": [{
            "open": closes, "high": closes, "low": closes, "close": closes,
            "volume": closes.iter().map(|_| 60_000).collect::<Vec<_>>(),
        }]},
    }]}})
    .to_string()
}

fn facts(symbol: &str, [before, revenue, income, shares]: [i64; 4]) -> Value {
    let year = |value: i64, year: i64| {
        json!({
            "start": format!("{year}-01-01"), "end": format!("{year}-12-31"), "val": value * 1_000_000,
            "form": "10-K", "filed": format!("{}-02-20", year + 1),
        })
    };
    json!({"entityName": format!("{symbol} Inc."), "facts": {
        "dei": {"EntityCommonStockSharesOutstanding": {"units": {"shares": [
            {"end": "2026-10-30", "val": shares * 1_000_000, "form": "10-Q", "filed": "2026-11-05"},
        ]}}},
        "us-gaap": {
            "Revenues": {"units": {"USD": [year(before, 2024), year(revenue, 2025)]}},
            "NetIncomeLoss": {"units": {"USD": [year(income, 2025)]}},
        },
    }})
}
