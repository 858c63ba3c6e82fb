//! The limits of a result, for past years or today: reported with it, derived from the run itself.

use nova_market::backtest::{Fill, Run};
use nova_market::expression::{Field, Kind};

use crate::share::Share;
use crate::shares::Shares;
use crate::shown::{cents, share};
use crate::strategy::Strategy;
use crate::universe::{self, Universe, unread};

/// A `run` over past years comes with the share it is compared with.
pub(crate) fn limitations(
    strategy: &Strategy,
    universe: &Universe,
    shares: &Shares,
    run: Option<(&Run, Option<&Share>)>,
) -> Vec<String> {
    let mut unknown = Vec::new();
    if run.is_some() {
        unknown.push(match (universe.kind, universe.day) {
            (universe::Kind::Note, Some(day)) => {
                format!("Failed and bought companies: the list is of {day}, so this looks too good.")
            }
            _ => "Failed and bought companies: the list is today's, so this looks too good.".to_owned(),
        });
    }
    let count = |count: usize, one: &str, many: &str| {
        (count > 0).then(|| if count == 1 { format!("1 {one}") } else { format!("{count} {many}") })
    };
    if strategy.needs_reports() {
        let without = shares.all.iter().filter(|share| share.reports().is_none()).count();
        let none = count(without, "company has none", "companies have none")
            .map(|none| format!(" {none}."))
            .unwrap_or_default();
        unknown.push(format!(
            "Corrections of reports: a figure counts from the day after it was filed, as it was filed.{none}"
        ));
    }
    let without_events = shares.all.iter().filter(|share| !share.days.origin.has_events).count();
    unknown.extend(
        count(without_events, "share", "shares")
            .map(|shares| format!("Dividends and splits of {shares}: their source reports none.")),
    );
    if let Some((_, Some(benchmark))) = run {
        let (symbol, days) = (benchmark.symbol(), &benchmark.days);
        if !days.origin.has_events {
            unknown.push(format!("Dividends and splits of the benchmark {symbol}: its source reports none."));
        }
        if days.old.is_some() {
            unknown.push(format!(
                "The newest closes of the benchmark {symbol}: they are as they were fetched last, because no source answered."
            ));
        }
    }
    let with_gaps = shares.all.iter().filter(|share| !share.days.daily.holes().is_empty()).count();
    unknown.extend(count(with_gaps, "share", "shares").map(|shares| {
        format!("Closes of {shares} for more than ten days: no average or change looks back over the gap.")
    }));
    let old = shares.all.iter().filter(|share| share.days.old.is_some()).count();
    unknown.extend(count(old, "share is", "shares are").map(|shares| {
        format!("The newest closes: {shares} as they were fetched last, because no source answered.")
    }));
    unknown.extend(unread(universe));
    let has_splits = shares.all.iter().any(|share| !share.days.daily.splits.is_empty());
    let reads_level = strategy.buy.conditions.iter().chain(&strategy.sell).any(|condition| {
        let is_level = |field: &Field| {
            use Field::{Close, EarningsPerShare, High, Low, Open, Volume};
            matches!(field, Close | Open | High | Low | Volume | EarningsPerShare)
        };
        // A comparison with another price of the same share, or in percent, is not affected by splits.
        condition.limited().is_some_and(|(figure, _)| {
            figure.kind() != Some(Kind::Percent) && figure.fields().iter().any(is_level)
        })
    });
    if has_splits && reads_level {
        unknown.push("Prices and volumes before a split: conditions see them in today's shares.".to_owned());
    }
    let rules = &strategy.rules;
    let fee = if rules.fee > 0.0 { format!(", a fee of {}", cents(rules.fee)) } else { String::new() };
    let costs = format!("{} cost{fee} and {} slippage", share(rules.cost), share(rules.slippage));
    unknown.push(match rules.fill {
        Fill::NextOpen => format!("Your fills: every trade is at the next open, at any size, with {costs}."),
        Fill::Close => format!("Your fills: every trade is at the close that gave its signal, which nobody could have had, with {costs}."),
    });
    if strategy.buy.score.is_empty() {
        unknown.push(
            "Which of many hits you would take: without a score they come in the order of the list."
                .to_owned(),
        );
    }
    if let Some((run, _)) = run {
        let gaps = &run.gaps;
        let named = |symbols: &[String]| {
            let shown = symbols.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
            if symbols.len() > 5 { format!("{shown} and {} more", symbols.len() - 5) } else { shown }
        };
        let symbols = |list: &[(String, nova_skill::Date)]| {
            list.iter().map(|(symbol, _)| symbol.clone()).collect::<Vec<_>>()
        };
        let mut add = |symbols: &[String], what: &str| {
            if !symbols.is_empty() {
                unknown.push(format!("{what}: {}.", named(symbols)));
            }
        };
        add(&gaps.without_closes, "Shares without a close in these years");
        add(&symbols(&gaps.begin_late), "Shares whose closes begin later");
        add(&symbols(&gaps.end_early), "Shares whose closes end before");
        let lines = [
            (
                gaps.sold_unlisted,
                "position was sold at its last close, because no other came; what was paid for it is not known",
            ),
            (gaps.unknown_closes, "close is unknown or not above zero and counts as a day without trading"),
            (gaps.waits + gaps.unknown_prices, "time an order waited for a day with a price"),
            (gaps.cut, "order was made smaller or dropped for lack of cash"),
        ];
        unknown.extend(
            lines.iter().filter(|(times, _)| *times > 0).map(|(times, what)| format!("{times} × {what}.")),
        );
        unknown.push("Your taxes, and whether these years will repeat.".to_owned());
    } else {
        unknown.push("Your taxes, your other plans, and the next day.".to_owned());
    }
    unknown
}
