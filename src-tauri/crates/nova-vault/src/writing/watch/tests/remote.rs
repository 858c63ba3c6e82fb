//! Folders that other machines change: the system tells only of what is done on this one.

use std::io::Write;

use super::*;

/// As if this file was on a server, by a name that the watch does not look at: what is written through it
/// raises no event in the vault, as an edit on another machine does not.
fn on_the_server(vault: &Fixture, note: &str) -> PathBuf {
    let name = vault.outside("by the server");
    fs::hard_link(vault.path(note), &name).expect("a second name");
    name
}

/// Written long enough ago to be whole.
fn edit_elsewhere(name: &Path, text: &str) {
    fs::write(name, text).expect("write");
    set_modified(name, std::time::SystemTime::UNIX_EPOCH);
}

fn often() -> Options {
    Options::on_network(Duration::from_millis(10))
}

#[cfg(unix)]
#[test]
fn an_edit_made_on_another_machine_is_reported_once() {
    let vault = Fixture::with("a.md = a\nTeam/b.md = b", often());
    let name = on_the_server(&vault, "Team/b.md");
    edit_elsewhere(&name, "b, by Jane");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "modified Team/b.md: b → b, by Jane");
    vault.expect_silence();
}

/// Without it the test above would prove nothing.
#[cfg(target_os = "linux")]
#[test]
fn on_a_disk_of_this_machine_nothing_is_compared_that_was_not_told() {
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
    let mut told = BTreeMap::from([("a.md".to_owned(), "a".to_owned())]);
    for n in 0..200 {
        vault.write(&format!("{n}.md"), format!("note {n}"));
        vault.write("a.md", format!("a {n}"));
    }
    // `apply` refuses a note that was told to be new twice, and a text before that is not the last one.
    vault.follow(&mut told);
    vault.expect_silence();
}

/// vim moves the note aside and writes it anew. A comparison in between must not take it for removed.
#[cfg(unix)]
#[test]
fn a_save_that_a_comparison_falls_into_is_one_change() {
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
fn one_folder_of_the_vault_may_lie_elsewhere() {
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
fn where_no_watches_are_left_comparing_is_all_there_is() {
    let vault = Fixture::with("a.md = a", Options { folder_limit: 0, ..often() });
    assert!(matches!(vault.next_state(), WatchState::Polling { .. }));
    vault.write("a.md", "a more");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(describe(&change), "modified a.md: a → a more");
}

#[test]
fn a_network_folder_that_was_away_is_compared_again() {
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

/// An unmounted folder is there, and empty.
#[cfg(unix)]
#[test]
fn a_vault_that_is_not_mounted_is_a_failure_and_no_removal() {
    use std::os::unix::fs::MetadataExt;

    // As if each folder was a disk.
    let options = Options { device: crate::disk::Folder::inode, ..often() };
    let vault = Fixture::with("a.md = a\nTeam/b.md = b", options);
    let state = vault.next_state();
    fs::rename(vault.path(""), vault.outside("vault")).expect("unmount");
    fs::create_dir(vault.path("")).expect("the mount point");
    assert_ne!(
        fs::metadata(vault.path("")).expect("there").ino(),
        fs::metadata(vault.outside("vault")).expect("there").ino()
    );
    // A look may fall in between, when there is no folder at all.
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

/// A person who throws everything away has removed it.
#[test]
fn a_vault_that_was_emptied_where_it_lies_is_empty() {
    let vault = Fixture::with("a.md = a\nTeam/b.md = b", often());
    fs::remove_dir_all(vault.path("Team")).expect("remove");
    vault.remove("a.md");
    vault.expect("removed a.md: a\nremoved Team/b.md: b");
}
