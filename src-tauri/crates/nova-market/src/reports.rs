//! Report figures per day, with only what was public then: a report counts from the day after its filing.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::civil::Date;
use nova_figures::days_between;
use rust_decimal::Decimal;

use crate::expression::{Columns, Field};
use crate::indicators::known;
use crate::kept::Origin;
use crate::key_figures::{Basics, basics, oldest_count};
use crate::sources::sec::Reported;
use crate::{Close, Daily};

/// The columns of one share that an expression reads.
pub struct ShareColumns<'a> {
    daily: &'a Daily,
    /// The first day for which dividends are known.
    events_since: Option<Date>,
    reports: Option<Reports>,
}

/// What is known from each of these days on, oldest first.
struct Reports {
    steps: Vec<(Date, Basics)>,
    /// The first day for which splits are known; `None` if they are not.
    splits_since: Option<Date>,
}

/// What is known on one day.
struct Known<'a> {
    basics: &'a Basics,
    shares: Option<f64>,
    close: f64,
}

impl<'a> ShareColumns<'a> {
    pub fn new(daily: &'a Daily, origin: &Origin, reported: Option<&Reported>) -> Self {
        let reports = reported.map(|reported| Reports::new(daily, origin, reported));
        Self { daily, events_since: origin.events_since(), reports }
    }

    fn reported(&self, of: impl Fn(&Known<'_>) -> Option<f64>) -> Vec<f64> {
        let Some(reports) = &self.reports else { return vec![f64::NAN; self.daily.len()] };
        let mut steps = reports.steps.iter().peekable();
        let mut now = None;
        let days = self.daily.days.iter().zip(&self.daily.close);
        days.map(|(day, close)| {
            while let Some((_, basics)) = steps.next_if(|(from, _)| from <= day) {
                now = Some(basics);
            }
            let basics = now?;
            let shares = reports.shares(basics, *day, self.daily.days.last() == Some(day));
            of(&Known { basics, shares, close: *close })
        })
        .map(|value| value.map_or(f64::NAN, known))
        .collect()
    }

    fn dividend_yield(&self) -> Vec<f64> {
        let mut paid = vec![f64::NAN; self.daily.len()];
        for (place, day) in self.daily.days.iter().enumerate() {
            let begin = day.saturating_sub(jiff::Span::new().years(1));
            if self.events_since.is_none_or(|since| since > begin) {
                continue;
            }
            let of_year = self.daily.dividends.iter().filter(|(paid, _)| *paid > begin && paid <= day);
            // An empty sum would be -0.
            let sum = of_year.fold(0.0, |sum, (_, amount)| sum + amount);
            paid[place] = known(sum / self.daily.close[place] * 100.0);
        }
        paid
    }
}

impl Columns for ShareColumns<'_> {
    fn daily(&self) -> &Daily {
        self.daily
    }

    fn figures(&self, field: Field) -> Cow<'_, [f64]> {
        let above_zero = |value: f64| (value > 0.0).then_some(value);
        let column = match field {
            Field::DividendYield => self.dividend_yield(),
            Field::MarketValue => self.reported(|of| Some(of.shares? * of.close)),
            Field::PriceToEarnings => self.reported(|of| {
                of.basics.in_currency_of_price.then_some(())?;
                Some(of.shares? * of.close / above_zero(of.basics.net_income?)?)
            }),
            Field::PriceToSales => self.reported(|of| {
                of.basics.in_currency_of_price.then_some(())?;
                Some(of.shares? * of.close / above_zero(of.basics.revenue?)?)
            }),
            Field::EarningsPerShare => self.reported(|of| {
                of.basics.in_currency_of_price.then_some(())?;
                Some(of.basics.net_income? / above_zero(of.shares?)?)
            }),
            Field::Revenue => {
                self.reported(|of| of.basics.revenue.filter(|_| of.basics.in_currency_of_price))
            }
            Field::RevenueGrowth1y => self.reported(|of| of.basics.revenue_growth[0]),
            Field::RevenueGrowth3y => self.reported(|of| of.basics.revenue_growth[1]),
            Field::RevenueGrowth5y => self.reported(|of| of.basics.revenue_growth[2]),
            Field::EarningsGrowth3y => self.reported(|of| of.basics.earnings_growth),
            Field::OperatingMargin => self.reported(|of| of.basics.operating_margin),
            Field::NetMargin => self.reported(|of| of.basics.net_margin),
            Field::NetDebtToEbitda => self.reported(|of| of.basics.net_debt_to_ebitda),
            Field::ShareChange1y => self.reported(|of| of.basics.share_change),
            Field::Open | Field::High | Field::Low | Field::Close | Field::Volume => {
                return Cow::Borrowed(&[]);
            }
        };
        Cow::Owned(column)
    }
}

impl Reports {
    fn new(daily: &Daily, origin: &Origin, reported: &Reported) -> Self {
        let splits_since = origin.events_since();
        let (Some(first), Some(last)) = (daily.days.first(), daily.days.last()) else {
            return Self { steps: Vec::new(), splits_since: None };
        };
        let facts = reported
            .facts
            .values()
            .flat_map(|tags| tags.values())
            .flat_map(|tag| tag.units.values())
            .flatten();
        let filed: BTreeSet<Date> = facts.map(|fact| fact.filed).collect();
        // The newest filing before the first day is in effect on it.
        let mut from: BTreeSet<Date> =
            filed.iter().filter_map(|day| day.tomorrow().ok()).filter(|day| day <= last).collect();
        let before = from.iter().rev().find(|day| *day <= first).copied();
        from.retain(|day| before.is_none_or(|before| *day >= before));
        let splits: Vec<(Date, Decimal)> = daily
            .splits
            .iter()
            .filter_map(|(day, times)| Some((*day, Decimal::try_from(*times).ok()?)))
            .collect();
        let steps = from.into_iter().map(|day| {
            // In shares of the last day, like the closes.
            let close = Close {
                price: Decimal::ONE,
                currency: origin.currency.clone(),
                date: *last,
                splits: splits_since.map(|_| splits.clone()),
            };
            (day, basics(&reported.before(day), &close, day))
        });
        Self { steps: steps.collect(), splits_since }
    }

    /// The share count, if it is recent and no split since is missed. If no source reports splits, a past
    /// close may be adjusted for one that the count is not.
    fn shares(&self, basics: &Basics, day: Date, is_last: bool) -> Option<f64> {
        let (shares, counted) = basics.shares?;
        let is_covered = self.splits_since.map_or(is_last, |since| since <= counted);
        let is_late = days_between(counted, day) <= oldest_count(self.splits_since.is_some());
        (is_covered && is_late).then_some(shares)
    }
}
