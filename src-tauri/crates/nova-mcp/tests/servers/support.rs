use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nova_credentials::{CredentialError, CredentialName};
use nova_guard::Guard;
use nova_mcp::{
    Agreements, KnownTools, LaunchEnvironment, McpOptions, McpServers, Pause, Phase, ServerConfig,
    read_servers,
};
use nova_registry::{LoadedSkill, LoadedTool, State};
use nova_skill::{CallToken, Secret, Tool, ToolContext, ToolError, ToolOutput, Value, async_trait};
use nova_testkit::{FixedClock, PATIENCE, TestContext};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use secrecy::ExposeSecret as _;
use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub(crate) const STAND_IN: &str = env!("CARGO_BIN_EXE_nova-mcp-stand-in");

/// Agrees to the given servers, and keeps everything in memory.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) agreed: Mutex<BTreeMap<String, String>>,
    pub(crate) tools: Mutex<BTreeMap<String, KnownTools>>,
    /// Tokens by server; a refused one is replaced by the next.
    pub(crate) tokens: Mutex<BTreeMap<String, Vec<&'static str>>>,
    pub(crate) asked_for_tokens: Mutex<Vec<Option<String>>>,
}

#[async_trait]
impl Agreements for Memory {
    fn agreed(&self, server: &str) -> Option<String> {
        self.agreed.lock().unwrap().get(server).cloned()
    }

    fn known_tools(&self, server: &str) -> io::Result<Option<KnownTools>> {
        Ok(self.tools.lock().unwrap().get(server).cloned())
    }

    fn change_tools(
        &self,
        server: &str,
        change: &mut (dyn FnMut(Option<KnownTools>) -> KnownTools + Send),
    ) -> io::Result<()> {
        let mut tools = self.tools.lock().unwrap();
        let changed = change(tools.get(server).cloned());
        tools.insert(server.to_owned(), changed);
        Ok(())
    }

    async fn secret(&self, server: &ServerConfig, name: &CredentialName) -> Result<Secret, CredentialError> {
        match name.as_str() {
            "github/token" if server.name == "github" => Ok("canary-0815".into()),
            _ => Err(CredentialError::Missing { name: name.clone() }),
        }
    }

    async fn token(
        &self,
        server: &ServerConfig,
        refused: Option<&Secret>,
    ) -> Result<Option<Secret>, CredentialError> {
        let refused = refused.map(|refused| refused.expose_secret().to_owned());
        self.asked_for_tokens.lock().unwrap().push(refused.clone());
        let tokens = self.tokens.lock().unwrap();
        let mut tokens = tokens.get(&server.name).into_iter().flatten();
        let next = match refused {
            None => tokens.next(),
            Some(refused) => {
                let _ = tokens.find(|token| **token == refused);
                tokens.next()
            }
        };
        Ok(next.map(|token| (*token).into()))
    }
}

pub(crate) struct Servers {
    pub(crate) mcp: McpServers,
    pub(crate) memory: Arc<Memory>,
    pub(crate) folder: TempDir,
}

impl Servers {
    pub(crate) fn new() -> Self {
        Self::with(Arc::default())
    }

    pub(crate) fn with(memory: Arc<Memory>) -> Self {
        Self::with_options(memory, |_| ())
    }

    /// Stops servers after this idle time.
    pub(crate) fn resting_after(memory: Arc<Memory>, idle: Duration) -> Self {
        Self::with_options(memory, |options| options.idle = idle)
    }

    pub(crate) fn with_options(memory: Arc<Memory>, change: impl FnOnce(&mut McpOptions)) -> Self {
        let own = [("HOME", "/"), ("PATH", "/usr/bin:/bin"), ("NOVA_SECRET", "not for servers")];
        let own = own.map(|(name, value)| (name.into(), value.into()));
        let launch_environment = LaunchEnvironment::new(Guard::new(STAND_IN, ["guard".into()]), own);
        let longest = Duration::from_secs(3_600);
        let mut options = McpOptions {
            // A single failure suffices in tests.
            pause: Pause { first: longest, longest },
            idle: longest,
            ..McpOptions::new(launch_environment, memory.clone(), Arc::new(FixedClock::default()))
        };
        change(&mut options);
        Self { mcp: McpServers::new(options), memory, folder: TempDir::new().unwrap() }
    }

    /// Path prefix of the files in which the fake server records its actions.
    pub(crate) fn notes(&self) -> PathBuf {
        self.folder.path().join("note")
    }

    pub(crate) fn note(&self, what: &str) -> PathBuf {
        self.folder.path().join(format!("note.{what}"))
    }

    /// A configuration entry for the fake server with this behaviour.
    pub(crate) fn entry(&self, how: &str) -> Value {
        let args = json!([how, self.notes()]);
        json!({"command": STAND_IN, "args": args, "startup_timeout_ms": 30_000, "timeout_ms": 30_000})
    }

    /// Applies the configuration and agrees to all of it.
    pub(crate) fn agree(&self, servers: &Value) {
        let read = read_servers(Some(servers));
        for config in read.iter().flatten() {
            self.memory.agreed.lock().unwrap().insert(config.name.clone(), config.fingerprint());
        }
        self.mcp.configure(read);
    }

    /// One agreed server with this behaviour, whose tools are listed.
    pub(crate) async fn one(how: &str) -> Self {
        let servers = Self::new();
        servers.agree(&json!({ "one": servers.entry(how) }));
        servers.ready().await;
        servers
    }

    /// Waits until all have started or failed.
    pub(crate) async fn ready(&self) {
        self.mcp.ready(None, PATIENCE).await;
    }

    pub(crate) fn skill(&self, id: &str) -> LoadedSkill {
        let scan = self.mcp.source().scan();
        scan.skills.into_iter().find(|skill| skill.id == id).unwrap()
    }

    pub(crate) fn phase(&self, id: &str) -> Phase {
        self.mcp.statuses().into_iter().find(|status| status.id == id).unwrap().phase
    }

    /// Why it failed.
    pub(crate) fn failed(&self, id: &str) -> String {
        match self.phase(id) {
            Phase::Failed(why) => why,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn tool(&self, id: &str, tool: &str) -> Arc<dyn Tool> {
        let tools = self.skill(id).tools;
        let found = tools.into_iter().find_map(|loaded| match loaded {
            LoadedTool::Ready { tool: found, .. } if found.spec().id == tool => Some(found),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("{id} has {tool}"))
    }

    pub(crate) async fn call(&self, id: &str, tool: &str, args: Value) -> Result<Value, ToolError> {
        run(&self.tool(id, tool), args, context(&CancellationToken::new())).await
    }

    /// Waits for a record, and returns its PID.
    pub(crate) async fn process(&self, what: &str) -> u64 {
        let file = self.note(what);
        until(|| file.exists()).await;
        std::fs::read_to_string(file).unwrap().parse().unwrap()
    }
}

/// Id, state and reason of the tools that cannot be called.
pub(crate) fn not_ready(skill: &LoadedSkill) -> Vec<(String, State, String)> {
    let tools = skill.tools.iter().filter_map(|tool| match tool {
        LoadedTool::NotReady { id, state, reason } => Some((id.clone(), *state, reason.clone())),
        LoadedTool::Ready { .. } => None,
    });
    tools.collect()
}

pub(crate) fn ready_tools(skill: &LoadedSkill) -> Vec<String> {
    let tools = skill.tools.iter().filter_map(|tool| match tool {
        LoadedTool::Ready { tool, .. } => Some(tool.spec().id.clone()),
        LoadedTool::NotReady { .. } => None,
    });
    tools.collect()
}

pub(crate) fn context(cancel: &CancellationToken) -> Arc<dyn ToolContext> {
    Arc::new(TestContext::without_skill().with_cancel(cancel.clone()))
}

pub(crate) async fn run(
    tool: &Arc<dyn Tool>,
    args: Value,
    ctx: Arc<dyn ToolContext>,
) -> Result<Value, ToolError> {
    match within(tool.run(CallToken::mint_for_nova_calls(), args, ctx)).await? {
        ToolOutput::Value(output) => Ok(output.value),
        ToolOutput::Stream(_) => panic!("a stream where a value was expected"),
    }
}

/// Awaits with a timeout.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("timed out waiting for the condition")
}

/// Polls a condition outside of this process.
pub(crate) async fn until(happened: impl Fn() -> bool) {
    within(async {
        while !happened() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Waits until the process has ended, which it may have already.
pub(crate) async fn gone(pid: u64) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let Ok(ends) = pidfd_open(pid, PidfdFlags::NONBLOCK) else { return };
    let waiting = tokio::task::spawn_blocking(move || {
        let mut polled = [rustix::event::PollFd::new(&ends, rustix::event::PollFlags::IN)];
        let limit = PATIENCE.try_into().unwrap();
        assert_eq!(rustix::event::poll(&mut polled, Some(&limit)).unwrap(), 1, "the process still runs");
    });
    waiting.await.unwrap();
}

pub(crate) fn is_there(pid: u64) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}
