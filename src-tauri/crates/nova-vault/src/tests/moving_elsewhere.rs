//! Moving a note: links in canvases, bases and hidden files.

use std::sync::Arc;

use super::moving::{check, move_in};
use super::*;
use crate::{Moved, Privacy};

/// The links that a move leaves in one file: line and text of each.
#[track_caller]
fn check_left(file: &str, text: &str, (from, to): (&str, &str), expected: &[(u32, &str)]) {
    let bed = Bed::new(&[(from, "text\n"), ("Other.md", ""), (file, text)]);
    let (moved, _) = move_in(&bed, from, to).unwrap();
    let left: Vec<_> = moved.left.iter().map(|l| (l.path.as_str(), l.line, l.text.as_str())).collect();
    let expected: Vec<_> = expected.iter().map(|(line, text)| (file, *line, *text)).collect();
    assert_eq!(left, expected, "{from} to {to}");
    assert_eq!(bed.text(file), text);
}

#[test]
fn canvas_changes_only_in_strings_that_refer_to_the_note() {
    let canvas = r##"{
	"nodes":[
		{"id":"1","type":"file","file":"People/J\"a.md","x":0,"y" : 0,"width":1,"height":1.50},
		{"id":"2","type":"text","text":"See [[J\"a]],\n[[People/J\"a|her]] and [[Other]]."},
		{"id":"3","type":"file","file":"Other.md","label":"People/J\"a.md"},
		{"id":"4","type":"link","url":"https://example.org/People/J\"a.md"},
		{"id":"5","type":"file","file": "People\/J\u0022a.md" ,"subpath":"#x", "own":[1e3, "\u00e9"]}
	],
	"edges":[{"id":"e","fromNode":"1","toNode":"2","label":"[[J\"a]]"}]
}"##;
    let after = r##"{
	"nodes":[
		{"id":"1","type":"file","file":"Done/Jane Doe.md","x":0,"y" : 0,"width":1,"height":1.50},
		{"id":"2","type":"text","text":"See [[Jane Doe]],\n[[Done/Jane Doe|her]] and [[Other]]."},
		{"id":"3","type":"file","file":"Other.md","label":"People/J\"a.md"},
		{"id":"4","type":"link","url":"https://example.org/People/J\"a.md"},
		{"id":"5","type":"file","file": "Done/Jane Doe.md" ,"subpath":"#x", "own":[1e3, "\u00e9"]}
	],
	"edges":[{"id":"e","fromNode":"1","toNode":"2","label":"[[J\"a]]"}]
}"##;
    let from = "People/J\"a.md";
    check(
        &[(from, "text\n"), ("Other.md", ""), ("Boards/c.canvas", canvas)],
        (from, "Done/Jane Doe.md"),
        &[("Boards/c.canvas", after)],
    );
    for same in [canvas, "", "[]", "{\"nodes\":7}", "{\"nodes\":[7]}", &"[".repeat(10_000), "People/Ann"] {
        check_left("c.canvas", same, ("People/Ann.md", "Ann.md"), &[]);
    }
}

#[test]
fn text_node_with_needless_escapes_is_left_and_reported() {
    let canvas = "{\"nodes\":[\n{\"text\":\"\\u0041 [[Jane]]\"},\n{\"text\":\"[[Other]]\"}]}";
    check_left("c.canvas", canvas, ("Jane.md", "Ann.md"), &[(2, "[[Jane]]")]);
}

#[test]
fn canvas_edited_concurrently_keeps_the_edit() {
    let canvas = |file: &str, x: u32| {
        format!(
            "{{\n\t\"nodes\":[\n\t\t{{\"id\":\"1\",\"file\":\"{file}\"}},\n\t\t{{\"id\":\"2\",\"x\":0}},\n\t\t{{\"id\":\"3\",\"x\":{x}}}\n\t]\n}}"
        )
    };
    let bed = Bed::new(&[("a.md", ""), ("c.canvas", &canvas("a.md", 1))]);
    let vault = bed.vault();
    let mut draft = vault.draft();
    draft.move_note(&path("a.md"), &path("b.md")).unwrap();
    bed.put("c.canvas", &canvas("a.md", 2));
    let changes = vault.change_set(ChangeSetKind::Turn, "Move".to_owned());
    changes.apply(draft, &model("call_1")).unwrap();
    assert_eq!(bed.text("c.canvas"), canvas("b.md", 2));
}

#[test]
fn references_in_bases_are_left_and_reported() {
    let base = "\
filters:
  and:
    - 'company == link(\"Acme\")'
    - file.path != \"Work/Acme.md\"
    - name == \"Acme Ltd\"
    - file.hasLink(\"Work/Acme\")
    - note.\"owner\" == \"[[acme|us]]\"
";
    let (by_name, path, no_md, wiki) = (
        "- 'company == link(\"Acme\")'",
        "- file.path != \"Work/Acme.md\"",
        "- file.hasLink(\"Work/Acme\")",
        "- note.\"owner\" == \"[[acme|us]]\"",
    );
    check_left(
        "x.base",
        base,
        ("Work/Acme.md", "Work/Apex.md"),
        &[(3, by_name), (4, path), (6, no_md), (7, wiki)],
    );
    check_left("x.base", base, ("Work/Acme.md", "Acme.md"), &[(4, path), (6, no_md)]);
    check_left("x.base", base, ("Elsewhere.md", "Moved.md"), &[]);
}

#[test]
fn type_or_tag_with_the_notes_name_is_no_reference() {
    let base = "filters:\n  and:\n    - type == \"book\"\n    - 'note.type != \"book\"'\n    - \"type == \\\"book\\\"\"\n    \
                - file.hasTag(\"book\")\n    - subtype == \"book\"\n    - kind == \"book\"\n";
    let (sub, kind) = ("- subtype == \"book\"", "- kind == \"book\"");
    check_left("x.base", base, ("Forms/Book.md", "Old.md"), &[(7, sub), (8, kind)]);
}

#[test]
fn references_in_a_notes_base_are_left_and_reported() {
    let note = "---\nx: 1\n---\nfile.hasLink(\"Acme\")\n\n```base\nfilters: file.hasLink(\"Acme\")\nviews:\n  \
                - type: table\n    filters: company == \"[[Acme]]\"\n```\n\n- ~~~base\n  filters: \
                file.path == \"Work/Acme.md\"\n  ~~~\n";
    check_left(
        "Notes/x.md",
        note,
        ("Work/Acme.md", "Work/Apex.md"),
        &[
            (7, "filters: file.hasLink(\"Acme\")"),
            (10, "filters: company == \"[[Acme]]\""),
            (14, "filters: file.path == \"Work/Acme.md\""),
        ],
    );
    check_left("Notes/x.md", note, ("Elsewhere.md", "Moved.md"), &[]);

    // In the moved note itself, at its new path; in a planned text; and never in a hidden one.
    let base = "```base\nfilters: file.hasLink(\"Old\")\n```\n";
    let bed = Bed::new(&[("Old.md", base), ("Hidden.md", &format!("---\nnova: private\n---\n{base}"))]);
    let view = bed.vault().seen_by(Arc::new(Privacy { remote: true, private: Vec::new() }));
    let mut draft = view.draft();
    draft.create(&path("New.md"), format!("\n{base}")).unwrap();
    let moved = draft.move_note(&path("Old.md"), &path("Young.md")).unwrap();
    let left: Vec<_> = moved.left.iter().map(|left| (left.path.as_str(), left.line)).collect();
    assert_eq!(left, [("New.md", 3), ("Young.md", 2)]);
}

#[test]
fn hidden_file_is_rewritten_but_not_named() {
    let bed = Bed::new(&[
        ("a.md", ""),
        ("Private/c.canvas", r#"{"nodes":[{"file":"a.md"}]}"#),
        ("Private/d.base", "filters: file.path != \"a.md\"\n"),
    ]);
    let vault = bed.vault();
    let view = vault.seen_by(Arc::new(Privacy { remote: true, private: vec!["Private".to_owned()] }));
    let mut draft = view.draft();
    let moved = draft.move_note(&path("a.md"), &path("b.md")).unwrap();
    assert_eq!(moved, Moved::default());
    let changes = vault.change_set(ChangeSetKind::Turn, "Move".to_owned());
    changes.apply(draft, &model("call_1")).unwrap();
    assert_eq!(bed.text("Private/c.canvas"), r#"{"nodes":[{"file":"b.md"}]}"#);

    let all = vault.draft().move_note(&path("b.md"), &path("a.md")).unwrap();
    assert_eq!((all.rewritten, all.left.len()), (vec![path("Private/c.canvas")], 0));
}
