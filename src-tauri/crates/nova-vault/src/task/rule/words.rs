//! Tokenises a rule. The longest matching word wins; text that matches none ends the input.

use jiff::civil::{Date, Weekday};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Every,
    Days,
    Workdays,
    Weeks,
    Hours,
    Minutes,
    Months,
    Years,
    On,
    At,
    The,
    For,
    Until,
    Comma,
    Weekday(Weekday),
    Month(i8),
    /// `2` in `every 2 weeks`; `None` on overflow.
    Number(Option<u32>),
    /// `2nd`, `first`; `None` on overflow.
    Nth(Option<i32>),
    Last,
    /// A word of other rrule rules that has no meaning for tasks.
    Other,
}

/// Reads one word at a time.
pub(super) struct Reader<'a> {
    rest: &'a str,
    now: Option<Word>,
}

/// Spellings of the words: abbreviations, and plurals where they exist.
#[rustfmt::skip]
const SPELLED: &[(Word, &[&str])] = &[
    (Word::Every, &["every"]),
    (Word::Days, &["day", "days"]),
    (Word::Workdays, &["weekday", "weekdays"]),
    (Word::Weeks, &["week", "weeks"]),
    (Word::Hours, &["hour", "hours"]),
    (Word::Minutes, &["minute", "minutes"]),
    (Word::Months, &["month", "months"]),
    (Word::Years, &["year", "years"]),
    (Word::On, &["on", "in"]),
    (Word::At, &["at"]),
    (Word::The, &["the"]),
    (Word::Nth(Some(1)), &["first"]),
    (Word::Nth(Some(2)), &["second"]),
    (Word::Nth(Some(3)), &["third"]),
    (Word::Last, &["last"]),
    (Word::For, &["for"]),
    (Word::Other, &["one", "two", "three", "time", "times", "forever"]),
    (Word::Until, &["until", "til"]),
    (Word::Weekday(Weekday::Monday), &["mo", "mon", "monday"]),
    (Word::Weekday(Weekday::Tuesday), &["tu", "tue", "tues", "tuesday"]),
    (Word::Weekday(Weekday::Wednesday), &["we", "wed", "wedn", "wednesday"]),
    (Word::Weekday(Weekday::Thursday), &["th", "thu", "thur", "thursday"]),
    (Word::Weekday(Weekday::Friday), &["fr", "fri", "friday"]),
    (Word::Weekday(Weekday::Saturday), &["sa", "sat", "saturday"]),
    (Word::Weekday(Weekday::Sunday), &["su", "sun", "sunday"]),
    (Word::Month(1), &["jan", "january"]),
    (Word::Month(2), &["feb", "february"]),
    (Word::Month(3), &["mar", "march"]),
    (Word::Month(4), &["apr", "april"]),
    (Word::Month(5), &["may"]),
    (Word::Month(6), &["jun", "june"]),
    (Word::Month(7), &["jul", "july"]),
    (Word::Month(8), &["aug", "august"]),
    (Word::Month(9), &["sep", "sept", "september"]),
    (Word::Month(10), &["oct", "october"]),
    (Word::Month(11), &["nov", "november"]),
    (Word::Month(12), &["dec", "december"]),
];

/// Suffixes of ordinals such as `2nd`.
const ENDINGS: [&str; 5] = [".", "th", "nd", "rd", "st"];

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Reader<'a> {
        let mut reader = Reader { rest: text, now: None };
        reader.advance();
        reader
    }

    pub(super) fn now(&self) -> Option<Word> {
        self.now
    }

    pub(super) fn advance(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let next = next(self.rest);
        // Unknown text ends the rule.
        self.rest = next.map_or("", |(_, length)| &self.rest[length..]);
        self.now = next.map(|(word, _)| word);
    }

    pub(super) fn accept(&mut self, word: Word) -> bool {
        let is_it = self.now == Some(word);
        if is_it {
            self.advance();
        }
        is_it
    }

    pub(super) fn expect(&mut self, word: Word) -> Option<()> {
        self.accept(word).then_some(())
    }

    /// Consumes a number.
    pub(super) fn number(&mut self) -> Option<Option<u32>> {
        let Some(Word::Number(number)) = self.now else { return None };
        self.advance();
        Some(number)
    }

    /// Consumes `2nd`, `last` or `2nd last`; the outer `None` means overflow.
    pub(super) fn ordinal(&mut self) -> Option<Option<i32>> {
        let number = match self.now {
            Some(Word::Last) => -1,
            Some(Word::Nth(number)) => {
                let number = number?;
                self.advance();
                return Some(Some(if self.accept(Word::Last) { -number } else { number }));
            }
            _ => return Some(None),
        };
        self.advance();
        Some(Some(number))
    }

    /// Parses the rest as a date: the month's name, a day and a year.
    pub(super) fn date_behind(&self) -> Option<Date> {
        let (mut year, mut month, mut day) = (None, None, None);
        for part in self.rest.split([' ', ',']).filter(|part| !part.is_empty()) {
            match (part.parse::<i16>(), next(part)) {
                (Ok(number), _) if part.len() == 4 => year = Some(number),
                (Ok(number), _) => day = i8::try_from(number).ok(),
                (Err(_), Some((Word::Month(number), length))) if length == part.len() => month = Some(number),
                _ => return None,
            }
        }
        Date::new(year?, month?, day?).ok()
    }
}

/// The word at the start of a text, and its length.
fn next(text: &str) -> Option<(Word, usize)> {
    let begins =
        |spelled: &str| text.get(..spelled.len()).is_some_and(|start| start.eq_ignore_ascii_case(spelled));
    let spelled = SPELLED.iter().flat_map(|(word, all)| all.iter().map(move |spelled| (*word, *spelled)));
    let named = spelled.filter(|(_, spelled)| begins(spelled)).map(|(word, spelled)| (word, spelled.len()));
    named.chain(numbered(text)).chain(comma(text)).max_by_key(|(_, length)| *length)
}

fn numbered(text: &str) -> Option<(Word, usize)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 || text.starts_with('0') {
        return None;
    }
    let number: Option<u32> = text[..digits].parse().ok();
    let behind = &text[digits..];
    let ending = ENDINGS
        .iter()
        .find(|ending| behind.get(..ending.len()).is_some_and(|start| start.eq_ignore_ascii_case(ending)));
    Some(match ending {
        Some(ending) => {
            let number = number.and_then(|number| i32::try_from(number).ok()).filter(|number| *number <= 366);
            (Word::Nth(number), digits + ending.len())
        }
        None => (Word::Number(number), digits),
    })
}

/// One or more of `,`, `and`, `or`.
fn comma(text: &str) -> Option<(Word, usize)> {
    let mut rest = text;
    loop {
        let joins = [",", "and", "or"];
        let join = joins
            .iter()
            .find(|join| rest.get(..join.len()).is_some_and(|start| start.eq_ignore_ascii_case(join)));
        let Some(join) = join else { break };
        rest = rest[join.len()..].trim_start_matches([' ', '\t']);
    }
    let length = text.len() - rest.len();
    (length > 0).then_some((Word::Comma, length))
}
