use std::collections::HashMap;
use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::callee::Callee;
use super::frames::{FrameError, Frames, encode};
use super::place::Place;
use super::spawn::{Process, Spawn, Spawned};
use crate::protocol::{Definition, Fault, FaultKind, FromChild, Level, Limits, ToChild};

/// A running process. Dropping it kills the process.
pub(super) struct Running {
    pub(super) frames: Frames<ChildStdout>,
    to_child: mpsc::Sender<Vec<u8>>,
    /// Content hash of each loaded file.
    loaded: HashMap<String, blake3::Hash>,
    process: Box<dyn Process>,
    _place: Place,
}

/// Why a process is unusable.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("The tool's process ended ({0}) before it answered.")]
    Ended(Ending),
    #[error("The tool's process was killed: protocol violation: {0}.")]
    Violation(String),
    #[error("It did not finish in {} s and was stopped.", .0.as_secs_f64())]
    Late(Duration),
    #[error("The process that runs TypeScript tools could not be started: {0}.")]
    NotStarted(#[source] io::Error),
    #[error("Nova is shutting down its tools.")]
    Closing,
    #[error("The call was stopped.")]
    Cancelled,
}

/// Why a file was not loaded.
#[derive(Debug)]
pub(super) enum LoadError {
    Fault {
        fault: Fault,
        fatal: bool,
    },
    /// At this line of the file, if known.
    Broken(Broken, Option<u32>),
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Code(i32),
    Signal(i32),
    Unknown,
}

/// Grace period for exiting after closing stdout, so that its own exit status is reported rather than a kill.
const EXIT_GRACE: Duration = Duration::from_millis(500);
/// Bytes retained of its stderr.
const MAX_ERRORS: u64 = 64 * 1024;

impl Running {
    pub(super) async fn start(spawn: &dyn Spawn, limits: Limits, place: Place) -> Result<Self, Broken> {
        let Spawned { stdin, stdout, stderr, process } = spawn.spawn().await.map_err(Broken::NotStarted)?;
        let (to_child, messages) = mpsc::channel(1);
        tokio::spawn(write_all(stdin, messages));
        tokio::spawn(log_stderr(stderr));
        let running =
            Self { frames: Frames::new(stdout), to_child, loaded: HashMap::new(), process, _place: place };
        running.send(ToChild::Start { limits }, 0).await?;
        Ok(running)
    }

    /// Queues a message for the writer task; waits if the process does not read.
    pub(super) async fn send(&self, message: ToChild, about: usize) -> Result<(), Broken> {
        let bytes = encode(message, about).await.map_err(|error| Broken::Violation(error.to_string()))?;
        // On a write error the output ends as well, which gives a better reason.
        let _ = self.to_child.send(bytes).await;
        Ok(())
    }

    /// The queue for answers to its requests.
    pub(super) fn outbox(&self) -> mpsc::Sender<Vec<u8>> {
        self.to_child.clone()
    }

    /// Content hash of a loaded file.
    pub(super) fn loaded(&self, file: &str) -> Option<blake3::Hash> {
        self.loaded.get(file).copied()
    }

    /// Loads a file, with a timeout.
    pub(super) async fn load(
        &mut self,
        what: &Callee,
        limit: Duration,
        stop: [&CancellationToken; 2],
    ) -> Result<Definition, LoadError> {
        let [closing, cancel] = stop;
        let mut at = None;
        let answered = tokio::select! {
            biased;
            () = closing.cancelled() => Err(Broken::Closing),
            () = cancel.cancelled() => Err(Broken::Cancelled),
            answered = tokio::time::timeout(limit, self.load_unbounded(what, &mut at)) => {
                answered.unwrap_or(Err(Broken::Late(limit)))
            }
        };
        match answered {
            Ok(Ok(definition)) => {
                self.loaded.insert(what.file.clone(), what.hash);
                Ok(definition)
            }
            Ok(Err((fault, fatal))) => {
                self.loaded.remove(&what.file);
                Err(LoadError::Fault { fault, fatal })
            }
            Err(Broken::Ended(ending)) if ending.is_crash() => {
                Err(LoadError::Fault { fault: crashed(at), fatal: true })
            }
            Err(broken) => Err(LoadError::Broken(broken, at)),
        }
    }

    /// `at` receives the line of the last statement begun.
    async fn load_unbounded(
        &mut self,
        what: &Callee,
        at: &mut Option<u32>,
    ) -> Result<Result<Definition, (Fault, bool)>, Broken> {
        let Callee { file, source, more, snippet, .. } = what;
        let message = ToChild::Load {
            file: file.clone(),
            source: source.as_ref().to_owned(),
            more: *more,
            snippet: *snippet,
        };
        self.send(message, source.len()).await?;
        loop {
            match self.frames.next().await {
                Ok((FromChild::Loaded { definition }, _)) => return Ok(Ok(*definition)),
                Ok((FromChild::Failed { fault, fatal }, _)) => return Ok(Err((fault, fatal))),
                Ok((FromChild::Log { level, message }, _)) => trace(file, level, &message),
                Ok((FromChild::At { line }, _)) => *at = Some(line),
                Ok(_) => return Err(Broken::Violation("it answered a load with something else".into())),
                Err(error) => return Err(self.broken(error).await),
            }
        }
    }

    /// Why the output of a process cannot be read any further.
    pub(super) async fn broken(&mut self, error: FrameError) -> Broken {
        match error {
            FrameError::Ended { within: false } => Broken::Ended(self.ending().await),
            error => Broken::Violation(error.to_string()),
        }
    }

    async fn ending(&mut self) -> Ending {
        let ended = tokio::time::timeout(EXIT_GRACE, self.process.wait()).await;
        ended.map_or(Ending::Unknown, |ended| ended.map_or(Ending::Unknown, Ending::from))
    }

    /// Kills it and waits until it has ended.
    pub(super) async fn end(mut self) {
        if let Err(error) = self.process.kill().await {
            tracing::warn!(%error, "cannot kill a script process");
        }
    }
}

impl Broken {
    /// The remedy, one sentence.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            Self::Ended(_) => {
                "Call it again; if this repeats, the tool uses too many resources or is faulty."
            }
            Self::Violation(_) => "Check the file of the tool; it or Nova is faulty.",
            Self::Late(_) => "Give it less work, or fix what it waits for.",
            Self::NotStarted(_) => "Check Nova's installation and restart it.",
            Self::Closing | Self::Cancelled => "Call it again.",
        }
    }
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        match status.code() {
            // The guard's exit code for a command that was killed by a signal.
            Some(code @ 129..=192) => Self::Signal(code - 128),
            Some(code) => Self::Code(code),
            None => Self::Unknown,
        }
    }
}

impl Ending {
    /// Whether the process crashed by itself, as opposed to being killed from outside or by the OOM killer.
    fn is_crash(self) -> bool {
        // SIGABRT, raised by Rust on stack overflow and failed allocation, and SIGSEGV have these numbers on
        // every Unix.
        matches!(self, Self::Signal(6 | 11))
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(out, "exit code {code}"),
            Self::Signal(signal) => write!(out, "signal {signal}"),
            Self::Unknown => out.write_str("unknown cause"),
        }
    }
}

/// The fault of a file that crashes the process. A crash before the first statement is one of the compiler,
/// and has no known line.
///
/// The compiler recurses on its stack in some forty ways (`!!!!…`, `a=>a=>…`, `if(1)if(1)…`, `x.y.y…`)
/// without a limit of its own. Any realistic source fits.
fn crashed(line: Option<u32>) -> Fault {
    let what = match line {
        Some(_) => "in or after this line. Let it do less there.",
        None => {
            "at an unknown line: an expression or a statement nests too deeply. Split it into \
             several."
        }
    };
    Fault {
        kind: FaultKind::Memory,
        message: format!("the process that read it ran out of stack or memory, {what}"),
        line,
        column: None,
        stack: Vec::new(),
    }
}

/// Logs a script's message outside of a call.
pub(super) fn trace(file: &str, level: Level, message: &str) {
    tracing::debug!(file, ?level, "{message:?}");
}

async fn write_all(mut stdin: ChildStdin, mut messages: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = messages.recv().await {
        if stdin.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

async fn log_stderr(mut stderr: ChildStderr) {
    let mut kept = Vec::new();
    let read = (&mut stderr).take(MAX_ERRORS).read_to_end(&mut kept).await;
    // Drained, so that the process does not block on a full pipe.
    let more = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await.unwrap_or(0);
    if read.is_ok() && !kept.is_empty() {
        tracing::warn!(
            "a process of TypeScript tools said, and {more} bytes more: {:?}",
            kept.utf8_chunks().map(|chunk| chunk.valid()).collect::<String>()
        );
    }
}
