//! Money, decimals, currencies, dates and names: the arithmetic shared by all skills.
//!
//! Rounding: each row is rounded half away from zero to the places of its currency, as on bank statements
//! ([`money`]); a total is the sum of the rounded rows ([`Sums`]), so that it adds up for the reader; ratios
//! and returns are computed from the exact values ([`Sums::exact`], [`percent`]).
//!
//! Pure functions over values: no I/O, no clock, no settings and no floats. Amounts in different currencies
//! are never added or converted.
//! Skills use this crate as `nova_skill::figures`.
//!
//! # Invariants
//!
//! - A total equals the sum of its rounded rows, halves round away from zero, and each currency has its own
//!   number of places: `tests/rounding.rs`, calculated by hand.
//! - A result that cannot be exact is [`TooLarge`], never an approximation: `tests/rounding.rs`,
//!   `src/quantity.rs`.
//! - It depends on no other Nova crate and on nothing that does disk or network I/O: `.ci/layers`.

mod currency;
mod dates;
mod decimal;
mod money;
mod names;
mod quantity;

pub use currency::{currency_code, near_currency_codes, places};
pub use dates::{Days, Month, day_and_month, days_between, plain_date, quarter_of};
pub use decimal::{TooLarge, at_least, minus, percent, plain_decimal, plus, rounded_to, times};
pub use money::{Sums, money, rounded};
pub use names::{folded, similarity};
pub use quantity::{PLACES, Quantity};
