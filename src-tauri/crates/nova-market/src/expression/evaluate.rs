use std::borrow::Cow;

use super::{Arithmetic, Compare, Direction, Expression, Field, Function, Node};
use crate::indicators::known;
use crate::{Daily, indicators};

/// Whether a condition holds on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    Yes,
    No,
    /// A figure that it reads is not known.
    Unknown,
}

/// The columns that an expression reads, each as long as the days.
pub trait Columns {
    fn daily(&self) -> &Daily;
    /// What is computed from more than the days: NaN where it is not known.
    fn figures(&self, field: Field) -> Cow<'_, [f64]>;
}

impl Expression {
    /// Whether it holds, for each day. An expression that is a number is never true.
    pub fn truth(&self, columns: &dyn Columns) -> Vec<Truth> {
        let days = columns.daily().len();
        truth(&self.root, columns).into_column(days)
    }

    /// Its value for each day; NaN where it is not known.
    pub fn number(&self, columns: &dyn Columns) -> Vec<f64> {
        let days = columns.daily().len();
        number(&self.root, columns).into_column(days)
    }
}

/// One value for all days, or one for each.
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

fn number<'a>(node: &Node, columns: &'a dyn Columns) -> Value<'a, f64> {
    match node {
        Node::Number(value) | Node::Percentage(value) => Value::Same(*value),
        Node::Field(field) => Value::Column(column(*field, columns)),
        Node::Before(of, days) => match number(of, columns) {
            Value::Column(column) => {
                let kept = column.len().saturating_sub(*days);
                let unknown = std::iter::repeat_n(f64::NAN, column.len() - kept);
                Value::Column(unknown.chain(column[..kept].iter().copied()).collect())
            }
            same => same,
        },
        Node::Negative(of) => number(of, columns).map(|value| -value),
        Node::Arithmetic(a, operator, b) => {
            number(a, columns).with(
                number(b, columns),
                |a, b| // A quotient by zero is not known, and neither is what is too large.
            known(match operator {
                Arithmetic::Add => a + b,
                Arithmetic::Subtract => a - b,
                Arithmetic::Multiply => a * b,
                Arithmetic::Divide => a / b,
            }),
            )
        }
        Node::Call(function, of, whole) => call(*function, of, whole, columns),
        _ => Value::Same(f64::NAN),
    }
}

fn column(field: Field, columns: &dyn Columns) -> Cow<'_, [f64]> {
    let daily = columns.daily();
    match field {
        Field::Open => Cow::Borrowed(&daily.open),
        Field::High => Cow::Borrowed(&daily.high),
        Field::Low => Cow::Borrowed(&daily.low),
        Field::Close => Cow::Borrowed(&daily.close),
        Field::Volume => Cow::Borrowed(&daily.volume),
        field => columns.figures(field),
    }
}

fn call<'a>(function: Function, of: &[Node], whole: &[usize], columns: &'a dyn Columns) -> Value<'a, f64> {
    let daily = columns.daily();
    let argument = |place: usize| of.get(place).map_or(Value::Same(f64::NAN), |node| number(node, columns));
    let days = whole.first().copied().unwrap_or(1);
    let first = || argument(0).into_column(daily.len());
    let (second, third) = (whole.get(1).copied().unwrap_or(1), whole.get(2).copied().unwrap_or(1));
    let macd = || indicators::macd(&first(), days, second, third);
    let bollinger = || indicators::bollinger(&first(), days, second as f64);
    let column = match function {
        Function::Abs => return argument(0).map(f64::abs),
        Function::Min => {
            return argument(0)
                .with(argument(1), |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) });
        }
        Function::Max => {
            return argument(0)
                .with(argument(1), |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) });
        }
        Function::Sma => indicators::sma(&first(), days),
        Function::Ema => indicators::ema(&first(), days),
        Function::Rsi => indicators::rsi(&first(), days),
        Function::MacdLine => macd().line,
        Function::MacdSignal => macd().signal,
        Function::MacdHistogram => macd().histogram,
        Function::Atr => indicators::atr(&daily.high, &daily.low, &daily.close, days),
        Function::BollingerUpper => bollinger().upper,
        Function::BollingerLower => bollinger().lower,
        Function::StandardDeviation => indicators::standard_deviation(&first(), days),
        Function::Highest => indicators::highest(&first(), days),
        Function::Lowest => indicators::lowest(&first(), days),
        Function::Change => indicators::change(&first(), days),
        Function::Volatility => indicators::volatility(&first(), days),
    };
    Value::Column(Cow::Owned(column))
}

fn truth<'a>(node: &Node, columns: &'a dyn Columns) -> Value<'a, Truth> {
    match node {
        Node::Compare(a, operator, b) => {
            number(a, columns).with(number(b, columns), |a, b| compared(a, *operator, b))
        }
        Node::Crosses(a, direction, b) => crosses(
            number(a, columns).into_column(columns.daily().len()),
            *direction,
            &number(b, columns).into_column(columns.daily().len()),
        ),
        Node::Not(of) => truth(of, columns).map(|truth| match truth {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            Truth::Unknown => Truth::Unknown,
        }),
        Node::And(a, b) => truth(a, columns).with(truth(b, columns), |a, b| match (a, b) {
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            (Truth::Yes, Truth::Yes) => Truth::Yes,
            _ => Truth::Unknown,
        }),
        Node::Or(a, b) => truth(a, columns).with(truth(b, columns), |a, b| match (a, b) {
            (Truth::Yes, _) | (_, Truth::Yes) => Truth::Yes,
            (Truth::No, Truth::No) => Truth::No,
            _ => Truth::Unknown,
        }),
        _ => Value::Same(Truth::No),
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

/// It was on the other side, or equal, the day before.
fn crosses(a: Vec<f64>, direction: Direction, b: &[f64]) -> Value<'static, Truth> {
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
    Value::Column((0..a.len()).map(on).collect())
}
