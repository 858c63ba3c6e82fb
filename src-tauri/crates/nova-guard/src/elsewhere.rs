//! Starts commands on systems without a guard; see the crate's documentation for the consequences.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::confinement::{Confinement, Enforced, Files, Limits, ReachedLimit};
use crate::error::GuardError;

/// Configuration of a guard, unused on this system.
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

    /// Sets a variable of the command's environment, which is empty otherwise.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.command.env(name.into(), value.into());
        self
    }

    /// Sets the command's working directory.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.command.current_dir(folder.into());
        self
    }

    /// Starts the command; refuses if it requires confinement.
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

/// A running command. Dropping it kills the command's process group.
#[derive(Debug)]
pub struct Guarded {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    /// Always `None` on this system.
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

    /// The command's process id, until [`wait`](Self::wait) has returned.
    pub fn guard_id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the command has ended, then kills its process group.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.kill_group();
        Ok(status)
    }

    /// Kills the command with its process group, and waits for the command.
    pub async fn kill(&mut self) -> io::Result<ExitStatus> {
        self.kill_group();
        // For systems without process groups; an error means that the command has ended.
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

/// Reports which files in a folder are opened; not supported on this system.
#[derive(Debug)]
pub struct OpenedFiles;

/// The files opened since the last call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// Relative to the folder.
    These(std::collections::BTreeSet<PathBuf>),
    /// Events were lost.
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
