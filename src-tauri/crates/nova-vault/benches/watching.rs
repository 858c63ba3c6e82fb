//! How soon an edit is reported, and how soon answers are correct after a burst of edits.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime};

use common::{Table, make_up, open, sizes};
use nova_vault::{ContentHash, Query, Vault};

/// Number of edits of each kind.
const EDITS: usize = 300;

/// Generous limit; an event that is later was missed.
const PATIENCE: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().collect();
    if let [_, mode, root] = arguments.as_slice()
        && mode == "listen"
    {
        listen(&open(root.as_ref()));
        return ExitCode::SUCCESS;
    }
    let mut table = Table::default();
    let sizes = sizes();
    let (Some(&least), Some(&most)) = (sizes.first(), sizes.last()) else { return table.end() };
    let heard = single_edits(&mut table, least);
    if most > least {
        for ((kind, few), (_, many)) in heard.into_iter().zip(single_edits(&mut table, most)) {
            let what = format!("edit by {kind}, heard, among {most} notes beside {least}");
            table.at_most(&what, many, few, 1.5);
        }
    }
    many_at_once(&mut table);
    table.end()
}

/// Prints the hash and the time of each received change, until the parent ends the process.
fn listen(vault: &Vault) {
    let mut changes = vault.changes();
    println!("ready");
    while let Ok(change) = changes.blocking_recv() {
        if let Some(hash) = change.hash {
            println!("{} {hash}", now().as_nanos());
        }
    }
}

/// One edit after another among this many notes, each received in another process before the next. Returns
/// the median latency of each kind.
fn single_edits(table: &mut Table, notes: usize) -> Vec<(&'static str, Duration)> {
    println!("== {notes} notes");
    let made = make_up(notes);
    let file = made.root().join(&made.one);
    let listener = Listener::start(&made.root());
    let text = fs::read_to_string(&file).unwrap();
    let mut heard = Vec::new();
    for (kind, write) in [("rename", by_rename as fn(&Path, &str)), ("write in place", in_place)] {
        let mut delays: Vec<_> = (0..EDITS)
            .map(|n| {
                let version = format!("{text}\n{kind} {n}\n");
                let begun = now();
                write(&file, &version);
                listener.heard_of(ContentHash::of(version.as_bytes())) - begun
            })
            .collect();
        delays.sort();
        let [half, most] = [EDITS / 2, EDITS * 99 / 100].map(|at| delays[at]);
        println!("{:<64} {:>9.2} ms (p50)", format!("edit by {kind}, heard"), half.as_secs_f64() * 1e3);
        table.time_at_most(&format!("edit by {kind}, heard, p99"), most, Duration::from_millis(75));
        heard.push((kind, half));
    }
    heard
}

fn by_rename(file: &Path, text: &str) {
    let temp = file.with_file_name(".bench.tmp");
    fs::write(&temp, text).unwrap();
    fs::rename(temp, file).unwrap();
}

fn in_place(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
}

/// Overwrites the file with a longer text. Truncating or replacing it would cost ten times as much in the
/// file system, which is not measured here.
fn over(file: &Path, text: &str) {
    File::options().write(true).open(file).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Writes every note of a large vault as fast as possible, as a sync client does, while the only receiver
/// of changes reads none of them.
fn many_at_once(table: &mut Table) {
    let made = make_up(10_000);
    let root = made.root();
    let vault = made.open();
    let stalled = vault.changes();
    let versions: BTreeMap<_, _> = vault
        .notes()
        .unwrap()
        .iter()
        .map(|note| {
            let text = fs::read_to_string(root.join(note.path.as_str())).unwrap() + "\nonce more\n";
            (note.path.clone(), text)
        })
        .collect();
    let wanted: BTreeMap<_, _> =
        versions.iter().map(|(path, text)| (path, Some(ContentHash::of(text.as_bytes())))).collect();
    let versions: Vec<_> = versions.iter().map(|(path, text)| (root.join(path.as_str()), text)).collect();
    let begin = Instant::now();
    std::thread::scope(|threads| {
        for part in versions.chunks(versions.len().div_ceil(2)) {
            threads.spawn(|| part.iter().for_each(|(file, text)| over(file, text)));
        }
    });
    let written = Instant::now();
    let view = vault.seen_by_owner();
    let equal = || {
        let answer = view.query(&Query::default()).unwrap();
        answer.rows.iter().map(|row| (&row.path, row.hash)).collect::<BTreeMap<_, _>>() == wanted
    };
    while !equal() {
        assert!(written.elapsed() < PATIENCE, "the index stays stale");
    }
    let took = written.elapsed();
    let what = format!("{} notes written in {:.2?}, until all is right", wanted.len(), written - begin);
    table.time_at_most(&what, took, Duration::from_secs(1));
    drop(stalled);
}

fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap()
}

/// A listener in another process.
struct Listener {
    process: Child,
    lines: Receiver<String>,
}

impl Listener {
    fn start(root: &Path) -> Listener {
        let own = std::env::current_exe().unwrap();
        let mut command = Command::new(own);
        command.arg("listen").arg(root).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let output: Box<dyn Read + Send> = Box::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let listener = Listener { process, lines };
        assert_eq!(listener.next_line(), "ready");
        listener
    }

    fn next_line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the other process reported no change")
    }

    /// When the note with these bytes was received, since 1970.
    fn heard_of(&self, bytes: ContentHash) -> Duration {
        loop {
            let line = self.next_line();
            let (at, hash) = line.split_once(' ').unwrap();
            if hash == bytes.to_string() {
                return Duration::from_nanos(at.parse().unwrap());
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
