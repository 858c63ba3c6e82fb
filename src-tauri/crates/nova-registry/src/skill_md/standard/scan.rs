//! From characters to tokens, as the validator's YAML scanner takes them. Where it is odd this is odd
//! too: a comment needs no space before it, tabs are skipped below an empty line, and U+0085, U+2028
//! and U+2029 end a line without beginning the next one.

use std::collections::VecDeque;

use super::Refused;

mod texts;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Start,
    End,
    /// `...`
    DocumentEnd,
    SequenceStart,
    MappingStart,
    BlockEnd,
    /// `-`
    Entry,
    /// `?`, or where a text begins that a colon follows.
    Key,
    /// `:`
    Value,
    Text {
        text: String,
        plain: bool,
    },
    Comment,
}

#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Where it begins, 0-based.
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) remarks: Remarks,
}

/// Whether there is a comment before a token and one after it. The validator breaks off where there
/// would be two.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Remarks {
    pub(super) before: bool,
    pub(super) after: bool,
}

#[derive(Debug)]
pub(super) struct Scanner {
    /// With `END` behind it.
    text: Vec<char>,
    at: usize,
    line: usize,
    column: usize,
    tokens: VecDeque<Token>,
    /// How many tokens are gone.
    taken: usize,
    done: bool,
    /// The columns of the collections that are open.
    indents: Vec<usize>,
    key_may_begin: bool,
    /// Where a text began that is a key if a colon follows it.
    possible_key: Option<PossibleKey>,
}

#[derive(Debug)]
struct PossibleKey {
    /// Of its token, counted from the first.
    number: usize,
    /// It can be nothing else.
    required: bool,
    at: usize,
    line: usize,
    column: usize,
}

const END: char = '\0';
/// A colon is looked for so many characters behind the beginning of a key.
const MAX_KEY: usize = 1024;

impl Scanner {
    /// The text holds no character that is not printable, and no `---`.
    pub(super) fn new(text: &str) -> Self {
        let mut scanner = Self {
            text: text.chars().chain([END]).collect(),
            at: 0,
            line: 0,
            column: 0,
            tokens: VecDeque::new(),
            taken: 0,
            done: false,
            indents: Vec::new(),
            key_may_begin: true,
            possible_key: None,
        };
        scanner.push(Kind::Start);
        scanner
    }

    /// The next token, which stays.
    pub(super) fn peek(&mut self) -> Result<&mut Token, Refused> {
        self.prepare()?;
        let line = self.line;
        self.tokens.front_mut().ok_or_else(|| too_early(line))
    }

    pub(super) fn take(&mut self) -> Result<Token, Refused> {
        self.prepare()?;
        if self.comment_is_of_the_next() {
            while self.is_comment(1) {
                self.drop_token(1);
                self.fetch()?;
            }
            self.tokens[0].remarks.after = true;
        }
        self.taken += 1;
        self.tokens.pop_front().ok_or_else(|| too_early(self.line))
    }

    /// Until the next token is known and no comment. How far this reads on decides which token a
    /// comment belongs to.
    fn prepare(&mut self) -> Result<(), Refused> {
        let mut commented = self.drop_comment();
        while self.needs_more()? {
            self.fetch()?;
            commented |= self.drop_comment();
        }
        if commented && let Some(next) = self.tokens.front_mut() {
            if next.remarks.before {
                return Err(Refused::of_comments(next.line));
            }
            next.remarks.before = true;
        }
        if !self.done && self.tokens.len() < 2 { self.fetch() } else { Ok(()) }
    }

    fn comment_is_of_the_next(&self) -> bool {
        self.is_comment(1)
            && match &self.tokens[0].kind {
                Kind::Text { .. } => true,
                Kind::Value => self.tokens[0].line == self.tokens[1].line,
                _ => false,
            }
    }

    fn is_comment(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == Kind::Comment)
    }

    fn drop_comment(&mut self) -> bool {
        let is_there = self.is_comment(0);
        if is_there {
            self.drop_token(0);
        }
        is_there
    }

    fn drop_token(&mut self, index: usize) {
        self.tokens.remove(index);
        self.taken += 1;
    }

    /// Where the next token may be the beginning of a key, the one behind it decides.
    fn needs_more(&mut self) -> Result<bool, Refused> {
        if self.done || self.tokens.is_empty() {
            return Ok(!self.done);
        }
        self.forget_stale_key()?;
        Ok(self.possible_key.as_ref().is_some_and(|key| key.number == self.taken))
    }

    fn fetch(&mut self) -> Result<(), Refused> {
        if let Some(line) = self.skip() {
            self.push_at(Kind::Comment, line, 0);
            return Ok(());
        }
        self.forget_stale_key()?;
        while self.indents.last().is_some_and(|indent| *indent > self.column) {
            self.indents.pop();
            self.push(Kind::BlockEnd);
        }
        let stands_alone = is_gap(self.ahead(1));
        match self.ahead(0) {
            END => {
                self.close_all()?;
                self.push(Kind::End);
                self.done = true;
                Ok(())
            }
            '.' if self.is_document_end() => {
                self.close_all()?;
                self.indicator(Kind::DocumentEnd, 3);
                Ok(())
            }
            '-' if stands_alone => self.item(Kind::SequenceStart, Kind::Entry),
            '?' if stands_alone => self.item(Kind::MappingStart, Kind::Key),
            ':' if stands_alone => self.value(),
            '|' | '>' => self.block_text(),
            '\'' | '"' => self.quoted_text(),
            c => match not_a_beginning(c) {
                Some(why) => Err(self.refused(why)),
                None => self.plain_text(),
            },
        }
    }

    /// Spaces, empty lines and at most one comment. The line of what counts as a comment, which
    /// empty lines also do.
    fn skip(&mut self) -> Option<usize> {
        if self.at == 0 && self.ahead(0) == '\u{feff}' {
            self.forward(1);
        }
        loop {
            while self.ahead(0) == ' ' {
                self.forward(1);
            }
            let line = self.line;
            if self.ahead(0) == '#' {
                while !is_end(self.ahead(0)) {
                    self.forward(1);
                }
                while self.line_break().is_some() {}
                self.key_may_begin = true;
                return Some(line);
            }
            self.line_break()?;
            self.key_may_begin = true;
            if self.ahead(0) == '\n' {
                let line = self.line;
                while self.ahead(0) != END && is_gap(self.ahead(0)) {
                    self.forward(1);
                }
                return Some(line);
            }
        }
    }

    fn close_all(&mut self) -> Result<(), Refused> {
        while self.indents.pop().is_some() {
            self.push(Kind::BlockEnd);
        }
        self.key_may_begin = false;
        self.forget_key()
    }

    fn item(&mut self, collection: Kind, indicator: Kind) -> Result<(), Refused> {
        if !self.key_may_begin {
            return Err(self.refused(
                "- and ? begin an item, which may not stand here. Put the text in quotation marks.",
            ));
        }
        if self.begins_at(self.column) {
            self.push(collection);
        }
        self.forget_key()?;
        self.indicator(indicator, 1);
        Ok(())
    }

    fn value(&mut self) -> Result<(), Refused> {
        if let Some(key) = self.possible_key.take() {
            let behind = self.tokens.split_off(key.number.saturating_sub(self.taken).min(self.tokens.len()));
            if self.begins_at(key.column) {
                self.push_at(Kind::MappingStart, key.line, key.column);
            }
            self.push_at(Kind::Key, key.line, key.column);
            self.tokens.extend(behind);
            self.key_may_begin = false;
        } else if !self.key_may_begin {
            return Err(self.refused(
                "A colon with a space behind it makes a key, which may not stand here. Put the text in quotation marks.",
            ));
        } else if self.begins_at(self.column) {
            self.push(Kind::MappingStart);
        }
        self.indicator(Kind::Value, 1);
        Ok(())
    }

    /// Whether a collection begins in that column.
    fn begins_at(&mut self, column: usize) -> bool {
        let begins = self.indents.last().is_none_or(|indent| *indent < column);
        if begins {
            self.indents.push(column);
        }
        begins
    }

    /// A text begins that may be a key.
    fn may_be_key(&mut self) -> Result<(), Refused> {
        if self.key_may_begin {
            self.forget_key()?;
            self.possible_key = Some(PossibleKey {
                number: self.taken + self.tokens.len(),
                required: self.indents.last() == Some(&self.column),
                at: self.at,
                line: self.line,
                column: self.column,
            });
        }
        self.key_may_begin = false;
        Ok(())
    }

    fn forget_stale_key(&mut self) -> Result<(), Refused> {
        let is_stale = |key: &PossibleKey| key.line != self.line || self.at - key.at > MAX_KEY;
        if self.possible_key.as_ref().is_some_and(is_stale) { self.forget_key() } else { Ok(()) }
    }

    fn forget_key(&mut self) -> Result<(), Refused> {
        match self.possible_key.take() {
            Some(key) if key.required => {
                Err(Refused::on(key.line, "There is no colon behind the key. Write one, or indent the text."))
            }
            _ => Ok(()),
        }
    }

    fn push(&mut self, kind: Kind) {
        self.push_at(kind, self.line, self.column);
    }

    fn push_at(&mut self, kind: Kind, line: usize, column: usize) {
        self.tokens.push_back(Token { kind, line, column, remarks: Remarks::default() });
    }

    fn indicator(&mut self, kind: Kind, length: usize) {
        self.push(kind);
        self.forward(length);
    }

    fn refused(&self, why: &str) -> Refused {
        Refused::on(self.line, why)
    }
}

/// Characters.
impl Scanner {
    fn ahead(&self, length: usize) -> char {
        self.text.get(self.at + length).copied().unwrap_or(END)
    }

    fn forward(&mut self, length: usize) {
        for _ in 0..length {
            match self.ahead(0) {
                '\n' => {
                    self.line += 1;
                    self.column = 0;
                }
                '\u{feff}' => {}
                _ => self.column += 1,
            }
            self.at += 1;
        }
    }

    /// The text of that length, which is behind then.
    fn forward_over(&mut self, length: usize) -> String {
        let text = self.text[self.at..][..length].iter().collect();
        self.forward(length);
        text
    }

    /// What an end of line stands for in a text, where there is one; it is behind then.
    fn line_break(&mut self) -> Option<char> {
        let c = self.ahead(0);
        is_break(c).then(|| {
            self.forward(1);
            if c == '\u{85}' { '\n' } else { c }
        })
    }

    /// Whether `...` stands by itself.
    fn is_separator(&self) -> bool {
        (0..3).all(|index| self.ahead(index) == '.') && is_gap(self.ahead(3))
    }

    fn is_document_end(&self) -> bool {
        self.column == 0 && self.is_separator()
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_end(c: char) -> bool {
    c == END || is_break(c)
}

fn is_gap(c: char) -> bool {
    is_end(c) || matches!(c, ' ' | '\t')
}

/// Why no text begins with it, and nothing else that the validator has room for.
fn not_a_beginning(c: char) -> Option<&'static str> {
    Some(match c {
        '[' | '{' => {
            "Lists and mappings in one line ([..], {..}) are refused by the standard's validator. Write the value out."
        }
        '&' | '*' => "Anchors and aliases are refused by the standard's validator. Write the value out.",
        '!' => "Tags are refused by the standard's validator. Write the value out.",
        '\t' => "A tab outside of quotation marks is refused by the standard's validator. Write a space.",
        ']' | '}' | ',' | '#' | '%' | '@' | '`' => {
            "No text may begin with one of ] } , # % @ `. Put it in quotation marks."
        }
        _ => return None,
    })
}

fn too_early(line: usize) -> Refused {
    Refused::on(line, "It ends too early. Write it to its end.")
}
