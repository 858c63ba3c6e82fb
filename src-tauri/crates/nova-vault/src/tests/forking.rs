//! Forked drafts: a fork sees the plan of its origin, and lists only its own changes.

use super::*;

const ODD: &str = "odd\n";

#[test]
fn fork_reads_the_plan_and_lists_only_its_own_changes() {
    let bed = Bed::new(&[("Jane.md", JANE), ("Odd.md", ODD)]);
    let mut draft = bed.vault().draft();
    draft.set_properties(&path("Jane.md"), &[set("stage", "won")]).unwrap();
    draft.create(&path("New.md"), "new\n".to_owned()).unwrap();

    let mut fork = draft.fork();
    assert!(fork.is_empty());
    assert_eq!(fork.read(&path("New.md")).unwrap().text.as_ref(), "new\n");
    fork.append(&path("Odd.md"), "more", None).unwrap();
    fork.append(&path("New.md"), "more", None).unwrap();
    assert_eq!(fork.paths(), [path("New.md"), path("Odd.md")]);
    assert_eq!(fork.places().cloned().collect::<Vec<_>>(), [path("New.md"), path("Odd.md")]);
    assert_eq!(draft.paths(), [path("Jane.md"), path("New.md")], "the draft is unchanged");
}

#[test]
fn joined_fork_contains_the_whole_plan_and_is_written_as_one() {
    let bed = Bed::new(&[("Jane.md", JANE), ("Odd.md", ODD)]);
    let vault = bed.vault();
    let mut draft = vault.draft();
    draft.set_properties(&path("Jane.md"), &[set("stage", "won")]).unwrap();
    let mut fork = draft.fork();
    fork.append(&path("Odd.md"), "more", None).unwrap();
    fork.rename(&path("Odd.md"), &path("Even.md")).unwrap();

    let joined = fork.joined();
    assert_eq!(joined.paths(), [path("Jane.md"), path("Even.md")]);
    let changes = vault.change_set(ChangeSetKind::Turn, "both".to_owned());
    let applied = changes.apply(joined, &model("call_1")).unwrap();
    assert_eq!(applied.changes.len(), 2);
    assert!(vault.draft().read(&path("Jane.md")).unwrap().text.contains("stage: won"));
    assert!(vault.draft().read(&path("Even.md")).unwrap().text.contains("more"));
}
