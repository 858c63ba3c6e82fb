use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::record_types::{POSITION, PRICE, TRADE};

/// The currencies named in the records.
#[derive(Default)]
pub(crate) struct Currencies {
    /// How often trades, positions and transfers name each code.
    held: BTreeMap<String, usize>,
    /// The same for prices, which depend on their source rather than on the user.
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

    /// The most frequent currency; `None` on a tie.
    pub(crate) fn commonest(&self) -> Option<String> {
        let said = if self.held.is_empty() { &self.priced } else { &self.held };
        let most = said.values().max()?;
        let mut several = said.iter().filter(|(_, times)| *times == most).map(|(code, _)| code.clone());
        several.next().filter(|_| several.next().is_none())
    }

    /// The currency of each symbol: that of its trades if they agree, or else of its position.
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
