//! Overhead of starting and ending a command under a guard, compared with a bare process.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nova_guard::{Confinement, Files, Guard, Guarded, Limits, ShownFolder, View};

const ROUNDS: usize = 21;
const PROGRAM: &str = "/bin/true";
const SHELL: &str = "/bin/bash";
const TRUE: [&str; 2] = ["-c", "true"];

fn main() -> ExitCode {
    if !cfg!(target_os = "linux") {
        println!("there is no guard on this system");
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure())
}

async fn measure() -> ExitCode {
    let guard = Guard::new(env!("CARGO_BIN_EXE_nova-guard"), []);
    let (mut bare, mut supervised, mut confined, mut starting) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut bare_shell, mut shell_in_view) = (Vec::new(), Vec::new());
    let shown = std::env::temp_dir();
    // Interleaved, so that other load on the machine affects all variants alike.
    for _ in 0..ROUNDS {
        let began = Instant::now();
        assert!(tokio::process::Command::new(PROGRAM).status().await.unwrap().success());
        bare.push(began.elapsed());
        for (confinement, times) in
            [(Confinement::supervised(), &mut supervised), (Confinement::nothing(), &mut confined)]
        {
            let began = Instant::now();
            let mut guarded = guard.command(&confinement, PROGRAM).start().await.unwrap();
            let started = began.elapsed();
            assert!(guarded.wait().await.unwrap().success());
            times.push(began.elapsed());
            if !confinement.network {
                starting.push(started);
            }
        }
        let began = Instant::now();
        assert!(tokio::process::Command::new(SHELL).args(TRUE).status().await.unwrap().success());
        bare_shell.push(began.elapsed());
        let began = Instant::now();
        let mut guarded = guard.command(&view(&shown), SHELL).args(TRUE).start().await.unwrap();
        assert!(guarded.wait().await.unwrap().success());
        shell_in_view.push(began.elapsed());
    }
    let mut sleeper =
        guard.command(&Confinement::supervised(), "/bin/sleep").args(["1000"]).start().await.unwrap();
    let memory = proportional_memory(&sleeper);
    let began = Instant::now();
    sleeper.kill().await.unwrap();
    let killing = began.elapsed();

    let bare = median(bare);
    row("bare", bare);
    row("under a guard, not confined", median(supervised));
    let confined = median(confined);
    row("under a guard, confined to nothing", confined);
    row("  of that, until it runs", median(starting));
    row("killing it, until it is gone (once)", killing);
    let (bare_shell, shell_in_view) = (median(bare_shell), median(shell_in_view));
    row("bash true, bare", bare_shell);
    row("bash true, in a view", shell_in_view);
    row("  more than bare (goal: 30 ms)", shell_in_view.saturating_sub(bare_shell));
    println!("{:<44} {:>9} kB", "memory of a guard (PSS)", memory);
    ExitCode::SUCCESS
}

/// As for commands of tools: a folder to read, one to write, and limits for all processes together.
fn view(shown: &Path) -> Confinement {
    let folder = |at: &str, write| ShownFolder { source: shown.to_owned(), at: at.into(), write };
    let folders = vec![folder("/vault", false), folder("/scratch", true)];
    let limits = Limits { all_memory: Some(1 << 30), all_processes: Some(256), ..Limits::default() };
    let view = View { folders, ..View::default() };
    Confinement { files: Files::View(view), spawn: true, limits, ..Confinement::nothing() }
}

/// In kilobytes; shared memory counts proportionally (PSS).
fn proportional_memory(guarded: &Guarded) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", guarded.guard_id().unwrap())).unwrap();
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn row(what: &str, time: Duration) {
    println!("{what:<44} {:>9.2} ms", time.as_secs_f64() * 1e3);
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
