use std::ops::Range;

use super::ExpressionError;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// The value, and whether it was written as a percentage.
    Number(f64, bool),
    /// In lower case.
    Word(String),
    /// One of `+ - * / ( ) [ ] , < <= > >= = !=`.
    Sign(&'static str),
}

const SIGNS: [(&str, &str); 21] = [
    ("<=", "<="),
    (">=", ">="),
    ("!=", "!="),
    ("==", "="),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("÷", "/"),
    ("×", "*"),
    ("−", "-"),
    ("<", "<"),
    (">", ">"),
    ("=", "="),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
];

/// Splits a text into tokens with their byte ranges.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        }
        let (token, length) = if letter.is_ascii_digit() || (letter == '.' && starts_number(rest)) {
            number(rest).ok_or_else(|| {
                error(text, at..text.len(), "That number cannot be read.", "Such as 1,200.50")
            })?
        } else if letter.is_alphabetic() || letter == '_' {
            let length =
                rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
            (Token::Word(rest[..length].to_lowercase()), length)
        } else if letter == ',' {
            (Token::Sign(","), 1)
        } else if let Some((written, sign)) = SIGNS.iter().find(|(written, _)| rest.starts_with(written)) {
            (Token::Sign(sign), written.len())
        } else {
            let place = at..at + letter.len_utf8();
            return Err(error(text, place, &format!("\"{letter}\" means nothing here."), ""));
        };
        tokens.push((token, at..at + length));
        at += length;
    }
    Ok(tokens)
}

pub(super) fn error(text: &str, place: Range<usize>, message: &str, hint: &str) -> ExpressionError {
    let place = place.start.min(text.len())..place.end.min(text.len());
    ExpressionError { message: message.to_owned(), hint: hint.to_owned(), place }
}

fn starts_number(rest: &str) -> bool {
    rest[1..].starts_with(|letter: char| letter.is_ascii_digit())
}

/// Parses a number with its suffix: `18`, `1,200.5`, `10 %`, `0.5 bn`. A comma is a group separator only
/// before exactly three digits, so that `max(1,2)` has two arguments.
fn number(rest: &str) -> Option<(Token, usize)> {
    let bytes = rest.as_bytes();
    let mut end = 0;
    let digits =
        |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    end += digits(0);
    let leading = end;
    while (1..=3).contains(&leading) && bytes.get(end) == Some(&b',') && digits(end + 1) == 3 {
        end += 4;
    }
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    let plain: String = rest[..end].chars().filter(|letter| *letter != ',').collect();
    let value: f64 = plain.parse().ok().filter(|value: &f64| value.is_finite())?;
    let behind = rest[end..].trim_start();
    let space = rest.len() - end - behind.len();
    if behind.starts_with('%') {
        return Some((Token::Number(value, true), end + space + 1));
    }
    let word = behind.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(behind.len());
    let times = match behind[..word].to_lowercase().as_str() {
        "k" => 1e3,
        "m" | "mn" => 1e6,
        "bn" | "b" => 1e9,
        "tn" | "t" => 1e12,
        _ => return Some((Token::Number(value, false), end)),
    };
    Some((Token::Number(value * times, false), end + space + word))
}
