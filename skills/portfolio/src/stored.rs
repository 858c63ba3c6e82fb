//! Prices of quote sources from the cache that all skills share. They can be fetched again; a `price` note is
//! authoritative.

use std::collections::{BTreeMap, BTreeSet};

use nova_market::kept::Origin;
use nova_market::tools::quotes::{self, StoredQuote, quotes};
use nova_market::tools::{closes, own_names};
use nova_market::{Daily, Listing};
use nova_skill::{Date, Decimal, LogLevel, ToolContext, ToolError, serde_json};

use crate::books::Books;
use crate::pair::{as_pair, pair};

/// The key of the skill's own store of quotes, written by versions before the shared cache.
const OLD_KEY: &str = "quotes";

/// The cached prices by symbol.
#[derive(Default)]
pub(crate) struct Stored {
    symbols: BTreeMap<String, SymbolPrices>,
}

#[derive(Default)]
struct SymbolPrices {
    quotes: BTreeMap<Date, StoredQuote>,
    closes: Option<(Origin, Daily)>,
}

/// A price of a source on one day.
pub(crate) struct StoredPrice<'a> {
    pub(crate) date: Date,
    pub(crate) price: Decimal,
    pub(crate) currency: &'a str,
    pub(crate) source: &'a str,
    pub(crate) url: &'a str,
    /// Time of the price, RFC 3339. Without it, the price is split-adjusted to the shares of the day of the answer.
    pub(crate) at: Option<&'a str>,
    /// Time of the answer, RFC 3339.
    pub(crate) fetched: &'a str,
    /// The previous close.
    pub(crate) before: Option<Decimal>,
}

impl Stored {
    /// Reads the prices of symbols, except those already read.
    pub(crate) async fn read(&mut self, symbols: Vec<String>, books: &Books, ctx: &dyn ToolContext) {
        for symbol in symbols {
            if self.symbols.contains_key(&symbol) {
                continue;
            }
            let listing = listing(&symbol, books, ctx);
            let of = SymbolPrices {
                quotes: quotes(&listing, ctx).await,
                closes: closes::stored(&listing, ctx).await,
            };
            self.symbols.insert(symbol, of);
        }
    }

    /// Reads the exchange rates between the currencies of all records, of all prices read so far, and `to`.
    pub(crate) async fn read_rates(&mut self, to: Option<&str>, books: &Books, ctx: &dyn ToolContext) {
        let mut currencies: BTreeSet<String> = books.currencies().map(|(_, code)| code.to_owned()).collect();
        currencies.extend(books.currency.clone());
        currencies.extend(to.map(str::to_owned));
        for of in self.symbols.values() {
            currencies.extend(of.quotes.values().map(|quote| quote.currency.clone()));
            currencies.extend(of.closes.iter().map(|(origin, _)| origin.currency.clone()));
        }
        let pairs = currencies
            .iter()
            .flat_map(|from| currencies.iter().filter(move |to| *to != from).map(move |to| pair(from, to)));
        self.read(pairs.collect(), books, ctx).await;
    }

    pub(crate) fn symbols(&self) -> impl Iterator<Item = &str> {
        self.symbols.keys().map(String::as_str)
    }

    /// The splits of a symbol as its source reports them, with the name of the source.
    pub(crate) fn splits(&self, symbol: &str) -> Option<(&str, &[(Date, f64)])> {
        let (origin, daily) = self.symbols.get(symbol)?.closes.as_ref()?;
        Some((&origin.source, &daily.splits))
    }

    /// The prices of a symbol, at most one per day and currency.
    pub(crate) fn of(&self, symbol: &str) -> impl Iterator<Item = StoredPrice<'_>> {
        let of = self.symbols.get(symbol);
        let closes = of.and_then(|of| of.closes.as_ref());
        // A quote of the same day takes precedence over the close until that is final.
        let quoted = move |date: &Date| of.and_then(|of| of.quotes.get(date));
        let is_replaced = move |date: Date, quote: &StoredQuote| {
            closes.is_some_and(|(origin, daily)| {
                origin.currency == quote.currency
                    && quote.gives_way(date, &origin.fetched)
                    && daily.days.binary_search(&date).is_ok_and(|place| daily.close[place].is_finite())
            })
        };
        let of_closes = closes.into_iter().flat_map(move |(origin, daily)| {
            let days = daily.days.iter().copied().zip(daily.close.iter().copied());
            days.filter_map(move |(date, close)| {
                let is_quoted = quoted(&date).is_some_and(|quote| {
                    quote.currency == origin.currency && !quote.gives_way(date, &origin.fetched)
                });
                let price = Decimal::try_from(close).ok().filter(|_| !is_quoted)?;
                Some(StoredPrice {
                    date,
                    price: price.normalize(),
                    currency: &origin.currency,
                    source: &origin.source,
                    url: &origin.url,
                    at: None,
                    fetched: &origin.fetched,
                    before: None,
                })
            })
        });
        let of_quotes = of.into_iter().flat_map(|of| &of.quotes);
        let of_quotes = of_quotes.filter(move |(date, quote)| !is_replaced(**date, quote));
        of_closes.chain(of_quotes.map(|(date, quote)| StoredPrice {
            date: *date,
            price: quote.price,
            currency: &quote.currency,
            source: &quote.source,
            url: &quote.url,
            at: quote.at.as_deref(),
            fetched: &quote.fetched,
            before: quote.before,
        }))
    }
}

/// What is known of a symbol from the vault and the settings.
pub(crate) fn listing(symbol: &str, books: &Books, ctx: &dyn ToolContext) -> Listing {
    let position = books.position(symbol);
    let of_trade =
        || books.trades.iter().find(|note| note.symbol == symbol).map(|note| note.currency.clone());
    let to = as_pair(symbol).map(|(_, to)| to);
    Listing {
        symbol: symbol.to_owned(),
        exchange: position.and_then(|position| position.exchange.clone()),
        currency: to.or_else(|| position.map(|position| position.currency.clone())).or_else(of_trade),
        own: own_names(ctx, symbol),
    }
}

/// Moves the quotes of the skill's own store into the shared cache. If that fails, the store is unchanged.
pub(crate) async fn migrate(books: &Books, ctx: &dyn ToolContext) {
    let Ok(Some(old)) = ctx.store().get(OLD_KEY).await else { return };
    let moved = match serde_json::from_value(old) {
        Ok(old) => moved(old, books, ctx).await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = moved {
        ctx.log(LogLevel::Warn, &format!("The stored quotes were not moved: {error}"));
    }
}

async fn moved(
    old: BTreeMap<String, BTreeMap<Date, StoredQuote>>,
    books: &Books,
    ctx: &dyn ToolContext,
) -> Result<(), ToolError> {
    for (symbol, days) in old {
        let listing = listing(&symbol, books, ctx);
        // Quotes already in the cache are newer.
        let known = quotes(&listing, ctx).await;
        let missing = days.into_iter().filter(|(day, _)| !known.contains_key(day));
        quotes::add(&listing, missing, ctx).await?;
    }
    ctx.store().remove(OLD_KEY).await
}
