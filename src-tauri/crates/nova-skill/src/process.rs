//! Commands that run under Nova's guard: what they may reach, how they are run, how they ended.

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
    /// Runs a command to its end. `so_far` receives its output, at most ten times a second.
    async fn run(&self, run: ProcessRun, so_far: ProcessSoFar) -> Result<ProcessOutput, ToolError>;

    /// Runs the [`ConfiguredCommand`] of this name with the user's rights: the one that the configuration of the
    /// call's skill holds, and no other.
    async fn run_configured(
        &self,
        name: &str,
        input: CommandInput,
        so_far: ProcessSoFar,
    ) -> Result<ProcessOutput, ToolError>;
}

/// A command as it is to run. Its program is looked for in the system's program folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessRun {
    pub command: Vec<String>,
    /// What it reads; then its standard input ends.
    pub input: Vec<u8>,
    /// After which it is ended with all that it started; [`SandboxFacts::seconds`] where none is given.
    pub time_limit: Option<Duration>,
}

impl ProcessRun {
    /// Without input, for as long as the sandbox allows.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let command = command.into_iter().map(Into::into).collect();
        Self { command, input: Vec::new(), time_limit: None }
    }
}

/// What a running command has said on standard output and standard error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaidSoFar {
    /// How many lines in all.
    pub lines: u64,
    /// The last of them.
    pub end: String,
    pub network: NetworkLog,
}

/// Is told what a running command has said.
pub type ProcessSoFar = Box<dyn Fn(&SaidSoFar) + Send + Sync>;

/// How a command ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessOutput {
    /// Its exit code, 128 + n where signal n ended it.
    pub status: i32,
    /// The limit for which it was ended.
    pub ended: Option<ProcessLimit>,
    /// What it said on both outputs, as it came: the beginning and the end where it is long.
    pub text: String,
    /// Lines in all.
    pub lines: u64,
    /// Where all of it lies, where `text` is not all: `scratch/…`.
    pub file: Option<String>,
    /// Files of the vault that it was not given because they are large.
    pub left_out: usize,
    pub network: NetworkLog,
}

/// The requests that a command made through its proxy, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetworkLog {
    pub requests: Vec<NetworkRequest>,
    /// Further requests, which are not listed.
    pub left_out: u64,
}

/// A request for a host; of an encrypted connection, all that went over it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkRequest {
    pub host: String,
    pub port: u16,
    /// Bytes to the host.
    pub sent: u64,
    /// Bytes from the host.
    pub received: u64,
    /// Why it went nowhere, with the remedy.
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

/// What a command may reach and use: what its card shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxFacts {
    /// Where it runs, in words.
    pub folder: String,
    /// Open folders that it may read, by name.
    pub reads: Vec<String>,
    /// Open folders that it may write, by name.
    pub writes: Vec<String>,
    /// Whether it sees a copy of the vault, in which no private note is.
    pub vault: bool,
    /// How long it may run, where nothing else is asked for.
    pub seconds: u64,
    /// Bytes of memory of all its processes together.
    pub memory: u64,
}

/// Where the commands of one call run: made once for the call, shown, and enforced as shown.
#[async_trait]
pub trait Sandbox: Send + Sync {
    fn facts(&self) -> &SandboxFacts;

    /// Runs a command to its end; `told` hears of what it says and opens. Without a proxy it has no network.
    /// Dropping the future ends it.
    async fn run(
        &self,
        run: ProcessRun,
        call: &str,
        told: Box<dyn Fn(ProcessNews) + Send + Sync>,
        proxy: Option<Arc<dyn CommandProxy>>,
        cancel: &CancellationToken,
    ) -> Result<ProcessOutput, ToolError>;
}

/// The one way of a command to hosts that it may contact.
#[async_trait]
pub trait CommandProxy: Send + Sync {
    /// Answers one connection of the command, until both sides have ended it. Dropping the future closes it.
    async fn serve(&self, connection: TcpStream);

    /// What was requested so far.
    fn log(&self) -> NetworkLog;
}

/// What became known of a running command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessNews {
    /// Notes that it has opened since.
    pub opened: OpenedNotes,
    /// None where it has said nothing since.
    pub said: Option<SaidSoFar>,
}

/// Notes of the vault that a command has opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenedNotes {
    These(Vec<VaultPath>),
    /// Nobody knows which.
    Any,
}

impl Default for OpenedNotes {
    fn default() -> Self {
        Self::These(Vec::new())
    }
}

/// Runs the commands of the calls of a chat.
#[async_trait]
pub trait SandboxSource: Send + Sync {
    /// `chat` is `None` for a call outside of any chat, which has no scratch folder.
    ///
    /// # Errors
    /// Why no command can run.
    fn sandbox(&self, chat: Option<&str>) -> Result<Arc<dyn Sandbox>, ToolError>;

    /// A variable of Nova's own environment.
    fn variable(&self, name: &str) -> Option<SecretString>;

    /// Runs a command with the user's rights to its end; `told` hears of what it says. Dropping the future ends it.
    async fn run_as_user(
        &self,
        run: UserRun,
        told: Box<dyn Fn(ProcessNews) + Send + Sync>,
        cancel: &CancellationToken,
    ) -> Result<ProcessOutput, ToolError>;
}

/// A command as it is to run with the user's rights.
#[derive(Debug)]
pub struct UserRun {
    /// None outside of any chat.
    pub chat: Option<String>,
    pub call: String,
    pub command: ConfiguredCommand,
    pub input: CommandInput,
    /// What it gets of Nova's own environment.
    pub environment: Vec<(String, SecretString)>,
}

/// None.
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
