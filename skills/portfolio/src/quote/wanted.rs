//! Selects the symbols of a call.

use std::collections::BTreeSet;

use nova_market::QUOTE_DAYS;
use nova_skill::jiff::ToSpan as _;
use nova_skill::{Date, ToolContext, ToolError, date_argument};

use super::QuotesOf;
use crate::amount::invalid;
use crate::books::{Books, as_symbol};
use crate::pair::{as_pair, pair};
use crate::valuation::Snapshot;
use crate::valuation::benchmark;
use crate::watchlist::Watched;

/// The maximum number of symbols; nobody holds as many.
const MOST: usize = 1_000;
/// How many years of closes `all` means for a symbol that is not held.
const YEARS: i32 = 3;

/// A symbol and which of its prices are requested.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SymbolRequest {
    pub(super) symbol: String,
    /// Whether its newest price is requested; a symbol sold long ago needs none.
    pub(super) newest: bool,
    /// The first day of the requested closes.
    pub(super) since: Option<Date>,
}

/// The requested symbols, deduplicated and in order; by default all that are held or watched and, for closes,
/// those held in the period.
pub(super) async fn wanted(
    of: QuotesOf,
    snapshot: &Snapshot,
    ctx: &dyn ToolContext,
    has_rates: bool,
) -> Result<Vec<SymbolRequest>, ToolError> {
    let since = of.since.as_deref().filter(|text| !text.trim().is_empty());
    let since = since.map(|text| date_argument("since", text)).transpose()?;
    let books = &snapshot.books;
    let closes = |symbol: &str| match (since, of.range) {
        (Some(since), _) => Some(since),
        (None, Some(range)) if as_pair(symbol).is_none() => {
            let held = books.first_held(symbol);
            let begins = range.begins(snapshot.day);
            let all = || snapshot.day.saturating_sub(YEARS.years());
            Some(begins.max(held).unwrap_or_else(all))
        }
        (None, _) => None,
    };
    let said: Vec<String> = of.symbols.unwrap_or_default();
    let said: Vec<&str> = said.iter().map(|said| said.trim()).filter(|said| !said.is_empty()).collect();
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for said in &said {
        let symbol = symbol(said, books)?;
        if seen.insert(symbol.clone()) {
            all.push(SymbolRequest { since: closes(&symbol), newest: true, symbol });
        }
    }
    if said.is_empty() {
        let held = snapshot.holdings()?.held;
        let held: Vec<_> = held.iter().filter(|holding| !holding.quantity.is_zero()).collect();
        let of_cash = books.transfers.iter().map(|transfer| transfer.currency.as_str());
        let currencies: BTreeSet<&str> = held.iter().map(|holding| holding.currency).chain(of_cash).collect();
        for symbol in held.iter().map(|holding| holding.symbol.to_owned()) {
            if seen.insert(symbol.clone()) {
                all.push(SymbolRequest { since: closes(&symbol), newest: true, symbol });
            }
        }
        // A total over several currencies needs their rates, if there are sources of rates.
        if let Some(usual) = books.currency.as_deref().filter(|_| has_rates) {
            let first = books.trades.iter().map(|note| note.trade.date).min();
            let since = since.or_else(|| of.range?.begins(snapshot.day).max(first));
            // Past payments are totalled at the rates of their days.
            let paid = books.trades.iter().map(|note| note.currency.as_str()).filter(|_| since.is_some());
            let currencies: BTreeSet<&str> = currencies.into_iter().chain(paid).collect();
            for currency in currencies.into_iter().filter(|currency| *currency != usual) {
                let symbol = pair(currency, usual);
                if seen.insert(symbol.clone()) {
                    all.push(SymbolRequest { since, newest: true, symbol });
                }
            }
        }
        // The benchmark is needed for the whole period.
        if let Some(symbol) = benchmark(ctx).filter(|_| !all.is_empty()) {
            let first = books.trades.iter().map(|note| note.trade.date).min();
            let begins = of.range.and_then(|range| range.begins(snapshot.day).max(first));
            // The close of a day without trading is that of an earlier day.
            let since = since.or(begins).map(|day| day.saturating_sub(QUOTE_DAYS.days()));
            match all.iter_mut().find(|wanted| wanted.symbol == symbol) {
                Some(held) => held.since = held.since.into_iter().chain(since).min(),
                None => {
                    seen.insert(symbol.clone());
                    all.push(SymbolRequest { since, newest: true, symbol });
                }
            }
        }
        for symbol in Watched::read(ctx).await?.entries.into_iter().map(|entry| entry.symbol) {
            if seen.insert(symbol.clone()) {
                all.push(SymbolRequest { since: None, newest: true, symbol });
            }
        }
        // The chart of a period includes holdings sold since.
        for symbol in books.symbols() {
            let since = closes(symbol).filter(|since| books.last_moved(symbol) >= Some(*since));
            if since.is_some() && seen.insert(symbol.to_owned()) {
                all.push(SymbolRequest { since, newest: false, symbol: symbol.to_owned() });
            }
        }
    }
    match all.len() {
        0 => Err(ToolError::failed(
            "Nothing is held or watched.",
            "Name the symbols, or record a trade with portfolio.add_trade.",
        )),
        count if count > MOST => {
            Err(invalid("symbols", &format!("{count} are too many at once; {MOST} are allowed")))
        }
        _ => Ok(all),
    }
}

/// # Errors
/// If several symbols match, or the text is not a symbol.
fn symbol(said: &str, books: &Books) -> Result<String, ToolError> {
    let symbol = as_symbol(said);
    match books.find(said) {
        Ok(known) => Ok(known),
        Err(error @ ToolError::Ambiguous { .. }) => Err(error),
        Err(_) if symbol.contains('/') && as_pair(&symbol).is_none() => {
            let rule = format!("\"{said}\" is not a pair of currencies such as USD/EUR");
            Err(invalid("symbols", &rule))
        }
        Err(_) if symbol.contains(char::is_whitespace) || symbol.chars().count() > 20 => {
            Err(invalid("symbols", &format!("\"{said}\" is neither a symbol nor a position's name")))
        }
        Err(_) => Ok(symbol),
    }
}
