//! A running command: its input, output, limits and end.

use std::time::Duration;

use nova_guard::{Guarded, ReachedLimit};
use nova_skill::{ProcessLimit, ToolError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::output::CommandOutput;
use super::{MEMORY, TICK};
use crate::sandboxes::PROCESSES;

const OUTPUT: u64 = 64 << 20;

/// A running command and its output.
pub(super) struct Running {
    pub(super) output: CommandOutput,
    stdout: Option<tokio::process::ChildStdout>,
    stderr: Option<tokio::process::ChildStderr>,
    /// Writes its input.
    _input: tokio_util::task::AbortOnDropHandle<()>,
}

impl Running {
    pub(super) fn new(guarded: &mut Guarded, output: CommandOutput, input: Vec<u8>) -> Self {
        let stdin = guarded.stdin.take();
        let writing = async move {
            if let Some(mut stdin) = stdin {
                // An error means that the command does not read it.
                let _ = stdin.write_all(&input).await;
            }
        };
        Self {
            output,
            stdout: guarded.stdout.take(),
            stderr: guarded.stderr.take(),
            _input: tokio_util::task::AbortOnDropHandle::new(tokio::spawn(writing)),
        }
    }

    /// Returns its exit code, and the limit for which it was killed, if any.
    pub(super) async fn until_it_ends(
        &mut self,
        guarded: &mut Guarded,
        time: Duration,
        cancel: &CancellationToken,
        mut tell: impl FnMut(Option<nova_skill::SaidSoFar>),
    ) -> Result<(i32, Option<ProcessLimit>), ToolError> {
        let deadline = Instant::now() + time;
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut told_bytes = 0;
        let mut limit = None;
        let (mut one, mut other) = ([0; 16 << 10], [0; 4 << 10]);
        let status = loop {
            tokio::select! {
                read = read(&mut self.stdout, &mut one) => self.output.add(&one[..read]),
                read = read(&mut self.stderr, &mut other) => self.output.add(&other[..read]),
                _ = tick.tick() => {
                    let news = self.output.bytes() > told_bytes;
                    told_bytes = self.output.bytes();
                    tell(news.then(|| self.output.so_far()));
                }
                ended = guarded.wait() => break ended,
                () = tokio::time::sleep_until(deadline) => {
                    limit = Some(ProcessLimit::Time(time));
                    break guarded.kill().await;
                }
                () = cancel.cancelled() => {
                    // Waits for its end, so that nothing of it runs afterwards.
                    let _ = guarded.kill().await;
                    return Err(ToolError::Cancelled);
                }
            }
            if self.output.bytes() > OUTPUT {
                limit = Some(ProcessLimit::Output(OUTPUT));
                break guarded.kill().await;
            }
        };
        let status = status.map_err(|error| not_started(&error.to_string()))?;
        // All its processes have ended, so both pipes reach end of file.
        while self.output.bytes() <= OUTPUT && (self.stdout.is_some() || self.stderr.is_some()) {
            tokio::select! {
                read = read(&mut self.stdout, &mut one) => self.output.add(&one[..read]),
                read = read(&mut self.stderr, &mut other) => self.output.add(&other[..read]),
            }
        }
        tell((self.output.bytes() > told_bytes).then(|| self.output.so_far()));
        let reached = guarded.reached_limit().map(|reached| match reached {
            ReachedLimit::Memory => ProcessLimit::Memory(MEMORY),
            ReachedLimit::Processes => ProcessLimit::Processes(PROCESSES),
        });
        // Only a killed guard has no exit code.
        Ok((status.code().unwrap_or(128 + 9), limit.or(reached)))
    }
}

/// Number of bytes read. The pipe is closed at end of file; for a closed pipe the future never completes.
async fn read<R: tokio::io::AsyncRead + Unpin>(pipe: &mut Option<R>, space: &mut [u8]) -> usize {
    let Some(open) = pipe else { return std::future::pending().await };
    let read = open.read(space).await.unwrap_or_default();
    if read == 0 {
        *pipe = None;
    }
    read
}

pub(super) fn not_started(why: &str) -> ToolError {
    ToolError::failed(format!("The command did not run: {why}."), "Change the command, or do without it.")
}
