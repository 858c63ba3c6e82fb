//! Trades, positions, prices and a watchlist as notes, and the figures computed from them: value, gains,
//! income and allocation.
//!
//! Everything is computed from the notes at each call; prices of quote sources are in the cache that all skills
//! share, and can be fetched again. It never adds two currencies, never accepts implausible prices of a source, and
//! never trades.
//!
//! # Invariants
//!
//! - Changing the currency of a note in its form changes no figure of another note:
//!   `tests/portfolio/saving.rs`.
//! - An import adds nothing when repeated, and writes nothing if a row contradicts itself:
//!   `tests/portfolio/importing.rs`.
//! - Quotes that concurrent calls fetch are all kept: `tests/portfolio/closes.rs`.

use std::sync::Arc;

use nova_skill::{RecordRules, Skill, Tool, native};

mod add_trade;
mod allocation;
mod amount;
mod benchmark;
mod books;
mod cash;
mod converted;
mod currencies;
mod dividends;
mod gains;
mod history;
mod holdings;
mod import;
pub mod ledger;
mod list_trades;
mod pair;
mod positions;
mod prices;
pub mod quote;
mod rates;
mod record_types;
mod returns;
mod saving;
mod splits;
mod stored;
mod totals;
mod trade_rules;
mod valuation;
mod value;
mod watch;
mod watchlist;

/// The skill `portfolio`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Portfolio)
}

struct Portfolio;

impl Skill for Portfolio {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            native(positions::Positions),
            native(add_trade::AddTrade),
            native(list_trades::ListTrades),
            native(import::ImportTransactions),
            native(watchlist::Watchlist),
            native(watch::Watch),
            native(watch::Unwatch),
            native(quote::Quote),
            native(value::Value),
            native(gains::Gains),
            native(dividends::Dividends),
            native(returns::Returns),
            native(allocation::Allocation),
            native(history::History),
        ]
    }

    fn record_rules(&self) -> Option<Arc<dyn RecordRules>> {
        Some(Arc::new(saving::Rules))
    }
}
