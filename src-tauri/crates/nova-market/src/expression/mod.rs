//! Conditions over a share's daily bars and reports, as the user writes them in a screen or a strategy:
//! `price_to_earnings < 18`, `market_value between 0.5 bn and 5 bn`, `close > sma(close, 200)`,
//! `sma(close, 50) crosses above sma(close, 200)`.
//!
//! An expression is parsed once ([`Expression::parse`]), including type checks, and evaluated over whole
//! columns ([`Expression::truth`], [`Expression::number`]). There is no look-ahead: no operator reads a later
//! day, so that its value on a day does not depend on the future. Unknown values propagate.

mod evaluate;
mod field;
mod parse;
mod simple;
mod token;

use std::collections::BTreeSet;
use std::ops::Range;

pub use evaluate::{Columns, Truth};
pub use field::{Described, FIELDS, Field, Kind, Needs};
pub use simple::{Comparison, Operator, Simple};

/// A parsed expression and its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
}

/// Why a text cannot be parsed: a sentence and its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    pub message: String,
    /// What to write instead, if known.
    pub hint: String,
    /// Byte range in the text.
    pub place: Range<usize>,
}

/// Maximum length of a text, in bytes.
const LONGEST: usize = 500;
/// Maximum nesting depth of parentheses and calls.
const DEEPEST: usize = 24;
/// Maximum look-back of an operator, in trading days: ten years.
pub const FURTHEST: usize = 2_600;

impl Expression {
    /// # Errors
    /// When the syntax is invalid, or `wanted` is a condition and the expression is not boolean.
    pub fn parse(text: &str, wanted: Wanted) -> Result<Self, ExpressionError> {
        let error = |message: String, hint: &str| ExpressionError {
            message,
            hint: hint.to_owned(),
            place: 0..text.len(),
        };
        if text.len() > LONGEST {
            return Err(error(format!("It is longer than {LONGEST} characters."), "Write two conditions."));
        }
        if text.trim().is_empty() {
            return Err(error("It is empty.".into(), "Such as: price_to_earnings < 18"));
        }
        let root = parse::parse(text)?;
        match (wanted, root.is_truth()) {
            (Wanted::Condition, false) => Err(error(
                format!("\"{}\" is a number, not a condition.", text.trim()),
                "Compare it, such as: close > 10",
            )),
            (Wanted::Number, true) => {
                Err(error(format!("\"{}\" is a condition, not a number.", text.trim()), "Name a figure."))
            }
            _ => Ok(Self { text: text.trim().to_owned(), root }),
        }
    }

    /// The trimmed source text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The fields it reads.
    pub fn fields(&self) -> BTreeSet<Field> {
        let mut fields = BTreeSet::new();
        self.root.visit(&mut |node| {
            if let Node::Field(field) = node {
                fields.insert(*field);
            }
        });
        fields
    }

    /// The field, if the expression is a single field.
    pub fn field(&self) -> Option<Field> {
        match self.root {
            Node::Field(field) => Some(field),
            _ => None,
        }
    }

    /// Its unit; `None` for a number without one.
    pub fn kind(&self) -> Option<Kind> {
        self.root.kind()
    }

    /// Whether it uses company reports.
    pub fn needs_reports(&self) -> bool {
        self.fields().iter().any(|field| field.needs() == Needs::Reports)
    }
}

/// The expected type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Boolean for each day.
    Condition,
    Number,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Number(f64),
    /// `10 %`, which is 10.
    Percentage(f64),
    Field(Field),
    /// The value this many trading days earlier.
    Before(Box<Node>, usize),
    Negative(Box<Node>),
    Arithmetic(Box<Node>, Arithmetic, Box<Node>),
    Call(Function, Vec<Node>, Vec<usize>),
    Compare(Box<Node>, Compare, Box<Node>),
    /// The first crosses the second in this direction.
    Crosses(Box<Node>, Direction, Box<Node>),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compare {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Above,
    Below,
}

/// A function, with the number of columns and of integers it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Sma,
    Ema,
    Rsi,
    MacdLine,
    MacdSignal,
    MacdHistogram,
    Atr,
    BollingerUpper,
    BollingerLower,
    StandardDeviation,
    Highest,
    Lowest,
    Change,
    Volatility,
    Abs,
    Min,
    Max,
}

/// How a value depends on earlier days.
enum LooksBack {
    /// As many days as its argument says.
    Window,
    /// All days since the first.
    Always,
}

impl Function {
    const ALL: [(&'static str, Self, usize, usize); 17] = [
        ("sma", Self::Sma, 1, 1),
        ("ema", Self::Ema, 1, 1),
        ("rsi", Self::Rsi, 1, 1),
        ("macd", Self::MacdLine, 1, 3),
        ("macd_signal", Self::MacdSignal, 1, 3),
        ("macd_histogram", Self::MacdHistogram, 1, 3),
        ("atr", Self::Atr, 0, 1),
        ("bollinger_upper", Self::BollingerUpper, 1, 2),
        ("bollinger_lower", Self::BollingerLower, 1, 2),
        ("standard_deviation", Self::StandardDeviation, 1, 1),
        ("highest", Self::Highest, 1, 1),
        ("lowest", Self::Lowest, 1, 1),
        ("change", Self::Change, 1, 1),
        ("volatility", Self::Volatility, 1, 1),
        ("abs", Self::Abs, 1, 0),
        ("min", Self::Min, 2, 0),
        ("max", Self::Max, 2, 0),
    ];

    fn looks_back(self) -> LooksBack {
        match self {
            Self::Ema | Self::Rsi | Self::MacdLine | Self::MacdSignal | Self::MacdHistogram | Self::Atr => {
                LooksBack::Always
            }
            _ => LooksBack::Window,
        }
    }

    fn named(name: &str) -> Option<(Self, usize, usize)> {
        Self::ALL
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, function, columns, numbers)| (*function, *columns, *numbers))
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, function, ..)| *function == self).map_or("", |(name, ..)| name)
    }
}

impl Node {
    fn is_truth(&self) -> bool {
        matches!(self, Self::Compare(..) | Self::Crosses(..) | Self::Not(_) | Self::And(..) | Self::Or(..))
    }

    /// Whether it is a percentage literal.
    fn is_percentage(&self) -> bool {
        match self {
            Self::Percentage(_) => true,
            Self::Negative(of) => of.is_percentage(),
            _ => false,
        }
    }

    /// Its unit; `None` for a number without one.
    fn kind(&self) -> Option<Kind> {
        match self {
            Self::Field(field) => Some(field.kind()),
            Self::Before(of, _) | Self::Negative(of) => of.kind(),
            Self::Call(Function::Change | Function::Volatility, ..) => Some(Kind::Percent),
            Self::Call(Function::Rsi, ..) => Some(Kind::Number),
            Self::Call(Function::Atr, ..) => Some(Kind::Money),
            Self::Call(_, of, _) => of.first().and_then(Self::kind),
            _ => None,
        }
    }

    fn visit(&self, see: &mut impl FnMut(&Self)) {
        see(self);
        match self {
            Self::Number(_) | Self::Percentage(_) | Self::Field(_) => {}
            Self::Before(of, _) | Self::Negative(of) | Self::Not(of) => of.visit(see),
            Self::Arithmetic(a, _, b)
            | Self::Compare(a, _, b)
            | Self::Crosses(a, _, b)
            | Self::And(a, b)
            | Self::Or(a, b) => {
                a.visit(see);
                b.visit(see);
            }
            Self::Call(_, of, _) => of.iter().for_each(|of| of.visit(see)),
        }
    }
}

#[cfg(test)]
mod tests;
