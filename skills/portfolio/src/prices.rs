use std::collections::{BTreeMap, HashMap};

use nova_market::tools::cited;
use nova_market::{Age, QUOTE_DAYS, age};
use nova_skill::figures::{Quantity, TooLarge, days_between, rounded_to};
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{Timestamp, ToSpan as _};
use nova_skill::{Date, Decimal, NotePath, Source};

use crate::books::{Books, PriceNote};
use crate::ledger::{Event, Split};
use crate::pair::pair;
use crate::stored::{Stored, StoredPrice};

/// All known prices by symbol and day. On the same day, `price` notes precede quotes.
pub(crate) struct Prices<'a> {
    of: HashMap<&'a str, BTreeMap<Date, Vec<Price<'a>>>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Price<'a> {
    pub(crate) date: Date,
    /// Per share as of the price's date, that is before later splits.
    pub(crate) amount: Decimal,
    pub(crate) currency: &'a str,
    pub(crate) from: PriceFrom<'a>,
    /// The previous day's close, if stated.
    pub(crate) before: Option<Decimal>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PriceFrom<'a> {
    Note(&'a NotePath),
    Quote { source: &'a str, url: &'a str, at: Option<&'a str>, fetched: &'a str },
}

impl<'a> Prices<'a> {
    pub(crate) fn new(books: &'a Books, stored: &'a Stored) -> Self {
        let mut prices = Self { of: HashMap::new() };
        for note in &books.prices {
            prices.add_note(note);
        }
        let splits = splits(books);
        for symbol in stored.symbols() {
            prices.add_stored(symbol, stored, splits.get(symbol).map_or(&[][..], Vec::as_slice));
        }
        prices
    }

    /// The prices of one symbol.
    pub(crate) fn only(symbol: &'a str, books: &'a Books, stored: &'a Stored) -> Self {
        let mut prices = Self { of: HashMap::new() };
        for note in books.prices.iter().filter(|note| note.symbol == symbol) {
            prices.add_note(note);
        }
        prices.add_stored(symbol, stored, &splits_of(symbol, books));
        prices
    }

    fn add_note(&mut self, note: &'a PriceNote) {
        let price = Price {
            date: note.date,
            amount: note.close,
            currency: &note.currency,
            from: PriceFrom::Note(&note.path),
            before: None,
        };
        self.of.entry(&note.symbol).or_default().entry(note.date).or_default().push(price);
    }

    fn add_stored(&mut self, symbol: &'a str, stored: &'a Stored, splits: &[Split]) {
        let days = self.of.entry(symbol).or_default();
        for quote in stored.of(symbol) {
            let Some(amount) = unadjusted_price(&quote, splits) else { continue };
            let StoredPrice { date, currency, source, url, at, fetched, before, .. } = quote;
            let from = PriceFrom::Quote { source, url, at, fetched };
            days.entry(date).or_default().push(Price { date, amount, currency, from, before });
        }
    }

    /// The newest price up to a day, however old.
    pub(crate) fn last(&self, symbol: &str, currency: &str, day: Date) -> Option<&Price<'a>> {
        let days = self.of.get(symbol)?.range(..=day).rev();
        days.flat_map(|(_, prices)| prices).find(|price| price.currency == currency)
    }

    /// The newest price up to a day that may be used: a quote is valid for [`QUOTE_DAYS`], a user's price
    /// until there is a newer one.
    pub(crate) fn usable(&self, symbol: &str, currency: &str, day: Date) -> Option<&Price<'a>> {
        let days = self.of.get(symbol)?.range(..=day).rev();
        days.flat_map(|(_, prices)| prices).find(|price| price.currency == currency && price.is_usable(day))
    }

    /// Whether a chart should mark this price as carried forward: it is more than a week old, or it is stale
    /// with no later price until today. Between closes two weeks apart, the chart is as good as its notes.
    pub(crate) fn is_carried(&self, symbol: &str, price: &Price<'_>, day: Date, today: Date) -> bool {
        match price.age(day) {
            Age::Fresh => false,
            Age::VeryOld => true,
            Age::Old => self.last(symbol, price.currency, today).is_none_or(|last| last.date <= price.date),
        }
    }

    /// The last price on an earlier day.
    pub(crate) fn before(&self, symbol: &str, price: &Price<'_>) -> Option<&Price<'a>> {
        let days = self.of.get(symbol)?.range(..price.date).rev();
        days.flat_map(|(_, prices)| prices).find(|other| other.currency == price.currency)
    }

    /// The prices of the week before, in the same currency.
    pub(crate) fn week_before(&self, symbol: &str, price: &Price<'_>) -> impl Iterator<Item = &Price<'a>> {
        let first = price.date.saturating_sub(QUOTE_DAYS.days());
        let days = self.of.get(symbol).into_iter().flat_map(move |days| days.range(first..price.date));
        let currency = price.currency;
        days.flat_map(|(_, prices)| prices).filter(move |other| other.currency == currency)
    }

    /// The day of the oldest price in a currency.
    pub(crate) fn first(&self, symbol: &str, currency: &str) -> Option<Date> {
        let mut days = self.of.get(symbol)?.iter();
        days.find(|(_, prices)| prices.iter().any(|price| price.currency == currency)).map(|(date, _)| *date)
    }

    /// The newest usable price up to a day, in any currency.
    pub(crate) fn newest(&self, symbol: &str, day: Date) -> Option<&Price<'a>> {
        let days = self.of.get(symbol)?.range(..=day).rev();
        days.flat_map(|(_, prices)| prices).find(|price| price.is_usable(day))
    }

    /// The exchange rate: the amount of `to` for one `from`. The inverse of the opposite rate is used if that
    /// is newer; on the same day, a note precedes a quote.
    pub(crate) fn rate(&self, from: &str, to: &str, day: Date) -> Option<Rate<'_>> {
        let direct = self.usable(&pair(from, to), to, day);
        let turned = self.usable(&pair(to, from), from, day);
        let trust = |price: &Price| (price.date, matches!(price.from, PriceFrom::Note(_)));
        if let Some(price) = direct.filter(|price| turned.is_none_or(|other| trust(price) >= trust(other))) {
            return Some(Rate { rate: price.amount, price });
        }
        let price = turned?;
        let rate = rounded_to(Decimal::ONE.checked_div(price.amount)?, 10);
        Some(Rate { rate, price })
    }
}

/// An exchange rate and the price it comes from.
pub(crate) struct Rate<'a> {
    pub(crate) rate: Decimal,
    pub(crate) price: &'a Price<'a>,
}

impl Price<'_> {
    pub(crate) fn is_usable(&self, day: Date) -> bool {
        matches!(self.from, PriceFrom::Note(_)) || days_between(self.date, day) <= QUOTE_DAYS
    }

    pub(crate) fn age(&self, day: Date) -> Age {
        age(self.date, day)
    }

    /// The name of the source.
    pub(crate) fn source_name(&self) -> &str {
        match self.from {
            PriceFrom::Note(_) => "note",
            PriceFrom::Quote { source, .. } => source,
        }
    }

    /// The note of the price, if it has one.
    pub(crate) fn note(&self) -> Option<&NotePath> {
        match self.from {
            PriceFrom::Note(path) => Some(path),
            PriceFrom::Quote { .. } => None,
        }
    }

    /// The time of the price, or its day if the time is unknown.
    pub(crate) fn when(&self) -> String {
        match self.from {
            PriceFrom::Quote { at: Some(at), .. } => at.to_owned(),
            _ => self.date.to_string(),
        }
    }

    pub(crate) fn source(&self) -> Source {
        match self.from {
            PriceFrom::Note(path) => Source::Note(path.clone()),
            PriceFrom::Quote { url, fetched, .. } => cited(url, fetched),
        }
    }

    /// The price per share as of `day`, adjusted for splits since the price's date.
    pub(crate) fn after(&self, splits: &[Split], day: Date) -> Result<Decimal, TooLarge> {
        split_since(self.amount, self.date, splits, day)
    }
}

/// The recorded splits of a symbol.
pub(crate) fn splits_of(symbol: &str, books: &Books) -> Vec<Split> {
    splits(books).remove(symbol).unwrap_or_default()
}

fn splits(books: &Books) -> HashMap<&str, Vec<Split>> {
    let mut splits: HashMap<&str, Vec<Split>> = HashMap::new();
    for note in &books.trades {
        if let Event::Split { new, old } = note.trade.event
            && let Ok(ratio) = Quantity::ratio(new, old)
        {
            splits.entry(&note.symbol).or_default().push(Split { date: note.trade.date, ratio });
        }
    }
    splits
}

/// The price per share as of its own day. Sources adjust closes for the splits up to the day of the request, so later
/// splits are undone. The cache stores the source's value, because the user may record or correct a split later.
fn unadjusted_price(quote: &StoredPrice, splits: &[Split]) -> Option<Decimal> {
    if quote.at.is_some() || splits.is_empty() {
        return Some(quote.price);
    }
    let fetched = quote.fetched.parse::<Timestamp>().ok()?.to_zoned(TimeZone::UTC).date();
    let mut ratio = Quantity::of(Decimal::ONE).ok()?;
    for split in splits.iter().filter(|split| quote.date < split.date && split.date <= fetched) {
        ratio = ratio.times(split.ratio).ok()?;
    }
    ratio.at(quote.price).ok()
}

/// Adjusts a price per share as of `date` for the splits until `day`.
fn split_since(price: Decimal, date: Date, splits: &[Split], day: Date) -> Result<Decimal, TooLarge> {
    let one = Quantity::of(Decimal::ONE)?;
    let mut ratio = one;
    for split in splits.iter().filter(|split| date < split.date && split.date <= day) {
        ratio = ratio.times(split.ratio)?;
    }
    if ratio == one { Ok(price) } else { one.share_of(price, ratio) }
}
