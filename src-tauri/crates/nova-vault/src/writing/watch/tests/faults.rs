//! Faults: lost events, refused watches, a missing root, odd files.

use std::sync::OnceLock;

use notify::EventKind;
use notify::event::Flag;

use super::*;

#[test]
fn folder_is_compared_after_lost_events() {
    let vault = Fixture::deaf("a.md = a\nb.md = b");
    vault.write("a.md", "a more");
    vault.write("New/c.md", "c");
    vault.remove("b.md");
    let lost = notify::Event::new(EventKind::Other).set_flag(Flag::Rescan);
    vault.watch.inbox.send(Message::Event(Ok(lost))).expect("send");
    vault.expect(
        "modified a.md: a → a more
         created New/c.md = c
         removed b.md: b",
    );
}

#[test]
fn folder_is_polled_if_watches_are_refused() {
    let options = Options { folder_limit: 3, poll_every: Duration::from_millis(10), ..Options::default() };
    let vault = Fixture::with("A/a.md = a\nB/b.md = b", options);
    assert_eq!(vault.next_state(), WatchState::Watching { folders: 3 });
    vault.write("C/c.md", "c");
    let state = vault.next_state();
    assert!(
        matches!(&state, WatchState::Polling { reason } if reason.contains("max_user_watches")),
        "{state:?}"
    );
    vault.expect("created C/c.md = c");
    vault.write("C/new.md", "x");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(change.path, "C/new.md");
    assert_eq!(vault.watch.state(), state);
}

#[test]
fn missing_root_is_a_failure_and_no_removal() {
    let options = Options { poll_every: Duration::from_millis(10), ..Options::default() };
    let vault = Fixture::with("a.md = one\nFolder/b.md = b", options);
    assert_eq!(vault.next_state(), WatchState::Watching { folders: 2 });
    fs::rename(vault.path(""), vault.outside("vault")).expect("move the root away");
    let state = vault.next_state();
    assert!(matches!(&state, WatchState::Failed { reason } if reason.contains("put it back")), "{state:?}");
    write(&vault.outside("vault/a.md"), "two");
    fs::rename(vault.outside("vault"), vault.path("")).expect("put the root back");
    assert_eq!(vault.next_state(), WatchState::Watching { folders: 2 });
    vault.expect("modified a.md: one → two");
    vault.write("Folder/b.md", "b more");
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(change.path, "Folder/b.md");
}

#[test]
fn binary_notes_and_non_files() {
    let vault = Fixture::new("a.md = a");
    vault.write("broken.md", b"caf\xe9");
    vault.expect("created broken.md = ?");
    vault.write("broken.md", "café");
    vault.expect("modified broken.md: ? → café");
    fs::create_dir(vault.path("folder.md")).expect("create");
    vault.write("folder.md/inside.md", "x");
    vault.expect("created folder.md/inside.md = x");
}

#[cfg(target_os = "linux")]
#[test]
fn links_pipes_and_odd_names() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let vault = Fixture::new("a.md = a");
    write(&vault.outside("secret.md"), "secret");
    symlink(vault.outside("secret.md"), vault.path("link.md")).expect("link");
    symlink(vault.outside(""), vault.path("Linked")).expect("link");
    symlink(vault.path(""), vault.path("Loop")).expect("link");
    mknodat(CWD, vault.path("pipe.md"), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
    fs::write(vault.path("").join(name), "x").expect("write");
    write(&vault.outside("secret.md"), "secret, edited");
    vault.expect_silence();
    vault.remove("a.md");
    symlink(vault.outside("secret.md"), vault.path("a.md")).expect("link");
    vault.expect("removed a.md: a");
}

#[test]
fn notes_that_vanish_at_once() {
    let vault = Fixture::new("a.md = a");
    for n in 0..200 {
        vault.write(&format!("F{n}/{n}.md"), "x");
        fs::remove_dir_all(vault.path(&format!("F{n}"))).expect("remove");
    }
    vault.watch.flush();
    let mut reported = BTreeMap::from([("a.md".to_owned(), "a".to_owned())]);
    vault.changes.try_iter().for_each(|change| apply(&mut reported, change));
    assert_eq!(reported, read_notes(&vault.path("")));
}

#[test]
fn text_beyond_the_budget_is_compared_by_hash() {
    let options = Options { text_budget: 10, ..Options::default() };
    let vault = Fixture::with("a.md = 12345678\nb.md = 12345678", options);
    vault.write("a.md", "1234");
    vault.expect("modified a.md: 12345678 → 1234");
    vault.write("b.md", "123456");
    vault.expect("modified b.md: ? → 123456");
    vault.write("b.md", "12");
    vault.expect("modified b.md: 123456 → 12");
}

#[test]
fn note_too_large_for_memory_is_compared_by_hash() {
    let vault = Fixture::new("a.md = a");
    let mut bytes = vec![b'x'; LARGEST_TEXT as usize + 1];
    vault.write("large.md", &bytes);
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!((change.kind, change.after), (Kind::Created, None));
    assert_eq!(change.hash, Some(*blake3::hash(&bytes).as_bytes()));
    *bytes.last_mut().expect("bytes") = b'y';
    vault.write("large.md", &bytes);
    let change = vault.changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!((change.kind, change.after), (Kind::Modified, None));
    assert_eq!(change.hash, Some(*blake3::hash(&bytes).as_bytes()));
}

#[test]
fn root_that_cannot_be_watched_is_refused() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("file"), "x").expect("write");
    let start = |name: &str| {
        let error = Watch::start(dir.path().join(name), |_| {}, |_| {}).expect_err("no watch");
        error.to_string()
    };
    assert!(start("file").contains("is not a folder"));
    assert!(start("nothing").contains("check that it exists"));
}

#[test]
fn dropping_ends_the_thread() {
    let vault = Fixture::new("a.md = a");
    drop(vault.watch);
    // The thread owned the other end.
    let ended = vault.changes.recv_timeout(PATIENCE);
    assert_eq!(ended, Err(RecvTimeoutError::Disconnected));
}

#[test]
fn flush_inside_the_sink_does_not_deadlock() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let watch = Arc::new(OnceLock::<Watch>::new());
    let (sink, changes) = channel();
    let own = Arc::clone(&watch);
    let started = Watch::start(
        dir.path().to_owned(),
        move |change| {
            own.wait().flush();
            sink.send(change).unwrap_or_default();
        },
        |_| {},
    );
    watch.set(started.expect("a watch")).expect("set once");
    fs::write(dir.path().join("a.md"), "x").expect("write");
    let change = changes.recv_timeout(PATIENCE).expect("a change");
    assert_eq!(change.path, "a.md");
}
