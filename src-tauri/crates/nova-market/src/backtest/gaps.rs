use jiff::civil::Date;
use nova_figures::days_between;

use super::{Candidate, market};
use crate::daily::LISTED_DAYS;

/// Missing data and unfilled orders of a run. The limitations of every run are not counted: survivorship bias
/// of today's universe, and unknown taxes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gaps {
    /// Symbols without any close in the span.
    pub without_closes: Vec<String>,
    /// Symbols whose first close is more than [`LISTED_DAYS`] after the first day, with its day.
    pub begin_late: Vec<(String, Date)>,
    /// Symbols whose last close is more than [`LISTED_DAYS`] before the last day, with its day.
    pub end_early: Vec<(String, Date)>,
    /// Positions sold at a last close more than [`LISTED_DAYS`] old, with slippage and costs. The price that
    /// their holders got, if any, is unknown.
    pub sold_unlisted: usize,
    /// Bars in the span whose close is unknown or not above zero. They count as days without a close.
    pub unknown_closes: usize,
    /// Days on which an order waited because the share did not trade.
    pub waits: usize,
    /// Days on which an order waited because the open, or with [`super::Fill::Close`] the close, is unknown.
    pub unknown_prices: usize,
    /// Orders that lacked cash: made smaller, or dropped because their amount buys no share.
    pub cut: usize,
}

impl Gaps {
    pub(super) fn of_universe(mut self, candidates: &[Candidate], calendar: &[Date]) -> Self {
        let (Some(begin), Some(end)) = (calendar.first(), calendar.last()) else { return self };
        for candidate in candidates {
            let within = |day: &Date| begin <= day && day <= end;
            let mut closed = market::closed(candidate).filter(within);
            let symbol = candidate.symbol.to_owned();
            let Some(first) = closed.next() else {
                self.without_closes.push(symbol);
                continue;
            };
            let last = closed.next_back().unwrap_or(first);
            if days_between(*begin, first) > LISTED_DAYS {
                self.begin_late.push((symbol.clone(), first));
            }
            if days_between(last, *end) > LISTED_DAYS {
                self.end_early.push((symbol, last));
            }
            let bars = candidate.daily.days.iter().zip(&candidate.daily.close);
            self.unknown_closes +=
                bars.filter(|(day, close)| within(day) && market::price(**close).is_none()).count();
        }
        self
    }
}
