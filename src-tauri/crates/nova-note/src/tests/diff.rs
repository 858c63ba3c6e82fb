//! Diffs on a card and summaries in a notice.

use super::super::{ChangeKind, LineKind, NoteDiff, diff, summarize};

/// Renders a diff as text: `key line before → after`, then the hunks with their line numbers, changed words
/// in braces, and the number of omitted lines.
fn drawn(diff: &NoteDiff) -> String {
    let mut text = String::new();
    for property in &diff.properties {
        text.push_str(&format!(
            "{} {}: {:?} → {:?}\n",
            property.line, property.key, property.before, property.after
        ));
    }
    for hunk in &diff.hunks {
        if hunk.skipped > 0 {
            text.push_str(&format!("… {} lines unchanged\n", hunk.skipped));
        }
        for line in &hunk.lines {
            let sign = match line.kind {
                LineKind::Context => ' ',
                LineKind::Added => '+',
                LineKind::Removed => '-',
            };
            let number = |number: Option<u32>| number.map_or(".".to_owned(), |number| number.to_string());
            let words: String = line
                .words
                .iter()
                .map(|word| if word.changed { format!("{{{}}}", word.text) } else { word.text.clone() })
                .collect();
            text.push_str(&format!("{sign} {} {} |{words}\n", number(line.old), number(line.new)));
        }
    }
    if diff.tail_skipped > 0 {
        text.push_str(&format!("… {} lines unchanged\n", diff.tail_skipped));
    }
    text.push_str(&diff.summary);
    text
}

fn check(name: &str, before: &str, after: &str, expected: &str) {
    assert_eq!(drawn(&diff(Some(before), Some(after))), expected, "{name}");
}

#[test]
fn one_line_property_is_one_change() {
    check(
        "changed",
        "---\ntype: deal\nstage: lead\n---\nBody\n",
        "---\ntype: deal\nstage: won\n---\nBody\n",
        "3 stage: Some(\"lead\") → Some(\"won\")\n… 4 lines unchanged\n1 property, nothing else in the note",
    );
    check(
        "added and removed",
        "---\na: 1\nb: 2\n---\n",
        "---\nb: 2\nc: 3\n---\n",
        "3 c: None → Some(\"3\")\n2 a: Some(\"1\") → None\n… 3 lines unchanged\n2 properties, nothing else in the note",
    );
    check(
        "in a note without front matter",
        "Body\n",
        "---\na: 1\n---\nBody\n",
        "2 a: None → Some(\"1\")\n… 1 lines unchanged\n1 property, nothing else in the note",
    );
    check(
        "a changed comment is not hidden",
        "---\na: 1 # x\n---\n",
        "---\na: 2 # y\n---\n",
        "  1 1 |---\n- 2 . |a: {1} # {x}\n+ . 2 |a: {2} # {y}\n  3 3 |---\n1 property, nothing else in the note",
    );
    check(
        "a list is shown by its lines",
        "---\nt:\n  - a\nz: 1\n---\n",
        "---\nt:\n  - a\n  - b\nz: 1\n---\n",
        "… 2 lines unchanged\n  3 3 |  - a\n+ . 4 |  - b\n  4 5 |z: 1\n… 1 lines unchanged\n1 property, nothing else in the note",
    );
}

#[test]
fn changed_lines_have_one_line_of_context() {
    check(
        "a word",
        "1\n2\n3\nthe old word here\n5\n6\n7\n",
        "1\n2\n3\nthe new word here\n5\n6\n7\n",
        "… 2 lines unchanged\n  3 3 |3\n- 4 . |the {old} word here\n+ . 4 |the {new} word here\n  5 5 |5\n… 2 lines unchanged\n1 line, no property",
    );
    check(
        "nothing in common",
        "alpha beta\n",
        "gamma delta\n",
        "- 1 . |{alpha beta}\n+ . 1 |{gamma delta}\n1 line, no property",
    );
    check(
        "two changes close together are one hunk",
        "1\n2\n3\n4\n",
        "1x\n2\n3\n4x\n",
        "- 1 . |{1}\n+ . 1 |{1x}\n  2 2 |2\n  3 3 |3\n- 4 . |{4}\n+ . 4 |{4x}\n2 lines, no property",
    );
    check(
        "two changes apart are two",
        "1\n2\n3\n4\n5\n",
        "1\nx\n2\n3\n4\n",
        "  1 1 |1\n+ . 2 |x\n  2 3 |2\n… 1 lines unchanged\n  4 5 |4\n- 5 . |5\n2 lines, no property",
    );
    check(
        "property and lines",
        "---\na: 1\n---\nx\n",
        "---\na: 2\n---\nx\ny\nz\n",
        "2 a: Some(\"1\") → Some(\"2\")\n… 2 lines unchanged\n  4 4 |x\n+ . 5 |y\n+ . 6 |z\n1 property and 2 lines",
    );
    check("nothing", "a\n", "a\n", "… 1 lines unchanged\nno change");
    check("line ends", "a\n", "a\r\n", "… 1 lines unchanged\nline ends only, no text");
    check(
        "unreadable front matter",
        "---\na: \"\n---\n",
        "---\na: x: y\n---\n",
        "  1 1 |---\n- 2 . |a: {\"}\n+ . 2 |a: {x: y}\n  3 3 |---\n1 line, no property",
    );
}

#[test]
fn creation_and_deletion() {
    let created = diff(None, Some("---\na: 1\n---\nx\n"));
    assert_eq!(created.kind, ChangeKind::Created);
    assert_eq!(drawn(&created), "+ . 1 |---\n+ . 2 |a: 1\n+ . 3 |---\n+ . 4 |x\nnew note");
    let deleted = diff(Some("x\ny"), None);
    assert_eq!(deleted.kind, ChangeKind::Deleted);
    assert_eq!(drawn(&deleted), "- 1 . |x\n- 2 . |y\nnote deleted");
    assert_eq!(
        serde_json::to_value(diff(None, Some("x"))).unwrap(),
        serde_json::json!({
            "kind": "created",
            "properties": [],
            "hunks": [{"lines": [{"kind": "added", "old": null, "new": 1, "words": [{"text": "x", "changed": false}]}], "skipped": 0}],
            "tail_skipped": 0,
            "summary": "new note",
        })
    );
}

#[test]
fn summarizes_changes_for_a_notice() {
    let check = |before: &str, after: &str, changes: &[&str]| assert_eq!(summarize(before, after), changes);
    check("---\nstage: lead\n---\nx", "---\nstage: won\n---\nx", &["stage: lead → won"]);
    check("---\na: 1\n---\nx", "---\nb: 2\n---\ny", &["b: 2 (new)", "a: removed", "body"]);
    check("---\nt: [a, b]\n---\n", "---\nt: [b, c]\n---\n", &["t: + c − a"]);
    check("---\nt: [a, b]\n---\n", "---\nt: [b, a]\n---\n", &["t: order"]);
    check("---\na: 1\n---\n", "---\na:\n---\n", &["a: 1 → nothing"]);
    check("---\na: 1\n---\n", "---\na: 1 # c\n---\n", &["formatting"]);
    check("a\n", "a\r\n", &["formatting"]);
    check("a", "a", &[]);
    check("---\na: \"\n---\nx", "---\na: 1\n---\nx", &["a: 1 (new)", "front matter"]);
    let long = "é".repeat(70);
    check("x", &format!("---\na: {long}\n---\nx"), &[&format!("a: {}… (new)", "é".repeat(60))]);
}
