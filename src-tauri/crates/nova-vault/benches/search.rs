//! How fast notes are searched, in memory beside the grep crates and as a program beside `rg`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use common::{ROUNDS, Table, fingerprint, make_up, measure, median, open, sizes, threads};
use grep_regex::RegexMatcherBuilder;
use grep_searcher::sinks::UTF8;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use ignore::{WalkBuilder, WalkState};
use nova_vault::{Search, SearchMode, Vault};

/// In one note of a thousand, and in none.
const QUERIES: [&str; 2] = ["NEEDLE in the", "nowhere to be seen"];

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().collect();
    if let [_, mode, root, query] = arguments.as_slice()
        && mode == "search"
    {
        for (path, line, text) in hits(&open(root.as_ref()), query) {
            println!("{path}:{line}:{text}");
        }
        return ExitCode::SUCCESS;
    }
    let mut table = Table::default();
    for size in sizes() {
        let made = make_up(size);
        let root = made.root();
        println!("== {} notes, {:.1} MB, {} threads", made.notes, made.bytes as f64 / 1e6, threads());
        let before = fingerprint(&root);
        let vault = made.open();
        vault.notes().unwrap();
        for query in QUERIES {
            let times = measure(
                ROUNDS,
                &mut [&mut || drop(hits(&vault, query)), &mut || drop(grepped(&root, query))],
            );
            assert_eq!(hits(&vault, query), grepped(&root, query));
            let what = format!("search for \"{query}\", warm / grep crates");
            table.at_most(&what, median(&times[0]), median(&times[1]), 0.5);
            programs(&mut table, &root, query);
        }
        assert_eq!(fingerprint(&root), before, "searching changed the vault");
    }
    table.end()
}

fn hits(vault: &Vault, query: &str) -> BTreeSet<(String, u64, String)> {
    let search = Search { query: query.to_owned(), mode: SearchMode::Text, limit: usize::MAX };
    let answer = vault.seen_by_owner().search(&search).unwrap();
    answer.hits.into_iter().map(|hit| (hit.path.to_string(), hit.line.into(), hit.text)).collect()
}

/// The same by the crates that `rg` is made of.
fn grepped(root: &Path, query: &str) -> BTreeSet<(String, u64, String)> {
    let found = Mutex::new(BTreeSet::new());
    let matcher = RegexMatcherBuilder::new()
        .case_insensitive(true)
        .line_terminator(Some(b'\n'))
        .fixed_strings(true)
        .build(query)
        .unwrap();
    let walk =
        WalkBuilder::new(root).standard_filters(false).hidden(true).threads(threads()).build_parallel();
    walk.run(|| {
        let mut searcher =
            SearcherBuilder::new().line_number(true).binary_detection(BinaryDetection::quit(0)).build();
        let (matcher, found) = (matcher.clone(), &found);
        Box::new(move |entry| {
            let entry = entry.unwrap();
            if entry.path().extension().is_some_and(|extension| extension == "md") {
                let path = entry.path().strip_prefix(root).unwrap().to_str().unwrap();
                let sink = UTF8(|line, text| {
                    let text = text.trim_end_matches(['\r', '\n']).to_owned();
                    found.lock().unwrap().insert((path.to_owned(), line, text));
                    Ok(true)
                });
                searcher.search_path(&matcher, entry.path(), sink).unwrap();
            }
            WalkState::Continue
        })
    });
    found.into_inner().unwrap()
}

/// A program that opens the vault, searches once and ends, beside `rg`.
fn programs(table: &mut Table, root: &Path, query: &str) {
    if Command::new("rg").arg("--version").output().is_err() {
        println!("rg is not installed: the search of a program is not compared");
        return;
    }
    let own = std::env::current_exe().unwrap();
    let nova = || Command::new(&own).arg("search").arg(root).arg(query).output().unwrap().stdout;
    let rg = || {
        let mut rg = Command::new("rg");
        rg.args(["-i", "-F", "-n", "--no-heading", "--no-ignore", "-g", "*.md", query]).arg(root);
        rg.output().unwrap().stdout
    };
    let lines = |output: Vec<u8>| String::from_utf8(output).unwrap().lines().count();
    assert_eq!(lines(nova()), lines(rg()));
    let times = measure(ROUNDS, &mut [&mut || drop(nova()), &mut || drop(rg())]);
    let what = format!("search for \"{query}\", as a program / rg");
    table.at_most(&what, median(&times[0]), median(&times[1]), 1.5);
}
