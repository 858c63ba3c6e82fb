//! Overhead of calling a server's tool through Nova instead of rmcp alone, and the startup delay caused by
//! twenty dead servers.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nova_calls::{Access, Call, CallScope, Grants, NoCredentials, run_call};
use nova_credentials::{CredentialError, CredentialName};
use nova_guard::Guard;
use nova_mcp::{
    Agreements, KnownTools, LaunchEnvironment, McpOptions, McpServers, ServerConfig, read_servers,
};
use nova_protocol::Decision;
use nova_registry::{Registry, Settings};
use nova_skill::{Principal, Secret, async_trait};
use nova_testkit::{
    ApprovedContents, FixedClock, KeptRules, MemoryStores, PATIENCE, RecordedEvents, ScriptedApprover, web_of,
};
use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, ContentBlock};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const STAND_IN: &str = env!("CARGO_BIN_EXE_nova-mcp-stand-in");
const ROUNDS: usize = 15;
const CALLS: usize = 100;
/// Tolerance: a ratio misses its goal when it exceeds it by this factor.
const NOISE: f64 = 1.1;
const DEAD: usize = 20;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    // On a spawned task, like a turn.
    let mut kept = runtime.block_on(async { tokio::spawn(calls()).await.unwrap() });
    kept &= dead_servers();
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Interleaved, so that other load on the machine affects both alike.
async fn calls() -> bool {
    let (scope, _servers) = nova().await;
    let alone = alone().await;
    let (mut of_nova, mut of_rmcp) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        for at in 0..CALLS {
            let text = format!("{round} {at}");
            let began = Instant::now();
            through_nova(&scope, &text).await;
            let took = began.elapsed();
            let began = Instant::now();
            let params = CallToolRequestParams::new("echo").with_arguments(arguments(&text));
            let answer = alone.call_tool(params).await.unwrap();
            let other = began.elapsed();
            assert!(
                matches!(&answer.content[0], ContentBlock::Text(said) if said.text == text),
                "{answer:?}"
            );
            // The first round is a warm-up.
            if round > 0 {
                of_nova.push(took);
                of_rmcp.push(other);
            }
        }
    }
    let (of_nova, of_rmcp) = (median(of_nova), median(of_rmcp));
    let ratio = of_nova.as_secs_f64() / of_rmcp.as_secs_f64();
    let kept = ratio <= 1.2 * NOISE;
    println!(
        "a call through Nova / through rmcp alone: {:.3} ms {:.3} ms {ratio:.2} goal ≤ 1.20 {}",
        of_nova.as_secs_f64() * 1e3,
        of_rmcp.as_secs_f64() * 1e3,
        verdict(kept)
    );
    kept
}

fn arguments(text: &str) -> serde_json::Map<String, Value> {
    json!({ "text": text }).as_object().unwrap().clone()
}

async fn through_nova(scope: &CallScope, text: &str) {
    let call = Call::with_value("call1".into(), "one.echo", json!({ "text": text }));
    // A new turn, so that it does not count as a repeated call.
    let scope = CallScope { history: Arc::default(), ..scope.clone() };
    let outcome = run_call(&scope, call, CancellationToken::new()).await;
    assert_eq!(outcome.result.unwrap(), text);
}

/// Calls like a turn: with policy checks and events, and allowed for the chat.
async fn nova() -> (CallScope, McpServers) {
    let own = [("HOME", "/"), ("PATH", "/usr/bin:/bin")].map(|(name, value)| (name.into(), value.into()));
    let launch_environment = LaunchEnvironment::new(Guard::new(STAND_IN, ["guard".into()]), own);
    let agreed = Arc::<Agreed>::default();
    let servers =
        McpServers::new(McpOptions::new(launch_environment, agreed.clone(), Arc::new(FixedClock::default())));
    let read = read_servers(Some(&json!({ "one": {"command": STAND_IN, "args": ["plain"]} })));
    for config in read.iter().flatten() {
        agreed.0.lock().unwrap().insert(config.name.clone(), config.fingerprint());
    }
    servers.configure(read);
    servers.ready(None, PATIENCE).await;
    let registry = Registry::new(vec![servers.source()], &Settings::default());
    let scope = CallScope {
        access: Access {
            vault: None,
            rules: Arc::default(),
            save_rule: Arc::new(KeptRules::default()),
            approved: Arc::new(ApprovedContents::default()),
            web: Arc::new(web_of(&[])),
            credentials: Arc::new(NoCredentials),
            stores: Arc::new(MemoryStores::default()),
            clock: Arc::new(FixedClock::default()),
            folders: Arc::new(()),
            sandboxes: Arc::new(()),
            approver: Arc::new(ScriptedApprover::always(Decision::Session)),
            time_limit: PATIENCE,
        },
        snapshot: registry.snapshot(),
        callable: None,
        grants: Arc::new(Grants::default()),
        given: Arc::new(()),
        events: Arc::new(RecordedEvents::new()),
        change_set: None,
        touched: Arc::default(),
        history: Arc::default(),
        sub_agents: Arc::new(()),
        privacy: Arc::default(),
        asker: Arc::new(()),
        session: "session1".into(),
        turn: Some("turn1".into()),
        principal: Principal::owner(),
        author: "model".into(),
        by_hand: false,
    };
    (scope, servers)
}

async fn alone() -> rmcp::service::RunningService<rmcp::RoleClient, ()> {
    let mut child = tokio::process::Command::new(STAND_IN)
        .arg("plain")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let transport = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let service = ().serve(transport).await.unwrap();
    tokio::spawn(async move { child.wait().await });
    service
}

/// Agrees to the given servers, and has no secrets.
#[derive(Default)]
struct Agreed(Mutex<BTreeMap<String, String>>);

#[async_trait]
impl Agreements for Agreed {
    fn agreed(&self, server: &str) -> Option<String> {
        self.0.lock().unwrap().get(server).cloned()
    }

    fn known_tools(&self, _: &str) -> std::io::Result<Option<KnownTools>> {
        Ok(None)
    }

    async fn token(
        &self,
        _: &nova_mcp::ServerConfig,
        _: Option<&Secret>,
    ) -> Result<Option<Secret>, CredentialError> {
        Ok(None)
    }

    fn change_tools(
        &self,
        _: &str,
        change: &mut (dyn FnMut(Option<KnownTools>) -> KnownTools + Send),
    ) -> std::io::Result<()> {
        change(None);
        Ok(())
    }

    async fn secret(&self, _: &ServerConfig, name: &CredentialName) -> Result<Secret, CredentialError> {
        Err(CredentialError::Missing { name: name.clone() })
    }
}

/// Time from startup to the first list of tools, with servers that hang or die compared with none.
fn dead_servers() -> bool {
    let (without, with) = (Home::new(0), Home::new(DEAD));
    let (mut times_without, mut times_with) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        times_without.push(without.start());
        times_with.push(with.start());
    }
    let (without, with) = (median(times_without), median(times_with));
    let later = with.saturating_sub(without);
    let kept = later <= Duration::from_secs(1);
    println!(
        "ready beside {DEAD} dead servers / without them: {:.0} ms {:.0} ms, later by {:.0} ms goal ≤ 1000 {}",
        with.as_secs_f64() * 1e3,
        without.as_secs_f64() * 1e3,
        later.as_secs_f64() * 1e3,
        verdict(kept)
    );
    kept
}

/// Folders of an instance with this many agreed servers that do not work.
struct Home {
    folder: tempfile::TempDir,
    nova: PathBuf,
}

impl Home {
    fn new(dead: usize) -> Self {
        let nova = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("nova");
        assert!(nova.is_file(), "build it first: cargo build --release --features desktop --bin nova");
        let home = Self { folder: tempfile::tempdir().unwrap(), nova };
        for part in ["config", "data", "vault"] {
            fs::create_dir(home.folder.path().join(part)).unwrap();
        }
        // Agreeing must not take as long as their start timeouts.
        home.configure(dead, 50);
        for at in 0..dead {
            let review =
                home.command(&["mcp", "review", &format!("dead-{at}"), "--accept"]).output().unwrap();
            assert!(review.status.success(), "{}", String::from_utf8_lossy(&review.stderr));
        }
        home.configure(dead, 30_000);
        home
    }

    fn configure(&self, dead: usize, startup_timeout: u64) {
        let server = |at: usize| {
            let how = if at.is_multiple_of(2) { "hangs" } else { "dies" };
            let entry = json!({"command": STAND_IN, "args": [how], "startup_timeout_ms": startup_timeout});
            (format!("dead-{at}"), entry)
        };
        let servers: serde_json::Map<String, Value> = (0..dead).map(server).collect();
        let config = json!({ "vault": self.path("vault"), "mcpServers": servers });
        fs::write(self.path("config").join("nova.config.json"), config.to_string()).unwrap();
    }

    fn path(&self, part: &str) -> PathBuf {
        self.folder.path().join(part)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.nova);
        command.args(args).env("HOME", self.folder.path());
        command.env("NOVA_CONFIG_DIR", self.path("config")).env("NOVA_DATA_DIR", self.path("data"));
        command.env("NOVA_LOCAL_SERVERS", "");
        command
    }

    fn start(&self) -> Duration {
        let began = Instant::now();
        let mut serve = self.command(&["mcp", "serve"]);
        let mut child =
            serve.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let client = json!({ "name": "bench", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        for message in [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} }),
        ] {
            writeln!(stdin, "{message}").unwrap();
        }
        let listed = lines.find(|line| {
            let message: Value = serde_json::from_str(line.as_ref().unwrap()).unwrap();
            message["id"] == 2 && message["result"]["tools"].as_array().is_some_and(|tools| !tools.is_empty())
        });
        let took = began.elapsed();
        assert!(listed.is_some(), "it exited before it listed its tools");
        drop(stdin);
        child.wait().unwrap();
        took
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn verdict(kept: bool) -> &'static str {
    if kept { "met" } else { "MISSED" }
}
