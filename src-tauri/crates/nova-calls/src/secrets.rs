use std::sync::{PoisonError, RwLock};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use nova_protocol::UserError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::ExposeSecret;
use serde_json::Value;

/// Replaces secrets in output.
const REDACTED: &str = "[REDACTED]";
/// Minimum length in bytes; a shorter secret would match innocent text.
const SHORTEST: usize = 6;
/// The characters that `encodeURIComponent` escapes.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// The credentials passed to a call. Redacted in all its output: this prevents accidents, but not a tool that
/// encodes them deliberately.
#[derive(Default)]
pub struct Secrets(RwLock<Vec<String>>);

impl Secrets {
    /// Redacts this credential from now on.
    pub fn add(&self, secret: &nova_skill::Secret) {
        let secret = secret.expose_secret();
        if secret.len() < SHORTEST {
            return;
        }
        let mut spellings = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for spelling in spellings_of(secret) {
            if !spellings.contains(&spelling) {
                spellings.push(spelling);
            }
        }
        // The longest first: one spelling may be part of another.
        spellings.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
    }

    pub fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Whether the text contains one of them.
    pub fn are_in(&self, text: &str) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).iter().any(|spelling| text.contains(spelling))
    }

    /// Whether a request would contain one, in its address, a header or its body.
    pub(crate) fn are_in_request(&self, request: &nova_skill::HttpRequest) -> bool {
        self.are_in(request.url.as_str())
            || request.headers.iter().any(|(name, value)| self.are_in(name) || self.are_in(value))
            || request.body.as_ref().is_some_and(|body| self.are_in(&String::from_utf8_lossy(body)))
    }

    pub fn scrub(&self, text: &mut String) {
        for spelling in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            if text.contains(spelling) {
                *text = text.replace(spelling, REDACTED);
            }
        }
    }

    pub fn scrub_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.scrub(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.scrub_value(item)),
            Value::Object(map) => {
                if map.keys().any(|key| self.are_in(key)) {
                    let entries = std::mem::take(map).into_iter();
                    *map = entries
                        .map(|(mut key, value)| {
                            self.scrub(&mut key);
                            (key, value)
                        })
                        .collect();
                }
                map.values_mut().for_each(|value| self.scrub_value(value));
            }
            Value::Number(number) if self.are_in(&number.to_string()) => *value = REDACTED.into(),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    pub(crate) fn scrub_error(&self, error: &mut UserError) {
        self.scrub(&mut error.message);
        self.scrub(&mut error.hint);
    }
}

/// The credential itself, and its encodings in URLs, JSON and base64.
fn spellings_of(secret: &str) -> Vec<String> {
    let mut spellings = vec![secret.to_owned()];
    let component = utf8_percent_encode(secret, COMPONENT).to_string();
    let form = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
    spellings.extend([component.replace("%20", "+"), form.replace("%20", "+"), component, form]);
    for quoted in [Value::from(secret).to_string(), format!("{secret:?}")] {
        spellings.extend(quoted.get(1..quoted.len() - 1).map(str::to_owned));
    }
    // Base64 maps three bytes to four letters, so the letters depend on the offset of the secret: for each of
    // the three offsets, keep the letters that depend on the secret alone.
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret.as_bytes());
        let whole = bytes.len() * 8 / 6;
        let own = (before * 8).div_ceil(6)..whole;
        for letters in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            if let Some(own) = letters.get(own.clone()).filter(|own| own.len() > SHORTEST) {
                spellings.push(own.to_owned());
            }
        }
    }
    spellings.retain(|spelling| spelling.len() >= SHORTEST);
    spellings
}

#[cfg(test)]
mod tests {
    use nova_skill::Secret;
    use serde_json::json;

    use super::*;

    const CANARY: &str = "sk-canary/1+2 \"x\"";

    fn scrubbed(text: &str) -> String {
        let secrets = Secrets::default();
        secrets.add(&Secret::from(CANARY));
        let mut text = text.to_owned();
        secrets.scrub(&mut text);
        text
    }

    #[test]
    fn secret_is_found_in_each_encoding() {
        for (text, expected) in [
            (CANARY, "[REDACTED]"),
            ("key=sk-canary%2F1%2B2%20%22x%22&b", "key=[REDACTED]&b"),
            ("key=sk-canary%2F1%2B2+%22x%22&b", "key=[REDACTED]&b"),
            ("key=sk%2Dcanary%2F1%2B2%20%22x%22", "key=[REDACTED]"),
            (r#"{"key":"sk-canary/1+2 \"x\""}"#, r#"{"key":"[REDACTED]"}"#),
        ] {
            assert_eq!(scrubbed(text), expected, "{text}");
        }
    }

    #[test]
    fn secret_is_found_within_base64_at_any_offset() {
        for before in ["", "a", "ab", "user:", "user1:", "user12:"] {
            let inside = format!("{before}{CANARY}!");
            for letters in [STANDARD_NO_PAD.encode(&inside), URL_SAFE_NO_PAD.encode(&inside)] {
                let text = scrubbed(&format!("Basic {letters}"));
                assert!(text.contains("[REDACTED]"), "{before:?}: {text}");
                assert!(text.len() < "Basic [REDACTED]".len() + before.len() * 2 + 8, "{before:?}: {text}");
            }
        }
    }

    #[test]
    fn values_and_keys_are_searched_recursively() {
        let secrets = Secrets::default();
        secrets.add(&Secret::from("12345678"));
        let mut value = json!({"a": ["x 12345678 y", 12345678, 1], "12345678": {"b": null}});
        secrets.scrub_value(&mut value);
        assert_eq!(value, json!({"a": ["x [REDACTED] y", "[REDACTED]", 1], "[REDACTED]": {"b": null}}));
    }

    #[test]
    fn short_secrets_are_not_redacted() {
        let secrets = Secrets::default();
        secrets.add(&Secret::from("abc"));
        secrets.add(&Secret::from(""));
        let mut text = "abcdef".to_owned();
        secrets.scrub(&mut text);
        assert_eq!(text, "abcdef");
    }
}
