//! Search speed compared with the `rg` command, over 10,000 files.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use nova_workspace::{Access, Folder, Folders, Grep};

const FILES: usize = 10_000;
const ROUNDS: usize = 15;
/// Allowed slowdown relative to `rg`.
const MOST: f64 = 1.2;
/// One matches in one of a thousand files, the other in none.
const PATTERNS: [&str; 2] = ["needle [0-9]+", "nowhere to be seen"];

fn main() -> ExitCode {
    let version = Command::new("rg").arg("--version").output();
    assert!(version.is_ok(), "ripgrep is not installed; `.ci/setup bench` does it");
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("code");
    for number in 0..FILES {
        let folder = root.join(format!("{:02}/{}", number / 100 % 100, number % 7));
        fs::create_dir_all(&folder).unwrap();
        let mut text: String =
            (0..60).map(|line| format!("fn line_{line}() {{ let x = {number}; }}\n")).collect();
        if number % 1000 == 0 {
            text.push_str(&format!("// needle {number}\n"));
        }
        fs::write(folder.join(format!("{number}.rs")), text).unwrap();
    }
    let folders = Folders::new(vec![Folder::open("code", &root, Access::Read).unwrap()]);
    let code = folders.find("code").unwrap();
    let mut missed = false;
    for pattern in PATTERNS {
        let grep = Grep { pattern: pattern.into(), limit: 1000, ..Grep::default() };
        let own = || code.grep(&grep, &|_| (), &|| false).unwrap().hits.len();
        let rg = || {
            let found = Command::new("rg").args(["-n", "--no-heading", pattern]).arg(&root).output().unwrap();
            found.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count()
        };
        assert_eq!(own(), rg(), "both find the same lines");
        let (mut times, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            times.push(timed(&own));
            theirs.push(timed(&rg));
        }
        let (own, rg) = (median(times), median(theirs));
        let ratio = own.as_secs_f64() / rg.as_secs_f64();
        missed |= ratio > MOST;
        let goal = if ratio > MOST { "missed" } else { "met" };
        println!(
            "core.grep \"{pattern}\", {FILES} files: {own:.1?}, rg {rg:.1?}, {ratio:.2} of {MOST} {goal}"
        );
    }
    if missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn timed(work: &dyn Fn() -> usize) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
