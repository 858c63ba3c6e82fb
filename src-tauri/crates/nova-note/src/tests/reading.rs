//! Reading a note: front matter, values, line numbers, start of the body.

use serde_json::json;

use super::super::{Document, FrontMatter, Value};

/// Expects these properties as `(key, line, value)` and this body.
fn check(text: &str, properties: &[(&str, u32, Value)], body: &str) {
    let document = Document::parse(text);
    assert!(matches!(document.front_matter(), FrontMatter::Present(_)), "{text:?}: {document:?}");
    let found: Vec<_> = document
        .properties()
        .iter()
        .map(|(key, property)| (key.as_str(), property.line, property.value.clone()))
        .collect();
    assert_eq!(found, properties, "{text:?}");
    assert_eq!(&text[document.body_start()..], body, "{text:?}");
}

fn check_absent(text: &str, body: &str) {
    let document = Document::parse(text);
    assert_eq!(document.front_matter(), &FrontMatter::Absent, "{text:?}");
    assert_eq!(&text[document.body_start()..], body, "{text:?}");
}

fn check_broken(text: &str, line: u32, word: &str, body: &str) {
    let document = Document::parse(text);
    match document.front_matter() {
        FrontMatter::Broken { line: found, reason } => {
            assert_eq!(*found, line, "{text:?}: {reason}");
            assert!(reason.contains(word), "{text:?}: {reason}");
        }
        other => panic!("{text:?}: {other:?}"),
    }
    assert!(document.properties().is_empty());
    assert_eq!(&text[document.body_start()..], body, "{text:?}");
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn number(value: &str) -> Value {
    Value::Number(value.to_owned())
}

fn link(name: &str) -> Value {
    Value::Link(name.to_owned())
}

#[test]
fn front_matter_is_split_by_bytes() {
    check("---\na: x\n---\nBody", &[("a", 2, text("x"))], "Body");
    check("---\r\na: x\r\n---\r\nBody", &[("a", 2, text("x"))], "Body");
    check("\u{feff}---\na: x\n---\nBody", &[("a", 2, text("x"))], "Body");
    check("---\na: x\n---", &[("a", 2, text("x"))], "");
    check("--- \na: x\n---\t\n\nBody", &[("a", 2, text("x"))], "\nBody");
    check("---\n---\nBody", &[], "Body");
    check("---\n\n# comment\n---\nBody", &[], "Body");
    check("---\na: x\n---\nText\n---\nb: y\n---\n", &[("a", 2, text("x"))], "Text\n---\nb: y\n---\n");
    check("---\nt: |\n  ---\n  a\n---\n", &[("t", 2, text("---\na\n"))], "");
    check("---\na: ---x\n----: y\n---\n", &[("a", 2, text("---x")), ("----", 3, text("y"))], "");

    check_absent("", "");
    check_absent("Body", "Body");
    check_absent("\u{feff}Body", "Body");
    check_absent("---", "---");
    check_absent("\n---\na: x\n---\n", "\n---\na: x\n---\n");
    check_absent(" ---\na: x\n---\n", " ---\na: x\n---\n");
    check_absent("----\na: x\n----\n", "----\na: x\n----\n");
    check_absent(
        "---\nWords of a note\nthat begins with a rule\n",
        "---\nWords of a note\nthat begins with a rule\n",
    );
    check_absent("---\n\n## Title: x\n", "---\n\n## Title: x\n");

    check_broken("---\na: x\nBody\n", 1, "never closed", "---\na: x\nBody\n");
    check_broken("---\na: x\n...\nBody\n---\nMore", 3, "`...`", "Body\n---\nMore");
    check_broken("---\nsome words\n---\nBody", 2, "***", "Body");
    check_broken("---\na: 1\na: 2\n---\nBody", 3, "twice", "Body");
    check_broken("---\r\nb: 1\r\nt: x: y\r\n---\r\nBody", 3, "needs quotes", "Body");
    check_broken("---\na:\n\tb: c\n---\n", 3, "spaces", "");
    check_broken("---\na: *x\n---\n", 2, "", "");
}

#[test]
fn scalars_are_read_as_in_obsidian() {
    let check =
        |written: &str, value: Value| check(&format!("---\nk: {written}\n---\n"), &[("k", 2, value)], "");
    check("", Value::Null);
    check("~", Value::Null);
    check("null", Value::Null);
    check("true", Value::Bool(true));
    check("False", Value::Bool(false));
    for word in [
        "yes",
        "no",
        "NO",
        "on",
        "y",
        "2026-01-02",
        "12:30",
        "1_000",
        "tRUE",
        "1.2.3",
        "0x",
        "a, b",
        "+",
        ".",
    ] {
        check(word, text(word));
    }
    for digits in [
        "5",
        "010",
        "0o10",
        "0x1F",
        "12345678901234567890",
        "1.50",
        "-.5",
        "1e3",
        ".inf",
        "-.INF",
        ".nan",
        "+5",
        "5.",
    ] {
        check(digits, number(digits));
    }
    check("\"5\"", text("5"));
    check("'true'", text("true"));
    check("!!str 5", text("5"));
    check("\"a\\u00e9\\n\"", text("aé\n"));
    check("a  # comment", text("a"));
    check("東京 🍣#tight", text("東京 🍣#tight"));
    check("a\n  b\n\n  c", text("a b\nc"));
    check("5\n  6", text("5 6"));
    check("|\n  5\n", text("5\n"));
    check(">-\n  a\n  b", text("a b"));
    check("\"[[Jane Doe|Jane]]\"", link("Jane Doe|Jane"));
    check("[[Jane Doe]]", link("Jane Doe"));
    check("[[2026-01-02]]", link("2026-01-02"));
    check("[[Jane Doe|J]] # c", link("Jane Doe|J"));
    check("'[[A]] and [[B]]'", text("[[A]] and [[B]]"));
    check("[[1, 2], [3]]", Value::from_json(&json!([[1, 2], [3]])));
    check("[[1, 2]]", Value::from_json(&json!([[1, 2]])));
    check("[[[A]], [[B]], c]", Value::List(vec![link("A"), link("B"), text("c")]));
    check("[ [[A]] ]", Value::List(vec![link("A")]));
    check("\n  - [[A]]\n  - \"[[B]]\"", Value::List(vec![link("A"), link("B")]));
    check("\n- a\n-\n- 010", Value::List(vec![text("a"), Value::Null, number("010")]));
    check(
        "{a: 010, b: [x], c}",
        Value::map([
            ("a".to_owned(), number("010")),
            ("b".to_owned(), Value::List(vec![text("x")])),
            ("c".to_owned(), Value::Null),
        ]),
    );
}

#[test]
fn unquoted_link_may_have_a_comma_or_a_colon_in_its_text() {
    let check =
        |written: &str, value: Value| check(&format!("---\nk: {written}\n---\n"), &[("k", 2, value)], "");
    let yaml = |json: serde_json::Value| Value::from_json(&json);
    check("[[Acme, Inc]]", link("Acme, Inc"));
    check("[[Acme,Inc]] # c", link("Acme,Inc"));
    check("[[CRM/Acme, Inc#Log, later|Acme, the firm]]", link("CRM/Acme, Inc#Log, later|Acme, the firm"));
    check("[[Q3, 2026]]", link("Q3, 2026"));
    check("\n  [[Acme, Inc]]", link("Acme, Inc"));
    check("\n  - [[Acme, Inc]]\n  - x", Value::List(vec![link("Acme, Inc"), text("x")]));
    check("[[[A, B]], [[C]], d]", Value::List(vec![link("A, B"), link("C"), text("d")]));
    check("{a: [[A, B]]}", Value::map([("a".to_owned(), link("A, B"))]));
    check("[[Acme|A: b]]", link("Acme|A: b"));
    check("[[Acme|A: b, c: d]] # c", link("Acme|A: b, c: d"));
    check("[[Acme, Inc|The firm: ours]]", link("Acme, Inc|The firm: ours"));
    check("[[Acme#Log: later|A]]", link("Acme#Log: later|A"));
    check("[[Acme|A:]]", link("Acme|A:"));
    check("\n  - [[Acme|A: b]]\n  - x", Value::List(vec![link("Acme|A: b"), text("x")]));
    check("[[[Acme|A: b]], c]", Value::List(vec![link("Acme|A: b"), text("c")]));
    // Anything else stays a nested list: no note's name contains a colon.
    check("[[a: b]]", yaml(json!([[{"a": "b"}]])));
    check("[[a: b|c]]", yaml(json!([[{"a": "b|c"}]])));
    check("[[{a|b: c}]]", yaml(json!([[{"a|b": "c"}]])));
    check("[[\"a|b\": c]]", yaml(json!([[{"a|b": "c"}]])));
    check("[[? a|b : c]]", yaml(json!([[{"a|b": "c"}]])));
    check("[[a|b: \"c\"]]", yaml(json!([[{"a|b": "c"}]])));
    check("[[a|b: &x c]]", yaml(json!([[{"a|b": "c"}]])));
    check("[[52.5, 13.4]]", yaml(json!([[52.5, 13.4]])));
    check("[[2026-01-01, 2026-02-01]]", yaml(json!([["2026-01-01", "2026-02-01"]])));
    check("[[true, false, ~]]", yaml(json!([[true, false, null]])));
    check("[[a, b], [c, d]]", yaml(json!([["a", "b"], ["c", "d"]])));
    check("[[a, b], c]", yaml(json!([["a", "b"], "c"])));
    check("[ [a, b] ]", yaml(json!([["a", "b"]])));
    check("[[\"a\", b]]", yaml(json!([["a", "b"]])));
    check("[[a,\n  b]]", yaml(json!([["a", "b"]])));
    check("[[a, {b: c}]]", yaml(json!([["a", {"b": "c"}]])));
    check("[[a, !!str 5]]", yaml(json!([["a", "5"]])));
    check("[[&x a, *x]]", yaml(json!([["a", "a"]])));
}

#[test]
fn keys_and_lines() {
    check(
        "---\n# c\n\n\"a: b\": 1\n5: x\ntrue: y\n名前:\n  - z\n'it''s': |\n  t\nlast: &x 010\ncopy: *x\n---\n",
        &[
            ("a: b", 4, number("1")),
            ("5", 5, text("x")),
            ("true", 6, text("y")),
            ("名前", 7, Value::List(vec![text("z")])),
            ("it's", 9, text("t\n")),
            ("last", 11, number("010")),
            ("copy", 12, number("010")),
        ],
        "",
    );
    check(
        "---\nb: &x {a: 010}\nc: *x\n<<: *x\n---\n",
        &[
            ("b", 2, Value::map([("a".to_owned(), number("010"))])),
            ("c", 3, Value::map([("a".to_owned(), number("010"))])),
            ("<<", 4, Value::map([("a".to_owned(), number("010"))])),
        ],
        "",
    );
}

#[test]
fn document_accessors() {
    let document = Document::parse("---\r\ntype: deal\r\nvalue: 1200\r\n---\r\nBody\n");
    assert_eq!(document.record_type(), Some("deal"));
    assert_eq!(document.property("value"), Some(&number("1200")));
    assert_eq!(document.property("stage"), None);
    assert_eq!(document.eol(), "\r\n");
    assert_eq!(Document::parse("a\nb\r\n").eol(), "\n");
    assert_eq!(Document::parse("---\ntype: [a]\n---\n").record_type(), Some("a"));
}

#[test]
fn property_lookup_ignores_case() {
    let document = Document::parse("---\nStage: a\nstage: b\nÄRA: c\nType: deal\n---\n");
    for (asked, spelled) in [
        ("stage", Some("stage")),
        ("Stage", Some("Stage")),
        ("STAGE", Some("Stage")),
        ("ära", Some("ÄRA")),
        ("a\u{308}ra", Some("ÄRA")),
        ("stag", None),
    ] {
        assert_eq!(document.spelled(asked), spelled, "{asked}");
    }
    assert_eq!(document.record_type(), Some("deal"));
}

#[test]
fn values_as_text_and_json() {
    let check = |value: Value, display: &str, as_text: Option<&str>, json: serde_json::Value| {
        assert_eq!(value.display(), display);
        assert_eq!(value.as_text().as_deref(), as_text);
        assert_eq!(value.to_json(), json);
    };
    check(Value::Null, "", None, json!(null));
    check(Value::Bool(true), "true", Some("true"), json!(true));
    check(text("x"), "x", Some("x"), json!("x"));
    check(link("Jane Doe|J"), "[[Jane Doe|J]]", Some("Jane Doe"), json!("[[Jane Doe|J]]"));
    check(link("Jane#Log"), "[[Jane#Log]]", Some("Jane"), json!("[[Jane#Log]]"));
    check(number("42"), "42", Some("42"), json!(42));
    check(number("-1.5"), "-1.5", Some("-1.5"), json!(-1.5));
    for exact in [
        "1180.00",
        "-1.50",
        "1e3",
        "010",
        "+5",
        "0x1F",
        ".5",
        "5.",
        ".inf",
        "12345678901234567890",
        "0.12345678901234567",
        "1e999",
        "1_000",
    ] {
        check(number(exact), exact, Some(exact), json!(exact));
    }
    let list = Value::List(vec![text("a"), link("B")]);
    check(list, "a, [[B]]", None, json!(["a", "[[B]]"]));
    let map = Value::map([("a".to_owned(), number("1")), ("b".to_owned(), Value::Null)]);
    check(map.clone(), "a: 1, b: ", None, json!({"a": 1, "b": null}));
    assert_eq!(Value::from_json(&json!({"a": 1, "b": null})), map);
    assert_eq!(
        Value::from_json(&json!(["[[Jane]]", "x [[y]]", 1.5, true])),
        Value::List(vec![link("Jane"), text("x [[y]]"), number("1.5"), Value::Bool(true)])
    );
}

/// Whitespace that YAML does not treat as such, in the place of a value.
#[test]
fn non_yaml_whitespace_does_not_hang() {
    for blank in ["\u{85}", "\u{a0}", "\u{2028}", "\u{3000}", "\u{c}", "\u{b}", "\u{feff}"] {
        for note in
            ["k: &xB\n- a", "k: &xB |\n  a", "k: !tB a", "k:\n  - &xB a", "k:B", "kB: a", "B", "k: [aB, B]"]
        {
            let text = format!("---\n{}\n---\nBody", note.replace('B', blank));
            let document = Document::parse(&text);
            assert_eq!(&text[document.body_start()..], "Body", "{text:?}");
        }
    }
}
