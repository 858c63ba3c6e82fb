use std::borrow::Cow;

use super::{Arithmetic, Compare, Direction, Expression, Field, Function, LooksBack, Node};
use crate::indicators::known;
use crate::{Daily, indicators};

/// The value of a condition on a day, in three-valued logic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    Yes,
    No,
    /// A figure it uses is unknown.
    Unknown,
}

/// The columns that an expression reads, one value per day each.
pub trait Columns {
    fn daily(&self) -> &Daily;
    /// Fields computed from more than the daily bars; NaN where unknown.
    fn figures(&self, field: Field) -> Cow<'_, [f64]>;
}

impl Expression {
    /// The truth value for each day. A numeric expression is never true.
    pub fn truth(&self, columns: &dyn Columns) -> Vec<Truth> {
        let holes = columns.daily().holes();
        Days::all(columns, &holes).truth(&self.root).into_column(columns.daily().len())
    }

    /// The number for each day; NaN where unknown.
    pub fn number(&self, columns: &dyn Columns) -> Vec<f64> {
        let holes = columns.daily().holes();
        Days::all(columns, &holes).number(&self.root).into_column(columns.daily().len())
    }

    /// The truth value on the last day.
    pub fn last_truth(&self, columns: &dyn Columns) -> Truth {
        let holes = columns.daily().holes();
        Days::last(columns, &holes).truth(&self.root).into_column(1).pop().unwrap_or(Truth::Unknown)
    }

    /// The number on the last day.
    pub fn last_number(&self, columns: &dyn Columns) -> f64 {
        let holes = columns.daily().holes();
        Days::last(columns, &holes).number(&self.root).into_column(1).pop().unwrap_or(f64::NAN)
    }
}

/// One value for all days, or one per day.
enum Value<'a, T: Clone> {
    Same(T),
    Column(Cow<'a, [T]>),
}

impl<T: Copy> Value<'_, T> {
    fn into_column(self, days: usize) -> Vec<T> {
        match self {
            Self::Same(value) => vec![value; days],
            Self::Column(column) => column.into_owned(),
        }
    }

    fn map<U: Copy>(self, of: impl Fn(T) -> U) -> Value<'static, U> {
        match self {
            Self::Same(value) => Value::Same(of(value)),
            Self::Column(column) => Value::Column(column.iter().map(|value| of(*value)).collect()),
        }
    }

    fn with<V: Copy, U: Copy>(self, other: Value<'_, V>, of: impl Fn(T, V) -> U) -> Value<'static, U> {
        match (self, other) {
            (Self::Same(a), other) => other.map(|b| of(a, b)),
            (this, Value::Same(b)) => this.map(|a| of(a, b)),
            (Self::Column(a), Value::Column(b)) => {
                Value::Column(a.iter().zip(b.iter()).map(|(a, b)| of(*a, *b)).collect())
            }
        }
    }
}

/// The days to evaluate, from an index on. Operators that look back extend the range as needed, so that
/// evaluating only the last day is cheap. None looks back over a hole: each stretch of days between two holes
/// is evaluated as if it were all.
#[derive(Clone, Copy)]
struct Days<'a> {
    columns: &'a dyn Columns,
    holes: &'a [usize],
    from: usize,
}

impl<'a> Days<'a> {
    fn all(columns: &'a dyn Columns, holes: &'a [usize]) -> Self {
        Self { columns, holes, from: 0 }
    }

    fn last(columns: &'a dyn Columns, holes: &'a [usize]) -> Self {
        Self { columns, holes, from: columns.daily().len().saturating_sub(1) }
    }

    /// Extends the range by `before` days, if available.
    fn with(self, before: usize) -> Self {
        Self { from: self.from.saturating_sub(before), ..self }
    }

    /// Extends the range to a block boundary: windows are summarised in blocks counted from the first day of
    /// a stretch, and other blocks would round differently.
    fn aligned_to(self, days: usize) -> Self {
        let begin = self.holes[..self.holes.partition_point(|hole| *hole <= self.from)].last();
        let begin = begin.copied().unwrap_or_default();
        Self { from: begin + (self.from - begin) / days.max(1) * days.max(1), ..self }
    }

    /// Its stretches as ranges of indices, counted from the first day of the range.
    fn stretches(self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let inner = self.holes.iter().filter(move |hole| **hole > self.from);
        let bounds = std::iter::once(0).chain(inner.map(move |hole| hole - self.from)).chain([self.len()]);
        let bounds: Vec<usize> = bounds.collect();
        (1..bounds.len()).map(move |place| bounds[place - 1]..bounds[place])
    }

    fn len(self) -> usize {
        self.columns.daily().len() - self.from
    }

    /// A column that is computed for each stretch by itself.
    fn by_stretch<T>(self, of: impl Fn(std::ops::Range<usize>) -> Vec<T>) -> Vec<T> {
        self.stretches().flat_map(of).collect()
    }

    fn number(self, node: &Node) -> Value<'a, f64> {
        match node {
            Node::Number(value) | Node::Percentage(value) => Value::Same(*value),
            Node::Field(field) => Value::Column(self.column(*field)),
            Node::Before(of, days) => {
                let within = self.with(*days);
                match within.number(of) {
                    Value::Column(column) => {
                        let mut shifted = within.by_stretch(|stretch| {
                            let column = &column[stretch];
                            let kept = column.len().saturating_sub(*days);
                            let unknown = std::iter::repeat_n(f64::NAN, column.len() - kept);
                            unknown.chain(column[..kept].iter().copied()).collect()
                        });
                        Value::Column(Cow::Owned(shifted.split_off(self.from - within.from)))
                    }
                    same => same,
                }
            }
            Node::Negative(of) => self.number(of).map(|value| -value),
            Node::Arithmetic(a, operator, b) => self.number(a).with(self.number(b), |a, b| {
                // Division by zero and overflow yield an unknown value.
                known(match operator {
                    Arithmetic::Add => a + b,
                    Arithmetic::Subtract => a - b,
                    Arithmetic::Multiply => a * b,
                    Arithmetic::Divide => a / b,
                })
            }),
            Node::Call(function, of, whole) => self.call(*function, of, whole),
            _ => Value::Same(f64::NAN),
        }
    }

    fn column(self, field: Field) -> Cow<'a, [f64]> {
        let daily = self.columns.daily();
        let column = match field {
            Field::Open => &daily.open,
            Field::High => &daily.high,
            Field::Low => &daily.low,
            Field::Close => &daily.close,
            Field::Volume => &daily.volume,
            field => {
                return match self.columns.figures(field) {
                    Cow::Borrowed(column) => Cow::Borrowed(&column[self.from..]),
                    Cow::Owned(mut column) => Cow::Owned(column.split_off(self.from)),
                };
            }
        };
        Cow::Borrowed(&column[self.from..])
    }

    fn call(self, function: Function, of: &[Node], whole: &[usize]) -> Value<'a, f64> {
        let argument = |place: usize| of.get(place).map_or(Value::Same(f64::NAN), |node| self.number(node));
        let either = |pick: fn(f64, f64) -> f64| {
            argument(0).with(argument(1), |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { pick(a, b) })
        };
        match function {
            Function::Abs => return argument(0).map(f64::abs),
            Function::Min => return either(f64::min),
            Function::Max => return either(f64::max),
            _ => {}
        }
        let days = whole.first().copied().unwrap_or(1);
        let (second, third) = (whole.get(1).copied().unwrap_or(1), whole.get(2).copied().unwrap_or(1));
        // A recursive average needs all earlier days; a window needs its own, and a return one more.
        let within = match function.looks_back() {
            LooksBack::Window => self.with(days).aligned_to(days),
            LooksBack::Always => Self::all(self.columns, self.holes),
        };
        let daily = self.columns.daily();
        let first =
            || of.first().map_or(Value::Same(f64::NAN), |node| within.number(node)).into_column(within.len());
        let first = first();
        let mut column = within.by_stretch(|stretch| {
            let of = &first[stretch.clone()];
            match function {
                Function::Abs | Function::Min | Function::Max => Vec::new(),
                Function::Sma => indicators::sma(of, days),
                Function::Ema => indicators::ema(of, days),
                Function::Rsi => indicators::rsi(of, days),
                Function::MacdLine => indicators::macd(of, days, second, third).line,
                Function::MacdSignal => indicators::macd(of, days, second, third).signal,
                Function::MacdHistogram => indicators::macd(of, days, second, third).histogram,
                Function::Atr => {
                    let [high, low, close] =
                        [&daily.high, &daily.low, &daily.close].map(|of| &of[stretch.clone()]);
                    indicators::atr(high, low, close, days)
                }
                Function::BollingerUpper => indicators::bollinger(of, days, second as f64).upper,
                Function::BollingerLower => indicators::bollinger(of, days, second as f64).lower,
                Function::StandardDeviation => indicators::standard_deviation(of, days),
                Function::Highest => indicators::highest(of, days),
                Function::Lowest => indicators::lowest(of, days),
                Function::Change => indicators::change(of, days),
                Function::Volatility => indicators::volatility(of, days),
            }
        });
        Value::Column(Cow::Owned(column.split_off(self.from - within.from)))
    }

    fn truth(self, node: &Node) -> Value<'a, Truth> {
        match node {
            Node::Compare(a, operator, b) => {
                self.number(a).with(self.number(b), |a, b| compared(a, *operator, b))
            }
            Node::Crosses(a, direction, b) => {
                let days = self.with(1);
                let column = |node: &Node| days.number(node).into_column(days.len());
                let (a, b) = (column(a), column(b));
                let mut crosses =
                    days.by_stretch(|stretch| crosses(&a[stretch.clone()], *direction, &b[stretch]));
                Value::Column(Cow::Owned(crosses.split_off(self.from - days.from)))
            }
            Node::Not(of) => self.truth(of).map(|truth| match truth {
                Truth::Yes => Truth::No,
                Truth::No => Truth::Yes,
                Truth::Unknown => Truth::Unknown,
            }),
            Node::And(a, b) => self.truth(a).with(self.truth(b), |a, b| match (a, b) {
                (Truth::No, _) | (_, Truth::No) => Truth::No,
                (Truth::Yes, Truth::Yes) => Truth::Yes,
                _ => Truth::Unknown,
            }),
            Node::Or(a, b) => self.truth(a).with(self.truth(b), |a, b| match (a, b) {
                (Truth::Yes, _) | (_, Truth::Yes) => Truth::Yes,
                (Truth::No, Truth::No) => Truth::No,
                _ => Truth::Unknown,
            }),
            _ => Value::Same(Truth::No),
        }
    }
}

fn compared(a: f64, operator: Compare, b: f64) -> Truth {
    if a.is_nan() || b.is_nan() {
        return Truth::Unknown;
    }
    let holds = match operator {
        Compare::Less => a < b,
        Compare::LessOrEqual => a <= b,
        Compare::Greater => a > b,
        Compare::GreaterOrEqual => a >= b,
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
    };
    if holds { Truth::Yes } else { Truth::No }
}

/// Crosses if the day before it was on the other side, or equal.
fn crosses(a: &[f64], direction: Direction, b: &[f64]) -> Vec<Truth> {
    let (over, not_over) = match direction {
        Direction::Above => (Compare::Greater, Compare::LessOrEqual),
        Direction::Below => (Compare::Less, Compare::GreaterOrEqual),
    };
    let on = |place: usize| {
        let before =
            place.checked_sub(1).map_or(Truth::Unknown, |before| compared(a[before], not_over, b[before]));
        match (before, compared(a[place], over, b[place])) {
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            (Truth::Yes, Truth::Yes) => Truth::Yes,
            _ => Truth::Unknown,
        }
    };
    (0..a.len()).map(on).collect()
}
