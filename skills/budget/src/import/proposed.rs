//! Guesses the meaning of columns from their names and cells.

use std::collections::HashSet;

use nova_skill::figures::currency_code;
use nova_statement::{Table, amount, date_formats, is_date, is_negative, named};

use super::names::{
    AMOUNTS, CATEGORIES, CREDITS, CURRENCIES, DATES, DEBITS, IDS, MEMOS, PAYEES, PAYERS, is_of_account,
    is_of_one_side, is_of_other_amount, is_outgoing,
};

/// The maximum number of rows examined.
const SAMPLE_ROWS: usize = 2000;

/// The indices of columns.
#[derive(Debug, Default)]
pub(super) struct ProposedColumns {
    pub(super) date: Option<usize>,
    pub(super) single: Option<usize>,
    /// Either both or neither are set.
    pub(super) debit: Option<usize>,
    pub(super) credit: Option<usize>,
    pub(super) side: Option<usize>,
    pub(super) currency: Option<usize>,
    pub(super) payee: Option<usize>,
    pub(super) payer: Option<usize>,
    pub(super) memo: Option<usize>,
    pub(super) category: Option<usize>,
    pub(super) id: Option<usize>,
}

impl ProposedColumns {
    /// Finds the columns of dates and amounts.
    pub(super) fn money(table: &Table) -> Self {
        let columns = || 0..table.header.len();
        let take = |names: &[&str], fits: &dyn Fn(usize) -> bool| {
            named(&table.header, names).into_iter().find(|at| fits(*at))
        };
        let is_days = |at: usize| !date_formats(cells(table, at)).is_empty();
        // Invalid dates in a minority of rows do not hide the column; these rows are reported.
        let has_dates = |at: usize| {
            let days = cells(table, at).filter(|cell| is_date(cell)).count();
            2 * days >= table.rows.len().min(SAMPLE_ROWS)
        };
        let date = take(DATES, &is_days)
            .or_else(|| columns().find(|at| is_days(*at)))
            .or_else(|| take(DATES, &has_dates))
            .or_else(|| columns().find(|at| has_dates(*at)));
        let is_amount = |at: usize| {
            Some(at) != date
                && !is_of_other_amount(&table.header[at])
                && cells(table, at)
                    .filter(|cell| !cell.trim().is_empty())
                    .all(|cell| amount(cell, '.').is_some() || amount(cell, ',').is_some())
        };
        let has_minus = |at: usize| cells(table, at).any(|cell| is_negative(cell) == Some(true));
        let is_single =
            |at: usize| is_amount(at) && is_filled(table, at) && !is_of_one_side(&table.header[at]);
        let signed = take(AMOUNTS, &|at| is_single(at) && has_minus(at));
        let pair = take(DEBITS, &is_amount).and_then(|debit| {
            let credit = take(CREDITS, &|at| at != debit && is_amount(at))?;
            Some((debit, credit))
        });
        let (debit, credit) = pair.filter(|_| signed.is_none()).unzip();
        let single = match debit {
            Some(_) => None,
            None => signed.or_else(|| take(AMOUNTS, &is_single)).or_else(|| {
                // Without names, the first column of amounts: a balance follows it.
                columns().find(|at| Some(*at) != date && is_amount(*at) && has_fraction(table, *at))
            }),
        };
        let is_currency = |at: usize| {
            !is_of_other_amount(&table.header[at])
                && cells(table, at).all(|cell| currency_code(cell).is_some())
        };
        // If the balance has its own currency column, the amount's is the one after the amount.
        let currencies = named(&table.header, CURRENCIES);
        let beside = single.map(|at| at + 1).filter(|at| currencies.contains(at) && is_currency(*at));
        let currency = beside.or_else(|| take(CURRENCIES, &is_currency));
        let side = single.filter(|at| !has_minus(*at)).and_then(|_| columns().find(|at| is_side(table, *at)));
        Self { date, single, debit, credit, side, currency, ..Self::default() }
    }

    /// Finds the columns of text, given those of dates and amounts.
    pub(super) fn texts(table: &Table, money: &Self) -> Self {
        let mut taken: Vec<usize> =
            [money.date, money.single, money.debit, money.credit, money.side, money.currency]
                .into_iter()
                .flatten()
                .collect();
        let mut take = |names: &[&str], fits: &dyn Fn(usize) -> bool| {
            let found =
                named(&table.header, names).into_iter().find(|at| !taken.contains(at) && fits(*at))?;
            taken.push(found);
            Some(found)
        };
        let has_letters = |at: usize| cells(table, at).any(|cell| cell.chars().any(char::is_alphabetic));
        let has_text = |at: usize| has_letters(at) && !is_side(table, at);
        let is_name = |at: usize| has_text(at) && !is_of_account(&table.header[at]);
        let is_unique = |at: usize| {
            let mut seen = HashSet::new();
            cells(table, at).all(|cell| !cell.trim().is_empty() && seen.insert(cell.trim()))
        };
        let category = take(CATEGORIES, &has_text);
        let payee = take(PAYEES, &is_name).or_else(|| take(MEMOS, &is_name));
        let payer = payee.and_then(|_| take(PAYERS, &is_name));
        let memo = take(MEMOS, &has_text);
        let id = take(IDS, &is_unique);
        let payee = payee.or_else(|| {
            let columns = 0..table.header.len();
            columns.into_iter().find(|at| !taken.contains(at) && is_name(*at))
        });
        Self { payee, payer, memo, category, id, ..Self::default() }
    }
}

/// The cells without repeated headers, which would make every column look like text.
fn cells(table: &Table, at: usize) -> impl Iterator<Item = &str> {
    table
        .rows
        .iter()
        .take(SAMPLE_ROWS)
        .filter(|row| !row.is_of_names())
        .map(move |row| row.cells[at].as_str())
}

fn is_filled(table: &Table, at: usize) -> bool {
    cells(table, at).any(|cell| !cell.trim().is_empty())
}

fn is_side(table: &Table, at: usize) -> bool {
    cells(table, at).all(|cell| is_outgoing(cell).is_some())
}

fn has_fraction(table: &Table, at: usize) -> bool {
    cells(table, at).any(|cell| cell.contains(['.', ',']))
}
