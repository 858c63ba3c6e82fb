//! A symbol at a glance: its price and its closes, what the company reported and filed, what feeds say about it.
//!
//! Everything comes from the sources of `nova-market` and the user's own feeds at each call; closes are kept, so that
//! they are there without a network. It never writes a note, never advises and never trades; what the user holds is
//! said by the skill `portfolio`.
//!
//! # Invariants
//!
//! - Whatever is not known is named with its reason, never left out and never guessed: `tests/lookup/fundamentals.rs`.
//! - Where several companies are meant, none is chosen: `tests/lookup/finding.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod compare;
mod filings;
mod fundamentals;
mod meant;
mod news;
mod pull_up_symbol;
mod range;
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

/// Who is asked for prices and closes, in this order, where the user names none.
pub(crate) const SOURCES: [&str; 6] = ["yahoo", "stooq", "finnhub", "twelve_data", "tiingo", "alpha_vantage"];
