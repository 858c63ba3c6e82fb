//! The vault's folder is renamed, copied, restored from a backup, or replaced by a new one: to which vault
//! the change sets belong.

use std::path::Path;

use super::*;
use crate::step::Step;
use crate::{ChangeSetState, Scope};

fn options(bed: &Bed, folder: &str) -> VaultOptions {
    VaultOptions { root: bed.root().with_file_name(folder), ..bed.options() }
}

fn open(bed: &Bed, folder: &str) -> Vault {
    Vault::open(options(bed, folder)).unwrap()
}

fn rename(bed: &Bed, from: &str, to: &str) {
    fs::rename(bed.root().with_file_name(from), bed.root().with_file_name(to)).unwrap();
}

/// Copies as a backup or a sync program does: every file is new.
fn copy(bed: &Bed, from: &str, to: &str) {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap().flatten() {
            let to = to.join(entry.file_name());
            match entry.file_type().unwrap().is_dir() {
                true => copy(&entry.path(), &to),
                false => drop(fs::copy(entry.path(), to).unwrap()),
            }
        }
    }
    copy(&bed.root().with_file_name(from), &bed.root().with_file_name(to));
}

/// The folder `vault` with one change; returns its id.
fn changed() -> (Bed, String) {
    let bed = Bed::new(&[("a.md", JANE), ("b.md", "b\n")]);
    let (id, _) = change(&bed.vault(), |d| {
        d.set_properties(&path("a.md"), &[set("stage", "won")])?;
        d.delete(&path("b.md"))
    })
    .unwrap();
    (bed, id)
}

fn ids(vault: &Vault) -> Vec<String> {
    vault.history().list().unwrap().into_iter().map(|set| set.id).collect()
}

fn undo(vault: &Vault, id: &str) {
    let outcome = vault.history().undo(id, Scope::All, &Author::new("user")).unwrap();
    assert_eq!(outcome.conflicts, []);
}

fn text(bed: &Bed, folder: &str, note: &str) -> String {
    fs::read_to_string(bed.root().with_file_name(folder).join(note)).unwrap()
}

/// Rewrites the set as an older version did.
fn forget_the_folder(bed: &Bed, id: &str) {
    bed.without_log();
    let lines = bed.history().join(format!("{id}.jsonl"));
    let text = fs::read_to_string(&lines).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let mut first: serde_json::Value = serde_json::from_str(first).unwrap();
    assert!(first.as_object_mut().unwrap().remove("folder").is_some());
    fs::write(&lines, format!("{first}\n{rest}")).unwrap();
}

#[test]
fn history_follows_a_renamed_and_moved_vault() {
    let (bed, id) = changed();
    rename(&bed, "vault", "Second Brain");
    assert_eq!(ids(&open(&bed, "Second Brain")), [&*id]);
    fs::create_dir(bed.root().with_file_name("Documents")).unwrap();
    rename(&bed, "Second Brain", "Documents/Brain");

    let vault = open(&bed, "Documents/Brain");
    assert_eq!(ids(&vault), [&*id]);
    undo(&vault, &id);
    assert_eq!(text(&bed, "Documents/Brain", "a.md"), JANE);
    assert_eq!(text(&bed, "Documents/Brain", "b.md"), "b\n");
    assert_eq!(vault.history().list().unwrap()[1].state, ChangeSetState::Undone);
}

#[test]
fn pending_recovery_follows_a_renamed_vault() {
    let _alone = one_at_a_time();
    let bed = Bed::new(&[("a.md", JANE), ("b.md", JANE)]);
    let file = bed.root().join("b.md");
    let vault = bed.hooked(move |at, _| match at {
        // Edited while being deleted; another note takes its name, and nothing can be stored.
        Step::Exchange => fs::write(&file, format!("{JANE}- mine\n")),
        Step::SwapBack => fs::write(&file, "---\nstage: [\n---\n"),
        Step::Keep => Err(std::io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    });
    let (id, _) = change(&bed.vault(), |d| d.append(&path("a.md"), "more", None)).unwrap();
    change(&vault, |d| d.delete(&path("b.md"))).unwrap_err();
    drop(vault);
    // The process was killed before it recorded *done*.
    bed.without_log();
    let lines = bed.history().join(format!("{id}.jsonl"));
    let text = fs::read_to_string(&lines).unwrap();
    fs::write(&lines, text.lines().next().unwrap().to_owned() + "\n" + text.lines().nth(1).unwrap()).unwrap();
    assert_eq!(bed.leftovers().len(), 1);
    rename(&bed, "vault", "Second Brain");

    let vault = open(&bed, "Second Brain");
    let problems = vault.problems().unwrap();
    assert!(problems.iter().any(|p| p.path.starts_with("b (Nova's conflicted copy")), "{problems:?}");
    let state = vault.history().list().unwrap().into_iter().find(|set| set.id == id).unwrap().state;
    assert_eq!(state, ChangeSetState::Interrupted);
    let all = crate::Limits { days: 0, bytes: 0, at_least: 0 };
    undo(&vault, &id);
    assert!(vault.history().prune(all).unwrap().contains(&id));
}

#[test]
fn copy_is_another_vault_and_stays_one() {
    let (bed, id) = changed();
    copy(&bed, "vault", "Copy");
    assert_eq!(ids(&open(&bed, "Copy")), [""; 0]);
    let (of_copy, _) = change(&open(&bed, "Copy"), |d| d.append(&path("a.md"), "more", None)).unwrap();
    assert_eq!(ids(&bed.vault()), [&*id]);
    fs::remove_dir_all(bed.root()).unwrap();
    assert_eq!(ids(&open(&bed, "Copy")), [of_copy]);
}

#[test]
fn new_folder_at_the_old_path_has_no_history() {
    for opened_before in [true, false] {
        let (bed, id) = changed();
        rename(&bed, "vault", "Second Brain");
        if opened_before {
            drop(open(&bed, "Second Brain"));
        }
        fs::create_dir(bed.root()).unwrap();
        bed.put("a.md", "another a\n");
        let new = bed.vault();
        assert_eq!(ids(&new), [""; 0]);
        new.history().undo(&id, Scope::All, &Author::new("user")).unwrap_err();
        let (of_new, _) = change(&new, |d| d.append(&path("a.md"), "more", None)).unwrap();
        assert_eq!(ids(&new), [of_new]);
        drop(new);

        let vault = open(&bed, "Second Brain");
        assert_eq!(ids(&vault), [&*id]);
        undo(&vault, &id);
        assert_eq!(text(&bed, "Second Brain", "b.md"), "b\n");
        assert_eq!(bed.text("a.md"), "another a\nmore\n");
        assert!(!bed.exists("b.md"));
    }
}

#[test]
fn new_vault_with_the_same_notes_has_no_history() {
    let (bed, id) = changed();
    let (other, _) = change(&bed.vault(), |d| d.append(&path("a.md"), "more", None)).unwrap();
    undo(&bed.vault(), &other);
    undo(&bed.vault(), &id);
    change(&bed.vault(), |d| d.set_properties(&path("a.md"), &[set("stage", "lost")])).unwrap();
    let all = ids(&bed.vault());
    rename(&bed, "vault", "Second Brain");
    // As when a sample or template vault is unpacked again.
    bed.put("a.md", JANE);
    bed.put("b.md", "b\n");

    assert_eq!(ids(&bed.vault()), [""; 0]);
    assert_eq!((all.len(), ids(&open(&bed, "Second Brain"))), (5, all));
}

#[test]
fn folder_linked_from_two_vaults_does_not_decide_the_owner() {
    let (bed, id) = changed();
    let with_team = |folder: &str| {
        let team = bed.root().with_file_name("Team");
        Vault::open(VaultOptions { roots: vec![team], ..options(&bed, folder) }).unwrap()
    };
    fs::create_dir(bed.root().with_file_name("Team")).unwrap();
    fs::write(bed.root().with_file_name("Team/t.md"), "t\n").unwrap();
    std::os::unix::fs::symlink("../Team", bed.root().join("Team")).unwrap();
    let (of_team, _) = change(&with_team("vault"), |d| d.append(&path("Team/t.md"), "more", None)).unwrap();
    rename(&bed, "vault", "Second Brain");
    fs::create_dir(bed.root()).unwrap();
    std::os::unix::fs::symlink("../Team", bed.root().join("Team")).unwrap();

    assert_eq!(ids(&with_team("vault")), [""; 0]);
    assert_eq!(ids(&with_team("Second Brain")), [of_team, id]);
}

#[test]
fn old_history_of_an_abandoned_vault_is_pruned() {
    let bed = Bed::new(&[("a.md", "a\n")]);
    fs::create_dir(bed.root().with_file_name("Old")).unwrap();
    fs::write(bed.root().with_file_name("Old/o.md"), "0\n").unwrap();
    let old = open(&bed, "Old");
    for n in 0..52 {
        change(&old, |d| d.append(&path("o.md"), &n.to_string(), None)).unwrap();
    }
    drop(old);
    let of_old = ids(&open(&bed, "Old"));
    fs::remove_dir_all(bed.root().with_file_name("Old")).unwrap();
    let sets = || bed.history_files("set").iter().filter(|file| file.extension().unwrap() == "jsonl").count();

    let all = crate::Limits { days: 0, bytes: 0, at_least: 0 };
    assert_eq!(bed.vault().history().prune(all).unwrap(), [""; 0]);
    assert_eq!(sets(), of_old.len(), "not queried before");
    bed.seconds.fetch_add(31 * 24 * 3600, Ordering::SeqCst);
    drop(bed.vault());
    assert_eq!(sets(), 50);
}

#[test]
fn discards_history_of_a_missing_vault_with_its_replacement() {
    let (bed, id) = changed();
    drop(bed.vault());
    fs::remove_dir_all(bed.root()).unwrap();
    fs::create_dir(bed.root()).unwrap();
    let vault = bed.vault();
    assert_eq!(ids(&vault), [""; 0]);
    assert_eq!(vault.history().prune(crate::Limits::default()).unwrap(), [""; 0]);
    let all = crate::Limits { days: 0, bytes: 0, at_least: 0 };
    assert_eq!(vault.history().prune(all).unwrap(), [id]);
}

#[test]
fn vaults_that_swap_names_keep_their_histories() {
    let (bed, of_vault) = changed();
    fs::create_dir(bed.root().with_file_name("Work")).unwrap();
    let (of_work, _) = change(&open(&bed, "Work"), |d| d.create(&path("w.md"), "w\n".to_owned())).unwrap();
    rename(&bed, "vault", "aside");
    rename(&bed, "Work", "vault");
    rename(&bed, "aside", "Work");

    let (vault, work) = (bed.vault(), open(&bed, "Work"));
    assert_eq!((ids(&vault), ids(&work)), (vec![of_work], vec![of_vault]));
}

#[test]
fn vault_restored_from_a_backup_has_its_history() {
    let (bed, id) = changed();
    copy(&bed, "vault", "Backup");
    fs::remove_dir_all(bed.root()).unwrap();
    copy(&bed, "Backup", "vault");

    let vault = bed.vault();
    assert_eq!(ids(&vault), [&*id]);
    undo(&vault, &id);
    assert_eq!(bed.text("a.md"), JANE);
    drop(vault);
    // From now on it belongs to this folder.
    rename(&bed, "vault", "Second Brain");
    assert_eq!(ids(&open(&bed, "Second Brain")).len(), 2);
}

#[test]
fn set_of_an_older_version_is_found_by_path_and_then_followed() {
    let (bed, id) = changed();
    forget_the_folder(&bed, &id);
    assert_eq!(ids(&bed.vault()), [&*id]);
    rename(&bed, "vault", "Second Brain");
    assert_eq!(ids(&open(&bed, "Second Brain")), [&*id]);

    // Never opened before it was renamed: nothing identifies its vault.
    let (bed, id) = changed();
    forget_the_folder(&bed, &id);
    rename(&bed, "vault", "Second Brain");
    assert_eq!(ids(&open(&bed, "Second Brain")), [""; 0]);
    rename(&bed, "Second Brain", "vault");
    assert_eq!(ids(&bed.vault()), [&*id]);
}

#[test]
fn vault_renamed_while_open_is_written_by_the_process_that_reopens_it() {
    let _alone = one_at_a_time();
    let (bed, id) = changed();
    let old = bed.vault();
    let open_set = old.change_set(ChangeSetKind::Turn, "a turn".to_owned());
    let append = |text: &str| {
        let mut draft = old.draft();
        draft.append(&path("a.md"), text, None)?;
        open_set.apply(draft, &model("call_1")).map(drop)
    };
    append("before").unwrap();
    rename(&bed, "vault", "Second Brain");

    let new = open(&bed, "Second Brain");
    append("after").unwrap_err();
    assert!(!text(&bed, "Second Brain", "a.md").contains("after"));
    let (by_new, _) = change(&new, |d| d.append(&path("a.md"), "new", None)).unwrap();

    let expected = [&*by_new, open_set.id(), &id];
    assert_eq!(ids(&new), expected);
    assert_eq!(ids(&old), expected);
}
