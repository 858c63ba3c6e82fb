//! Full-text search.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::{Privacy, Search, SearchAnswer, SearchMode};

/// Searches a vault without cached texts, and again with them: the answers must be equal.
fn ask(bed: &Bed, mode: SearchMode, query: &str, limit: usize, privacy: &Privacy) -> SearchAnswer {
    let search = Search { query: query.to_owned(), mode, limit };
    let vault = bed.vault();
    let view = vault.seen_by(Arc::new(privacy.clone()));
    let unread = view.search(&search).unwrap();
    let remembered = view.search(&search).unwrap();
    assert_eq!(unread, remembered, "{mode:?} {query:?}");
    unread
}

/// `path:line text` of every hit.
fn hits(answer: &SearchAnswer) -> Vec<String> {
    answer.hits.iter().map(|hit| format!("{}:{} {}", hit.path, hit.line, hit.text)).collect()
}

fn check(bed: &Bed, mode: SearchMode, query: &str, expected: &[&str]) {
    let answer = ask(bed, mode, query, 100, &Privacy::default());
    assert_eq!(hits(&answer), expected, "{mode:?} {query:?}");
    assert!(!answer.more);
}

#[test]
fn text_is_matched_literally_ignoring_case() {
    let bed = Bed::new(&[
        ("CRM/Jane.md", "---\ntype: contact\ncity: Zürich\n---\n# Jane\n\nMet in ZÜRICH (fair).\n"),
        ("crlf.md", "first\r\nthe  fair\r\n"),
        ("bom.md", "\u{feff}Fair start\nno end: fair"),
        ("other.md", "f\nair\n"),
        ("image.png", "fair"),
        (".obsidian/fair.md", "fair"),
    ]);
    check(
        &bed,
        SearchMode::Text,
        "zürich",
        &["CRM/Jane.md:3 city: Zürich", "CRM/Jane.md:7 Met in ZÜRICH (fair)."],
    );
    check(
        &bed,
        SearchMode::Text,
        "FAIR",
        &[
            "CRM/Jane.md:7 Met in ZÜRICH (fair).",
            "bom.md:1 Fair start",
            "bom.md:2 no end: fair",
            "crlf.md:2 the  fair",
        ],
    );
    check(&bed, SearchMode::Text, "(fair).", &["CRM/Jane.md:7 Met in ZÜRICH (fair)."]);
    check(&bed, SearchMode::Text, "the  fair", &["crlf.md:2 the  fair"]);
    check(&bed, SearchMode::Text, "the fair", &[]);
    check(&bed, SearchMode::Text, " fair", &["bom.md:2 no end: fair", "crlf.md:2 the  fair"]);
}

#[test]
fn words_must_all_be_in_the_note_as_prefixes_of_words() {
    let bed = Bed::new(&[
        ("a.md", "The quarterly report\nis due.\n\nAsk Jane.\n"),
        ("b.md", "A report without her.\n"),
        ("c.md", "Jane's preport and rereport.\n"),
        ("d.md", "#report-2 by jane_doe\n東京の天気\n"),
    ]);
    let both = ["a.md:1 The quarterly report", "a.md:4 Ask Jane.", "d.md:1 #report-2 by jane_doe"];
    check(&bed, SearchMode::Words, "jane report", &both);
    check(&bed, SearchMode::Words, "  REP   jane ", &both);
    check(&bed, SearchMode::Words, "#report", &["d.md:1 #report-2 by jane_doe"]);
    check(&bed, SearchMode::Words, "doe", &[]);
    check(&bed, SearchMode::Words, "eport", &[]);
    check(&bed, SearchMode::Words, "京", &["d.md:2 東京の天気"]);
    // A prefix that occurs within its own occurrence.
    let bed = Bed::new(&[("a.md", "xaaa aaa\n")]);
    check(&bed, SearchMode::Words, "aa", &["a.md:1 xaaa aaa"]);
}

#[test]
fn composition_of_characters_is_ignored() {
    let bed = Bed::new(&[
        ("nfc.md", "Café Zürich, \u{212b}ngstr\u{f6}m\n"),
        ("nfd.md", "Cafe\u{301} Zu\u{308}rich e\u{301}cole\n"),
    ]);
    let (nfc, nfd) =
        ("nfc.md:1 Café Zürich, \u{212b}ngstr\u{f6}m", "nfd.md:1 Cafe\u{301} Zu\u{308}rich e\u{301}cole");
    for query in ["café z\u{fc}r", "CAFE\u{301} ZU\u{308}R", "Cafe\u{301} z\u{fc}r", "café zu\u{308}r"] {
        check(&bed, SearchMode::Text, query, &[nfc, nfd]);
        check(&bed, SearchMode::Words, query, &[nfc, nfd]);
    }
    check(&bed, SearchMode::Text, "\u{212b}ng", &[nfc]);
    // A letter with a combining mark is inside a word, in any composition.
    check(&bed, SearchMode::Words, "cole", &[]);
    // The longest queries are still accepted.
    for c in ["é", "e\u{301}", "각", "ΐ", "ǭ", "s\u{307}\u{323}"] {
        for mode in [SearchMode::Text, SearchMode::Words] {
            check(&bed, mode, &c.repeat(4096 / c.len()), &[]);
        }
    }
}

#[test]
fn regular_expressions_match_line_by_line() {
    let bed =
        Bed::new(&[("a.md", "one 12\r\ntwo\r\n\r\nThree 345\r\n"), ("b.md", "two\nthree\n"), ("c.md", "")]);
    check(&bed, SearchMode::Regex, r"\d{2,}$", &["a.md:1 one 12", "a.md:4 Three 345"]);
    check(&bed, SearchMode::Regex, "^t", &["a.md:2 two", "b.md:1 two", "b.md:2 three"]);
    check(&bed, SearchMode::Regex, "(?i)^t.*e", &["a.md:4 Three 345", "b.md:2 three"]);
    check(&bed, SearchMode::Regex, r"\Atwo\z", &["a.md:2 two", "b.md:1 two"]);
    check(&bed, SearchMode::Regex, "(?-R)two$", &["a.md:2 two", "b.md:1 two"]);
    check(&bed, SearchMode::Regex, "^$", &["a.md:3 "]);
    check(&bed, SearchMode::Regex, r"two\s+three", &[]);
    check(
        &bed,
        SearchMode::Regex,
        "[^x]",
        &["a.md:1 one 12", "a.md:2 two", "a.md:4 Three 345", "b.md:1 two", "b.md:2 three"],
    );
}

#[test]
fn invalid_query_is_refused_with_the_reason() {
    let bed = Bed::new(&[("a.md", "text\n")]);
    let vault = bed.vault();
    let check = |mode, query: &str, reason: &str| {
        let error =
            vault.seen_by_owner().search(&Search { query: query.to_owned(), mode, limit: 10 }).unwrap_err();
        assert_eq!(error.code().as_str(), "invalid_arguments", "{query}");
        assert!(error.message().contains(reason), "{query}: {error}");
        assert!(!error.hint().is_empty());
    };
    for mode in [SearchMode::Text, SearchMode::Words, SearchMode::Regex] {
        check(mode, "", "empty");
        check(mode, " \n", "empty");
        check(mode, &"x".repeat(5000), "longer than 4096");
    }
    check(SearchMode::Text, "one\ntwo", "several lines");
    check(SearchMode::Words, &"x ".repeat(33), "more than 32 words");
    check(SearchMode::Regex, "(open", "unclosed group");
    check(SearchMode::Regex, r"(a{1000}){1000}", "too large");
    check(SearchMode::Regex, r"(a)\1", "backreferences are not supported");
}

#[test]
fn first_hits_sorted_by_path_are_returned() {
    let mut notes = Vec::new();
    for folder in ["", "a/", "a b/", "a/deep/", "z/"] {
        for n in 0..70 {
            notes.push((format!("{folder}{n:02}.md"), "hit one\nmiss\nhit two\n".to_owned()));
        }
    }
    let listed: Vec<_> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let bed = Bed::new(&listed);
    let mut paths: Vec<_> = notes.iter().map(|(path, _)| path.clone()).collect();
    paths.sort();
    let all: Vec<_> =
        paths.iter().flat_map(|path| [format!("{path}:1 hit one"), format!("{path}:3 hit two")]).collect();

    for limit in [0, 1, 2, 3, 150, 699, 700, 701, usize::MAX] {
        let answer = ask(&bed, SearchMode::Text, "HIT", limit, &Privacy::default());
        assert_eq!(hits(&answer), all[..limit.min(700)], "{limit}");
        assert_eq!(answer.more, limit < 700, "{limit}");
    }
}

#[test]
fn long_line_is_truncated_around_the_match() {
    let check = |before: usize, after: usize, expected: &str| {
        let bed = Bed::new(&[("a.md", &format!("{}needle{}\n", "ä".repeat(before), "ö".repeat(after)))]);
        let answer = ask(&bed, SearchMode::Text, "needle", 10, &Privacy::default());
        assert_eq!(answer.hits[0].text, expected, "{before} {after}");
        assert!(answer.hits[0].text.chars().count() <= 300);
    };
    let (a, o) = (|n| "ä".repeat(n), |n| "ö".repeat(n));
    check(100, 194, &format!("{}needle{}", a(100), o(194)));
    check(0, 1000, &format!("needle{}…", o(292)));
    check(1000, 0, &format!("…{}needle", a(292)));
    check(1000, 1000, &format!("…{}needle{}…", a(146), o(146)));
    check(1000, 10, &format!("…{}needle{}", a(282), o(10)));
    check(10, 1000, &format!("{}needle{}…", a(10), o(282)));

    let bed = Bed::new(&[("a.md", &format!("x{}\n", "a".repeat(100_000)))]);
    let answer = ask(&bed, SearchMode::Regex, "a+", 10, &Privacy::default());
    assert_eq!(answer.hits[0].text, format!("…{}…", "a".repeat(298)));
}

#[test]
fn hidden_notes_are_in_no_hit() {
    let bed = Bed::new(&[
        ("open.md", "---\ntype: note\n---\ncanary in the open\n"),
        ("plain.md", "canary without properties\n"),
        ("marked.md", "---\nnova: private\n---\ncanary marked\n"),
        ("broken.md", "---\na: b: c\n---\ncanary broken\n"),
        ("Secret/listed.md", "canary listed\n"),
    ]);
    fs::write(bed.root().join("latin1.md"), b"---\nnova: private\n---\ncanary caf\xe9\n").unwrap();
    let remote = Privacy { remote: true, private: vec!["Secret".to_owned()] };
    for (mode, query) in
        [(SearchMode::Text, "canary"), (SearchMode::Words, "can"), (SearchMode::Regex, "c.nary")]
    {
        let answer = ask(&bed, mode, query, 100, &remote);
        assert_eq!(hits(&answer), ["open.md:4 canary in the open", "plain.md:1 canary without properties"]);
        // Not even the existence of further hits is revealed.
        let answer = ask(&bed, mode, query, 2, &remote);
        assert!(!answer.more);
        assert_eq!(answer.skipped, []);

        let local = Privacy { remote: false, ..remote.clone() };
        let answer = ask(&bed, mode, query, 100, &local);
        let paths: Vec<_> = answer.hits.iter().map(|hit| hit.path.as_str()).collect();
        assert_eq!(paths, ["Secret/listed.md", "broken.md", "marked.md", "open.md", "plain.md"]);
        assert_eq!(answer.skipped.len(), 1);
    }
}

#[test]
fn unsearchable_files_are_reported() {
    let bed = Bed::new(&[("a.md", "needle\n"), ("m.md", "needle\n"), ("x.md", "needle\n")]);
    fs::write(bed.root().join("latin1.md"), b"needle \xe9\n").unwrap();
    fs::File::create(bed.root().join("huge.md")).unwrap().set_len(crate::MAX_NOTE_BYTES + 1).unwrap();
    std::os::unix::fs::symlink(bed.root().join("a.md"), bed.root().join("z.md")).unwrap();
    let skipped = |limit| {
        let answer = ask(&bed, SearchMode::Text, "needle", limit, &Privacy::default());
        assert_eq!(answer.hits.len(), limit.min(3));
        answer.skipped.iter().map(|problem| problem.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(skipped(10), ["huge.md", "latin1.md", "z.md"]);
    // If there are more hits, only those before the last one.
    assert_eq!(skipped(2), ["huge.md", "latin1.md"]);
    assert_eq!(skipped(1), Vec::<String>::new());
}

#[test]
fn search_reflects_every_edit() {
    let bed = Bed::new(&[("a.md", "needle\n"), ("b/c.md", "hay\n")]);
    let vault = bed.vault();
    let search = || {
        let search = Search { query: "needle".to_owned(), mode: SearchMode::Text, limit: 10 };
        hits(&vault.seen_by_owner().search(&search).unwrap())
    };
    assert_eq!(search(), ["a.md:1 needle"]);
    bed.put("a.md", "nothing\n");
    assert_eq!(search(), Vec::<String>::new());
    bed.put("b/c.md", "hay\nneedle\n");
    assert_eq!(search(), ["b/c.md:2 needle"]);
    fs::rename(bed.root().join("b"), bed.root().join("d")).unwrap();
    assert_eq!(search(), ["d/c.md:2 needle"]);
    fs::remove_file(bed.root().join("d/c.md")).unwrap();
    assert_eq!(search(), Vec::<String>::new());
}

#[test]
fn regular_expression_is_aborted_at_its_time_limit() {
    let bed = Bed::new(&[("a.md", "one\ntwo\n"), ("Folder/b.md", "three\n")]);
    let search = |mode| Search { query: "(o|t){1,20}w?".to_owned(), mode, limit: 10 };
    let vault = bed.vault();
    let view = vault.seen_by_owner();
    // Once without cached texts, and once with them.
    for _ in 0..2 {
        let error = view.search_within(&search(SearchMode::Regex), Duration::ZERO).unwrap_err();
        assert_eq!(error.code().as_str(), "invalid_arguments");
        assert!(error.message().contains("takes too long"), "{error}");
        assert!(error.hint().contains("narrower"), "{error}");
    }
    // Modes whose cost does not depend on the query have no limit.
    for mode in [SearchMode::Text, SearchMode::Words] {
        assert_eq!(view.search_within(&search(mode), Duration::ZERO).unwrap(), SearchAnswer::default());
    }
}

#[test]
fn line_of_megabytes_is_skipped_if_matching_it_would_take_too_long() {
    // It could not be interrupted within a line. Nearly every byte leads to another automaton state, and
    // the pattern has no literal to search for instead, so it is slow in any build.
    let mut state = 1_u32;
    let letter = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { 'a' } else { 'b' }
    };
    let line: String = (0..2 << 20).map(letter).collect();
    let bed = Bed::new(&[("a.md", &line)]);
    let view = bed.vault().seen_by_owner();
    let hostile = Search { query: "a[ab]{120}[^ab]".to_owned(), mode: SearchMode::Regex, limit: 10 };
    for _ in 0..2 {
        let error = view.search_within(&hostile, Duration::from_millis(50)).unwrap_err();
        assert!(error.message().contains("takes too long"), "{error}");
    }
}

#[test]
fn match_as_long_as_a_line_of_megabytes_is_found() {
    let text = format!("first {}last é\r\nnext\n", "é filler ".repeat(40_000));
    let bed = Bed::new(&[("a.md", &text)]);
    let vault = bed.vault();
    let search = |query: &str| {
        let search = Search { query: query.to_owned(), mode: SearchMode::Regex, limit: 10 };
        let answer = vault.seen_by_owner().search(&search).unwrap();
        answer.hits.iter().map(|hit| hit.line).collect::<Vec<_>>()
    };
    for (query, lines) in [
        ("^first.*last é$", &[1][..]),
        ("first.*next", &[]),
        ("filler$", &[]),
        ("^filler", &[]),
        ("^next", &[2]),
    ] {
        assert_eq!(search(query), lines, "{query}");
    }
}

#[test]
fn line_numbers_continue_across_blocks_of_a_long_note() {
    // Three blocks of 64 KiB and more, with a match in each but the second.
    let filler = |lines: usize| "0123456789abcdef\r\n".repeat(lines);
    let text = format!("first Q1\n{}{}second Q2\n{}Q3", filler(4000), filler(8000), filler(20));
    let bed = Bed::new(&[("long.md", &text)]);
    check(
        &bed,
        SearchMode::Regex,
        "Q[0-9]$",
        &["long.md:1 first Q1", "long.md:12002 second Q2", "long.md:12023 Q3"],
    );
    let answer = ask(&bed, SearchMode::Regex, "Q[0-9]", 2, &Privacy::default());
    assert_eq!(hits(&answer), ["long.md:1 first Q1", "long.md:12002 second Q2"]);
    assert!(answer.more);
}
