//! Splits that a source reports and no trade records: without them a holding has too few shares for its price.

use nova_skill::figures::days_between;
use nova_skill::{Date, Problem};

use crate::holdings::Holding;
use crate::ledger::Split;
use crate::valuation::{Snapshot, day_text};

/// A recorded split may be dated by its announcement or its payment, a few days off the source's day.
const APART: i64 = 10;

impl Snapshot {
    /// A problem for each unrecorded split of shares that were held then and are still. A position without trades
    /// states the shares of today.
    pub(crate) fn unrecorded_splits(&self, held: &[Holding], day: Date) -> Vec<Problem> {
        let mut problems = Vec::new();
        for holding in held.iter().filter(|holding| !holding.is_own() && !holding.quantity.is_zero()) {
            let Some((source, splits)) = self.stored.splits(holding.symbol) else { continue };
            for (date, ratio) in splits {
                let is_this = |known: &Split| days_between(known.date, *date).abs() <= APART;
                let is_recorded = holding.ledger.splits.iter().any(is_this);
                let is_held = holding.ledger.lots().any(|lot| lot.date < *date);
                if is_recorded || *date > day || !is_held {
                    continue;
                }
                problems.push(Problem {
                    path: holding.position.map(|position| position.path.to_string()).unwrap_or_default(),
                    line: 1,
                    problem: format!(
                        "{source} reports a {} split of {} on {}, and no trade records it",
                        ratio_text(*ratio),
                        holding.name(),
                        day_text(*date, self.today)
                    ),
                    remedy:
                        "Add it as a trade of kind split. Until then its quantity, value and gain are wrong."
                            .into(),
                });
            }
        }
        problems
    }
}

/// "2:1": new shares for old ones.
fn ratio_text(ratio: f64) -> String {
    let whole = |old: f64| (ratio * old - (ratio * old).round()).abs() < 1e-6 * old && ratio * old >= 0.5;
    let old = (1..=1_000).map(f64::from).find(|old| whole(*old));
    old.map_or_else(|| format!("{ratio}:1"), |old| format!("{:.0}:{old:.0}", ratio * old))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_is_in_whole_shares() {
        let texts = [2.0, 1.5, 0.1, 4.0 / 3.0, 1.0 / 15.0].map(ratio_text);
        assert_eq!(texts, ["2:1", "3:2", "1:10", "4:3", "1:15"]);
    }
}
