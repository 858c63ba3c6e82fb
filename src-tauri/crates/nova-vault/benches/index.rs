//! How fast the vault answers from its index, beside the least that the disk allows.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::fs;
use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};

use common::{MadeUp, ROUNDS, Table, bare_walk, fingerprint, make_up, measure, median, open, sizes, threads};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().collect();
    if let [_, mode, root] = arguments.as_slice()
        && mode == "load-and-query"
    {
        return load_and_query(root);
    }
    let mut table = Table::default();
    let mut edits = Vec::new();
    for size in sizes() {
        let made = make_up(size);
        println!("== {} notes, {:.1} MB, {} threads", made.notes, made.bytes as f64 / 1e6, threads());
        let before = fingerprint(&made.root());
        walks(&mut table, &made);
        loads(&mut table, &made);
        memory(&mut table, &made);
        assert_eq!(fingerprint(&made.root()), before, "opening and asking changed the vault");
        edits.push((size, edit(&made)));
    }
    let [(_, least), .., (size, most)] = edits.as_slice() else { return table.end() };
    // A walk of a large vault varies by more than an edit costs; only what exceeds that counts.
    let known = most.0.saturating_sub(most.1);
    table.at_most(&format!("one edit adds to the next query, {size} beside the least"), known, least.0, 1.5);
    table.end()
}

fn walks(table: &mut Table, made: &MadeUp) {
    let root = made.root();
    let vault = made.open();
    let (entries, _) = bare_walk(&root, threads(), false);
    let times = measure(
        ROUNDS,
        &mut [
            &mut || assert_eq!(bare_walk(&root, threads(), false).0, entries),
            &mut || {
                let mut find = Command::new("find");
                find.arg(&root).args(["-printf", "%i %s %T@ %C@\\n"]).stdout(Stdio::null());
                assert!(find.status().unwrap().success());
            },
            &mut || assert_eq!(black_box(vault.records(&["contact"]).unwrap()).len(), made.contacts),
            &mut || assert_eq!(black_box(vault.notes().unwrap()).len(), made.notes),
        ],
    );
    let [floor, find, records, notes] = [0, 1, 2, 3].map(|at| median(&times[at]));
    table.at_most("floor (openat, statx of every entry) / find -printf", floor, find, 1.2);
    table.at_most("records of one type, warm / floor", records, floor, 1.3);
    println!("{:<64} {:>9.2} ms", "list of all notes, warm", notes.as_secs_f64() * 1e3);
}

fn loads(table: &mut Table, made: &MadeUp) {
    let root = made.root();
    let times = measure(
        ROUNDS,
        &mut [&mut || assert_eq!(bare_walk(&root, threads(), true).1, made.bytes), &mut || {
            let vault = made.open();
            assert_eq!(vault.notes().unwrap().len(), made.notes);
            // To give the memory back is not part of it.
            std::mem::forget(vault);
        }],
    );
    table.at_most("first load / reading all bytes", median(&times[1]), median(&times[0]), 1.5);
}

/// In a process of its own: what it holds when it has loaded and answered.
fn memory(table: &mut Table, made: &MadeUp) {
    let goal = match made.notes {
        10_000 => 80e6,
        100_000 => 400e6,
        _ => return,
    };
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).arg("load-and-query").arg(made.root()).output().unwrap();
    let bytes: f64 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    table.bytes_at_most("memory of a process that loaded and queried", bytes, goal);
}

fn load_and_query(root: &str) -> ExitCode {
    let vault = open(root.as_ref());
    let notes = vault.notes().unwrap().len();
    assert!(vault.records(&["contact"]).unwrap().len() < notes);
    vault.problems().unwrap();
    let pages: f64 =
        fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    println!("{}", pages * rustix::param::page_size() as f64);
    ExitCode::SUCCESS
}

/// What an edit adds to the next query: the median of a query right after one note was written,
/// less that of a query after which nothing was written; and the spread of the latter.
fn edit(made: &MadeUp) -> (std::time::Duration, std::time::Duration) {
    let file = made.root().join(&made.one);
    let vault = made.open();
    let text = fs::read_to_string(&file).unwrap();
    let (mut plain, mut edited) = (Vec::new(), Vec::new());
    for round in 0..=2 * ROUNDS {
        let begin = std::time::Instant::now();
        assert_eq!(vault.records(&["contact"]).unwrap().len(), made.contacts);
        let unchanged = begin.elapsed();
        let version = format!("{text}\nversion {round}\n");
        fs::write(&file, &version).unwrap();
        let begin = std::time::Instant::now();
        let records = vault.records(&["contact"]).unwrap();
        let changed = begin.elapsed();
        let seen = records.iter().find(|note| note.path.as_str() == made.one).unwrap();
        assert_eq!(*seen.text, *version);
        if round > 0 {
            plain.push(unchanged);
            edited.push(changed);
        }
    }
    plain.sort();
    edited.sort();
    let spread = plain[plain.len() * 3 / 4] - plain[plain.len() / 4];
    let added = median(&edited).saturating_sub(median(&plain));
    println!(
        "{:<64} {:>9.3} ms (query {:.3} ms, after an edit {:.3} ms, spread {:.3} ms)",
        "one edit adds to the next query",
        added.as_secs_f64() * 1e3,
        median(&plain).as_secs_f64() * 1e3,
        median(&edited).as_secs_f64() * 1e3,
        spread.as_secs_f64() * 1e3,
    );
    (added, spread)
}
