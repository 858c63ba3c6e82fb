//! Sandboxes for commands of tools: derives the permissions from the settings; the guard enforces them.
//!
//! A command sees `/scratch`, the folder of its chat; `/vault`, a copy without private notes;
//! `/workspaces/NAME`, the folders opened by the user with their access mode; and `/skills/ID`, a copy of
//! each skill with scripts. All except the scratch folder and writable workspaces are read-only.

mod as_user;
mod output;
mod running;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nova_guard::{Guarded, Limits, Opened, OpenedFiles, PROXY, ShownFolder, View};
use nova_protocol::{ErrorCode, UserError};
use nova_registry::{Commands, Settings};
use nova_skill::{
    Access, CommandProxy, Folder, FolderSource, OpenedNotes, ProcessNews, ProcessOutput, ProcessRun, Sandbox,
    SandboxFacts, SandboxSource, Secret, ToolError, UserRun, VaultPath,
};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::output::CommandOutput;
use self::running::{Running, not_started};
use crate::app::{App, Inner};
use crate::blocking::blocking;
use crate::sandboxes::{Copied, PROCESSES, confinement};
use crate::workspaces::SCRATCH;

/// Default timeout of a command.
const SECONDS: u64 = 120;
const MEMORY: u64 = 1 << 30;
const TEMPORARY: u64 = 256 << 20;
const LARGEST_FILE: u64 = 1 << 30;
/// Maximum concurrent connections of a command; further ones wait.
const CONNECTIONS: usize = 64;
/// Proxy variables: some programs support only the lower-case ones, others only the upper-case ones.
const PROXY_VARIABLES: [&str; 6] =
    ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
/// Interval between reports of a command's output.
const TICK: Duration = Duration::from_millis(100);
/// The search path for programs.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/run/current-system/sw/bin";

impl App {
    /// Like [`App::try_commands`], in the background.
    pub(crate) fn try_commands_soon(&self) {
        let wanted = self.config().skills.0.values().any(|skill| !skill.allowed_tools.is_empty());
        // Without a runtime, no tool is called either.
        if let (true, Commands::NotYet, Ok(runtime)) =
            (wanted, self.inner.sandboxes.commands(), tokio::runtime::Handle::try_current())
        {
            let app = self.clone();
            runtime.spawn(async move { app.try_commands(&app.config().skills).await });
        }
    }

    /// Checks once whether a command can be confined, if the user has enabled a tool that runs commands.
    pub(crate) async fn try_commands(&self, settings: &Settings) {
        let wanted = settings.0.values().any(|skill| !skill.allowed_tools.is_empty());
        if wanted && self.inner.sandboxes.commands() == Commands::NotYet {
            self.inner.sandboxes.try_one().await;
            self.inner.provide_commands();
        }
    }
}

impl Inner {
    /// Tells the registry whether commands can be confined.
    fn provide_commands(self: &Arc<Self>) {
        self.registry.change_present(|present| present.commands = self.sandboxes.commands());
        self.reload_registry();
    }
}

#[async_trait]
impl SandboxSource for App {
    fn sandbox(&self, chat: Option<&str>) -> Result<Arc<dyn Sandbox>, ToolError> {
        let folders = FolderSource::open(self, chat).map_err(|error| {
            ToolError::failed(
                format!("The scratch folder of this chat cannot be created: {error}."),
                "Make Nova's data folder writable.",
            )
        })?;
        let (scratch, workspaces): (Vec<_>, Vec<_>) =
            folders.iter().cloned().partition(|folder| folder.name() == SCRATCH);
        let named = |access: Access| {
            let of_access = workspaces.iter().filter(|folder| folder.access() == access);
            of_access.map(|folder| folder.name().to_owned()).collect()
        };
        let facts = SandboxFacts {
            folder: match scratch.is_empty() {
                true => "a temporary empty folder".into(),
                false => "scratch folder of this chat".into(),
            },
            reads: named(Access::Read),
            writes: named(Access::Write),
            vault: self.vault().is_ok(),
            seconds: SECONDS,
            memory: MEMORY,
        };
        let scratch = scratch.into_iter().next();
        Ok(Arc::new(CallSandbox { app: self.clone(), facts, scratch, workspaces }))
    }

    fn variable(&self, name: &str) -> Option<Secret> {
        (self.inner.options.secret)(name)
    }

    async fn run_as_user(
        &self,
        run: UserRun,
        on_news: Box<dyn Fn(ProcessNews) + Send + Sync>,
        cancel: &CancellationToken,
    ) -> Result<ProcessOutput, ToolError> {
        as_user::run(self, run, on_news, cancel).await
    }
}

/// The sandbox of one call.
struct CallSandbox {
    app: App,
    facts: SandboxFacts,
    scratch: Option<Arc<Folder>>,
    workspaces: Vec<Arc<Folder>>,
}

impl CallSandbox {
    fn view(&self, copied: &Copied, proxy: bool) -> View {
        let mut view = View { tmp: Some(TEMPORARY), proxy, ..View::default() };
        let mut show = |source: &Path, at: PathBuf, write: bool, also: Option<&Path>| {
            view.links.extend(also.map(|path| (path.to_owned(), at.clone())));
            view.folders.push(ShownFolder { source: source.to_owned(), at, write });
        };
        if let Some(scratch) = &self.scratch {
            show(scratch.path(), "/scratch".into(), true, Some(scratch.path()));
        }
        for folder in &self.workspaces {
            let at = Path::new("/workspaces").join(folder.name());
            show(folder.path(), at, folder.access() == Access::Write, Some(folder.path()));
        }
        if let Some((copy, vault)) = copied.vault.as_ref().filter(|_| self.facts.vault) {
            show(copy, "/vault".into(), false, Some(vault.as_path()));
        }
        for (id, copy) in &copied.skills {
            show(copy, Path::new("/skills").join(id), false, None);
        }
        view
    }

    async fn start(&self, run: &ProcessRun, copied: &Copied, proxy: bool) -> Result<Guarded, ToolError> {
        let limits = Limits {
            memory: Some(self.facts.memory),
            open_files: Some(1024),
            file_size: Some(LARGEST_FILE),
            all_memory: Some(self.facts.memory),
            all_processes: Some(PROCESSES),
            ..Limits::default()
        };
        let (program, args) = run.command.split_first().ok_or_else(|| not_started("no program is named"))?;
        let mut command = self
            .app
            .inner
            .sandboxes
            .guard
            .command(&confinement(self.view(copied, proxy), limits), program)
            .args(args);
        for (name, value) in [
            ("PATH", PATH),
            ("HOME", "/tmp"),
            ("TMPDIR", "/tmp"),
            ("LANG", "C.UTF-8"),
            ("TERM", "dumb"),
            // So that output is reported while it runs.
            ("PYTHONUNBUFFERED", "1"),
        ] {
            command = command.env(name, value);
        }
        for name in PROXY_VARIABLES.into_iter().filter(|_| proxy) {
            command = command.env(name, format!("http://{PROXY}"));
        }
        let folder = if self.scratch.is_some() { "/scratch" } else { "/tmp" };
        command.folder(folder).start().await.map_err(|error| not_started(&error.to_string()))
    }
}

#[async_trait]
impl Sandbox for CallSandbox {
    fn facts(&self) -> &SandboxFacts {
        &self.facts
    }

    async fn run(
        &self,
        run: ProcessRun,
        call: &str,
        on_news: Box<dyn Fn(ProcessNews) + Send + Sync>,
        proxy: Option<Arc<dyn CommandProxy>>,
        cancel: &CancellationToken,
    ) -> Result<ProcessOutput, ToolError> {
        let app = self.app.clone();
        let copied = blocking(move || {
            let (skills, vault) = (app.registry().snapshot(), app.vault().ok());
            let copied = app.inner.sandboxes.copied(&skills, vault.as_ref(), app.private());
            copied.map_err(|error| {
                let what = format!("The copies for a command cannot be created: {error}.");
                UserError::new(ErrorCode::Io, what, "Free some space on the disk of Nova's data folder.")
            })
        });
        let copied = copied.await.map_err(|error| ToolError::failed(error.message, error.hint))?;
        let mut opened = OpenedNotesOf::copy(copied.vault.as_ref().map(|(copy, _)| copy.as_path()));
        let mut guarded = self.start(&run, &copied, proxy.is_some()).await?;
        let connections = guarded.proxy.take().zip(proxy);
        // Aborted on return.
        let _proxying = connections.map(|(connections, proxy)| {
            tokio_util::task::AbortOnDropHandle::new(tokio::spawn(answer(connections, proxy)))
        });
        let time = run.time_limit.unwrap_or(Duration::from_secs(self.facts.seconds));
        let mut running =
            Running::new(&mut guarded, CommandOutput::new(self.scratch.clone(), call), run.input);
        let ended = running.until_it_ends(&mut guarded, time, cancel, |said| {
            on_news(ProcessNews { opened: opened.since(), said });
        });
        let (status, ended) = ended.await?;
        // Files opened just before its end.
        on_news(ProcessNews { opened: opened.since(), said: None });
        let output = running.output;
        Ok(ProcessOutput {
            status,
            ended,
            text: output.text(),
            lines: output.lines(),
            file: output.file().map(|name| format!("{SCRATCH}/{name}")),
            left_out: copied.left_out,
            ..ProcessOutput::default()
        })
    }
}

/// Serves a command's connections to its proxy. Dropping the future closes them.
async fn answer(connections: TcpListener, proxy: Arc<dyn CommandProxy>) {
    let mut answering = JoinSet::new();
    loop {
        tokio::select! {
            connection = connections.accept(), if answering.len() < CONNECTIONS => match connection {
                Ok((connection, _)) => {
                    let proxy = proxy.clone();
                    answering.spawn(async move { proxy.serve(connection).await });
                }
                Err(error) => {
                    // Out of descriptors: retry, as some are released when a connection ends.
                    tracing::debug!(%error, "cannot accept a command's connection");
                    tokio::time::sleep(TICK).await;
                }
            },
            Some(_) = answering.join_next() => {}
        }
    }
}

/// Tracks which notes of the copy are opened while a command runs.
enum OpenedNotesOf {
    /// There is no copy.
    Nothing,
    Watched(OpenedFiles),
    /// The system is out of watches.
    Unwatched,
}

impl OpenedNotesOf {
    fn copy(folder: Option<&Path>) -> Self {
        match folder.map(OpenedFiles::below) {
            None => Self::Nothing,
            Some(Ok(watched)) => Self::Watched(watched),
            Some(Err(error)) => {
                tracing::debug!(%error, "cannot watch the notes that a command opens");
                Self::Unwatched
            }
        }
    }

    fn since(&mut self) -> OpenedNotes {
        match self {
            Self::Nothing => OpenedNotes::default(),
            Self::Unwatched => OpenedNotes::Any,
            Self::Watched(watched) => match watched.take() {
                Opened::Any => OpenedNotes::Any,
                Opened::These(files) => {
                    let notes = files.iter().filter_map(|file| VaultPath::parse(file.to_str()?).ok());
                    OpenedNotes::These(notes.filter(VaultPath::is_note).collect())
                }
            },
        }
    }
}
