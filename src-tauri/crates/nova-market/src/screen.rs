//! A screen: conditions that must all hold, and a score that ranks the hits.

use crate::expression::{Columns, Expression, ExpressionError, Truth, Wanted};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Screen {
    pub conditions: Vec<Expression>,
    pub score: Vec<ScorePart>,
    pub missing: Missing,
}

/// How to treat a share with an unknown figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    #[default]
    LeaveOut,
    /// It is a marked hit if all known conditions hold.
    Keep,
}

/// One figure of a score, such as `low price_to_earnings 50 %`.
#[derive(Debug, Clone, PartialEq)]
pub struct ScorePart {
    pub figure: Expression,
    pub prefer: Prefer,
    /// In percent, before the weights are normalised to 100.
    pub weight: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefer {
    Low,
    High,
}

/// The evaluation of a screen for one share on its last day.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// One per condition.
    pub truths: Vec<Truth>,
    /// The figure that each condition compares with a limit; NaN if there is none, or it is unknown.
    pub figures: Vec<f64>,
    /// One per part of the score.
    pub score: Vec<f64>,
}

/// The result for a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Hit,
    No,
    /// A condition is unknown, and all others hold.
    LeftOut,
}

impl Screen {
    pub fn needs_reports(&self) -> bool {
        let of_score = self.score.iter().map(|part| &part.figure);
        self.conditions.iter().chain(of_score).any(Expression::needs_reports)
    }

    /// Evaluates the last day.
    pub fn look(&self, columns: &dyn Columns) -> Look {
        let number = |figure: &Expression| figure.last_number(columns);
        let truth = |condition: &Expression| condition.last_truth(columns);
        let compared =
            |condition: &Expression| condition.limited().map_or(f64::NAN, |(figure, _)| number(&figure));
        Look {
            truths: self.conditions.iter().map(truth).collect(),
            figures: self.conditions.iter().map(compared).collect(),
            score: self.score.iter().map(|part| number(&part.figure)).collect(),
        }
    }

    pub fn verdict(&self, look: &Look) -> Verdict {
        if look.truths.contains(&Truth::No) {
            return Verdict::No;
        }
        match look.truths.contains(&Truth::Unknown) {
            true if self.missing == Missing::LeaveOut => Verdict::LeftOut,
            _ => Verdict::Hit,
        }
    }

    /// The rank of a share for each day of a back-test: NaN if it is not a hit. All hits rank equally.
    pub fn wanted(&self, columns: &dyn Columns) -> Vec<f64> {
        let days = columns.daily().len();
        let mut wanted = vec![0.0; days];
        for condition in &self.conditions {
            for (wanted, truth) in wanted.iter_mut().zip(condition.truth(columns)) {
                let is_in = truth == Truth::Yes || (truth == Truth::Unknown && self.missing == Missing::Keep);
                if !is_in {
                    *wanted = f64::NAN;
                }
            }
        }
        wanted
    }
}

impl ScorePart {
    /// Parses `low price_to_earnings 50 %`; the default weight is 100.
    ///
    /// # Errors
    /// When it does not begin with low or high, or the figure cannot be parsed.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let error = |message: &str| ExpressionError {
            message: message.to_owned(),
            hint: "Such as: low price_to_earnings 50 %".into(),
            place: 0..text.len(),
        };
        let trimmed = text.trim();
        let (word, rest) =
            trimmed.split_once(char::is_whitespace).ok_or_else(|| error("A figure is missing."))?;
        let prefer = match word.to_lowercase().as_str() {
            "low" => Prefer::Low,
            "high" => Prefer::High,
            _ => return Err(error("It begins with low or high: what is better.")),
        };
        let (figure, weight) = match rest.trim_end().strip_suffix('%') {
            None => (rest, 100.0),
            Some(rest) => {
                let rest = rest.trim_end();
                let at = rest.rfind(char::is_whitespace).ok_or_else(|| error("A figure is missing."))?;
                let weight =
                    rest[at..].trim().parse().ok().filter(|weight: &f64| *weight > 0.0 && *weight <= 100.0);
                (&rest[..at], weight.ok_or_else(|| error("The weight is above 0 and at most 100 %."))?)
            }
        };
        let shift = text.find(figure.trim()).unwrap_or_default();
        let figure = Expression::parse(figure.trim(), Wanted::Number).map_err(|error| ExpressionError {
            place: error.place.start + shift..error.place.end + shift,
            ..error
        })?;
        Ok(Self { figure, prefer, weight })
    }
}

/// The points of each share for each part of the score, 100 in total: its rank among the shares with a known
/// figure; the worst has none. A share without the figure has NaN.
pub fn points(parts: &[ScorePart], figures: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let all: f64 = parts.iter().map(|part| part.weight).sum();
    let mut points = vec![vec![f64::NAN; parts.len()]; figures.len()];
    for (place, part) in parts.iter().enumerate() {
        let better = |value: f64| if part.prefer == Prefer::High { value } else { -value };
        let of_share = |figures: &Vec<f64>| figures.get(place).copied().map_or(f64::NAN, better);
        let mut known: Vec<f64> = figures.iter().map(of_share).filter(|value| !value.is_nan()).collect();
        known.sort_by(f64::total_cmp);
        for (points, figures) in points.iter_mut().zip(figures) {
            let value = of_share(figures);
            if value.is_nan() {
                continue;
            }
            let worse = known.partition_point(|other| *other < value) as f64;
            let alike = known.partition_point(|other| *other <= value) as f64 - worse - 1.0;
            let others = known.len() as f64 - 1.0;
            let rank = if others > 0.0 { (worse + alike / 2.0) / others } else { 1.0 };
            points[place] = rank * part.weight / all * 100.0;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_is_the_weighted_rank_of_each_figure() {
        let parts = ["low price_to_earnings 60 %", "high net_margin 20 %"]
            .map(|text| ScorePart::parse(text).expect(text));
        // Weights of 60 and 20 are normalised to 75 and 25.
        let figures = [vec![10.0, 5.0], vec![20.0, 5.0], vec![30.0, 9.0], vec![f64::NAN, 1.0]];
        let points = points(&parts, &figures);
        assert_eq!(points[0], [75.0, 12.5]);
        assert_eq!(points[1], [37.5, 12.5]);
        assert_eq!(points[2], [0.0, 25.0]);
        assert!(points[3][0].is_nan());
        assert_eq!(points[3][1], 0.0);
    }

    #[test]
    fn invalid_part_of_a_score_is_reported() {
        let said = |text: &str| ScorePart::parse(text).expect_err(text).message;
        assert!(said("price_to_earnings 50 %").contains("low or high"));
        assert!(said("low 50 %").contains("missing"));
        assert!(said("low close 0 %").contains("above 0"));
        assert!(said("high klose 50 %").contains("klose"));
        assert_eq!(ScorePart::parse("high change(close, 250)").expect("a part").weight, 100.0);
    }
}
