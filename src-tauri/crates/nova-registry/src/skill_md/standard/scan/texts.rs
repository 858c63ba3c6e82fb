//! The four ways in which a text is written.

use super::{END, Kind, Remarks, Scanner, Token, is_end, is_gap};
use crate::skill_md::standard::Refused;

impl Scanner {
    pub(super) fn plain_text(&mut self) -> Result<(), Refused> {
        self.may_be_key()?;
        let begin = (self.line, self.column);
        let indent = self.indents.last().map_or(0, |indent| indent + 1);
        let (mut text, mut spaces) = (String::new(), String::new());
        while self.ahead(0) != '#' {
            let ends = |length: &usize| {
                let c = self.ahead(*length);
                is_gap(c) || (c == ':' && is_gap(self.ahead(length + 1)))
            };
            let length = (0..).find(ends).unwrap_or_default();
            if length == 0 {
                break;
            }
            self.key_may_begin = false;
            text += &spaces;
            text += &self.forward_over(length);
            spaces = self.plain_spaces();
            if spaces.is_empty() || self.column < indent {
                break;
            }
        }
        self.push_text(begin, text, true, spaces.starts_with('\n'));
        Ok(())
    }

    /// What the spaces and line ends between two words come to; nothing where the text ends.
    fn plain_spaces(&mut self) -> String {
        let length = (0..).find(|length| self.ahead(*length) != ' ').unwrap_or_default();
        let spaces = self.forward_over(length);
        let Some(first) = self.line_break() else { return spaces };
        self.key_may_begin = true;
        let mut breaks = String::new();
        if self.is_separator() {
            return breaks;
        }
        loop {
            if self.ahead(0) == ' ' {
                self.forward(1);
            } else if let Some(next) = self.line_break() {
                breaks.push(next);
                if self.is_separator() {
                    return String::new();
                }
            } else {
                return folded(first, breaks);
            }
        }
    }

    pub(super) fn quoted_text(&mut self) -> Result<(), Refused> {
        self.may_be_key()?;
        let begin = (self.line, self.column);
        let quote = self.ahead(0);
        self.forward(1);
        let mut text = String::new();
        loop {
            self.quoted_words(quote, &mut text)?;
            if self.ahead(0) == quote {
                break;
            }
            let length = (0..).find(|length| !is_blank(self.ahead(*length))).unwrap_or_default();
            let spaces = self.forward_over(length);
            if self.ahead(0) == END {
                return Err(Refused::on(begin.0, "A quotation mark is not closed. Close it."));
            }
            text += &match self.line_break() {
                Some(first) => folded(first, self.quoted_breaks()?),
                None => spaces,
            };
        }
        self.forward(1);
        self.push_text(begin, text, false, false);
        Ok(())
    }

    /// Up to a space, a line end or the closing quotation mark.
    fn quoted_words(&mut self, quote: char, text: &mut String) -> Result<(), Refused> {
        loop {
            match self.ahead(0) {
                '\'' if quote == '\'' && self.ahead(1) == '\'' => {
                    self.forward(2);
                    text.push('\'');
                }
                '\\' if quote == '"' => {
                    self.forward(1);
                    self.escaped(text)?;
                }
                c if c == quote || is_gap(c) => return Ok(()),
                c => {
                    self.forward(1);
                    text.push(c);
                }
            }
        }
    }

    fn escaped(&mut self, text: &mut String) -> Result<(), Refused> {
        let c = self.ahead(0);
        if self.line_break().is_some() {
            *text += &self.quoted_breaks()?;
            return Ok(());
        }
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                text.push(meaning(c).ok_or_else(|| {
                    self.refused(
                        "\\ has no meaning before that character. Write \\\\, or use single quotation marks.",
                    )
                })?);
                self.forward(1);
                return Ok(());
            }
        };
        self.forward(1);
        let mut code = 0;
        for index in 0..digits {
            let digit = self.ahead(index).to_digit(16);
            let digit = digit.ok_or_else(|| {
                self.refused("\\x, \\u and \\U want 2, 4 and 8 hexadecimal digits. Write them out.")
            })?;
            code = code * 16 + u64::from(digit);
        }
        self.forward(digits);
        let code = u32::try_from(code).ok().filter(|code| *code <= u32::from(char::MAX));
        let code = code.ok_or_else(|| self.refused("There is no character of that number. Correct it."))?;
        // To the validator half of a pair is a character too.
        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(())
    }

    /// The empty lines within a quoted text.
    fn quoted_breaks(&mut self) -> Result<String, Refused> {
        let mut breaks = String::new();
        loop {
            if self.is_separator() {
                return Err(self.refused("A line ... stands within quotation marks. Indent it."));
            }
            while is_blank(self.ahead(0)) {
                self.forward(1);
            }
            match self.line_break() {
                Some(next) => breaks.push(next),
                None => return Ok(breaks),
            }
        }
    }

    /// Below `|` or `>`.
    pub(super) fn block_text(&mut self) -> Result<(), Refused> {
        self.key_may_begin = true;
        self.forget_key()?;
        let begin = (self.line, self.column);
        let folds = self.ahead(0) == '>';
        self.forward(1);
        let header = self.block_header()?;
        let least = self.indents.last().map_or(0, |indent| indent + 1);
        let (mut breaks, indent) = match header.indent {
            Some(more) => {
                let indent = least.max(1) + more - 1;
                (self.block_breaks(indent), indent)
            }
            None => {
                let (breaks, deepest) = self.first_breaks();
                (breaks, least.max(deepest))
            }
        };
        let (mut text, mut last) = (String::new(), None);
        while self.column == indent && self.ahead(0) != END {
            text += &breaks;
            let begins_with_word = !is_blank(self.ahead(0));
            let length = (0..).find(|length| is_end(self.ahead(*length))).unwrap_or_default();
            text += &self.forward_over(length);
            last = self.line_break();
            breaks = self.block_breaks(indent);
            if self.column != indent || self.ahead(0) == END {
                break;
            }
            if folds && last == Some('\n') && begins_with_word && !is_blank(self.ahead(0)) {
                text += if breaks.is_empty() { " " } else { "" };
            } else {
                text.extend(last);
            }
        }
        if header.keeps != Some(false) {
            text.extend(last);
        }
        if header.keeps == Some(true) {
            text += &breaks;
        }
        let has_rest = header.keeps != Some(true) && !breaks.is_empty();
        if has_rest {
            while self.skip().is_some() {}
        }
        self.push_text(begin, text, false, has_rest);
        if let Some(token) = self.tokens.back_mut() {
            token.remarks.before = header.has_comment;
        }
        Ok(())
    }

    /// What stands behind `|` and `>`.
    fn block_header(&mut self) -> Result<Header, Refused> {
        let mut header = Header::default();
        for _ in 0..2 {
            let c = self.ahead(0);
            if matches!(c, '+' | '-') && header.keeps.is_none() {
                header.keeps = Some(c == '+');
            } else if let Some(digit) = c.to_digit(10).filter(|_| header.indent.is_none()) {
                if digit == 0 {
                    return Err(self.refused(
                        "A block of text is indented by 1 to 9 spaces. Correct the number behind | or >.",
                    ));
                }
                header.indent = Some(digit as usize);
            } else {
                break;
            }
            self.forward(1);
        }
        let is_over = self.ahead(0) == ' ' || is_end(self.ahead(0));
        while self.ahead(0) == ' ' {
            self.forward(1);
        }
        header.has_comment = is_over && self.ahead(0) == '#';
        while header.has_comment && !is_end(self.ahead(0)) {
            self.forward(1);
        }
        if !is_over || !is_end(self.ahead(0)) {
            return Err(self.refused("There is text behind | or >. Write it on the next line, indented."));
        }
        self.line_break();
        Ok(header)
    }

    /// The empty lines before the first line of a block, and how far the furthest is indented.
    fn first_breaks(&mut self) -> (String, usize) {
        let (mut breaks, mut deepest) = (String::new(), 0);
        loop {
            if self.ahead(0) == ' ' {
                self.forward(1);
                deepest = deepest.max(self.column);
            } else if let Some(next) = self.line_break() {
                breaks.push(next);
            } else {
                return (breaks, deepest);
            }
        }
    }

    fn block_breaks(&mut self, indent: usize) -> String {
        let mut breaks = String::new();
        loop {
            while self.column < indent && self.ahead(0) == ' ' {
                self.forward(1);
            }
            match self.line_break() {
                Some(next) => breaks.push(next),
                None => return breaks,
            }
        }
    }

    fn push_text(&mut self, (line, column): (usize, usize), text: String, plain: bool, after: bool) {
        let remarks = Remarks { after, ..Remarks::default() };
        self.tokens.push_back(Token { kind: Kind::Text { text, plain }, line, column, remarks });
    }
}

#[derive(Debug, Default)]
struct Header {
    /// Whether the line ends behind the text stay: `+`, `-`, or one of them.
    keeps: Option<bool>,
    indent: Option<usize>,
    has_comment: bool,
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// A single line feed between words is a space.
fn folded(first: char, breaks: String) -> String {
    match first {
        '\n' if breaks.is_empty() => " ".to_owned(),
        '\n' => breaks,
        other => format!("{other}{breaks}"),
    }
}

/// What a character means behind `\`.
fn meaning(c: char) -> Option<char> {
    Some(match c {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '/' | '\\' => c,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}
