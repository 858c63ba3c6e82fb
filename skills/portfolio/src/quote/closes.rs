//! Fetches historical closes for the value chart.

use nova_market::Listing;
use nova_market::tools::Web;
use nova_skill::{Date, Problem, Value, json};

use super::run::Run;
use crate::prices::as_pair;
use crate::valuation::day_text;

impl Run {
    /// Fetches and stores the closes since a day from the first source that has any; returns a summary.
    ///
    /// # Errors
    /// If no source has any, with the reason of each.
    pub(super) async fn closes(&self, listing: &Listing, since: Date) -> Result<Value, Problem> {
        let symbol = &listing.symbol;
        let day = self.snapshot.day;
        let web = Web(self.ctx.as_ref());
        let found = match as_pair(symbol) {
            Some((from, to)) => self.rates.rates((&from, &to), since, day, &web).await,
            None => self.quotes.history(listing, since, day, &web).await,
        };
        let reasons = match found {
            Ok((source, history)) => {
                let days = || history.bars.iter().map(|bar| bar.date);
                let row = json!({
                    "symbol": symbol,
                    "from": days().min().map(|day| day.to_string()),
                    "to": days().max().map(|day| day.to_string()),
                    "count": history.bars.len(),
                    "source": source,
                });
                self.add_closes(symbol, &source, history);
                return Ok(row);
            }
            Err(reasons) => reasons,
        };
        Err(Problem {
            path: String::new(),
            line: 0,
            problem: format!("{symbol} has no closes since {}: {reasons}", day_text(since, day)),
            remedy: "Try again, choose another source, or add price notes.".into(),
        })
    }
}
