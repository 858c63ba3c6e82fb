//! Links, as seen by the owner and by a remote reader.

use std::sync::Arc;

use super::*;
use crate::{LinkBack, LinkOut, Links, Privacy, TagCount, View};

fn remote(vault: &Vault, private: &[&str]) -> View {
    let private = private.iter().map(|entry| (*entry).to_owned()).collect();
    vault.seen_by(Arc::new(Privacy { remote: true, private }))
}

/// `line path` of outgoing links, `path:line` of backlinks, `line target` of broken ones.
fn shown(links: &Links) -> (Vec<String>, Vec<String>, Vec<String>) {
    let out = |link: &LinkOut| {
        let alias = if link.by_alias { " (alias)" } else { "" };
        let missing = if link.subpath_missing { " (no such part)" } else { "" };
        format!("{} {}{alias}{missing}", link.line, link.path)
    };
    (
        links.out.iter().map(out).collect(),
        links.back.iter().map(|link| format!("{}:{}", link.path, link.line)).collect(),
        links.unresolved.iter().map(|link| format!("{} {}", link.line, link.target)).collect(),
    )
}

#[test]
fn link_resolves_as_in_obsidian() {
    let files = [
        "Note.md",
        "zzzz/Note.md",
        "a/b/Note.md",
        "b/Note.md",
        "Only/Jane Doe.md",
        "Only/v1.2 plan.md",
        "a/Deep.md",
        "a/b/Deep.md",
        "zzzz/Deep.md",
        "Café.md",
        "pic.png",
        "a/pic.png",
        "Figure 1.png",
        "x/glossary/index.md",
        "proj/s.md",
        "projects/Near.md",
        "zz/Near.md",
        "Ext.md",
        "View.base",
        "b/c/Tie.md",
        "a/c/Tie.md",
        "k/Case.md",
        "k/case.md",
    ];
    let bed = Bed::new(&[]);
    for file in files {
        bed.put(file, "");
    }
    let view = bed.vault().seen_by_owner();
    let table = [
        // Target, note with the link, expected file.
        ("Jane Doe", "Note.md", Some("Only/Jane Doe.md")),
        ("jane doe", "Note.md", Some("Only/Jane Doe.md")),
        ("Jane Doe.md", "Note.md", Some("Only/Jane Doe.md")),
        ("Ext.MD", "a/b/Note.md", Some("Ext.md")),
        ("[[Only/Jane Doe#Log|Jane]]", "Note.md", Some("Only/Jane Doe.md")),
        ("v1.2 plan", "Note.md", Some("Only/v1.2 plan.md")),
        ("Cafe\u{301}", "Note.md", Some("Café.md")),
        // An exact path from the root wins, even over a nearer file.
        ("Note", "a/b/Note.md", Some("Note.md")),
        ("b/Note", "a/b/Note.md", Some("b/Note.md")),
        ("a/b/Note", "Note.md", Some("a/b/Note.md")),
        ("zzzz/Note.md", "Note.md", Some("zzzz/Note.md")),
        // Otherwise below the own folder, then the shortest path, then alphabetically.
        ("Deep", "a/b/Note.md", Some("a/b/Deep.md")),
        ("Deep", "zzzz/Note.md", Some("zzzz/Deep.md")),
        ("Deep", "b/Note.md", Some("a/Deep.md")),
        ("Deep", "a/x.md", Some("a/Deep.md")),
        ("Tie", "Note.md", Some("a/c/Tie.md")),
        ("c/Tie", "b/Note.md", Some("b/c/Tie.md")),
        ("Near", "proj/s.md", Some("zz/Near.md")),
        // Compared by path component.
        ("glossary/index", "Note.md", Some("x/glossary/index.md")),
        ("ary/index", "Note.md", None),
        ("other/Jane Doe", "Note.md", None),
        // Relative to the own folder only.
        ("./Deep", "a/x.md", Some("a/Deep.md")),
        ("../Deep", "a/b/Note.md", Some("a/Deep.md")),
        ("../b/Deep.md", "a/b/Note.md", Some("a/b/Deep.md")),
        ("./Jane Doe", "Note.md", None),
        ("../../etc/passwd", "Note.md", None),
        ("../../Note", "Only/Jane Doe.md", None),
        ("/Note", "a/b/Note.md", Some("Note.md")),
        ("/Deep", "a/b/Note.md", None),
        // Other files need their extension.
        ("pic.png", "a/x.md", Some("pic.png")),
        ("a/pic.png", "Note.md", Some("a/pic.png")),
        ("View.base", "Note.md", Some("View.base")),
        ("Figure 1", "Note.md", None),
        ("#Heading", "Note.md", Some("Note.md")),
        ("Nobody", "Note.md", None),
        // On a case-sensitive file system the spelling decides.
        ("Case", "Note.md", Some("k/Case.md")),
        ("case.md", "Note.md", Some("k/case.md")),
        ("k/case", "Note.md", Some("k/case.md")),
        ("CASE", "Note.md", Some("k/Case.md")),
        ("", "nowhere.md", None),
        ("/", "Note.md", None),
        ("..", "Note.md", None),
        ("/etc/passwd", "Note.md", None),
    ];
    for (link, from, expected) in table {
        let found = view.resolve(link, Some(&path(from))).unwrap();
        assert_eq!(found.as_ref().map(VaultPath::as_str), expected, "{link:?} in {from}");
    }
}

#[test]
fn outgoing_links_backlinks_and_broken_links() {
    let bed = Bed::new(&[
        (
            "Jane.md",
            "---\ncompany: \"[[Acme]]\"\naliases: [JD]\n---\n# Log\n\nknows [[Bob]], [[Nobody|him]]\n\n[[#Log]] ^here\n",
        ),
        ("Acme.md", "- [[Jane]]\n- ![[Jane#Log]] and [J](Jane.md)\n- [[JD]]\n\n[j]: ./Jane.md\n"),
        (
            "Bob.md",
            "---\nfriends:\n  - [[Jane]]\n---\n[[Jane#^here]] [[Jane#^gone]] [[Jane#Lost]] ![[pic.png]]\n",
        ),
        ("Other.md", "`[[Jane]]` %%[[Jane]]%%\n"),
        ("pic.png", ""),
    ]);
    let vault = bed.vault();
    let view = vault.seen_by_owner();
    let jane = view.links(&path("Jane.md")).unwrap();
    assert_eq!(
        shown(&jane),
        (
            vec!["2 Acme.md".to_owned(), "7 Bob.md".to_owned(), "9 Jane.md".to_owned()],
            [
                "Acme.md:1",
                "Acme.md:2",
                "Acme.md:2",
                "Acme.md:3",
                "Acme.md:5",
                "Bob.md:3",
                "Bob.md:5",
                "Bob.md:5",
                "Bob.md:5"
            ]
            .map(str::to_owned)
            .to_vec(),
            vec!["7 Nobody".to_owned()],
        )
    );
    assert_eq!(jane.back[1].text, "- ![[Jane#Log]] and [J](Jane.md)");
    let (out, ..) = shown(&view.links(&path("Acme.md")).unwrap());
    assert_eq!(out, ["1 Jane.md", "2 Jane.md", "2 Jane.md", "3 Jane.md (alias)", "5 Jane.md"]);
    let (out, ..) = shown(&view.links(&path("Bob.md")).unwrap());
    let missing = " (no such part)";
    let expected = [
        "3 Jane.md",
        "5 Jane.md",
        &format!("5 Jane.md{missing}"),
        &format!("5 Jane.md{missing}"),
        "5 pic.png",
    ];
    assert_eq!(out, expected);
    let (_, back, _) = shown(&view.links(&path("pic.png")).unwrap());
    assert_eq!(back, ["Bob.md:5"]);
    assert!(matches!(view.links(&path("no.md")), Err(VaultError::NotFound { .. })));
    assert!(matches!(view.links(&path("no.png")), Err(VaultError::NotFound { .. })));
}

#[test]
fn unquoted_link_resolves_to_a_name_with_a_comma() {
    let bed = Bed::new(&[
        ("Acme, Inc.md", "# Log\n"),
        (
            "Jane.md",
            "---\ncompany: [[acme, inc#Log|Acme]]\nsees:\n  - [[Acme, Inc]]\nsize: [[52, 13]]\n---\n",
        ),
    ]);
    let view = bed.vault().seen_by_owner();
    let (out, _, nowhere) = shown(&view.links(&path("Jane.md")).unwrap());
    assert_eq!((out, nowhere), (vec!["2 Acme, Inc.md".to_owned(), "4 Acme, Inc.md".to_owned()], vec![]));
    let (_, back, _) = shown(&view.links(&path("Acme, Inc.md")).unwrap());
    assert_eq!(back, ["Jane.md:2", "Jane.md:4"]);
}

#[test]
fn alias_resolves_last_and_only_if_unique() {
    let bed = Bed::new(&[
        ("One.md", "---\naliases: [AI, Both]\n---\n"),
        ("Two.md", "---\naliases: [both, Three]\n---\n"),
        ("Three.md", ""),
    ]);
    let view = bed.vault().seen_by_owner();
    let found = |link: &str| view.resolve(link, None).unwrap().map(String::from);
    assert_eq!(found("ai").as_deref(), Some("One.md"));
    assert_eq!(found("Both"), None);
    assert_eq!(found("Three").as_deref(), Some("Three.md"));
}

#[test]
fn headings_are_compared_as_in_obsidian() {
    let bed = Bed::new(&[
        ("Note.md", "# Plan: 2026 (draft)\n## Costs\n# Next\n## Costs\n### Rent\n"),
        (
            "Links.md",
            "[[Note#plan 2026 draft]] [[Note#Plan: 2026 (draft)#Costs]] [[Note#Next#Rent]]\n\
             [[Note#Plan]] [[Note#Costs#Next]] [[Note#Plan 2026 draft#Rent#Costs]]\n",
        ),
    ]);
    let links = bed.vault().seen_by_owner().links(&path("Links.md")).unwrap();
    let missing: Vec<bool> = links.out.iter().map(|link| link.subpath_missing).collect();
    assert_eq!(missing, [false, false, false, true, true, true]);
}

#[test]
fn hidden_note_appears_in_no_links() {
    let bed = Bed::new(&[
        ("Jane.md", "knows [[Secret]] and [[Listed]] and [[Bob]]\n![[Private/pic.png]]\n"),
        ("Secret.md", "---\nnova: private\naliases: [Bob]\ntags: hush\n---\n[[Jane]]\n"),
        ("Private/Listed.md", "[[Jane]] #quiet\n"),
        ("Private/pic.png", ""),
        ("Broken.md", "---\nnova: \"private\n---\n[[Jane]]\n"),
        ("Open.md", "[[Jane]] [[Secret]] #loud\n"),
        ("deep/Twin.md", ""),
        ("Private/Twin.md", ""),
    ]);
    let vault = bed.vault();
    let (out, back, nowhere) = shown(&vault.seen_by_owner().links(&path("Jane.md")).unwrap());
    assert_eq!(out, ["1 Secret.md", "1 Private/Listed.md", "1 Secret.md (alias)", "2 Private/pic.png"]);
    assert_eq!(back, ["Broken.md:4", "Open.md:1", "Private/Listed.md:1", "Secret.md:6"]);
    assert_eq!(nowhere, Vec::<String>::new());

    let view = remote(&vault, &["Private"]);
    let (out, back, nowhere) = shown(&view.links(&path("Jane.md")).unwrap());
    assert_eq!(out, Vec::<String>::new());
    assert_eq!(back, ["Open.md:1"]);
    assert_eq!(nowhere, ["1 Secret", "1 Listed", "1 Bob", "2 Private/pic.png"]);
    for hidden in ["Secret.md", "Private/Listed.md", "Broken.md"] {
        assert!(matches!(view.links(&path(hidden)), Err(VaultError::Private { .. })), "{hidden}");
    }
    for hidden in ["Secret", "Secret.md", "Listed", "Bob", "Private/pic.png"] {
        assert_eq!(view.resolve(hidden, None).unwrap(), None, "{hidden}");
    }
    // A hidden note does not affect the choice between others.
    assert_eq!(view.resolve("Twin", Some(&path("Private/x.md"))).unwrap(), Some(path("deep/Twin.md")));
    assert!(matches!(view.links(&path("Private/pic.png")), Err(VaultError::NotFound { .. })));
    let tags: Vec<_> = view.tags().unwrap().tags.into_iter().map(|tag| tag.tag).collect();
    assert_eq!(tags, ["loud"]);
}

#[test]
fn tags_are_counted_by_note() {
    let bed = Bed::new(&[
        ("a.md", "---\ntags: [Inbox/to-read, work]\n---\n#inbox/later #inbox/later\n"),
        ("b.md", "#WORK #inbox `#code`\n"),
        ("c.md", "nothing #1984\n"),
    ]);
    let count = |tag: &str, notes| TagCount { tag: tag.to_owned(), notes };
    assert_eq!(
        bed.vault().seen_by_owner().tags().unwrap().tags,
        [count("Inbox", 2), count("inbox/later", 1), count("Inbox/to-read", 1), count("work", 2)]
    );
}

/// Written out, all levels of this tag take 400 MB.
#[test]
fn only_the_first_levels_of_a_tag_with_thousands_are_listed() {
    let long = vec!["a"; 20_000].join("/");
    let bed =
        Bed::new(&[("long.md", &format!("#{long} #{}\n", long.to_uppercase())), ("short.md", "#a/a/b\n")]);
    let tags = bed.vault().seen_by_owner().tags().unwrap().tags;
    assert_eq!(tags.len(), 64 + 2);
    assert!(tags.iter().map(|tag| tag.tag.len()).sum::<usize>() < 2 * long.len());
    let notes = |name: &str| tags.iter().find(|tag| tag.tag == name).map(|tag| tag.notes);
    assert_eq!((notes("a/a"), notes("a/a/b"), notes(&long)), (Some(2), Some(1), Some(1)));
}

#[test]
fn outside_edit_is_in_the_next_answer() {
    let bed = Bed::new(&[("A.md", "[[B]] #one\n"), ("B.md", ""), ("C.md", "[[A]]\n")]);
    let view = bed.vault().seen_by_owner();
    let backs = |note: &str| shown(&view.links(&path(note)).unwrap()).1;
    assert_eq!(backs("B.md"), ["A.md:1"]);
    bed.put("A.md", "now\n[[C]] #two\n");
    assert_eq!(backs("B.md"), Vec::<String>::new());
    assert_eq!(backs("C.md"), ["A.md:2"]);
    assert_eq!(view.tags().unwrap().tags.into_iter().map(|tag| tag.tag).collect::<Vec<_>>(), ["two"]);
    fs::rename(bed.root().join("C.md"), bed.root().join("D.md")).unwrap();
    let (_, back, nowhere) = shown(&view.links(&path("A.md")).unwrap());
    assert_eq!((back, nowhere), (vec!["D.md:1".to_owned()], vec!["2 C".to_owned()]));
}

#[test]
fn long_line_is_truncated_around_the_link() {
    let text = format!("{}é[[B]]{}\n", "ä".repeat(5_000), "ö".repeat(5_000));
    let bed = Bed::new(&[("A.md", &text), ("B.md", "")]);
    let links = bed.vault().seen_by_owner().links(&path("B.md")).unwrap();
    let LinkBack { text, .. } = &links.back[0];
    assert_eq!(text.chars().count(), 300);
    assert!(text.contains("é[[B]]ö"), "{text}");
}

#[test]
fn serialised_form() {
    let bed = Bed::new(&[("A.md", "[[B#H]] [[no]]\n"), ("B.md", "![[A]]\n")]);
    let links = bed.vault().seen_by_owner().links(&path("A.md")).unwrap();
    assert_eq!(
        serde_json::to_value(&links).unwrap(),
        serde_json::json!({
            "out": [{"path": "B.md", "line": 1, "text": "[[B#H]] [[no]]", "kind": "wikilink", "subpath": "H", "subpath_missing": true}],
            "back": [{"path": "B.md", "line": 1, "text": "![[A]]", "kind": "embed"}],
            "unresolved": [{"target": "no", "line": 1, "text": "[[B#H]] [[no]]"}],
        })
    );
}

/// Each of these would take minutes if every link, heading or tag were compared with every other.
#[test]
fn note_with_thousands_of_links_and_headings_is_answered_quickly() {
    const MANY: usize = 40_000;
    let text = |line: &dyn Fn(usize) -> String| (0..MANY).map(line).collect::<String>();
    let bed = Bed::new(&[
        ("Headings.md", &text(&|n| format!("# a {n}\n"))),
        ("Same.md", &text(&|_| "# a\n".to_owned())),
        ("Blocks.md", &text(&|n| format!("x ^b{n}\n\n"))),
        ("To headings.md", &text(&|n| format!("[[Headings#x {n}]]\n"))),
        ("Below itself.md", &text(&|_| "[[Same#a#a]]\n".to_owned())),
        ("To blocks.md", &text(&|n| format!("[[Blocks#^c{n}]]\n"))),
        ("Tags.md", &text(&|n| format!("#t{n}\n"))),
    ]);
    let view = bed.vault().seen_by_owner();
    for note in ["To headings.md", "Below itself.md", "To blocks.md"] {
        let links = view.links(&path(note)).unwrap();
        assert_eq!(links.out.len(), MANY, "{note}");
        assert!(links.out.iter().all(|link| link.subpath_missing), "{note}");
    }
    let condition = crate::Condition::parse("tags contains t39999").unwrap();
    let query = crate::Query { conditions: vec![condition], ..Default::default() };
    let found = view.query(&query).unwrap();
    assert_eq!(found.rows.iter().map(|row| row.path.as_str()).collect::<Vec<_>>(), ["Tags.md"]);
}

#[test]
fn tags_of_a_note_are_deduplicated_with_their_first_spelling() {
    let bed = Bed::new(&[("a.md", "---\ntags: [Work]\n---\n#WORK #home #work #Home\n")]);
    let vault = bed.vault();
    let listing = vault.index().listing(&vault.core().disk, crate::reading::index::Texts::All).unwrap();
    assert_eq!(vault.tags_of(&listing.heads[0]), ["Work", "home"]);
}
