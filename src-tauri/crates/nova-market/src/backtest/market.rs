//! The market as known at one moment of one day. Nothing here returns a price or a signal of a later moment.

use std::collections::HashSet;

use jiff::civil::Date;
use nova_figures::days_between;

use super::{BacktestError, Candidate};
use crate::daily::LISTED_DAYS;

/// Where signals come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Signals {
    /// The columns of the candidates.
    Own,
    /// All shares are wanted each day.
    Everyone,
    /// All shares are wanted on one day only.
    EveryoneOn(Date),
}

pub(super) struct Market<'a> {
    pub(super) shares: Vec<Share<'a>>,
    pub(super) today: Date,
    signals: Signals,
}

pub(super) struct Share<'a> {
    pub(super) candidate: &'a Candidate<'a>,
    /// Index of the next bar.
    next: usize,
    /// Index of the next dividend.
    next_dividend: usize,
    /// Whether there is a bar of today.
    pub(super) trades: bool,
    /// Of today.
    pub(super) open: Option<f64>,
    /// Of today, after the close.
    pub(super) close: Option<f64>,
    /// The last known close and its index.
    last: Option<(usize, f64)>,
    /// Paid for one share since the previous trading day.
    pub(super) dividend: f64,
}

impl<'a> Market<'a> {
    pub(super) fn new(candidates: &'a [Candidate<'a>], signals: Signals) -> Self {
        let share = |candidate| Share {
            candidate,
            next: 0,
            next_dividend: 0,
            trades: false,
            open: None,
            close: None,
            last: None,
            dividend: 0.0,
        };
        Self { shares: candidates.iter().map(share).collect(), today: Date::ZERO, signals }
    }

    /// Advances to the open of a later day.
    pub(super) fn open(&mut self, day: Date) {
        self.today = day;
        for share in &mut self.shares {
            share.open(day);
        }
    }

    /// Advances to the close of the day.
    pub(super) fn close(&mut self) {
        for share in self.shares.iter_mut().filter(|share| share.trades) {
            share.close = share.pass();
        }
    }

    /// The rank of a share by its last close; `None` if it is not wanted or no longer listed.
    pub(super) fn wanted(&self, number: usize) -> Option<f64> {
        let share = &self.shares[number];
        let (place, _) = share.last.filter(|_| self.lists(number))?;
        match self.signals {
            Signals::Own if share.candidate.leave[place] => None,
            Signals::Own => Some(share.candidate.wanted[place]).filter(|rank| rank.is_finite()),
            Signals::Everyone => Some(0.0),
            Signals::EveryoneOn(day) => (day == self.today).then_some(0.0),
        }
    }

    /// Whether the last close of a share is an exit.
    pub(super) fn leaves(&self, number: usize) -> bool {
        let share = &self.shares[number];
        matches!(self.signals, Signals::Own)
            && share.last.is_some_and(|(place, _)| share.candidate.leave[place])
    }

    /// Whether a share has a recent close.
    pub(super) fn lists(&self, number: usize) -> bool {
        let share = &self.shares[number];
        share.close.is_some()
            || share.last.is_some_and(|(place, _)| {
                days_between(share.candidate.daily.days[place], self.today) <= LISTED_DAYS
            })
    }
}

impl Share<'_> {
    pub(super) fn last_close(&self) -> Option<f64> {
        self.last.map(|(_, close)| close)
    }

    fn open(&mut self, day: Date) {
        let daily = self.candidate.daily;
        while daily.days.get(self.next).is_some_and(|next| *next < day) {
            self.pass();
        }
        self.trades = daily.days.get(self.next) == Some(&day);
        self.open = if self.trades { price(daily.open[self.next]) } else { None };
        self.close = None;
        self.dividend = 0.0;
        while let Some((_, paid)) = daily.dividends.get(self.next_dividend).filter(|(date, _)| *date <= day) {
            self.next_dividend += 1;
            self.dividend += price(*paid).unwrap_or_default();
        }
    }

    /// Advances past the next bar, and returns its close.
    fn pass(&mut self) -> Option<f64> {
        let place = self.next;
        self.next += 1;
        let close = price(self.candidate.daily.close[place]);
        self.last = close.map(|close| (place, close)).or(self.last);
        close
    }
}

/// A valid price is above zero.
pub(super) fn price(value: f64) -> Option<f64> {
    (value.is_finite() && value > 0.0).then_some(value)
}

/// The days of the span on which any share has a close, oldest first; at least two.
pub(super) fn calendar(candidates: &[Candidate], from: Date, to: Date) -> Result<Vec<Date>, BacktestError> {
    if candidates.is_empty() {
        return Err(BacktestError::EmptyUniverse);
    }
    if from > to {
        return Err(BacktestError::Backwards { from, to });
    }
    let mut symbols = HashSet::new();
    for candidate in candidates {
        if !fits(candidate) {
            return Err(BacktestError::Columns(candidate.symbol.to_owned()));
        }
        if !symbols.insert(candidate.symbol) {
            return Err(BacktestError::Twice(candidate.symbol.to_owned()));
        }
    }
    let ends = candidates.iter().filter_map(|candidate| {
        let mut closed = closed(candidate);
        let first = closed.next()?;
        Some((first, closed.next_back().unwrap_or(first)))
    });
    let (first, last) = ends
        .reduce(|(first, last), (begin, end)| (begin.min(first), end.max(last)))
        .ok_or(BacktestError::NoCloses)?;
    if days_between(from, first) > LISTED_DAYS {
        return Err(BacktestError::TooEarly { first });
    }
    if last < from {
        return Err(BacktestError::TooLate { last });
    }
    let mut calendar = Vec::new();
    for candidate in candidates {
        let days = closed(candidate).skip_while(|day| *day < from).take_while(|day| *day <= to);
        calendar = union(&calendar, days);
    }
    if calendar.len() < 2 { Err(BacktestError::TooShort { from, to }) } else { Ok(calendar) }
}

/// Whether a share has a recent close on a day.
pub(super) fn is_listed(candidate: &Candidate, day: Date) -> bool {
    let last = closed(candidate).take_while(|closed| *closed <= day).last();
    last.is_some_and(|last| days_between(last, day) <= LISTED_DAYS)
}

/// The days on which a share has a close.
pub(super) fn closed(candidate: &Candidate) -> impl DoubleEndedIterator<Item = Date> {
    let daily = candidate.daily;
    let days = daily.days.iter().zip(&daily.close);
    days.filter(|(_, close)| price(**close).is_some()).map(|(day, _)| *day)
}

fn fits(candidate: &Candidate) -> bool {
    let daily = candidate.daily;
    let lengths = [daily.open.len(), daily.close.len(), candidate.wanted.len(), candidate.leave.len()];
    lengths.iter().all(|length| *length == daily.len())
        && daily.days.is_sorted_by(|day, next| day < next)
        && daily.dividends.is_sorted_by_key(|(day, _)| *day)
}

fn union(known: &[Date], more: impl Iterator<Item = Date>) -> Vec<Date> {
    let mut union = Vec::with_capacity(known.len());
    let mut known = known.iter().copied().peekable();
    for day in more {
        while let Some(earlier) = known.next_if(|known| *known <= day) {
            union.push(earlier);
        }
        if union.last() != Some(&day) {
            union.push(day);
        }
    }
    union.extend(known);
    union
}
