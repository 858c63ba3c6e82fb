//! Full-text search: in memory compared with the grep crates, and `nova vault search` compared with `rg`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use common::{ROUNDS, Table, fingerprint, make_up, measure, median, sizes, threads};
use grep_regex::RegexMatcherBuilder;
use grep_searcher::sinks::UTF8;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use ignore::{WalkBuilder, WalkState};
use nova_vault::{Search, SearchMode, Vault};

/// The first occurs in one note of a thousand, the second in none.
const QUERIES: [&str; 2] = ["NEEDLE in the", "nowhere to be seen"];

fn main() -> ExitCode {
    let commands = Commands::built();
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
            commands.compare(&mut table, &root, query);
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

/// The same search with the crates that `rg` is built on.
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

/// The programs, each started for one search.
struct Commands {
    nova: PathBuf,
    /// Nova's data folder, isolated from this machine's own.
    home: tempfile::TempDir,
}

impl Commands {
    fn built() -> Commands {
        let nova = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("nova");
        assert!(nova.is_file(), "build it first: cargo build --release --features desktop --bin nova");
        let rg = Command::new("rg").arg("--version").output();
        assert!(rg.is_ok(), "ripgrep is not installed; `.ci/setup bench` does it");
        let home = tempfile::tempdir().unwrap();
        for part in ["config", "data"] {
            fs::create_dir(home.path().join(part)).unwrap();
        }
        Commands { nova, home }
    }

    fn compare(&self, table: &mut Table, root: &Path, query: &str) {
        let nova = || {
            let mut nova = Command::new(&self.nova);
            nova.args(["vault", "search", query, "--limit", MOST]).env("NOVA_VAULT", root);
            nova.env("NOVA_CONFIG_DIR", self.home.path().join("config"));
            nova.env("NOVA_DATA_DIR", self.home.path().join("data"));
            nova.output().unwrap().stdout
        };
        let rg = || {
            let mut rg = Command::new("rg");
            rg.args(["-i", "-F", "-n", "--no-heading", "--no-ignore", "-g", "*.md", query]).arg(root);
            rg.output().unwrap().stdout
        };
        // Nova prints a sentence if there is no hit.
        let hits = |output: Vec<u8>| {
            String::from_utf8(output).unwrap().lines().filter(|line| line.contains(".md:")).count()
        };
        assert_eq!(hits(nova()), hits(rg()));
        let times = measure(ROUNDS, &mut [&mut || drop(nova()), &mut || drop(rg())]);
        let what = format!("nova vault search \"{query}\" / rg");
        table.at_most(&what, median(&times[0]), median(&times[1]), 1.5);
    }
}

/// More than the number of hits.
const MOST: &str = "1000";
