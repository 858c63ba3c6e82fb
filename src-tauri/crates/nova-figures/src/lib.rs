//! Money, decimals, currencies, dates and names, as all skills compute with them.
//!
//! One rule of rounding: a row is rounded half away from zero to the places of its currency, as banks print
//! it ([`money`]); a total is the sum of the rows shown ([`Sums`]), so that a person can add them up; ratios
//! and returns come from the exact values ([`Sums::exact`], [`percent`]).
//!
//! Pure functions over values: nothing here reads a file, a clock or a setting, and nothing is a float.
//! Currencies are never added to each other or converted.
//! A skill reaches this crate as `nova_skill::figures`.
//!
//! # Invariants
//!
//! - A total equals the sum of its rounded rows, halves leave zero, and each currency has its own places:
//!   `tests/rounding.rs`, calculated by hand.
//! - A number that cannot be exact is [`TooLarge`] and never a nearby one: `tests/rounding.rs`, `src/quantity.rs`.
//! - No crate of Nova and nothing that reaches a disk or a network is below: `.ci/layers`.

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
