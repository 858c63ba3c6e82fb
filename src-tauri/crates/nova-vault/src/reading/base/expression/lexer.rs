//! Splits an expression into tokens.

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(String),
    Text(String),
    Name(String),
    Symbol(&'static str),
    /// `/pattern/flags`, in which operators and quotes have another meaning.
    Pattern,
}

/// Longer symbols first.
const SYMBOLS: [&str; 24] = [
    "||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "(", ")", "[", "]", "{", "}",
    ",", ".", ":", "=",
];

/// Tokenises an expression; `Err` is the unreadable part.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '"' | '\'' => quoted(rest, first)?,
            '/' if !ends_a_value(tokens.last()) => pattern(rest)?,
            c if c.is_ascii_digit() => number(rest),
            c if c.is_alphabetic() || matches!(c, '_' | '$') => {
                let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'));
                let (name, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
                (Token::Name(name.to_owned()), after)
            }
            c => match SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
                Some("=") => return Err("`=` does not compare; write `==`".to_owned()),
                Some(symbol) => (Token::Symbol(symbol), &rest[symbol.len()..]),
                None => return Err(format!("unexpected `{}`", c.escape_default())),
            },
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}

fn quoted(text: &str, quote: char) -> Result<(Token, &str), String> {
    let mut inner = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Ok((Token::Text(inner), &text[at + 1..]));
        }
        if c != '\\' {
            inner.push(c);
            continue;
        }
        match chars.next().map(|(_, c)| c) {
            Some('n') => inner.push('\n'),
            Some('t') => inner.push('\t'),
            Some(other) => inner.push(other),
            None => break,
        }
    }
    Err(format!("a text is not closed: {quote} is missing"))
}

/// Whether a `/` after this token is a division.
fn ends_a_value(last: Option<&Token>) -> bool {
    !matches!(last, None | Some(Token::Symbol(_))) || matches!(last, Some(Token::Symbol(")" | "]" | "}")))
}

/// A JavaScript regular expression: up to the `/` that is neither escaped nor in brackets.
fn pattern(text: &str) -> Result<(Token, &str), String> {
    let mut in_brackets = false;
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            '/' if !in_brackets => {
                return Ok((
                    Token::Pattern,
                    text[at + 1..].trim_start_matches(|c: char| c.is_ascii_alphabetic()),
                ));
            }
            _ => {}
        }
    }
    Err("a regular expression is not closed: / is missing".to_owned())
}

/// Digits, and a fraction if a digit follows the dot: `1.isEmpty()` is a method call on 1.
fn number(text: &str) -> (Token, &str) {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut end = digits(text);
    if let Some(fraction) = text[end..].strip_prefix('.') {
        let length = digits(fraction);
        if length > 0 {
            end += 1 + length;
        }
    }
    (Token::Number(text[..end].to_owned()), &text[end..])
}
