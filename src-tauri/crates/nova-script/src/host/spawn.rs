use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;

use async_trait::async_trait;
use nova_guard::{Confinement, Enforced, Guard, Guarded, Limits};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};

/// How a process that runs scripts is started: under the guard in the program, plainly in a test.
#[async_trait]
pub trait Spawn: Send + Sync {
    async fn spawn(&self) -> io::Result<Spawned>;
}

/// Starts the process under the guard, without files, network, processes of its own or environment.
///
/// A script cannot reach any of these in the first place: its engine has no such functions. The
/// confinement holds where the engine is broken. So where the system enforces a part of it, scripts run
/// anyway unless `require` is set, and the log says so; where it enforces nothing, the user is asked.
#[derive(Clone)]
pub struct UnderGuard {
    pub guard: Guard,
    /// The program `nova-script`, or Nova itself; by absolute path.
    pub program: PathBuf,
    /// What the program needs to become that process: none for `nova-script`.
    pub args: Vec<OsString>,
    /// Bytes of memory of the whole process, its engine's heap among them.
    pub memory: u64,
    /// Start nothing where the confinement cannot be enforced.
    pub require: bool,
    /// Asked where the system enforces nothing.
    pub unconfined: Arc<dyn MayRunUnconfined>,
}

/// Whether the user lets scripts run where the system confines nothing.
#[async_trait]
pub trait MayRunUnconfined: Send + Sync {
    async fn may_run_unconfined(&self) -> bool;
}

/// Nothing of a script has run when this is found out.
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
                "TypeScript tools are confined by their engine; the system enforces of files {:?}, of calls {:?}",
                guarded.files(),
                guarded.calls()
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

/// A process that was started, with its three pipes.
pub struct Spawned {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
    pub process: Box<dyn Process>,
}

/// A started process. To drop it is to end it, with everything that it started.
#[async_trait]
pub trait Process: Send + Sync {
    /// Waits for its end. May be called again, and dropped before it is ready.
    async fn wait(&mut self) -> io::Result<ExitStatus>;

    /// Ends it, if it has not ended, with everything that it started, and waits until they are gone.
    async fn kill(&mut self) -> io::Result<()>;
}

/// Of a command with `kill_on_drop`.
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
