//! Cached answers equal those of a fresh vault.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use super::*;
use crate::reading::index::Texts;
use crate::{NoteEntry, Notes, Privacy, Problem, Query, Search, SearchMode};

/// The answers that concern all notes.
type Seen = (Notes, Vec<Problem>, Vec<(String, String)>, usize, Vec<String>);

fn seen(vault: &Vault) -> Seen {
    let records = vault.records(&["contact", "deal"]).unwrap();
    let records = records.into_iter().map(|note| (note.path.to_string(), note.text.to_string())).collect();
    let listing = vault.index().listing(&vault.core().disk, Texts::Nobodys).unwrap();
    let files = listing.files.iter().map(ToString::to_string).collect();
    (vault.notes().unwrap(), vault.problems().unwrap(), records, vault.status().unwrap().folders, files)
}

/// Deterministic numbers (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// A random action of another program; impossible ones are skipped.
fn disturb(root: &std::path::Path, numbers: &mut Numbers) {
    let folders = ["", "a", "a/b", "c"];
    let names = ["1.md", "2.md", "3.MD", "1.sync-conflict-20261101-101010-ABCDEFG.md", "image.png", "x"];
    let texts =
        ["---\ntype: contact\n---\n", "---\ntype: deal\n---\nmore\n", "plain\n", "---\na: b: c\n---\n", ""];
    let mut pick = |of: &[&'static str]| of[usize::try_from(numbers.below(of.len() as u64)).unwrap()];
    let (folder, name) = (root.join(pick(&folders)), pick(&names));
    let file = folder.join(name);
    let other = root.join(pick(&folders)).join(pick(&names));
    let text = pick(&texts);
    match numbers.below(10) {
        0..4 => drop(fs::write(file, text)),
        4 => drop(fs::create_dir_all(folder)),
        5 => drop(fs::remove_file(file)),
        6 => drop(fs::rename(file, other)),
        7 if folder != root => drop(fs::rename(folder, root.join("c"))),
        8 => drop(std::os::unix::fs::symlink(other, file)),
        _ if folder != root && numbers.below(4) == 0 => drop(fs::remove_dir_all(folder)),
        _ => drop(fs::write(file, b"\xff")),
    }
}

#[test]
fn answers_after_any_edits_equal_those_of_a_fresh_vault() {
    let bed = Bed::new(&[("1.md", JANE), ("a/b/2.md", JANE), ("c/image.png", "")]);
    let vault = bed.vault();
    let mut numbers = Numbers(7);
    for round in 0..300 {
        for _ in 0..=numbers.below(4) {
            disturb(&bed.root(), &mut numbers);
        }
        assert_eq!(seen(&vault), seen(&bed.vault()), "round {round}");
    }
}

/// Answers that need the texts.
fn read(vault: &Vault) -> impl PartialEq + std::fmt::Debug + use<> {
    let view = vault.seen_by_owner();
    let search = Search { query: "e".to_owned(), mode: SearchMode::Text, limit: 1000 };
    let rows = view.query(&Query::default()).unwrap().rows;
    let rows: Vec<_> = rows.into_iter().map(|row| (row.path, row.document, row.hash)).collect();
    let answer = view.search(&search).unwrap();
    (answer.hits, answer.skipped, rows, view.tags().unwrap(), vault.find("Nobody").unwrap())
}

const AN_HOUR: i64 = 3_600_000_000_000;

#[test]
fn texts_loaded_late_equal_those_of_a_fresh_vault() {
    let bed =
        Bed::new(&[("1.md", JANE), ("a/b/2.md", JANE), ("c/3.md", "---\naliases: [Nobody]\n---\n#tag\n")]);
    let mut numbers = Numbers(11);
    for round in 0..300 {
        let vault = bed.vault();
        vault.index().wait(AN_HOUR);
        let listing = vault.index().listing(&vault.core().disk, Texts::Nobodys).unwrap();
        let mut readable = listing.heads.iter().filter(|head| head.is_readable());
        assert!(readable.all(|head| !head.is_complete()), "round {round}: no text was read");
        // Edited, moved or deleted between the load and the query that needs the texts.
        for _ in 0..numbers.below(3) {
            disturb(&bed.root(), &mut numbers);
        }
        match numbers.below(3) {
            0 => drop(vault.records(&["contact"]).unwrap()),
            1 => drop(vault.notes().unwrap()),
            _ => {}
        }
        assert_eq!(read(&vault), read(&bed.vault()), "round {round}");
        assert_eq!(seen(&vault), seen(&bed.vault()), "round {round}");
        disturb(&bed.root(), &mut numbers);
        assert_eq!(read(&vault), read(&bed.vault()), "round {round}, everything in memory");
    }
}

#[test]
fn only_the_texts_a_query_needs_are_read() {
    let bed = Bed::new(&[("jane.md", JANE), ("deal.md", "---\ntype: Deal\n---\n"), ("plain.md", "plain\n")]);
    let vault = bed.vault();
    vault.index().wait(AN_HOUR);
    let complete = || {
        let listing = vault.index().listing(&vault.core().disk, Texts::Nobodys).unwrap();
        let complete = listing.heads.iter().filter(|head| head.is_complete());
        complete.map(|head| head.path.to_string()).collect::<Vec<_>>()
    };
    vault.notes().unwrap();
    vault.problems().unwrap();
    vault.status().unwrap();
    vault.find("plain").unwrap();
    assert_eq!(complete(), Vec::<String>::new());
    assert_eq!(vault.records(&["deal"]).unwrap().len(), 1);
    assert_eq!(complete(), ["deal.md"]);
    vault.seen_by_owner().tags().unwrap();
    assert_eq!(complete(), ["deal.md", "jane.md", "plain.md"]);
}

/// Within one tick of the file system's clock, an edit can leave times and size unchanged. That cannot be
/// provoked reliably, so the test checks that the note is read again.
#[test]
fn rereads_notes_that_were_read_right_after_a_write() {
    let (_bed, vault) = loop {
        let begun = Instant::now();
        let bed = Bed::new(&[("a.md", JANE), ("In/b.md", "b\n")]);
        let vault = bed.vault();
        vault.notes().unwrap();
        // On a busy machine the write may no longer be recent.
        if begun.elapsed() < Duration::from_secs(1) {
            break (bed, vault);
        }
    };
    let read_again = || work::of(|| vault.index().listing(&vault.core().disk, Texts::Nobodys).unwrap()).1;
    vault.index().wait(AN_HOUR);
    assert_eq!(read_again(), 2, "both were just written when they were read");
    assert_eq!(read_again(), 0);
}

/// If the clock was ahead, a later edit can leave the times unchanged. That cannot be provoked here, so the
/// test checks that the note is read again.
#[test]
fn notes_read_before_the_clock_was_set_back_are_read_again() {
    let bed = Bed::new(&[("a.md", JANE), ("In/b.md", "b\n")]);
    let vault = bed.vault();
    let read_again = || work::of(|| vault.index().listing(&vault.core().disk, Texts::Nobodys).unwrap()).1;
    vault.index().wait(AN_HOUR);
    vault.notes().unwrap();
    assert_eq!(read_again(), 0, "both were read long after they were written");
    vault.index().wait(-AN_HOUR);
    assert_eq!(read_again(), 2);

    // An edit that keeps size and modification time is detected anyway.
    vault.index().wait(AN_HOUR);
    vault.notes().unwrap();
    let file = fs::File::options().write(true).open(bed.root().join("a.md")).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    fs::write(bed.root().join("a.md"), JANE.replace("Jane Doe", "Jane Roe")).unwrap();
    file.set_modified(modified).unwrap();
    vault.index().wait(-AN_HOUR);
    assert!(vault.records(&["contact"]).unwrap()[0].text.contains("Jane Roe"));
}

#[test]
fn note_whose_text_was_not_read_is_hidden() {
    let bed = Bed::new(&[("open.md", "---\nnova: public\n---\n")]);
    let vault = bed.vault();
    vault.index().wait(AN_HOUR);
    let listing = vault.index().listing(&vault.core().disk, Texts::Nobodys).unwrap();
    let remote = Privacy { remote: true, private: Vec::new() };
    assert!(listing.heads[0].is_hidden_by(&remote));
    let listing = vault.index().listing(&vault.core().disk, Texts::All).unwrap();
    assert!(!listing.heads[0].is_hidden_by(&remote));
}

#[test]
fn answers_are_correct_right_after_a_burst() {
    let bed = Bed::new(&[]);
    let text = |n: usize, version: usize| format!("---\ntype: contact\nname: {n}-{version}\n---\n");
    for n in 0..3000 {
        bed.put(&format!("{}/{}/{n}.md", n % 7, n % 50), &text(n, 0));
    }
    let vault = bed.vault();
    assert_eq!(vault.notes().unwrap().len(), 3000);
    // Every note again, some deleted, some new, without a pause before the query.
    for n in 0..3000 {
        let path = format!("{}/{}/{n}.md", n % 7, n % 50);
        match n % 10 {
            0 => fs::remove_file(bed.root().join(path)).unwrap(),
            1 => bed.put(&format!("new/{n}.md"), &text(n, 2)),
            _ => bed.put(&path, &text(n, 1)),
        }
    }
    let found: BTreeMap<_, _> = vault
        .records(&["contact"])
        .unwrap()
        .into_iter()
        .map(|note| (bed.root().join(note.path.as_str()), note.text.to_string()))
        .collect();
    let there: BTreeMap<_, _> = files_below(&bed.root())
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file).unwrap();
            (file, text)
        })
        .collect();
    assert_eq!(found.len(), 3000);
    assert_eq!(found, there);
}

#[test]
fn notes_by_type_are_correct_after_few_and_many_changes() {
    let bed = Bed::new(&[]);
    let of = |record_type: &str| format!("---\ntype: {record_type}\n---\n");
    for n in 0..100 {
        bed.put(&format!("{n:02}.md"), &of(if n < 30 { "contact" } else { "deal" }));
    }
    let vault = bed.vault();
    let check = |contacts: std::ops::Range<usize>, deals: usize| {
        let paths: Vec<_> = vault.records(&["Contact"]).unwrap().iter().map(|n| n.path.to_string()).collect();
        assert_eq!(paths, contacts.map(|n| format!("{n:02}.md")).collect::<Vec<_>>());
        assert_eq!(vault.records(&["deal"]).unwrap().len(), deals);
    };
    check(0..30, 70);
    // One by one: another type, another spelling of the same type, deleted, new.
    bed.put("30.md", &of("CONTACT"));
    bed.put("31.md", &of("contact"));
    std::fs::remove_file(bed.root().join("99.md")).unwrap();
    bed.put("100.md", &of("deal"));
    check(0..32, 68);
    for n in 32..100 {
        bed.put(&format!("{n:02}.md"), &of("contact"));
    }
    check(0..100, 1);
    bed.put("00.md", "no record any more\n");
    check(1..100, 1);
}

#[test]
fn answer_is_unaffected_by_later_changes() {
    let bed = Bed::new(&[("a.md", "---\ntype: contact\n---\n"), ("b.md", "plain\n")]);
    let vault = bed.vault();
    let before = vault.notes().unwrap();
    std::fs::remove_file(bed.root().join("a.md")).unwrap();
    bed.put("c.md", "---\ntype: deal\n---\n");
    let lines = |notes: &Notes| {
        let line = |note: NoteEntry<'_>| format!("{} {}", note.path, note.record_type.unwrap_or("none"));
        notes.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(lines(&vault.notes().unwrap()), ["b.md none", "c.md deal"]);
    assert_eq!(lines(&before), ["a.md contact", "b.md none"]);
    // Without changes, both answers share one listing.
    let [one, other] = [(); 2].map(|()| vault.index().listing(&vault.core().disk, Texts::Nobodys).unwrap());
    assert!(std::sync::Arc::ptr_eq(&one, &other));
}

#[test]
fn other_files_are_listed_as_link_targets() {
    let bed = Bed::new(&[
        ("z.canvas", ""),
        ("a/image.png", ""),
        ("a/Deals.base", ""),
        ("a/note.md", ""),
        (".obsidian/app.json", ""),
        ("a/.DS_Store", ""),
    ]);
    std::os::unix::fs::symlink("image.png", bed.root().join("a/link.png")).unwrap();
    let vault = bed.vault();
    let files = || {
        let listing = vault.index().listing(&vault.core().disk, Texts::Nobodys).unwrap();
        listing.files.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(files(), ["a/Deals.base", "a/image.png", "z.canvas"]);
    fs::rename(bed.root().join("a/image.png"), bed.root().join("picture.png")).unwrap();
    fs::remove_file(bed.root().join("z.canvas")).unwrap();
    assert_eq!(files(), ["a/Deals.base", "picture.png"]);
    // A folder replaces a file, and vice versa.
    fs::remove_file(bed.root().join("picture.png")).unwrap();
    bed.put("picture.png/in.jpg", "");
    assert_eq!(files(), ["a/Deals.base", "picture.png/in.jpg"]);
    fs::remove_dir_all(bed.root().join("picture.png")).unwrap();
    bed.put("picture.png", "");
    assert_eq!(files(), ["a/Deals.base", "picture.png"]);
}

#[test]
fn large_folder_is_compared_in_all_its_parts() {
    let bed = Bed::new(&[]);
    for n in 0..1000 {
        bed.put(&format!("{n:04}.md"), JANE);
    }
    let vault = bed.vault();
    assert_eq!(vault.records(&["contact"]).unwrap().len(), 1000);
    for n in [0, 255, 256, 511, 999] {
        bed.put(&format!("{n:04}.md"), "---\ntype: deal\n---\n");
    }
    let deals: Vec<_> = vault.records(&["deal"]).unwrap().iter().map(|note| note.path.to_string()).collect();
    assert_eq!(deals, ["0000.md", "0255.md", "0256.md", "0511.md", "0999.md"]);
    assert_eq!(vault.records(&["contact"]).unwrap().len(), 995);
}

#[test]
fn endlessly_nested_folder_is_a_problem_and_does_not_hang() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let deep = vec!["d"; 200].join("/");
    bed.put(&format!("{deep}/deep.md"), JANE);
    let vault = bed.vault();
    assert_eq!(vault.notes().unwrap().len(), 1);
    let problems = vault.problems().unwrap();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, vec!["d"; 129].join("/"));
    assert!(problems[0].problem.contains("more than 128 folders deep"), "{}", problems[0].problem);
}

#[test]
fn many_folders_need_few_handles() {
    let bed = Bed::new(&[]);
    for n in 0..3000 {
        bed.put(&format!("{n}/a.md"), JANE);
    }
    // The usual limit per process is 1,024.
    let vault = bed.vault();
    assert_eq!(vault.problems().unwrap(), []);
    assert_eq!(vault.records(&["contact"]).unwrap().len(), 3000);
}

#[test]
fn note_saved_while_its_folder_is_listed_is_never_missing() {
    const NOTES: usize = 2000;
    let bed = Bed::in_memory(&[]);
    let name = |number: usize| format!("A note with a longer name {number:05}.md");
    (0..NOTES).for_each(|number| bed.put(&name(number), "one\n"));
    let vault = bed.vault();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in (0..).map(|at: usize| at * 7919 % NOTES) {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                bed.put_whole(&name(number), "two\n");
            }
        });
        let counts: Vec<usize> = (0..12).map(|_| vault.notes().unwrap().len()).collect();
        done.store(true, Ordering::Relaxed);
        assert_eq!(counts, [NOTES; 12]);
    });
}
