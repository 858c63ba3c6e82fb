//! Compares Nova's window with a minimal Tauri window, on this machine and in the same run: time to the
//! second frame, memory of all processes, latency of a command's round trip. Also measures the cost of a
//! streaming answer, the time to open a large board, and the startup delay caused by dead MCP servers.
//!
//! `make bench` runs it; nothing passes or fails here. The argument `streaming`, `board` or `servers` selects
//! one measurement.

// Its output is a table on standard output.
#![allow(clippy::print_stdout)]

#[path = "../harness/mod.rs"]
mod harness;
mod servers;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use harness::{Home, Window};
use serde_json::Value;

/// Starts per program, alternating so that a busy moment of the machine affects both.
const ROUNDS: usize = 10;

/// Measurements of one start of a program.
struct Start {
    painted_ms: f64,
    memory_mb: f64,
    round_trips_ms: Vec<f64>,
    /// From saving a note to its event in the page; the baseline window has no vault.
    saves_ms: Vec<f64>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let nova = PathBuf::from(env!("CARGO_BIN_EXE_nova"));
    // First, with nothing else running.
    let streaming = streaming().await;
    if std::env::args().any(|arg| arg == "streaming") {
        println!("processor at 100 tokens a second, % of a core: {:.1}", streaming.all);
        println!("the same without the graphics card's part: {:.1}", streaming.all - streaming.graphics);
        return;
    }
    if std::env::args().any(|arg| arg == "board") {
        print_board(&board().await);
        return;
    }
    if std::env::args().any(|arg| arg == "servers") {
        servers::print(&servers::usable(&nova).await);
        return;
    }
    let board = board().await;
    let usable = servers::usable(&nova).await;
    let bare = nova.with_file_name("examples").join("bare-window");
    assert!(bare.exists(), "{} is missing; `make bench` builds it", bare.display());

    let (mut of_bare, mut of_nova) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        of_bare.push(start(&bare, false).await);
        of_nova.push(start(&nova, true).await);
    }

    println!("{:<44}{:>12}{:>12}{:>9}", "", "bare window", "Nova", "ratio");
    row("start to second frame, ms, median", &of_bare, &of_nova, |all| {
        share(all.iter().map(|one| one.painted_ms), 0.5)
    });
    row("memory of all processes, MB, median", &of_bare, &of_nova, |all| {
        share(all.iter().map(|one| one.memory_mb), 0.5)
    });
    let saves = share(of_nova.iter().flat_map(|one| one.saves_ms.iter().copied()), 0.5);
    println!("{:<44}{:>12}{saves:>12.1}", "note saved to event in the page, ms, median", "");
    println!("{:<44}{:>12}{:>12.1}", "processor at 100 tokens a second, % of a core", "", streaming.all);
    let without = streaming.all - streaming.graphics;
    println!("{:<44}{:>12}{without:>12.1}", "the same without the graphics card's part", "");
    print_board(&board);
    servers::print(&usable);
    // Percentiles over all rounds of the means that `round_trips` returns.
    for (name, part) in [("median", 0.5), ("95th of 100", 0.95)] {
        row(&format!("command and answer, ms, {name}"), &of_bare, &of_nova, |all| {
            share(all.iter().flat_map(|one| one.round_trips_ms.iter().copied()), part)
        });
    }
}

/// Deals on the board, and measured starts.
const DEALS: usize = 800;
const BOARDS: usize = 5;

/// From the key that opens the board to its last deal, in ms, by start of Nova: right after the start, which
/// includes the first read of the vault, and once more with the panel reopened.
struct Board {
    first_ms: Vec<f64>,
    again_ms: Vec<f64>,
}

async fn board() -> Board {
    let (mut first_ms, mut again_ms) = (Vec::new(), Vec::new());
    let mut home = Home::new();
    let stages = ["lead", "contacted", "qualified", "proposal", "won"];
    for at in 0..DEALS {
        let stage = stages[at % stages.len()];
        let deal = format!(
            "---\ntype: deal\ntitle: Deal {at}\ncompany: \"[[Company {}]]\"\nstage: {stage}\nvalue: {}\ncurrency: EUR\n\
             close_date: 2026-12-{:02}\n---\n\nAn offer.\n\n## Log\n\n- 2026-11-12 Sent.\n",
            at % 97,
            1000 + at,
            1 + at % 28
        );
        home = home.note(&format!("CRM/Deals/Deal {at}.md"), &deal);
    }
    for _ in 0..BOARDS {
        let window = Window::open(&home).await;
        window.wait_for("[data-testid=composer-input]").await;
        first_ms.push(open_board(&window).await);
        window.press(&[fantoccini::key::Key::Control], '.').await;
        window.wait_gone("[data-column]").await;
        again_ms.push(open_board(&window).await);
        window.close().await;
    }
    Board { first_ms, again_ms }
}

/// Presses the panel's key and returns the time until the columns count all deals and the next frame is
/// drawn.
async fn open_board(window: &Window) -> f64 {
    window
        .ask(&format!(
            "window.shown = null;
             addEventListener('keydown', () => {{
               const pressed = performance.now();
               const look = () => {{
                 const columns = [...document.querySelectorAll('[data-column]')];
                 const count = columns.reduce((sum, one) => sum + Number(/, (\\d+)/.exec(one.ariaLabel)?.[1] ?? 0), 0);
                 if (count < {DEALS} || !document.querySelector('[data-card]')) return setTimeout(look, 2);
                 requestAnimationFrame(() => setTimeout(() => {{ window.shown = performance.now() - pressed; }}));
               }};
               look();
             }}, {{ capture: true, once: true }});"
        ))
        .await;
    window.press(&[fantoccini::key::Key::Control], '3').await;
    let shown = window
        .ask_later(
            "const done = arguments[0];
             const look = () => window.shown === null ? setTimeout(look, 5) : done(window.shown);
             look();",
        )
        .await;
    shown.as_f64().expect("a time in milliseconds")
}

fn print_board(Board { first_ms, again_ms }: &Board) {
    let median = |times: &[f64]| share(times.iter().copied(), 0.5);
    println!("{:<44}{:>12}{:>12.1}", "board of 800 deals, vault unread, ms, median", "", median(first_ms));
    println!("{:<44}{:>12}{:>12.1}", "board of 800 deals again, ms, median", "", median(again_ms));
}

/// Streamed tokens per second, and the duration of the measurement.
const TOKENS_A_SECOND: u64 = 100;
const STREAMED: Duration = Duration::from_secs(15);

/// Percent of one core.
struct Streaming {
    all: f64,
    /// CPU time of Mesa's `llvmpipe`, which renders in software on machines without a GPU.
    graphics: f64,
}

/// CPU use of all the window's processes while an answer with prose, a table and code streams.
async fn streaming() -> Streaming {
    let seconds = STREAMED.as_secs() + 10;
    let words = STREAM.split_inclusive(' ').cycle().take((seconds * TOKENS_A_SECOND) as usize);
    let mut answer = nova_testkit::text("Here it is. ");
    for word in words {
        answer = answer.and(nova_testkit::pause()).and(nova_testkit::text(word));
    }
    let model = nova_testkit::ModelServer::start([answer]);
    let home = Home::new().provider(&model.base_url());
    let window = Window::open(&home).await;
    window.type_into("[data-testid=composer-input]", "Write on").await;
    window.click("[data-testid=send]").await;
    window.wait_for("[data-testid=message]").await;

    let mut ticks = tokio::time::interval(Duration::from_micros(1_000_000 / TOKENS_A_SECOND));
    // The first seconds include one-time loading.
    for _ in 0..3 * TOKENS_A_SECOND {
        ticks.tick().await;
        model.resume();
    }
    let before: Vec<(u32, f64, f64)> = window
        .processes()
        .into_iter()
        .map(|one| (one, processor_seconds(one), graphics_seconds(one)))
        .collect();
    let began = std::time::Instant::now();
    let mut sent = 0_u64;
    while began.elapsed() < STREAMED {
        ticks.tick().await;
        model.resume();
        sent += 1;
    }
    let took = began.elapsed().as_secs_f64();
    let (mut used, mut graphics) = (0.0, 0.0);
    for (process, then, graphics_then) in before {
        let its = processor_seconds(process) - then;
        graphics += graphics_seconds(process) - graphics_then;
        let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        eprintln!("{:>8.1} % {}", 100.0 * its / took, name.trim());
        used += its;
    }
    let rate = sent as f64 / took;
    assert!(rate > 0.9 * TOKENS_A_SECOND as f64, "only {rate:.0} tokens a second were sent");
    let shown = window.ask("return document.querySelector('[data-testid=message]').innerText.length;").await;
    assert!(shown.as_u64().is_some_and(|letters| letters > 1000), "the answer was not shown: {shown}");
    window.click("[data-testid=stop]").await;
    window.close().await;
    Streaming { all: 100.0 * used / took, graphics: 100.0 * graphics / took }
}

const STREAM: &str = "The *offers* of [[Jane Doe]] differ in what they cost and in how long they hold, which \
is why the **third** one is left out here and looked at again below.\n\n\
| Offer | First year | Third year |\n|:--|--:|--:|\n| Basic | 1,200.00 | 1,249.92 |\n| Plus | 2,400.00 | 2,598.00 |\n\n\
- one of them is due in May\n- the other one in June\n\n\
```rust\nfn grown(value: f64, rate: f64) -> f64 {\n    value * (1.0 + rate / 100.0)\n}\n```\n\n";

/// CPU seconds of a process, user and system.
fn processor_seconds(process: u32) -> f64 {
    seconds_in(&format!("/proc/{process}/stat"))
}

/// CPU seconds of its software-rendering threads.
fn graphics_seconds(process: u32) -> f64 {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let is_graphics = |thread: &Path| {
        std::fs::read_to_string(thread.join("comm")).is_ok_and(|name| name.starts_with("llvmpipe"))
    };
    let threads = threads.map(|thread| thread.path()).filter(|thread| is_graphics(thread));
    threads.map(|thread| seconds_in(&thread.join("stat").display().to_string())).sum()
}

fn seconds_in(stat: &str) -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string(stat).unwrap_or_default();
    let Some((_, rest)) = stat.rsplit_once(") ") else { return 0.0 };
    let fields: Vec<&str> = rest.split(' ').collect();
    // Fields 14 and 15 of the whole line: utime and stime.
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / TICKS_A_SECOND
}

async fn start(program: &Path, has_vault: bool) -> Start {
    let home = Home::new().note("Saved.md", "0\n");
    let stamp = tempfile::tempdir().expect("a temporary folder");
    let stamped = stamped_program(program, stamp.path());
    let window = Window::open_program(&home, &stamped).await;
    window.wait_for("#root > *").await;

    let painted = window
        .ask_later(
            "const done = arguments[0];
             const look = () => {
               const [mark] = performance.getEntriesByName('second-frame');
               if (mark) done(performance.timeOrigin + mark.startTime);
               else setTimeout(look, 5);
             };
             look();",
        )
        .await;
    let painted = painted.as_f64().expect("a time in milliseconds");
    let round_trips = round_trips(&window).await;
    let saves_ms = if has_vault { saves(&window, &home).await } else { Vec::new() };
    // Let the garbage of the start be collected before reading memory.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let memory_kb: u64 = window.processes().into_iter().map(proportional_memory_kb).sum();
    window.close().await;

    Start {
        painted_ms: painted - started_at(stamp.path()),
        memory_mb: memory_kb as f64 / 1024.0,
        round_trips_ms: round_trips,
        saves_ms,
    }
}

/// Times from the end of a save, as an editor does it, to its event in the page.
async fn saves(window: &Window, home: &Home) -> Vec<f64> {
    window
        .ask(
            "window.heard = [];
             const id = window.__TAURI_INTERNALS__.transformCallback(({ message }) => {
               for (const event of message ?? []) {
                 if (event.type === 'vault_changed') window.heard.push(performance.timeOrigin + performance.now());
               }
             });
             window.__TAURI_INTERNALS__.invoke('subscribe', { channel: `__CHANNEL__:${id}` });",
        )
        .await;
    let mut times = Vec::new();
    for save in 1..=20 {
        std::fs::write(home.vault().join("Saved.md"), format!("{save}\n")).expect("the note");
        let saved = std::time::UNIX_EPOCH.elapsed().expect("a time after 1970").as_secs_f64() * 1000.0;
        let heard = window
            .ask_later(&format!(
                "const done = arguments[0];
                 const look = () => window.heard.length >= {save} ? done(window.heard[{save} - 1]) : setTimeout(look, 5);
                 look();"
            ))
            .await;
        times.push(heard.as_f64().expect("a time in milliseconds") - saved);
    }
    times
}

/// Latencies of a command without work: a refused one crosses the same bridge both ways, so it also works in
/// the baseline window, which has no commands. Each value is the mean of ten, because the page's clock counts
/// whole milliseconds.
async fn round_trips(window: &Window) -> Vec<f64> {
    let times = window
        .ask_later(
            "const done = arguments[0];
             (async () => {
               const times = [];
               for (let i = 0; i < 50; i++) {
                 const sent = performance.now();
                 for (let j = 0; j < 10; j++) {
                   await window.__TAURI_INTERNALS__.invoke('plugin:app|name').catch(() => {});
                 }
                 times.push((performance.now() - sent) / 10);
               }
               done(times);
             })();",
        )
        .await;
    let times = times.as_array().cloned().unwrap_or_default();
    times.iter().filter_map(Value::as_f64).collect()
}

/// A script that records the time, then execs `program`: the driver starts the program, not this process.
fn stamped_program(program: &Path, folder: &Path) -> PathBuf {
    let script = folder.join("start");
    let text = format!(
        "#!/bin/sh\ndate +%s%N >'{}'\nexec '{}' \"$@\"\n",
        folder.join("started").display(),
        program.display()
    );
    std::fs::write(&script, text).expect("the start script");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700)).expect("its mode");
    script
}

/// When the program started, in milliseconds since 1970.
fn started_at(folder: &Path) -> f64 {
    let text = std::fs::read_to_string(folder.join("started")).expect("the start script's note");
    text.trim().parse::<f64>().expect("nanoseconds since 1970") / 1e6
}

/// Proportional set size (PSS) of one process.
fn proportional_memory_kb(process: u32) -> u64 {
    let file = format!("/proc/{process}/smaps_rollup");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).expect("a Pss line");
    line.trim().trim_end_matches(" kB").parse().expect("a number of kB")
}

/// The value below which `part` of all values lie.
fn share(values: impl Iterator<Item = f64>, part: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((last as f64 * part).round() as usize).copied().unwrap_or(f64::NAN)
}

fn row(name: &str, bare: &[Start], nova: &[Start], figure: impl Fn(&[Start]) -> f64) {
    let (bare, nova) = (figure(bare), figure(nova));
    println!("{name:<44}{bare:>12.1}{nova:>12.1}{:>9.2}", nova / bare);
}
