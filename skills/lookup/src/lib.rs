//! A symbol at a glance: its price and closes, the company's reports and filings, headlines from feeds.
//!
//! Everything is fetched at each call from the sources of `nova-market` and the user's own feeds; closes are
//! stored for use without a network. It never writes a note, never advises and never trades; holdings come
//! from the skill `portfolio`.
//!
//! # Invariants
//!
//! - Unknown values are named with the reason, never omitted and never guessed:
//!   `tests/lookup/fundamentals.rs`.
//! - An ambiguous company is never chosen: `tests/lookup/finding.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod compare;
mod filings;
mod fundamentals;
mod news;
mod pull_up_symbol;
mod range;
mod resolve;
mod search_symbol;

/// The skill `lookup`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Lookup)
}

struct Lookup;

impl Skill for Lookup {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            native(pull_up_symbol::PullUpSymbol),
            native(search_symbol::SearchSymbol),
            native(compare::Compare),
            native(fundamentals::Fundamentals),
            native(filings::Filings),
            native(news::News),
        ]
    }
}

/// Default sources of prices and closes, in order.
pub(crate) const SOURCES: [&str; 6] = ["yahoo", "stooq", "finnhub", "twelve_data", "tiingo", "alpha_vantage"];
