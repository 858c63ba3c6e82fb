//! What a thing closed at on the days gone by, for the line of its value over time.

use nova_skill::{Date, Decimal, Problem, Value, json};

use super::run::{Run, What};
use crate::sources::{Asked, Quoted, SourceError, is_far_off};
use crate::valuation::day_text;

impl Run {
    /// The closes since a day of the first source that has any, kept; answers with what came.
    ///
    /// # Errors
    /// When no source has any, with each one's reason.
    pub(super) async fn closes(&self, asked: &Asked, since: Date) -> Result<Value, Problem> {
        let symbol = &asked.symbol;
        let mut reasons = Vec::new();
        for source in &self.sources {
            if let Some(why) = self.is_off(source.name(), What::Closes) {
                reasons.push(format!("{} {why}", source.name()));
                continue;
            }
            let found = source.history(asked, since, self.ctx.as_ref()).await;
            match found.and_then(|found| self.sane(asked, since, found)) {
                Ok(closes) => {
                    self.worked(source.name(), What::Closes);
                    let days = || closes.iter().map(|close| close.date);
                    let row = json!({
                        "symbol": symbol,
                        "from": days().min().map(|day| day.to_string()),
                        "to": days().max().map(|day| day.to_string()),
                        "count": closes.len(),
                        "source": source.name(),
                    });
                    closes.into_iter().for_each(|close| self.add(symbol, source.name(), close));
                    return Ok(row);
                }
                Err(error) => {
                    reasons.push(format!("{} {error}", source.name()));
                    self.failed(source.name(), What::Closes, &error);
                }
            }
        }
        Err(Problem {
            path: String::new(),
            line: 0,
            problem: format!(
                "{symbol} has no closes since {}: {}",
                day_text(since, self.snapshot.day),
                reasons.join("; ")
            ),
            remedy: "Try again, choose another source, or add price notes.".into(),
        })
    }

    /// Those that can be true, as the source tells them.
    fn sane(&self, asked: &Asked, since: Date, found: Vec<Quoted>) -> Result<Vec<Quoted>, SourceError> {
        let other = found
            .iter()
            .find(|close| asked.currency.as_ref().is_some_and(|currency| *currency != close.currency));
        if let (Some(close), Some(own)) = (other, &asked.currency) {
            let why = format!("quotes it in {}, and it is kept in {own}", close.currency);
            return Err(SourceError::Symbol(why));
        }
        let day = self.snapshot.day;
        let in_time =
            |close: &Quoted| close.price > Decimal::ZERO && close.date >= since && close.date <= day;
        let closes: Vec<Quoted> = found.into_iter().filter(in_time).collect();
        let mut prices: Vec<Decimal> = closes.iter().map(|close| close.price).collect();
        prices.sort();
        let Some(usual) = prices.get(prices.len() / 2).copied() else {
            return Err(SourceError::Symbol("has none".into()));
        };
        match closes.iter().find(|close| is_far_off(close.price, usual)) {
            None => Ok(closes),
            Some(close) => Err(SourceError::Symbol(format!(
                "answered with the close {} of {}, more than 1,000 times off the others",
                close.price, close.date
            ))),
        }
    }
}
