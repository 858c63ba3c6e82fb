//! Plain formats of dates and numbers, and the likely meaning of other formats.

use jiff::civil::Date;
pub(super) use nova_figures::plain_date as date;
use nova_figures::plain_decimal;
use rust_decimal::Decimal;

/// Parses a plain decimal without leading zeros; `None` if it has more digits than can be computed exactly.
pub(super) fn decimal(text: &str) -> Option<Decimal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let padded = unsigned.len() > 1 && unsigned.starts_with('0') && !unsigned.starts_with("0.");
    plain_decimal(text).filter(|_| !padded)
}

/// As [`decimal`], without a point.
pub(super) fn integer(text: &str) -> Option<i64> {
    decimal(text).filter(|_| !text.contains('.')).and_then(|_| text.parse().ok())
}

/// The intended date, if it is unambiguous.
pub(super) fn meant_date(text: &str) -> Option<Date> {
    let text = text.trim();
    // Only text after a space or the T of a date-time is a time.
    let day = text.split([' ', 'T', 't']).next().unwrap_or(text);
    if let Some(date) = date(day) {
        return Some(date);
    }
    if day.len() == 8 && is_digits(day) {
        return date(&format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]));
    }
    let separator = day.chars().find(|c| matches!(c, '.' | '/' | '-'))?;
    let parts: Vec<&str> = day.split(separator).collect();
    let [a, b, c] = parts.as_slice() else { return None };
    if !(is_digits(a) && is_digits(b) && is_digits(c)) {
        return None;
    }
    let in_order = |year: &str, month: &str, day: &str| {
        (year.len() == 4 && month.len() <= 2 && day.len() <= 2)
            .then(|| date(&format!("{year}-{month:0>2}-{day:0>2}")))
            .flatten()
    };
    if a.len() == 4 {
        return in_order(a, b, c);
    }
    let day_first = in_order(c, b, a);
    // With dots, the day comes first everywhere: 31.12.2026.
    if separator == '.' {
        return day_first;
    }
    match (day_first, in_order(c, a, b)) {
        (Some(one), Some(other)) if one != other => None,
        (one, other) => one.or(other),
    }
}

/// The plain forms of a number: none, one, or both readings of `1,250`.
pub(super) fn meant_decimals(text: &str) -> Vec<String> {
    let text = without_currency(text.trim());
    let (sign, text) = match text.strip_prefix(['-', '+', '−']) {
        Some(rest) if text.starts_with('+') => ("", rest),
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    // Characters that only group digits.
    let compact: String = without_currency(text.trim())
        .chars()
        .filter(|c| !matches!(c, '\'' | '’' | '_') && !c.is_whitespace())
        .collect();
    if compact.is_empty() || !compact.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',')) {
        return Vec::new();
    }
    let forms = match (compact.rfind('.'), compact.rfind(',')) {
        (None, None) => vec![compact],
        (Some(point), Some(comma)) => {
            let (last, other) = if point > comma { ('.', ',') } else { (',', '.') };
            let (whole, fraction) = compact.rsplit_once(last).unwrap_or_default();
            if whole.contains(last) {
                return Vec::new();
            }
            grouped(whole, other).map(|whole| format!("{whole}.{fraction}")).into_iter().collect()
        }
        (point, _) => {
            let separator = if point.is_some() { '.' } else { ',' };
            let (whole, fraction) = compact.split_once(separator).unwrap_or_default();
            let as_point = (!fraction.contains(separator)).then(|| format!("{whole}.{fraction}"));
            grouped(&compact, separator).into_iter().chain(as_point).collect()
        }
    };
    forms
        .iter()
        .map(|form| format!("{sign}{}", trimmed(form)))
        .filter(|form| decimal(form).is_some())
        .collect()
}

/// Joins the digits of `1,250,000` if the separator precedes each group of three.
fn grouped(text: &str, separator: char) -> Option<String> {
    let mut groups = text.split(separator);
    let first = groups.next()?;
    let begins = (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0');
    let goes_on = groups.all(|group| group.len() == 3 && is_digits(group));
    (begins && goes_on).then(|| text.replace(separator, ""))
}

/// Removes leading zeros and an empty fraction; `.5` gets its zero.
fn trimmed(form: &str) -> String {
    let (whole, fraction) = form.split_once('.').unwrap_or((form, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// Removes a currency sign or code, or a percent sign, at either end.
fn without_currency(text: &str) -> &str {
    let is_code = |code: &str| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
    let signs = ['$', '€', '£', '¥', '₹', '₽', '₺', '₩', '₪', '฿', '₫', '₴', '%'];
    let text = text.trim_matches(signs).trim();
    let text = match text.get(..3) {
        Some(code) if is_code(code) => text[3..].trim_start(),
        _ => text,
    };
    match text.len().checked_sub(3).and_then(|at| Some((at, text.get(at..)?))) {
        Some((at, code)) if is_code(code) => text[..at].trim_end(),
        _ => text,
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_dates_are_parsed() {
        assert_eq!(date("2026-12-31").map(|date| date.to_string()).as_deref(), Some("2026-12-31"));
        for text in
            ["", "2026-02-30", "2026-2-3", "20261231", "2026-12-31T10:00", " 2026-12-31", "2026-12-31x"]
        {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn only_plain_decimals_are_parsed() {
        for (text, value) in [("0", "0"), ("-3", "-3"), ("1250.50", "1250.50"), ("0.05", "0.05")] {
            assert_eq!(decimal(text).map(|value| value.to_string()).as_deref(), Some(value), "{text}");
        }
        for text in [
            "",
            "-",
            ".5",
            "5.",
            "+5",
            "1e3",
            "0x1F",
            "010",
            "1_000",
            "1,5",
            "1 000",
            "1.2.3",
            "--1",
            "²",
            // 30 digits.
            "123456789012345678901234567890",
            ".nan",
            "€ 12",
        ] {
            assert_eq!(decimal(text), None, "{text}");
        }
        assert_eq!(integer("42"), Some(42));
        assert_eq!((integer("42.0"), integer("99999999999999999999")), (None, None));
    }

    #[test]
    fn unambiguous_date_is_suggested() {
        for (text, meant) in [
            ("31.12.2026", "2026-12-31"),
            ("1.2.2026", "2026-02-01"),
            ("2026/2/3", "2026-02-03"),
            ("2026-2-3", "2026-02-03"),
            ("2026-12-31T10:00", "2026-12-31"),
            ("2026-12-31 10:00", "2026-12-31"),
            ("20261231", "2026-12-31"),
            ("12/31/2026", "2026-12-31"),
            ("31/12/2026", "2026-12-31"),
            ("5/5/2026", "2026-05-05"),
            ("3/4/2026", "-"),
            ("31.12.26", "-"),
            ("30.2.2026", "-"),
            ("next Friday", "-"),
            ("Tuesday", "-"),
            ("", "-"),
            ("１.２.２０２６", "-"),
        ] {
            let found = meant_date(text).map_or_else(|| "-".to_owned(), |date| date.to_string());
            assert_eq!(found, meant, "{text}");
        }
    }

    #[test]
    fn each_reading_of_a_number_is_suggested() {
        for (text, meant) in [
            ("1,250.50", "1250.50"),
            ("1.250,50", "1250.50"),
            ("1.250.000", "1250000"),
            ("1,250", "1250 1.250"),
            ("€ 1.250", "1250 1.250"),
            ("12,5", "12.5"),
            ("0,250", "0.250"),
            ("€ 12", "12"),
            ("12 EUR", "12"),
            ("EUR 12.50", "12.50"),
            ("-€12", "-12"),
            ("+5", "5"),
            ("1'250.50", "1250.50"),
            ("1 250,50", "1250.50"),
            ("1_000", "1000"),
            (".5", "0.5"),
            ("5.", "5"),
            ("010", "10"),
            ("50 %", "50"),
            ("12k", ""),
            ("1e3", ""),
            ("1.2.3", ""),
            ("1,2.3,4", ""),
            ("about 12", ""),
            ("", ""),
            ("€", ""),
        ] {
            assert_eq!(meant_decimals(text).join(" "), meant, "{text}");
        }
    }
}
