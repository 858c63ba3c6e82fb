//! Amounts of money and their totals by currency.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::{TooLarge, at_least, places, plus, rounded_to};

/// Rounds an amount half away from zero to the currency's places, and pads it to exactly that many.
///
/// ```
/// use nova_figures::money;
/// assert_eq!(money("-2.345".parse().unwrap(), "EUR").to_string(), "-2.35");
/// assert_eq!(money("2.5".parse().unwrap(), "JPY").to_string(), "3");
/// ```
pub fn money(amount: Decimal, currency: &str) -> Decimal {
    at_least(rounded(amount, currency), places(currency))
}

/// Like [`money`], but without padding.
pub fn rounded(amount: Decimal, currency: &str) -> Decimal {
    rounded_to(amount, places(currency))
}

/// A total per currency, in order of the codes: the sum of the rounded rows, and the exact sum for ratios.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sums(BTreeMap<String, Sum>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sum {
    shown: Decimal,
    exact: Decimal,
}

impl Sums {
    /// Adds a row that shows the rounded amount.
    ///
    /// # Errors
    /// When the total has more digits than can be represented exactly.
    pub fn add(&mut self, currency: &str, amount: Decimal) -> Result<(), TooLarge> {
        self.add_row(currency, rounded(amount, currency), amount)
    }

    /// Adds a row whose shown amount is not its exact amount rounded, such as the difference of two rounded
    /// amounts.
    ///
    /// # Errors
    /// See [`Sums::add`].
    pub fn add_row(&mut self, currency: &str, shown: Decimal, exact: Decimal) -> Result<(), TooLarge> {
        match self.0.get_mut(currency) {
            Some(sum) => {
                *sum = Sum {
                    shown: plus(sum.shown, shown)?,
                    // Only ratios use this, and those are rounded: dropping the last of 28 digits is
                    // acceptable.
                    exact: sum.exact.checked_add(exact).ok_or(TooLarge)?,
                };
            }
            None => {
                self.0.insert(currency.to_owned(), Sum { shown, exact });
            }
        }
        Ok(())
    }

    /// The total of the rounded rows.
    pub fn get(&self, currency: &str) -> Option<Decimal> {
        self.0.get(currency).map(|sum| sum.shown)
    }

    /// The total padded to the currency's places; zero if there are no rows.
    pub fn money(&self, currency: &str) -> Decimal {
        money(self.get(currency).unwrap_or_default(), currency)
    }

    /// The sum of the exact amounts, for ratios.
    pub fn exact(&self, currency: &str) -> Option<Decimal> {
        self.0.get(currency).map(|sum| sum.exact)
    }

    /// Iterates over the currencies and the totals of their rounded rows.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Decimal)> {
        self.0.iter().map(|(currency, sum)| (currency.as_str(), sum.shown))
    }

    /// `[{amount, currency}]`
    pub fn to_json(&self) -> Value {
        self.iter()
            .map(|(currency, amount)| json!({"amount": amount.to_string(), "currency": currency}))
            .collect()
    }

    pub fn currencies(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
