//! Returns on money that was deposited and withdrawn over time.
//!
//! A return is a power of a ratio, hence a float; the amounts it is computed from are decimals.

use jiff::civil::Date;
use nova_figures::days_between;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

/// A deposit (negative) or withdrawal (positive) on a day; the final value counts as a withdrawal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    pub date: Date,
    pub amount: Decimal,
}

/// A day with flows: the values at the end of the previous day and of this day, and the deposits and
/// withdrawals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowDay {
    pub before: Decimal,
    pub put_in: Decimal,
    pub taken_out: Decimal,
    pub after: Decimal,
}

/// Why there is no money-weighted return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoReturn {
    #[error("money was only put in or only taken out")]
    OneWay,
    #[error("everything is of one day")]
    OneDay,
    #[error("several rates fit")]
    Several,
    #[error("no rate fits")]
    None,
}

/// Range of the rates searched: from a near-total loss per year to a ten-thousandfold, in equal logarithmic
/// steps.
const LOWEST: f64 = 1e-4;
const HIGHEST: f64 = 1e4;
const STEPS: u32 = 400;
/// Bisection steps after which a rate has the full precision of a float.
const HALVINGS: u32 = 200;

/// The annualised money-weighted return as a ratio: the rate at which the net present value of all flows is
/// zero, with years of 365 days, as defined by XIRR in spreadsheets.
///
/// # Errors
/// When there is no such rate, or more than one.
pub fn money_weighted(flows: &[Flow]) -> Result<f64, NoReturn> {
    let first = flows.iter().map(|flow| flow.date).min().ok_or(NoReturn::OneWay)?;
    let flows: Vec<(f64, f64)> = flows
        .iter()
        .filter(|flow| !flow.amount.is_zero())
        .map(|flow| (days_between(first, flow.date) as f64 / 365.0, flow.amount.to_f64().unwrap_or_default()))
        .collect();
    if !(flows.iter().any(|(_, amount)| *amount > 0.0) && flows.iter().any(|(_, amount)| *amount < 0.0)) {
        return Err(NoReturn::OneWay);
    }
    if flows.iter().all(|(years, _)| *years == flows[0].0) {
        return Err(NoReturn::OneDay);
    }
    let worth =
        |growth: f64| -> f64 { flows.iter().map(|(years, amount)| amount / growth.powf(*years)).sum() };
    let growth = |step: u32| LOWEST * (HIGHEST / LOWEST).powf(f64::from(step) / f64::from(STEPS));
    let mut found = None;
    for step in 0..STEPS {
        let (mut low, mut high) = (growth(step), growth(step + 1));
        let (at_low, at_high) = (worth(low), worth(high));
        if at_high == 0.0 || at_low.signum() == at_high.signum() {
            // A zero at the end of a step is found as the sign change of the next one.
            continue;
        }
        if found.is_some() {
            return Err(NoReturn::Several);
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if worth(middle).signum() == at_low.signum() { low = middle } else { high = middle }
        }
        found = Some(f64::midpoint(low, high) - 1.0);
    }
    found.ok_or(NoReturn::None)
}

/// The time-weighted return of the whole period as a ratio, independent of deposits and withdrawals. Deposits
/// count at the start of their day and withdrawals at its end: `(after + taken out) ÷ (before + put in)`,
/// like the true time-weighted rate of return of Portfolio Performance. The period begins on the first day,
/// and `last` is the value at its end.
///
/// `None` if nothing is invested on a day, so that no ratio exists.
pub fn time_weighted(days: &[FlowDay], last: Decimal) -> Option<f64> {
    let mut grown = 1.0;
    let mut value: Option<Decimal> = None;
    for day in days {
        // Without flows, the return since the last ones is the change in value.
        if let Some(value) = value.filter(|value| !value.is_zero()) {
            grown *= ratio(day.before, value)?;
        }
        let put = day.before.checked_add(day.put_in)?;
        if put.is_zero() {
            // A payout without an investment, such as a dividend after the last sale.
            if !day.taken_out.is_zero() || !day.after.is_zero() {
                return None;
            }
        } else {
            grown *= ratio(day.after.checked_add(day.taken_out)?, put)?;
        }
        value = Some(day.after);
    }
    if let Some(value) = value.filter(|value| !value.is_zero()) {
        grown *= ratio(last, value)?;
    }
    Some(grown - 1.0)
}

/// Annualises a return; `None` for less than a year, which must not be extrapolated.
pub fn a_year(whole: f64, days: i64) -> Option<f64> {
    (days >= 365).then(|| (1.0 + whole).powf(365.0 / days as f64) - 1.0)
}

fn ratio(of: Decimal, to: Decimal) -> Option<f64> {
    of.checked_div(to)?.to_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flows(of: &[(&str, i64)]) -> Vec<Flow> {
        let flow = |(date, amount): &(&str, i64)| Flow {
            date: date.parse().expect("a date"),
            amount: Decimal::from(*amount),
        };
        of.iter().map(flow).collect()
    }

    #[track_caller]
    fn xirr(of: &[(&str, i64)], expected: f64) {
        let rate = money_weighted(&flows(of)).expect("a rate");
        assert!((rate - expected).abs() < 1e-9, "{rate} instead of {expected}");
    }

    /// The examples of Excel's documentation of XIRR and of the crate xirr; the digits are from the library
    /// pyxirr.
    #[test]
    fn money_weighted_return_equals_xirr() {
        xirr(
            &[
                ("2008-01-01", -10_000),
                ("2008-03-01", 2_750),
                ("2008-10-30", 4_250),
                ("2009-02-15", 3_250),
                ("2009-04-01", 2_750),
            ],
            0.373_362_533_509_555_6,
        );
        xirr(
            &[("2015-06-11", -1_000), ("2015-07-21", -9_000), ("2015-10-17", -3_000), ("2018-06-10", 20_000)],
            0.163_537_158_443_264_1,
        );
        xirr(&[("2025-01-01", -100), ("2026-01-01", 100)], 0.0);
        xirr(&[("2025-01-01", -100), ("2026-01-01", 25)], -0.75);
    }

    #[test]
    fn no_return_without_a_unique_rate() {
        let of = |of: &[(&str, i64)]| money_weighted(&flows(of));
        assert_eq!(of(&[]), Err(NoReturn::OneWay));
        assert_eq!(of(&[("2025-01-01", -100), ("2026-01-01", -100)]), Err(NoReturn::OneWay));
        assert_eq!(of(&[("2025-01-01", -100), ("2025-01-01", 110)]), Err(NoReturn::OneDay));
        // 0 = -100 + 230 / g - 132 / g² holds for g = 1.1 and g = 1.2.
        let twice = [("2025-01-01", -100), ("2026-01-01", 230), ("2027-01-01", -132)];
        assert_eq!(of(&twice), Err(NoReturn::Several));
        let never = [("2025-01-01", -100), ("2026-01-01", 10), ("2027-01-01", -100)];
        assert_eq!(of(&never), Err(NoReturn::None));
    }

    fn day(before: i64, put_in: i64, taken_out: i64, after: i64) -> FlowDay {
        let of = Decimal::from;
        FlowDay { before: of(before), put_in: of(put_in), taken_out: of(taken_out), after: of(after) }
    }

    /// The example of the function `twrr` of the R package FinCal: two years that begin with 100 and 240, end
    /// with 120 and 260 and pay 2 and 4: 15.84472 % a year.
    #[test]
    fn time_weighted_return_is_independent_of_deposits() {
        let days = [day(0, 100, 0, 100), day(120, 0, 2, 120), day(120, 120, 0, 240), day(260, 0, 4, 260)];
        let whole = time_weighted(&days, Decimal::from(260)).expect("a return");
        let year = a_year(whole, 730).expect("two years");
        assert!((year - 0.158_447_2).abs() < 1e-7, "{year}");
    }

    #[test]
    fn uninvested_days_do_not_count() {
        // Rises by half, is sold, a break, bought again, falls by half.
        let days = [day(0, 100, 0, 100), day(150, 0, 150, 0), day(0, 400, 0, 400)];
        assert_eq!(time_weighted(&days, Decimal::from(200)), Some(-0.25));
        assert_eq!(time_weighted(&[], Decimal::ZERO), Some(0.0));
        assert_eq!(time_weighted(&[day(0, 0, 5, 0)], Decimal::ZERO), None, "a dividend of nothing");
    }

    #[test]
    fn less_than_a_year_is_not_annualised() {
        assert_eq!(a_year(0.05, 364), None);
        let year = a_year(0.05, 365).expect("a year");
        assert!((year - 0.05).abs() < 1e-12, "{year}");
    }
}
