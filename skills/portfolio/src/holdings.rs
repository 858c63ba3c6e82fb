use std::collections::{BTreeMap, BTreeSet};

use nova_skill::figures::{Quantity, TooLarge, money};
use nova_skill::{Date, Decimal, NotePath, Problem};

use crate::books::{Books, PositionNote, TradeNote};
use crate::ledger::{Event, Ledger, Method, Trade, TradeError};

/// The holding of a symbol in one currency, computed from its trades or, if none of them moves shares, taken
/// from its position.
pub(crate) struct Holding<'a> {
    pub(crate) symbol: &'a str,
    pub(crate) currency: &'a str,
    pub(crate) position: Option<&'a PositionNote>,
    /// Indices in [`Books::trades`] of the trades up to the day.
    pub(crate) trades: Vec<usize>,
    pub(crate) ledger: Ledger,
    pub(crate) quantity: Quantity,
    own: bool,
    /// `None` if a position without trades does not state it.
    pub(crate) cost: Option<Decimal>,
}

/// The holdings at the end of a day, and the problems of the notes. A symbol with impossible trades is a
/// problem rather than a holding, and in no sum.
pub(crate) struct Holdings<'a> {
    pub(crate) held: Vec<Holding<'a>>,
    pub(crate) problems: Vec<Problem>,
    /// The excluded symbols with their problems.
    pub(crate) left_out: Vec<(&'a str, Problem)>,
}

impl Books {
    /// The holdings by symbol and currency. `compare` checks positions against their trades, which makes
    /// sense only for today.
    pub(crate) fn holdings(
        &self,
        method: Method,
        day: Date,
        compare: bool,
    ) -> Result<Holdings<'_>, TooLarge> {
        // The currencies in which shares were moved at any time, by symbol.
        let mut moved: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for note in self.trades.iter().filter(|note| note.trade.event.moves()) {
            let currencies = moved.entry(&note.symbol).or_default();
            if !is_split(note) {
                currencies.insert(&note.currency);
            }
        }
        let mut keys: BTreeSet<(&str, &str)> = BTreeSet::new();
        for note in self.trades.iter().filter(|note| note.trade.date <= day && !is_split(note)) {
            keys.insert((&note.symbol, &note.currency));
        }
        let mut by_symbol: BTreeMap<&str, Vec<&TradeNote>> = BTreeMap::new();
        for note in self.trades.iter().filter(|note| note.trade.date <= day) {
            by_symbol.entry(&note.symbol).or_default().push(note);
        }
        let mut positions: BTreeMap<(&str, &str), &PositionNote> = BTreeMap::new();
        let mut problems = self.doubled.clone();
        for position in &self.positions {
            let (symbol, currency) = (position.symbol.as_str(), position.currency.as_str());
            let decide = moved.get(symbol).filter(|currencies| !currencies.is_empty());
            match decide.filter(|currencies| !currencies.contains(currency)) {
                None => {
                    keys.insert((symbol, currency));
                    positions.insert((symbol, currency), position);
                }
                Some(others) => {
                    let said: Vec<&str> = others.iter().copied().collect();
                    problems.push(Problem {
                        path: position.path.to_string(),
                        line: position.currency_line,
                        problem: format!(
                            "{symbol} is in {currency}, its trades are in {}",
                            said.join(" and ")
                        ),
                        remedy: "Correct the currency here or in the trades. The trades are counted.".into(),
                    });
                    for other in others {
                        positions.entry((symbol, other)).or_insert(position);
                    }
                }
            }
        }
        let mut found = Holdings { held: Vec::new(), problems, left_out: Vec::new() };
        for (symbol, currency) in keys {
            let all = by_symbol.get(symbol).into_iter().flatten();
            let own: Vec<&TradeNote> =
                all.filter(|note| is_split(note) || note.currency == currency).copied().collect();
            let trades: Vec<Trade> = own.iter().map(|note| note.trade.clone()).collect();
            let places = own.iter().map(|note| note.trade.origin).collect();
            let position = positions.get(&(symbol, currency)).copied();
            let ledger = match Ledger::of(method, &trades, Some(day)) {
                Ok(ledger) => ledger,
                Err((origin, why)) => {
                    let problem = self.trade_problem(origin, &why);
                    found.left_out.push((symbol, problem.clone()));
                    found.problems.push(problem);
                    continue;
                }
            };
            let moved = moved.contains_key(symbol);
            let own =
                position.filter(|position| !moved && position.opened.is_none_or(|opened| opened <= day));
            let is_own = own.is_some();
            let (quantity, cost) = match own {
                Some(position) => (Quantity::of(position.quantity.unwrap_or_default())?, position.cost),
                None => (ledger.quantity(), Some(ledger.cost())),
            };
            if let Some(position) =
                position.filter(|position| moved && compare && position.currency == currency)
            {
                found.problems.extend(disagreements(position, &ledger)?);
            }
            found.held.push(Holding {
                symbol,
                currency,
                position,
                trades: places,
                ledger,
                quantity,
                own: is_own,
                cost,
            });
        }
        for (symbol, extra) in self.twice() {
            found.problems.push(Problem {
                path: extra.path.to_string(),
                line: 1,
                problem: format!("{symbol} has two positions in {}; this one is not counted", extra.currency),
                remedy: "Keep one of the two notes.".into(),
            });
        }
        Ok(found)
    }

    /// The problem of an impossible trade, with its note and line.
    pub(crate) fn trade_problem(&self, origin: usize, why: &TradeError) -> Problem {
        let (path, line, symbol) = self
            .trades
            .get(origin)
            .map_or((String::new(), 1, ""), |note| (note.path.to_string(), note.line, note.symbol.as_str()));
        let remedy = match why {
            TradeError::Oversold { .. } => {
                "Correct the quantity, or add the buy that is missing. Until then the symbol is in no total."
            }
            TradeError::TooLarge(_) => "Write fewer digits. Until then the symbol is in no total.",
        };
        Problem { path, line, problem: format!("{symbol}: {why}"), remedy: remedy.into() }
    }

    /// Positions that repeat the symbol and currency of an earlier one.
    fn twice(&self) -> impl Iterator<Item = (&str, &PositionNote)> {
        let mut seen = BTreeMap::new();
        for position in &self.positions {
            seen.insert((position.symbol.as_str(), position.currency.as_str()), &position.path);
        }
        self.positions.iter().filter_map(move |position| {
            let counted = seen.get(&(position.symbol.as_str(), position.currency.as_str()))?;
            (**counted != position.path).then_some((position.symbol.as_str(), position))
        })
    }
}

impl Holding<'_> {
    pub(crate) fn name(&self) -> &str {
        self.position.and_then(|position| position.name.as_deref()).unwrap_or(self.symbol)
    }

    /// Whether quantity and cost are those stated in the position.
    pub(crate) fn is_own(&self) -> bool {
        self.own
    }

    /// The notes that quantity and cost come from.
    pub(crate) fn moving_notes(&self, books: &Books) -> Vec<NotePath> {
        let notes = self.trades.iter().map(|place| &books.trades[*place]);
        let moving = notes.filter(|note| note.trade.event.moves()).map(|note| note.path.clone());
        self.position.map(|position| position.path.clone()).into_iter().chain(moving).collect()
    }

    /// The notes of the position and of all its trades.
    pub(crate) fn notes(&self, books: &Books) -> Vec<NotePath> {
        let trades = self.trades.iter().map(|place| books.trades[*place].path.clone());
        self.position.map(|position| position.path.clone()).into_iter().chain(trades).collect()
    }
}

fn is_split(note: &TradeNote) -> bool {
    matches!(note.trade.event, Event::Split { .. })
}

/// The statements of a position that its trades contradict.
fn disagreements(position: &PositionNote, ledger: &Ledger) -> Result<Vec<Problem>, TooLarge> {
    let mut found = Vec::new();
    let mut differs = |line: u32, what: &str, own: Decimal, computed: Decimal| {
        found.push(Problem {
            path: position.path.to_string(),
            line,
            problem: format!("{} has the {what} {own}, its trades come to {computed}", position.symbol),
            remedy: format!("Write {computed}, or correct the trades. The trades are counted."),
        });
    };
    let held = ledger.quantity().to_decimal()?;
    if let Some(own) = position.quantity.filter(|own| *own != held) {
        differs(position.line, "quantity", own, held);
    }
    // The costs of the two methods differ after a sale, and a note does not name its method.
    let in_row = |cost: Decimal| money(cost, &position.currency);
    let cost = in_row(ledger.cost());
    if let Some(own) = position.cost.filter(|own| ledger.sales.is_empty() && in_row(*own) != cost) {
        differs(position.cost_line, "cost", own, cost);
    }
    Ok(found)
}
