//! Nova's side: starts a command under a guard, and ends it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, UnixStream};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::channel;
use crate::confinement::{CommandLine, Confinement, Enforced, ReachedLimit};
use crate::error::GuardError;

/// Configuration of a guard.
#[derive(Clone, Debug)]
pub struct Guard {
    program: PathBuf,
    first_args: Vec<OsString>,
}

impl Guard {
    /// `program` is an absolute path; `first_args` are the arguments that make it call [`main`](crate::main):
    /// none for `nova-guard`, `guard` for Nova itself.
    pub fn new(program: impl Into<PathBuf>, first_args: impl IntoIterator<Item = OsString>) -> Self {
        Self { program: program.into(), first_args: first_args.into_iter().collect() }
    }

    /// Prepares a command under its own guard. A `program` without a slash is looked up on the `PATH` of the
    /// command's own environment, which is initially empty.
    pub fn command(&self, confinement: &Confinement, program: impl Into<OsString>) -> GuardedCommand {
        GuardedCommand {
            guard: self.clone(),
            confinement: confinement.clone(),
            program: program.into(),
            args: Vec::new(),
            environment: Vec::new(),
            folder: PathBuf::from("/"),
        }
    }
}

/// A command that has not started yet.
#[derive(Clone, Debug)]
pub struct GuardedCommand {
    guard: Guard,
    confinement: Confinement,
    program: OsString,
    args: Vec<OsString>,
    environment: channel::Environment,
    folder: PathBuf,
}

impl GuardedCommand {
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the command's environment, which is empty otherwise.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Sets the command's working directory, by default `/`. This grants no access to it.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// Starts the command, and returns as soon as it runs confined.
    ///
    /// Dropping the future kills what has been started.
    pub async fn start(self) -> Result<Guarded, GuardError> {
        let environment =
            channel::pack(&self.environment).map_err(|reason| GuardError::NotStarted { reason })?;
        let program = self.find_program()?;
        let Self { guard, confinement, args, folder, .. } = self;

        let (control, theirs) = std::os::unix::net::UnixStream::pair()?;
        control.set_nonblocking(true)?;
        let (stdin, input) = io::pipe()?;
        let (proxy, for_proxy) = match confinement.has_proxy() {
            true => {
                std::os::unix::net::UnixStream::pair().map(|(ours, theirs)| (Some(ours), Some(theirs)))?
            }
            false => (None, None),
        };
        let mut command = Command::new(&guard.program);
        command
            .args(&guard.first_args)
            .args(CommandLine { confinement, folder, program, args }.to_args())
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| GuardError::Guard { program: guard.program.clone(), error })?;
        // It holds the guard's end of the socket as long as it exists.
        drop(command);

        let theirs = for_proxy.as_ref().map(AsFd::as_fd);
        channel::send_descriptors(&control, stdin.as_fd(), theirs, environment.len())?;
        drop((stdin, for_proxy));
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let mut guarded = Guarded {
            stdin: Some(ChildStdin::from_std(OwnedFd::from(input).into())?),
            stdout,
            stderr,
            files: Enforced::Not,
            calls: Enforced::Not,
            reached_limit: None,
            proxy: None,
            child,
            control: Some(BufReader::new(UnixStream::from_std(control)?)),
        };
        guarded.read_start_report(&environment).await?;
        if let Some(proxy) = proxy {
            // It was sent before the line that reports the start.
            guarded.proxy = Some(listener(&proxy)?);
        }
        Ok(guarded)
    }

    fn find_program(&self) -> Result<PathBuf, GuardError> {
        let program = Path::new(&self.program);
        if program.components().count() > 1 || program.is_absolute() {
            // Resolved against the command's folder, and absolute, because permissions are path-based.
            return Ok(self.folder.join(program));
        }
        let path = channel::variable(&self.environment, "PATH").unwrap_or(OsStr::new(""));
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(program))
            .find(|file| file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok())
            .ok_or_else(|| GuardError::NotFound { program: self.program.clone() })
    }
}

/// A command running under its guard.
///
/// Dropping it kills the command with all its descendants, asynchronously; [`kill`](Self::kill) waits until
/// they are gone. Closing `stdin` only signals end of file to the command.
#[derive(Debug)]
pub struct Guarded {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    /// Receives the command's connections to its proxy, if its view has one ([`View::proxy`](crate::View)).
    pub proxy: Option<TcpListener>,
    files: Enforced,
    calls: Enforced,
    reached_limit: Option<ReachedLimit>,
    child: Child,
    /// Closing it makes the guard kill everything.
    control: Option<BufReader<UnixStream>>,
}

impl Guarded {
    /// To what extent file access is restricted.
    pub fn files(&self) -> Enforced {
        self.files
    }

    /// To what extent sockets, processes and calls that could circumvent a confinement are restricted.
    pub fn calls(&self) -> Enforced {
        self.calls
    }

    /// The limit for all processes together whose violation made the guard kill the command; set once
    /// [`wait`](Self::wait) has returned.
    pub fn reached_limit(&self) -> Option<ReachedLimit> {
        self.reached_limit
    }

    /// The guard's process id, until [`wait`](Self::wait) has returned.
    pub fn guard_id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the command and all its descendants have ended.
    ///
    /// The status is an exit code: the command's own, or 128 + n if signal n killed it. It is a signal only
    /// if that killed the guard itself; see the crate's documentation for what may be left then. Cancel safe.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        if let Some(mut control) = self.control.take() {
            let mut last = String::new();
            // The guard has ended, so this terminates; read errors do not matter.
            let _ = control.read_to_string(&mut last).await;
            let limit = last.lines().find_map(|line| line.strip_prefix("limit "));
            self.reached_limit = limit.and_then(ReachedLimit::from_word);
        }
        Ok(status)
    }

    /// Kills the command and all its descendants, and waits until they are gone.
    pub async fn kill(&mut self) -> io::Result<ExitStatus> {
        self.control = None;
        self.wait().await
    }

    async fn read_start_report(&mut self, environment: &[u8]) -> Result<(), GuardError> {
        let Some(control) = &mut self.control else { return Ok(()) };
        // A guard that fails early closes the socket, but reports the reason first.
        let sent = control.get_mut().write_all(environment).await;
        let mut line = String::new();
        loop {
            line.clear();
            control.read_line(&mut line).await?;
            let line = line.trim_end();
            if line == "started" {
                return Ok(sent?);
            }
            if let Some(reason) = line.strip_prefix("failed ") {
                return Err(GuardError::NotStarted { reason: reason.to_owned() });
            }
            if line.is_empty() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            for word in line.split(' ') {
                match word.split_once('=').and_then(|(part, word)| Some((part, Enforced::from_word(word)?))) {
                    Some(("files", enforced)) => self.files = enforced,
                    Some(("calls", enforced)) => self.calls = enforced,
                    _ => {}
                }
            }
        }
    }
}

fn listener(proxy: &std::os::unix::net::UnixStream) -> io::Result<TcpListener> {
    proxy.set_nonblocking(true)?;
    let (_, descriptors) = channel::take(proxy.as_fd(), &mut [0])?;
    let listener = descriptors.into_iter().next().ok_or(io::ErrorKind::UnexpectedEof)?;
    let listener = std::net::TcpListener::from(listener);
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}
