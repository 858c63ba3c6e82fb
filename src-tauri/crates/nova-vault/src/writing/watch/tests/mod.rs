//! Tests of the watch on a real folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::coalescer::Timing;
use super::*;

mod faults;
mod folders;
mod remote;
mod saves;
mod sums;

const PATIENCE: Duration = Duration::from_secs(20);

/// Waits long for the end of a save, so that the outcome of a multi-step save does not depend on the speed
/// of the machine.
fn patient() -> Options {
    Options { timing: Timing { quiet: PATIENCE, limit: PATIENCE }, ..Options::default() }
}

/// Effectively disables polling.
const NEVER: Duration = Duration::from_secs(3600);

struct Fixture {
    watch: Watch,
    changes: Receiver<RawChange>,
    states: Receiver<WatchState>,
    dir: tempfile::TempDir,
}

impl Fixture {
    /// Watches a folder with these notes (`path = text`, one per line).
    fn new(notes: &str) -> Self {
        Self::with(notes, Options::default())
    }

    /// Without events, so that only comparisons find changes.
    fn deaf(notes: &str) -> Self {
        Self::with(notes, Options { folder_limit: 0, poll_every: NEVER, ..Options::default() })
    }

    fn with(notes: &str, options: Options) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(dir.path().join("vault")).expect("create the vault");
        fs::create_dir(dir.path().join("outside")).expect("create a folder beside it");
        for line in notes.trim().lines() {
            let (path, text) = line.trim().split_once(" = ").expect("path = text");
            write(&dir.path().join("vault").join(path), text);
        }
        let (sink, changes) = channel();
        let (on_state, states) = channel();
        let watch = Watch::start_with(
            dir.path().join("vault"),
            options,
            move |change| sink.send(change).unwrap_or_default(),
            move |state| on_state.send(state).unwrap_or_default(),
        )
        .expect("start the watch");
        Self { watch, changes, states, dir }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join("vault").join(path)
    }

    fn outside(&self, path: &str) -> PathBuf {
        self.dir.path().join("outside").join(path)
    }

    /// Replaces a note atomically, so that it is never half written.
    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("create folders");
        fs::write(self.outside("whole"), text).expect("write");
        fs::rename(self.outside("whole"), path).expect("put in place");
    }

    /// Truncates the note, then writes it.
    fn save_in_place(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).expect("write");
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).expect("rename");
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).expect("remove");
    }

    /// Waits for exactly these changes, in any order, and checks by a comparison of the whole folder that
    /// there are no others.
    fn expect(&self, expected: &str) {
        let mut expected: Vec<String> = lines(expected);
        let mut reported: Vec<String> = (0..expected.len())
            .map(|_| {
                let change = self.changes.recv_timeout(PATIENCE);
                describe(&change.unwrap_or_else(|_| panic!("no further report; expected {expected:#?}")))
            })
            .collect();
        self.watch.flush();
        reported.extend(self.changes.try_iter().map(|change| describe(&change)));
        reported.sort();
        expected.sort();
        assert_eq!(reported, expected);
    }

    /// Waits, without requesting a comparison, until the reported changes lead from the notes `reported` to
    /// those on disk.
    fn follow(&self, reported: &mut BTreeMap<String, String>) {
        let on_disk = read_notes(&self.path(""));
        let deadline = Instant::now() + PATIENCE;
        while *reported != on_disk {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.changes.recv_timeout(left) {
                Ok(change) => apply(reported, change),
                Err(_) => assert_eq!(*reported, on_disk, "reported changes do not match the folder"),
            }
        }
    }

    /// Checks that no change is reported for anything done so far.
    fn expect_silence(&self) {
        // Events are ordered, so this one follows all previous ones.
        self.write("last.md", "x");
        self.expect("created last.md = x");
    }

    fn next_state(&self) -> WatchState {
        self.states.recv_timeout(PATIENCE).expect("a state")
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("create folders");
    fs::write(path, text).expect("write");
}

fn set_modified(path: &Path, time: std::time::SystemTime) {
    let file = fs::File::options().write(true).open(path);
    file.and_then(|file| file.set_modified(time)).expect("set the time");
}

fn lines(text: &str) -> Vec<String> {
    text.trim().lines().map(|line| line.trim().to_owned()).collect()
}

fn describe(change: &RawChange) -> String {
    let text = |text: &Option<Arc<str>>| text.as_deref().unwrap_or("?").to_owned();
    let (before, after, path) = (text(&change.before), text(&change.after), &change.path);
    assert_eq!(change.hash.is_none(), change.kind == Kind::Removed);
    if let (Some(after), Some(hash)) = (&change.after, change.hash) {
        assert_eq!(hash, *blake3::hash(after.as_bytes()).as_bytes());
    }
    match &change.kind {
        Kind::Created => format!("created {path} = {after}"),
        Kind::Modified => format!("modified {path}: {before} → {after}"),
        Kind::Removed => format!("removed {path}: {before}"),
        Kind::Renamed { from } => format!("renamed {from} to {path}: {before} → {after}"),
    }
}

fn apply(reported: &mut BTreeMap<String, String>, change: RawChange) {
    let context = format!("{change:?}");
    let before = match &change.kind {
        Kind::Created => None,
        Kind::Modified | Kind::Removed => reported.remove(&change.path),
        Kind::Renamed { from } => reported.remove(from),
    };
    assert_eq!(before.as_deref(), change.before.as_deref(), "{context}");
    if let Some(after) = change.after {
        let replaced = reported.insert(change.path, after.to_string());
        assert_eq!(replaced, None, "{context}");
    }
}

fn read_notes(root: &Path) -> BTreeMap<String, String> {
    let mut notes = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for item in fs::read_dir(folder).expect("list") {
            let path = item.expect("an item").path();
            let name = path.strip_prefix(root).ok().and_then(Path::to_str);
            let name = name.expect("a name").to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".md") {
                notes.insert(name, fs::read_to_string(&path).expect("read"));
            }
        }
    }
    notes
}
