//! Expressions of filters and formulas: `status != "done" && file.hasTag("book")`.
//!
//! An expression is parsed once, which also checks all function names, and evaluated for every file. Chains
//! of operators and of member accesses are stored flat, so that only brackets deepen the tree, and their
//! nesting is bounded.

mod lexer;
mod parser;

use std::fmt;

pub(super) use parser::parse;

use crate::reading::query::Number;

/// Why an expression cannot be evaluated, naming the function if one is the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    /// Not an expression: Obsidian cannot read it either.
    Unreadable(String),
    /// Possibly valid, but not supported by Nova.
    NotComputed(String),
}

impl From<String> for Refused {
    fn from(reason: String) -> Refused {
        Refused::Unreadable(reason)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Refused::Unreadable(reason) | Refused::NotComputed(reason)) = self;
        f.write_str(reason)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Expr>),
    Object(Vec<(String, Expr)>),
    /// A note's property, or `note`, `file`, `formula`, `this`; inside a list function `value`, `index`,
    /// `acc`.
    Name(String),
    Call(&'static str, Vec<Expr>),
    Postfix(Box<Expr>, Vec<Step>),
    /// The innermost operator comes last.
    Unary(Vec<Unary>, Box<Expr>),
    /// Operators of equal precedence, from left to right.
    Chain(Box<Expr>, Vec<(Binary, Expr)>),
}

/// A postfix operation on a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Field(String),
    Index(Expr),
    Method(&'static str, Vec<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Minus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
}

impl Binary {
    fn of(symbol: &str) -> Option<Binary> {
        Some(match symbol {
            "||" => Binary::Or,
            "&&" => Binary::And,
            "==" => Binary::Equal,
            "!=" => Binary::NotEqual,
            "<" => Binary::Less,
            "<=" => Binary::AtMost,
            ">" => Binary::Greater,
            ">=" => Binary::AtLeast,
            "+" => Binary::Plus,
            "-" => Binary::Minus,
            "*" => Binary::Times,
            "/" => Binary::Over,
            "%" => Binary::Modulo,
            _ => return None,
        })
    }

    /// Lowest first, as in JavaScript.
    fn precedence(self) -> usize {
        match self {
            Binary::Or => 0,
            Binary::And => 1,
            Binary::Equal | Binary::NotEqual => 2,
            Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => 3,
            Binary::Plus | Binary::Minus => 4,
            Binary::Times | Binary::Over | Binary::Modulo => TIGHTEST,
        }
    }
}

const TIGHTEST: usize = 5;
