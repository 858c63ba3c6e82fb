//! New, moved and renamed folders.

use super::*;

/// A vault of a hundred thousand notes needs only as many watches as it has folders.
#[cfg(target_os = "linux")]
#[test]
fn notes_take_no_watches() {
    let notes: String = (0..300).map(|n| format!("F{}/{n}.md = x\n", n % 3)).collect();
    let vault = Fixture::new(&notes);
    assert_eq!(vault.watch.state(), WatchState::Watching { folders: 4 });
}

#[test]
fn fifty_new_folders_in_a_burst_are_reported() {
    let vault = Fixture::new("a.md = a");
    let mut reported = BTreeMap::from([("a.md".to_owned(), "a".to_owned())]);
    for n in 0..50 {
        let folder = vault.path(&format!("Folder {n}/Deep"));
        fs::create_dir_all(&folder).expect("create folders");
        fs::write(folder.join("note.md"), format!("note {n}")).expect("write");
    }
    // Without `flush`, which would find them in any case.
    vault.follow(&mut reported);
    assert_eq!(reported.len(), 51);
    assert_eq!(vault.next_state(), WatchState::Watching { folders: 1 });
    vault.watch.flush();
    assert_eq!(vault.watch.state(), WatchState::Watching { folders: 101 });
}

#[test]
fn half_written_note_in_a_new_folder_is_reported_once() {
    use std::io::Write;

    let vault = Fixture::with("a.md = a", patient());
    fs::create_dir(vault.path("New")).expect("create a folder");
    let mut note = fs::File::create(vault.path("New/note.md")).expect("create a note");
    note.write_all(b"half").expect("write");
    // Old enough to be reported at once, which shows that the folder was scanned.
    fs::write(vault.outside("old"), "old").expect("write");
    set_modified(&vault.outside("old"), std::time::SystemTime::UNIX_EPOCH);
    fs::rename(vault.outside("old"), vault.path("New/old.md")).expect("move in");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "created New/old.md = old");
    note.write_all(b", and the other half").expect("write");
    drop(note);
    vault.expect("created New/note.md = half, and the other half");
}

#[test]
fn folder_moved_in_out_and_back_is_reported() {
    let vault = Fixture::new("a.md = a");
    write(&vault.outside("Moved/one.md"), "1");
    write(&vault.outside("Moved/Deep/two.md"), "2");
    fs::rename(vault.outside("Moved"), vault.path("Moved")).expect("move in");
    vault.expect("created Moved/one.md = 1\ncreated Moved/Deep/two.md = 2");
    vault.write("Moved/Deep/two.md", "2 more");
    vault.expect("modified Moved/Deep/two.md: 2 → 2 more");
    fs::rename(vault.path("Moved"), vault.outside("Moved")).expect("move out");
    vault.expect("removed Moved/one.md: 1\nremoved Moved/Deep/two.md: 2 more");
    assert_eq!(vault.watch.state(), WatchState::Watching { folders: 1 });
    write(&vault.outside("Moved/one.md"), "unseen");
    vault.expect_silence();
}

#[test]
fn renamed_folder_stays_watched() {
    let vault = Fixture::with("Old/one.md = 1\nOld/Deep/two.md = 2", patient());
    vault.rename("Old", "New");
    vault.expect(
        "renamed Old/one.md to New/one.md: 1 → 1
         renamed Old/Deep/two.md to New/Deep/two.md: 2 → 2",
    );
    vault.write("New/Deep/two.md", "2 more");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "modified New/Deep/two.md: 2 → 2 more");
}

#[test]
fn recreated_folder_is_watched() {
    let vault = Fixture::new("Folder/one.md = 1");
    fs::remove_dir_all(vault.path("Folder")).expect("remove");
    vault.expect("removed Folder/one.md: 1");
    vault.write("Folder/one.md", "2");
    vault.expect("created Folder/one.md = 2");
    vault.write("Folder/one.md", "3");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "modified Folder/one.md: 2 → 3");
}

#[cfg(unix)]
#[test]
fn folder_swapped_for_a_link_reveals_nothing_of_its_target() {
    for options in [patient(), Options { folder_limit: 0, poll_every: NEVER, ..patient() }] {
        let vault = Fixture::with("Notes/one.md = 1\nNotes/Deep/two.md = 2\na.md = a", options);
        write(&vault.outside("one.md"), "foreign");
        write(&vault.outside("Deep/two.md"), "foreign");
        write(&vault.outside("three.md"), "foreign");
        vault.rename("Notes", "Old");
        std::os::unix::fs::symlink(vault.outside(""), vault.path("Notes")).expect("link");
        // Nothing below the link is watched either.
        write(&vault.outside("one.md"), "foreign, edited");
        vault.watch.flush();
        let mut reported: Vec<String> = vault.changes.try_iter().map(|change| describe(&change)).collect();
        reported.sort();
        assert_eq!(
            reported,
            [
                "renamed Notes/Deep/two.md to Old/Deep/two.md: 2 → 2",
                "renamed Notes/one.md to Old/one.md: 1 → 1"
            ]
        );
    }
}

#[cfg(unix)]
#[test]
fn vault_swapped_for_a_link_is_a_failure_and_reveals_nothing() {
    let options = Options { poll_every: Duration::from_millis(10), ..Options::default() };
    let vault = Fixture::with("a.md = a", options);
    assert_eq!(vault.next_state(), WatchState::Watching { folders: 1 });
    write(&vault.outside("a.md"), "foreign");
    fs::rename(vault.path(""), vault.outside("vault")).expect("move the root away");
    std::os::unix::fs::symlink(vault.outside(""), vault.dir.path().join("vault")).expect("link");
    let state = vault.next_state();
    assert!(matches!(&state, WatchState::Failed { .. }), "{state:?}");
    vault.watch.flush();
    assert_eq!(vault.changes.try_iter().count(), 0);
}
