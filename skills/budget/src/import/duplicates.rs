//! Transactions that look like existing entries: noted by hand, or recurring.

use std::collections::HashMap;

use nova_skill::figures::{Days, folded};
use nova_skill::jiff::ToSpan as _;
use nova_skill::{Date, Decimal, Value, json};
use nova_statement::{Candidate, pair_up};

use super::transactions::Transaction;
use crate::arguments::written;
use crate::ledger::{Entry, Ledger};

/// The maximum number of days between a card payment and its booking by the bank.
const MAX_DAYS_APART: i32 = 3;
/// The maximum number of possible duplicates listed.
const MAX_LISTED: usize = 50;

/// The entry that each transaction may duplicate, by the transaction's index.
pub(super) struct Duplicates<'a>(Vec<Option<Duplicate<'a>>>);

/// One occurrence of an entry.
#[derive(Clone, Copy)]
pub(super) struct Duplicate<'a> {
    pub(super) entry: &'a Entry,
    pub(super) day: Date,
}

impl<'a> Duplicates<'a> {
    /// Matches transactions with entries of the same kind, amount and currency within [`MAX_DAYS_APART`];
    /// each occurrence matches at most one transaction: the nearest, and among those one with the same payee.
    /// Imported entries are excluded: their import ids distinguish two equal payments of a day.
    /// `new_currency` returns the currency in which a transaction would be written, or `None` if it would not
    /// be.
    pub(super) fn of(
        ledger: &'a Ledger,
        account: Option<&str>,
        transactions: &[Transaction],
        new_currency: impl Fn(&Transaction) -> Option<String>,
    ) -> Self {
        let mut duplicates: Vec<Option<Duplicate>> = vec![None; transactions.len()];
        let days = || transactions.iter().map(|transaction| transaction.date);
        let (Some(first), Some(last)) = (days().min(), days().max()) else { return Self(duplicates) };
        let span = Days {
            first: first.saturating_sub(MAX_DAYS_APART.days()),
            last: last.saturating_add(MAX_DAYS_APART.days()),
        };
        let account = account.map(folded);
        let mut occurrences: Vec<Duplicate> = Vec::new();
        for entry in ledger.entries.iter().filter(|entry| entry.import_id.is_none()) {
            let other = entry.account.as_deref().map(folded);
            if other.is_some() && account.is_some() && other != account {
                continue;
            }
            occurrences.extend(entry.days(span).into_iter().map(|day| Duplicate { entry, day }));
        }
        occurrences.sort_by_key(|occurrence| occurrence.day);
        let mut known: HashMap<(&str, Decimal), Vec<usize>> = HashMap::new();
        for (at, Duplicate { entry, .. }) in occurrences.iter().enumerate() {
            known.entry((&entry.currency, entry.signed())).or_default().push(at);
        }

        // Every possible pair of a transaction and an occurrence.
        let mut candidates = Vec::new();
        for (place, transaction) in transactions.iter().enumerate() {
            let Some(currency) = new_currency(transaction) else { continue };
            let Some(own) = known.get(&(currency.as_str(), transaction.amount)) else { continue };
            let earliest = transaction.date.saturating_sub(MAX_DAYS_APART.days());
            let begin = own.partition_point(|at| occurrences[*at].day < earliest);
            for other in own[begin..].iter().copied() {
                let occurrence = occurrences[other];
                let apart = days_apart(transaction.date, occurrence.day);
                if apart > MAX_DAYS_APART {
                    break;
                }
                let same_payee =
                    transaction.payee.as_deref().map(folded) == occurrence.entry.payee.as_deref().map(folded);
                candidates.push(Candidate { distance: (apart, !same_payee), place, other });
            }
        }
        for (place, other) in pair_up(candidates) {
            duplicates[place] = Some(occurrences[other]);
        }
        Self(duplicates)
    }

    pub(super) fn get(&self, place: usize) -> Option<Duplicate<'a>> {
        self.0.get(place).copied().flatten()
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// The first ones, as rows of an answer.
    pub(super) fn rows(&self, transactions: &[Transaction]) -> Vec<Value> {
        let found =
            transactions.iter().zip(&self.0).filter_map(|(one, duplicate)| Some((one, (*duplicate)?)));
        let row = |(transaction, duplicate): (&Transaction, Duplicate)| {
            json!({
                "date": transaction.date,
                "amount": written(transaction.amount.abs()),
                "currency": duplicate.entry.currency,
                "payee": transaction.payee,
                "looks_like": duplicate.entry.payee(),
                "on": duplicate.day,
                "comes_again": duplicate.entry.every.is_some(),
                "path": duplicate.entry.path,
            })
        };
        found.take(MAX_LISTED).map(row).collect()
    }
}

fn days_apart(one: Date, other: Date) -> i32 {
    one.until(other).map_or(i32::MAX, |span| span.get_days().abs())
}
