//! Past closes, for the line of the value over time.

use nova_market::Listing;
use nova_market::tools::closes::{Closes, closes};
use nova_skill::{Date, Problem, Value, json};

use super::run::Run;
use crate::valuation::day_text;

impl Run {
    /// Fetches the closes since a day into the cache; returns the row of the answer.
    ///
    /// # Errors
    /// The reasons of the sources, when none has any. Cached closes stay in use.
    pub(super) async fn closes(&self, listing: &Listing, since: Date) -> Result<Value, Problem> {
        let sources = if listing.pair().is_some() { &self.rates } else { &self.quotes };
        let reasons = match closes(listing, since, sources, self.ctx.as_ref()).await {
            Ok(Closes { source, history, old: None }) => {
                let days = || history.bars.iter().map(|bar| bar.date);
                return Ok(json!({
                    "symbol": listing.symbol,
                    "from": days().min().map(|day| day.to_string()),
                    "to": days().max().map(|day| day.to_string()),
                    "count": history.bars.len(),
                    "source": source,
                }));
            }
            Ok(Closes { old: Some(reasons), .. }) | Err(reasons) => reasons,
        };
        Err(Problem {
            path: String::new(),
            line: 0,
            problem: format!(
                "{} has no closes since {}: {reasons}",
                listing.symbol,
                day_text(since, self.snapshot.day)
            ),
            remedy: "Try again, choose another source, or add price notes.".into(),
        })
    }
}
