use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::record_types::{POSITION, PRICE, TRADE};

/// What the records say of currencies.
#[derive(Default)]
pub(crate) struct Currencies {
    /// How often a code is said, by what is or was held.
    held: BTreeMap<String, usize>,
    /// As above, by prices: where they come from says nothing of the user.
    priced: BTreeMap<String, usize>,
    of_position: HashMap<String, String>,
    of_trades: HashMap<String, BTreeSet<String>>,
}

impl Currencies {
    pub(crate) fn add(&mut self, kind: &str, symbol: Option<String>, code: String) {
        let times = if kind == PRICE { &mut self.priced } else { &mut self.held };
        *times.entry(code.clone()).or_default() += 1;
        match (kind, symbol) {
            (POSITION, Some(symbol)) => drop(self.of_position.insert(symbol, code)),
            (TRADE, Some(symbol)) => drop(self.of_trades.entry(symbol).or_default().insert(code)),
            _ => {}
        }
    }

    /// The one that is said most often; none where several are said equally often: none is guessed.
    pub(crate) fn commonest(&self) -> Option<String> {
        let said = if self.held.is_empty() { &self.priced } else { &self.held };
        let most = said.values().max()?;
        let mut several = said.iter().filter(|(_, times)| *times == most).map(|(code, _)| code.clone());
        several.next().filter(|_| several.next().is_none())
    }

    /// Trades go before the position, where they agree with each other.
    pub(crate) fn of_symbol(self) -> HashMap<String, String> {
        let mut of_symbol = self.of_position;
        for (symbol, codes) in self.of_trades {
            if codes.len() == 1 {
                of_symbol.extend(codes.into_iter().map(|code| (symbol.clone(), code)));
            }
        }
        of_symbol
    }
}
