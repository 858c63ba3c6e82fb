use std::io;
use std::process::ExitStatus;

use async_trait::async_trait;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};

/// How a process that runs scripts is started: under the guard in the program, plainly in a test.
#[async_trait]
pub trait Spawn: Send + Sync {
    async fn spawn(&self) -> io::Result<Spawned>;
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
