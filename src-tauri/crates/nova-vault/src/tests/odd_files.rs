//! Non-regular files in the history's folder: pipes do not block, and links are not followed.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use super::*;

/// Opening a pipe without a peer blocks forever.
const FOR_EVER: Duration = Duration::from_secs(60);

fn pipe(at: &Path) {
    let _ = fs::remove_file(at);
    assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
}

#[track_caller]
fn ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    ended.recv_timeout(FOR_EVER).expect("the read returns")
}

/// A vault with one change, which another process opens.
fn changed() -> Bed {
    let bed = Bed::new(&[("a.md", "a\n")]);
    let vault = bed.vault();
    vault.remember_folder();
    change(&vault, |d| d.append(&path("a.md"), "b", None)).unwrap();
    bed
}

#[test]
fn pipes_in_the_history_are_skipped() {
    let bed = changed();
    let of_folder = bed.history_files(".folder-");
    assert!(!of_folder.is_empty());
    of_folder.iter().for_each(|file| pipe(file));
    pipe(&bed.history().join("other.jsonl"));
    let options = bed.options();
    ends(move || {
        let vault = Vault::open(options).unwrap();
        let id = vault.history().list().unwrap().remove(0).id;
        vault.history().undo(&id, crate::Scope::All, &Author::new("user")).unwrap();
    });
    assert_eq!(bed.text("a.md"), "a\n");
}

#[test]
fn pipe_in_place_of_the_log_does_not_block() {
    let bed = changed();
    pipe(&bed.log());
    let options = bed.options();
    let written = ends(move || {
        let vault = Vault::open(options).unwrap();
        change(&vault, |d| d.append(&path("a.md"), "c", None)).map(drop)
    });
    assert_eq!(bed.text("a.md"), if written.is_ok() { "a\nb\nc\n" } else { "a\nb\n" });
}

#[test]
fn lock_that_is_a_link_or_a_pipe_refuses_writes() {
    for kind in ["link", "pipe"] {
        let bed = changed();
        let (lock, elsewhere) = (bed.history().join(".lock"), bed.dir.path().join("elsewhere"));
        fs::remove_file(&lock).unwrap();
        match kind {
            "link" => symlink(&elsewhere, &lock).unwrap(),
            _ => pipe(&lock),
        }
        let vault = bed.vault();
        ends(move || change(&vault, |d| d.append(&path("a.md"), "c", None)).map(drop)).unwrap_err();
        assert_eq!(bed.text("a.md"), "a\nb\n", "{kind}");
        assert!(!elsewhere.exists());
    }
}
