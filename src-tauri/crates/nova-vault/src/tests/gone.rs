//! The vault's folder is deleted, renamed or replaced while it is open.

use std::os::unix::fs::symlink;

use super::*;
use crate::{Query, Scope, Search, SearchMode};

fn aside(bed: &Bed) -> PathBuf {
    bed.root().with_file_name("Second Brain")
}

fn rename_away(bed: &Bed) {
    fs::rename(bed.root(), aside(bed)).unwrap();
}

fn append(vault: &Vault, text: &str) -> Result<(), VaultError> {
    let open_set = vault.change_set(ChangeSetKind::Turn, "a turn".to_owned());
    let mut draft = vault.draft();
    draft.append(&path("a.md"), text, None)?;
    open_set.apply(draft, &model("call_1")).map(drop)
}

#[track_caller]
fn assert_gone<T: std::fmt::Debug>(result: Result<T, VaultError>, bed: &Bed) {
    let error = result.unwrap_err();
    assert_eq!(error.message(), format!("The vault folder is gone: {}", bed.root().display()));
}

#[test]
fn renamed_vault_is_not_written() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    let mut planned = vault.draft();
    planned.append(&path("a.md"), "planned before", None).unwrap();
    rename_away(&bed);

    let open_set = vault.change_set(ChangeSetKind::Turn, "a turn".to_owned());
    assert_gone(open_set.apply(planned, &model("call_1")), &bed);
    assert_gone(append(&vault, "planned after"), &bed);
    assert_gone(change(&vault, |d| d.create(&path("new.md"), "new\n".to_owned())), &bed);

    assert_eq!(fs::read_to_string(aside(&bed).join("a.md")).unwrap(), JANE);
    assert_eq!(files_below(&aside(&bed)).len(), 1);
    assert!(!bed.root().exists());
}

#[test]
fn deleted_vault_is_not_recreated() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    vault.notes().unwrap();
    fs::remove_dir_all(bed.root()).unwrap();

    assert_gone(change(&vault, |d| d.create(&path("New/new.md"), "new\n".to_owned())), &bed);
    assert_gone(append(&vault, "more"), &bed);
    assert!(!bed.root().exists());
}

#[test]
fn replaced_folder_is_not_written() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    rename_away(&bed);
    bed.put("a.md", "of another vault\n");

    assert_gone(append(&vault, "more"), &bed);
    assert_gone(vault.read(&path("a.md")), &bed);
    assert_eq!(bed.text("a.md"), "of another vault\n");
    assert_eq!(fs::read_to_string(aside(&bed).join("a.md")).unwrap(), JANE);
}

#[test]
fn missing_vault_is_not_an_empty_one() {
    let bed = Bed::new(&[("a.md", JANE), ("b.md", "b\n")]);
    let vault = bed.vault();
    assert_eq!(vault.notes().unwrap().len(), 2);
    fs::remove_dir_all(bed.root()).unwrap();

    assert_gone(vault.notes(), &bed);
    assert_gone(vault.read(&path("a.md")), &bed);
    assert_gone(vault.find("a"), &bed);
    assert_gone(vault.seen_by_owner().query(&Query::default()), &bed);
    assert_gone(vault.status(), &bed);
}

#[test]
fn renamed_vault_is_not_read() {
    let bed = Bed::new(&[("a.md", JANE), ("Files/a.csv", "a\n")]);
    let vault = bed.vault();
    rename_away(&bed);
    let view = vault.seen_by_owner();
    let search = Search { query: "a".into(), mode: SearchMode::Text, limit: 10 };
    assert_gone(view.search(&search), &bed);
    assert_gone(view.read_file(&path("Files/a.csv")), &bed);
    assert_gone(view.read(&path("a.md")), &bed);
    assert_gone(vault.names("Files"), &bed);
}

#[test]
fn undo_waits_for_the_vault() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    let (id, _) = change(&vault, |d| d.append(&path("a.md"), "more", None)).unwrap();
    let written = bed.text("a.md");
    rename_away(&bed);
    let undo = || vault.history().undo(&id, Scope::All, &Author::new("user"));

    assert!(undo().map_or(true, |outcome| outcome.undone.is_empty()));
    assert_eq!(fs::read_to_string(aside(&bed).join("a.md")).unwrap(), written);
    fs::rename(aside(&bed), bed.root()).unwrap();
    undo().unwrap();
    assert_eq!(bed.text("a.md"), JANE);
}

#[test]
fn vault_is_written_again_once_it_is_back() {
    let bed = Bed::new(&[("a.md", "a\n")]);
    let vault = bed.vault();
    rename_away(&bed);
    assert_gone(append(&vault, "lost"), &bed);
    fs::rename(aside(&bed), bed.root()).unwrap();

    append(&vault, "more").unwrap();
    assert_eq!(bed.text("a.md"), "a\nmore\n");
}

#[test]
fn restored_folder_is_distinguished_from_another() {
    let notes = [("a.md", JANE), ("b.md", "b\n"), ("c.md", "c\n")];
    let bed = Bed::new(&notes);
    let vault = bed.vault();
    vault.notes().unwrap();
    rename_away(&bed);
    assert!(!vault.is_put_back(), "no folder");
    fs::create_dir(bed.root()).unwrap();
    assert!(!vault.is_put_back(), "like an unmounted disk");
    fs::create_dir(bed.root().join(".obsidian")).unwrap();
    bed.put("a.md", "of another vault\n");
    assert!(!vault.is_put_back(), "another vault");
    bed.put("b.md", "b\n");
    assert!(vault.is_put_back());
    assert_gone(append(&vault, "more"), &bed);

    append(&bed.vault(), "more").unwrap();
    assert_eq!(bed.text("a.md"), "of another vault\nmore\n");
}

#[test]
fn empty_folder_in_its_place_is_not_the_vault() {
    let bed = Bed::new(&[("a.md", "a\n")]);
    bed.vault().remember_folder();
    rename_away(&bed);
    fs::create_dir(bed.root()).unwrap();
    assert_gone(Vault::open(bed.options()), &bed);
    Vault::open_chosen(bed.options()).unwrap();
    Vault::open(bed.options()).unwrap();

    // The same folder with all notes deleted is the vault, and so is one with notes.
    bed.put("b.md", "b\n");
    bed.vault().remember_folder();
    fs::remove_file(bed.root().join("b.md")).unwrap();
    Vault::open(bed.options()).unwrap();
    fs::remove_dir(bed.root()).unwrap();
    bed.put("c.md", "c\n");
    append(&bed.vault(), "more").unwrap_err();
    change(&bed.vault(), |d| d.append(&path("c.md"), "more", None)).unwrap();
}

#[test]
fn empty_folder_in_place_of_a_root_is_not_the_root() {
    let bed = Bed::new(&[("a.md", "a\n")]);
    let team = bed.root().with_file_name("Team of 2026");
    fs::create_dir(&team).unwrap();
    fs::write(team.join("t.md"), "t\n").unwrap();
    symlink(&team, bed.root().join("Team")).unwrap();
    let open = || Vault::open(VaultOptions { roots: vec![team.clone()], ..bed.options() }).unwrap();
    open().remember_folder();
    fs::rename(&team, aside(&bed)).unwrap();
    fs::create_dir(&team).unwrap();
    assert_eq!(open().gone_roots().len(), 1);
    let error = change(&open(), |d| d.create(&path("Team/new.md"), "new\n".to_owned())).unwrap_err();
    assert!(error.message().contains("links to is gone"), "{error}");
    assert_eq!(files_below(&team), [""; 0].map(PathBuf::from));
}

#[test]
fn unreachable_extra_root_is_named() {
    let bed = Bed::new(&[("a.md", "a\n")]);
    let team = bed.root().with_file_name("Team of 2026");
    fs::create_dir(&team).unwrap();
    fs::write(team.join("t.md"), "t\n").unwrap();
    symlink(&team, bed.root().join("Team")).unwrap();
    let vault = Vault::open(VaultOptions { roots: vec![team.clone()], ..bed.options() }).unwrap();
    assert_eq!(vault.gone_roots(), []);
    fs::rename(&team, aside(&bed)).unwrap();

    let gone = vault.gone_roots();
    let sentence = format!("The folder that \"Team\" links to is gone: {}", team.display());
    assert_eq!(gone.iter().map(|root| root.message()).collect::<Vec<_>>(), [sentence]);
    vault.check_present().unwrap();
    change(&vault, |d| d.create(&path("Team/new.md"), "new\n".to_owned())).unwrap_err();
    assert_eq!(files_below(&aside(&bed)), [aside(&bed).join("t.md")]);
    fs::rename(aside(&bed), &team).unwrap();
    assert_eq!(vault.gone_roots(), []);
    change(&vault, |d| d.append(&path("Team/t.md"), "more", None)).unwrap();
    assert_eq!(fs::read_to_string(team.join("t.md")).unwrap(), "t\nmore\n");
}

#[test]
fn vault_opened_by_a_link_is_gone_with_the_link() {
    let bed = Bed::new(&[("a.md", "a\n")]);
    let link = bed.root().with_file_name("Notes");
    symlink(bed.root(), &link).unwrap();
    let vault = Vault::open(VaultOptions { root: link.clone(), ..bed.options() }).unwrap();
    append(&vault, "more").unwrap();
    fs::remove_file(&link).unwrap();

    let error = append(&vault, "lost").unwrap_err();
    assert_eq!(error.message(), format!("The vault folder is gone: {}", link.display()));
    assert_eq!(bed.text("a.md"), "a\nmore\n");
}
