//! Parses the dates and amounts of banks and brokers.

use nova_skill::Decimal;
use nova_skill::figures::folded;
use nova_skill::jiff::civil::Date;

/// A date format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateFormat {
    /// The name in mappings and notes.
    pub name: &'static str,
    order: Order,
    /// `None` if the digits are contiguous.
    separator: Option<char>,
    year_digits: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    YearMonthDay,
    DayMonthYear,
    MonthDayYear,
}

const fn format(name: &'static str, order: Order, separator: Option<char>, year_digits: usize) -> DateFormat {
    DateFormat { name, order, separator, year_digits }
}

/// The known formats. Only day-first formats use points.
pub const DATE_FORMATS: [DateFormat; 12] = [
    format("YYYY-MM-DD", Order::YearMonthDay, Some('-'), 4),
    format("DD.MM.YYYY", Order::DayMonthYear, Some('.'), 4),
    format("DD.MM.YY", Order::DayMonthYear, Some('.'), 2),
    format("DD/MM/YYYY", Order::DayMonthYear, Some('/'), 4),
    format("MM/DD/YYYY", Order::MonthDayYear, Some('/'), 4),
    format("DD/MM/YY", Order::DayMonthYear, Some('/'), 2),
    format("MM/DD/YY", Order::MonthDayYear, Some('/'), 2),
    format("YYYY/MM/DD", Order::YearMonthDay, Some('/'), 4),
    format("DD-MM-YYYY", Order::DayMonthYear, Some('-'), 4),
    format("MM-DD-YYYY", Order::MonthDayYear, Some('-'), 4),
    format("YYYYMMDD", Order::YearMonthDay, None, 4),
    format("DD MMM YYYY", Order::DayMonthYear, Some(' '), 4),
];

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

impl DateFormat {
    pub fn named(name: &str) -> Option<Self> {
        DATE_FORMATS.into_iter().find(|format| format.name.eq_ignore_ascii_case(name.trim()))
    }

    /// Parses a date; a time after it is ignored.
    pub fn read(self, text: &str) -> Option<Date> {
        // A broker may append the trade's date to the booking date: `03/12/2026 as of 03/10/2026`.
        let text = text.split_once(" as of ").map_or(text, |(day, _)| day).trim();
        if self.name == "DD MMM YYYY" {
            let mut parts = text.split([' ', '-']).filter(|part| !part.is_empty());
            let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
            let name = folded(month);
            let month = MONTHS.iter().position(|known| name.starts_with(known))?;
            return self.date(year, &(month + 1).to_string(), day);
        }
        let (day, time) = text.split_once([' ', 'T', 't', ',', ';']).unwrap_or((text, ""));
        if !time
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ':' | '.' | ' ' | '+' | 'Z' | 'A' | 'P' | 'M'))
        {
            return None;
        }
        let Some(separator) = self.separator else {
            return (day.len() == 8)
                .then(|| self.date(day.get(..4)?, day.get(4..6)?, day.get(6..)?))
                .flatten();
        };
        let mut parts = day.split(separator);
        let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some_and(|rest| !rest.is_empty()) {
            return None;
        }
        match self.order {
            Order::YearMonthDay => self.date(a, b, c),
            Order::DayMonthYear => self.date(c, b, a),
            Order::MonthDayYear => self.date(c, a, b),
        }
    }

    fn date(self, year: &str, month: &str, day: &str) -> Option<Date> {
        let number = |text: &str, digits: std::ops::RangeInclusive<usize>| {
            let plain = digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| text.parse::<i16>().ok()).flatten()
        };
        let year = number(year, self.year_digits..=self.year_digits)?;
        // Two-digit years are in this century.
        let year = if self.year_digits == 2 { 2000 + year } else { year };
        let (month, day) = (number(month, 1..=2)?, number(day, 1..=2)?);
        Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
    }
}

/// Whether it is a date in any of the known formats.
pub fn is_date(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(|first: char| first.is_ascii_digit())
        && (6..=40).contains(&text.len())
        && DATE_FORMATS.iter().any(|format| format.read(text).is_some())
}

/// The formats that fit every one of these texts.
pub fn date_formats<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<DateFormat> {
    let mut fitting: Vec<DateFormat> = DATE_FORMATS.to_vec();
    let mut any = false;
    for text in texts.filter(|text| !text.trim().is_empty()) {
        any = true;
        fitting.retain(|format| format.read(text).is_some());
        if fitting.is_empty() {
            break;
        }
    }
    if any { fitting } else { Vec::new() }
}

/// Parses an amount with this decimal sign. Plus signs, spaces, apostrophes and a currency are ignored, and
/// the other sign may group digits by three. A minus at either end or parentheses negate it.
pub fn amount(text: &str, decimal: char) -> Option<Decimal> {
    let kept: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '\'' | '’' | '"' | '€' | '$' | '£' | '¥' | '\u{202f}'))
        .collect();
    let kept = without_code(&kept);
    let (negative, digits) = match kept.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => (true, inner),
        None => match kept.strip_prefix(['-', '−']).or_else(|| kept.strip_suffix(['-', '−'])) {
            Some(rest) => (true, rest),
            None => (false, kept.strip_prefix('+').or_else(|| kept.strip_suffix('+')).unwrap_or(kept)),
        },
    };
    let digits = without_code(digits);
    let groups = if decimal == ',' { '.' } else { ',' };
    let (whole, fraction) = match digits.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if fraction.is_some_and(|fraction| !is_digits(fraction)) {
        return None;
    }
    let mut parts = whole.split(groups);
    let first = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    // Digits are not grouped after a leading zero: `0,125` is an eighth or invalid.
    let grouped = rest.is_empty() || ((1..=3).contains(&first.len()) && !first.starts_with('0'));
    if !grouped || !is_digits(first) || !rest.iter().all(|group| group.len() == 3 && is_digits(group)) {
        return None;
    }
    let fraction = fraction.filter(|fraction| !fraction.is_empty());
    let whole = format!("{first}{}", rest.concat());
    if whole.is_empty() && fraction.is_none() {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { &whole };
    let plain = fraction.map_or_else(|| whole.to_owned(), |fraction| format!("{whole}.{fraction}"));
    let value = Decimal::from_str_exact(&plain).ok()?;
    Some(if negative { -value } else { value })
}

/// Strips a currency code at either end.
fn without_code(text: &str) -> &str {
    let is_code = |code: &str| code.bytes().all(|byte| byte.is_ascii_uppercase());
    if let Some(code) = text.get(..3).filter(|code| is_code(code)) {
        return &text[code.len()..];
    }
    match text.len().checked_sub(3).and_then(|at| Some((at, text.get(at..)?))) {
        Some((at, code)) if is_code(code) => &text[..at],
        _ => text,
    }
}

/// Whether an amount is negative with either decimal sign; `None` for zero or an invalid amount.
pub fn is_negative(text: &str) -> Option<bool> {
    let read = amount(text, '.').or_else(|| amount(text, ','))?;
    (!read.is_zero()).then(|| read.is_sign_negative())
}

/// The currency next to an amount, as written.
pub fn currency_beside(text: &str) -> Option<String> {
    let said: String =
        text.chars().filter(|c| c.is_ascii_uppercase() || matches!(c, '€' | '$' | '£' | '¥')).collect();
    (!said.is_empty()).then_some(said)
}

/// The currencies that a symbol may mean; empty if it is not a symbol.
pub fn currencies_of_sign(sign: &str) -> &'static [&'static str] {
    match sign {
        "€" => &["EUR"],
        "£" => &["GBP"],
        "¥" => &["CNY", "JPY"],
        "$" => &[
            "USD", "ARS", "AUD", "BBD", "BMD", "BND", "BSD", "BZD", "CAD", "CLP", "COP", "FJD", "GYD", "HKD",
            "JMD", "KYD", "LRD", "MXN", "NAD", "NZD", "SBD", "SGD", "SRD", "TTD", "TWD", "UYU", "XCD",
        ],
        _ => &[],
    }
}

/// The decimal signs that fit every one of these texts. If both fit, the one that yields at most `places`
/// decimals is preferred; `None` stands for prices, which have any number.
pub fn decimal_signs<'a>(texts: impl Iterator<Item = &'a str>, places: Option<u32>) -> Vec<char> {
    let (mut fits, mut fine) = ([true; 2], [true; 2]);
    let (mut differ, mut any) = (false, false);
    for text in texts.filter(|text| !text.trim().is_empty()) {
        any = true;
        let read = ['.', ','].map(|sign| amount(text, sign));
        for at in 0..2 {
            fits[at] &= read[at].is_some();
            fine[at] &= read[at].is_some_and(|value| places.is_none_or(|places| value.scale() <= places));
        }
        differ |= read[0] != read[1];
    }
    match (any, fits) {
        (false, _) | (_, [false, false]) => Vec::new(),
        (_, [true, false]) => vec!['.'],
        (_, [false, true]) => vec![','],
        (_, [true, true]) if !differ => vec!['.'],
        (_, [true, true]) => match fine {
            [true, false] => vec!['.'],
            [false, true] => vec![','],
            _ => vec!['.', ','],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_parsed_in_all_notations() {
        for (text, decimal, value) in [
            ("1,234.50", '.', "1234.50"),
            ("1.234,50", ',', "1234.50"),
            ("1'234.50", '.', "1234.50"),
            ("1 234,50", ',', "1234.50"),
            ("1\u{a0}234,50 €", ',', "1234.50"),
            ("-12,30", ',', "-12.30"),
            ("12,30-", ',', "-12.30"),
            ("−12,30", ',', "-12.30"),
            ("(12.30)", '.', "-12.30"),
            ("+8000", '.', "8000"),
            ("EUR 5.00", '.', "5.00"),
            ("-5.00 EUR", '.', "-5.00"),
            (",50", ',', "0.50"),
            ("12,", ',', "12"),
            ("1,25", '.', "-"),
            ("1.2.3", '.', "-"),
            ("12a3", '.', "-"),
            ("", '.', "-"),
            ("-", '.', "-"),
            ("abc", '.', "-"),
            ("about 5", '.', "-"),
            ("5 or so", '.', "-"),
            ("EUR", '.', "-"),
        ] {
            let found = amount(text, decimal).map_or_else(|| "-".to_owned(), |value| value.to_string());
            assert_eq!(found, value, "{text}");
        }
    }

    #[track_caller]
    fn signs(texts: &[&str], expected: &str) {
        let found: String = decimal_signs(texts.iter().copied(), Some(2)).into_iter().collect();
        assert_eq!(found, expected, "{texts:?}");
    }

    #[test]
    fn decimal_sign_is_detected_unless_ambiguous() {
        signs(&["12,50", "1.234,00"], ",");
        signs(&["12.50", "1,234.00"], ".");
        signs(&["12", "", "13"], ".");
        signs(&["1,250", "12"], ".");
        signs(&["1.250", "12"], ",");
        signs(&["1,250", "1.5"], ".");
        signs(&["1.250", "1,250"], ".,");
        signs(&["12;50"], "");
        signs(&["0,125", "12"], ",");
        signs(&[], "");
        let prices = decimal_signs(["12.345", "7"].into_iter(), None);
        assert_eq!(prices, ['.', ','], "a price may have three places");
    }

    #[track_caller]
    fn formats(texts: &[&str], expected: &[&str]) {
        let found: Vec<&str> = date_formats(texts.iter().copied()).iter().map(|format| format.name).collect();
        assert_eq!(found, expected, "{texts:?}");
    }

    #[test]
    fn date_format_is_detected_unless_ambiguous() {
        formats(&["2026-11-03", "2026-12-31"], &["YYYY-MM-DD"]);
        formats(&["03.11.2026"], &["DD.MM.YYYY"]);
        formats(&["3.11.26"], &["DD.MM.YY"]);
        formats(&["03/11/2026", "04/05/2026"], &["DD/MM/YYYY", "MM/DD/YYYY"]);
        formats(&["03/11/2026", "14/11/2026"], &["DD/MM/YYYY"]);
        formats(&["03/11/2026", "11/14/2026"], &["MM/DD/YYYY"]);
        formats(&["20261103"], &["YYYYMMDD"]);
        formats(&["2026-11-03 10:22:01", "2026-11-04T10:22"], &["YYYY-MM-DD"]);
        formats(&["2026-11-03, 10:22:01", "2026-11-04;102201"], &["YYYY-MM-DD"]);
        formats(&["11/14/2026 as of 11/12/2026"], &["MM/DD/YYYY"]);
        formats(&["3 Nov 2026", "14 December 2026"], &["DD MMM YYYY"]);
        formats(&["31.02.2026"], &[]);
        formats(&["01.11.2026 - 30.11.2026"], &[]);
        formats(&["Corner Market"], &[]);
        formats(&[], &[]);
    }
}
