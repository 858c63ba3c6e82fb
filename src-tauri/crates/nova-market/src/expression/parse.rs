//! A Pratt parser that checks types while it builds the tree.

use std::ops::Range;

use super::token::{Token, error, tokens};
use super::{
    Arithmetic, Compare, DEEPEST, Direction, ExpressionError, FIELDS, FURTHEST, Field, Function, Kind, Node,
};

pub(super) fn parse(text: &str) -> Result<Node, ExpressionError> {
    let mut parser = Parser { text, tokens: tokens(text)?, at: 0, depth: 0 };
    let node = parser.expression(0)?;
    match parser.tokens.get(parser.at) {
        None => Ok(node),
        Some((_, place)) => {
            let said = &text[place.clone()];
            Err(error(
                text,
                place.clone(),
                &format!("\"{said}\" was not expected here."),
                "Join conditions by and.",
            ))
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
}

/// Binding powers of `or`, `and`, `not`, comparisons, `+ -`, `* /`.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const ADD: u8 = 5;
const MULTIPLY: u8 = 6;

impl Parser<'_> {
    fn expression(&mut self, least: u8) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error_here("It is nested too deeply.", "Write two conditions."));
        }
        let begin = self.place().start;
        let mut left = self.operand()?;
        while let Some((power, operator)) = self.operator() {
            if power <= least {
                break;
            }
            self.at += 1;
            left = self.continued(left, power, &operator, begin)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn continued(
        &mut self,
        left: Node,
        power: u8,
        operator: &str,
        begin: usize,
    ) -> Result<Node, ExpressionError> {
        match operator {
            "and" | "or" => {
                self.truth(&left, begin)?;
                let from = self.place().start;
                let right = self.expression(power)?;
                self.truth(&right, from)?;
                let (left, right) = (Box::new(left), Box::new(right));
                Ok(if operator == "and" { Node::And(left, right) } else { Node::Or(left, right) })
            }
            "between" => {
                let low = self.expression(COMPARE)?;
                self.word("and", "between has two limits")?;
                let high = self.expression(COMPARE)?;
                self.comparable(&left, &low, begin)?;
                self.comparable(&left, &high, begin)?;
                let least = Node::Compare(Box::new(left.clone()), Compare::GreaterOrEqual, Box::new(low));
                let most = Node::Compare(Box::new(left), Compare::LessOrEqual, Box::new(high));
                Ok(Node::And(Box::new(least), Box::new(most)))
            }
            "crosses" => {
                let direction = match self.next_word().as_deref() {
                    Some("above") => Direction::Above,
                    Some("below") => Direction::Below,
                    _ => return Err(self.error_here("It crosses above or below.", "crosses above")),
                };
                let right = self.expression(COMPARE)?;
                self.comparable(&left, &right, begin)?;
                Ok(Node::Crosses(Box::new(left), direction, Box::new(right)))
            }
            sign @ ("+" | "-" | "*" | "/") => {
                let right = self.expression(power)?;
                self.number(&left, begin)?;
                self.number(&right, begin)?;
                // 80 % means 80 in a comparison, and would mean 0.8 here.
                if matches!(sign, "*" | "/") && (left.is_percentage() || right.is_percentage()) {
                    return Err(self.error_from(begin, "A percentage is multiplied.", "Write 0.8 for 80 %."));
                }
                let operator = match sign {
                    "+" => Arithmetic::Add,
                    "-" => Arithmetic::Subtract,
                    "*" => Arithmetic::Multiply,
                    _ => Arithmetic::Divide,
                };
                Ok(Node::Arithmetic(Box::new(left), operator, Box::new(right)))
            }
            sign => {
                let right = self.expression(COMPARE)?;
                self.comparable(&left, &right, begin)?;
                let compare = match sign {
                    "<" => Compare::Less,
                    "<=" => Compare::LessOrEqual,
                    ">" => Compare::Greater,
                    ">=" => Compare::GreaterOrEqual,
                    "=" => Compare::Equal,
                    _ => Compare::NotEqual,
                };
                Ok(Node::Compare(Box::new(left), compare, Box::new(right)))
            }
        }
    }

    /// The next operator, and its binding power.
    fn operator(&self) -> Option<(u8, String)> {
        let power = |text: &str| match text {
            "or" => Some(OR),
            "and" => Some(AND),
            "between" | "crosses" | "<" | "<=" | ">" | ">=" | "=" | "!=" => Some(COMPARE),
            "+" | "-" => Some(ADD),
            "*" | "/" => Some(MULTIPLY),
            _ => None,
        };
        let text = match &self.tokens.get(self.at)?.0 {
            Token::Word(word) => word.clone(),
            Token::Sign(sign) => (*sign).to_owned(),
            Token::Number(..) => return None,
        };
        Some((power(&text)?, text))
    }

    fn operand(&mut self) -> Result<Node, ExpressionError> {
        let place = self.place();
        let Some((token, _)) = self.tokens.get(self.at).cloned() else {
            return Err(
                self.error_here("Something is missing at the end.", "Such as: price_to_earnings < 18")
            );
        };
        self.at += 1;
        let mut node = match token {
            Token::Number(value, is_percent) => {
                return Ok(if is_percent { Node::Percentage(value) } else { Node::Number(value) });
            }
            Token::Sign("-") => {
                let of = self.expression(MULTIPLY)?;
                self.number(&of, place.start)?;
                Node::Negative(Box::new(of))
            }
            Token::Sign("(") => {
                let of = self.expression(0)?;
                self.sign(")")?;
                of
            }
            Token::Word(word) if word == "not" => {
                let of = self.expression(NOT)?;
                self.truth(&of, place.start)?;
                return Ok(Node::Not(Box::new(of)));
            }
            Token::Word(word) if self.is_sign("(") => self.call(&word, place.clone())?,
            Token::Word(word) => match Field::named(&word) {
                Some(field) => Node::Field(field),
                None => return Err(self.unknown(&word, place)),
            },
            Token::Sign(sign) => {
                return Err(error(
                    self.text,
                    place,
                    &format!("\"{sign}\" was not expected here."),
                    "A figure is missing before it.",
                ));
            }
        };
        while self.is_sign("[") {
            self.at += 1;
            let days = self.whole("A number of days", 0)?;
            self.sign("]")?;
            self.number(&node, place.start)?;
            node = Node::Before(Box::new(node), days);
        }
        Ok(node)
    }

    fn call(&mut self, name: &str, place: Range<usize>) -> Result<Node, ExpressionError> {
        let Some((function, columns, numbers)) = Function::named(name) else {
            return Err(self.unknown(name, place));
        };
        self.sign("(")?;
        let (mut of, mut whole) = (Vec::new(), Vec::new());
        for argument in 0..columns + numbers {
            if argument > 0 {
                self.sign(",").map_err(|mut error| {
                    error.hint = usage(function);
                    error
                })?;
            }
            if argument < columns {
                let from = self.place().start;
                let node = self.expression(0)?;
                self.number(&node, from)?;
                of.push(node);
            } else {
                whole.push(self.whole(&usage(function), 1)?);
            }
        }
        self.sign(")").map_err(|mut error| {
            error.hint = usage(function);
            error
        })?;
        if matches!(function, Function::MacdLine | Function::MacdSignal | Function::MacdHistogram)
            && whole[0] >= whole[1]
        {
            return Err(error(
                self.text,
                place,
                "The first average of macd is the shorter one.",
                "macd(close, 12, 26, 9)",
            ));
        }
        Ok(Node::Call(function, of, whole))
    }

    fn whole(&mut self, what: &str, least: usize) -> Result<usize, ExpressionError> {
        let place = self.place();
        match self.tokens.get(self.at) {
            Some((Token::Number(value, false), _))
                if value.fract() == 0.0 && *value >= least as f64 && *value <= FURTHEST as f64 =>
            {
                let value = *value as usize;
                self.at += 1;
                Ok(value)
            }
            _ => Err(error(
                self.text,
                place,
                &format!("A whole number from {least} to {FURTHEST} is needed here."),
                what,
            )),
        }
    }

    fn number(&self, node: &Node, from: usize) -> Result<(), ExpressionError> {
        if node.is_truth() {
            return Err(self.error_from(
                from,
                "There is a condition where a figure is needed.",
                "Put it into parentheses or write two conditions.",
            ));
        }
        Ok(())
    }

    fn truth(&self, node: &Node, from: usize) -> Result<(), ExpressionError> {
        if !node.is_truth() {
            return Err(self.error_from(
                from,
                "There is a figure where a condition is needed.",
                "Compare it, such as: close > 10",
            ));
        }
        Ok(())
    }

    /// Checks that two values are comparable: a percentage only with a field in percent.
    fn comparable(&self, left: &Node, right: &Node, from: usize) -> Result<(), ExpressionError> {
        self.number(left, from)?;
        self.number(right, from)?;
        for (percent, other) in [(left, right), (right, left)] {
            if percent.is_percentage()
                && let Some(kind) = other.kind()
                && kind != Kind::Percent
            {
                return Err(self.error_from(
                    from,
                    "A percentage is compared with a figure that is not one.",
                    "Leave the % out.",
                ));
            }
        }
        Ok(())
    }

    fn unknown(&self, word: &str, place: Range<usize>) -> ExpressionError {
        let names = FIELDS.iter().map(|row| row.key).chain(Function::ALL.iter().map(|(name, ..)| *name));
        let nearest = names
            .map(|name| (strsim::damerau_levenshtein(word, name), name))
            .min()
            .filter(|(distance, name)| *distance <= name.len().div_ceil(3));
        let hint = match nearest {
            Some((_, name)) => format!("Did you mean {name}?"),
            None => "list_screens names the figures that are known.".to_owned(),
        };
        error(self.text, place, &format!("\"{word}\" is not a known figure."), &hint)
    }

    fn place(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.text.len()..self.text.len(), |(_, place)| place.clone())
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Sign(next), _)) if *next == sign)
    }

    fn sign(&mut self, sign: &str) -> Result<(), ExpressionError> {
        if self.is_sign(sign) {
            self.at += 1;
            return Ok(());
        }
        Err(self.error_here(&format!("\"{sign}\" is missing here."), ""))
    }

    fn next_word(&mut self) -> Option<String> {
        let Some((Token::Word(word), _)) = self.tokens.get(self.at) else { return None };
        let word = word.clone();
        self.at += 1;
        Some(word)
    }

    fn word(&mut self, wanted: &str, why: &str) -> Result<(), ExpressionError> {
        match self.tokens.get(self.at) {
            Some((Token::Word(word), _)) if word == wanted => {
                self.at += 1;
                Ok(())
            }
            _ => Err(self.error_here(&format!("\"{wanted}\" is missing here: {why}."), "between 5 and 10")),
        }
    }

    fn error_here(&self, message: &str, hint: &str) -> ExpressionError {
        error(self.text, self.place(), message, hint)
    }

    fn error_from(&self, from: usize, message: &str, hint: &str) -> ExpressionError {
        error(self.text, from..self.place().start.max(from), message, hint)
    }
}

fn usage(function: Function) -> String {
    match function {
        Function::Rsi => "rsi(close, 14)".into(),
        Function::Atr => "atr(14)".into(),
        Function::MacdLine | Function::MacdSignal | Function::MacdHistogram => {
            format!("{}(close, 12, 26, 9)", function.name())
        }
        Function::BollingerUpper | Function::BollingerLower => format!("{}(close, 20, 2)", function.name()),
        Function::Abs => "abs(close - open)".into(),
        Function::Min | Function::Max => format!("{}(open, close)", function.name()),
        _ => format!("{}(close, 50)", function.name()),
    }
}
