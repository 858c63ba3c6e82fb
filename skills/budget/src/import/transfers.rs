//! Matches transactions with the other side of a transfer in the vault.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use nova_skill::figures::folded;
use nova_skill::jiff::ToSpan as _;
use nova_skill::{Date, Decimal, NotePath, ToolContext, ToolError, Value};

use super::transactions::Transaction;
use crate::arguments::written;
use crate::convert::{Conversion, can_convert, convert};
use crate::join::{MAX_DAYS_APART, days_apart};
use crate::ledger::{EXPENSE, Entry, INCOME, Ledger, TRANSFER};
use crate::transfer::{self, Side, Transfer};

/// The maximum number of transfers in an answer.
pub(super) const MAX_LISTED: usize = 50;
/// The maximum number of candidates for each transaction in an answer.
const MAX_CANDIDATES: usize = 3;

/// The counterpart of a transaction.
#[derive(Clone, Copy)]
pub(super) enum Counterpart<'a> {
    Entry(&'a Entry),
    /// A transfer that includes this side, which no import has claimed so far.
    Open(&'a Transfer),
}

/// A transaction with a candidate for its other side.
pub(super) struct Pair<'a> {
    pub(super) place: usize,
    pub(super) counterpart: Counterpart<'a>,
    /// Whether both are certainly one transfer.
    pub(super) is_certain: bool,
    /// The transaction as a side of a transfer.
    side: Side,
    is_incoming: bool,
}

/// The account of the file, and the known accounts.
pub(super) struct Accounts<'a> {
    /// The account of the file.
    pub(super) own: Option<&'a str>,
    /// The user's known accounts, folded.
    pub(super) known: BTreeSet<String>,
}

impl<'a> Accounts<'a> {
    /// An account is known if the file or a bank has it, a transfer names it, or two notes do.
    pub(super) fn of(ledger: &Ledger, banks: &[String], own: Option<&'a str>) -> Self {
        let mut known: BTreeSet<String> = banks.iter().map(String::as_str).chain(own).map(folded).collect();
        for transfer in &ledger.transfers {
            known.extend([folded(transfer.out.account()), folded(transfer.into.account())]);
        }
        let mut named_once = BTreeSet::new();
        for account in ledger.entries.iter().filter_map(|entry| entry.account.as_deref().map(folded)) {
            if !named_once.insert(account.clone()) {
                known.insert(account);
            }
        }
        Self { own, known }
    }

    fn are_known(&self, one: Option<&str>, other: Option<&str>) -> bool {
        let is_known = |account: Option<&str>| account.is_some_and(|account| self.known.contains(account));
        is_known(one) && is_known(other) && one != other
    }
}

/// All pairs of a transaction and a possible other side. `new` returns the side as which a transaction would
/// be written, or `None` if it would not be.
pub(super) fn pairs<'a>(
    ledger: &'a Ledger,
    accounts: &Accounts<'_>,
    transactions: &[Transaction],
    new: impl Fn(usize, &Transaction) -> Option<Side>,
) -> Vec<Pair<'a>> {
    let rows: Vec<(usize, Side, bool)> = transactions
        .iter()
        .enumerate()
        .filter_map(|(place, row)| Some((place, new(place, row)?, row.amount.is_sign_positive())))
        .collect();
    let own = accounts.own.map(folded);
    let of_rows = SideIndex::of(rows.iter().map(|(_, side, is_incoming)| (side, *is_incoming, own.clone())));
    let entries: Vec<(&Entry, Side)> = ledger
        .entries
        .iter()
        .filter(|entry| entry.why_not_a_side().is_none())
        .map(|entry| (entry, entry.side()))
        .collect();
    let of_entries = SideIndex::of(
        entries.iter().map(|(entry, side)| (side, entry.is_income, side.account.as_deref().map(folded))),
    );
    let open: Vec<(&Transfer, &Side, bool)> = ledger
        .transfers
        .iter()
        .flat_map(|transfer| [(transfer, &transfer.out, false), (transfer, &transfer.into, true)])
        .filter(|(_, side, _)| side.import_id.is_none())
        .collect();
    let of_open = SideIndex::of(
        open.iter().map(|(_, side, is_incoming)| (*side, *is_incoming, Some(folded(side.account())))),
    );

    let mut pairs = Vec::new();
    for (place, side, is_incoming) in &rows {
        let others: Vec<usize> =
            of_entries.in_other_account(side, !is_incoming, own.as_deref()).take(MAX_CANDIDATES).collect();
        let open_sides: Vec<usize> =
            of_open.in_same_account(side, *is_incoming, own.as_deref()).take(MAX_CANDIDATES).collect();
        let is_only = others.len() + open_sides.len() == 1;
        for at in others {
            let (entry, one) = &entries[at];
            let account = one.account.as_deref().map(folded);
            let is_only_of_entry = || {
                let rows =
                    of_rows.in_other_account(one, !entry.is_income, account.as_deref()).take(2).count();
                let entries =
                    of_entries.in_other_account(one, !entry.is_income, account.as_deref()).take(2).count();
                rows + entries == 1
            };
            let is_certain = is_only
                && accounts.are_known(own.as_deref(), account.as_deref())
                && !may_be_refund(side, one)
                && is_only_of_entry();
            pairs.push(Pair {
                place: *place,
                counterpart: Counterpart::Entry(entry),
                is_certain,
                side: side.clone(),
                is_incoming: *is_incoming,
            });
        }
        for at in open_sides {
            let (transfer, one, _) = open[at];
            let account = folded(one.account());
            let is_only_of_open = || {
                let rows = of_rows.in_same_account(one, *is_incoming, Some(&account)).take(2).count();
                let entries = of_entries.in_same_account(one, *is_incoming, Some(&account)).take(2).count();
                rows + entries == 1
            };
            let is_certain = is_only && own.is_some() && is_only_of_open();
            pairs.push(Pair {
                place: *place,
                counterpart: Counterpart::Open(transfer),
                is_certain,
                side: side.clone(),
                is_incoming: *is_incoming,
            });
        }
    }
    let in_other_currencies = InOtherCurrencies::of(ledger, &entries, accounts, &rows);
    pairs.extend(rows.iter().flat_map(|(place, side, is_incoming)| {
        in_other_currencies.others(side, *is_incoming).take(MAX_CANDIDATES).map(|entry| Pair {
            place: *place,
            counterpart: Counterpart::Entry(entry),
            is_certain: false,
            side: side.clone(),
            is_incoming: *is_incoming,
        })
    }));
    pairs
}

/// A purchase and its refund have the same payee on both sides, and a category.
fn may_be_refund(one: &Side, other: &Side) -> bool {
    let same_payee = match (&one.payee, &other.payee) {
        (Some(one), Some(other)) => folded(one) == folded(other),
        _ => false,
    };
    same_payee && (one.category.is_some() || other.category.is_some())
}

impl Pair<'_> {
    pub(super) fn sides(&self) -> (Side, Side) {
        match self.counterpart {
            Counterpart::Open(transfer) => (transfer.out.clone(), transfer.into.clone()),
            Counterpart::Entry(entry) if entry.is_income => (self.side.clone(), entry.side()),
            Counterpart::Entry(entry) => (entry.side(), self.side.clone()),
        }
    }

    /// The conversion that completes the transfer, or turns the entry into one.
    fn conversion(&self) -> Result<Conversion<'static>, ToolError> {
        let (out, into) = self.sides();
        let (from, values) = match self.counterpart {
            Counterpart::Open(_) => {
                let is_incoming = self.is_incoming;
                let side = if is_incoming { &into } else { &out };
                (TRANSFER, transfer::added_values(side, is_incoming, &self.side))
            }
            Counterpart::Entry(entry) => {
                (if entry.is_income { INCOME } else { EXPENSE }, transfer::values(&out, &into)?)
            }
        };
        let (day, name, amount) = (out.date, transfer::name(&out, &into), written(out.amount).to_string());
        Ok(Conversion { from, to: TRANSFER, values, day, name: Some(name.into()), amount })
    }

    /// Whether the note can be edited and has no own property that would be overwritten.
    pub(super) async fn can_write(&self, ctx: &dyn ToolContext) -> Result<bool, ToolError> {
        can_convert(ctx, self.path(), &self.conversion()?).await
    }

    /// Merges both sides into one note.
    pub(super) async fn write(&self, ctx: &dyn ToolContext) -> Result<NotePath, ToolError> {
        convert(ctx, self.path(), self.conversion()?).await
    }

    /// The existing note.
    pub(super) fn path(&self) -> &NotePath {
        match self.counterpart {
            Counterpart::Entry(entry) => &entry.path,
            Counterpart::Open(transfer) => &transfer.path,
        }
    }

    /// The pair as a row of an answer, with the existing note among its paths.
    pub(super) fn row(&self) -> Value {
        let (out, into) = self.sides();
        let mut row = transfer::row(&out, &into);
        row["joined"] = self.is_certain.into();
        row["paths"] = vec![self.path().to_string()].into();
        row
    }
}

/// Dates and indices by account.
type Days = BTreeMap<Option<String>, Vec<(Date, usize)>>;

/// The indices of booked sides, by currency and signed amount.
#[derive(Default)]
struct SideIndex(HashMap<(String, Decimal), Days>);

impl SideIndex {
    fn of<'s>(sides: impl Iterator<Item = (&'s Side, bool, Option<String>)>) -> Self {
        let mut booked = Self::default();
        for (at, (side, is_incoming, account)) in sides.enumerate() {
            let days = booked.0.entry(key(side, is_incoming)).or_default().entry(account).or_default();
            days.push((side.date, at));
        }
        booked.0.values_mut().flat_map(BTreeMap::values_mut).for_each(|days| days.sort_unstable());
        booked
    }

    /// The sides with this amount within [`MAX_DAYS_APART`] that may be in another account; at least one of
    /// the two accounts is known.
    fn in_other_account(
        &self,
        side: &Side,
        is_incoming: bool,
        account: Option<&str>,
    ) -> impl Iterator<Item = usize> {
        self.within(side, is_incoming, move |other| match (other, account) {
            (Some(other), Some(own)) => other != own,
            (None, None) => false,
            _ => true,
        })
    }

    /// The same for sides that may be in the same account.
    fn in_same_account(
        &self,
        side: &Side,
        is_incoming: bool,
        account: Option<&str>,
    ) -> impl Iterator<Item = usize> {
        self.within(side, is_incoming, move |other| match (other, account) {
            (Some(other), Some(own)) => other == own,
            (None, None) => false,
            _ => true,
        })
    }

    fn within(
        &self,
        side: &Side,
        is_incoming: bool,
        fits: impl Fn(Option<&str>) -> bool,
    ) -> impl Iterator<Item = usize> {
        let first = side.date.saturating_sub(MAX_DAYS_APART.days());
        let last = side.date.saturating_add(MAX_DAYS_APART.days());
        let by_account = self.0.get(&key(side, is_incoming)).into_iter().flatten();
        by_account.filter(move |(account, _)| fits(account.as_deref())).flat_map(move |(_, booked)| {
            let begin = booked.partition_point(|(day, _)| *day < first);
            booked[begin..].iter().take_while(move |(day, _)| *day <= last).map(|(_, at)| *at)
        })
    }
}

fn key(side: &Side, is_incoming: bool) -> (String, Decimal) {
    (side.currency.clone(), if is_incoming { side.amount } else { -side.amount })
}

/// Entries in other currencies by day, with their folded account and whether they name the file's account.
/// They are proposed if one side names the other's account, and are never certain.
struct InOtherCurrencies<'a>(Vec<(&'a Entry, String, bool)>);

impl<'a> InOtherCurrencies<'a> {
    fn of(
        ledger: &Ledger,
        entries: &[(&'a Entry, Side)],
        accounts: &Accounts<'_>,
        rows: &[(usize, Side, bool)],
    ) -> Self {
        let own = accounts.own.map(folded);
        let currencies: BTreeSet<&str> = ledger.entries.iter().map(|entry| entry.currency.as_str()).collect();
        let differ = |side: &Side| currencies.iter().any(|code| *code != side.currency);
        if own.is_none() || !rows.iter().any(|(_, side, _)| differ(side)) {
            return Self(Vec::new());
        }
        let names_account = |side: &Side| own.as_deref().is_some_and(|own| mentions(side, own));
        let mut found: Vec<_> = entries
            .iter()
            .filter_map(|(entry, side)| Some((*entry, folded(side.account.as_deref()?), names_account(side))))
            .filter(|(_, account, _)| Some(account) != own.as_ref())
            .collect();
        found.sort_by_key(|(entry, ..)| entry.date);
        Self(found)
    }

    fn others(&self, side: &Side, is_incoming: bool) -> impl Iterator<Item = &'a Entry> {
        let first = side.date.saturating_sub(MAX_DAYS_APART.days());
        let begin = self.0.partition_point(|(entry, ..)| entry.date < first);
        let near = self.0[begin..]
            .iter()
            .take_while(|(entry, ..)| days_apart(side.date, entry.date) <= MAX_DAYS_APART);
        near.filter(move |(entry, account, names_own)| {
            entry.currency != side.currency
                && entry.is_income != is_incoming
                && (*names_own || mentions(side, account))
        })
        .map(|(entry, ..)| *entry)
    }
}

/// Whether the payee or the memo contains the folded account.
fn mentions(side: &Side, account: &str) -> bool {
    let texts = [&side.payee, &side.memo];
    !account.is_empty() && texts.into_iter().flatten().any(|text| folded(text).contains(account))
}
