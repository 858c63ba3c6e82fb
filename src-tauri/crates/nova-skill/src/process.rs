//! Sandboxed commands: what they may reach, how they run, and how they end.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nova_vault::note::VaultPath;
use secrecy::SecretString;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use crate::{CommandInput, ConfiguredCommand, ToolError};

/// Runs commands for one call, in the sandbox that its card showed.
#[async_trait]
pub trait ToolProcess: Send + Sync {
    /// Runs a command until it exits. `so_far` receives its output, at most ten times a second.
    async fn run(&self, run: ProcessRun, so_far: ProcessSoFar) -> Result<ProcessOutput, ToolError>;

    /// Runs the [`ConfiguredCommand`] of this name in the skill's configuration, with the user's rights.
    async fn run_configured(
        &self,
        name: &str,
        input: CommandInput,
        so_far: ProcessSoFar,
    ) -> Result<ProcessOutput, ToolError>;
}

/// A command to run. Its program is searched for in the system's program folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessRun {
    pub command: Vec<String>,
    /// Written to its standard input, which is then closed.
    pub input: Vec<u8>,
    /// Time limit, after which its whole process tree is killed; defaults to [`SandboxFacts::seconds`].
    pub time_limit: Option<Duration>,
}

impl ProcessRun {
    /// Creates a command without input, with the default time limit.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let command = command.into_iter().map(Into::into).collect();
        Self { command, input: Vec::new(), time_limit: None }
    }
}

/// The output of a running command on standard output and standard error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaidSoFar {
    /// Total number of lines.
    pub lines: u64,
    /// The last lines.
    pub end: String,
    pub network: NetworkLog,
}

/// Receives the output of a running command.
pub type ProcessSoFar = Box<dyn Fn(&SaidSoFar) + Send + Sync>;

/// The result of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessOutput {
    /// Its exit code, 128 + n if it was killed by signal n.
    pub status: i32,
    /// The limit that it exceeded.
    pub ended: Option<ProcessLimit>,
    /// Its interleaved output; the beginning and the end if it is long.
    pub text: String,
    /// Total number of lines.
    pub lines: u64,
    /// The file with the complete output, if `text` is truncated: `scratch/…`.
    pub file: Option<String>,
    /// Number of files of the vault that were omitted because they are large.
    pub left_out: usize,
    pub network: NetworkLog,
}

/// The requests that a command made through its proxy, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetworkLog {
    pub requests: Vec<NetworkRequest>,
    /// Number of further requests, which are not listed.
    pub left_out: u64,
}

/// A request to a host; for an encrypted connection, its total traffic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkRequest {
    pub host: String,
    pub port: u16,
    /// Bytes sent to the host.
    pub sent: u64,
    /// Bytes received from the host.
    pub received: u64,
    /// Why it was refused, with the remedy.
    pub refused: Option<String>,
}

/// A limit of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessLimit {
    Time(Duration),
    /// Bytes.
    Memory(u64),
    Processes(u64),
    /// Bytes.
    Output(u64),
}

/// What a command may reach and use, as shown on its card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxFacts {
    /// A description of its working folder.
    pub folder: String,
    /// Names of open folders that it may read.
    pub reads: Vec<String>,
    /// Names of open folders that it may write.
    pub writes: Vec<String>,
    /// Whether it sees a copy of the vault, without private notes.
    pub vault: bool,
    /// The default time limit.
    pub seconds: u64,
    /// Memory limit of all its processes together, in bytes.
    pub memory: u64,
}

/// The sandbox for the commands of one call: created once, shown, and enforced as shown.
#[async_trait]
pub trait Sandbox: Send + Sync {
    fn facts(&self) -> &SandboxFacts;

    /// Runs a command until it exits; `told` receives its output and opened notes. Without a proxy it has no
    /// network. Dropping the future kills it.
    async fn run(
        &self,
        run: ProcessRun,
        call: &str,
        told: Box<dyn Fn(ProcessNews) + Send + Sync>,
        proxy: Option<Arc<dyn CommandProxy>>,
        cancel: &CancellationToken,
    ) -> Result<ProcessOutput, ToolError>;
}

/// The only access of a command to hosts that it may contact.
#[async_trait]
pub trait CommandProxy: Send + Sync {
    /// Serves one connection of the command until both sides have closed it. Dropping the future closes it.
    async fn serve(&self, connection: TcpStream);

    /// The requests so far.
    fn log(&self) -> NetworkLog;
}

/// News about a running command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessNews {
    /// Notes opened since the last news.
    pub opened: OpenedNotes,
    /// `None` if there is no new output.
    pub said: Option<SaidSoFar>,
}

/// Notes of the vault that a command has opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenedNotes {
    These(Vec<VaultPath>),
    /// Unknown: it may be any note.
    Any,
}

impl Default for OpenedNotes {
    fn default() -> Self {
        Self::These(Vec::new())
    }
}

/// Provides sandboxes for the calls of a chat.
#[async_trait]
pub trait SandboxSource: Send + Sync {
    /// `chat` is `None` for a call outside of any chat, which has no scratch folder.
    ///
    /// # Errors
    /// The reason why commands cannot run.
    fn sandbox(&self, chat: Option<&str>) -> Result<Arc<dyn Sandbox>, ToolError>;

    /// A variable of Nova's own environment.
    fn variable(&self, name: &str) -> Option<SecretString>;

    /// Runs a command with the user's rights until it exits; `told` receives its output. Dropping the future
    /// kills it.
    async fn run_as_user(
        &self,
        run: UserRun,
        told: Box<dyn Fn(ProcessNews) + Send + Sync>,
        cancel: &CancellationToken,
    ) -> Result<ProcessOutput, ToolError>;
}

/// A command to run with the user's rights.
#[derive(Debug)]
pub struct UserRun {
    /// `None` outside of any chat.
    pub chat: Option<String>,
    pub call: String,
    pub command: ConfiguredCommand,
    pub input: CommandInput,
    /// Variables passed on from Nova's own environment.
    pub environment: Vec<(String, SecretString)>,
}

/// No sandboxes.
#[async_trait]
impl SandboxSource for () {
    fn sandbox(&self, _: Option<&str>) -> Result<Arc<dyn Sandbox>, ToolError> {
        Err(nowhere())
    }

    fn variable(&self, _: &str) -> Option<SecretString> {
        None
    }

    async fn run_as_user(
        &self,
        _: UserRun,
        _: Box<dyn Fn(ProcessNews) + Send + Sync>,
        _: &CancellationToken,
    ) -> Result<ProcessOutput, ToolError> {
        Err(nowhere())
    }
}

fn nowhere() -> ToolError {
    ToolError::failed("No command can run here.", "Run it in Nova.")
}
