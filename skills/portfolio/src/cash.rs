//! The cash balances by currency that result from deposits, withdrawals and trades.
//!
//! There are balances only if the user records deposits or withdrawals: without them, cash would just be the
//! negative cost of the shares. With them, every trade counts in its currency; a position without trades does
//! not.

use std::collections::BTreeMap;

use nova_skill::figures::{Sums, TooLarge, money, plus};
use nova_skill::{Date, Decimal, Figure, NotePath, Problem, Value};

use crate::books::{Books, DEPOSIT, INTEREST, TAX, Transfer, WITHDRAWAL};
use crate::holdings::Holding;
use crate::ledger::Event;
use crate::valuation::{Snapshot, count, day_text};

/// Each note's amount is rounded, and a balance is the sum of the rounded amounts.
#[derive(Default)]
pub(crate) struct Cash {
    pub(crate) balances: Sums,
    /// The sum and the number of notes, by currency and part.
    parts: BTreeMap<(String, Part), (Decimal, usize)>,
    notes: BTreeMap<String, Vec<NotePath>>,
    /// By currency, the day since which the balance has been negative.
    below_zero: BTreeMap<String, Date>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Deposits,
    Withdrawals,
    Buys,
    Sales,
    Dividends,
    Interest,
    Fees,
    Taxes,
}

impl Part {
    fn label(self, of: usize) -> String {
        match self {
            Self::Deposits => count(of, "deposit"),
            Self::Withdrawals => count(of, "withdrawal"),
            Self::Buys => count(of, "buy"),
            Self::Sales => count(of, "sale"),
            Self::Dividends => count(of, "dividend"),
            Self::Interest => count(of, "interest payment"),
            Self::Fees => count(of, "fee"),
            Self::Taxes if of == 1 => "1 tax".into(),
            Self::Taxes => format!("{of} taxes"),
        }
    }
}

impl Snapshot {
    /// `None` if the user records no deposits or withdrawals.
    pub(crate) fn cash(&self, held: &[Holding], day: Date) -> Result<Option<Cash>, TooLarge> {
        if !self.books.transfers.iter().any(Transfer::is_external) {
            Ok(None)
        } else {
            Cash::of(&self.books, held, day).map(Some)
        }
    }
}

impl Cash {
    /// The balances at the end of a day, from all transfers and the trades of `held`. As in every total,
    /// symbols with impossible trades are excluded.
    pub(crate) fn of(books: &Books, held: &[Holding], day: Date) -> Result<Self, TooLarge> {
        let mut moves = Vec::new();
        for transfer in books.transfers.iter().filter(|transfer| transfer.date <= day) {
            let part = match transfer.kind {
                DEPOSIT => Part::Deposits,
                WITHDRAWAL => Part::Withdrawals,
                INTEREST => Part::Interest,
                TAX => Part::Taxes,
                _ => Part::Fees,
            };
            moves.push((transfer.date, &transfer.currency, part, transfer.cash()?, &transfer.path));
        }
        for note in
            held.iter().flat_map(|holding| &holding.trades).filter_map(|place| books.trades.get(*place))
        {
            let part = match note.trade.event {
                Event::Buy { .. } => Part::Buys,
                Event::Sell { .. } => Part::Sales,
                Event::Dividend { .. } => Part::Dividends,
                Event::Fee { .. } if note.kind == TAX => Part::Taxes,
                Event::Fee { .. } => Part::Fees,
                Event::Split { .. } => continue,
            };
            moves.push((note.trade.date, &note.currency, part, note.trade.event.cash()?, &note.path));
        }
        moves.sort_by_key(|(date, ..)| *date);
        let mut cash = Self::default();
        for (date, currency, part, amount, path) in moves {
            let amount = money(amount, currency);
            cash.balances.add(currency, amount)?;
            let (sum, of) = cash.parts.entry((currency.clone(), part)).or_default();
            (*sum, *of) = (plus(*sum, amount)?, *of + 1);
            cash.notes.entry(currency.clone()).or_default().push(path.clone());
            if cash.balance(currency) < Decimal::ZERO {
                cash.below_zero.entry(currency.clone()).or_insert(date);
            } else {
                cash.below_zero.remove(currency);
            }
        }
        Ok(cash)
    }

    pub(crate) fn balance(&self, currency: &str) -> Decimal {
        self.balances.money(currency)
    }

    pub(crate) fn to_json(&self) -> Value {
        self.balances.to_json()
    }

    /// The figure of a currency's balance, at the pointer `at`.
    pub(crate) fn figure(&self, at: String, currency: &str) -> Figure {
        let notes = self.notes_of(currency).cloned();
        let figure = Figure::new(at, "Cash", self.balance(currency), currency)
            .formula("deposits − withdrawals − buys + sales + dividends + interest − fees − taxes")
            .from_notes(notes)
            .caution(self.below_zero.contains_key(currency).then(|| "below zero".into()));
        let of_currency = self.parts.iter().filter(|((of, _), _)| of == currency);
        of_currency
            .fold(figure, |figure, ((_, part), (amount, of))| figure.part(part.label(*of), *amount, currency))
    }

    pub(crate) fn notes_of(&self, currency: &str) -> impl Iterator<Item = &NotePath> {
        self.notes.get(currency).into_iter().flatten()
    }

    /// Every note behind the balances.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &NotePath> {
        self.notes.values().flatten()
    }

    /// A problem for each negative balance.
    pub(crate) fn problems(&self, today: Date) -> Vec<Problem> {
        let problem = |(currency, since): (&String, &Date)| {
            Problem {
            path: String::new(),
            line: 0,
            problem: format!(
                "the cash in {currency} is {}, below zero since {}",
                self.balance(currency),
                day_text(*since, today)
            ),
            remedy: "Add the deposit that is missing. Money that was changed is a withdrawal in one currency and a deposit in the other.".into(),
        }
        };
        self.below_zero.iter().map(problem).collect()
    }
}
