use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;

use async_trait::async_trait;
use nova_guard::{Confinement, Enforced, Guard, Guarded, Limits};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};

/// Starts script processes: under the guard in the program, without one in tests.
#[async_trait]
pub trait Spawn: Send + Sync {
    async fn spawn(&self) -> io::Result<Spawned>;
}

/// Starts the process under the guard, without files, network, child processes or environment.
///
/// A script cannot reach any of these anyway, because its engine has no such functions: the confinement
/// protects against a compromised engine. Therefore, if the system enforces it only partly, scripts run
/// anyway unless `require` is set, and the log says so; if it enforces nothing, the user is asked.
#[derive(Clone)]
pub struct UnderGuard {
    pub guard: Guard,
    /// Absolute path of `nova-script`, or of Nova itself.
    pub program: PathBuf,
    /// Arguments that make the program act as the script process; none for `nova-script`.
    pub args: Vec<OsString>,
    /// Memory limit of the process, including the engine's heap, in bytes.
    pub memory: u64,
    /// Refuse to start if the confinement cannot be enforced.
    pub require: bool,
    /// Decides if the system enforces nothing.
    pub unconfined: Arc<dyn MayRunUnconfined>,
}

/// Whether the user allows scripts to run unconfined.
#[async_trait]
pub trait MayRunUnconfined: Send + Sync {
    async fn may_run_unconfined(&self) -> bool;
}

/// Detected before any script has run.
const UNCONFINED: &str = "this system has neither Landlock nor seccomp to confine it; to run such tools all the \
                          same, run: nova tool unconfined allow";

#[async_trait]
impl Spawn for UnderGuard {
    async fn spawn(&self) -> io::Result<Spawned> {
        let limits = Limits {
            memory: Some(self.memory),
            open_files: Some(16),
            file_size: Some(0),
            ..Limits::default()
        };
        let confinement = Confinement { limits, require: self.require, ..Confinement::nothing() };
        let command = self.guard.command(&confinement, &self.program).args(self.args.iter().cloned());
        let mut guarded = command.start().await.map_err(io::Error::other)?;
        if guarded.files() != Enforced::Fully || guarded.calls() != Enforced::Fully {
            tracing::debug!(
                files = ?guarded.files(),
                calls = ?guarded.calls(),
                "system confinement is incomplete; the engine alone confines TypeScript tools"
            );
        }
        let is_unconfined = [guarded.files(), guarded.calls()] == [Enforced::Not; 2];
        if is_unconfined && !self.unconfined.may_run_unconfined().await {
            return Err(io::Error::other(UNCONFINED));
        }
        let missing = || io::Error::other("a pipe of the process is missing");
        Ok(Spawned {
            stdin: guarded.stdin.take().ok_or_else(missing)?,
            stdout: guarded.stdout.take().ok_or_else(missing)?,
            stderr: guarded.stderr.take().ok_or_else(missing)?,
            process: Box::new(guarded),
        })
    }
}

/// A started process with its three pipes.
pub struct Spawned {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
    pub process: Box<dyn Process>,
}

/// A started process. Dropping it kills the process and its descendants.
#[async_trait]
pub trait Process: Send + Sync {
    /// Waits until it has ended. Cancel safe, and may be called repeatedly.
    async fn wait(&mut self) -> io::Result<ExitStatus>;

    /// Kills it and its descendants, and waits until they have ended.
    async fn kill(&mut self) -> io::Result<()>;
}

/// For a command with `kill_on_drop`.
#[async_trait]
impl Process for Child {
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        Self::wait(self).await
    }

    async fn kill(&mut self) -> io::Result<()> {
        Self::kill(self).await
    }
}

#[async_trait]
impl Process for Guarded {
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        Self::wait(self).await
    }

    async fn kill(&mut self) -> io::Result<()> {
        Self::kill(self).await.map(drop)
    }
}
