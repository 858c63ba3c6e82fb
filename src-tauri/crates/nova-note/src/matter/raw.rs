//! Configuration of serde-saphyr: strict, with a budget, and with the span of every node.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{MergeKeyPolicy, NonFiniteFloatPolicy, Spanned};

/// Parses YAML. `Err` is the line, 1-based, and the reason, in words for the user.
pub(super) fn parse(source: &str) -> Result<Spanned<Raw>, (u64, String)> {
    serde_saphyr::from_str_with_options(source, options()).map_err(|error| {
        let line = error.location().map_or(1, |location| location.line());
        let reason = reason(&error.to_string());
        (if reason == UNCLOSED { opened_at(source, line) } else { line }, reason)
    })
}

/// YAML as serde-saphyr returns it, before the source text is consulted.
pub(super) enum Raw {
    Null,
    Bool(bool),
    Number,
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

/// A node's byte range in the parsed text.
pub(super) fn span_of(location: &serde_saphyr::Location) -> Option<Range<usize>> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset()?).ok()?;
    let length = usize::try_from(span.byte_len()?).ok()?;
    Some(start..start + length)
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        // `yes`, `on`, `NO` are text in YAML 1.2 and in Obsidian.
        strict_booleans: true,
        // The value of `.inf` is never used; it must not make a note unreadable.
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        // Obsidian shows `<<` as a property like any other.
        merge_keys: MergeKeyPolicy::AsOrdinary,
        ignore_binary_tag_for_string: true,
        with_snippet: false,
        emit_comments: false,
        // Far above any real note, far below what a denial of service needs.
        budget: serde_saphyr::budget! {
            max_depth: 48,
            max_nodes: 50_000,
            max_events: 200_000,
            max_aliases: 1_000,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 50_000,
            max_replay_stack_depth: 16,
        },
    }
}

const UNCLOSED: &str = "a quotation mark is not closed";

/// The line on which the unclosed quotation mark opens; the parser reports a later one.
fn opened_at(source: &str, noticed: u64) -> u64 {
    let opens = |line: &str| {
        let value = line.split_once(": ").map_or(line, |(_, value)| value).trim_start_matches(['-', ' ']);
        ['"', '\''].into_iter().any(|quote| value.starts_with(quote) && !value[1..].contains(quote))
    };
    let last = usize::try_from(noticed).unwrap_or(usize::MAX);
    let opened = source.lines().take(last).enumerate().filter(|(_, line)| opens(line)).last();
    opened.map_or(noticed, |(at, _)| at as u64 + 1)
}

/// The parser's messages for common mistakes, and their wording for people who write notes.
const PLAIN: [(&str, &str); 14] = [
    ("mapping values are not allowed", "a value that contains `: ` needs quotes"),
    ("unclosed quote", UNCLOSED),
    ("indentation in multiline quoted", UNCLOSED),
    ("trailing content after", "there is text after the closing quotation mark"),
    ("unknown escape character", "a backslash within double quotation marks needs another backslash"),
    ("unclosed bracket", "a bracket is not closed"),
    ("while parsing a flow", "a comma or a closing bracket is missing"),
    ("unknown anchor", "a value that begins with `*` or `&` needs quotes"),
    ("anchor or alias", "a value that begins with `*` or `&` needs quotes"),
    ("cannot start any token", "a value that begins with this character needs quotes"),
    ("did not find expected '-' indicator", "the lines of a list are not indented alike"),
    ("simple key expected", "a colon is missing after the property's name"),
    ("did not find expected key", "the line is not indented like the others, or a colon is missing"),
    ("tab", "the line is indented with a tab; use spaces"),
];

/// The parser's message without its position (relative to the front matter) and without its advice to
/// programmers.
fn reason(message: &str) -> String {
    let message = message.lines().next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let message = match message.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
        Some((_, rest)) => rest,
        None => message,
    };
    let message = message.split(", set DuplicateKeyPolicy").next().unwrap_or(message);
    // Positions within the message are relative to the front matter, too.
    let message = message.split(" at line ").next().unwrap_or(message);
    if message.contains("limit exceeded") || message.contains("budget breached") {
        return "the front matter is too large, too deep or repeats itself too often".to_owned();
    }
    if let Some(key) = message.strip_prefix("duplicate mapping key: ") {
        return format!("the property `{key}` occurs twice");
    }
    match PLAIN.iter().find(|(said, _)| message.contains(said)) {
        Some((_, plain)) => (*plain).to_owned(),
        None => message.to_owned(),
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawVisitor;

        impl<'de> Visitor<'de> for RawVisitor {
            type Value = Raw;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a YAML value")
            }

            fn visit_unit<E>(self) -> Result<Raw, E> {
                Ok(Raw::Null)
            }

            fn visit_none<E>(self) -> Result<Raw, E> {
                Ok(Raw::Null)
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
                Raw::deserialize(deserializer)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
                Ok(Raw::Bool(value))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Raw, E> {
                Ok(Raw::Number)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Raw, E> {
                Ok(Raw::Number)
            }

            fn visit_i128<E>(self, _: i128) -> Result<Raw, E> {
                Ok(Raw::Number)
            }

            fn visit_u128<E>(self, _: u128) -> Result<Raw, E> {
                Ok(Raw::Number)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Raw, E> {
                Ok(Raw::Number)
            }

            fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
                Ok(Raw::Text(value.to_owned()))
            }

            fn visit_string<E>(self, value: String) -> Result<Raw, E> {
                Ok(Raw::Text(value))
            }

            fn visit_bytes<E>(self, value: &[u8]) -> Result<Raw, E> {
                Ok(Raw::Text(String::from_utf8_lossy(value).into_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Raw::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Raw, A::Error> {
                let mut map = Vec::new();
                while let Some(pair) = pairs.next_entry()? {
                    map.push(pair);
                }
                Ok(Raw::Map(map))
            }
        }

        deserializer.deserialize_any(RawVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn common_mistakes_are_explained_in_plain_words() {
        let check = |source: &str, line: u64, reason: &str| match parse(source) {
            Err(found) => assert_eq!(found, (line, reason.to_owned()), "{source}"),
            Ok(_) => panic!("no mistake in {source}"),
        };
        check("name: Jane\nnote: \"open\nstage: won\n", 2, "a quotation mark is not closed");
        check("name: Jane: Doe\n", 1, "a value that contains `: ` needs quotes");
        check("tags: [a, b\n", 1, "a bracket is not closed");
        check("name: \"a\" b\n", 1, "there is text after the closing quotation mark");
        check("path: \"C:\\Docs\"\n", 1, "a backslash within double quotation marks needs another backslash");
        check("rating: *****\n", 1, "a value that begins with `*` or `&` needs quotes");
    }
}
