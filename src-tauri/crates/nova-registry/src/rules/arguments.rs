use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::wildcard::matches;
use crate::canonical;
use crate::wire::is_invisible;

/// Maximum length of compared values in bytes; no rule allows longer ones.
const MAX_VALUE: usize = 4096;

/// `name=value` in the parentheses of a pattern; `*` in the value matches any characters.
///
/// The matching depends on the purpose. A restriction matches everything that could be meant: any spelling,
/// at any depth, alone or in a list, and a missing argument. An allowance only matches a value that is
/// certainly meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Constraint {
    /// `message.to` is the key `to` in the object `message`.
    path: Vec<String>,
    value: String,
}

impl Constraint {
    /// Returns `None` if any of them cannot be parsed.
    pub(super) fn parse_all(text: &str) -> Option<Vec<Self>> {
        split_at_commas(text)?.iter().map(|part| Self::parse(part)).collect()
    }

    fn parse(text: &str) -> Option<Self> {
        let (key, value) = text.split_once('=')?;
        let path: Vec<String> = key.trim().split('.').map(str::to_owned).collect();
        let is_name = |name: &String| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        };
        let value = value.trim();
        let unquoted = ['"', '\''].iter().find_map(|quote| {
            value.len().ge(&2).then(|| value.strip_prefix(*quote)?.strip_suffix(*quote)).flatten()
        });
        let plain = |value: &&str| !value.contains(['(', ')', '"', '\'', '=', '<', '>', '|', '&']);
        let value = match unquoted {
            Some(inner) => inner,
            None => Some(value).filter(plain)?,
        };
        (path.iter().all(is_name) && !value.is_empty()).then(|| Self { path, value: value.to_owned() })
    }

    /// Whether the arguments could match.
    pub(super) fn could_match_args(&self, args: &Value) -> bool {
        let wanted: Vec<String> = self.path.iter().map(|name| canonical(name)).collect();
        let mut found = Vec::new();
        anywhere(args, &wanted, &mut found);
        let mut values = Vec::new();
        found.iter().for_each(|value| leaves(value, &mut values));
        // A missing argument could have any value.
        values.is_empty() || values.iter().any(|value| could_match(&self.value, value))
    }

    /// Whether the note could match, however the arguments refer to it: by its path, or by its name alone.
    pub(super) fn could_match_note(&self, note: &str) -> bool {
        let wanted = unlinked(&folded(&self.value));
        let wanted = wanted.trim_start_matches("./").trim_start_matches('/');
        let note = folded(note);
        let bare = note.trim_end_matches(".md");
        let name = bare.rsplit('/').next().unwrap_or(bare);
        [note.as_str(), bare, name]
            .iter()
            .any(|spelling| matches(wanted, spelling) || matches(wanted.trim_end_matches(".md"), spelling))
    }

    /// Whether the note certainly matches: by its path, or by its full name.
    pub(super) fn certainly_matches_note(&self, note: &str) -> bool {
        let bare = note.strip_suffix(".md").unwrap_or(note);
        let name = bare.rsplit('/').next().unwrap_or(bare);
        certainly_matches(&self.value, note) || certainly_matches(&self.value, bare) || self.value == name
    }

    /// Whether it constrains this top-level argument of the call.
    pub(super) fn is_about(&self, argument: &str) -> bool {
        self.path == [argument]
    }

    /// Whether it matches any value.
    pub(super) fn means_anything(&self) -> bool {
        self.value == "*"
    }

    /// Whether the arguments certainly match.
    pub(super) fn certainly_matches_args(&self, args: &Value) -> bool {
        let mut at = args;
        for name in &self.path {
            match at.get(name) {
                Some(inner) => at = inner,
                None => return false,
            }
        }
        let items = match at {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        !items.is_empty()
            && items.iter().all(|item| match item {
                Value::String(text) => certainly_matches(&self.value, text),
                Value::Number(number) => certainly_matches(&self.value, &number.to_string()),
                Value::Bool(value) => certainly_matches(&self.value, &value.to_string()),
                Value::Null | Value::Array(_) | Value::Object(_) => false,
            })
    }
}

/// Splits at commas outside of quotes. `None` if a quote is not closed.
fn split_at_commas(text: &str) -> Option<Vec<String>> {
    let (mut parts, mut part, mut quote) = (Vec::new(), String::new(), None);
    for c in text.chars() {
        match (c, quote) {
            (',', None) => parts.push(std::mem::take(&mut part)),
            ('"' | '\'', None) => {
                quote = Some(c);
                part.push(c);
            }
            (c, open) => {
                if open == Some(c) {
                    quote = None;
                }
                part.push(c);
            }
        }
    }
    parts.push(part);
    quote.is_none().then_some(parts)
}

/// Collects all values under the path, at any depth.
fn anywhere<'a>(value: &'a Value, wanted: &[String], found: &mut Vec<&'a Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| anywhere(item, wanted, found)),
        Value::Object(entries) => {
            for (key, inner) in entries {
                if wanted.first().is_some_and(|name| *name == canonical(key)) {
                    match &wanted[1..] {
                        [] => found.push(inner),
                        rest => anywhere(inner, rest, found),
                    }
                }
                anywhere(inner, wanted, found);
            }
        }
        _ => {}
    }
}

fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Bool(value) => found.push(value.to_string()),
        Value::Number(number) => found.push(number.to_string()),
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, found)),
        Value::Object(entries) => {
            for (key, inner) in entries {
                found.push(key.clone());
                leaves(inner, found);
            }
        }
    }
}

/// Whether a value could match the pattern, in any spelling.
fn could_match(pattern: &str, value: &str) -> bool {
    let wanted = spaced_once(&folded(pattern));
    let is_path = wanted.contains('/');
    let decoded = percent_decoded(value);
    let wanted = [wanted.clone(), wanted.trim_end_matches(".md").to_owned()];
    [value, &decoded].iter().any(|value| {
        let text = spaced_once(&folded(value));
        // A name without a folder may refer to any note; a path with `..` may end anywhere.
        if is_path && (!text.contains(['/', '\\']) || climbs(&text)) {
            return true;
        }
        let slashes = text.replace('\\', "/");
        let path: Vec<&str> = slashes.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let mut spelled = vec![text.clone(), path.join("/"), format!("/{}", path.join("/")), slashes.clone()];
        spelled.push(unlinked(&slashes));
        // One text may contain several values: a list of recipients, "Jane <jane@…>".
        spelled.extend(text.split([',', ';', '<', '>', '"', '\'', '(', ')']).map(str::to_owned));
        spelled.extend(text.split(|c: char| c.is_whitespace() || ",;<>\"'()".contains(c)).map(str::to_owned));
        spelled.iter().any(|spelling| {
            let spelling = spelling.trim().trim_end_matches('.');
            wanted
                .iter()
                .any(|wanted| matches(wanted, spelling) || matches(wanted, spelling.trim_end_matches(".md")))
        })
    })
}

/// Normalises compatibility forms and case, and removes invisible characters.
fn folded(text: &str) -> String {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).filter(|c| !is_invisible(*c)).collect();
    folded.nfkc().collect()
}

/// The note that a link refers to, without brackets, alias, heading and block.
fn unlinked(text: &str) -> String {
    let inner = text.trim().trim_start_matches('!').trim_start_matches('[').trim_end_matches(']');
    inner.split(['|', '#', '^']).next().unwrap_or_default().trim().to_owned()
}

fn spaced_once(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn climbs(text: &str) -> bool {
    text.split(['/', '\\']).any(|part| part.trim() == "..")
}

fn percent_decoded(text: &str) -> String {
    let hex = |c: Option<&u8>| c.and_then(|c| char::from(*c).to_digit(16));
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        match (*byte, hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether a value certainly matches the pattern. A trailing `*` after a `/`, or alone, matches anything; any
/// other one word, so that `*@acme.com` matches one address.
fn certainly_matches(pattern: &str, value: &str) -> bool {
    let doubtful = |c: char| c.is_control() || is_invisible(c) || c == '\\';
    if value.len() > MAX_VALUE || value.chars().any(doubtful) || climbs(&percent_decoded(value)) {
        return false;
    }
    let text: Vec<char> = value.chars().collect();
    let in_word = |c: char| !c.is_whitespace() && !"/@?#,;:<>()\"'".contains(c);
    // The prefixes of the text that match the pattern so far.
    let mut fits = vec![false; text.len() + 1];
    fits[0] = true;
    let mut before = None;
    let mut signs = pattern.chars().peekable();
    while let Some(sign) = signs.next() {
        if sign != '*' {
            fits = std::iter::once(false)
                .chain(text.iter().zip(&fits).map(|(c, fitted)| *fitted && *c == sign))
                .collect();
        } else if signs.peek().is_none() && matches!(before, None | Some('/')) {
            return fits.contains(&true);
        } else {
            for at in 0..text.len() {
                fits[at + 1] |= fits[at] && in_word(text[at]);
            }
        }
        before = Some(sign);
    }
    fits.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(text: &str) -> Constraint {
        let mut all = Constraint::parse_all(text).expect("a valid test constraint");
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[test]
    fn restriction_matches_in_every_spelling_and_place() {
        let constraint = one("to=*@evil.example");
        for args in [
            json!({"to": "x@evil.example"}),
            json!({"to": "X@EVIL.example"}),
            json!({"TO": "x@evil.example"}),
            json!({"to": ["jane@acme.com", "x@evil.example"]}),
            json!({"to": "x@evil.example, jane@acme.com"}),
            json!({"to": "Jane <x@evil.example>"}),
            json!({"to": "x@evil.example."}),
            json!({"to": "x@evil.exa\u{200b}mple"}),
            json!({"to": "x＠ｅｖｉｌ．example"}),
            json!({"to": "x%40evil.example"}),
            json!({"to": {"address": "x@evil.example", "name": "Jane"}}),
            json!({"message": {"to": "x@evil.example"}}),
            json!({"messages": [{"to": "x@evil.example"}]}),
            json!({"recipient": "nobody says who"}),
            json!({"to": null}),
        ] {
            assert!(constraint.could_match_args(&args), "{args}");
        }
        for args in [json!({"to": "jane@acme.com"}), json!({"to": ["a@acme.com", "b@acme.com"]})] {
            assert!(!constraint.could_match_args(&args), "{args}");
        }
    }

    #[test]
    fn folder_restriction_matches_every_path_to_it() {
        let constraint = one("path=Diary/*");
        for path in [
            "Diary/May.md",
            "diary/May",
            "./Diary/May.md",
            "Diary//May.md",
            "/Diary/May.md",
            "Diary\\May.md",
            "Work/../Diary/May.md",
            "Work/%2e%2e/Diary/May.md",
            "Ｄiary/May.md",
            "May",
        ] {
            assert!(constraint.could_match_args(&json!({"path": path})), "{path}");
        }
        assert!(!constraint.could_match_args(&json!({"path": "Work/May.md"})));
        assert!(!constraint.could_match_args(&json!({"path": "Work/Diary/May.md"})));
    }

    #[test]
    fn link_matches_its_note() {
        let constraint = one("path=Diary/*");
        for path in ["[[Diary/May]]", "[[Diary/May|x]]", "![[diary/May#June|x]]", "[[Diary/May#^block]]"] {
            assert!(constraint.could_match_args(&json!({"path": path})), "{path}");
        }
        assert!(!constraint.could_match_args(&json!({"path": "[[Work/May]]"})));
        for name in ["[[Ilse Brandvik]]", "Ilse  Brandvik", " ilse\u{a0}brandvik ", "[[Ilse Brandvik|her]]"] {
            assert!(one("name=Ilse Brandvik").could_match_args(&json!({"name": name})), "{name}");
        }
    }

    #[test]
    fn note_matches_by_path_and_by_name() {
        for (constraint, may, surely) in [
            ("path=Diary/*", true, true),
            ("path=diary/sub/june", true, false),
            ("path=Diary/Sub/June.md", true, true),
            ("path=/Diary/*", true, false),
            ("path=[[Diary/Sub/June]]", true, false),
            ("name=June", true, true),
            // A note's name is not a path: a name with this prefix may be in any folder.
            ("path=J*", true, false),
            ("path=Sub/*", false, false),
            ("path=Work/*", false, false),
            ("name=July", false, false),
        ] {
            let constraint_read = one(constraint);
            assert_eq!(constraint_read.could_match_note("Diary/Sub/June.md"), may, "{constraint}");
            assert_eq!(constraint_read.certainly_matches_note("Diary/Sub/June.md"), surely, "{constraint}");
        }
    }

    #[test]
    fn note_matches_with_and_without_extension() {
        for (constraint, path) in [("path=Diary/May.md", "Diary/May"), ("path=Diary/May", "Diary/May.md")] {
            assert!(one(constraint).could_match_args(&json!({"path": path})), "{constraint} and {path}");
        }
    }

    #[test]
    fn allowance_matches_only_certain_values() {
        #[track_caller]
        fn check(constraint: &str, args: &Value, holds: bool) {
            assert_eq!(one(constraint).certainly_matches_args(args), holds, "{constraint} and {args}");
        }
        check("to=*@acme.com", &json!({"to": "jane@acme.com"}), true);
        check("to=*@acme.com", &json!({"to": ["jane@acme.com", "x@evil.example"]}), false);
        check("to=*@acme.com", &json!({"to": "x@evil.example,jane@acme.com"}), false);
        check("to=*@acme.com", &json!({"to": "x@evil.example jane@acme.com"}), false);
        check("to=*@acme.com", &json!({"to": []}), false);
        check("to=*@acme.com", &json!({"message": {"to": "jane@acme.com"}}), false);
        check("message.to=*@acme.com", &json!({"message": {"to": "jane@acme.com"}}), true);
        check("path=Work/*", &json!({"path": "Work/A note.md"}), true);
        check("path=Work/*", &json!({"path": "Work/2026/A note.md"}), true);
        check("path=Work/*", &json!({"path": "Work/../Diary.md"}), false);
        check("path=Work/*", &json!({"path": "Work/%2E%2e/Diary.md"}), false);
        check("path=Work/*", &json!({"path": "Work\\..\\Diary.md"}), false);
        check("path=Work/*", &json!({"path": "work/A note.md"}), false);
        check("path=Work/*", &json!({}), false);
        check("url=https://*.acme.com/*", &json!({"url": "https://api.acme.com/v1?q=1"}), true);
        check("url=https://*.acme.com/*", &json!({"url": "https://evil.example/.acme.com/"}), false);
        check("url=https://*.acme.com/*", &json!({"url": "https://evil.example#.acme.com/"}), false);
        check("days=3", &json!({"days": 3}), true);
        check("days=3", &json!({"days": 30}), false);
        check("to='a, b'", &json!({"to": "a, b"}), true);
        check("to=*", &json!({"to": "anybody, at all"}), true);
    }
}
