//! Ten tool calls made by a script, compared with the same calls made one by one, with the real script
//! process under its guard.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use nova_calls::{Access, Call, CallScope, Grants, NoCredentials, run_call};
use nova_guard::Guard;
use nova_registry::ToolHost;
use nova_script::host::{HostOptions, MayRunUnconfined, ScriptHost, UnderGuard};
use nova_skill::{Principal, ToolContext, ToolError, ToolOutput, Value, async_trait};
use nova_skill_core::{PendingTool, PendingTools, Snippets};
use nova_testkit::{
    ApprovedContents, CancellationToken, FixedClock, KeptRules, MemoryStores, PATIENCE, RecordedEvents,
    ScriptedApprover, TempVault, medians_by_turns, snapshot_of, web_of,
};
use serde_json::json;

const CONTACTS: usize = 1_000;
const CALLS: usize = 10;
const ROUNDS: usize = 25;
const GOAL: f64 = 1.5;
/// Tolerance: a result misses its goal when it exceeds it by this factor.
const NOISE: f64 = 1.15;

fn main() -> ExitCode {
    if !cfg!(target_os = "linux") {
        println!("there is no guard on this system");
        return ExitCode::SUCCESS;
    }
    let vault = made_up();
    let data = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let scope = runtime.block_on(async { scope(&vault, data.path()) });

    let each: Vec<Value> = (0..CALLS).map(|at| json!({ "tag": format!("t{at}") })).collect();
    let source = format!(
        "let found = 0\nfor (const args of {}) found += (await tools.crm.list_contacts(args)).count\nfound",
        Value::from(each.clone())
    );
    let script = || {
        let count = runtime.block_on(run(&scope, "core.run_code", json!({ "source": source })));
        assert_eq!(count, json!(CONTACTS));
    };
    let direct = || {
        let counts = each.iter().map(|args| runtime.block_on(run(&scope, "crm.list_contacts", args.clone())));
        assert_eq!(counts.filter_map(|value| value["count"].as_u64()).sum::<u64>(), CONTACTS as u64);
    };
    let [ours, theirs] = medians_by_turns(ROUNDS, script, direct);
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let kept = ratio <= GOAL * NOISE;
    println!(
        "{CALLS} calls over {CONTACTS} contacts: by a script {ours:.2?}, one by one {theirs:.2?}, ratio {ratio:.2}, \
         goal ≤ {GOAL:.1}: {}",
        if kept { "kept" } else { "MISSED" }
    );
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A new turn, so that it does not count as a repeated call.
async fn run(scope: &CallScope, tool: &str, args: Value) -> Value {
    let scope = CallScope { history: Arc::default(), ..scope.clone() };
    let call = Call::with_value("call1".into(), tool, args);
    run_call(&scope, call, CancellationToken::new()).await.result.unwrap()
}

/// A vault in which a tenth of the contacts has each tag.
fn made_up() -> TempVault {
    let vault = TempVault::from("");
    for at in 0..CONTACTS {
        let text = format!(
            "---\ntype: contact\nname: Person {at}\nemail: p{at}@example.com\nstage: lead\ntags: [t{}]\n---\n\n## Log\n\n\
             - 2026-01-02 {}\n",
            at % CALLS,
            "Something was said. ".repeat(10)
        );
        vault.write(&format!("CRM/People/Person {at}.md"), &text);
    }
    // Recently written files are read again at each query, for two seconds.
    std::thread::sleep(std::time::Duration::from_secs(3));
    vault
}

fn scope(vault: &TempVault, data: &Path) -> CallScope {
    // The same program as Nova's, built by `make bench`.
    let program = Path::new(env!("CARGO_BIN_EXE_nova-script"));
    let guard = program.with_file_name("nova-guard");
    assert!(guard.exists(), "build it first: cargo build --release -p nova-guard");
    let spawn = UnderGuard {
        guard: Guard::new(&guard, []),
        program: program.into(),
        args: Vec::new(),
        memory: 512 << 20,
        require: true,
        unconfined: Arc::new(Never),
    };
    let host = Arc::new(ScriptHost::new(Arc::new(spawn), HostOptions::new(data.join("scripts"))));
    let core = nova_skill_core::skill(Arc::new(NoPendingTools), Arc::new(InHost(host)));
    CallScope {
        access: Access {
            vault: Some(vault.open()),
            rules: Arc::default(),
            save_rule: Arc::new(KeptRules::default()),
            approved: Arc::new(ApprovedContents::default()),
            web: Arc::new(web_of(&[])),
            credentials: Arc::new(NoCredentials),
            stores: Arc::new(MemoryStores::default()),
            clock: Arc::new(FixedClock::default()),
            folders: Arc::new(()),
            sandboxes: Arc::new(()),
            approver: Arc::new(ScriptedApprover::default()),
            time_limit: PATIENCE,
        },
        snapshot: snapshot_of(vec![core, nova_skill_crm::skill()]),
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
    }
}

struct InHost(Arc<ScriptHost>);

#[async_trait]
impl Snippets for InHost {
    async fn run(&self, source: Arc<str>, context: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        self.0.run_snippet(source, context).await
    }
}

struct NoPendingTools;

#[async_trait]
impl PendingTools for NoPendingTools {
    async fn store(&self, _: &str, _: &str) -> Result<PendingTool, ToolError> {
        Err(ToolError::Cancelled)
    }
}

/// Unconfined runs are never allowed.
struct Never;

#[async_trait]
impl MayRunUnconfined for Never {
    async fn may_run_unconfined(&self) -> bool {
        false
    }
}
