//! Nova's side: starting a command under a guard, and ending it.

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

/// How a guard is started.
#[derive(Clone, Debug)]
pub struct Guard {
    program: PathBuf,
    first_args: Vec<OsString>,
}

impl Guard {
    /// `program` by absolute path; `first_args` are what it needs to call [`main`](crate::main):
    /// none for `nova-guard`, `guard` for Nova itself.
    pub fn new(program: impl Into<PathBuf>, first_args: impl IntoIterator<Item = OsString>) -> Self {
        Self { program: program.into(), first_args: first_args.into_iter().collect() }
    }

    /// A command to be started under a guard of its own. `program` without a slash is looked for on
    /// the `PATH` of the command's own environment, which is empty to begin with.
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

    /// A variable of the command's environment, which holds these and nothing else.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The folder in which the command starts; `/` otherwise. This gives no right to read it.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// Starts the command and returns as soon as it runs, confined.
    ///
    /// Dropping the future ends what it has started.
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
        // It keeps the guard's end of the socket as long as it lives.
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
        guarded.hear_of_start(&environment).await?;
        if let Some(proxy) = proxy {
            // It came before the word that the command runs.
            guarded.proxy = Some(listener(&proxy)?);
        }
        Ok(guarded)
    }

    fn find_program(&self) -> Result<PathBuf, GuardError> {
        let program = Path::new(&self.program);
        if program.components().count() > 1 || program.is_absolute() {
            // As seen from the command's folder, and absolute, because rights go by path.
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

/// A command that runs under its guard.
///
/// Dropping it ends the command with all its descendants, soon; [`kill`](Self::kill) returns when
/// they are gone. Closing `stdin` is the end of the command's input and nothing else.
#[derive(Debug)]
pub struct Guarded {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    /// The command's connections to its proxy arrive here, where its view has one ([`View::proxy`](crate::View)).
    pub proxy: Option<TcpListener>,
    files: Enforced,
    calls: Enforced,
    reached_limit: Option<ReachedLimit>,
    child: Child,
    /// Closing it tells the guard to end everything.
    control: Option<BufReader<UnixStream>>,
}

impl Guarded {
    /// How far the command is confined to files.
    pub fn files(&self) -> Enforced {
        self.files
    }

    /// How far the command is kept from sockets, from processes and from the calls that lead around
    /// a confinement.
    pub fn calls(&self) -> Enforced {
        self.calls
    }

    /// The limit for all processes together for which the guard ended the command; known once
    /// [`wait`](Self::wait) has returned.
    pub fn reached_limit(&self) -> Option<ReachedLimit> {
        self.reached_limit
    }

    /// The guard's process id, unless it has ended and [`wait`](Self::wait) has said so.
    pub fn guard_id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the command has ended and none of its descendants is left.
    ///
    /// The status is an exit code: the command's own, or 128 + n if signal n ended it. It is a
    /// signal only if that ended the guard itself; see the crate on what may be left then. May be
    /// dropped and called again.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        if let Some(mut control) = self.control.take() {
            let mut last = String::new();
            // The guard has ended, so this has an end; what cannot be read says nothing.
            let _ = control.read_to_string(&mut last).await;
            let limit = last.lines().find_map(|line| line.strip_prefix("limit "));
            self.reached_limit = limit.and_then(ReachedLimit::from_word);
        }
        Ok(status)
    }

    /// Ends the command and all its descendants and waits until they are gone.
    pub async fn kill(&mut self) -> io::Result<ExitStatus> {
        self.control = None;
        self.wait().await
    }

    async fn hear_of_start(&mut self, environment: &[u8]) -> Result<(), GuardError> {
        let Some(control) = &mut self.control else { return Ok(()) };
        // A guard that fails early closes the socket, but says why first.
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
