//! Answering from the index, compared with the least work that the disk allows.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::cell::Cell;
use std::fs;
use std::hint::black_box;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use common::{MadeUp, ROUNDS, Table, bare_walk, fingerprint, make_up, measure, median, open, sizes, threads};
use nova_vault::note::{PropertyEdit, Value};
use nova_vault::{
    Author, ChangeSetKind, Condition, Notes, Query, Search, SearchMode, TaskDue, TaskQuery, VaultPath,
};

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
        assert_eq!(fingerprint(&made.root()), before, "opening and querying changed the vault");
        edit(&made);
        edits.push((size, set(&made)));
        if size == 10_000 {
            tasks(&mut table, made);
        }
    }
    let [(_, set), .., (size, set_most)] = edits.as_slice() else { return table.end() };
    table.at_most(&format!("one property set by Nova, {size} beside the least"), *set_most, *set, 1.5);
    table.end()
}

fn walks(table: &mut Table, made: &MadeUp) {
    let root = made.root();
    let vault = made.open();
    let (entries, _) = bare_walk(&root, threads(), false);
    let floor = || assert_eq!(bare_walk(&root, threads(), false).0, entries);
    let times = measure(
        ROUNDS,
        &mut [&mut { floor }, &mut || {
            let mut find = Command::new("find");
            find.arg(&root).args(["-printf", "%i %s %T@ %C@\\n"]).stdout(Stdio::null());
            assert!(find.status().unwrap().success());
        }],
    );
    let [walked, found] = [0, 1].map(|at| median(&times[at]));
    table.at_most("floor (openat, statx of every entry) / find -printf", walked, found, 1.2);
    // Measured alone: what runs right after another contender starts with cold caches.
    let times = measure(
        ROUNDS,
        &mut [
            &mut { floor },
            &mut || assert_eq!(black_box(vault.records(&["contact"]).unwrap()).len(), made.contacts),
            &mut || assert_eq!(contacts(&black_box(vault.notes().unwrap())), made.contacts),
        ],
    );
    let [floor, records, notes] = [0, 1, 2].map(|at| median(&times[at]));
    table.at_most("records of one type, warm / floor", records, floor, 1.3);
    println!("{:<64} {:>9.2} ms", "list of all notes, warm", notes.as_secs_f64() * 1e3);
}

fn loads(table: &mut Table, made: &MadeUp) {
    let root = made.root();
    let cpu = [(); 2].map(|()| Cell::new(Duration::ZERO));
    let times = measure(
        ROUNDS,
        &mut [
            &mut || {
                let begin = processor_time();
                assert_eq!(bare_walk(&root, threads(), true).1, made.bytes);
                cpu[0].set(cpu[0].get() + processor_time() - begin);
            },
            &mut || {
                let begin = processor_time();
                let vault = made.open();
                let notes = vault.notes().unwrap();
                assert_eq!(notes.len(), made.notes);
                assert_eq!(contacts(&notes), made.contacts);
                // Excludes freeing the memory.
                std::mem::forget(vault);
                cpu[1].set(cpu[1].get() + processor_time() - begin);
            },
        ],
    );
    let [bare, loaded] = cpu.map(|sum| sum.into_inner().as_secs_f64() / (ROUNDS + 1) as f64);
    // Load on the machine delays both contenders, but not equally, so CPU times are printed as well.
    println!(
        "{:<64} {:>9.2} ms {:>9.2} ms {:>6.2}",
        "the same in time of the processors",
        loaded * 1e3,
        bare * 1e3,
        loaded / bare
    );
    table.at_most("first load / reading all bytes", median(&times[1]), median(&times[0]), 1.5);
}

/// Three tasks per note: due tasks must be answered as fast as a query for records.
fn tasks(table: &mut Table, made: MadeUp) {
    let paths: Vec<_> = made.open().notes().unwrap().iter().map(|note| note.path.clone()).collect();
    for (n, path) in paths.iter().enumerate() {
        let mut file = fs::OpenOptions::new().append(true).open(made.root().join(path.as_str())).unwrap();
        let day = 1 + n % 28;
        let lines = format!(
            "\n- [ ] Call number {n} #call ⏫ 📅 2026-12-{day:02}\n- [x] Write to number {n} ✅ 2026-11-{day:02}\n\
             - [ ] Water the plants 🔁 every week on Sunday ⏳ 2026-11-{day:02}\n"
        );
        file.write_all(lines.as_bytes()).unwrap();
    }
    let vault = made.open();
    let view = vault.seen_by_owner();
    let day = jiff::civil::date(2026, 12, 1);
    let due = |from, to| TaskQuery {
        due: Some(TaskDue::Between(from, to)),
        limit: Some(100),
        ..TaskQuery::default()
    };
    let (on_a_day, all) = (due(Some(day), Some(day)), due(None, None));
    let begin = Instant::now();
    assert_eq!(view.tasks(&all).unwrap().total, 2 * made.notes);
    println!("{:<64} {:>9.2} ms", "tasks, first question", begin.elapsed().as_secs_f64() * 1e3);
    let records = Query {
        record_types: vec!["contact".to_owned()],
        conditions: vec![Condition::parse("stage = lead").unwrap()],
        limit: Some(100),
        ..Query::default()
    };
    // `set` changed the stage of one.
    let leads = made.contacts - 1;
    let times = measure(
        ROUNDS,
        &mut [
            &mut || assert_eq!(black_box(view.query(&records).unwrap()).total, leads),
            &mut || assert_eq!(black_box(view.tasks(&on_a_day).unwrap()).total, made.notes.div_ceil(28)),
            &mut || assert_eq!(black_box(view.tasks(&all).unwrap()).total, 2 * made.notes),
        ],
    );
    let [records, on_a_day, all] = [0, 1, 2].map(|at| median(&times[at]));
    let count = 3 * made.notes;
    table.at_most(&format!("tasks due on a day, of {count} / query of records"), on_a_day, records, 1.3);
    table.at_most(&format!("all open tasks by date, of {count} / query of records"), all, records, 1.3);
}

/// Iterates over the whole list.
fn contacts(notes: &Notes) -> usize {
    notes.iter().filter(|note| note.record_type == Some("contact")).count()
}

/// User and system time of this process.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Runs in its own process: its memory after loading, answering, and starting to watch.
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
    let changes = vault.changes();
    let notes = vault.notes().unwrap();
    let contacts = vault.records(&["contact"]).unwrap();
    assert!(contacts.len() < notes.len());
    vault.problems().unwrap();
    let view = vault.seen_by_owner();
    assert!(!view.tags().unwrap().tags.is_empty());
    assert!(!view.links(&contacts[0].path).unwrap().out.is_empty());
    // A property that no note has, so that every note must be parsed.
    let query = Query { conditions: vec![Condition::parse("nowhere = 1").unwrap()], ..Query::default() };
    assert_eq!(view.query(&query).unwrap().total, 0);
    let search = Search { query: "nowhere to be seen".to_owned(), mode: SearchMode::Text, limit: 1 };
    assert!(view.search(&search).unwrap().hits.is_empty());
    let pages: f64 =
        fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    println!("{}", pages * rustix::param::page_size() as f64);
    drop(changes);
    ExitCode::SUCCESS
}

/// Number of measured edits; each takes one walk before and one after.
const EDITS: usize = 100;

/// Cost of an edit to the next query: the median over pairs of a query without a preceding write and a
/// query right after one note was written. The difference of two walks over the whole vault has noise that
/// grows with the vault, so it is printed with its spread and has no goal; the bench `watching` measures
/// how soon an edit is reported in vaults of both sizes.
fn edit(made: &MadeUp) {
    let file = made.root().join(&made.one);
    let vault = made.open();
    let text = fs::read_to_string(&file).unwrap();
    let (mut plain, mut added) = (Vec::new(), Vec::new());
    for round in 0..=EDITS {
        let begin = Instant::now();
        assert_eq!(vault.records(&["contact"]).unwrap().len(), made.contacts);
        let unchanged = begin.elapsed();
        let version = format!("{text}\nversion {round}\n");
        fs::write(&file, &version).unwrap();
        let begin = Instant::now();
        let records = vault.records(&["contact"]).unwrap();
        let changed = begin.elapsed();
        let seen = records.iter().find(|note| note.path.as_str() == made.one).unwrap();
        assert_eq!(*seen.text, *version);
        if round > 0 {
            plain.push(unchanged);
            added.push(changed.as_secs_f64() - unchanged.as_secs_f64());
        }
    }
    plain.sort();
    added.sort_by(f64::total_cmp);
    println!(
        "{:<64} {:>9.3} ms (half of them {:.3} to {:.3} ms; the query {:.3} ms)",
        "one edit adds to the next query",
        added[EDITS / 2] * 1e3,
        added[EDITS / 4] * 1e3,
        added[EDITS * 3 / 4] * 1e3,
        median(&plain).as_secs_f64() * 1e3,
    );
}

/// Sets one property of one note, with the journal.
fn set(made: &MadeUp) -> Duration {
    let vault = made.open();
    vault.notes().unwrap();
    let note = VaultPath::parse(&made.one).unwrap();
    let author = Author { principal: "bench".to_owned(), skill: None, call: None };
    let mut stages = (0..).map(|n| format!("stage {n}"));
    let times = measure(
        EDITS,
        &mut [&mut || {
            let stage = stages.next().unwrap();
            let mut draft = vault.draft();
            let edit = PropertyEdit::Set { key: "stage".to_owned(), value: Value::Text(stage.clone()) };
            draft.set_properties(&note, &[edit]).unwrap();
            let changes = vault.change_set(ChangeSetKind::Form, "bench".to_owned());
            changes.apply(draft, &author).unwrap();
            changes.close().unwrap();
            let text = fs::read_to_string(made.root().join(&made.one)).unwrap();
            assert!(text.contains(&format!("stage: {stage}\n")), "{text}");
        }],
    );
    let half = median(&times[0]);
    println!("{:<64} {:>9.3} ms", "one property set by Nova", half.as_secs_f64() * 1e3);
    half
}
