//! Time to load a tool file, overhead of a call, and memory of many tools, with the real script process under
//! its guard.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nova_guard::Guard;
use nova_registry::{ToolFile, ToolHost};
use nova_script::host::{HostOptions, MayRunUnconfined, ScriptHost, UnderGuard};
use nova_skill::{CallToken, Tool, ToolOutput, Value};
use nova_testkit::TestContext;
use serde_json::json;
use tempfile::TempDir;

const ROUNDS: usize = 15;
const CALLS: usize = 501;
const TOOLS: usize = 50;
/// A process does not announce that it is ready; its startup takes 50 ms.
const AT_REST: Duration = Duration::from_millis(400);
/// Tolerance: a result misses its goal when it exceeds it by this factor.
const NOISE: f64 = 1.15;

fn main() -> ExitCode {
    if !cfg!(target_os = "linux") {
        println!("there is no guard on this system");
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(measure())
}

async fn measure() -> ExitCode {
    let load = fs::read_to_string("/proc/loadavg").unwrap();
    println!("load average {}", load.trim());
    let mut kept = true;
    row("new content, no process there: callable", median(cold().await), None);
    let (loads, calls) = spare().await;
    kept &= row("new content, a process waits: a tool", median(loads), Some(Duration::from_millis(10)));
    row("  the same and its first call", median(calls), None);
    let goal = Some(Duration::from_millis(10));
    kept &= row("one more file of a folder skill: a tool", median(further(AT_REST).await), goal);
    row("  the same while others are read", median(further(Duration::ZERO).await), None);
    let mut calls = calls_without_io().await;
    kept &= row("a call without I/O", median(calls.clone()), Some(Duration::from_millis(1)));
    calls.sort();
    row("  the slowest of a hundred", calls[CALLS * 99 / 100], None);
    kept &= memory().await;
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// From a new file to the end of its first call, without any process running.
async fn cold() -> Vec<Duration> {
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let host = Host::new(|_| {});
        let began = Instant::now();
        let tool = host.load("dynamic/cold.ts", round).await;
        call(&tool, round).await;
        times.push(began.elapsed());
        assert_eq!(host.host.started(), 1);
    }
    times
}

/// From a new file to its tool, and to the end of its first call.
async fn spare() -> (Vec<Duration>, Vec<Duration>) {
    let (mut loads, mut calls) = (Vec::new(), Vec::new());
    let host = Host::new(|options| options.spare = true);
    host.host.warm();
    for round in 0..ROUNDS {
        tokio::time::sleep(AT_REST).await;
        let started = host.host.started();
        let began = Instant::now();
        let tool = host.load(&format!("dynamic/spare{round}.ts"), round).await;
        loads.push(began.elapsed());
        call(&tool, round).await;
        calls.push(began.elapsed());
        assert_eq!(started, 1 + round as u64, "one spare process was used and one started");
    }
    (loads, calls)
}

/// A folder skill with many tools, each with its own runtime in one process, which prepares one runtime in
/// advance while idle.
async fn further(rest: Duration) -> Vec<Duration> {
    let host = Host::new(|_| {});
    call(&host.load("skill", ROUNDS).await, ROUNDS).await;
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        tokio::time::sleep(rest).await;
        let began = Instant::now();
        let tool = host.load("skill", round).await;
        times.push(began.elapsed());
        call(&tool, round).await;
    }
    assert_eq!(host.host.started(), 1);
    times
}

async fn calls_without_io() -> Vec<Duration> {
    let host = Host::new(|_| {});
    let tool = host.load("dynamic/called.ts", 0).await;
    call(&tool, 0).await;
    let mut times = Vec::new();
    for round in 0..CALLS {
        let began = Instant::now();
        call(&tool, round).await;
        times.push(began.elapsed());
    }
    assert_eq!(host.host.started(), 1);
    times
}

/// Each tool in its own process, after a call; including the guards.
async fn memory() -> bool {
    let host = Host::new(|_| {});
    for number in 0..TOOLS {
        let tool = host.load(&format!("dynamic/tool{number}.ts"), number).await;
        call(&tool, number).await;
    }
    assert_eq!(host.host.alive(), TOOLS);
    let (mut guards, mut scripts) = (Vec::new(), Vec::new());
    for guard in children(std::process::id()) {
        guards.push(proportional_memory(guard));
        scripts.extend(children(guard).into_iter().map(proportional_memory));
    }
    assert_eq!((guards.len(), scripts.len()), (TOOLS, TOOLS));
    let [guards, scripts] = [guards, scripts].map(|kilobytes| kilobytes.iter().sum::<u64>() as f64 / 1e3);
    let all = guards + scripts;
    println!("{:<44} {guards:>9.1} MB", format!("memory of {TOOLS} guards (PSS)"));
    println!("{:<44} {scripts:>9.1} MB", format!("memory of {TOOLS} tools (PSS)"));
    let kept = all <= 250.0 * NOISE;
    let verdict = if kept { "kept" } else { "MISSED" };
    println!("{:<44} {all:>9.1} MB, at most 250: {verdict}", "  together");
    kept
}

/// A host with a temporary data folder.
struct Host {
    host: ScriptHost,
    _data: TempDir,
}

impl Host {
    /// Without a spare process by default.
    fn new(change: impl FnOnce(&mut HostOptions)) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_nova-script"));
        let guard = program.with_file_name("nova-guard");
        assert!(guard.is_file(), "build it first: cargo build --release -p nova-guard");
        let spawn = UnderGuard {
            guard: Guard::new(guard, []),
            program: program.to_owned(),
            args: Vec::new(),
            memory: 512 << 20,
            require: true,
            unconfined: Arc::new(Never),
        };
        let data = TempDir::new().unwrap();
        let idle = Duration::from_secs(3600);
        let mut options = HostOptions { spare: false, idle, ..HostOptions::new(data.path().join("scripts")) };
        change(&mut options);
        Self { host: ScriptHost::new(Arc::new(spawn), options), _data: data }
    }

    /// Loads a tool with new content.
    async fn load(&self, owner: &str, number: usize) -> Arc<dyn Tool> {
        let path = format!("/tools/tool{number}.ts").into();
        let file = ToolFile { owner: owner.into(), path, source: source(number).into(), vault: None };
        assert!(self.host.known(&file).is_none());
        let tool = self.host.load(file).await.unwrap();
        assert_eq!(tool.spec().id, format!("route_{number}"));
        assert_eq!(tool.spec().parameters["required"], json!(["from", "to"]));
        tool
    }
}

/// A typical tool.
fn source(number: usize) -> String {
    format!(
        "import {{ z }} from 'zod'
import {{ defineTool }} from '@nova/tools'

interface Leg {{
  name: string
  minutes: number
}}

const point = z.object({{ name: z.string().min(1), lat: z.number().optional(), lon: z.number().optional() }})

export default defineTool({{
  name: 'route_{number}',
  description: 'Says how long a way takes, with its legs',
  parameters: z.object({{
    from: point.describe('Where it begins'),
    to: point.describe('Where it ends'),
    by: z.enum(['foot', 'bicycle', 'train']).default('train'),
    legs: z.array(z.object({{ name: z.string(), minutes: z.number().int() }})).default([]),
  }}),
  effect: 'read',
  execute: async ({{ from, to, by, legs }}, ctx) => {{
    const minutes = legs.reduce((sum: number, leg: Leg) => sum + leg.minutes, 0)
    return {{ way: `${{from.name}} to ${{to.name}} by ${{by}}`, minutes }}
  }},
}})
"
    )
}

async fn call(tool: &Arc<dyn Tool>, minutes: usize) {
    let args = json!({ "from": { "name": "Bern" }, "to": { "name": "Oslo" },
        "legs": [{ "name": "a", "minutes": 5 }, { "name": "b", "minutes": minutes }] });
    let ctx = Arc::new(TestContext::without_skill());
    let ToolOutput::Value(output) = tool.run(CallToken::mint_for_nova_calls(), args, ctx).await.unwrap()
    else {
        panic!("a value")
    };
    let expected: Value = json!({ "way": "Bern to Oslo by train", "minutes": 5 + minutes });
    assert_eq!(output.value, expected);
}

fn children(of: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{of}/task")).unwrap();
    let lists = threads.map(|thread| fs::read_to_string(thread.unwrap().path().join("children")).unwrap());
    lists.flat_map(|list| list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
}

/// In kilobytes; shared memory counts proportionally (PSS).
fn proportional_memory(id: u32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap();
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn row(what: &str, time: Duration, goal: Option<Duration>) -> bool {
    let ms = time.as_secs_f64() * 1e3;
    let Some(goal) = goal else {
        println!("{what:<44} {ms:>9.2} ms");
        return true;
    };
    let kept = time <= goal.mul_f64(NOISE);
    let verdict = if kept { "kept" } else { "MISSED" };
    println!("{what:<44} {ms:>9.2} ms, at most {}: {verdict}", goal.as_millis());
    kept
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Unconfined runs are never allowed.
struct Never;

#[async_trait::async_trait]
impl MayRunUnconfined for Never {
    async fn may_run_unconfined(&self) -> bool {
        false
    }
}
