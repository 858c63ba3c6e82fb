//! Screens, back-tests, and proposed trades for shares.
//!
//! Screens, strategies and symbol lists are the user's notes; `nova-market` fetches closes and reports,
//! evaluates conditions and runs back-tests. This crate joins the two. It never writes a note except a saved
//! screen, never places an order, and never advises.
//!
//! # Invariants
//!
//! - Unknown values are counted and named, never silently dropped: `tests/screener/scanning.rs`.
//! - A condition that cannot be parsed stops the scan and is reported with its line:
//!   `tests/screener/screens.rs`.
//! - The limits of a back-test are in its result: `tests/screener/backtesting.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod backtest;
mod check_conditions;
mod explain_hit;
mod find_trades;
mod last;
mod limitations;
mod list_screens;
mod notes;
mod save_screen;
mod save_universe;
mod scan;
mod scan_universe;
mod screen_args;
mod share;
mod shares;
mod shown;
mod strategy;
mod universe;
mod universes;

/// The skill `screener`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Screener)
}

struct Screener;

impl Skill for Screener {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            native(scan_universe::ScanUniverse),
            native(list_screens::ListScreens),
            native(check_conditions::CheckConditions),
            native(explain_hit::ExplainHit),
            native(save_screen::SaveScreen),
            native(universes::Universes),
            native(save_universe::SaveUniverse),
            native(backtest::Backtest),
            native(find_trades::FindTrades),
        ]
    }
}

/// Default sources of closes, in order.
pub(crate) const SOURCES: [&str; 4] = ["yahoo", "stooq", "tiingo", "twelve_data"];
