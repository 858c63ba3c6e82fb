//! Formatting and parsing of dates in the formats of Moment.js, which Obsidian's settings use.
//!
//! Source: <https://momentjs.com/docs/#/displaying/format/>, with the names and weeks of Moment's default
//! locale `en`: weeks of `w` and `gggg` begin on Sunday, and the first week of a year contains 1 January.

use jiff::Zoned;
use jiff::civil::{Date, ISOWeekDate, Weekday};
use jiff::tz::TimeZone;

/// A parsed format such as `YYYY/MM/YYYY-MM-DD`. Every text is a valid format: literal are characters that
/// are no token, text in `[brackets]` or after a backslash, and any format above 1,000 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MomentFormat(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Token(&'static str),
}

impl MomentFormat {
    /// Parses a format.
    pub fn parse(format: &str) -> MomentFormat {
        let mut pieces = Vec::new();
        if format.len() > MAX_FORMAT_BYTES {
            literal(&mut pieces, format);
        } else {
            read(format, true, &mut pieces);
        }
        MomentFormat(pieces)
    }

    /// Formats a moment.
    pub fn text(&self, at: &Zoned) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => text.clone(),
                Piece::Token(token) => formatted(token, at),
            })
            .collect()
    }

    /// Parses a date; `None` if the text does not match the format exactly. Times must be present but are
    /// ignored.
    pub fn date(&self, text: &str) -> Option<Date> {
        let mut rest = text;
        let mut named = Named::default();
        let mut found = Vec::new();
        for piece in &self.0 {
            match piece {
                Piece::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
                Piece::Token(token) => {
                    let length = length_of(token, rest)?;
                    let (part, after) = rest.split_at_checked(length)?;
                    named.take(token, part);
                    found.push((*token, part));
                    rest = after;
                }
            }
        }
        if !rest.is_empty() {
            return None;
        }
        let date = named.date()?;
        // Redundant parts must agree, such as `Monday`, and padding must match, such as `03` for `MM`.
        let at = date.to_zoned(TimeZone::UTC).ok()?;
        let same = found.iter().all(|(token, part)| is_of_time(token) || formatted(token, &at) == *part);
        same.then_some(date)
    }
}

/// Longer texts are taken literally.
pub(super) const MAX_FORMAT_BYTES: usize = 1000;

/// All tokens; longer ones precede their prefixes.
const TOKENS: [&str; 88] = [
    "Hmmss",
    "hmmss",
    "Hmm",
    "hmm",
    "HH",
    "H",
    "hh",
    "h",
    "kk",
    "k",
    "mm",
    "m",
    "ss",
    "s",
    "MMMM",
    "MMM",
    "MM",
    "Mo",
    "M",
    "DDDD",
    "DDDo",
    "DDD",
    "DD",
    "Do",
    "D",
    "dddd",
    "ddd",
    "dd",
    "do",
    "d",
    "e",
    "E",
    "wo",
    "ww",
    "w",
    "Wo",
    "WW",
    "W",
    "Qo",
    "Q",
    "YYYYYY",
    "YYYYY",
    "YYYY",
    "YY",
    "Y",
    "yyyy",
    "yyy",
    "yy",
    "yo",
    "y",
    "NNNNN",
    "NNNN",
    "NNN",
    "NN",
    "N",
    "ggggg",
    "gggg",
    "gg",
    "GGGGG",
    "GGGG",
    "GG",
    "A",
    "a",
    "SSSSSSSSS",
    "SSSSSSSS",
    "SSSSSSS",
    "SSSSSS",
    "SSSSS",
    "SSSS",
    "SSS",
    "SS",
    "S",
    "zz",
    "z",
    "ZZ",
    "Z",
    "X",
    "x",
    "LTS",
    "LT",
    "LLLL",
    "LLL",
    "LL",
    "L",
    "llll",
    "lll",
    "ll",
    "l",
];

/// Expansions of the locale-dependent tokens in English.
const LONG: [(&str, &str); 10] = [
    ("LTS", "h:mm:ss A"),
    ("LT", "h:mm A"),
    ("LLLL", "dddd, MMMM D, YYYY h:mm A"),
    ("LLL", "MMMM D, YYYY h:mm A"),
    ("LL", "MMMM D, YYYY"),
    ("L", "MM/DD/YYYY"),
    ("llll", "ddd, MMM D, YYYY h:mm A"),
    ("lll", "MMM D, YYYY h:mm A"),
    ("ll", "MMM D, YYYY"),
    ("l", "M/D/YYYY"),
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

fn read(format: &str, whole: bool, pieces: &mut Vec<Piece>) {
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        if first == '['
            && let Some(inside) = bracketed(rest)
        {
            literal(pieces, inside);
            rest = &rest[inside.len() + 2..];
            continue;
        }
        if first == '\\' {
            // The backslash is dropped; the following token or character is literal.
            rest = &rest[1..];
            let length = token_at(rest).map_or(rest.chars().next().map_or(0, char::len_utf8), str::len);
            literal(pieces, &rest[..length]);
            rest = &rest[length..];
            continue;
        }
        match token_at(rest) {
            Some(token) => {
                match LONG.iter().find(|(name, _)| *name == token) {
                    Some((_, meaning)) if whole => read(meaning, false, pieces),
                    _ => pieces.push(Piece::Token(token)),
                }
                rest = &rest[token.len()..];
            }
            None => {
                literal(pieces, &rest[..first.len_utf8()]);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
}

fn token_at(text: &str) -> Option<&'static str> {
    TOKENS.into_iter().find(|token| text.starts_with(token))
}

/// The text in brackets at the start of a text. As in Moment it may contain `]`: the last one before the
/// next `[` closes it.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?;
    let inner = &inner[..inner.find('[').unwrap_or(inner.len())];
    Some(&inner[..inner.rfind(']')?])
}

fn literal(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Literal(before)) => before.push_str(text),
        _ => pieces.push(Piece::Literal(text.to_owned())),
    }
}

fn formatted(token: &str, at: &Zoned) -> String {
    let date = at.date();
    let (year, month, day) = (i64::from(at.year()), i64::from(at.month()), i64::from(at.day()));
    let weekday = usize::try_from(date.weekday().to_sunday_zero_offset()).unwrap_or_default();
    let (hour, minute, second) = (i64::from(at.hour()), i64::from(at.minute()), i64::from(at.second()));
    let half = if hour % 12 == 0 { 12 } else { hour % 12 };
    let iso = date.iso_week_date();
    let name = |names: &[&str], at: usize, letters: usize| {
        names.get(at).map(|name| name[..letters.min(name.len())].to_owned()).unwrap_or_default()
    };
    let era_year = if year > 0 { year } else { 1 - year };
    match token {
        "M" => month.to_string(),
        "Mo" => ordinal(month),
        "MM" => padded(month, 2),
        "MMM" => name(&MONTHS, usize::try_from(month - 1).unwrap_or_default(), 3),
        "MMMM" => name(&MONTHS, usize::try_from(month - 1).unwrap_or_default(), usize::MAX),
        "Q" => ((month + 2) / 3).to_string(),
        "Qo" => ordinal((month + 2) / 3),
        "D" => day.to_string(),
        "Do" => ordinal(day),
        "DD" => padded(day, 2),
        "DDD" => date.day_of_year().to_string(),
        "DDDo" => ordinal(date.day_of_year().into()),
        "DDDD" => padded(date.day_of_year().into(), 3),
        "d" | "e" => weekday.to_string(),
        "do" => ordinal(i64::try_from(weekday).unwrap_or_default()),
        "dd" => name(&DAYS, weekday, 2),
        "ddd" => name(&DAYS, weekday, 3),
        "dddd" => name(&DAYS, weekday, usize::MAX),
        "E" => date.weekday().to_monday_one_offset().to_string(),
        "w" => local_week(date).1.to_string(),
        "wo" => ordinal(local_week(date).1),
        "ww" => padded(local_week(date).1, 2),
        "W" => iso.week().to_string(),
        "Wo" => ordinal(iso.week().into()),
        "WW" => padded(iso.week().into(), 2),
        "gg" => padded(local_week(date).0 % 100, 2),
        "gggg" => padded(local_week(date).0, 4),
        "ggggg" => padded(local_week(date).0, 5),
        "GG" => padded(i64::from(iso.year()) % 100, 2),
        "GGGG" => padded(iso.year().into(), 4),
        "GGGGG" => padded(iso.year().into(), 5),
        "YY" => padded(year % 100, 2),
        // Years end at 9999 here, up to which `Y` has no sign.
        "Y" | "YYYY" => padded(year, 4),
        "YYYYY" => padded(year, 5),
        "YYYYYY" => format!("{}{}", if year < 0 { "" } else { "+" }, padded(year, 6)),
        "y" => era_year.to_string(),
        "yo" => ordinal(era_year),
        "yy" => padded(era_year, 2),
        "yyy" => padded(era_year, 3),
        "yyyy" => padded(era_year, 4),
        "N" | "NN" | "NNN" | "NNNNN" => if year > 0 { "AD" } else { "BC" }.to_owned(),
        "NNNN" => if year > 0 { "Anno Domini" } else { "Before Christ" }.to_owned(),
        "A" => if hour < 12 { "AM" } else { "PM" }.to_owned(),
        "a" => if hour < 12 { "am" } else { "pm" }.to_owned(),
        "H" => hour.to_string(),
        "HH" => padded(hour, 2),
        "h" => half.to_string(),
        "hh" => padded(half, 2),
        "k" => if hour == 0 { 24 } else { hour }.to_string(),
        "kk" => padded(if hour == 0 { 24 } else { hour }, 2),
        "m" => minute.to_string(),
        "mm" => padded(minute, 2),
        "s" => second.to_string(),
        "ss" => padded(second, 2),
        "Hmm" => format!("{hour}{minute:02}"),
        "Hmmss" => format!("{hour}{minute:02}{second:02}"),
        "hmm" => format!("{half}{minute:02}"),
        "hmmss" => format!("{half}{minute:02}{second:02}"),
        "Z" => offset(at, ":"),
        "ZZ" => offset(at, ""),
        "X" => at.timestamp().as_second().to_string(),
        "x" => at.timestamp().as_millisecond().to_string(),
        token if token.starts_with('S') => {
            // Moment has milliseconds; further digits are zeros.
            let digits = format!("{:03}000000", at.millisecond());
            digits[..token.len().min(digits.len())].to_owned()
        }
        // `z` is a zone's name, which a plain moment lacks.
        _ => String::new(),
    }
}

fn padded(number: i64, width: usize) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{:0width$}", number.unsigned_abs())
}

fn ordinal(number: i64) -> String {
    let ending = match (number % 100 / 10, number % 10) {
        (1, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

fn offset(at: &Zoned, between: &str) -> String {
    let minutes = at.offset().seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}{between}{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

/// Year and number of the week, from Sunday to Saturday.
fn local_week(date: Date) -> (i64, i64) {
    let saturday = i64::from(date.day_of_year()) + 6 - i64::from(date.weekday().to_sunday_zero_offset());
    let days = i64::from(date.days_in_year());
    let year = i64::from(date.year());
    // The week of 1 January belongs to the new year, however few of its days do.
    if saturday > days { (year + 1, 1) } else { (year, (saturday + 6) / 7) }
}

/// The date of a weekday (0 is Sunday) in such a week.
fn in_local_week(year: i16, week: i64, weekday: i64) -> Option<Date> {
    let first = Date::new(year, 1, 1).ok()?;
    let days = (week - 1) * 7 + weekday - i64::from(first.weekday().to_sunday_zero_offset());
    first.checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}

/// Number of bytes that the token matches at the start of the text.
fn length_of(token: &str, text: &str) -> Option<usize> {
    let number = |least: usize, most: usize| {
        let digits = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
        (digits >= least).then_some(digits)
    };
    let with_ending = |most: usize| number(1, most).map(|digits| digits + 2);
    let one_of = |names: &[&str], letters: usize| {
        names
            .iter()
            .map(|name| &name[..letters.min(name.len())])
            .filter(|name| text.starts_with(name))
            .map(str::len)
            .max()
    };
    let signed = |least: usize, most: usize| {
        let sign = usize::from(text.starts_with(['+', '-']));
        let digits = text.bytes().skip(sign).take(most).take_while(u8::is_ascii_digit).count();
        (digits >= least).then_some(sign + digits)
    };
    match token {
        "Q" | "d" | "e" | "E" => number(1, 1),
        "Qo" | "do" => with_ending(1),
        "M" | "D" | "w" | "W" | "H" | "h" | "k" | "m" | "s" => number(1, 2),
        "Mo" | "Do" | "wo" | "Wo" => with_ending(2),
        "MM" | "DD" | "ww" | "WW" | "YY" | "gg" | "GG" | "HH" | "hh" | "kk" | "mm" | "ss" => number(2, 2),
        "DDD" => number(1, 3),
        "DDDo" => with_ending(3),
        "DDDD" => number(3, 3),
        "YYYY" | "Y" | "gggg" | "GGGG" | "yyyy" => number(4, 4),
        "YYYYY" | "ggggg" | "GGGGG" => number(5, 5),
        "YYYYYY" => signed(6, 6),
        "MMM" => one_of(&MONTHS, 3),
        "MMMM" => one_of(&MONTHS, usize::MAX),
        "dd" => one_of(&DAYS, 2),
        "ddd" => one_of(&DAYS, 3),
        "dddd" => one_of(&DAYS, usize::MAX),
        "A" => one_of(&["AM", "PM"], 2),
        "a" => one_of(&["am", "pm"], 2),
        "Hmm" | "hmm" => number(3, 4),
        "Hmmss" | "hmmss" => number(5, 6),
        "z" | "zz" => Some(0),
        "ZZ" => signed(4, 4),
        "Z" => (text.len() >= 6 && text.starts_with(['+', '-'])).then_some(6),
        token if token.starts_with('S') => number(token.len(), token.len()),
        // Eras and Unix times do not occur in names of daily notes.
        _ => None,
    }
}

fn is_of_time(token: &str) -> bool {
    matches!(
        token.as_bytes().first(),
        Some(b'H' | b'h' | b'k' | b'm' | b's' | b'S' | b'A' | b'a' | b'z' | b'Z')
    )
}

/// The date components parsed from a text.
#[derive(Debug, Default)]
struct Named {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    day_of_year: Option<i16>,
    /// 0 is Sunday.
    weekday: Option<i8>,
    iso: (Option<i16>, Option<i8>),
    local: (Option<i16>, Option<i8>),
}

impl Named {
    fn take(&mut self, token: &str, part: &str) {
        let digits = part.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let digits = digits.strip_prefix('+').unwrap_or(digits);
        let number = digits.parse::<i16>().ok();
        let small = number.and_then(|number| i8::try_from(number).ok());
        // Two-digit years as in Moment: up to 68 is 20xx.
        let century = number.map(|year| if year > 68 { 1900 + year } else { 2000 + year });
        let among = |names: &[&str]| {
            let at = names.iter().position(|name| name.starts_with(part))?;
            i8::try_from(at).ok()
        };
        match token {
            "Y" | "YYYY" | "YYYYY" | "YYYYYY" | "yyyy" => self.year = number,
            "YY" => self.year = century,
            "M" | "Mo" | "MM" => self.month = small,
            "MMM" | "MMMM" => self.month = among(&MONTHS).map(|at| at + 1),
            "D" | "Do" | "DD" => self.day = small,
            "DDD" | "DDDo" | "DDDD" => self.day_of_year = number,
            "d" | "e" | "do" => self.weekday = small,
            "E" => self.weekday = small.map(|day| day % 7),
            "dd" | "ddd" | "dddd" => self.weekday = among(&DAYS),
            "GGGG" | "GGGGG" => self.iso.0 = number,
            "GG" => self.iso.0 = century,
            "W" | "Wo" | "WW" => self.iso.1 = small,
            "gggg" | "ggggg" => self.local.0 = number,
            "gg" => self.local.0 = century,
            "w" | "wo" | "ww" => self.local.1 = small,
            _ => {}
        }
    }

    fn date(&self) -> Option<Date> {
        if let (Some(year), Some(month), Some(day)) = (self.year, self.month, self.day) {
            return Date::new(year, month, day).ok();
        }
        if let (Some(year), Some(day)) = (self.year, self.day_of_year) {
            let first = Date::new(year, 1, 1).ok()?;
            return first.checked_add(jiff::Span::new().try_days(i64::from(day) - 1).ok()?).ok();
        }
        let weekday = self.weekday?;
        if let (Some(year), Some(week)) = self.iso {
            let weekday = Weekday::from_sunday_zero_offset(weekday).ok()?;
            return Some(ISOWeekDate::new(year, week, weekday).ok()?.date());
        }
        let (Some(year), Some(week)) = self.local else { return None };
        in_local_week(year, week.into(), weekday.into())
    }
}
