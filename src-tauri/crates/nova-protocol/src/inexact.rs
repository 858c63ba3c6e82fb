//! Numbers that would not survive being read.

/// The first number in a JSON text that a reader of JSON would change: one with more digits than a
/// double holds, or with zeros that a price has and a double has not (`1180.00`). What is no JSON
/// has none that matter.
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
                if read.is_none_or(|number| number.to_string() != written) {
                    return Some(written);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_reading_would_change_is_found() {
        for (json, expected) in [
            (r#"{"x": 123456789012345678901}"#, Some("123456789012345678901")),
            (r#"{"x": [1, {"y": 1180.00}]}"#, Some("1180.00")),
            (r#"{"x": 0.1000000000000000055}"#, Some("0.1000000000000000055")),
            (r#"{"x": 1e400}"#, Some("1e400")),
            (r#"{"x": -1180.5, "y": 18446744073709551615, "z": 0, "f": 1.0}"#, None),
            (r#"{"x": "1180.00", "1180.00": "\"1180.00"}"#, None),
            (r#"{"x": "\\", "y": 1.50}"#, Some("1.50")),
            ("", None),
            ("\"", None),
            ("\"\\", None),
            ("ü", None),
        ] {
            assert_eq!(inexact_number(json), expected, "{json}");
        }
    }
}
