//! Moving a note: which bytes of which notes change, and that every link still resolves to the same note.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::{Moved, Privacy, Scope};

type Files<'a> = &'a [(&'a str, &'a str)];

pub(super) fn move_in(bed: &Bed, from: &str, to: &str) -> Result<(Moved, String), VaultError> {
    let vault = bed.vault();
    let mut draft = vault.draft();
    let moved = draft.move_note(&path(from), &path(to))?;
    let changes = vault.change_set(ChangeSetKind::Turn, "Move".to_owned());
    let id = changes.id().to_owned();
    changes.apply(draft, &model("call_1"))?;
    changes.close()?;
    Ok((moved, id))
}

/// Moves, compares every note in `after`, checks that no other file changed, and undoes the move.
#[track_caller]
pub(super) fn check(before: Files<'_>, (from, to): (&str, &str), after: Files<'_>) {
    let bed = Bed::new(before);
    let (moved, id) = move_in(&bed, from, to).unwrap();
    let mut expected: BTreeMap<&str, &str> = before.iter().copied().collect();
    let text = expected.remove(from).unwrap();
    expected.insert(to, text);
    expected.extend(after.iter().copied());
    assert_eq!(files(&bed), owned(&expected));
    let mut rewritten: Vec<&str> = moved.rewritten.iter().map(VaultPath::as_str).collect();
    rewritten.sort_unstable();
    let mut changed: Vec<&str> = after.iter().map(|(path, _)| *path).collect();
    changed.sort_unstable();
    assert_eq!(rewritten, changed);
    assert_eq!(moved.left, []);

    let outcome = bed.vault().history().undo(&id, Scope::All, &Author::new("user")).unwrap();
    assert_eq!(outcome.conflicts, []);
    assert_eq!(files(&bed), owned(&before.iter().copied().collect()));
}

/// Every file outside dot-folders except the settings, with its text.
fn files(bed: &Bed) -> BTreeMap<String, String> {
    let root = bed.root();
    files_below(&root)
        .into_iter()
        .map(|file| {
            let name = file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            let text = bed.text(&name);
            (name, text)
        })
        .collect()
}

fn owned(files: &BTreeMap<&str, &str>) -> BTreeMap<String, String> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn every_form_of_link_changes_its_target_only() {
    check(
        &[
            ("Jane.md", "self [[Jane]] [[#Log]]\n"),
            (
                "All.md",
                "[[Jane]] [[jane|J]] [[Jane#Log#A|x]] [[Jane#^b]] ![[Jane]] ![[Jane|100x20]]\n\
                 [J](Jane.md) [J](<Jane.md#Log> \"Jane\") [J](Jane) ![J](Jane.md)\n\
                 | a |\n|---|\n| [[Jane\\|Jane]] |\n\n`[[Jane]]` %%[[Jane]]%% \\[[Jane]] [[Janet]] Jane\n\n\
                 [j]: Jane.md 'Jane'\n",
            ),
            ("Crlf.md", "\u{feff}[[Jane]]\r\n[x](Jane.md)\r\n"),
            ("None.md", "Jane, [[Bob]]\n"),
        ],
        ("Jane.md", "Jane Doe (old).md"),
        &[
            ("Jane Doe (old).md", "self [[Jane Doe (old)]] [[#Log]]\n"),
            (
                "All.md",
                "[[Jane Doe (old)]] [[Jane Doe (old)|J]] [[Jane Doe (old)#Log#A|x]] [[Jane Doe (old)#^b]] \
                 ![[Jane Doe (old)]] ![[Jane Doe (old)|100x20]]\n\
                 [J](Jane%20Doe%20%28old%29.md) [J](<Jane Doe (old).md#Log> \"Jane\") [J](Jane%20Doe%20%28old%29) \
                 ![J](Jane%20Doe%20%28old%29.md)\n\
                 | a |\n|---|\n| [[Jane Doe (old)\\|Jane]] |\n\n\
                 `[[Jane]]` %%[[Jane]]%% \\[[Jane]] [[Janet]] Jane\n\n\
                 [j]: Jane%20Doe%20%28old%29.md 'Jane'\n",
            ),
            ("Crlf.md", "\u{feff}[[Jane Doe (old)]]\r\n[x](Jane%20Doe%20%28old%29.md)\r\n"),
        ],
    );
}

#[test]
fn properties_keep_their_style() {
    check(
        &[
            ("Acme.md", ""),
            (
                "Deal.md",
                "---\n# [[Acme]]\na: \"[[Acme]]\" # c\nb: '[[Acme|A]]'\nc: [[Acme]]\nd:\n  - [[Acme]]\n  - \"[[Acme#H]]\"\n\
                 e: {f: \"[[Acme]]\"}\ng: with [[Acme]] on\nh: |\n  [[Acme]]\n---\n",
            ),
        ],
        ("Acme.md", "O'Neil & Co.md"),
        &[(
            "Deal.md",
            "---\n# [[Acme]]\na: \"[[O'Neil & Co]]\" # c\nb: '[[O''Neil & Co|A]]'\nc: [[O'Neil & Co]]\nd:\n  \
             - [[O'Neil & Co]]\n  - \"[[O'Neil & Co#H]]\"\n\
             e: {f: \"[[O'Neil & Co]]\"}\ng: with [[O'Neil & Co]] on\nh: |\n  [[O'Neil & Co]]\n---\n",
        )],
    );
    // Names that contain YAML syntax get quoted.
    check(
        &[
            ("Acme.md", ""),
            ("Deal.md", "---\nc: [[Acme|A]] # c\nd:\n  - [[Acme]]\ng: with [[Acme]] on\n---\n"),
        ],
        ("Acme.md", "Acme, Inc.md"),
        &[(
            "Deal.md",
            "---\nc: \"[[Acme, Inc|A]]\" # c\nd:\n  - \"[[Acme, Inc]]\"\ng: \"with [[Acme, Inc]] on\"\n---\n",
        )],
    );
    check(
        &[
            ("Acme, Inc.md", ""),
            (
                "Deal.md",
                "---\nc: [[Acme, Inc#Log|A, the firm]] # c\nd: [[[Acme, Inc]], [[B]]]\ne:\n  - [[Acme, Inc]]\n---\n",
            ),
        ],
        ("Acme, Inc.md", "Acme, Ltd.md"),
        &[(
            "Deal.md",
            "---\nc: [[Acme, Ltd#Log|A, the firm]] # c\nd: [[[Acme, Ltd]], [[B]]]\ne:\n  - [[Acme, Ltd]]\n---\n",
        )],
    );
    for (to, written) in [
        ("Acme", "[[Acme]]"),
        ("10, 20", "\"[[10, 20]]\""),
        ("\"A\", Inc", "\"[[\\\"A\\\", Inc]]\""),
        ("A {x, Inc", "\"[[A {x, Inc]]\""),
    ] {
        check(
            &[("Acme, Inc.md", ""), ("Deal.md", "---\nc: [[Acme, Inc]]\n---\n[[Acme, Inc]]\n")],
            ("Acme, Inc.md", &format!("{to}.md")),
            &[("Deal.md", &format!("---\nc: {written}\n---\n[[{to}]]\n"))],
        );
    }
    check(
        &[("Acme.md", ""), ("Deal.md", "---\nc: \"[[Acme]]\"\n---\n")],
        ("Acme.md", "The \"Acme\".md"),
        &[("Deal.md", "---\nc: \"[[The \\\"Acme\\\"]]\"\n---\n")],
    );
}

#[test]
fn link_that_still_resolves_is_unchanged() {
    check(
        &[("Jane.md", "[[Bob]]\n"), ("Bob.md", "[[Jane]] [[jane|x]] [J](Jane.md)\n")],
        ("Jane.md", "People/Old/Jane.md"),
        &[],
    );
}

#[test]
fn path_stays_a_path_of_its_kind() {
    check(
        &[
            ("CRM/Jane.md", ""),
            ("A.md", "[[CRM/Jane]] [J](CRM/Jane.md) [J](./CRM/Jane.md) [[/CRM/Jane]] [[Jane]]\n"),
            ("CRM/B.md", "[[./Jane]] [J](Jane.md) [[CRM/Jane.md|J]]\n"),
            ("Notes/C.md", "[J](../CRM/Jane.md) [[../CRM/Jane]]\n"),
        ],
        ("CRM/Jane.md", "People/Jane Doe.md"),
        &[
            (
                "A.md",
                "[[People/Jane Doe]] [J](People/Jane%20Doe.md) [J](./People/Jane%20Doe.md) [[/People/Jane Doe]] [[Jane Doe]]\n",
            ),
            ("CRM/B.md", "[[../People/Jane Doe]] [J](Jane%20Doe.md) [[People/Jane Doe.md|J]]\n"),
            ("Notes/C.md", "[J](../People/Jane%20Doe.md) [[../People/Jane Doe]]\n"),
        ],
    );
}

#[test]
fn new_target_follows_the_configured_format() {
    let before: Files<'_> = &[("x/Jane.md", ""), ("y/A.md", "[[Jane]] [J](Jane.md)\n")];
    let table = [
        ("{}", "[[Jo]] [J](Jo.md)\n"),
        (r#"{"newLinkFormat": "shortest"}"#, "[[Jo]] [J](Jo.md)\n"),
        (r#"{"newLinkFormat": "absolute"}"#, "[[x/Jo]] [J](x/Jo.md)\n"),
        (r#"{"newLinkFormat": "relative"}"#, "[[../x/Jo]] [J](../x/Jo.md)\n"),
        (r#"{"newLinkFormat": 5}"#, "[[Jo]] [J](Jo.md)\n"),
        ("not json", "[[Jo]] [J](Jo.md)\n"),
    ];
    for (settings, expected) in table {
        let bed = Bed::new(before);
        bed.put(".obsidian/app.json", settings);
        move_in(&bed, "x/Jane.md", "x/Jo.md").unwrap();
        assert_eq!(bed.text("y/A.md"), expected, "{settings}");
    }
    // With relative links, a bare name in a Markdown link is a path.
    let bed = Bed::new(&[("a/Note.md", "[n](Near.md) [[Near]]\n"), ("a/Near.md", "")]);
    bed.put(".obsidian/app.json", r#"{"newLinkFormat": "relative"}"#);
    move_in(&bed, "a/Note.md", "b/Note.md").unwrap();
    assert_eq!(bed.text("b/Note.md"), "[n](../a/Near.md) [[Near]]\n");
}

#[test]
fn relative_links_in_the_moved_note_follow() {
    check(
        &[
            (
                "a/Note.md",
                "[[./Near]] [n](Near.md) ![p](img/p.png) [u](../Up.md) [[Up]] [[#H]] [gone](./gone.md)\n",
            ),
            ("a/Near.md", ""),
            ("a/img/p.png", ""),
            ("Up.md", ""),
        ],
        ("a/Note.md", "b/c/Note.md"),
        &[(
            "b/c/Note.md",
            "[[../../a/Near]] [n](Near.md) ![p](../../a/img/p.png) [u](../../Up.md) [[Up]] [[#H]] [gone](./gone.md)\n",
        )],
    );
    // Where a name or the end of a path would now resolve to another file, the path is written out.
    check(
        &[
            ("a/Note.md", "[n](Near.md) ![p](img/p.png) [[Near]]\n"),
            ("a/Near.md", ""),
            ("a/img/p.png", "1"),
            ("b/Near.md", ""),
            ("b/img/p.png", "2"),
        ],
        ("a/Note.md", "b/Note.md"),
        &[("b/Note.md", "[n](a/Near.md) ![p](../a/img/p.png) [[a/Near]]\n")],
    );
}

#[test]
fn links_to_other_notes_of_the_name_still_resolve_to_them() {
    // The new name shadows another note.
    check(
        &[("old.md", ""), ("x/Note.md", ""), ("A.md", "[[Note]] [[old]]\n")],
        ("old.md", "Note.md"),
        &[("A.md", "[[x/Note]] [[Note]]\n")],
    );
    // The old name no longer shadows one.
    check(
        &[("Note.md", ""), ("x/Note.md", ""), ("A.md", "[[Note]] [[x/Note]]\n")],
        ("Note.md", "Gone.md"),
        &[("A.md", "[[Gone]] [[x/Note]]\n")],
    );
    // It is nearer now.
    check(
        &[("x/Note.md", ""), ("zz/Note.md", ""), ("b/A.md", "[[Note]]\n")],
        ("zz/Note.md", "b/Note.md"),
        &[("b/A.md", "[[x/Note]]\n")],
    );
}

#[test]
fn links_to_an_ambiguous_name_still_resolve_to_the_same_note() {
    // From beside one of the two to beside the other.
    check(
        &[("A/Plan.md", "a\n"), ("B/Plan.md", "b\n"), ("A/S.md", "[[Plan]] ![[plan]] [p](Plan.md)\n")],
        ("A/S.md", "B/S.md"),
        &[("B/S.md", "[[A/Plan]] ![[A/Plan]] [p](A/Plan.md)\n")],
    );
    // And vice versa.
    check(
        &[("A/Plan.md", "a\n"), ("B/Plan.md", "b\n"), ("B/S.md", "[[Plan]] ![[plan]] [p](Plan.md)\n")],
        ("B/S.md", "A/S.md"),
        &[("A/S.md", "[[B/Plan]] ![[B/Plan]] [p](B/Plan.md)\n")],
    );
    // To a folder near neither: elsewhere the name resolves to one of the two.
    check(
        &[("A/Plan.md", "a\n"), ("B/Plan.md", "b\n"), ("B/S.md", "[[Plan]]\n"), ("C/x.md", "")],
        ("B/S.md", "C/S.md"),
        &[("C/S.md", "[[B/Plan]]\n")],
    );
    check(
        &[("A/Plan.md", "a\n"), ("B/Plan.md", "b\n"), ("A/S.md", "[[Plan]]\n"), ("C/x.md", "")],
        ("A/S.md", "C/S.md"),
        &[],
    );
    // One of the two is moved next to a link to the other, and away from a link to itself.
    check(
        &[("A/Plan.md", "a\n"), ("B/Plan.md", "b\n"), ("C/S.md", "[[Plan]]\n")],
        ("B/Plan.md", "C/Plan.md"),
        &[("C/S.md", "[[A/Plan]]\n")],
    );
    check(
        &[("A/Plan.md", "a\n"), ("B/Plan.md", "b\n"), ("B/S.md", "[[Plan]]\n"), ("C/x.md", "")],
        ("B/Plan.md", "C/Plan.md"),
        &[("B/S.md", "[[C/Plan]]\n")],
    );
    // From the root, where the shorter path was chosen.
    check(
        &[("A/Plan.md", "a\n"), ("Beside/Plan.md", "b\n"), ("S.md", "---\nof: \"[[Plan]]\"\n---\n")],
        ("S.md", "Beside/S.md"),
        &[("Beside/S.md", "---\nof: \"[[A/Plan]]\"\n---\n")],
    );
    // To the root, where the shorter path would be chosen.
    check(
        &[("A/Plan.md", "a\n"), ("Beside/Plan.md", "b\n"), ("Beside/S.md", "[[Plan|p]]\n")],
        ("Beside/S.md", "S.md"),
        &[("S.md", "[[Beside/Plan|p]]\n")],
    );
    // The moved note is one of the two, and links to itself or to the other.
    check(
        &[("A/Plan.md", "[[Plan]] [[B/Plan]]\n"), ("B/Plan.md", "b\n"), ("B/C/x.md", "")],
        ("A/Plan.md", "B/C/Plan.md"),
        &[],
    );
}

#[test]
fn alias_is_never_rewritten() {
    check(
        &[("Jane.md", "---\naliases: [JD]\n---\n"), ("A.md", "[[JD]] [[Jane]]\n"), ("Bob.md", "")],
        ("Jane.md", "Jo.md"),
        &[("A.md", "[[JD]] [[Jo]]\n")],
    );
}

#[test]
fn change_of_case_and_name_with_a_dot() {
    check(&[("jane.md", ""), ("A.md", "[[jane]] [[Jane]]\n")], ("jane.md", "Jane.md"), &[]);
    check(
        &[("plan.md", ""), ("v1.2", "a file of that name"), ("A.md", "[[plan]]\n")],
        ("plan.md", "v1.2.md"),
        &[("A.md", "[[v1.2.md]]\n")],
    );
    check(
        &[("plan.md", ""), ("A.md", "[[plan]]\n")],
        ("plan.md", "v1.2 plan.md"),
        &[("A.md", "[[v1.2 plan]]\n")],
    );
}

#[test]
fn base_is_moved_like_a_note() {
    check(
        &[("Deals.base", "views: []\n"), ("A.md", "![[Deals.base]] ![[Deals.base#Open]]\n")],
        ("Deals.base", "Views/All deals.base"),
        &[("A.md", "![[All deals.base]] ![[All deals.base#Open]]\n")],
    );
}

#[test]
fn invalid_moves_are_refused() {
    let bed = Bed::new(&[("A.md", "[[B]]\n"), ("B.md", ""), ("pic.png", ""), ("C.md", "")]);
    let refused = |from: &str, to: &str| move_in(&bed, from, to).unwrap_err().code().as_str();
    assert_eq!(refused("B.md", "C.md"), "note_exists");
    assert_eq!(refused("B.md", "c.md"), "note_exists");
    assert_eq!(refused("nobody.md", "D.md"), "note_not_found");
    assert_eq!(refused("pic.png", "pics/pic.png"), "path_refused");
    assert_eq!(refused("B.md", "B.base"), "path_refused");
    assert_eq!(refused("B.md", ".trash/B.md"), "path_refused");
    // No wikilink can express these names; nothing is changed.
    for to in ["C#.md", "a|b.md", "x]].md"] {
        let error = move_in(&bed, "B.md", to).unwrap_err();
        assert!(
            matches!(&error, VaultError::Unlinkable { path: Some(at), line: 1, .. } if at.as_str() == "A.md"),
            "{error}"
        );
    }
    assert_eq!(bed.text("A.md"), "[[B]]\n");
    assert!(bed.exists("B.md"));
}

#[test]
fn refused_move_leaves_the_draft_unchanged() {
    let bed = Bed::new(&[("A.md", "[[B]]\n"), ("B.md", "")]);
    let vault = bed.vault();
    let mut draft = vault.draft();
    draft.append(&path("A.md"), "more", None).unwrap();
    draft.move_note(&path("B.md"), &path("C#.md")).unwrap_err();
    assert_eq!(draft.paths(), [path("A.md")]);
    assert_eq!(&*draft.read(&path("B.md")).unwrap().text, "");
}

#[test]
fn move_applies_to_the_planned_texts() {
    let bed = Bed::new(&[("A.md", "[[B]]\n"), ("B.md", "")]);
    let vault = bed.vault();
    let mut draft = vault.draft();
    draft.append(&path("A.md"), "again [[B]]", None).unwrap();
    draft.create(&path("New.md"), "[[B]]\n".to_owned()).unwrap();
    draft.move_note(&path("B.md"), &path("C.md")).unwrap();
    draft.move_note(&path("C.md"), &path("D.md")).unwrap();
    let changes = vault.change_set(ChangeSetKind::Turn, "Move".to_owned());
    changes.apply(draft, &model("call_1")).unwrap();
    assert_eq!(bed.text("A.md"), "[[D]]\nagain [[D]]\n");
    assert_eq!(bed.text("New.md"), "[[D]]\n");
    assert!(bed.exists("D.md") && !bed.exists("B.md") && !bed.exists("C.md"));
}

#[test]
fn unreadable_front_matter_is_left_and_reported() {
    let broken = "---\na: \"[[B]]\nb: [[C]]\n---\nbody [[B]]\n";
    let bed = Bed::new(&[("A.md", broken), ("B.md", ""), ("C.md", "")]);
    let (moved, _) = move_in(&bed, "B.md", "D.md").unwrap();
    assert_eq!(bed.text("A.md"), broken.replace("body [[B]]", "body [[D]]"));
    assert_eq!(moved.rewritten, [path("A.md")]);
    let left: Vec<_> = moved.left.iter().map(|l| (l.path.as_str(), l.line, l.text.as_str())).collect();
    assert_eq!(left, [("A.md", 2, "[[B]]")]);
}

#[test]
fn hidden_notes_are_rewritten_but_not_named() {
    let secret = "---\nnova: private\n---\n[[B]]\n";
    let bed = Bed::new(&[("Secret.md", secret), ("Open.md", "[[B]]\n"), ("B.md", "")]);
    let vault = bed.vault();
    let view = vault.seen_by(Arc::new(Privacy { remote: true, private: Vec::new() }));
    let mut draft = view.draft();
    let moved = draft.move_note(&path("B.md"), &path("C.md")).unwrap();
    assert_eq!(moved, Moved { rewritten: vec![path("Open.md")], left: Vec::new() });
    assert!(matches!(draft.read(&path("Secret.md")), Err(VaultError::Private { .. })));
    assert!(matches!(draft.append(&path("Secret.md"), "x", None), Err(VaultError::Private { .. })));
    assert!(matches!(draft.move_note(&path("Secret.md"), &path("S.md")), Err(VaultError::Private { .. })));
    // A second move builds on the first.
    draft.move_note(&path("C.md"), &path("D.md")).unwrap();
    let error = draft.move_note(&path("D.md"), &path("E#.md")).unwrap_err();
    assert!(!error.to_string().contains("Secret"), "{error}");
    let changes = vault.change_set(ChangeSetKind::Turn, "Move".to_owned());
    changes.apply(draft, &model("call_1")).unwrap();
    assert_eq!(bed.text("Secret.md"), secret.replace("[[B]]", "[[D]]"));
    assert_eq!(bed.text("Open.md"), "[[D]]\n");
}

#[test]
fn link_after_a_less_than_sign_follows() {
    check(
        &[("Bob.md", ""), ("A.md", "if cost <last year, see [[Bob]] -> ask [b <c](Bob.md)\n")],
        ("Bob.md", "Bill.md"),
        &[("A.md", "if cost <last year, see [[Bill]] -> ask [b <c](Bill.md)\n")],
    );
}

/// The rewritten link would reveal to the model where the hidden note is.
#[test]
fn move_that_would_reveal_a_hidden_note_is_refused() {
    for (hidden, text) in [("Private/Jane.md", ""), ("Elsewhere/Jane.md", "---\nnova: private\n---\n")] {
        let bed = Bed::new(&[(hidden, text), ("A.md", "[[Jane]]\n"), ("Notes/X.md", "")]);
        let vault = bed.vault();
        let privacy = Privacy { remote: true, private: vec!["Private".to_owned()] };
        let mut draft = vault.seen_by(Arc::new(privacy)).draft();
        let error = draft.move_note(&path("Notes/X.md"), &path("Notes/Jane.md")).unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), ("edit_refused", None));
        assert_eq!(
            error.to_string(),
            "The note cannot be moved to \"Notes/Jane.md\", because links that mean another note would \
             lead to it. Choose another name."
        );
        assert!(draft.is_empty());
        draft.move_note(&path("Notes/X.md"), &path("Notes/Jane Doe.md")).unwrap();
        // The owner may see where it is.
        let moved = vault.draft().move_note(&path("Notes/X.md"), &path("Notes/Jane.md")).unwrap();
        assert_eq!(moved.rewritten, [path("A.md")]);
    }
}

#[test]
fn links_between_hidden_notes_refuse_no_move() {
    let bed = Bed::new(&[("Private/Jane.md", ""), ("Private/A.md", "[[Jane]]\n"), ("X.md", "")]);
    let vault = bed.vault();
    let privacy = Privacy { remote: true, private: vec!["Private".to_owned()] };
    let mut draft = vault.seen_by(Arc::new(privacy)).draft();
    let moved = draft.move_note(&path("X.md"), &path("Notes/Jane.md")).unwrap();
    assert_eq!(moved, Moved::default());
}

#[test]
fn image_of_the_note_inside_a_link_to_it() {
    check(
        &[("Bob.md", ""), ("A.md", "[![Bob](Bob.md)](Bob.md) [![a](p.png)](Bob.md)\n")],
        ("Bob.md", "Bill.md"),
        &[("A.md", "[![Bob](Bill.md)](Bill.md) [![a](p.png)](Bill.md)\n")],
    );
}
