//! Brokers' words for actions, in English and German.

use std::collections::BTreeMap;

use nova_skill::figures::folded;
use nova_skill::{JsonSchema, schemars};
use nova_statement::words;
use serde::{Deserialize, Serialize};

use crate::trade_rules::Kind;

/// What to do with the rows of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum Action {
    Buy,
    Sell,
    Dividend,
    Split,
    Fee,
    Tax,
    Deposit,
    Withdrawal,
    Interest,
    /// A deposit, or with a minus a withdrawal.
    Transfer,
    /// A buy, or with a minus before the quantity a sale.
    Trade,
    /// Leave these rows out.
    Ignore,
}

/// The choices offered to the user.
pub(super) const CHOICES: [(Action, &str); 10] = [
    (Action::Buy, "Buy"),
    (Action::Sell, "Sale"),
    (Action::Dividend, "Dividend"),
    (Action::Fee, "Fee"),
    (Action::Tax, "Tax"),
    (Action::Interest, "Interest"),
    (Action::Deposit, "Deposit"),
    (Action::Withdrawal, "Withdrawal"),
    (Action::Split, "Split"),
    (Action::Ignore, "Leave these rows out"),
];

const ALL: [Action; 12] = [
    Action::Buy,
    Action::Sell,
    Action::Dividend,
    Action::Split,
    Action::Fee,
    Action::Tax,
    Action::Deposit,
    Action::Withdrawal,
    Action::Interest,
    Action::Transfer,
    Action::Trade,
    Action::Ignore,
];

/// Words at the beginning of a cell, normalised by [`words`]; the longest match decides.
const KNOWN: &[(&str, Option<Action>)] = &[
    ("buy", Some(Action::Buy)),
    ("bought", Some(Action::Buy)),
    ("you bought", Some(Action::Buy)),
    ("purchase", Some(Action::Buy)),
    ("market buy", Some(Action::Buy)),
    ("limit buy", Some(Action::Buy)),
    ("stop buy", Some(Action::Buy)),
    ("reinvestment", Some(Action::Buy)),
    ("reinvest shares", Some(Action::Buy)),
    ("savings plan", Some(Action::Buy)),
    ("savings plan execution", Some(Action::Buy)),
    ("kauf", Some(Action::Buy)),
    ("k", Some(Action::Buy)),
    ("gekauft", Some(Action::Buy)),
    ("sparplan", Some(Action::Buy)),
    ("sparplanausfuhrung", Some(Action::Buy)),
    ("wertpapierkauf", Some(Action::Buy)),
    ("sell", Some(Action::Sell)),
    ("sold", Some(Action::Sell)),
    ("you sold", Some(Action::Sell)),
    ("sale", Some(Action::Sell)),
    ("market sell", Some(Action::Sell)),
    ("limit sell", Some(Action::Sell)),
    ("stop sell", Some(Action::Sell)),
    ("verkauf", Some(Action::Sell)),
    ("v", Some(Action::Sell)),
    ("verkauft", Some(Action::Sell)),
    ("wertpapierverkauf", Some(Action::Sell)),
    ("dividend", Some(Action::Dividend)),
    ("dividends", Some(Action::Dividend)),
    ("cash dividend", Some(Action::Dividend)),
    ("qualified dividend", Some(Action::Dividend)),
    ("non qualified div", Some(Action::Dividend)),
    ("reinvest dividend", Some(Action::Dividend)),
    ("distribution", Some(Action::Dividend)),
    ("dividende", Some(Action::Dividend)),
    ("dividendenzahlung", Some(Action::Dividend)),
    ("ausschuttung", Some(Action::Dividend)),
    ("ertragsgutschrift", Some(Action::Dividend)),
    ("ertrag", Some(Action::Dividend)),
    // Either the payment or the shares that were bought with it.
    ("dividend reinvestment", None),
    // Withholding tax.
    ("dividend tax", Some(Action::Tax)),
    ("dividendensteuer", Some(Action::Tax)),
    ("split", Some(Action::Split)),
    ("stock split", Some(Action::Split)),
    ("aktiensplit", Some(Action::Split)),
    ("fee", Some(Action::Fee)),
    ("fees", Some(Action::Fee)),
    ("service fee", Some(Action::Fee)),
    ("adr mgmt fee", Some(Action::Fee)),
    ("custody fee", Some(Action::Fee)),
    ("gebuhr", Some(Action::Fee)),
    ("gebuhren", Some(Action::Fee)),
    ("depotgebuhr", Some(Action::Fee)),
    ("entgelt", Some(Action::Fee)),
    ("tax", Some(Action::Tax)),
    ("taxes", Some(Action::Tax)),
    ("withholding tax", Some(Action::Tax)),
    ("nra tax adj", Some(Action::Tax)),
    ("foreign tax paid", Some(Action::Tax)),
    ("steuer", Some(Action::Tax)),
    ("steuern", Some(Action::Tax)),
    ("quellensteuer", Some(Action::Tax)),
    ("kapitalertragsteuer", Some(Action::Tax)),
    ("interest", Some(Action::Interest)),
    ("interest earned", Some(Action::Interest)),
    ("interest on cash", Some(Action::Interest)),
    ("credit interest", Some(Action::Interest)),
    ("bank interest", Some(Action::Interest)),
    ("zinsen", Some(Action::Interest)),
    ("zins", Some(Action::Interest)),
    ("zinsgutschrift", Some(Action::Interest)),
    ("deposit", Some(Action::Deposit)),
    ("einzahlung", Some(Action::Deposit)),
    ("electronic funds transfer received", Some(Action::Deposit)),
    ("customer inpayment", Some(Action::Deposit)),
    ("customer outpayment", Some(Action::Withdrawal)),
    ("withdrawal", Some(Action::Withdrawal)),
    ("auszahlung", Some(Action::Withdrawal)),
    ("electronic funds transfer paid", Some(Action::Withdrawal)),
    ("money link transfer", Some(Action::Transfer)),
    ("wire funds", Some(Action::Transfer)),
    ("ein auszahlung", Some(Action::Transfer)),
    ("trade", Some(Action::Trade)),
    ("order", Some(Action::Trade)),
];

impl Action {
    /// Its word in notes and mappings.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Transfer => "transfer",
            Self::Trade => "trade",
            Self::Ignore => "ignore",
            Self::Buy => Kind::Buy.word(),
            Self::Sell => Kind::Sell.word(),
            Self::Dividend => Kind::Dividend.word(),
            Self::Split => Kind::Split.word(),
            Self::Fee => Kind::Fee.word(),
            Self::Tax => Kind::Tax.word(),
            Self::Deposit => Kind::Deposit.word(),
            Self::Withdrawal => Kind::Withdrawal.word(),
            Self::Interest => Kind::Interest.word(),
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        let word = folded(word.trim());
        ALL.into_iter().find(|action| action.word() == word)
    }

    /// The action of a cell: the user's own, or a known word.
    pub(super) fn of(cell: &str, said: &BTreeMap<String, Self>) -> Option<Self> {
        let own = folded(cell.trim());
        if let Some((_, action)) = said.iter().find(|(word, _)| folded(word.trim()) == own) {
            return Some(*action);
        }
        let own = words(cell);
        let own = own.split_whitespace().collect::<Vec<_>>().join(" ");
        let begins = |known: &str| {
            own.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let known = KNOWN.iter().filter(|(known, _)| begins(known)).max_by_key(|(known, _)| known.len())?;
        // A single letter must be the whole cell: `K` is a buy, `K plus S` a name.
        if known.0.len() == 1 && own.len() > 1 { None } else { known.1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_read_in_the_words_of_brokers() {
        for (cell, action) in [
            ("Market buy", Some(Action::Buy)),
            ("YOU BOUGHT NORTHGATE TOOLING (NGTL) (Cash)", Some(Action::Buy)),
            ("Wertpapierkauf", Some(Action::Buy)),
            ("Kauf aus Sparplan", Some(Action::Buy)),
            ("K", Some(Action::Buy)),
            ("K+S Dividende", None),
            ("SELL", Some(Action::Sell)),
            ("Verkauf", Some(Action::Sell)),
            ("Dividend (Ordinary)", Some(Action::Dividend)),
            ("Ausschüttung", Some(Action::Dividend)),
            ("Dividend reinvestment", None),
            ("Dividendensteuer", Some(Action::Tax)),
            ("Depotgebühr", Some(Action::Fee)),
            ("MoneyLink Transfer", Some(Action::Transfer)),
            ("Umbuchung", None),
            ("", None),
        ] {
            assert_eq!(Action::of(cell, &BTreeMap::new()), action, "{cell}");
        }
        let said =
            BTreeMap::from([("Umbuchung".to_owned(), Action::Ignore), ("Kauf".to_owned(), Action::Sell)]);
        assert_eq!(Action::of(" umbuchung", &said), Some(Action::Ignore));
        assert_eq!(Action::of("Kauf", &said), Some(Action::Sell), "what the user says goes first");
    }
}
