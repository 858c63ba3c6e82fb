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
const DAYS: i32 = 3;
/// The maximum number of possible duplicates listed.
const TOLD: usize = 50;

/// The entry that each transaction may duplicate, by the transaction's index.
pub(super) struct Alike<'a>(Vec<Option<Twin<'a>>>);

/// One occurrence of an entry.
#[derive(Clone, Copy)]
pub(super) struct Twin<'a> {
    pub(super) entry: &'a Entry,
    pub(super) day: Date,
}

impl<'a> Alike<'a> {
    /// Matches transactions with entries of the same kind, amount and currency within [`DAYS`]; each
    /// occurrence matches at most one transaction: the nearest, and among those one with the same payee.
    /// Imported entries are excluded: their import ids distinguish two equal payments of a day. `is_new`
    /// returns the currency in which a transaction would be written, or `None` if it would not be.
    pub(super) fn of(
        ledger: &'a Ledger,
        account: Option<&str>,
        transactions: &[Transaction],
        is_new: impl Fn(&Transaction) -> Option<String>,
    ) -> Self {
        let mut twins: Vec<Option<Twin>> = vec![None; transactions.len()];
        let days = || transactions.iter().map(|transaction| transaction.date);
        let (Some(first), Some(last)) = (days().min(), days().max()) else { return Self(twins) };
        let span = Days { first: first.saturating_sub(DAYS.days()), last: last.saturating_add(DAYS.days()) };
        let account = account.map(folded);
        let mut days: Vec<Twin> = Vec::new();
        for entry in ledger.entries.iter().filter(|entry| entry.import_id.is_none()) {
            let other = entry.account.as_deref().map(folded);
            if other.is_some() && account.is_some() && other != account {
                continue;
            }
            days.extend(entry.days(span).into_iter().map(|day| Twin { entry, day }));
        }
        days.sort_by_key(|twin| twin.day);
        let mut known: HashMap<(&str, Decimal), Vec<usize>> = HashMap::new();
        for (at, Twin { entry, .. }) in days.iter().enumerate() {
            known.entry((&entry.currency, entry.signed())).or_default().push(at);
        }

        // Every possible pair of a transaction and an occurrence.
        let mut candidates = Vec::new();
        for (place, transaction) in transactions.iter().enumerate() {
            let Some(currency) = is_new(transaction) else { continue };
            let Some(own) = known.get(&(currency.as_str(), transaction.amount)) else { continue };
            let earliest = transaction.date.saturating_sub(DAYS.days());
            let begin = own.partition_point(|at| days[*at].day < earliest);
            for other in own[begin..].iter().copied() {
                let twin = days[other];
                let apart = days_apart(transaction.date, twin.day);
                if apart > DAYS {
                    break;
                }
                let same_payee =
                    transaction.payee.as_deref().map(folded) == twin.entry.payee.as_deref().map(folded);
                candidates.push(Candidate { distance: (apart, !same_payee), place, other });
            }
        }
        for (place, other) in pair_up(candidates) {
            twins[place] = Some(days[other]);
        }
        Self(twins)
    }

    pub(super) fn get(&self, place: usize) -> Option<Twin<'a>> {
        self.0.get(place).copied().flatten()
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// The first ones, as rows of an answer.
    pub(super) fn rows(&self, transactions: &[Transaction]) -> Vec<Value> {
        let found = transactions.iter().zip(&self.0).filter_map(|(one, twin)| Some((one, (*twin)?)));
        let row = |(transaction, twin): (&Transaction, Twin)| {
            json!({
                "date": transaction.date,
                "amount": written(transaction.amount.abs()),
                "currency": twin.entry.currency,
                "payee": transaction.payee,
                "looks_like": twin.entry.payee(),
                "on": twin.day,
                "comes_again": twin.entry.every.is_some(),
                "path": twin.entry.path,
            })
        };
        found.take(TOLD).map(row).collect()
    }
}

fn days_apart(one: Date, other: Date) -> i32 {
    one.until(other).map_or(i32::MAX, |span| span.get_days().abs())
}
