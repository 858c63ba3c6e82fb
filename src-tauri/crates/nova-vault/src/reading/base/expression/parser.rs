//! Parses tokens into a tree, by recursive descent.

use super::lexer::{Token, tokens};
use super::{Binary, Expr, Refused, Step, TIGHTEST, Unary};
use crate::reading::base::names::{self, Kind};
use crate::reading::query::Number;

/// Maximum nesting of brackets.
const MAX_DEPTH: usize = 32;

/// In bytes; real filters have a few hundred.
const MAX_LENGTH: usize = 16 * 1024;

/// Parses an expression.
pub(in crate::reading::base) fn parse(text: &str) -> Result<Expr, Refused> {
    if text.len() > MAX_LENGTH {
        return Err(Refused::NotComputed("it is longer than 16 KiB".to_owned()));
    }
    let mut parser = Parser { tokens: tokens(text)?.into_iter().peekable(), depth: 0 };
    let expr = parser.expression()?;
    match parser.tokens.next() {
        None => Ok(expr),
        Some(token) => Err(format!("{} is not expected here", describe(Some(&token))).into()),
    }
}

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    fn expression(&mut self) -> Result<Expr, Refused> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refused::NotComputed(format!("its brackets are nested more than {MAX_DEPTH} deep")));
        }
        let first = self.unary()?;
        let mut rest = Vec::new();
        while let Some(Token::Symbol(symbol)) = self.tokens.peek()
            && let Some(operator) = Binary::of(symbol)
        {
            self.tokens.next();
            rest.push((operator, self.unary()?));
        }
        self.depth -= 1;
        Ok(grouped(first, rest, 0))
    }

    fn unary(&mut self) -> Result<Expr, Refused> {
        let mut operators = Vec::new();
        loop {
            if self.takes("!") {
                operators.push(Unary::Not);
            } else if self.takes("-") {
                operators.push(Unary::Minus);
            } else {
                break;
            }
        }
        let operand = self.postfix()?;
        Ok(if operators.is_empty() { operand } else { Expr::Unary(operators, Box::new(operand)) })
    }

    fn postfix(&mut self) -> Result<Expr, Refused> {
        let base = self.primary()?;
        let mut steps = Vec::new();
        loop {
            if self.takes("[") {
                steps.push(Step::Index(self.expression()?));
                self.expect("]")?;
            } else if self.takes(".") {
                let name = match self.tokens.next() {
                    Some(Token::Name(name)) => name,
                    other => {
                        return Err(format!(
                            "a name is missing after `.`, before {}",
                            describe(other.as_ref())
                        )
                        .into());
                    }
                };
                if self.takes("(") {
                    let arguments = self.list_until(")")?;
                    let name = names::check(Kind::Method, &name, arguments.len());
                    steps.push(Step::Method(name.map_err(Refused::NotComputed)?, arguments));
                } else {
                    if base == Expr::Name("file".to_owned()) && steps.is_empty() {
                        names::check_file_field(&name).map_err(Refused::NotComputed)?;
                    }
                    steps.push(Step::Field(name));
                }
            } else {
                break;
            }
        }
        Ok(if steps.is_empty() { base } else { Expr::Postfix(Box::new(base), steps) })
    }

    fn primary(&mut self) -> Result<Expr, Refused> {
        Ok(match self.tokens.next() {
            Some(Token::Number(text)) => match Number::parse(&text) {
                Some(number) => Expr::Number(number),
                None => return Err(format!("`{text}` is not a number").into()),
            },
            Some(Token::Text(text)) => Expr::Text(text),
            Some(Token::Name(name)) => match name.as_str() {
                "true" => Expr::Bool(true),
                "false" => Expr::Bool(false),
                "null" => Expr::Null,
                _ if self.takes("(") => {
                    let arguments = self.list_until(")")?;
                    let name = names::check(Kind::Global, &name, arguments.len());
                    Expr::Call(name.map_err(Refused::NotComputed)?, arguments)
                }
                _ => Expr::Name(name),
            },
            Some(Token::Symbol("(")) => {
                let inner = self.expression()?;
                self.expect(")")?;
                inner
            }
            Some(Token::Symbol("[")) => Expr::List(self.list_until("]")?),
            Some(Token::Symbol("{")) => Expr::Object(self.entries()?),
            Some(Token::Pattern) => {
                return Err(Refused::NotComputed("regular expressions are not evaluated".to_owned()));
            }
            other => return Err(format!("a value is missing before {}", describe(other.as_ref())).into()),
        })
    }

    fn list_until(&mut self, closing: &'static str) -> Result<Vec<Expr>, Refused> {
        let mut items = Vec::new();
        while !self.takes(closing) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.expression()?);
        }
        Ok(items)
    }

    fn entries(&mut self) -> Result<Vec<(String, Expr)>, Refused> {
        let mut entries = Vec::new();
        while !self.takes("}") {
            if !entries.is_empty() {
                self.expect(",")?;
            }
            let key = match self.tokens.next() {
                Some(Token::Name(key) | Token::Text(key)) => key,
                other => return Err(format!("a key is missing before {}", describe(other.as_ref())).into()),
            };
            self.expect(":")?;
            entries.push((key, self.expression()?));
        }
        Ok(entries)
    }

    fn takes(&mut self, symbol: &'static str) -> bool {
        self.tokens.next_if_eq(&Token::Symbol(symbol)).is_some()
    }

    fn expect(&mut self, symbol: &'static str) -> Result<(), Refused> {
        if self.takes(symbol) {
            return Ok(());
        }
        Err(format!("`{symbol}` is missing before {}", describe(self.tokens.peek())).into())
    }
}

/// Operands, each with its preceding operator.
type Operands = Vec<(Binary, Expr)>;

/// Groups operands and operators in text order, from this precedence on.
fn grouped(first: Expr, rest: Operands, precedence: usize) -> Expr {
    if rest.is_empty() || precedence > TIGHTEST {
        return first;
    }
    let mut head = (first, Vec::new());
    let mut segments: Vec<(Binary, Expr, Operands)> = Vec::new();
    for (operator, operand) in rest {
        match segments.last_mut() {
            _ if operator.precedence() == precedence => segments.push((operator, operand, Vec::new())),
            Some((_, _, inner)) => inner.push((operator, operand)),
            None => head.1.push((operator, operand)),
        }
    }
    let first = grouped(head.0, head.1, precedence + 1);
    if segments.is_empty() {
        return first;
    }
    let rest = segments
        .into_iter()
        .map(|(operator, operand, inner)| (operator, grouped(operand, inner, precedence + 1)))
        .collect();
    Expr::Chain(Box::new(first), rest)
}

fn describe(token: Option<&Token>) -> String {
    match token {
        Some(Token::Number(text) | Token::Name(text)) => format!("`{text}`"),
        Some(Token::Text(text)) => format!("the text `{}`", text.chars().take(40).collect::<String>()),
        Some(Token::Symbol(symbol)) => format!("`{symbol}`"),
        Some(Token::Pattern) => "a regular expression".to_owned(),
        None => "the end".to_owned(),
    }
}
