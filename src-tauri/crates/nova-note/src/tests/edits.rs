//! Property edits, byte for byte. A case is a name, the text before, the edit and the text after.

use super::super::{EditError, PropertyEdit, Value, compose, edit_properties};

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn number(value: &str) -> Value {
    Value::Number(value.to_owned())
}

fn link(name: &str) -> Value {
    Value::Link(name.to_owned())
}

fn texts(items: &[&str]) -> Value {
    Value::List(items.iter().map(|item| text(item)).collect())
}

fn set(key: &str, value: Value) -> PropertyEdit {
    PropertyEdit::Set { key: key.to_owned(), value }
}

fn remove(key: &str) -> PropertyEdit {
    PropertyEdit::Remove { key: key.to_owned() }
}

fn add(key: &str, item: Value) -> PropertyEdit {
    PropertyEdit::AddItem { key: key.to_owned(), item }
}

fn drop_item(key: &str, item: Value) -> PropertyEdit {
    PropertyEdit::RemoveItem { key: key.to_owned(), item }
}

/// Runs the case as given, and with CRLF line endings.
fn check(name: &str, before: &str, edit: PropertyEdit, after: &str) {
    let edits = [edit];
    assert_eq!(edit_properties(before, &edits).as_deref(), Ok(after), "{name}");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    if before.contains('\n') {
        assert_eq!(edit_properties(&crlf(before), &edits), Ok(crlf(after)), "{name}, CRLF");
    }
}

fn check_refused(name: &str, before: &str, edit: PropertyEdit) {
    match edit_properties(before, &[edit]) {
        Err(EditError::Refused { .. }) => {}
        other => panic!("{name}: {other:?}"),
    }
}

fn check_broken(name: &str, before: &str, line: u32) {
    match edit_properties(before, &[set("stage", text("won"))]) {
        Err(EditError::Broken { line: found, .. }) => assert_eq!(found, line, "{name}"),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
#[rustfmt::skip] // one case a line
fn scalar_is_replaced_in_place() {
    let won = || set("stage", text("won"));
    check("plain", "---\nstage: lead\n---\nBody\n", won(), "---\nstage: won\n---\nBody\n");
    check("comment", "---\nstage: lead   # hot\nb: 1\n---\n", won(), "---\nstage: won   # hot\nb: 1\n---\n");
    check("aligned", "---\nstage:   lead\nname:    Jane\n---\n", won(), "---\nstage:   won\nname:    Jane\n---\n");
    check("blank behind", "---\nstage: lead  \n---\n", won(), "---\nstage: won  \n---\n");
    check("tab behind", "---\nstage: lead\t# x\n---\n", won(), "---\nstage: won\t# x\n---\n");
    check("a date has no quotes", "---\nd: \"2026-01-01\" # x\n---\n", set("d", text("2026-01-02")), "---\nd: 2026-01-02 # x\n---\n");
    check("nor has a date with a time", "---\nd: '2026-01-01'\n---\n", set("d", text("2026-01-02T12:30:00")), "---\nd: 2026-01-02T12:30:00\n---\n");
    check("double quotes stay", "---\nstage: \"lead\" # x\n---\n", won(), "---\nstage: \"won\" # x\n---\n");
    check("single quotes stay", "---\nstage: 'it''s' # x\n---\n", won(), "---\nstage: 'won' # x\n---\n");
    check("nothing before", "---\nstage:\nb: 1\n---\n", won(), "---\nstage: won\nb: 1\n---\n");
    check("nothing but a comment", "---\nstage:   # todo\n---\n", won(), "---\nstage: won   # todo\n---\n");
    check("tilde", "---\nstage: ~\n---\n", won(), "---\nstage: won\n---\n");
    check("value on the next line", "---\nstage:\n  lead\n---\n", won(), "---\nstage:\n  won\n---\n");
    check("folded plain", "---\nstage: a\n  b\n  c\nd: 1\n---\n", won(), "---\nstage: won\nd: 1\n---\n");
    check("folded quoted", "---\nstage: \"a\n  b\" # x\nd: 1\n---\n", won(), "---\nstage: \"won\" # x\nd: 1\n---\n");
    check("quoted key", "---\n\"stage\" : lead\n---\n", won(), "---\n\"stage\" : won\n---\n");
    check("blank lines stay", "---\n\na: 1\n\nstage: lead\n\n\nb: 2\n\n---\n", won(), "---\n\na: 1\n\nstage: won\n\n\nb: 2\n\n---\n");
    check("indented keys", "---\n  stage: lead\n  b: 1\n---\n", won(), "---\n  stage: won\n  b: 1\n---\n");
    check("explicit tag", "---\nstage: !!str 5\n---\n", won(), "---\nstage: !!str won\n---\n");
    check("tight hash is text", "---\nstage: lead#1\nb: x\n---\n", won(), "---\nstage: won\nb: x\n---\n");
    check("byte order mark", "\u{feff}---\nstage: lead\n---\nBody", won(), "\u{feff}---\nstage: won\n---\nBody");
    check("no final newline", "---\nstage: lead\n---", won(), "---\nstage: won\n---");
    check("multi-byte around", "---\n名前: 東京 🍣#tight\nstage: lead\n\"é: x\": 🍣\n---\n", won(), "---\n名前: 東京 🍣#tight\nstage: won\n\"é: x\": 🍣\n---\n");
    check("multi-byte key and value", "---\n名前: 東京 🍣 # 注\n---\n", set("名前", text("大阪 🦀")), "---\n名前: 大阪 🦀 # 注\n---\n");
    check("emptied", "---\nstage: lead # x\n---\n", set("stage", Value::Null), "---\nstage: # x\n---\n");
    check("quoted key with colon", "---\n\"a: b\": 1\n---\n", set("a: b", number("2")), "---\n\"a: b\": 2\n---\n");
}

#[test]
fn values_are_plain_if_they_read_back_unchanged() {
    let cases: &[(Value, &str)] = &[
        (text("2026-01-02"), "2026-01-02"),
        (text("12:30"), "12:30"),
        (text("yes"), "yes"),
        (text("true"), "\"true\""),
        (text("null"), "\"null\""),
        (text(""), "\"\""),
        (text("5"), "\"5\""),
        (text("1_000"), "\"1_000\""),
        (text("0x1F"), "\"0x1F\""),
        (text("a: b"), "\"a: b\""),
        (text("a:b"), "a:b"),
        (text("ends:"), "\"ends:\""),
        (text("a #b"), "\"a #b\""),
        (text("a#b"), "a#b"),
        (text(" a"), "\" a\""),
        (text("-"), "\"-\""),
        (text("-a"), "-a"),
        (text("- a"), "\"- a\""),
        (text("*a"), "\"*a\""),
        (text("&a"), "\"&a\""),
        (text("!a"), "\"!a\""),
        (text("@a"), "\"@a\""),
        (text("%a"), "\"%a\""),
        (text("[a"), "\"[a\""),
        (text("{a"), "\"{a\""),
        (text("a, b [c]"), "a, b [c]"),
        (text("say \"hi\""), "say \"hi\""),
        (text("\"hi\""), "'\"hi\"'"),
        (text("it's"), "it's"),
        (text("a\tb"), "\"a\\tb\""),
        (text("a\u{85}b"), "\"a\\u0085b\""),
        (text("---"), "\"---\""),
        (text("東京 🍣"), "東京 🍣"),
        (number("010"), "010"),
        (number("12345678901234567890"), "12345678901234567890"),
        (number("1.50"), "1.50"),
        (number("not one"), "not one"),
        (Value::Bool(true), "true"),
        (link("Jane Doe"), "\"[[Jane Doe]]\""),
        (text("[[Jane Doe]]"), "\"[[Jane Doe]]\""),
        (link("Jane \"J\" Doe"), "'[[Jane \"J\" Doe]]'"),
        (Value::List(vec![]), "[]"),
    ];
    for (value, written) in cases {
        let after = format!("---\nkey: {written}\n---\n");
        check(written, "---\nkey: old\n---\n", set("key", value.clone()), &after);
        assert_eq!(compose(&[("key".to_owned(), value.clone())], ""), after, "compose {written}");
    }
}

#[test]
#[rustfmt::skip] // one case a line
fn new_property_is_added_as_the_last_line() {
    let won = || set("stage", text("won"));
    check("after the others", "---\na: 1\n---\nBody\n", won(), "---\na: 1\nstage: won\n---\nBody\n");
    check("empty block", "---\n---\nBody\n", won(), "---\nstage: won\n---\nBody\n");
    check("blank block", "---\n\n---\n", won(), "---\n\nstage: won\n---\n");
    check("only a comment", "---\n# mine\n---\n", won(), "---\n# mine\nstage: won\n---\n");
    check("after a list", "---\nl:\n- a\n- b\n---\n", won(), "---\nl:\n- a\n- b\nstage: won\n---\n");
    check("after a block scalar", "---\nt: |\n  a\n  b\n---\n", won(), "---\nt: |\n  a\n  b\nstage: won\n---\n");
    check("after a kept block scalar", "---\nt: |+\n  a\n\n---\n", won(), "---\nt: |+\n  a\n\nstage: won\n---\n");
    check("indented keys", "---\n  a: 1\n---\n", won(), "---\n  a: 1\n  stage: won\n---\n");
    check("list", "---\na: 1\n---\n", set("tags", texts(&["x", "y"])), "---\na: 1\ntags:\n  - x\n  - y\n---\n");
    check("links", "---\na: 1\n---\n", set("who", Value::List(vec![link("Jane")])), "---\na: 1\nwho:\n  - \"[[Jane]]\"\n---\n");
    check("long text", "---\na: 1\n---\n", set("t", text("one\n\n  two\n")), "---\na: 1\nt: |\n  one\n\n    two\n---\n");
    check("long text without end", "---\na: 1\n---\n", set("t", text("one\ntwo")), "---\na: 1\nt: |-\n  one\n  two\n---\n");
    check("long text, blank end", "---\na: 1\n---\n", set("t", text("one\n\n")), "---\na: 1\nt: |+\n  one\n\n---\n");
    check("no place in a block scalar", "---\na: 1\n---\n", set("t", text(" one\ntwo")), "---\na: 1\nt: \" one\\ntwo\"\n---\n");
    check("key that needs quotes", "---\na: 1\n---\n", set("b: c", text("x")), "---\na: 1\n\"b: c\": x\n---\n");
    check("no front matter", "Body\n", won(), "---\nstage: won\n---\nBody\n");
    check("empty note", "", won(), "---\nstage: won\n---\n");
    check("byte order mark", "\u{feff}Body\n", won(), "\u{feff}---\nstage: won\n---\nBody\n");
    check("body begins with a rule", "---\nSome words\nand more\n", won(), "---\nstage: won\n---\n---\nSome words\nand more\n");
    check("rule later", "Text\n\n---\na: b\n---\n", won(), "---\nstage: won\n---\nText\n\n---\na: b\n---\n");
}

#[test]
#[rustfmt::skip] // one case a line
fn removing_a_property_removes_its_lines() {
    let gone = || remove("stage");
    check("plain", "---\na: 1\nstage: x # y\nb: 2\n---\n", gone(), "---\na: 1\nb: 2\n---\n");
    check("last key", "---\nstage: x\n---\nBody", gone(), "---\n---\nBody");
    check("last key, comment stays", "---\n# c\nstage: x\n---\n", gone(), "---\n# c\n---\n");
    check("block list", "---\nstage:\n  - x # y\n  # z\n  - 1\nb: 2\n---\n", gone(), "---\nb: 2\n---\n");
    check("unindented list", "---\nstage:\n- x\n- y\nb: 2\n---\n", gone(), "---\nb: 2\n---\n");
    check("flow list over lines", "---\nstage: [a,\n  b, # c\n]\nb: 2\n---\n", gone(), "---\nb: 2\n---\n");
    check("block scalar, blank line stays", "---\nstage: |\n  a\n\n  b\n\nb: 2\n---\n", gone(), "---\n\nb: 2\n---\n");
    check("kept block scalar", "---\nstage: |+\n  a\n\nb: 2\n---\n", gone(), "---\nb: 2\n---\n");
    check("empty block scalar", "---\nstage: |\nb: 2\n---\n", gone(), "---\nb: 2\n---\n");
    check("nested mapping", "---\nstage:\n  a: 1\n  b:\n    - 2\nb: 2\n---\n", gone(), "---\nb: 2\n---\n");
    check("multi-byte", "---\n名前: 東京 🍣\nstage: 🍣\n---\n", remove("名前"), "---\nstage: 🍣\n---\n");
    check("comment below stays", "---\nstage: x\n# about b\nb: 2\n---\n", gone(), "---\n# about b\nb: 2\n---\n");
    check("not there", "---\na: 1\n---\n", gone(), "---\na: 1\n---\n");
    check("nothing there", "Body\n", gone(), "Body\n");
}

#[test]
#[rustfmt::skip] // one case a line
fn block_list_is_edited_item_by_item() {
    let list = "---\ntags:\n  - a # one\n  # two follows\n  -   b\n\n  - c\nz: 1\n---\n";
    check("add", list, add("tags", text("d")), "---\ntags:\n  - a # one\n  # two follows\n  -   b\n\n  - c\n  - d\nz: 1\n---\n");
    check("remove the first", list, drop_item("tags", text("a")), "---\ntags:\n  # two follows\n  -   b\n\n  - c\nz: 1\n---\n");
    check("remove the middle", list, drop_item("tags", text("b")), "---\ntags:\n  - a # one\n  # two follows\n\n  - c\nz: 1\n---\n");
    check("remove the last", list, drop_item("tags", text("c")), "---\ntags:\n  - a # one\n  # two follows\n  -   b\n\nz: 1\n---\n");
    check("set keeps what stays", list, set("tags", texts(&["x", "b", "c", "y"])), "---\ntags:\n  - x\n  # two follows\n  -   b\n\n  - c\n  - y\nz: 1\n---\n");
    check("unindented", "---\nt:\n- a\n- b\nz: 1\n---\n", add("t", text("c")), "---\nt:\n- a\n- b\n- c\nz: 1\n---\n");
    check("link", "---\nt:\n  - \"[[A]]\"\n---\n", add("t", link("B")), "---\nt:\n  - \"[[A]]\"\n  - \"[[B]]\"\n---\n");
    check("last item gone", "---\nt: # mine\n  - a\nz: 1\n---\n", drop_item("t", text("a")), "---\nt: [] # mine\nz: 1\n---\n");
    check("there already", "---\nt:\n  - a\n---\n", add("t", text("a")), "---\nt:\n  - a\n---\n");
    check("item not there", "---\nt:\n  - a\n---\n", drop_item("t", text("b")), "---\nt:\n  - a\n---\n");
    check("nothing", "---\nt:\nz: 1\n---\n", add("t", text("a")), "---\nt:\n  - a\nz: 1\n---\n");
    check("no list yet", "---\nz: 1\n---\n", add("t", text("a")), "---\nz: 1\nt:\n  - a\n---\n");
    check("a single value", "---\nt: a # x\nz: 1\n---\n", add("t", text("b")), "---\nt: # x\n  - a\n  - b\nz: 1\n---\n");
    check("a single value gone", "---\nt: a\nz: 1\n---\n", drop_item("t", text("a")), "---\nt:\nz: 1\n---\n");
    check("item over lines", "---\nt:\n  - |\n    a\n    b\n  - c\n---\n", add("t", text("d")), "---\nt:\n  - |\n    a\n    b\n  - c\n  - d\n---\n");
    check("mapping item", "---\nt:\n  - x: 1\n    y: 2\n  - c\n---\n", drop_item("t", text("c")), "---\nt:\n  - x: 1\n    y: 2\n---\n");
    check("replaced by a scalar", "---\nt: # mine\n  - a # one\n  - b\nz: 1\n---\n", set("t", text("x")), "---\nt: x # mine\nz: 1\n---\n");
}

#[test]
#[rustfmt::skip] // one case a line
fn flow_list_stays_a_flow_list() {
    check("add", "---\nt: [a, b] # x\n---\n", add("t", text("c")), "---\nt: [a, b, c] # x\n---\n");
    check("odd spacing stays, is not repeated", "---\nt: [ a,  b ]\n---\n", add("t", text("c")), "---\nt: [ a,  b, c ]\n---\n");
    check("to empty", "---\nt: []\n---\n", add("t", text("c")), "---\nt: [c]\n---\n");
    check("to blank", "---\nt: [ ]\n---\n", add("t", text("c")), "---\nt: [c]\n---\n");
    check("remove the first", "---\nt: [a, b,  c]\n---\n", drop_item("t", text("a")), "---\nt: [b,  c]\n---\n");
    check("remove the middle", "---\nt: [a,  b, c]\n---\n", drop_item("t", text("b")), "---\nt: [a, c]\n---\n");
    check("remove the last", "---\nt: [a, b]\n---\n", drop_item("t", text("b")), "---\nt: [a]\n---\n");
    check("remove the only", "---\nt: [a] # x\n---\n", drop_item("t", text("a")), "---\nt: [] # x\n---\n");
    check("set", "---\nt: [a, 'b', c]\n---\n", set("t", texts(&["b", "x"])), "---\nt: ['b', x]\n---\n");
    check("needs quotes in brackets", "---\nt: [a]\n---\n", add("t", text("b, c")), "---\nt: [a, \"b, c\"]\n---\n");
    check("unquoted links", "---\nt: [[[A]], [[B B]]]\n---\n", add("t", link("C")), "---\nt: [[[A]], [[B B]], \"[[C]]\"]\n---\n");
    check("one item a line", "---\nt: [\n  a,\n  b,\n]\n---\n", add("t", text("c")), "---\nt: [\n  a,\n  b,\n  c,\n]\n---\n");
    check("replaced by a scalar", "---\nt: [a, b] # x\n---\n", set("t", text("y")), "---\nt: y # x\n---\n");
}

#[test]
#[rustfmt::skip] // one case a line
fn other_notations_are_replaced_whole() {
    let won = || set("k", text("won"));
    check("block scalar", "---\nk: |\n  a\n  b\nz: 1\n---\n", won(), "---\nk: won\nz: 1\n---\n");
    check("only entry", "---\nk: |\n  a\n---\n", won(), "---\nk: won\n---\n");
    check("with a comment", "---\nk: >- # note\n  a\n\n  b\n\nz: 1\n---\n", won(), "---\nk: won # note\n\nz: 1\n---\n");
    check("empty block scalar", "---\nk: |\nz: 1\n---\n", won(), "---\nk: won\nz: 1\n---\n");
    check("to a block scalar", "---\nk: a # c\nz: 1\n---\n", set("k", text("x\ny\n")), "---\nk: | # c\n  x\n  y\nz: 1\n---\n");
    check("block scalar to block scalar", "---\nk: |\n  a\nz: 1\n---\n", set("k", text("x\ny\n")), "---\nk: |\n  x\n  y\nz: 1\n---\n");
    check("mapping", "---\nk: # c\n  a: 1\n  b: 2\nz: 1\n---\n", won(), "---\nk: won # c\nz: 1\n---\n");
    check("flow mapping", "---\nk: {a: 1, b: }\nz: 1\n---\n", won(), "---\nk: won\nz: 1\n---\n");
    check("unquoted link", "---\nk: [[Jane Doe]] # c\n---\n", set("k", link("Jo")), "---\nk: \"[[Jo]]\" # c\n---\n");
    check("to a list", "---\nk: a # c\nz: 1\n---\n", set("k", texts(&["x", "y"])), "---\nk: # c\n  - x\n  - y\nz: 1\n---\n");
    let map = Value::from_json(&serde_json::json!({"a": 1, "b": ["x"]}));
    check("to a mapping", "---\nk: a\nz: 1\n---\n", set("k", map), "---\nk:\n  a: 1\n  b: [x]\nz: 1\n---\n");
}

#[test]
#[rustfmt::skip] // one case a line
fn link_with_a_comma_is_one_value() {
    let inc = "---\nk: [[Acme, Inc]] # c\nz: 1\n---\n";
    check("another", inc, set("k", link("Beta, Co")), "---\nk: \"[[Beta, Co]]\" # c\nz: 1\n---\n");
    check("the same", inc, set("k", link("Acme, Inc")), inc);
    check("beside it", inc, set("z", number("2")), "---\nk: [[Acme, Inc]] # c\nz: 2\n---\n");
    check("gone", inc, remove("k"), "---\nz: 1\n---\n");
    check("one more", inc, add("k", link("B")), "---\nk: # c\n  - \"[[Acme, Inc]]\"\n  - \"[[B]]\"\nz: 1\n---\n");
    check("there already", inc, add("k", link("Acme, Inc")), inc);
    check("taken out", inc, drop_item("k", link("Acme, Inc")), "---\nk: # c\nz: 1\n---\n");
    let colon = "---\nk: [[Acme|A: b]] # c\nz: 1\n---\n";
    check("with a colon", colon, set("k", link("Acme|A: c")), "---\nk: \"[[Acme|A: c]]\" # c\nz: 1\n---\n");
    check("beside a colon", colon, set("z", number("2")), "---\nk: [[Acme|A: b]] # c\nz: 2\n---\n");
    check("a colon left", colon, set("k", link("Acme|A: b")), colon);
    let list = "---\nk:\n  - [[A, B]] # one\n  - [[C]]\n---\n";
    check("in a list", list, add("k", text("d")), "---\nk:\n  - [[A, B]] # one\n  - [[C]]\n  - d\n---\n");
    check("out of a list", list, drop_item("k", link("A, B")), "---\nk:\n  - [[C]]\n---\n");
    check("in brackets", "---\nk: [[[A, B]], [[C]]]\n---\n", drop_item("k", link("C")), "---\nk: [[[A, B]]]\n---\n");
}

#[test]
#[rustfmt::skip] // one case a line
fn nested_list_stays_nested() {
    let pair = |a: &str, b: &str| texts(&[a, b]);
    let pairs = |items: &[Value]| Value::List(items.to_vec());
    check("one more", "---\nk: [[a, b]] # c\n---\n", add("k", pair("c", "d")), "---\nk: [[a, b], [c, d]] # c\n---\n");
    check("there already", "---\nk: [[a, b]]\n---\n", add("k", pair("a", "b")), "---\nk: [[a, b]]\n---\n");
    check("the same", "---\nk: [[a,  b]]\n---\n", set("k", pairs(&[pair("a", "b")])), "---\nk: [[a,  b]]\n---\n");
    check("others", "---\nk: [[a,  b]]\n---\n", set("k", pairs(&[pair("a", "b"), pair("x", "y")])), "---\nk: [[a,  b], [x, y]]\n---\n");
    check("the only one gone", "---\nk: [[a, b]]\n---\n", drop_item("k", pair("a", "b")), "---\nk: []\n---\n");
    check("down to one", "---\nk: [[a, b], [c]]\n---\n", drop_item("k", texts(&["c"])), "---\nk: [ [a, b] ]\n---\n");
    check("down to one of one", "---\nk: [[a], [c]]\n---\n", drop_item("k", texts(&["c"])), "---\nk: [ [a] ]\n---\n");
    check("numbers", "---\nk: [[1, 2], [3]]\n---\n", drop_item("k", Value::List(vec![number("3")])), "---\nk: [[1, 2]]\n---\n");
    check("new", "---\nz: 1\n---\n", set("k", pairs(&[pair("a", "b")])), "---\nz: 1\nk:\n  - [a, b]\n---\n");
    let deep = Value::from_json(&serde_json::json!({"x": [["a", "b"]], "y": [[1, 2]]}));
    check("in a mapping", "---\nz: 1\n---\n", set("k", deep), "---\nz: 1\nk:\n  x: [ [a, b] ]\n  y: [[1, 2]]\n---\n");
}

#[test]
fn setting_the_same_value_changes_nothing() {
    let note = "---\nn: 010\nq: 'it'\nl: [a,  b]\nk: [[Jane]]\ne:\nd: \"2026-01-02\"\nt: |\n  a\n---\nBody";
    let edits = [
        set("n", number("010")),
        set("q", text("it")),
        set("l", texts(&["a", "b"])),
        set("k", link("Jane")),
        set("k", text("[[Jane]]")),
        set("e", Value::Null),
        set("d", text("2026-01-02")),
        set("t", text("a\n")),
    ];
    assert_eq!(edit_properties(note, &edits).as_deref(), Ok(note));
}

#[test]
fn several_edits_are_applied_in_order_or_not_at_all() {
    let note = "---\na: 1\nb: 2\n---\nBody\n";
    let edits = [set("a", number("3")), remove("b"), set("c", text("x")), add("d", link("Jane"))];
    assert_eq!(
        edit_properties(note, &edits).as_deref(),
        Ok("---\na: 3\nc: x\nd:\n  - \"[[Jane]]\"\n---\nBody\n")
    );
    let edits = [set("a", number("3")), set("", text("x"))];
    assert_eq!(edit_properties(note, &edits), Err(EditError::BadKey { key: String::new() }));
}

#[test]
#[rustfmt::skip] // one case a line
fn anchors_and_aliases() {
    check("anchor not used", "---\nk: &a old\n---\n", set("k", text("new")), "---\nk: &a new\n---\n");
    check("alias replaced", "---\nb: &a old\nk: *a\n---\n", set("k", text("new")), "---\nb: &a old\nk: new\n---\n");
    check("alias removed", "---\nb: &a old\nk: *a\n---\n", remove("k"), "---\nb: &a old\n---\n");
    check("alias of a list", "---\nb: &a [x]\nk: *a\n---\n", add("k", text("y")), "---\nb: &a [x]\nk:\n  - x\n  - y\n---\n");
    check("entry beside", "---\nb: &a old\nk: *a\nz: 1\n---\n", set("z", number("2")), "---\nb: &a old\nk: *a\nz: 2\n---\n");
    check_refused("the alias would change too", "---\nk: &a old\nb: *a\n---\n", set("k", text("new")));
    check_refused("the alias would dangle", "---\nk: &a old\nb: *a\n---\n", remove("k"));
    check_refused("one flow mapping", "---\n{a: 1, k: 2}\n---\n", set("k", text("new")));
}

#[test]
fn unreadable_front_matter_is_refused_with_its_line() {
    check_broken("duplicate key", "---\na: 1\na: 2\n---\n", 3);
    check_broken("duplicate key, other notation", "---\n5: 1\n\"5\": 2\n---\n", 3);
    check_broken("colon in a value", "---\nb: 1\ntitle: foo: bar\n---\n", 3);
    check_broken("tab indent", "---\na:\n\tb: 1\n---\n", 3);
    check_broken("never closed", "---\nstage: lead\n\nBody\n", 1);
    check_broken("other closer", "---\nstage: lead\n...\nBody\n\n---\nMore\n", 3);
    check_broken("words between rules", "---\nsome words\n---\nBody\n", 2);
    check_broken("list", "---\n- a\n---\n", 2);
    check_broken("complex key", "---\na: 1\n? [b]\n: c\n---\n", 3);
    check_broken("unknown alias", "---\na: *b\n---\n", 2);
}

#[test]
fn alias_bomb_is_refused() {
    let mut bomb = "---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    bomb.push_str("---\n");
    let deep = format!("---\na: {}x{}\n---\n", "[".repeat(20_000), "]".repeat(20_000));
    for hostile in [bomb, deep] {
        let result = edit_properties(&hostile, &[set("stage", text("won"))]);
        assert!(matches!(result, Err(EditError::Broken { .. })), "{result:?}");
    }
}

#[test]
fn composes_a_new_note() {
    let properties = [
        ("type".to_owned(), text("contact")),
        ("name".to_owned(), text("Jane Doe")),
        ("company".to_owned(), link("Acme")),
        ("tags".to_owned(), texts(&["vip", "a: b"])),
        ("last_contact".to_owned(), text("2026-11-20")),
        ("value".to_owned(), number("1200.50")),
        ("phone".to_owned(), Value::Null),
    ];
    assert_eq!(
        compose(&properties, "\n## Log\n"),
        "---\ntype: contact\nname: Jane Doe\ncompany: \"[[Acme]]\"\ntags:\n  - vip\n  - \"a: b\"\nlast_contact: 2026-11-20\nvalue: 1200.50\nphone:\n---\n\n## Log\n"
    );
    assert_eq!(compose(&[], "Body"), "Body");
}

#[test]
fn date_with_time_is_unquoted_in_a_flow_list() {
    for date in ["2026-11-21T10:00:00", "2026-11-21T10:00", "2026-11-21 10:00", "2026-11-21T10:00:00.5+01:00"]
    {
        check("added", "---\nd: [a]\n---\n", add("d", text(date)), &format!("---\nd: [a, {date}]\n---\n"));
        check(
            "set",
            "---\nd: [a]\n---\n",
            set("d", texts(&[date, "b"])),
            &format!("---\nd: [{date}, b]\n---\n"),
        );
        let read = Value::List(vec![text("a"), text(date)]);
        let document = super::super::Document::parse(&format!("---\nd: [a, {date}]\n---\n"));
        assert_eq!(document.property("d"), Some(&read), "{date}");
    }
    // Texts that other readers take for a mapping, or that end early there, are quoted.
    for other in ["10:00", "a:b", "2026-11-21T10:00:00, b", "2026-11-21T10:00:00]"] {
        let quoted = format!("---\nd: [a, \"{other}\"]\n---\n");
        check("quoted", "---\nd: [a]\n---\n", add("d", text(other)), &quoted);
    }
    let named = set("2026-11-21T10:00:00", text("x"));
    check("a name", "---\na: 1\n---\n", named, "---\na: 1\n\"2026-11-21T10:00:00\": x\n---\n");
}
