//! Market data: what a share trades at, what it closed at, exchange rates, what a company reports, and what comes of
//! it: key figures ([`key_figures()`]), returns ([`returns`]), conditions ([`expression`], [`screen`]) and back-tests
//! ([`backtest()`](backtest::backtest)).
//!
//! [`Source`] is one service that knows some of it; each lies in its own file of `sources`, with its terms and limits.
//! [`Sources`] asks them in the user's order until one answers. Whatever a source answers is checked ([`Quoted`],
//! [`History`]); what cannot be true is an error with its reason and never a number.
//!
//! Nothing here opens a connection, reads a clock or a setting, or knows a model or the vault: whoever uses it brings a
//! [`Transport`]. The one a skill brings is in `tools`, the only module that knows what a skill is, behind the feature
//! of that name. Amounts are decimals; only statistics are floats: [`indicators`] and a [`backtest`]. Nothing
//! here trades.
//!
//! # Invariants
//!
//! - Each source is read in the shapes of its real answers, good and bad: `tests/sources.rs`.
//! - Returns equal those of pyxirr and FinCal; where no rate or several fit there is none: `src/returns.rs`.
//! - Indicators equal those of TA-Lib, back-tests those of backtesting and bt: `tests/oracle.rs`.
//! - An indicator, a condition and a back-test know nothing of later days: `src/indicators/tests.rs`,
//!   `src/expression/tests.rs`, `src/backtest/tests/properties.rs`.
//! - A report counts from the day after it was filed: `tests/reports.rs`.
//! - The profit of a back-test is the sum of its trades' results: `src/backtest/tests/properties.rs`.
//! - A figure that cannot be known has its reason and no value: `skills/lookup/tests/lookup/fundamentals.rs`.
//! - No crate of Nova but nova-figures and nothing that reaches a disk or a network is below: `.ci/layers`.

mod age;
pub mod backtest;
mod daily;
mod error;
pub mod expression;
mod get;
pub mod indicators;
pub mod kept;
mod key_figures;
mod listing;
mod order;
mod reports;
pub mod returns;
pub mod screen;
mod source;
pub mod sources;
#[cfg(feature = "tools")]
pub mod tools;

pub use age::{Age, age};
pub use daily::Daily;
pub use error::SourceError;
pub use get::{File, Request, Response, Transport};
pub use key_figures::{Close, Figure, KeyFigure, SHARES_DAYS, SHARES_TAG, Unit, key_figures};
pub use listing::{Found, Listing};
pub use order::{Reasons, Sources};
pub use reports::ShareColumns;
pub use source::{Bar, Events, History, QUOTE_DAYS, Quoted, Source};
