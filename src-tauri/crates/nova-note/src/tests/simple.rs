//! The fast reader of simple front matter agrees with the YAML parser, or declines.

use super::super::document::{Document, FrontMatter, parsed, quick_record_type};
use super::super::{Value, matter, simple, split};
use super::generate::{PIECES, Random};

fn closed(text: &str) -> Option<std::ops::Range<usize>> {
    match split::split(text).front {
        split::Front::Closed(range) => Some(range),
        _ => None,
    }
}

/// Whether the fast reader accepted it; checks that it then agrees with the parser.
fn read_quickly(text: &str) -> bool {
    let Some(range) = closed(text) else { return false };
    let Some(properties) = simple::properties(text, range.clone()) else { return false };
    let places = matter::parsed(text, range.clone()).unwrap();
    assert_eq!(matter::read(text, range.clone()).unwrap(), places, "{text:?}");
    let parsed = parsed(text, range);
    assert_eq!(FrontMatter::Present(properties), parsed, "{text:?}");
    let document = Document::parse(text);
    let is_list = matches!(document.property("type"), Some(Value::List(_)));
    assert_eq!(quick_record_type(text), (!is_list).then(|| document.record_type()), "{text:?}");
    true
}

#[test]
fn several_types_are_left_to_the_parser() {
    for (front, first) in
        [("type: [a, b]", Some("a")), ("type:\n  - b\n  - a", Some("b")), ("type: []", None)]
    {
        let text = format!("---\n{front}\n---\n");
        assert_eq!(quick_record_type(&text), None, "{front}");
        assert_eq!(Document::parse(&text).record_type(), first, "{front}");
    }
    let document = Document::parse("---\nType: [a, 5, [x], true, \"[[B]]\"]\n---\n");
    assert_eq!(document.record_types().collect::<Vec<_>>(), ["a", "5", "B"]);
}

#[test]
fn plain_front_matter_takes_the_fast_path() {
    for front in [
        "type: contact",
        "type: contact\nname: Jané Doe\nlast_contact: 2026-11-02\nvalue: 12.50\nempty:\ncompany: \"[[Acme]]\"",
        "tags: [friend, berlin/mitte, a-b, New York 2]\naliases: []",
        "phone: +49 30 1234",
        "tags:\n  - one\n  - \"two\"\nafter: x",
        "tags:\n- one\n- [[x",
        "title: It's a no#1 thing, isn't it (100%)\nurl: https://example.org/a?b=c#d",
        "done: true\nnothing: null\ntext: 'true'\nnumber: \"5\"",
    ] {
        let quickly = read_quickly(&format!("---\n{front}\n---\nbody\n"));
        // Anything but scalars is left to the parser.
        assert_eq!(quickly, !front.contains("- [[x"), "{front:?}");
        read_quickly(&format!("\u{feff}---\r\n{}\r\n---\r\nbody\r\n", front.replace('\n', "\r\n")));
    }
}

#[test]
fn ambiguous_yaml_is_left_to_the_parser() {
    for front in [
        "",
        "a: b: c",
        "a: b # comment",
        "a: b:",
        "a: b ",
        "a:  b",
        "a:\tb",
        "a: b\n  c",
        "a: b\na: c",
        "a: &x b",
        "a: *x",
        "a: !t b",
        "a: |\n  b",
        "a: \"b\\n\"",
        "a: 'it''s'",
        "a: [b, [c]]",
        "a: [b,c]",
        "a: [1, 2]",
        "a: {b: c}",
        "a: 12:30",
        "a: 1e5",
        "a: 0x1F",
        "a: -5",
        "a: +5",
        "a: +5 6 ",
        "a: [b , c]",
        "a: ~",
        "a: @b",
        "a: \u{85}b",
        "a: b\u{2028}c",
        "true: b",
        "5: b",
        "名前: b",
        "a:\n  - b\n - c",
        "a:\n  b: c",
        "- a",
        "# comment\na: b",
        "a: b\n\nc: d",
        "a: b\rc: d",
    ] {
        let text = format!("---\n{front}\n---\nbody\n");
        assert!(!read_quickly(&text), "{front:?}");
        assert_eq!(quick_record_type(&text), None, "{front:?}");
    }
}

/// The parser refuses input above its budget; the fast reader must not accept it.
#[test]
fn long_front_matter_is_left_to_the_parser() {
    let list = |items: usize| format!("tags: [a{}]", ", a".repeat(items - 1));
    let table = [
        (list(200), true),
        (list(201), false),
        (list(60_000), false),
        (format!("a: {}", "b".repeat(4000)), true),
        (format!("a: {}", "b".repeat(5000)), false),
        (format!("a: [{}]", "b".repeat(5000)), false),
        (format!("a:\n  - {}", "b".repeat(5000)), false),
        (format!("a:{}", "\n  - b".repeat(150)), true),
        (format!("a:{}", "\n  - b".repeat(250)), false),
        ((0..150).map(|key| format!("k{key}: x\n")).collect(), true),
        ((0..250).map(|key| format!("k{key}: x\n")).collect(), false),
        // The largest input that the fast reader accepts.
        ((0..198).map(|key| format!("k{key}: [b{}]\n", ", b".repeat(199))).collect(), true),
    ];
    for (front, quickly) in table {
        let text = format!("---\n{}\n---\nbody\n", front.trim_end());
        assert_eq!(read_quickly(&text), quickly, "{:.40}", front);
    }
}

#[test]
fn fast_path_agrees_with_the_parser_or_declines() {
    const PARTS: &[&str] = &[
        "a",
        "b",
        "T",
        "é",
        "東",
        "null",
        "Null",
        "NULL",
        "true",
        "True",
        "yes",
        "Off",
        "y",
        "n",
        "nan",
        "inf",
        ".nan",
        ".inf",
        "0",
        "1",
        "007",
        "0x1F",
        "0o17",
        "0b1",
        "1e5",
        "1_000",
        "-1",
        "+1",
        "1.5",
        "1.",
        ".5",
        "2026-01-02",
        "2026-01-02T10:00:00Z",
        "12:30",
        "~",
        "? ",
        "?",
        ": ",
        ":",
        "- ",
        "-",
        "# ",
        "#",
        " #x",
        "&a",
        "&a ",
        "*a",
        "<<",
        "<<: *a",
        "!t ",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "{",
        "}",
        "[",
        "]",
        ", ",
        ",",
        "\"",
        "'",
        "\\",
        "\\u0061",
        " ",
        "  ",
        "\t",
        "\u{a0}",
        "\u{85}",
        "\u{2028}",
        "\u{2029}",
        "\u{feff}",
        "\u{3000}",
        "\u{200b}",
        "\u{301}",
        "\u{7f}",
        "\u{0}",
        "\u{1f363}",
        "...",
        "---",
    ];
    const KEYS: [&str; 14] =
        ["a", "b", "A", "\"a\"", "'a'", "\"\\u0061\"", "? a\n", "a ", "<<", "é", "null", "n", "NaN", "a-"];
    let (mut quick, mut random) = (0, Random::new(23));
    for _ in 0..60_000 {
        let mut text = "---\n".to_owned();
        for _ in 0..=random.below(3) {
            let parts: String = (0..=random.below(3)).map(|_| *random.of(PARTS)).collect();
            let line = match random.below(6) {
                0 => format!("{}: \"{parts}\"", random.of(&KEYS)),
                1 => format!("{}: '{parts}' # c", random.of(&KEYS)),
                2 => format!("{}: [x, {parts}]", random.of(&KEYS)),
                3 => format!("{}:\n  - {parts}\n  - x", random.of(&KEYS)),
                _ => format!("{}: {parts}", random.of(&KEYS)),
            };
            text.push_str(&line);
            text.push('\n');
        }
        text.push_str("---\nbody\n");
        quick += usize::from(read_quickly(&text));
    }
    assert!(quick > 1_500, "{quick}");
}

#[test]
fn fast_path_and_parser_agree_on_random_input() {
    const KEYS: [&str; 12] =
        ["type", "name", "a-b", "T", "true", "Null", "y", "5", "a b", "tags", "名前", "k_9"];
    const VALUES: [&str; 38] = [
        " +5 6",
        " + 5",
        " [x y, z 2]",
        " [x - y]",
        "",
        " ",
        " x",
        " a b",
        " x:y",
        " x#y",
        " it's",
        " \"x\"",
        " \"\"",
        " 'x y'",
        " '[[x]]'",
        " 5",
        " 007",
        " 1.2.3",
        " 1.",
        " 2026-01-02",
        " 1-",
        " yes",
        " NO",
        " ünï",
        " e\u{301}",
        " x, y",
        " x]",
        " x}",
        " [x]",
        " [true, null]",
        " [é, b-c]",
        " [a, b",
        " []",
        "\n- x",
        "\n  - x y\n  - \"z\"",
        "\n- 5\n- true\n-  x",
        " x---",
        " \u{a0}x",
    ];
    let mut random = Random::new(11);
    let mut quick = 0;
    for _ in 0..30_000 {
        let mut text = "---\n".to_owned();
        for _ in 0..=random.below(4) {
            let value = if random.below(4) == 0 { *random.of(PIECES) } else { *random.of(&VALUES) };
            text.push_str(&format!("{}:{value}\n", random.of(&KEYS)));
        }
        if random.below(3) == 0 {
            // Insert characters with a meaning in YAML at random places.
            let places: Vec<_> = text.char_indices().map(|(at, _)| at).skip(4).collect();
            let marks = [":", " ", "\n", "#", "-", "\"", "'", "[", ",", "\t", "\r", "0", "é", "\\", "?", "|"];
            text.insert_str(*random.of(&places), random.of::<&str>(&marks));
        }
        if random.below(4) == 0 {
            text = text.replace('\n', "\r\n");
        }
        text.push_str("---\nbody\n");
        quick += usize::from(read_quickly(&text));
    }
    // Guards against a test that compares nothing.
    assert!(quick > 1_000, "{quick}");
}
