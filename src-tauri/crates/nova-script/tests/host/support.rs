//! A host with the fake process, and a context that forwards the tool's output as events.

use std::future::Future;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use nova_registry::{ToolFile, ToolHost};
use nova_script::host::{HostOptions, ScriptHost, Spawn, Spawned};
use nova_skill::{
    CallToken, Clock, Credentials, Delegate, LogLevel, Progress, RecordTypes, RequestInfo, Tool, ToolContext,
    ToolError, ToolHttp, ToolOutput, ToolProcess, ToolStore, ToolVault, Value, async_trait,
};
use nova_testkit::{FixedCredentials, PATIENCE, RecordingHttp, TestContext};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

pub(crate) const STAND_IN: &str = env!("CARGO_BIN_EXE_nova-script-stand-in");

/// Starts a program without a guard.
pub(crate) struct Plain(pub(crate) &'static str);

#[async_trait]
impl Spawn for Plain {
    async fn spawn(&self) -> io::Result<Spawned> {
        let mut child = Command::new(self.0)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        Ok(Spawned {
            stdin: child.stdin.take().ok_or_else(missing)?,
            stdout: child.stdout.take().ok_or_else(missing)?,
            stderr: child.stderr.take().ok_or_else(missing)?,
            process: Box::new(child),
        })
    }
}

/// A host with a temporary data folder.
pub(crate) struct Host {
    pub(crate) host: ScriptHost,
    pub(crate) data: TempDir,
}

/// Without a spare process, so that every start is caused by the test.
pub(crate) fn options(data: &Path) -> HostOptions {
    HostOptions { spare: false, ..HostOptions::new(data.join("scripts")) }
}

pub(crate) fn host() -> Host {
    host_with(|_| {})
}

pub(crate) fn host_with(change: impl FnOnce(&mut HostOptions)) -> Host {
    host_of(STAND_IN, change)
}

pub(crate) fn host_of(program: &'static str, change: impl FnOnce(&mut HostOptions)) -> Host {
    host_by(Plain(program), change)
}

pub(crate) fn host_by(spawn: impl Spawn + 'static, change: impl FnOnce(&mut HostOptions)) -> Host {
    let data = TempDir::new().unwrap();
    let mut options = options(data.path());
    change(&mut options);
    Host { host: ScriptHost::new(Arc::new(spawn), options), data }
}

pub(crate) fn file(owner: &str, name: &str, source: &str) -> ToolFile {
    ToolFile { owner: owner.into(), path: Path::new("/tools").join(name), source: source.into(), vault: None }
}

impl Host {
    /// Loads a tool from `stand_in.ts`, owned by `dynamic/stand_in.ts`.
    pub(crate) async fn tool(&self, source: &str) -> Arc<dyn Tool> {
        self.tool_of("dynamic/stand_in.ts", source).await
    }

    pub(crate) async fn tool_of(&self, owner: &str, source: &str) -> Arc<dyn Tool> {
        within(self.host.load(file(owner, "stand_in.ts", source))).await.expect("a tool")
    }
}

/// Awaits with a timeout.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("timed out waiting for the condition")
}

pub(crate) async fn run(
    tool: &Arc<dyn Tool>,
    args: Value,
    ctx: Arc<Context>,
) -> Result<ToolOutput, ToolError> {
    within(tool.run(CallToken::mint_for_nova_calls(), args, ctx)).await
}

/// The value of a call in an empty context.
pub(crate) async fn value(tool: &Arc<dyn Tool>, args: Value) -> Result<Value, ToolError> {
    match run(tool, args, Context::new().0).await? {
        ToolOutput::Value(output) => Ok(output.value),
        ToolOutput::Stream(_) => panic!("a stream where a value was expected"),
    }
}

/// Message and hint of a failed call.
pub(crate) async fn failure(tool: &Arc<dyn Tool>, args: Value) -> (String, String) {
    let error = value(tool, args).await.expect_err("a call that fails");
    (error.to_string(), error.hint())
}

/// PID of the process that the next call would use.
pub(crate) async fn pid(tool: &Arc<dyn Tool>) -> u64 {
    value(tool, serde_json::json!({ "do": "pid" })).await.unwrap().as_u64().unwrap()
}

/// Waits until the process has ended, which it may have already.
pub(crate) async fn gone(pid: u64) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let Ok(ends) = pidfd_open(pid, PidfdFlags::NONBLOCK) else { return };
    let waiting = tokio::task::spawn_blocking(move || {
        rustix::event::poll(&mut [rustix::event::PollFd::new(&ends, rustix::event::PollFlags::IN)], None)
            .unwrap()
    });
    within(waiting).await.unwrap();
}

pub(crate) fn kill(pid: u64) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// Output of a tool to its context.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Told {
    Progress(Option<f64>, Option<String>),
    Log(LogLevel, String),
}

pub(crate) struct Context {
    rest: TestContext,
    http: Option<Arc<dyn ToolHttp>>,
    told: UnboundedSender<Told>,
}

impl Context {
    pub(crate) fn new() -> (Arc<Self>, UnboundedReceiver<Told>) {
        Self::with(|context| context)
    }

    pub(crate) fn with(
        change: impl FnOnce(TestContext) -> TestContext,
    ) -> (Arc<Self>, UnboundedReceiver<Told>) {
        let (told, hears) = unbounded_channel();
        (Arc::new(Self { rest: change(TestContext::without_skill()), http: None, told }), hears)
    }

    pub(crate) fn with_web(http: RecordingHttp) -> Arc<Self> {
        Self::with(|context| context.with_http(http)).0
    }

    pub(crate) fn with_credentials(credentials: FixedCredentials) -> Arc<Self> {
        Self::with(|context| context.with_credentials(credentials)).0
    }

    /// With a custom HTTP client.
    pub(crate) fn with_http(http: Arc<dyn ToolHttp>) -> Arc<Self> {
        let (told, _) = unbounded_channel();
        Arc::new(Self { rest: TestContext::without_skill(), http: Some(http), told })
    }

    pub(crate) fn with_cancel(cancel: &CancellationToken) -> (Arc<Self>, UnboundedReceiver<Told>) {
        Self::with(|context| context.with_cancel(cancel.clone()))
    }
}

/// The message of the next progress report.
pub(crate) async fn progress(hears: &mut UnboundedReceiver<Told>) -> String {
    match within(hears.recv()).await {
        Some(Told::Progress(_, Some(message))) => message,
        other => panic!("progress was expected: {other:?}"),
    }
}

/// Answers with a delay, as if the user was asked first.
pub(crate) struct SlowWeb(pub(crate) Duration);

#[async_trait]
impl ToolHttp for SlowWeb {
    async fn send(&self, request: nova_skill::HttpRequest) -> Result<nova_skill::HttpResponse, ToolError> {
        tokio::time::sleep(self.0).await;
        RecordingHttp::default().with("https://", 200, "late").send(request).await
    }
}

impl ToolContext for Context {
    fn vault(&self) -> &dyn ToolVault {
        self.rest.vault()
    }

    fn http(&self) -> &dyn ToolHttp {
        self.http.as_deref().unwrap_or_else(|| self.rest.http())
    }

    fn credentials(&self) -> &dyn Credentials {
        self.rest.credentials()
    }

    fn clock(&self) -> &dyn Clock {
        self.rest.clock()
    }

    fn store(&self) -> &dyn ToolStore {
        self.rest.store()
    }

    fn process(&self) -> &dyn ToolProcess {
        self.rest.process()
    }

    fn delegate(&self) -> &dyn Delegate {
        self.rest.delegate()
    }

    fn request(&self) -> &RequestInfo {
        self.rest.request()
    }

    fn records(&self) -> &RecordTypes {
        self.rest.records()
    }

    fn config(&self) -> &Value {
        self.rest.config()
    }

    fn cancel(&self) -> &CancellationToken {
        self.rest.cancel()
    }

    fn progress(&self, progress: Progress) {
        let _ = self.told.send(Told::Progress(progress.fraction, progress.message));
    }

    fn log(&self, level: LogLevel, message: &str) {
        let _ = self.told.send(Told::Log(level, message.to_owned()));
    }
}
