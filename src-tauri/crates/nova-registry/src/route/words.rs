use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::english::{base_form, is_common, is_light};

/// Maximum number of characters considered: half from the start and half from the end of a text, since users
/// write their request before or after pasted text.
const MAX_CHARS: usize = 4000;

/// Maximum number of tokens considered.
const MAX_TOKENS: usize = 600;

/// Maximum length of a word in characters; longer ones are ignored.
const MAX_WORD: usize = 40;

/// One word of a text, or a mark that stands for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Stemmed, lower case, without accents; empty if only the mark counts.
    pub(super) word: String,
    pub(super) mark: Option<Mark>,
    /// A stop word.
    pub(super) common: bool,
    /// A generic verb.
    pub(super) light: bool,
    /// Capitalised within a sentence: possibly the name of a person.
    pub(super) name: bool,
}

/// The kind of a token: `UBER` and `NVDA` are equivalent although they share no letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// `UBER`, `$UBER`; a hint writes `TICKER`.
    Ticker,
    Money,
    Day,
    Hour,
    Email,
    Url,
    Note,
    Tag,
    Path,
    Version,
    Key,
}

impl Mark {
    /// The mark as an index term; no word starts like this.
    pub(super) fn term(self) -> &'static str {
        match self {
            Self::Ticker => "<ticker>",
            Self::Money => "<money>",
            Self::Day => "<day>",
            Self::Hour => "<hour>",
            Self::Email => "<email>",
            Self::Url => "<url>",
            Self::Note => "<note>",
            Self::Tag => "<tag>",
            Self::Path => "<path>",
            Self::Version => "<version>",
            Self::Key => "<key>",
        }
    }

    /// The kind of value of a parameter with that name.
    pub(super) fn of_parameter(name: &str) -> Option<Self> {
        Some(match name {
            "symbol" | "ticker" | "symbols" | "tickers" => Self::Ticker,
            "amount" | "price" | "limit_amount" | "total" => Self::Money,
            "date" | "day" | "due" | "from_date" | "to_date" | "due_before" | "start_date" => Self::Day,
            "time" | "start" | "at" => Self::Hour,
            "email" => Self::Email,
            "url" | "uri" => Self::Url,
            "note" => Self::Note,
            "tag" | "tags" | "channel" | "label" | "labels" => Self::Tag,
            "path" | "file" | "directory" => Self::Path,
            "version" | "release" | "in_release" => Self::Version,
            "id" | "issue_id" | "issue" | "number" | "tracking_number" => Self::Key,
            _ => return None,
        })
    }
}

/// The words of a text in order.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    tokens_with_notes(text, &|_| false)
}

/// As [`tokens`]; `is_note` tests whether up to four words are the name of a note.
pub(super) fn tokens_with_notes(text: &str, is_note: &dyn Fn(&str) -> bool) -> Vec<Token> {
    let text = shortened(text);
    let stemmer = Stemmer::create(Algorithm::English);
    let mut out = Vec::new();
    let mut starts_sentence = true;
    let chunks = chunks(&text);
    for (at, chunk) in chunks.iter().enumerate() {
        if out.len() >= MAX_TOKENS {
            break;
        }
        if trimmed(chunk) == "TICKER" {
            out.push(Token::marked(Mark::Ticker));
            continue;
        }
        if chunk.starts_with("[[") {
            out.push(Token::marked(Mark::Note));
            continue;
        }
        let next = chunks.get(at + 1).map_or("", |next| trimmed(next));
        let before = at.checked_sub(1).and_then(|at| chunks.get(at)).map_or("", |before| trimmed(before));
        match mark(chunk, before, next) {
            Some(
                mark @ (Mark::Url | Mark::Email | Mark::Money | Mark::Hour | Mark::Version | Mark::Path),
            ) => {
                out.push(Token::marked(mark));
            }
            mark => {
                let mut words = words(trimmed(chunk), &stemmer);
                if let [only] = words.as_mut_slice() {
                    only.mark = mark;
                } else if let Some(mark) = mark {
                    out.push(Token::marked(mark));
                }
                let capital = trimmed(chunk).chars().next().is_some_and(char::is_uppercase);
                if capital && !starts_sentence {
                    words.iter_mut().for_each(|word| word.name = true);
                }
                out.append(&mut words);
            }
        }
        let names = (1..=4).filter_map(|length| chunks.get(at..at + length));
        if names.map(|name| name.join(" ")).any(|name| is_note(trimmed(&name))) {
            out.push(Token::marked(Mark::Note));
        }
        starts_sentence = chunk.ends_with(['.', '?', '!', ':']);
    }
    out.truncate(MAX_TOKENS);
    out
}

/// The words of a name such as `pull_up_symbol` or `pullUpSymbol`.
pub(super) fn name_tokens(name: &str) -> Vec<Token> {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in name.chars().take(200) {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphanumeric() { c } else { ' ' });
        before = c;
    }
    let stemmer = Stemmer::create(Algorithm::English);
    spaced.split_whitespace().flat_map(|word| words(word, &stemmer)).collect()
}

impl Token {
    fn marked(mark: Mark) -> Self {
        Self { word: String::new(), mark: Some(mark), common: false, light: false, name: false }
    }
}

fn shortened(text: &str) -> String {
    // A character has at most four bytes, so the ends suffice, however long the middle is.
    if text.len() <= MAX_CHARS {
        return text.to_owned();
    }
    let head: String = text.chars().take(MAX_CHARS / 2).collect();
    let tail: Vec<char> = text[head.len()..].chars().rev().take(MAX_CHARS / 2).collect();
    head + " " + &tail.into_iter().rev().collect::<String>()
}

/// Splits the text at white space; a wikilink is one chunk.
fn chunks(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("[[") {
        let Some(length) = rest[start..].find("]]") else { break };
        out.extend(rest[..start].split_whitespace());
        out.push(&rest[start..start + length + 2]);
        rest = &rest[start + length + 2..];
    }
    out.extend(rest.split_whitespace());
    out
}

fn trimmed(chunk: &str) -> &str {
    chunk
        .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '$' | '€' | '£' | '#' | '~' | '/' | '%'))
}

fn mark(chunk: &str, before: &str, next: &str) -> Option<Mark> {
    let chunk = trimmed(chunk);
    let lower = chunk.to_lowercase();
    let digits = chunk.chars().filter(char::is_ascii_digit).count();
    let starts_with_digit = chunk.starts_with(|c: char| c.is_ascii_digit());
    let numeric =
        starts_with_digit && chunk.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'));

    if lower.contains("://") || lower.starts_with("www.") {
        return Some(Mark::Url);
    }
    if let Some((user, host)) = chunk.split_once('@') {
        return (!user.is_empty() && host.contains('.')).then_some(Mark::Email);
    }
    if lower.starts_with("~/") || (lower.starts_with('/') && lower.len() > 2) {
        return Some(Mark::Path);
    }
    if let Some((host, path)) = lower.split_once('/')
        && host.contains('.')
        && !starts_with_digit
    {
        return Some(if path.is_empty() { Mark::Path } else { Mark::Url });
    }
    if let Some(rest) = chunk.strip_prefix('$')
        && (1..=5).contains(&rest.len())
        && rest.chars().all(|c| c.is_ascii_uppercase())
    {
        return Some(Mark::Ticker);
    }
    let currency = |c: char| matches!(c, '$' | '€' | '£' | '¥');
    if digits > 0 && (chunk.starts_with(currency) || chunk.ends_with(currency)) {
        return Some(Mark::Money);
    }
    if chunk.starts_with('#') && chunk.chars().nth(1).is_some_and(char::is_alphabetic) {
        return Some(Mark::Tag);
    }
    if numeric {
        let currency =
            ["eur", "euro", "euros", "usd", "dollars", "bucks", "quid", "pounds", "gbp", "chf", "cents"];
        return if currency.contains(&&*next.to_lowercase()) {
            Some(Mark::Money)
        } else if chunk.contains(':') {
            Some(Mark::Hour)
        } else if chunk.matches('.').count() == 2
            || ["version", "release", "v"].contains(&&*before.to_lowercase())
        {
            Some(Mark::Version)
        } else if let Some((whole, cents)) = chunk.split_once('.') {
            (cents.len() == 2 && !whole.is_empty()).then_some(Mark::Money)
        } else {
            None
        };
    }
    if starts_with_digit && (lower.ends_with("am") || lower.ends_with("pm")) && lower.len() <= 7 {
        return Some(Mark::Hour);
    }
    if starts_with_digit && chunk.len() == 10 && chunk.matches('-').count() == 2 {
        return Some(Mark::Day);
    }
    const DAYS: [&str; 10] = [
        "today",
        "tomorrow",
        "yesterday",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    if DAYS.contains(&lower.trim_end_matches("'s").trim_end_matches("’s")) {
        return Some(Mark::Day);
    }
    if let Some((project, number)) = chunk.split_once('-')
        && !project.is_empty()
        && project.chars().all(|c| c.is_ascii_uppercase())
        && number.starts_with(|c: char| c.is_ascii_digit())
    {
        return Some(Mark::Key);
    }
    if chunk.starts_with('#') && digits > 0 || (chunk.len() > 9 && digits > 6) {
        return Some(Mark::Key);
    }
    let capitals = (2..=5).contains(&chunk.len()) && chunk.chars().all(|c| c.is_ascii_uppercase());
    capitals.then_some(Mark::Ticker)
}

fn words(chunk: &str, stemmer: &Stemmer) -> Vec<Token> {
    let plain: String = chunk
        .nfkd()
        .filter(|c| !is_combining_mark(*c) && !matches!(c, '\'' | '’'))
        .flat_map(char::to_lowercase)
        .collect();
    let plain = plain.replace("e-mail", "email");
    let mut out = Vec::new();
    for run in plain.split(|c: char| !c.is_alphanumeric()) {
        let chars: Vec<char> = run.chars().collect();
        if chars.iter().any(|c| is_cjk(*c)) {
            let pairs = chars.windows(chars.len().min(2));
            out.extend(pairs.take(MAX_TOKENS).map(|pair| Token {
                word: pair.iter().collect(),
                mark: None,
                common: false,
                light: false,
                name: false,
            }));
        } else if (1..=MAX_WORD).contains(&chars.len()) && !chars.iter().all(char::is_ascii_digit) {
            let word = stemmer.stem(base_form(run)).into_owned();
            out.push(Token { word, mark: None, common: is_common(run), light: is_light(run), name: false });
        }
    }
    out
}

/// Scripts without spaces between words.
fn is_cjk(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<String> {
        let shown = |token: Token| match token.mark {
            Some(mark) => format!("{}{}", token.word, mark.term()),
            None => token.word,
        };
        tokens(text).into_iter().filter(|token| !token.common).map(shown).collect()
    }

    #[test]
    fn words_are_stemmed_without_accents() {
        assert_eq!(seen("Crème BRÛLÉES, running!"), ["creme", "brule", "run"]);
    }

    #[test]
    fn equivalent_values_get_one_mark() {
        assert_eq!(seen("UBER $PLTR"), ["uber<ticker>", "pltr<ticker>"]);
        assert_eq!(seen("€200 85$ 1,500 euros 14.50"), ["<money>", "<money>", "<money>", "euro", "<money>"]);
        assert_eq!(seen("a@b.example https://x.example/y x.example/z"), ["<email>", "<url>", "<url>"]);
        assert_eq!(seen("[[Lisbon plan]] 2.0.1 9:30 5pm"), ["<note>", "<version>", "<hour>", "<hour>"]);
        assert_eq!(seen("ENG-214 2026-05-04 ~/x.toml"), ["eng<key>", "<day>", "<path>"]);
    }

    #[test]
    fn note_is_recognised_by_its_name() {
        let known = |name: &str| name == "Garden ideas";
        let marks = tokens_with_notes("look into Garden ideas!", &known);
        assert_eq!(marks.iter().filter(|token| token.mark == Some(Mark::Note)).count(), 1);
    }

    #[test]
    fn chinese_is_tokenised_in_pairs_and_emoji_are_ignored() {
        assert_eq!(seen("天气预报"), ["天气", "气预", "预报"]);
        assert_eq!(seen("🦀🎉 !?… --"), [""; 0]);
    }

    #[test]
    fn both_ends_of_a_long_text_are_read() {
        let text = format!("first {} last", "é ".repeat(500_000));
        let tokens = tokens(&text);
        assert!(tokens.len() <= MAX_TOKENS, "{}", tokens.len());
        assert_eq!(tokens[0].word, "first");
    }
}
