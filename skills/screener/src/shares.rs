//! All shares of a list, for evaluations that need them together.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::Arc;

use futures::{StreamExt as _, stream};
use nova_market::LISTED_DAYS;
use nova_market::expression::Truth;
use nova_market::screen::points;
use nova_skill::figures::days_between;
use nova_skill::jiff::ToSpan as _;
use nova_skill::{Date, Progress, ToolContext, ToolError, Value, json};

use crate::share::{Market, Share};
use crate::strategy::Strategy;
use crate::universe::Universe;

/// Maximum shares of one back-test: all their days are in memory.
const MOST: usize = 2_000;
/// Maximum number of unknown shares listed.
const LISTED: usize = 200;

pub(crate) struct Shares {
    /// The shares in the most common currency, in list order.
    pub(crate) all: Vec<Share>,
    pub(crate) currency: Option<String>,
    /// Symbol and reason.
    pub(crate) unanswered: Vec<(String, String)>,
}

/// The first day to fetch: more than a year before trading starts, for averages, and at least as early as a
/// scan does, so that both use the same days.
pub(crate) fn begin(from: Option<Date>, ctx: &dyn ToolContext) -> Date {
    let usual = ctx.clock().today().saturating_sub(11.years()).first_of_year();
    from.map_or(usual, |from| usual.min(from.saturating_sub(400.days())))
}

impl Shares {
    /// # Errors
    /// If the list is too long, the SEC is unavailable, no share is known, or the call was stopped.
    pub(crate) async fn fetch(
        universe: &Universe,
        since: Date,
        needs_reports: bool,
        ctx: &Arc<dyn ToolContext>,
    ) -> Result<Self, ToolError> {
        if universe.members.len() > MOST {
            return Err(ToolError::failed(
                format!(
                    "{} has {} symbols; a back-test takes at most {MOST}.",
                    universe.name,
                    universe.members.len()
                ),
                "Name a shorter list.",
            ));
        }
        let market = Market::open(since, needs_reports, ctx.as_ref()).await?;
        let of = universe.members.len();
        let at_a_time = 4.max(std::thread::available_parallelism().map_or(1, NonZero::get));
        let market = &market;
        let fetched = stream::iter(universe.members.clone().into_iter().enumerate()).map(
            |(place, member)| async move {
                let symbol = member.listing.symbol.clone();
                (place, symbol, market.share(member, ctx.as_ref()).await)
            },
        );
        let mut fetched = fetched.buffer_unordered(at_a_time);
        let (mut known, mut unanswered) = (Vec::new(), Vec::new());
        while let Some((place, symbol, share)) = fetched.next().await {
            if ctx.cancel().is_cancelled() {
                return Err(ToolError::Cancelled);
            }
            match share {
                Ok(share) => known.push((place, share)),
                Err(reasons) => unanswered.push((symbol, reasons)),
            }
            let done = known.len() + unanswered.len();
            if done.is_multiple_of((of / 100).max(1)) {
                ctx.progress(Progress {
                    fraction: Some(done as f64 / of as f64),
                    message: Some(format!("Closes of {done}/{of}")),
                });
            }
        }
        known.sort_by_key(|(place, _)| *place);
        let all: Vec<Share> = known.into_iter().map(|(_, share)| share).collect();
        Self::of_one_currency(all, unanswered)
    }

    /// Amounts in different currencies cannot be added.
    fn of_one_currency(all: Vec<Share>, mut unanswered: Vec<(String, String)>) -> Result<Self, ToolError> {
        let mut counts = BTreeMap::<&str, usize>::new();
        for share in &all {
            *counts.entry(&share.days.origin.currency).or_default() += 1;
        }
        let commonest =
            counts.into_iter().max_by_key(|(_, count)| *count).map(|(currency, _)| currency.to_owned());
        let Some(currency) = commonest else {
            let why =
                unanswered.first().map(|(symbol, why)| format!(" {symbol}: {why}.")).unwrap_or_default();
            return Err(ToolError::failed(
                format!("No share of the list has closes.{why}"),
                "Try again, or choose another source.",
            ));
        };
        let (all, others): (Vec<Share>, Vec<Share>) =
            all.into_iter().partition(|share| share.days.origin.currency == currency);
        unanswered.extend(others.iter().map(|share| {
            let said = &share.days.origin.currency;
            (share.symbol().to_owned(), format!("it is quoted in {said}, and the others in {currency}"))
        }));
        Ok(Self { all, currency: Some(currency), unanswered })
    }

    /// The shares of that symbol, at whichever exchange.
    pub(crate) fn of_symbol<'a>(&'a self, symbol: &'a str) -> impl Iterator<Item = &'a Share> {
        self.all.iter().filter(move |share| share.member.listing.symbol.eq_ignore_ascii_case(symbol))
    }

    /// For each share, its buy rank and its sell signal on each day.
    pub(crate) fn signals(&self, strategy: &Strategy) -> Vec<(Vec<f64>, Vec<bool>)> {
        let mut signals: Vec<(Vec<f64>, Vec<bool>)> = Vec::with_capacity(self.all.len());
        let mut figures: Vec<Vec<Vec<f64>>> = Vec::with_capacity(self.all.len());
        for share in &self.all {
            let columns = share.columns();
            let mut leave = vec![false; share.days.daily.len()];
            for condition in &strategy.sell {
                for (leave, truth) in leave.iter_mut().zip(condition.truth(&columns)) {
                    *leave |= truth == Truth::Yes;
                }
            }
            signals.push((strategy.buy.wanted(&columns), leave));
            figures.push(strategy.buy.score.iter().map(|part| part.figure.number(&columns)).collect());
        }
        if strategy.buy.score.is_empty() {
            return signals;
        }
        // Ranks compare all listed shares by their last figure, because exchanges have different holidays.
        let mut days = BTreeMap::<Date, Vec<(usize, usize)>>::new();
        for (number, share) in self.all.iter().enumerate() {
            for (place, day) in share.days.daily.days.iter().enumerate() {
                days.entry(*day).or_default().push((number, place));
            }
        }
        let mut last = vec![None; self.all.len()];
        for (day, traded) in days {
            for (number, place) in &traded {
                last[*number] = Some((day, *place));
            }
            if traded.iter().all(|(number, place)| signals[*number].0[*place].is_nan()) {
                continue;
            }
            let listed = |number: &usize| {
                last[*number].is_some_and(|(known, _)| days_between(known, day) <= LISTED_DAYS)
            };
            let listed: Vec<usize> = (0..last.len()).filter(listed).collect();
            let of_share = |number: &usize| {
                let place = last[*number].map_or(0, |(_, place)| place);
                figures[*number].iter().map(|figure| figure[place]).collect::<Vec<f64>>()
            };
            let of_day: Vec<Vec<f64>> = listed.iter().map(of_share).collect();
            let ranks: BTreeMap<usize, f64> = listed
                .into_iter()
                .zip(points(&strategy.buy.score, &of_day))
                // An unknown rank comes last.
                .map(|(number, points)| {
                    (number, Some(points.iter().sum::<f64>()).filter(|rank| !rank.is_nan()).unwrap_or(-1.0))
                })
                .collect();
            for (number, place) in traded {
                signals[number].0[place] += ranks.get(&number).copied().unwrap_or(-1.0);
            }
        }
        signals
    }

    /// Drops shares without a close in the last [`LISTED_DAYS`] days, which are no longer traded.
    pub(crate) fn still_listed(mut self, today: Date) -> Self {
        let last = |share: &Share| share.last().map(|(day, _)| day);
        let is_listed =
            |share: &Share| last(share).is_some_and(|day| days_between(day, today) <= LISTED_DAYS);
        let (all, gone): (Vec<Share>, Vec<Share>) = self.all.into_iter().partition(is_listed);
        self.unanswered.extend(gone.iter().filter_map(|share| {
            Some((share.symbol().to_owned(), format!("its last close is of {}", last(share)?)))
        }));
        Self { all, ..self }
    }

    /// The sources of all shares and of the benchmark.
    pub(crate) fn sources_with(&self, benchmark: Option<&Share>) -> BTreeSet<String> {
        let mut sources: BTreeSet<String> =
            self.all.iter().chain(benchmark).map(|share| share.days.origin.source.clone()).collect();
        if self.all.iter().any(|share| share.reports().is_some()) {
            sources.insert("SEC".into());
        }
        sources
    }

    pub(crate) fn unanswered_json(&self) -> Value {
        let rows = self.unanswered.iter().take(LISTED);
        rows.map(|(symbol, reason)| json!({"symbol": symbol, "reason": reason})).collect()
    }
}
