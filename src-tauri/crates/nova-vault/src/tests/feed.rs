//! What changes is told once, with the right author.

use std::fs;

use super::*;
use crate::{By, VaultChange, VaultChangeKind};

fn told(vault: &Vault, receiver: &mut tokio::sync::broadcast::Receiver<VaultChange>) -> Vec<VaultChange> {
    vault.flush_changes();
    std::iter::from_fn(|| receiver.try_recv().ok()).collect()
}

fn by_set(id: &str) -> By {
    By::ChangeSet { change_set: id.to_owned(), principal: "model".to_owned(), skill: Some("crm".to_owned()) }
}

#[test]
fn every_change_has_its_author() {
    let bed = Bed::new(&[("a.md", JANE), ("b.md", "b\n")]);
    let vault = bed.vault();
    let other = bed.vault();
    let mut receiver = vault.changes();
    let check = |changes: Vec<VaultChange>, expected: &[(VaultChangeKind, &str, By, &str)]| {
        let got: Vec<_> =
            changes.iter().map(|c| (c.kind, c.path.as_str(), c.by.clone(), c.summary.join("; "))).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(kind, path, by, summary)| (*kind, *path, by.clone(), (*summary).to_owned()))
            .collect();
        assert_eq!(got, expected);
    };
    let mut all = move || told(&vault, &mut receiver);
    let vault = bed.vault();

    // By this Nova, by another one on the same folder, by an editor.
    let (id, _) = change(&vault, |d| d.set_properties(&path("a.md"), &[set("stage", "won")])).unwrap();
    check(all(), &[(VaultChangeKind::Modified, "a.md", by_set(&id), "stage: lead → won")]);
    let (id, _) = change(&other, |d| d.create(&path("New/c.md"), "c\n".to_owned())).unwrap();
    check(all(), &[(VaultChangeKind::Created, "New/c.md", by_set(&id), "")]);
    bed.put("a.md", JANE);
    check(all(), &[(VaultChangeKind::Modified, "a.md", By::Outside, "stage: won → lead")]);
    // What Nova wrote once, put there by hand, is not Nova's again.
    bed.put("a.md", &JANE.replace("stage: lead", "stage: won"));
    check(all(), &[(VaultChangeKind::Modified, "a.md", By::Outside, "stage: lead → won")]);

    let (id, _) = change(&vault, |d| d.rename(&path("b.md"), &path("New/b.md"))).unwrap();
    let changes = all();
    check(changes.clone(), &[(VaultChangeKind::Renamed, "New/b.md", by_set(&id), "")]);
    assert_eq!(changes[0].from, Some(path("b.md")));
    let (id, _) = change(&vault, |d| d.delete(&path("New/b.md"))).unwrap();
    check(all(), &[(VaultChangeKind::Removed, "New/b.md", by_set(&id), "")]);
    fs::remove_file(bed.root().join("New/c.md")).unwrap();
    check(all(), &[(VaultChangeKind::Removed, "New/c.md", By::Outside, "")]);
}

#[test]
fn asking_tells_nothing_and_undo_tells_its_own_set() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    let (id, _) = change(&vault, |d| d.append(&path("a.md"), "more", None)).unwrap();
    let mut receiver = vault.changes();
    vault.notes().unwrap();
    vault.read(&path("a.md")).unwrap();
    vault.status().unwrap();
    assert_eq!(told(&vault, &mut receiver), []);

    let outcome = vault.history().undo(&id, crate::Scope::All, &Author::new("user")).unwrap();
    let changes = told(&vault, &mut receiver);
    assert_eq!(changes.len(), 1);
    assert_eq!(
        serde_json::to_value(&changes[0]).unwrap()["by"],
        serde_json::json!({"change_set": outcome.change_set, "principal": "user", "skill": null})
    );
    fs::write(bed.root().join("a.md"), "x\n").unwrap();
    let json = serde_json::to_value(&told(&vault, &mut receiver)[0]).unwrap();
    assert_eq!(json["by"], "outside");
    assert_eq!(json["kind"], "modified");
}
