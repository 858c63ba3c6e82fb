//! The return of a benchmark, such as an index fund, over a period: price changes only, without dividends.

use nova_skill::figures::TooLarge;
use nova_skill::{Date, Decimal};

use crate::books::Books;
use crate::ledger::Split;
use crate::prices::{Prices, splits_of};
use crate::valuation::{Snapshot, day_text};

pub(crate) struct Benchmark<'a> {
    pub(crate) symbol: String,
    prices: &'a Prices<'a>,
    splits: Vec<Split>,
    today: Date,
}

impl<'a> Benchmark<'a> {
    pub(crate) fn new(symbol: String, snapshot: &Snapshot, prices: &'a Prices<'a>) -> Self {
        let splits = splits_of(&symbol, &snapshot.books);
        Self { symbol, prices, splits, today: snapshot.today }
    }

    pub(crate) fn name<'b>(&'b self, books: &'b Books) -> &'b str {
        books.position(&self.symbol).and_then(|position| position.name.as_deref()).unwrap_or(&self.symbol)
    }

    /// The ratio of the closes of the two days minus one, converted to `currency` at each day's rate; the
    /// inner error is what is missing.
    pub(crate) fn over(&self, from: Date, to: Date, currency: &str) -> Result<Result<f64, String>, TooLarge> {
        let closes = (self.close(from, to, currency)?, self.close(to, to, currency)?);
        let (begin, end) = match closes {
            (Ok(begin), Ok(end)) => (begin, end),
            (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
        };
        let ratio = end.checked_div(begin).and_then(|ratio| f64::try_from(ratio).ok());
        Ok(ratio.map(|ratio| ratio - 1.0).ok_or_else(|| format!("{} closed at zero", self.symbol)))
    }

    /// The close of `day`, adjusted for splits up to `to`.
    fn close(&self, day: Date, to: Date, currency: &str) -> Result<Result<Decimal, String>, TooLarge> {
        let own = self.prices.usable(&self.symbol, currency, day);
        let Some(price) =
            own.or_else(|| self.prices.newest(&self.symbol, day).filter(|price| price.is_usable(day)))
        else {
            let day = day_text(day, self.today);
            return Ok(Err(format!("there is no price of {} on {day}", self.symbol)));
        };
        let each = price.after(&self.splits, to)?;
        if price.currency == currency {
            return Ok(Ok(each));
        }
        let Some(rate) = self.prices.rate(price.currency, currency, day) else {
            let day = day_text(day, self.today);
            return Ok(Err(format!("there is no rate from {} to {currency} on {day}", price.currency)));
        };
        Ok(Ok(each.checked_mul(rate.rate).ok_or(TooLarge)?))
    }
}
