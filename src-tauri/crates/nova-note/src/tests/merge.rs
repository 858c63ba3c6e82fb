//! Three-way merges. Each case gives the base and both sides' versions.

use super::super::{Merge, merge};

fn check(name: &str, base: &str, mine: &str, theirs: &str, merged: &str, outside: &[&str]) {
    let expected = Merge::Clean {
        text: merged.to_owned(),
        outside: outside.iter().map(|line| (*line).to_owned()).collect(),
    };
    assert_eq!(merge(base, mine, theirs), expected, "{name}");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    match merge(&crlf(base), &crlf(mine), &crlf(theirs)) {
        Merge::Clean { text, .. } => assert_eq!(text, crlf(merged), "{name}, CRLF"),
        conflict => panic!("{name}, CRLF: {conflict:?}"),
    }
}

fn check_conflict(name: &str, base: &str, mine: &str, theirs: &str, what: &[&str]) {
    let what = what.iter().map(|line| (*line).to_owned()).collect();
    assert_eq!(merge(base, mine, theirs), Merge::Conflict { what }, "{name}");
}

fn note(matter: &str, body: &str) -> String {
    format!("---\n{matter}---\n{body}")
}

#[test]
fn takes_the_only_changed_side() {
    check("neither", "a\n", "a\n", "a\n", "a\n", &[]);
    check("mine", "a\n", "b\n", "a\n", "b\n", &[]);
    check("theirs", "a\n", "a\n", "b\n", "b\n", &["body"]);
    check("both the same", "a\n", "b\n", "b\n", "b\n", &[]);
}

#[test]
#[rustfmt::skip] // one case a line
fn properties_merge_by_key() {
    let case =
        |name: &str, base: &str, mine: &str, theirs: &str, merged: &str, outside: &[&str]| {
            check(name, &note(base, "x\n"), &note(mine, "x\n"), &note(theirs, "x\n"), &note(merged, "x\n"), outside);
        };
    let conflict = |name: &str, base: &str, mine: &str, theirs: &str, what: &[&str]| {
        check_conflict(name, &note(base, "x\n"), &note(mine, "x\n"), &note(theirs, "x\n"), what);
    };
    case("neighbours", "a: 1\nb: 2\n", "a: 9\nb: 2\n", "a: 1\nb: 8\n", "a: 9\nb: 8\n", &["b: 2 → 8"]);
    case("both added", "a: 1\n", "a: 1\nb: 2\n", "a: 1\nc: 3\n", "a: 1\nc: 3\nb: 2\n", &["c: 3 (new)"]);
    case("same change beside another", "a: 1\nb: 2\n", "a: 9\nb: 2\n", "a: 9\nb: 8\n", "a: 9\nb: 8\n", &["b: 2 → 8"]);
    case("removed and changed elsewhere", "a: 1\nb: 2\n", "b: 2\n", "a: 1\nb: 8\n", "b: 8\n", &["b: 2 → 8"]);
    case("they removed", "a: 1\nb: 2\n", "a: 9\nb: 2\n", "a: 1\n", "a: 9\n", &["b: removed"]);
    case("their comments stay", "a: 1\nb: 2\n", "a: 9\nb: 2\n", "# c\na: 1 # d\nb: 8\n", "# c\na: 9 # d\nb: 8\n", &["b: 2 → 8"]);
    case("their order stays", "a: 1\nb: 2\nc: 3\n", "a: 9\nb: 2\nc: 3\n", "c: 3\nb: 2\na: 1\n", "c: 3\nb: 2\na: 9\n", &[]);
    conflict("two values", "stage: lead\n", "stage: won\n", "stage: lost\n", &["stage: lead → won here, lead → lost outside"]);
    conflict("removed and changed", "stage: lead\n", "", "stage: lost\n", &["stage: removed here, lead → lost outside"]);
    conflict("changed and removed", "stage: lead\n", "stage: won\n", "", &["stage: lead → won here, removed outside"]);
    conflict("added differently", "", "stage: won\n", "stage: lost\n", &["stage: nothing → won here, nothing → lost outside"]);
    conflict("every key is named", "a: 1\nb: 1\n", "a: 2\nb: 2\n", "a: 3\nb: 3\n", &["a: 1 → 2 here, 1 → 3 outside", "b: 1 → 2 here, 1 → 3 outside", ]);
}

#[test]
#[rustfmt::skip] // one case a line
fn lists_merge_by_items() {
    let case =
        |name: &str, base: &str, mine: &str, theirs: &str, merged: &str, outside: &[&str]| {
            check(name, &note(base, ""), &note(mine, ""), &note(theirs, ""), &note(merged, ""), outside);
        };
    let conflict = |name: &str, base: &str, mine: &str, theirs: &str| match merge(
        &note(base, ""),
        &note(mine, ""),
        &note(theirs, ""),
    ) {
        Merge::Conflict { what } => assert!(what[0].starts_with("t: "), "{name}: {what:?}"),
        clean => panic!("{name}: {clean:?}"),
    };
    case("both add", "t: [a]\n", "t: [a, b]\n", "t: [a, c]\n", "t: [a, c, b]\n", &["t: + c"]);
    case("both add the same", "t: [a]\n", "t: [a, b]\n", "t: [a, b, c]\n", "t: [a, b, c]\n", &["t: + c"]);
    case("add and remove", "t: [a, b]\n", "t: [a, b, c]\n", "t: [b]\n", "t: [b, c]\n", &["t: − a"]);
    case("both remove", "t: [a, b, c]\n", "t: [b, c]\n", "t: [a, b]\n", "t: [b]\n", &["t: − c"]);
    case("mine first", "t: [b]\n", "t: [a, b]\n", "t: [b, c]\n", "t: [a, b, c]\n", &["t: + c"]);
    case("block", "t:\n  - a\n", "t:\n  - a\n  - b\n", "t:\n  - a\n  - c\n", "t:\n  - a\n  - c\n  - b\n", &["t: + c"]);
    case("no list before", "x: 1\n", "x: 1\nt: [a]\n", "x: 1\nt: [b]\n", "x: 1\nt: [b, a]\n", &["t: + b"]);
    conflict("mine sorted", "t: [b, a]\n", "t: [a, b]\n", "t: [b, a, c]\n");
    conflict("theirs sorted", "t: [b, a]\n", "t: [b, a, c]\n", "t: [a, b]\n");
    conflict("no list any more", "t: [a]\n", "t: [a, b]\n", "t: x\n");
}

#[test]
#[rustfmt::skip] // one case a line
fn bodies_merge_by_line() {
    let base = "1\n2\n3\n4\n5\n";
    check("apart", base, "1x\n2\n3\n4\n5\n", "1\n2\n3\n4\n5y\n", "1x\n2\n3\n4\n5y\n", &["body"]);
    check("neighbours", base, "1\n2x\n3\n4\n5\n", "1\n2\n3y\n4\n5\n", "1\n2x\n3y\n4\n5\n", &["body"]);
    check("added and changed", base, "1\n2\n3\nx\n4\n5\n", "1y\n2\n3\n4\n5\n", "1y\n2\n3\nx\n4\n5\n", &["body"]);
    check("added before a changed line", base, "1\n2\nx\n3\n4\n5\n", "1\n2\n3y\n4\n5\n", "1\n2\nx\n3y\n4\n5\n", &["body"]);
    check("changed, added behind by them", base, "1\n2\n3x\n4\n5\n", "1\n2\n3\ny\n4\n5\n", "1\n2\n3x\ny\n4\n5\n", &["body"]);
    check("changed line, they add before it", base, "1\n2\n3x\n4\n5\n", "1\n2\ny\n3\n4\n5\n", "1\n2\ny\n3x\n4\n5\n", &["body"]);
    check("same line added, another apart", base, "0\n1\n2\n3\n4\n5\n", "0\n1\n2\n3\n4\n5\n6\n", "0\n1\n2\n3\n4\n5\n6\n", &["body"]);
    check("removed apart", base, "2\n3\n4\n5\n", "1\n2\n3\n4\n", "2\n3\n4\n", &["body"]);
    check_conflict("same line", base, "1\n2\n3x\n4\n5\n", "1\n2\n3y\n4\n5\n", &["body, line 3"]);
    check_conflict("same place between lines", base, "1\n2\nx\n3\n4\n5\n", "1\n2\ny\nz\n3\n4\n5\n", &["body, lines 3–4"]);
    check_conflict("removed and changed", base, "1\n2\n4\n5\n", "1\n2\n3y\n4\n5\n", &["body, line 3"]);
    check_conflict("emptied and changed", base, "", "1\n2\n3y\n4\n5\n", &["body, line 3"]);
    check_conflict("the lines of the file", &note("a: 1\n", base), &note("a: 1\n", "1\n2\n3x\n4\n5\n"), &note("a: 1\n", "1\n2\n3y\n4\n5\n"), &["body, line 6"]);
}

#[test]
#[rustfmt::skip] // one case a line
fn additions_at_the_end_of_a_section_are_all_kept() {
    let log = "# A\n\n## Log\n- a\n\n## Next\nn\n";
    let add = |text: &str, lines: &str| text.replace("- a\n", &format!("- a\n{lines}"));
    let both = |name: &str, mine: &str, theirs: &str, merged: &str| {
        check(name, log, &add(log, mine), &add(log, theirs), &add(log, merged), &["body"]);
        let end = "## Log\n- a\n";
        check(name, end, &add(end, mine), &add(end, theirs), &add(end, merged), &["body"]);
    };
    both("one line each", "- m\n", "- t\n", "- t\n- m\n");
    both("several", "- m\n  m2\n", "- t\n  t2\n- t3\n", "- t\n  t2\n- t3\n- m\n  m2\n");
    both("mine is there already", "- m\n", "- t\n- m\n", "- t\n- m\n");
    both("theirs is in mine", "- t\n- m\n", "- t\n", "- t\n- m\n");
    both("they begin the same", "- 2026-11-21\n  - m\n", "- 2026-11-21\n  - t\n", "- 2026-11-21\n  - t\n  - m\n");
    both("the same line below others", "- m\n  later\n", "- t\n  later\n", "- t\n  later\n- m\n  later\n");
    both("a new section there", "- m\n", "- t\n\n### Sub\nx\n", "- t\n- m\n\n### Sub\nx\n");
    both("a new section here", "### Sub\nx\n", "- t\n", "- t\n### Sub\nx\n");

    check("both begin the section", "Met.\n", "Met.\n\n## Log\n- m\n", "Met.\n\n## Log\n- t\n", "Met.\n\n## Log\n- t\n- m\n", &["body"]);
    check("sections of their own", "Met.\n", "Met.\n## M\nm\n", "Met.\n## T\nt\n", "Met.\n## T\nt\n## M\nm\n", &["body"]);
    check("nothing before", "", "m\n", "t\n", "t\nm\n", &["body"]);
    check("no final line break", "- a", "- a\n- m", "- a\n- t", "- a\n- t\n- m", &["body"]);
    check("the same line under another heading is another line", "## Todo\n- a\n", "## Todo\n- a\n- call Bob\n", "## Todo\n- a\n- b\n\n## Done\n- call Bob\n", "## Todo\n- a\n- b\n- call Bob\n\n## Done\n- call Bob\n", &["body"]);
    check("final line break added there", "- a", "- a\n- m", "- a\n- t\n", "- a\n- t\n- m\n", &["body"]);
    check("final line break taken here", "- a\n", "- a\n- m", "- a\n- t\n", "- a\n- t\n- m", &["body"]);
    check("underlined heading", "Log\n===\na\n\nNext\n---\nn\n", "Log\n===\na\nm\n\nNext\n---\nn\n", "Log\n===\na\nt\n\nNext\n---\nn\n", "Log\n===\na\nt\nm\n\nNext\n---\nn\n", &["body"]);
    check_conflict("before a heading that is code", "a\n```\n# x\n```\n", "a\nm\n```\n# x\n```\n", "a\nt\n```\n# x\n```\n", &["body, line 2"]);
    check_conflict("before a text", "a\n\nb\n", "a\nm\n\nb\n", "a\nt\n\nb\n", &["body, line 2"]);
    let many = |word: &str| (0..3_000).map(|n| format!("{word} {n}\n")).collect::<String>();
    check_conflict("more than anybody adds", "", &many("m"), &many("t"), &["body, lines 1–3000"]);
}

#[test]
#[rustfmt::skip] // one case a line
fn front_matter_and_body_merge_independently() {
    check("property here, body there", &note("a: 1\n", "x\n"), &note("a: 2\n", "x\n"), &note("a: 1\n", "y\n"), &note("a: 2\n", "y\n"), &["body"]);
    check("body here, property there", &note("a: 1\n", "x\n"), &note("a: 1\n", "y\n"), &note("a: 2\n", "x\n"), &note("a: 2\n", "y\n"), &["a: 1 → 2"]);
    check("front matter added here", "x\n", &note("a: 1\n", "x\n"), "y\n", &note("a: 1\n", "y\n"), &["body"]);
    check("front matter added there", "x\n", "y\n", &note("a: 1\n", "x\n"), &note("a: 1\n", "y\n"), &["a: 1 (new)"]);
    check("added on both sides", "x\n", &note("a: 1\n", "x\n"), &note("b: 2\n", "x\n"), &note("b: 2\na: 1\n", "x\n"), &["b: 2 (new)"]);
    check("unreadable, body changed", &note("a: b: c\n", "x\n"), &note("a: b: c\n", "y\n"), &note("a: d: e\n", "x\n"), &note("a: d: e\n", "y\n"), &["front matter"]);
    check_conflict("unreadable on one side", &note("a: 1\n", "x\n"), &note("a: 2\n", "x\n"), &note("a: \"\n", "x\n"), &["front matter"]);
    check_conflict("both kinds at once", &note("a: 1\n", "x\n"), &note("a: 2\n", "y\n"), &note("a: 3\n", "z\n"), &["a: 1 → 2 here, 1 → 3 outside", "body, line 4"]);
}
