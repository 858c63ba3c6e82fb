//! Unlinked mentions, and the links they could become.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::note::outline;
use crate::{MentionAnswer, MentionQuery, Privacy};

fn all() -> MentionQuery {
    MentionQuery { place: None, every: false, limit: 1000 }
}

fn within(place: &str) -> MentionQuery {
    MentionQuery { place: Some(place.to_owned()), ..all() }
}

/// `path:line linked line`.
fn shown(answer: &MentionAnswer) -> Vec<String> {
    answer.lines.iter().map(|line| format!("{}:{} {}", line.path, line.line, line.linked)).collect()
}

/// People, places and a note to search, with Obsidian's default settings.
const NAMES: [(&str, &str); 12] = [
    ("People/Jane Doe.md", "---\naliases: [JD, Janey, \"The Doe | one\"]\n---\n"),
    ("People/Jane.md", ""),
    ("People/Will.md", ""),
    ("People/Anne-Marie.md", ""),
    ("Places/Zürich.md", ""),
    ("Places/上海.md", ""),
    ("Places/C++.md", "---\naliases: [Ab, 2026, \"12 34\"]\n---\n"),
    ("Plan B.md", ""),
    ("2026-11-24.md", ""),
    ("Templates/Meeting note.md", ""),
    ("Work/Budget.md", ""),
    ("Home/budget.md", ""),
];

/// The text of a note in this vault with its mentions linked; unchanged if there are none.
#[track_caller]
fn becomes(text: &str, expected: &str) {
    let bed = Bed::in_memory(&NAMES);
    bed.put("Note.md", text);
    let answer = bed.vault().seen_by_owner().mentions(&within("Note.md")).unwrap();
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for line in &answer.lines {
        let at = usize::try_from(line.line).unwrap() - 1;
        assert!(lines[at].starts_with(&line.text), "{text:?}");
        lines[at] = lines[at].replacen(&line.text, &line.linked, 1);
    }
    assert_eq!(lines.concat(), expected, "{text:?}");
}

#[test]
fn whole_word_name_becomes_a_link() {
    let table = [
        ("Met Jane Doe today.", "Met [[Jane Doe]] today."),
        ("jane doe, JANE DOE", "[[Jane Doe|jane doe]], JANE DOE"),
        ("Janey is here", "[[Jane Doe|Janey]] is here"),
        ("Jane and Jane Doe", "[[Jane]] and [[Jane Doe]]"),
        ("Jane Doe's dog, Jane’s cat", "[[Jane Doe]]'s dog, [[Jane]]’s cat"),
        ("(Jane), \"Jane Doe\"!", "([[Jane]]), \"[[Jane Doe]]\"!"),
        ("**Jane** _Jane Doe_ ==Zürich==", "**[[Jane]]** _[[Jane Doe]]_ ==[[Zürich]]=="),
        ("Jane\r\nJane Doe\r\n", "[[Jane]]\r\n[[Jane Doe]]\r\n"),
        ("nach Zu\u{308}rich", "nach [[Zürich|Zu\u{308}rich]]"),
        ("我在上海工作", "我在[[上海]]工作"),
        ("Learn C++.", "Learn C++."),
        ("Anne-Marie", "[[Anne-Marie]]"),
        ("- [ ] Ask Jane Doe 📅 2026-11-24", "- [ ] Ask [[Jane Doe]] 📅 2026-11-24"),
        ("> quoted Jane Doe\n> > and Jane", "> quoted [[Jane Doe]]\n> > and [[Jane]]"),
        (
            "| Who | Where |\n| --- | --- |\n| jane doe | Zürich |",
            "| Who | Where |\n| --- | --- |\n| [[Jane Doe\\|jane doe]] | [[Zürich]] |",
        ),
        ("plan b it is", "[[Plan B|plan b]] it is"),
        // An unclosed link could end in the new one.
        ("[[open, then Jane", "[[open, then Jane"),
        ("[[open]], then Jane\n[[", "[[open]], then [[Jane]]\n[["),
        ("Jane\u{301}", "Jane\u{301}"),
    ];
    for (text, expected) in table {
        becomes(text, expected);
    }
}

#[test]
fn near_mentions_are_not_linked() {
    let table = [
        // Parts of words.
        "Janes, xJane, Jane1, Jane_x, x-Jane, Anne-Marie-Luise, Jane.txt, Jane/x, Doe Janeý",
        // An everyday word matches only as the note spells it.
        "It will rain. jane. ANNE-MARIE",
        // Names that are too weak.
        "Ab, JD, 2026, 12 34, 2026-11-24",
        // Two notes with the same name, a template, the note itself.
        "The budget and the Budget",
        "A Meeting note. This Note.",
        // Not across lines or repeated blanks.
        "Plan\nB, Plan  B, Plan\u{a0}B",
        // No prose.
        "---\nwho: Jane Doe\n---\n",
        "# Jane Doe\n\nJane Doe\n---\n",
        "`Jane Doe` ``Jane`` $Jane$ %%Jane%% <!-- Jane -->",
        "```\nJane Doe\n```\n\n    Jane Doe\n",
        "$$\nJane\n$$\n\n%%\nJane\n\nJane\n%%\n",
        "[[Jane Doe (1990)|Jane]] [Jane](https://example.com) ![Jane](pic.png) [Jane][1] [Jane]",
        "#Jane #x/Jane [due:: Jane] [^Jane]",
        "https://example.com/Jane?q=Zürich www.Jane.org Jane@example.com <https://example.com/(Jane)> (https://x.org/,Jane)",
        "<a href=\"x\">Jane</a> <code>Jane</code> <b title=\"Jane\">x</b>",
        "<div>\nJane\n</div>",
        "text ^Jane",
        "[1]: <Jane.md> \"Jane\"",
    ];
    for text in table {
        becomes(text, text);
        becomes(&text.replace('\n', "\r\n"), &text.replace('\n', "\r\n"));
    }
}

#[test]
fn only_the_first_mention_of_an_unlinked_note_is_offered() {
    becomes("Jane Doe. Janey. jane doe.", "[[Jane Doe]]. Janey. jane doe.");
    becomes("[[Jane Doe]] Janey", "[[Jane Doe]] Janey");
    becomes(
        "---\nwith: \"[[People/Jane Doe]]\"\n---\nJaney",
        "---\nwith: \"[[People/Jane Doe]]\"\n---\nJaney",
    );
    let bed = Bed::in_memory(&NAMES);
    bed.put("Note.md", "Jane Doe [[Jane Doe]] Janey\nand jane doe");
    let every = MentionQuery { every: true, ..within("Note.md") };
    assert_eq!(
        shown(&bed.vault().seen_by_owner().mentions(&every).unwrap()),
        ["Note.md:1 [[Jane Doe]] [[Jane Doe]] [[Jane Doe|Janey]]", "Note.md:2 and [[Jane Doe|jane doe]]",]
    );
}

#[test]
fn links_are_written_in_the_configured_format() {
    let table = [
        ("{}", "[[Jane Doe|jane doe]], [[Other/Max|Maxine]]"),
        ("{\"newLinkFormat\": \"absolute\"}", "[[People/Jane Doe|jane doe]], [[Other/Max|Maxine]]"),
        ("{\"newLinkFormat\": \"relative\"}", "[[../People/Jane Doe|jane doe]], [[../Other/Max|Maxine]]"),
        ("{\"useMarkdownLinks\": true}", "[jane doe](Jane%20Doe.md), [Maxine](Other/Max.md)"),
        (
            "{\"useMarkdownLinks\": true, \"newLinkFormat\": \"relative\"}",
            "[jane doe](../People/Jane%20Doe.md), [Maxine](../Other/Max.md)",
        ),
    ];
    for (settings, expected) in table {
        let bed = Bed::in_memory(&[
            ("People/Jane Doe.md", ""),
            ("People/Max.md", ""),
            ("Other/Max.md", "---\naliases: Maxine\n---\n"),
            ("Log/Note.md", "jane doe, Maxine"),
        ]);
        bed.put(".obsidian/app.json", settings);
        let answer = bed.vault().seen_by_owner().mentions(&within("Log")).unwrap();
        assert_eq!(shown(&answer), [format!("Log/Note.md:1 {expected}")], "{settings}");
    }
}

#[test]
fn ambiguous_names_are_reported_and_not_linked() {
    let bed = Bed::in_memory(&NAMES);
    bed.put("People/Max.md", "---\naliases: [Jane]\n---\n");
    bed.put("Note.md", "The budget. Jane. Jane Doe.");
    let answer = bed.vault().seen_by_owner().mentions(&all()).unwrap();
    assert_eq!(shown(&answer), ["Note.md:1 The budget. Jane. [[Jane Doe]]."]);
    let ambiguous: Vec<String> =
        answer.ambiguous.iter().map(|name| format!("{} {:?}", name.name, name.notes.len())).collect();
    // Spelled "budget" it is the name of only one of them.
    assert_eq!(ambiguous, ["Budget 2", "Jane 2"]);
}

#[test]
fn place_and_limit_restrict_the_mentions() {
    let bed = Bed::in_memory(&NAMES);
    bed.put("Log/One.md", "Jane, Zürich\nPlan B");
    bed.put("Log/Two.md", "Plan B, Jane Doe");
    bed.put("Templates/Log.md", "Jane");
    bed.put("Elsewhere.md", "Jane");
    let view = bed.vault().seen_by_owner();
    let counts = |query: &MentionQuery| {
        let answer = view.mentions(query).unwrap();
        let linked: usize = answer.lines.iter().map(|line| line.links.len()).sum();
        (answer.total, answer.notes, linked, answer.read.len())
    };
    assert_eq!(counts(&all()), (6, 3, 6, 3));
    assert_eq!(counts(&within("log/")), (5, 2, 5, 2));
    assert_eq!(counts(&MentionQuery { limit: 2, ..within("Log") }), (5, 2, 2, 1));
    assert_eq!(counts(&MentionQuery { limit: 0, ..within("Log") }), (5, 2, 0, 0));
    // A template is searched if the query names it.
    assert_eq!(counts(&within("Templates")), (0, 0, 0, 0));
    assert_eq!(counts(&within("Templates/Log.md")), (1, 1, 1, 1));
    assert_eq!(counts(&within("Log/None.md")), (0, 0, 0, 0));
}

#[test]
fn hidden_notes_are_not_revealed_to_remote_readers() {
    let bed = Bed::in_memory(&NAMES);
    bed.put("Diary/Max Moss.md", "Jane");
    bed.put("Marked.md", "---\nnova: private\naliases: [Quillon]\n---\nJane");
    bed.put("Note.md", "Max Moss of Quillon met Jane");
    let remote = bed.vault().seen_by(Arc::new(Privacy { remote: true, private: vec!["Diary".to_owned()] }));
    let answer = remote.mentions(&all()).unwrap();
    // The shortest name could refer to a hidden note, so the path is used.
    assert_eq!(shown(&answer), ["Note.md:1 Max Moss of Quillon met [[People/Jane|Jane]]"]);
    assert!(remote.mentions(&within("Diary")).unwrap().lines.is_empty());
    let owner = bed.vault().seen_by_owner().mentions(&within("Note.md")).unwrap();
    assert_eq!(shown(&owner), ["Note.md:1 [[Max Moss]] of [[Marked|Quillon]] met [[Jane]]"]);
}

/// The line with each link replaced by its text.
fn without_links(linked: &str, words: &[String]) -> String {
    let (mut out, mut rest) = (String::new(), linked);
    for words in words {
        let shows = |at: &usize| {
            let inner = rest[at + 2..].split("]]").next().unwrap();
            inner == words || inner.ends_with(&format!("|{words}"))
        };
        let at = rest
            .match_indices("[[")
            .map(|(at, _)| at)
            .find(shows)
            .unwrap_or_else(|| panic!("{linked:?} has no {words:?}"));
        out.push_str(&rest[..at]);
        out.push_str(words);
        let close = rest[at..].find("]]").unwrap();
        rest = &rest[at + close + 2..];
    }
    out + rest
}

/// For any note: without the new brackets it is unchanged, its existing links are unchanged, and what was
/// linked is not found again.
#[test]
fn without_the_new_brackets_a_note_is_unchanged() {
    const PIECES: [&str; 44] = [
        "Jane",
        "Jane Doe",
        "jane doe",
        "JD",
        "Janey",
        "Zürich",
        "Zu\u{308}rich",
        "上海",
        "Anne-Marie",
        "Plan B",
        " ",
        " ",
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "[[",
        "]]",
        "[",
        "](a.md)",
        "`",
        "```\n",
        "$",
        "$$",
        "%%",
        "<!--",
        "-->",
        "#",
        "# ",
        "^",
        "<a>",
        "</a>",
        "| ",
        "|\n|---|\n",
        "\\",
        "> ",
        "- ",
        "![",
        "---\n",
        "https://x.org/",
        "'s",
        "_",
        "**",
        ".",
    ];
    let mut seed = 11_u64;
    let mut below = |limit: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).unwrap() % limit
    };
    let mut found = 0;
    for every in [false, true] {
        let bed = Bed::in_memory(&NAMES);
        let mut texts = BTreeMap::new();
        for number in 0..400 {
            let text: String = (0..below(30)).map(|_| PIECES[below(PIECES.len())]).collect();
            bed.put(&format!("Log/{number}.md"), &text);
            texts.insert(VaultPath::parse(&format!("Log/{number}.md")).unwrap(), text);
        }
        let vault = bed.vault();
        let query = MentionQuery { every, limit: usize::MAX, ..within("Log") };
        let answer = vault.seen_by_owner().mentions(&query).unwrap();
        let mut draft = vault.draft();
        for line in &answer.lines {
            let words: Vec<String> = line.links.iter().map(|link| link.words.clone()).collect();
            assert_eq!(without_links(&line.linked, &words), line.text);
            draft
                .replace_line(&line.path, line.line, &line.text, std::slice::from_ref(&line.linked))
                .unwrap();
        }
        found += answer.total;
        vault.change_set(ChangeSetKind::Turn, "links".to_owned()).apply(draft, &Author::new("user")).unwrap();
        for (path, before) in &texts {
            let after = bed.text(path.as_str());
            let of = |text: &str| outline(text).links.into_iter().map(|link| link.target).collect::<Vec<_>>();
            let linked: usize =
                answer.lines.iter().filter(|line| line.path == *path).map(|line| line.links.len()).sum();
            assert_eq!(of(before).len() + linked, of(&after).len(), "{before:?} {after:?}");
        }
        let again = vault.seen_by_owner().mentions(&query).unwrap();
        assert_eq!(shown(&again), Vec::<String>::new());
    }
    assert!(found > 300, "{found}");
}
