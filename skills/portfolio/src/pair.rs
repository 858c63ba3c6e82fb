//! Exchange rates, which have symbols as shares do: `EUR/USD`.

use nova_skill::figures::currency_code;

/// The symbol of an exchange rate: the price of `from` in `to`.
pub(crate) fn pair(from: &str, to: &str) -> String {
    format!("{from}/{to}")
}

/// Parses the two currencies of an exchange rate's symbol.
pub(crate) fn as_pair(symbol: &str) -> Option<(String, String)> {
    let (from, to) = symbol.split_once('/')?;
    Some((currency_code(from)?.to_owned(), currency_code(to)?.to_owned()))
}
