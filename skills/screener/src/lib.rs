//! Shares that meet conditions, how a rule would have done, and what it would do today.
//!
//! Screens, strategies and lists of symbols are notes of the user; closes and reports come through `nova-market`, which
//! also evaluates conditions and runs back-tests. This crate joins the two. It never writes a note but a screen that is
//! saved, never places an order, and never advises.
//!
//! # Invariants
//!
//! - Whatever is not known is counted and named, never left out in silence: `tests/screener/scanning.rs`.
//! - A condition that cannot be read stops the scan and is named with its line: `tests/screener/screens.rs`.
//! - What a back-test cannot know is in its result: `tests/screener/backtesting.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod asked;
mod backtest;
mod cannot_know;
mod explain_hit;
mod find_trades;
mod last;
mod list_screens;
mod notes;
mod save_screen;
mod scan;
mod scan_universe;
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
            native(explain_hit::ExplainHit),
            native(save_screen::SaveScreen),
            native(universes::Universes),
            native(backtest::Backtest),
            native(find_trades::FindTrades),
        ]
    }
}

/// Who is asked for closes, in this order, where the user names none.
pub(crate) const SOURCES: [&str; 5] = ["yahoo", "stooq", "tiingo", "twelve_data", "alpha_vantage"];
