//! Search through `nova mcp serve`, compared with npm's `mcpvault`, with equal hits.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use common::{ROUNDS, Table, fingerprint, make_up, measure, median};
use serde_json::{Value, json};

const NOTES: usize = 10_000;
/// Occurs in ten notes; the other program returns at most twenty.
const QUERY: &str = "needle";
/// Nova's time must not exceed this fraction of the other program's.
const GOAL: f64 = 1.0 / 25.0;

fn main() -> ExitCode {
    let made = make_up(NOTES);
    let root = made.root();
    let before = fingerprint(&root);
    let home = tempfile::tempdir().unwrap();
    let mut nova = Server::start(nova(&root, home.path()));
    let mut other = Server::start(mcpvault(&root));
    let of_nova = |nova: &mut Server| nova.call("vault__search", &json!({ "query": QUERY }));
    let of_other = |other: &mut Server| other.call("search_notes", &json!({ "query": QUERY, "limit": 20 }));

    let found = paths(&of_nova(&mut nova)["value"]["hits"], "path");
    assert_eq!(found.len(), NOTES / 1_000);
    assert_eq!(found, paths(&of_other(&mut other), "p"));
    let times = measure(ROUNDS, &mut [&mut || drop(of_nova(&mut nova)), &mut || drop(of_other(&mut other))]);
    let mut table = Table::default();
    let what = format!("vault.search of {NOTES} notes by nova mcp serve / mcpvault");
    table.at_most(&what, median(&times[0]), median(&times[1]), GOAL);
    let factor = median(&times[1]).as_secs_f64() / median(&times[0]).as_secs_f64();
    println!("{:<64} {factor:>9.1} times, goal ≥ 25", "  that is");
    drop((nova, other));
    assert_eq!(fingerprint(&root), before, "searching changed the vault");
    table.end()
}

fn nova(root: &Path, home: &Path) -> Command {
    let program = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("nova");
    assert!(program.is_file(), "build it first: cargo build --release --features desktop --bin nova");
    for part in ["config", "data"] {
        fs::create_dir(home.join(part)).unwrap();
    }
    let mut nova = Command::new(program);
    nova.args(["mcp", "serve", "--vault"]).arg(root);
    nova.env("NOVA_CONFIG_DIR", home.join("config")).env("NOVA_DATA_DIR", home.join("data"));
    nova
}

fn mcpvault(root: &Path) -> Command {
    let bin = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../.ci/bench/node_modules/.bin/mcpvault");
    assert!(bin.exists(), "the server is missing; `make bench` installs it");
    let mut other = Command::new(bin);
    other.arg(root);
    other
}

fn paths(hits: &Value, key: &str) -> BTreeSet<String> {
    hits.as_array().unwrap().iter().map(|hit| hit[key].as_str().unwrap().to_owned()).collect()
}

/// An MCP server spoken to over stdio.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, stdin, stdout, next: 1 };
        let client = json!({ "name": "bench", "version": "1" });
        server.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
        );
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the server ended");
            let mut message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message["result"].take();
            }
        }
    }

    /// A tool's text result; both servers return JSON.
    fn call(&mut self, tool: &str, args: &Value) -> Value {
        let result = self.ask("tools/call", &json!({ "name": tool, "arguments": args }));
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
