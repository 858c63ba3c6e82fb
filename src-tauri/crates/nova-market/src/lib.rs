//! Market data: quotes, past closes, exchange rates and company reports, and what is computed from them: key
//! figures ([`key_figures()`]), returns ([`returns`]), conditions ([`expression`], [`screen`]) and back-tests
//! ([`backtest()`](backtest::backtest)).
//!
//! A [`Source`] is one data service; each has its own file in `sources`, with its terms and limits.
//! [`Sources`] asks them in the user's order until one answers. Every answer is validated ([`Quoted`],
//! [`History`]); implausible data is an error with its reason, never a number.
//!
//! Nothing here opens a connection, reads a clock or a setting, or knows models or the vault: the caller
//! provides a [`Transport`]. The one for skills is in `tools`, the only module that knows skills, behind the
//! feature of that name. Amounts are decimals; only statistics ([`indicators`], [`backtest`]) are floats.
//! Nothing here trades.
//!
//! # Invariants
//!
//! - Each source is tested with the shapes of its real responses, good and bad: `tests/sources.rs`.
//! - Returns equal those of pyxirr and FinCal; without a unique rate there is none: `src/returns.rs`.
//! - Indicators equal those of TA-Lib, back-tests those of backtesting and bt: `tests/oracle.rs`.
//! - Indicators, conditions and back-tests do not look ahead: `src/indicators/tests.rs`,
//!   `src/expression/tests.rs`, `src/backtest/tests/properties.rs`.
//! - A report counts from the day after it was filed: `tests/reports.rs`.
//! - The profit of a back-test is the sum of its trades' results: `src/backtest/tests/properties.rs`.
//! - A figure that cannot be known has a reason instead of a value:
//!   `skills/lookup/tests/lookup/fundamentals.rs`.
//! - It depends on no other Nova crate but nova-figures and on nothing that does disk or network I/O:
//!   `.ci/layers`.

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
mod number;
mod order;
mod reports;
pub mod returns;
pub mod screen;
mod source;
pub mod sources;
#[cfg(feature = "tools")]
pub mod tools;

pub use age::{Age, age};
pub use daily::{Daily, LISTED_DAYS};
pub use error::SourceError;
pub use get::{File, Request, Response, Transport};
pub use key_figures::{Close, Figure, KeyFigure, SHARES_DAYS, SHARES_TAG, Unit, key_figures};
pub use listing::{Found, Listing};
pub use order::{Reasons, Sources};
pub use reports::ShareColumns;
pub use source::{Bar, Events, History, Intraday, Overview, QUOTE_DAYS, Quoted, Source, Tick};
