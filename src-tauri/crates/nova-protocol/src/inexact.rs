//! Finds numbers that JSON parsers would round.

/// The first number in a JSON text that a parser would change, because it has more digits than a double.
/// `None` for text that is not JSON.
pub fn inexact_number(json: &str) -> Option<&str> {
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' => {
                while let Some(byte) = bytes.get(at) {
                    at += if *byte == b'\\' { 2 } else { 1 };
                    if *byte == b'"' {
                        break;
                    }
                }
            }
            b'-' | b'0'..=b'9' => {
                while matches!(bytes.get(at), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
                    at += 1;
                }
                let written = &json[start..at];
                let read = serde_json::from_str::<serde_json::Number>(written).ok();
                if read.is_none_or(|number| value_of(&number.to_string()) != value_of(written)) {
                    return Some(written);
                }
            }
            _ => {}
        }
    }
    None
}

/// The value of a JSON number: its sign, its digits without zeros at either end, and its exponent.
fn value_of(number: &str) -> Option<(bool, String, i64)> {
    let (negative, number) = match number.strip_prefix('-') {
        Some(number) => (true, number),
        None => (false, number),
    };
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    let zeros = digits.len() - kept.len();
    let exponent = exponent.parse::<i64>().ok()? - fraction.len() as i64 + zeros as i64;
    let kept = kept.trim_start_matches('0');
    // All notations of zero are equal.
    Some(if kept.is_empty() { (false, String::new(), 0) } else { (negative, kept.to_owned(), exponent) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_parsing_would_change_are_found() {
        for (json, expected) in [
            (r#"{"x": 123456789012345678901}"#, Some("123456789012345678901")),
            (r#"{"x": [1, {"y": 1180.00}], "z": 0.10, "e": 12e2, "n": -0.0}"#, None),
            (r#"{"x": 0.1000000000000000055}"#, Some("0.1000000000000000055")),
            (r#"{"x": 1e400}"#, Some("1e400")),
            (r#"{"x": -1180.5, "y": 18446744073709551615, "z": 0, "f": 1.0}"#, None),
            (r#"{"x": "1180.00", "1180.00": "\"1180.00"}"#, None),
            (r#"{"x": "\\", "y": 0.12345678901234567890}"#, Some("0.12345678901234567890")),
            ("", None),
            ("\"", None),
            ("\"\\", None),
            ("ü", None),
        ] {
            assert_eq!(inexact_number(json), expected, "{json}");
        }
    }
}
