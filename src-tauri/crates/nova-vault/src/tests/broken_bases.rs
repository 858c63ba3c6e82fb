//! Problems in bases: errors of views, and problems reported for the file.

use super::bases::{ask, check, table};
use super::*;
use crate::{BaseError, Privacy};

/// Unanswerable views among answerable ones.
const FAULTY: &str = "\
views:
  - name: Good
    filters: a == 1
  - name: Two faults
    filters:
      and:
        - a ==
        - a == 1
        - not: a ==
    limit: many
  - name: Others
    order: a
    sort: [a, {direction: ASC}]
    groupBy: {property: a, direction: up}
  - name: Elsewhere
    filters: /a/.matches(t)
formulas:
  fine: a + 1
  broken: a +
  newer: a.later()
";

#[test]
fn broken_base_is_reported_with_its_line() {
    for (base, line, reason) in [
        ("views:\n  - name: a: b\n", 2, "needs quotes"),
        ("- a\n", 1, "not a list of `key: value` lines"),
        ("a: 1\na: 2\n", 2, "twice"),
        ("x: 1\nviews: 5\n", 2, "`views` is not a list"),
        ("views: [5]\n", 1, "`views` is not a list of `key: value`"),
        ("views:\n - limit: many\n", 2, "`limit` is not a whole number"),
        ("views:\n - limit: -1\n", 2, "`limit` is not a whole number"),
        ("views:\n - sort: [{direction: ASC}]\n", 2, "no `property`"),
        ("views:\n - groupBy: {property: a, direction: up}\n", 2, "neither ASC nor DESC"),
        ("\nfilters: [a]\n", 2, "`and:`, `or:` or `not:`"),
        ("filters: {and: [], or: []}\n", 1, "one of `and`, `or` and `not`"),
        ("filters: {xor: []}\n", 1, "`xor` is not one of"),
        ("formulas: [a]\n", 1, "`formulas` is not a list"),
    ] {
        let bed = Bed::new(&[("q.base", base)]);
        match ask(&bed, "q.base", None) {
            Err(VaultError::Base(BaseError::Broken { line: said, reason: why, .. })) => {
                assert!(why.contains(reason), "{base}: {why}");
                assert_eq!(said, line, "{base}: {why}");
            }
            other => panic!("{base}: {other:?}"),
        }
    }
    // An empty base shows all files.
    let bed = Bed::new(&[("q.base", ""), ("a.md", "")]);
    assert!(table(&ask(&bed, "q.base", None).unwrap()).contains("a"));
    assert!(matches!(ask(&bed, "none.base", None), Err(VaultError::NotFound { .. })));
}

#[test]
fn every_problem_in_a_base_is_reported() {
    let expected = [
        (7, "the base's filter `a ==` cannot be read: a value is missing before the end"),
        (9, "the base's filter `a ==` cannot be read: a value is missing before the end"),
        (10, "the base cannot be read: `limit` is not a whole number"),
        (12, "the base cannot be read: `order` is not a list of properties"),
        (13, "the base cannot be read: an entry of `sort` or `groupBy` has no `property`"),
        (14, "the base cannot be read: `up` is neither ASC nor DESC"),
        (19, "the base's formula broken, `a +`, cannot be read: a value is missing before the end"),
    ];
    let block = format!("---\na: 1\n---\n\n```base\n{FAULTY}```\n\n~~~base\nfilters: b =\nviews: 5\n~~~\n");
    let bed = Bed::new(&[("q.base", FAULTY), ("q.md", &block)]);
    let vault = bed.vault();
    let found: Vec<_> = vault
        .problems()
        .unwrap()
        .into_iter()
        .map(|problem| (problem.path, problem.line, problem.problem))
        .collect();
    let owned = |path: &str, before: u32| {
        let owned = expected.map(|(line, said)| (path.to_owned(), line + before, said.to_owned()));
        owned.to_vec()
    };
    let mut all = owned("q.base", 0);
    all.extend(owned("q.md", 5));
    let second = ["`views` is not a list", "filter `b =` cannot be read: `=` does not compare; write `==`"];
    assert_eq!(found[..all.len()], all);
    for ((path, line, said), (expected_line, expected)) in
        found[all.len()..].iter().zip([(29, second[1]), (30, second[0])])
    {
        assert_eq!((path.as_str(), *line), ("q.md", expected_line));
        assert!(said.ends_with(expected), "{said}");
    }
    assert_eq!(found.len(), all.len() + second.len());
    assert_eq!(vault.status().unwrap().problems, found.len());
}

#[test]
fn view_has_results_although_another_view_is_broken() {
    let bed = Bed::new(&[
        ("one.md", "---\na: 1\n---\n"),
        ("q.base", FAULTY),
        ("two.md", &format!("```base\n{FAULTY}```\n\n```base\nviews: [\n```\n")),
        ("first.md", "```base\nviews: [\n```\n\n```base\nviews:\n  - name: Second\n```\n"),
    ]);
    let answer = check(&bed, "q.base", "Good", "file.name\none");
    assert_eq!(answer.views, ["Good", "Two faults", "Others", "Elsewhere"]);
    assert_eq!(answer.unsupported, Vec::<String>::new());
    for (view, said) in
        [("two faults", "filter `a ==`"), ("Others", "line 12"), ("Elsewhere", "regular expressions")]
    {
        let error = ask(&bed, "q.base", Some(view)).unwrap_err();
        assert!(error.message().contains(said), "{view}: {error}");
    }
    // The views of an unreadable base are unknown; the error says that one exists.
    let answer = check(&bed, "two.md", "Good", "file.name\none");
    assert!(answer.unsupported[0].starts_with("the base \"two.md\" cannot be read, line 2"), "{answer:?}");
    assert_eq!(ask(&bed, "first.md", Some("Second")).unwrap().view, "Second");
    for view in [None, Some("First")] {
        let error = ask(&bed, "first.md", view).unwrap_err();
        assert!(matches!(error, VaultError::Base(BaseError::Broken { line: 2..=3, .. })), "{error:?}");
    }
}

#[test]
fn unreadable_base_is_a_problem_of_the_vault() {
    let deep = format!("filters:\n  {}a == 1{}\n", "and: [{".repeat(40), "}]".repeat(40));
    let bed = Bed::new(&[("a.base", "views: [\n"), ("deep.base", &deep), ("good.base", "views: []\n")]);
    let vault = bed.vault();
    let problems = vault.problems().unwrap();
    let named: Vec<_> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(named, ["a.base", "deep.base"], "{problems:?}");
    assert!((1..=2).contains(&problems[0].line) && problems[1].line == 2, "{problems:?}");
    assert!(problems.iter().all(|problem| problem.problem.contains("cannot be read")), "{problems:?}");
    assert_eq!(vault.status().unwrap().problems, 2);
}

#[test]
fn unreadable_filter_is_a_problem_but_an_unsupported_one_is_not() {
    let view = "views:\n  - type: table\n    name: All\n    filters:\n      and:\n        - a == 1\n";
    let files = [
        ("in all.base", "filters: status ==\n".to_owned(), Some(1)),
        ("later.base", format!("{view}filters:\n  or:\n    - a == 1\n    - 'status =='\n"), Some(10)),
        ("view.base", format!("{view}        - (b\n"), Some(7)),
        ("escaped.base", "filters:\n  and:\n    - \"a == \\\"x\"\n".to_owned(), Some(3)),
        ("block.md", format!("Text\n\n```base\n{view}        - b = 2\n```\n"), Some(10)),
        ("block in a list.md", "- x\n  ```base\n  filters: status ==\n  ```\n".to_owned(), Some(3)),
        ("fine.base", view.to_owned(), None),
        ("regular.base", "filters: /a/.matches(t)\n".to_owned(), None),
        ("newer.base", "filters: file.later().soon()\n".to_owned(), None),
        ("embeds.md", "```base\nfilters: file.embeds.isEmpty()\n```\n".to_owned(), None),
        ("patterns.base", "filters:\n  and:\n    - /\\d+ [/'\"]/gi.matches(t)\n    - !!str /it's/.matches(t)\n    - a / 2 == 1\n".to_owned(), None),
        ("no pattern.base", "filters: /a == b\n".to_owned(), Some(1)),
        ("tag.base", "filters:\n  and:\n    - a == 1\n    - !done\n".to_owned(), Some(4)),
        ("tag alone.base", "filters: !done\n".to_owned(), Some(1)),
        ("tag in a formula.base", "formulas:\n  open: !done\n".to_owned(), Some(2)),
        ("empty formula.base", "formulas:\n  Untitled: ''\n  x:\n".to_owned(), None),
        ("deep.base", format!("filters: {}a{}\n", "(".repeat(40), ")".repeat(40)), None),
    ];
    for (file, text, line) in files {
        let bed = Bed::new(&[(file, &text)]);
        let vault = bed.vault();
        let problems = vault.problems().unwrap();
        assert_eq!(
            problems.iter().map(|problem| problem.line).collect::<Vec<_>>(),
            Vec::from_iter(line),
            "{file}"
        );
        assert!(
            problems.iter().all(|problem| problem.path == file && problem.problem.contains("cannot be read"))
        );
        assert_eq!(vault.status().unwrap().problems, problems.len(), "{file}");
    }
}

#[test]
fn broken_base_in_a_note_is_reported_at_its_line() {
    let bed = Bed::new(&[
        ("good.md", "Text\n```base\nviews:\n  - type: table\n    name: All\n```\n"),
        (
            "bad.md",
            "---\ntitle: x\n---\nText\n\n```base\nviews: [\n```\n\n~~~ base\nviews:\n  - type: table\n    name: A\n~~~\n\n```base\nfilters: {\n```\n",
        ),
        ("told of.md", "A `base` is written as ```base in one line.\n\n````\n```base\nviews: [\n```\n````\n"),
    ]);
    let vault = bed.vault();
    let problems = || -> Vec<(String, u32)> {
        vault.problems().unwrap().into_iter().map(|problem| (problem.path, problem.line)).collect()
    };
    let found = problems();
    assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["bad.md", "bad.md"]);
    assert!((7..=8).contains(&found[0].1) && (16..=18).contains(&found[1].1), "{found:?}");
    assert_eq!(vault.status().unwrap().problems, 2);
    // One is fixed, another one broken.
    bed.put_whole("bad.md", "Text\n");
    bed.put_whole("good.md", "```base\nviews: [\n```\n");
    assert_eq!(problems().iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["good.md"]);
}

#[test]
fn broken_bases_of_hidden_notes_are_not_revealed() {
    let block = "```base\nviews: [\n```\n";
    let bed = Bed::new(&[
        ("open.md", block),
        ("marked.md", &format!("---\nnova: private\n---\n{block}")),
        ("Diary/x.md", block),
        ("Diary/q.base", "views: [\n"),
    ]);
    let vault = bed.vault();
    let listing = vault.index().listing(&vault.core().disk, crate::reading::index::Texts::All).unwrap();
    let named = |view: crate::View| {
        let problems = view.base_problems(&listing);
        problems
            .into_iter()
            .map(|problem| format!("{} {}", problem.path, problem.problem))
            .collect::<Vec<_>>()
    };
    assert_eq!(named(vault.seen_by_owner()).len(), 4);
    let elsewhere =
        named(vault.seen_by(Arc::new(Privacy { remote: true, private: vec!["Diary".to_owned()] })));
    assert_eq!(elsewhere.iter().filter(|problem| problem.contains("the base cannot be read")).count(), 1);
    assert!(elsewhere.iter().any(|problem| problem.starts_with("open.md ")), "{elsewhere:?}");
}
