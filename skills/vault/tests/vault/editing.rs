use nova_protocol::ErrorCode;
use nova_skill::{Value, json};

use crate::{LISBON, NOTES, vault};

/// Checks that the text `from` becomes `to` and every other byte stays.
#[track_caller]
fn check(tool: &str, args: Value, edits: &[(&str, &str)]) -> Value {
    let vault = vault(NOTES);
    let mut expected = vault.vault.read(LISBON);
    for (from, to) in edits {
        assert_eq!(expected.matches(from).count(), 1, "{from:?} occurs once");
        expected = expected.replace(from, to);
    }
    let value = vault.value(tool, args);
    assert_eq!(vault.vault.read(LISBON), expected);
    assert_eq!(value["path"], LISBON);
    value
}

#[test]
fn exact_text_is_replaced() {
    let value = check(
        "edit_note",
        json!({"path": "Lisbon", "old": "- [ ] Book the train", "new": "- [x] Book the train"}),
        &[("- [ ] Book", "- [x] Book")],
    );
    assert_eq!(value["changed"], json!(["body"]));
    check(
        "edit_note",
        json!({"path": LISBON, "old": "- [ ] ", "new": "* [ ] ", "count": 2}),
        &[("- [ ] Book the train\n- [ ] Ask", "* [ ] Book the train\n* [ ] Ask")],
    );
    check("edit_note", json!({"path": LISBON, "old": "\nShoes.\n", "new": ""}), &[("\nShoes.\n", "")]);
}

#[test]
fn wrong_number_of_occurrences_is_refused() {
    for (args, said) in [
        (json!({"path": "Lisbon", "old": "Book the plane", "new": ""}), "0"),
        (json!({"path": "Lisbon", "old": "- [ ]", "new": "- [x]"}), "2"),
        (json!({"path": "Lisbon", "old": "- [ ]", "new": "- [x]", "count": 3}), "2"),
        (json!({"path": "Lisbon", "old": "", "new": "x"}), ""),
        (json!({"path": "Lisbon", "old": "type: trip\n", "new": "type: [\n"}), ""),
    ] {
        let vault = vault(NOTES);
        let before = vault.vault.read(LISBON);
        let error = vault.error("edit_note", args.clone());
        assert_eq!(error.code, ErrorCode::EditRefused, "{args}");
        assert!(error.message.contains(said), "{error}");
        assert_eq!(vault.vault.read(LISBON), before);
    }
}

#[test]
fn lines_are_added_at_the_end_or_under_a_heading() {
    check("append_to_note", json!({"path": "Lisbon", "text": "- Hat"}), &[("Shoes.\n", "Shoes.\n- Hat\n")]);
    for heading in ["Log", "## Log", "log"] {
        check(
            "append_to_note",
            json!({"path": "Lisbon", "text": "- 2026-11-21 Booked.", "heading": heading}),
            &[("Dates fixed.\n", "Dates fixed.\n- 2026-11-21 Booked.\n")],
        );
    }
    check(
        "append_to_note",
        json!({"path": "Lisbon", "text": "- Anna", "heading": "# People"}),
        &[("Shoes.\n", "Shoes.\n\n# People\n- Anna\n")],
    );
    let error = vault(NOTES).error("append_to_note", json!({"path": "Lisbon", "text": " \n"}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
}

#[test]
fn properties_change_their_own_bytes() {
    let value = check(
        "set_properties",
        json!({"path": "Lisbon", "properties": {
            "status": "done", "start": "2026-12-04", "budget": 1300, "tags": ["travel", "food"],
            "with": "[[Jane Doe]]", "aliases": null,
        }}),
        &[
            ("status: planned # since May", "status: done # since May"),
            ("start: 2026-12-03", "start: 2026-12-04"),
            ("budget: 1200", "budget: 1300"),
            ("  - work\n", "  - food\n"),
            ("aliases: [The offsite]\n", "with: \"[[Jane Doe]]\"\n"),
        ],
    );
    assert_eq!(
        value["changed"],
        json!([
            "status: planned → done",
            "start: 2026-12-03 → 2026-12-04",
            "budget: 1200 → 1300",
            "tags: + food − work",
            "with: [[Jane Doe]] (new)",
            "aliases: removed",
        ])
    );
}

#[test]
fn equal_value_keeps_its_spelling() {
    let vault = vault("//- a.md\n---\nn: 010\nok: true\nl: [1, \"2\"]\nt: \"5\"\n---\n");
    let outcome = vault.call(
        "set_properties",
        json!({"path": "a", "properties": {"n": "010", "ok": "true", "l": ["1", "2"], "t": "5", "x": null}}),
    );
    assert_eq!(outcome.result.unwrap()["changed"], json!([]));
    assert!(outcome.changes.is_empty() && vault.approver.asked().is_empty());
    vault.value("set_properties", json!({"path": "a", "properties": {"t": 5}}));
    assert_eq!(vault.vault.read("a.md"), "---\nn: 010\nok: true\nl: [1, \"2\"]\nt: 5\n---\n");
}

#[test]
fn number_stays_a_number_if_a_decimal_is_given_as_text() {
    let vault = vault("//- a.md\n---\namount: 1180.00\nn: 1\nt: a\n---\n");
    vault.value(
        "set_properties",
        json!({"path": "a", "properties": {"amount": "1200.50", "n": "1,5", "t": "2"}}),
    );
    assert_eq!(vault.vault.read("a.md"), "---\namount: 1200.50\nn: 1,5\nt: \"2\"\n---\n");
    let found = vault.value("query", json!({"where": ["amount > 5"]}));
    assert_eq!(found["notes"][0]["properties"]["amount"], "1200.50");
}

#[test]
fn property_keeps_the_spelling_of_the_note() {
    let vault = vault("//- a.md\n---\nStage: won\nDue: 2026-11-24\n---\n");
    vault.value(
        "set_properties",
        json!({"path": "a", "properties": {"stage": "lead", "due": null, "New": "x"}}),
    );
    assert_eq!(vault.vault.read("a.md"), "---\nStage: lead\nNew: x\n---\n");
}

#[test]
fn null_removes_even_after_other_arguments_were_fixed() {
    let vault = vault("//- 2026.md\n---\na: 1\nb: 2\n---\n");
    vault.value("set_properties", json!({"path": 2026, "properties": {"a": null}}));
    assert_eq!(vault.vault.read("2026.md"), "---\nb: 2\n---\n");
}

#[test]
fn unreadable_properties_are_not_changed() {
    let vault = vault("//- a.md\n---\nb: [\n---\nText.\n");
    let error = vault.error("set_properties", json!({"path": "a", "properties": {"c": 1}}));
    assert_eq!(error.code, ErrorCode::EditRefused);
    assert!(error.message.contains("line "), "{error}");
    assert_eq!(vault.vault.read("a.md"), "---\nb: [\n---\nText.\n");
    // The text below them can still be changed.
    vault.value("append_to_note", json!({"path": "a", "text": "More."}));
    assert_eq!(vault.vault.read("a.md"), "---\nb: [\n---\nText.\nMore.\n");
}

#[test]
fn empty_change_is_refused() {
    let error = vault(NOTES).error("set_properties", json!({"path": "Lisbon", "properties": {}}));
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::InvalidArguments, "/properties: must name what changes.")
    );
    let error = vault(NOTES).error("set_properties", json!({"path": "Lisbon", "properties": {"a\nb": 1}}));
    assert_eq!(error.code, ErrorCode::EditRefused);
}

#[test]
fn byte_order_mark_and_crlf_are_preserved() {
    let text = "\u{feff}---\r\nstatus: open\r\n---\r\n# A\r\n\r\n- [ ] one\r\n\r\n## Log\r\n\r\n- x";
    let vault = vault("");
    vault.vault.write("a.md", text);
    vault.value("edit_note", json!({"path": "a", "old": "# A\n\n- [ ] one\n", "new": "# A\n\n- [x] one\n"}));
    vault
        .value("set_properties", json!({"path": "a", "properties": {"status": "done", "due": "2026-12-01"}}));
    vault.value("append_to_note", json!({"path": "a", "text": "- y\n- z", "heading": "Log"}));
    assert_eq!(
        vault.vault.read("a.md"),
        "\u{feff}---\r\nstatus: done\r\ndue: 2026-12-01\r\n---\r\n# A\r\n\r\n- [x] one\r\n\r\n## Log\r\n\r\n- x\r\n- y\r\n- z"
    );
}

#[test]
fn list_properties_of_obsidian_become_lists() {
    let own = "---\ntags:\n  - \"#work\"\n  - old\naliases: Boat\ncssclasses: [wide]\n---\n";
    for (properties, edits) in [
        (json!({"tags": "work, #travel"}), &[("  - \"#work\"\n  - old\n", "  - work\n  - travel\n")][..]),
        (json!({"tags": ["#work", "#new"]}), &[("  - old\n", "  - new\n")]),
        (json!({"aliases": "Boat"}), &[]),
        (json!({"aliases": "The boat, red"}), &[("aliases: Boat\n", "aliases:\n  - The boat, red\n")]),
        (json!({"cssclasses": "wide cards"}), &[("[wide]", "[wide, cards]")]),
    ] {
        let vault = vault(&format!("//- a.md\n{own}"));
        let expected = edits.iter().fold(own.to_owned(), |text, (from, to)| text.replacen(from, to, 1));
        vault.value("set_properties", json!({"path": "a", "properties": properties}));
        assert_eq!(vault.vault.read("a.md"), expected, "{properties}");
    }
}

#[test]
fn lines_go_under_the_heading_in_the_path() {
    for path in ["[[Lisbon#Log]]", "Lisbon#Log", "![[Lisbon#Log|the log]]", "Trips/Lisbon.md#log"] {
        let value = check(
            "append_to_note",
            json!({"path": path, "text": "- x"}),
            &[("Dates fixed.\n", "Dates fixed.\n- x\n")],
        );
        assert!(value.get("heading_added").is_none(), "{path}");
    }
    let vault = vault(NOTES);
    let value = vault.value("append_to_note", json!({"path": "Lisbon", "text": "- x", "heading": "Ideas"}));
    assert_eq!(value, json!({"path": LISBON, "heading_added": true}));
    let error = vault.error("append_to_note", json!({"path": "Lisbon#^id", "text": "- x"}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
}

#[test]
fn properties_may_be_given_as_json_text() {
    let vault = vault("//- a.md\n---\nb: 1\n---\n");
    vault.value("set_properties", json!({"path": "a", "properties": "{\"b\": 2, \"c\": null}"}));
    assert_eq!(vault.vault.read("a.md"), "---\nb: 2\n---\n");
    let inexact = json!({"path": "a", "properties": "{\"b\": 12345678901234567890.5}"});
    assert_eq!(vault.error("set_properties", inexact).code, ErrorCode::InvalidArguments);
}
