//! Folders that change remotely, without events here.

use std::io::Write;

use super::*;

/// Simulates a file on a server, by a hard link that the watch ignores: writing through it raises no event
/// in the vault, like an edit on another machine.
fn on_the_server(vault: &Fixture, note: &str) -> PathBuf {
    let name = vault.outside("by the server");
    fs::hard_link(vault.path(note), &name).expect("a second name");
    name
}

/// Old enough to be complete.
fn edit_elsewhere(name: &Path, text: &str) {
    fs::write(name, text).expect("write");
    set_modified(name, std::time::SystemTime::UNIX_EPOCH);
}

fn often() -> Options {
    Options::on_network(Duration::from_millis(10))
}

#[cfg(unix)]
#[test]
fn remote_edit_is_reported_once() {
    let vault = Fixture::with("a.md = a\nTeam/b.md = b", often());
    let name = on_the_server(&vault, "Team/b.md");
    edit_elsewhere(&name, "b, by Jane");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "modified Team/b.md: b → b, by Jane");
    vault.expect_silence();
}

/// Otherwise the test above would prove nothing.
#[cfg(target_os = "linux")]
#[test]
fn local_disk_is_not_compared_without_events() {
    let vault = Fixture::with("a.md = a", Options { remote: |_| None, ..often() });
    let name = on_the_server(&vault, "a.md");
    edit_elsewhere(&name, "a, untold");
    vault.write("b.md", "b");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "created b.md = b");
    assert_eq!(vault.changes.recv_timeout(Duration::from_millis(200)), Err(RecvTimeoutError::Timeout));
    vault.watch.flush();
    vault.expect("modified a.md: a → a, untold");
}

#[test]
fn local_edit_is_reported_at_once() {
    let vault = Fixture::with("a.md = a", Options::on_network(NEVER));
    vault.write("a.md", "a more");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "modified a.md: a → a more");
    vault.write("New/b.md", "b");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "created New/b.md = b");
}

#[test]
fn reported_changes_are_not_repeated_by_the_comparison() {
    let vault = Fixture::with("a.md = a", Options::on_network(Duration::from_millis(1)));
    let mut reported = BTreeMap::from([("a.md".to_owned(), "a".to_owned())]);
    for n in 0..200 {
        vault.write(&format!("{n}.md"), format!("note {n}"));
        vault.write("a.md", format!("a {n}"));
    }
    // `apply` refuses a second creation of a note, and a `before` that is not the last text.
    vault.follow(&mut reported);
    vault.expect_silence();
}

/// vim moves the note aside and writes a new one. A comparison in between must not report a removal.
#[cfg(unix)]
#[test]
fn save_interrupted_by_a_comparison_is_one_change() {
    let vault = Fixture::with("a.md = a\nb.md = b", Options { timing: patient().timing, ..often() });
    let name = on_the_server(&vault, "b.md");
    vault.rename("a.md", "a.md~");
    for n in 0..3 {
        // Each is found by a comparison, which has passed a.md by then.
        edit_elsewhere(&name, &format!("b {n}"));
        let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
        assert_eq!((change.path.as_str(), change.kind), ("b.md", Kind::Modified));
    }
    let mut note = fs::File::create(vault.path("a.md")).expect("create");
    note.write_all(b"a more").expect("write");
    drop(note);
    vault.expect("modified a.md: a → a more");
}

#[test]
fn one_folder_of_the_vault_may_be_remote() {
    let remote = |folder: &crate::disk::Folder| folder.stat("mounted").ok().map(|_| "SMB");
    let options = Options { remote, poll_every: NEVER, ..Options::default() };
    let vault = Fixture::with("a.md = a\nTeam/b.md = b", options);
    assert_eq!(vault.next_state(), WatchState::Watching { folders: 2 });
    fs::create_dir_all(vault.path("Shared/Inner")).expect("create");
    fs::write(vault.path("Shared/mounted"), "").expect("write");
    vault.watch.flush();
    let reason = "the folder \"Shared\" is on SMB, where the system reports only edits made on this machine";
    assert_eq!(vault.next_state(), WatchState::Both { folders: 4, reason: reason.to_owned() });
}

#[test]
fn remote_folder_is_polled_if_no_watches_are_left() {
    let vault = Fixture::with("a.md = a", Options { folder_limit: 0, ..often() });
    assert!(matches!(vault.next_state(), WatchState::Polling { .. }));
    vault.write("a.md", "a more");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "modified a.md: a → a more");
}

#[test]
fn unmounted_network_folder_is_compared_again_when_it_is_back() {
    let vault = Fixture::with("a.md = a", often());
    let state = vault.next_state();
    assert!(matches!(&state, WatchState::Both { folders: 1, .. }), "{state:?}");
    fs::rename(vault.path(""), vault.outside("vault")).expect("unmount");
    assert!(matches!(vault.next_state(), WatchState::Failed { .. }));
    fs::rename(vault.outside("vault"), vault.path("")).expect("mount");
    assert_eq!(vault.next_state(), state);
    let name = on_the_server(&vault, "a.md");
    edit_elsewhere(&name, "a more");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "modified a.md: a → a more");
}

/// An unmounted folder exists and is empty.
#[cfg(unix)]
#[test]
fn unmounted_vault_is_a_failure_and_no_removal() {
    use std::os::unix::fs::MetadataExt;

    // Treats each folder as a disk.
    let options = Options { device: crate::disk::Folder::inode, ..often() };
    let vault = Fixture::with("a.md = a\nTeam/b.md = b", options);
    let state = vault.next_state();
    fs::rename(vault.path(""), vault.outside("vault")).expect("unmount");
    fs::create_dir(vault.path("")).expect("the mount point");
    assert_ne!(
        fs::metadata(vault.path("")).expect("there").ino(),
        fs::metadata(vault.outside("vault")).expect("there").ino()
    );
    // A check may fall in between, when there is no folder at all.
    let mut failed = vault.next_state();
    while !matches!(&failed, WatchState::Failed { reason } if reason.contains("on another disk than before"))
    {
        assert!(matches!(&failed, WatchState::Failed { .. }), "{failed:?}");
        failed = vault.next_state();
    }
    vault.watch.flush();
    assert_eq!(vault.changes.try_iter().count(), 0);
    fs::remove_dir(vault.path("")).expect("remove");
    fs::rename(vault.outside("vault"), vault.path("")).expect("mount");
    let mut again = vault.next_state();
    while matches!(&again, WatchState::Failed { .. }) {
        again = vault.next_state();
    }
    assert_eq!(again, state);
    vault.write("a.md", "a more");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "modified a.md: a → a more");
}

/// If the user deletes everything, it is removed.
#[test]
fn emptied_vault_on_the_same_disk_is_empty() {
    let vault = Fixture::with("a.md = a\nTeam/b.md = b", often());
    fs::remove_dir_all(vault.path("Team")).expect("remove");
    vault.remove("a.md");
    vault.expect("removed a.md: a\nremoved Team/b.md: b");
}
