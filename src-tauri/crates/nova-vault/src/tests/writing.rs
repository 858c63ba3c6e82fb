//! Writing without interference, and refused writes.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::*;
use crate::{ChangeSetState, NewNote, NoteChange, NoteChangeKind, Scope};

fn changed(path_: &str, kind: NoteChangeKind) -> NoteChange {
    NoteChange { path: path(path_), kind, from: None }
}

#[test]
fn one_property_changes_and_nothing_else() {
    let bed = Bed::new(&[("CRM/People/Jane Doe.md", JANE)]);
    let vault = bed.vault();
    let jane = path("CRM/People/Jane Doe.md");

    let (_, applied) = change(&vault, |d| d.set_properties(&jane, &[set("stage", "won")])).unwrap();

    assert_eq!(applied.changes, [changed("CRM/People/Jane Doe.md", NoteChangeKind::Modified)]);
    assert_eq!(applied.merged, []);
    assert_eq!(bed.text("CRM/People/Jane Doe.md"), JANE.replace("stage: lead", "stage: won"));
    drop(vault);
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}

#[test]
fn draft_reads_its_plan_and_writes_nothing() {
    let bed = Bed::new(&[("a.md", "old\n")]);
    let vault = bed.vault();
    let mut draft = vault.draft();
    assert!(draft.is_empty());

    draft.replace(&path("a.md"), "old", "new", None).unwrap();
    draft.create(&path("b/c.md"), "text\n".to_owned()).unwrap();
    draft.append(&path("b/c.md"), "more", None).unwrap();

    assert_eq!(&*draft.read(&path("a.md")).unwrap().text, "new\n");
    assert_eq!(draft.paths(), [path("a.md"), path("b/c.md")]);
    assert_eq!(draft.diffs().len(), 2);
    draft.delete(&path("b/c.md")).unwrap();
    assert_eq!(draft.paths(), [path("a.md")]);
    assert!(matches!(draft.read(&path("b/c.md")), Err(VaultError::NotFound { .. })));

    assert_eq!(bed.text("a.md"), "old\n");
    assert!(!bed.exists("b"));
    assert!(!bed.history().exists());
}

#[test]
fn edit_without_effect_leaves_no_trace() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    let (_, applied) = change(&vault, |d| d.set_properties(&path("a.md"), &[set("stage", "lead")])).unwrap();
    assert_eq!(applied, Applied::default());
    assert!(!bed.history().exists());
    assert_eq!(vault.history().list().unwrap(), []);
}

#[test]
fn creating_never_replaces() {
    let bed = Bed::new(&[("CRM/Jane.md", "hers\n")]);
    let vault = bed.vault();

    for taken in ["CRM/Jane.md", "CRM/JANE.md"] {
        let error = vault.draft().create(&path(taken), "mine\n".to_owned()).unwrap_err();
        assert!(
            matches!(&error, VaultError::Exists { path } if path.as_str() == "CRM/Jane.md"),
            "{taken}: {error}"
        );
    }
    assert_eq!(vault.draft().free_path("CRM", "Jane").unwrap(), path("CRM/Jane 2.md"));

    // Another program creates it between planning and writing.
    let mut draft = vault.draft();
    draft.create(&path("CRM/John.md"), "mine\n".to_owned()).unwrap();
    assert_eq!(draft.free_path("CRM", "john").unwrap(), path("CRM/john 2.md"));
    bed.put("CRM/John.md", "theirs\n");
    let changes = vault.change_set(ChangeSetKind::Form, "form".to_owned());
    let error = changes.apply(draft, &model("1")).unwrap_err();
    assert!(matches!(
        &error,
        VaultError::Conflict(conflict)
            if conflict.mine == "mine\n" && conflict.theirs == "theirs\n" && conflict.kind == crate::NoteChangeKind::Created
    ));
    assert_eq!(bed.text("CRM/John.md"), "theirs\n");
}

#[test]
fn note_or_folder_differing_in_case_only_is_refused() {
    let bed = Bed::new(&[("CRM/People/Jane Doe.md", JANE), ("Café/a.md", "a\n")]);
    let vault = bed.vault();
    let error = |wanted: &str| vault.draft().create(&path(wanted), "mine\n".to_owned()).unwrap_err();
    for wanted in ["crm/people/Jane Doe.md", "CRM/people/jane doe.md"] {
        let error = error(wanted);
        assert!(
            matches!(&error, VaultError::Exists { path } if path.as_str() == "CRM/People/Jane Doe.md"),
            "{wanted}: {error}"
        );
    }
    for (wanted, instead) in [
        ("crm/people/Joe.md", "CRM/People/Joe.md"),
        ("CRM/people/Joe.md", "CRM/People/Joe.md"),
        ("crm/New/Joe.md", "CRM/New/Joe.md"),
        ("Cafe\u{301}/new/x.md", "Café/new/x.md"),
    ] {
        let error = error(wanted);
        assert_eq!(
            (error.code().as_str(), error.hint()),
            ("path_refused", format!("Write \"{instead}\".")),
            "{wanted}"
        );
        let from = path("Café/a.md");
        let error = vault.draft().move_note(&from, &path(wanted)).unwrap_err();
        assert_eq!(error.hint(), format!("Write \"{instead}\"."), "{wanted}");
    }

    // Planned, but not on disk yet.
    let mut draft = vault.draft();
    draft.create(&path("CRM/Deals/One.md"), String::new()).unwrap();
    let error = draft.create(&path("CRM/deals/Two.md"), String::new()).unwrap_err();
    assert_eq!(error.hint(), "Write \"CRM/Deals/Two.md\".");

    // If only the name is new, the existing folder is used.
    assert_eq!(draft.free_path("crm/people", "Jane Doe").unwrap(), path("CRM/People/Jane Doe 2.md"));
    let new =
        |folder: &str| NewNote { folder: folder.to_owned(), name: "Joe".to_owned(), text: String::new() };
    let made =
        draft.create_all(vec![new("crm/people"), new("CRM/People"), new("crm/deals"), new("Else")]).unwrap();
    let made: Vec<&str> = made.iter().map(VaultPath::as_str).collect();
    assert_eq!(made, ["CRM/People/Joe.md", "CRM/People/Joe 2.md", "CRM/Deals/Joe.md", "Else/Joe.md"]);
}

#[test]
fn folder_that_exists_in_two_cases_is_used_as_spelled() {
    let bed = Bed::new(&[("CRM/Jane.md", JANE), ("crm/Joe.md", JANE)]);
    let draft = bed.vault().draft();
    assert_eq!(draft.free_path("crm", "New").unwrap(), path("crm/New.md"));
    let create = |wanted: &str| bed.vault().draft().create(&path(wanted), String::new());
    create("crm/New.md").unwrap();
    create("CRM/New.md").unwrap();
    let error = create("crm/jane.md").unwrap_err();
    assert!(matches!(&error, VaultError::Exists { path } if path.as_str() == "CRM/Jane.md"), "{error}");

    // A note moved out of it returns there.
    let vault = bed.vault();
    let (id, _) = change(&vault, |draft| draft.rename(&path("crm/Joe.md"), &path("Joe.md"))).unwrap();
    bed.put("CRM/Joe.md", "another\n");
    let undone = vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
    assert_eq!((undone.conflicts, bed.text("crm/Joe.md").as_str()), (vec![], JANE));
}

#[test]
fn free_path_sanitises_the_name() {
    let bed = Bed::new(&[]);
    let draft = bed.vault().draft();
    let free = draft.free_path("Notes", "AC/DC: live?").unwrap();
    assert_eq!(free.folder(), "Notes");
    assert!(!free.name().contains(['/', ':', '?']), "{free}");
}

#[test]
fn mode_and_extended_attributes_are_kept() {
    let bed = Bed::new(&[("a.md", "old\n")]);
    let file = bed.root().join("a.md");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let handle = fs::File::open(&file).unwrap();
    rustix::fs::fsetxattr(&handle, "user.colour", b"green", rustix::fs::XattrFlags::empty()).unwrap();
    let vault = bed.vault();

    change(&vault, |d| d.replace(&path("a.md"), "old", "new", None)).unwrap();

    let after = fs::File::open(&file).unwrap();
    let metadata = after.metadata().unwrap();
    assert_ne!(metadata.ino(), handle.metadata().unwrap().ino());
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o640);
    let mut value = [0; 16];
    let size = rustix::fs::fgetxattr(&after, "user.colour", &mut value).unwrap();
    assert_eq!(&value[..size], b"green");
}

#[test]
fn two_calls_form_one_change_set() {
    let bed = Bed::new(&[("a.md", JANE), ("b.md", "b\n")]);
    let vault = bed.vault();
    let changes = vault.change_set(ChangeSetKind::Turn, "Move Jane".to_owned());

    let mut first = vault.draft();
    first.set_properties(&path("a.md"), &[set("stage", "won")]).unwrap();
    changes.apply(first, &model("call_1")).unwrap();
    let open = vault.history().list().unwrap();
    assert_eq!(open[0].state, ChangeSetState::Open);

    let mut second = vault.draft();
    second.append(&path("a.md"), "- called", Some("Log")).unwrap();
    second.create(&path("c.md"), "c\n".to_owned()).unwrap();
    changes.apply(second, &model("call_2")).unwrap();
    let id = changes.id().to_owned();
    changes.close().unwrap();

    let sets = vault.history().list().unwrap();
    assert_eq!(sets.len(), 1);
    assert_eq!(sets[0].id, id);
    assert_eq!(sets[0].state, ChangeSetState::Committed);
    assert_eq!(sets[0].label, "Move Jane");
    assert_eq!(sets[0].author, Some(model("call_1")));
    let notes: Vec<_> =
        sets[0].notes.iter().map(|n| (n.path.as_str(), n.kind, n.call.as_deref().unwrap())).collect();
    assert_eq!(
        notes,
        [
            ("a.md", NoteChangeKind::Modified, "call_1"),
            ("a.md", NoteChangeKind::Modified, "call_2"),
            ("c.md", NoteChangeKind::Created, "call_2"),
        ]
    );

    let shown = vault.history().show(&id).unwrap();
    assert_eq!(shown.texts[0].before.as_deref(), Some(JANE));
    assert_eq!(shown.texts[2].before, None);
    assert_eq!(shown.texts[2].after.as_deref(), Some("c\n"));
}

#[test]
fn moved_note_keeps_its_text_and_file() {
    let bed = Bed::new(&[("Inbox/a.md", "see [[b]]\n")]);
    let vault = bed.vault();
    let inode = fs::metadata(bed.root().join("Inbox/a.md")).unwrap().ino();

    let (id, applied) =
        change(&vault, |d| d.rename(&path("Inbox/a.md"), &path("Archive/2026/a.md"))).unwrap();
    assert_eq!(
        applied.changes,
        [NoteChange {
            path: path("Archive/2026/a.md"),
            kind: NoteChangeKind::Renamed,
            from: Some(path("Inbox/a.md")),
        }]
    );
    assert!(!bed.exists("Inbox/a.md"));
    assert_eq!(fs::metadata(bed.root().join("Archive/2026/a.md")).unwrap().ino(), inode);

    // Moved and modified together, then both reverted.
    change(&vault, |d| {
        d.replace(&path("Archive/2026/a.md"), "[[b]]", "[[c]]", None)?;
        d.rename(&path("Archive/2026/a.md"), &path("b.md"))
    })
    .unwrap();
    assert_eq!(bed.text("b.md"), "see [[c]]\n");
    let newest = vault.history().list().unwrap()[0].id.clone();
    vault.history().undo(&newest, Scope::All, &Author::new("user")).unwrap();
    assert_eq!(bed.text("Archive/2026/a.md"), "see [[b]]\n");
    vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
    assert_eq!(bed.text("Inbox/a.md"), "see [[b]]\n");
    assert!(!bed.exists("b.md"));
}

#[test]
fn deletion_follows_obsidians_trash_setting() {
    for (setting, in_trash) in [
        (r#"{"trashOption":"local"}"#, true),
        (r#"{"trashOption":"none"}"#, false),
        // The system's trash is the default, and there is none here.
        (r#"{"alwaysUpdateLinks":true}"#, true),
    ] {
        let bed =
            Bed::new(&[("a.md", "text\n"), (".obsidian/app.json", setting), (".trash/a.md", "older\n")]);
        let vault = bed.vault();
        let (id, _) = change(&vault, |d| d.delete(&path("a.md"))).unwrap();
        assert!(!bed.exists("a.md"));
        drop(vault);
        assert_eq!(bed.exists(".trash/a 2.md"), in_trash, "{setting}");
        assert_eq!(bed.text(".trash/a.md"), "older\n");
        assert_eq!(bed.leftovers(), Vec::<String>::new());

        let vault = bed.vault();
        vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
        assert_eq!(bed.text("a.md"), "text\n");
    }
}

#[test]
fn hard_linked_note_is_read_but_not_written() {
    let bed = Bed::new(&[("a.md", "text\n")]);
    fs::hard_link(bed.root().join("a.md"), bed.dir.path().join("other.md")).unwrap();
    let vault = bed.vault();
    assert_eq!(&*vault.read(&path("a.md")).unwrap().text, "text\n");

    let error = change(&vault, |d| d.append(&path("a.md"), "more", None)).unwrap_err();

    assert!(matches!(error, VaultError::HardLink { links: 2, .. }), "{error}");
    assert_eq!(bed.text("a.md"), "text\n");
    assert_eq!(vault.history().list().unwrap(), []);
    drop(vault);
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}

#[test]
fn journal_is_readable_by_the_user_only() {
    let bed = Bed::new(&[("a.md", "secret\n")]);
    let vault = bed.vault();
    change(&vault, |d| d.append(&path("a.md"), "more", None)).unwrap();

    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&bed.history()), 0o700);
    assert_eq!(journal_files(&bed).len(), 2);
    for file in files_below(&bed.history()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn two_vaults_on_one_folder_see_each_others_writes() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let one = bed.vault();
    let other = bed.vault();
    assert_eq!(other.records(&["contact"]).unwrap().len(), 1);

    let mut stale = other.draft();
    stale.set_properties(&path("a.md"), &[set("name", "Jane Roe")]).unwrap();
    let (id, _) = change(&one, |d| d.set_properties(&path("a.md"), &[set("stage", "won")])).unwrap();
    let changes = other.change_set(ChangeSetKind::Cli, "command".to_owned());
    let applied = changes.apply(stale, &model("2")).unwrap();

    assert_eq!(applied.merged.len(), 1);
    let text = bed.text("a.md");
    assert!(text.contains("stage: won") && text.contains("name: Jane Roe"), "{text}");
    let listed: Vec<_> = one.history().list().unwrap().into_iter().map(|s| s.id).collect();
    assert_eq!(listed, [changes.id().to_owned(), id.clone()]);
}

#[test]
fn old_change_sets_are_pruned() {
    let _alone = one_at_a_time();
    let bed = Bed::new(&[("a.md", "0\n")]);
    let vault = bed.vault();
    let mut ids = Vec::new();
    for n in 1..=5 {
        ids.push(change(&vault, |d| d.append(&path("a.md"), &n.to_string(), None)).unwrap().0);
    }
    drop(vault);
    let vault = bed.vault();
    let limits = |days, bytes, at_least| crate::Limits { days, bytes, at_least };
    assert_eq!(vault.history().prune(limits(30, 1_000_000, 0)).unwrap(), Vec::<String>::new());
    assert_eq!(vault.history().prune(limits(0, 1_000_000, 5)).unwrap(), Vec::<String>::new());

    let mut gone = vault.history().prune(limits(0, 1_000_000, 2)).unwrap();
    gone.sort();
    assert_eq!(gone, ids[..3]);
    assert_eq!(vault.history().list().unwrap().len(), 2);
    assert_eq!(journal_files(&bed).len(), 4);

    assert_eq!(vault.history().prune(limits(30, 1, 0)).unwrap().len(), 2);
    assert_eq!(vault.history().list().unwrap(), []);
}

#[test]
fn limits_are_applied_when_the_vault_is_opened() {
    let _alone = one_at_a_time();
    let bed = Bed::new(&[("a.md", "0\n")]);
    let vault = bed.vault();
    for n in 1..=5 {
        change(&vault, |d| d.append(&path("a.md"), &n.to_string(), None)).unwrap();
    }
    drop(vault);
    let limits = crate::Limits { bytes: 1, at_least: 2, ..crate::Limits::default() };
    let vault = Vault::open(crate::VaultOptions { limits, ..bed.options() }).unwrap();
    assert_eq!(vault.history().list().unwrap().len(), 2);
    vault.history().keep(crate::Limits { at_least: 1, ..limits });
    change(&vault, |d| d.append(&path("a.md"), "6", None)).unwrap();
    assert_eq!(vault.history().list().unwrap().len(), 1);
}

#[test]
fn pruned_change_set_stays_gone_after_its_process_is_killed() {
    let _alone = one_at_a_time();
    let bed = Bed::new(&[("a.md", "a\n")]);
    let (one, other) = (bed.vault(), bed.vault());
    let (id, _) = change(&one, |d| d.create(&path("b.md"), "b\n".to_owned())).unwrap();
    let all = crate::Limits { days: 0, bytes: 0, at_least: 0 };
    let ids =
        |vault: &Vault| -> Vec<_> { vault.history().list().unwrap().into_iter().map(|set| set.id).collect() };
    let forgotten = other.history().prune(all).unwrap();
    // Simulates a kill: its log is left behind.
    drop(one);
    drop(other);
    let there: Vec<String> = if forgotten.is_empty() { vec![id.clone()] } else { Vec::new() };
    let next = bed.vault();
    assert_eq!(ids(&next), there);
    // No log contains it any more.
    assert_eq!([forgotten, next.history().prune(all).unwrap()].concat(), [id]);
    drop(next);
    assert_eq!(ids(&bed.vault()), [""; 0]);
}

#[test]
fn concurrent_pruning_does_not_fail() {
    let _alone = one_at_a_time();
    let bed = Bed::new(&[("a.md", "0\n")]);
    let vault = bed.vault();
    for n in 0..60 {
        change(&vault, |d| d.append(&path("a.md"), &n.to_string(), None)).unwrap();
    }
    drop(vault);
    let novas = [bed.vault(), bed.vault(), bed.vault()];
    let all = crate::Limits { days: 0, bytes: 0, at_least: 0 };
    let prune = |nova: &Vault| nova.history().prune(all).unwrap();
    let gone: Vec<_> = std::thread::scope(|scope| {
        let running = novas.each_ref().map(|nova| scope.spawn(move || prune(nova)));
        running.map(|thread| thread.join().unwrap()).concat()
    });
    let gone = [gone, prune(&novas[0])].concat();
    let once: std::collections::BTreeSet<&String> = gone.iter().collect();
    assert_eq!((once.len(), gone.len()), (60, 60), "each pruned set is reported once");
    assert_eq!(journal_files(&bed), Vec::<PathBuf>::new());
    assert_eq!(files_below(&bed.history().with_file_name("displaced")), Vec::<PathBuf>::new());
}
