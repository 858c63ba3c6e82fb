//! A restored note has its former permissions and extended attributes.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};

use super::*;
use crate::Scope;

fn make(bed: &Bed, note: &str, mode: u32, colour: &str) {
    let file = bed.root().join(note);
    fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
    let file = File::open(file).unwrap();
    fsetxattr(&file, "user.colour", colour.as_bytes(), XattrFlags::empty()).unwrap();
}

/// The mode and an extended attribute of the file.
fn seen(bed: &Bed, note: &str) -> (u32, Option<String>) {
    let file = File::open(bed.root().join(note)).unwrap();
    let mut value = [0; 64];
    let colour = fgetxattr(&file, "user.colour", &mut value[..]).ok();
    let mode = file.metadata().unwrap().permissions().mode() & 0o7777;
    (mode, colour.map(|size| String::from_utf8_lossy(&value[..size]).into_owned()))
}

fn is(mode: u32, colour: &str) -> (u32, Option<String>) {
    (mode, Some(colour.to_owned()))
}

fn undo(bed: &Bed, id: &str) -> String {
    let undone = bed.vault().history().undo(id, Scope::All, &Author::new("user")).unwrap();
    assert_eq!(undone.conflicts, []);
    undone.change_set
}

/// Obsidian's settings for deleted notes.
const TRASHES: [&str; 3] = ["local", "none", "system"];

fn bed(trash: &str) -> Bed {
    let settings = format!(r#"{{"trashOption": "{trash}"}}"#);
    let bed = Bed::new(&[("a.md", JANE), ("b.md", "b\n"), (".obsidian/app.json", &settings)]);
    make(&bed, "a.md", 0o600, "red");
    make(&bed, "b.md", 0o664, "blue\n\u{0}");
    bed
}

#[test]
fn deleted_note_is_restored_with_mode_and_attributes() {
    for trash in TRASHES {
        let bed = bed(trash);
        let (id, _) = change(&bed.vault(), |draft| {
            draft.delete(&path("a.md"))?;
            draft.delete(&path("b.md"))
        })
        .unwrap();
        assert!(!bed.exists("a.md"));
        let undone = undo(&bed, &id);
        assert_eq!((seen(&bed, "a.md"), seen(&bed, "b.md")), (is(0o600, "red"), is(0o664, "blue\n\u{0}")));
        assert_eq!(bed.text("a.md"), JANE);

        // Its attributes when it was deleted again.
        make(&bed, "a.md", 0o640, "green");
        let deleted = undo(&bed, &undone);
        assert!(!bed.exists("a.md"));
        undo(&bed, &deleted);
        assert_eq!(seen(&bed, "a.md"), is(0o640, "green"), "{trash}");
    }
}

#[test]
fn many_deleted_notes_are_restored_with_their_attributes() {
    let bed = Bed::new(&[]);
    let names: Vec<String> = (0..40).map(|n| format!("n{n}.md")).collect();
    for (name, mode) in names.iter().zip([0o600, 0o644].into_iter().cycle()) {
        bed.put(name, name);
        make(&bed, name, mode, name);
    }
    let delete = |draft: &mut Draft| names.iter().try_for_each(|name| draft.delete(&path(name)));
    let (id, _) = change(&bed.vault(), delete).unwrap();
    undo(&bed, &id);
    for (name, mode) in names.iter().zip([0o600, 0o644].into_iter().cycle()) {
        assert_eq!(seen(&bed, name), is(mode, name));
    }
}

type Plan<'a> = &'a dyn Fn(&mut Draft) -> Result<(), VaultError>;

/// Applies each plan as a separate call in one change set.
fn calls(bed: &Bed, plans: &[Plan<'_>]) -> String {
    let vault = bed.vault();
    let changes = vault.change_set(ChangeSetKind::Turn, "a turn".to_owned());
    for plan in plans {
        let mut draft = vault.draft();
        plan(&mut draft).unwrap();
        changes.apply(draft, &model("call")).unwrap();
    }
    let id = changes.id().to_owned();
    changes.close().unwrap();
    id
}

#[test]
fn attributes_follow_a_note_that_was_moved_or_whose_name_was_taken() {
    let first = bed("local");
    let id = calls(
        &first,
        &[&|draft| draft.rename(&path("a.md"), &path("Old/a.md")), &|draft| draft.delete(&path("Old/a.md"))],
    );
    undo(&first, &id);
    assert_eq!(seen(&first, "a.md"), is(0o600, "red"));

    let second = bed("local");
    let id = calls(
        &second,
        &[&|draft| draft.delete(&path("a.md")), &|draft| draft.create(&path("a.md"), "another\n".to_owned())],
    );
    assert_ne!(seen(&second, "a.md"), is(0o600, "red"));
    undo(&second, &id);
    assert_eq!((second.text("a.md").as_str(), seen(&second, "a.md")), (JANE, is(0o600, "red")));
}

#[test]
fn recreated_note_has_its_last_attributes() {
    let bed = bed("local");
    let (id, _) = change(&bed.vault(), |draft| draft.create(&path("new.md"), "new\n".to_owned())).unwrap();
    make(&bed, "new.md", 0o600, "grey");
    let undone = undo(&bed, &id);
    assert!(!bed.exists("new.md"));
    undo(&bed, &undone);
    assert_eq!(seen(&bed, "new.md"), is(0o600, "grey"));
}

#[test]
fn note_deleted_by_an_older_version_is_restored() {
    let bed = bed("none");
    let (id, _) = change(&bed.vault(), |draft| draft.delete(&path("a.md"))).unwrap();
    bed.without_log();
    let lines = bed.history().join(format!("{id}.jsonl"));
    without_files(&lines);
    undo(&bed, &id);
    assert_eq!(bed.text("a.md"), JANE);
}

fn without_files(lines: &Path) {
    let mut found = 0;
    let text = fs::read_to_string(lines).unwrap();
    let earlier: String = text
        .lines()
        .map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            for note in line["notes"].as_array_mut().into_iter().flatten() {
                found += usize::from(note.as_object_mut().unwrap().remove("file").is_some());
            }
            format!("{line}\n")
        })
        .collect();
    assert_eq!(found, 1);
    fs::write(lines, earlier).unwrap();
}
