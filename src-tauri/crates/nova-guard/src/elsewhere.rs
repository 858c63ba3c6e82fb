//! Starting a command where no guard stands between; see the crate on what that means.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::confinement::{Confinement, Enforced, Files, Limits, ReachedLimit};
use crate::error::GuardError;

/// How a guard is started. Here none is; the paths are not used.
#[derive(Clone, Debug)]
pub struct Guard;

impl Guard {
    pub fn new(_program: impl Into<PathBuf>, _first_args: impl IntoIterator<Item = OsString>) -> Self {
        Self
    }

    pub fn command(&self, confinement: &Confinement, program: impl Into<OsString>) -> GuardedCommand {
        let mut command = Command::new(program.into());
        command
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0).current_dir("/");
        let asks = confinement.filters_calls() || confinement.limits != Limits::default();
        let has_view = matches!(confinement.files, Files::View(_));
        GuardedCommand { required: has_view || confinement.require && asks, command }
    }
}

/// A command that has not started yet.
#[derive(Debug)]
pub struct GuardedCommand {
    required: bool,
    command: Command,
}

impl GuardedCommand {
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.command.args(args.into_iter().map(Into::into));
        self
    }

    /// A variable of the command's environment, which holds these and nothing else.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.command.env(name.into(), value.into());
        self
    }

    /// The folder in which the command starts.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.command.current_dir(folder.into());
        self
    }

    /// Starts the command, unless it is to be confined.
    pub async fn start(mut self) -> Result<Guarded, GuardError> {
        if self.required {
            return Err(GuardError::NotStarted {
                reason: "this system cannot confine it as required; only Linux can".into(),
            });
        }
        let program = self.command.as_std().get_program().to_owned();
        let mut child = self
            .command
            .spawn()
            .map_err(|error| GuardError::NotStarted { reason: format!("{}: {error}", program.display()) })?;
        Ok(Guarded {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            proxy: None,
            group: child.id(),
            child,
        })
    }
}

/// A command that runs. Dropping it ends the command with its process group.
#[derive(Debug)]
pub struct Guarded {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    /// Nothing has a proxy here.
    pub proxy: Option<tokio::net::TcpListener>,
    group: Option<u32>,
    child: Child,
}

impl Guarded {
    pub fn files(&self) -> Enforced {
        Enforced::Not
    }

    pub fn calls(&self) -> Enforced {
        Enforced::Not
    }

    pub fn reached_limit(&self) -> Option<ReachedLimit> {
        None
    }

    /// The command's process id, unless it has ended and [`wait`](Self::wait) has said so.
    pub fn guard_id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the command has ended, then ends its process group.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.kill_group();
        Ok(status)
    }

    /// Ends the command and its process group, and waits for the command.
    pub async fn kill(&mut self) -> io::Result<ExitStatus> {
        self.kill_group();
        // Where there are no groups; an error means that it has ended.
        let _ = self.child.start_kill();
        self.child.wait().await
    }

    fn kill_group(&mut self) {
        let _group = self.group.take();
        #[cfg(unix)]
        if let Some(group) =
            _group.and_then(|group| i32::try_from(group).ok()).and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// Notices which files below a folder are opened. Here nothing does.
#[derive(Debug)]
pub struct OpenedFiles;

/// What was opened since the last call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// Relative to the folder.
    These(std::collections::BTreeSet<PathBuf>),
    /// More than the system noticed.
    Any,
}

impl OpenedFiles {
    pub fn below(_folder: &std::path::Path) -> io::Result<Self> {
        Ok(Self)
    }

    pub fn take(&mut self) -> Opened {
        Opened::Any
    }
}
