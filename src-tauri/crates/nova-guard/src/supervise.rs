//! The guard process.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitStatus, waitid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use crate::NOT_STARTED;
use crate::channel::{self, Order, RUNS};
use crate::confinement::{CommandLine, Limits, ReachedLimit};
use crate::descendants::{end_all, reap, use_of_all};

/// The argument that selects the inner step.
pub(crate) const ENTER: &str = "enter";

/// Takes over the control socket from stdin, which is replaced by an empty input.
///
/// Must be called first: closes all descriptors except the standard ones.
pub(crate) fn control() -> Result<UnixStream, String> {
    close_leaked().map_err(|error| format!("/proc/self/fd: {error}"))?;
    let nothing = File::open("/dev/null").map_err(|error| format!("/dev/null: {error}"))?;
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)
        .and_then(|socket| rustix::stdio::dup2_stdin(nothing).map(|()| socket))
        .map_err(|error| format!("standard input: {error}"))?;
    let socket = UnixStream::from(socket);
    match socket.local_addr() {
        Ok(_) => Ok(socket),
        Err(_) => Err("Nova starts this program, with a socket as its standard input".into()),
    }
}

/// `own` is this program's command line up to `args`.
pub(crate) fn start(own: &[OsString], args: Vec<OsString>, nova: &mut UnixStream) -> Result<Guard, String> {
    let describe = |error: std::io::Error| error.to_string();
    let failed = |error: rustix::io::Errno| error.to_string();

    // Detached from the terminal: Ctrl-C is for Nova, which decides what to end.
    match rustix::process::setsid() {
        // Already a group leader, started by a shell with job control.
        Ok(_) | Err(rustix::io::Errno::PERM) => {}
        Err(error) => return Err(error.to_string()),
    }
    let me = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(me)).map_err(failed)?;
    let (children, child_signal) = UnixStream::pair().map_err(describe)?;
    let (ends, end_signal) = UnixStream::pair().map_err(describe)?;
    children.set_nonblocking(true).map_err(describe)?;
    pipe::register(SIGCHLD, child_signal).map_err(describe)?;
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        pipe::register(signal, end_signal.try_clone().map_err(describe)?).map_err(describe)?;
    }

    let limits = CommandLine::from_args(args.clone())?.confinement.limits;
    let order = channel::receive(nova).map_err(describe)?;
    let (mut inner, theirs) = UnixStream::pair().map_err(describe)?;
    // Re-executes this program the same way, possibly as a hidden command of Nova.
    let (name, hidden) = own.split_first().ok_or("this program has no name")?;
    let mut command = Command::new("/proc/self/exe");
    command.arg0(name).args(hidden).arg(ENTER).arg(me.to_string()).args(args);
    let child = command.env_clear().stdin(Stdio::from(OwnedFd::from(theirs))).spawn().map_err(describe)?;
    // It holds the other end of the inner socket as long as it exists.
    drop(command);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or("no process number")?;
    let guard = Guard { pid, status: None, children, ends, limits };

    // Readers of the output must see end of file when the command closes it, so the guard must not hold it.
    let result = release_output().and_then(|()| hand_over(&mut inner, order, nova));
    match result {
        Ok(()) => Ok(guard),
        Err(reason) => {
            end_all(Some(pid), |_, _| {});
            Err(reason)
        }
    }
}

/// Closes descriptors that Nova's libraries did not mark close-on-exec: neither the command nor a process
/// that briefly outlives Nova should have them.
fn close_leaked() -> std::io::Result<()> {
    // Collected before closing any: the listing itself uses a descriptor.
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for number in open.into_iter().filter(|number| *number > 2) {
        // Nothing in this process owns a descriptor yet. An error means the listing's own, already closed.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

fn release_output() -> Result<(), String> {
    let nothing =
        File::options().write(true).open("/dev/null").map_err(|error| format!("/dev/null: {error}"))?;
    rustix::stdio::dup2_stdout(&nothing)
        .and_then(|()| rustix::stdio::dup2_stderr(&nothing))
        .map_err(|error| error.to_string())
}

/// Sends the inner step its order, and reports the outcome to Nova.
fn hand_over(inner: &mut UnixStream, order: Order, nova: &mut UnixStream) -> Result<(), String> {
    let describe = |error: std::io::Error| error.to_string();
    let sent = channel::send(inner, &order).map_err(describe);
    drop(order);
    let mut confined = false;
    // The inner step's end is closed by exec or exit; the parent of a view reports explicitly.
    for line in BufReader::new(&*inner).lines() {
        let line = line.map_err(describe)?;
        if line == RUNS {
            break;
        }
        if let Some(reason) = line.strip_prefix("failed ") {
            return Err(reason.to_owned());
        }
        confined = true;
        // If Nova is gone, `supervise` will notice.
        let _ = writeln!(nova, "{line}");
    }
    sent?;
    if !confined {
        return Err("the inner step of the guard ended before the command".into());
    }
    let _ = writeln!(nova, "started");
    Ok(())
}

pub(crate) struct Guard {
    /// The command, once the inner step has executed it.
    pid: Pid,
    /// The command's exit status, once it is reaped.
    status: Option<WaitStatus>,
    /// Readable after a child has ended.
    children: UnixStream,
    /// Readable after a terminating signal.
    ends: UnixStream,
    limits: Limits,
}

impl Guard {
    /// Waits until the command has ended, Nova has closed the socket, or a terminating signal arrives; kills
    /// every descendant; returns the exit code.
    pub(crate) fn supervise(mut self, mut nova: &UnixStream) -> u8 {
        while self.runs() && !self.wait_for_event(nova) {
            if let Some(limit) = self.reached_limit() {
                // If Nova is gone, the command is killed all the same.
                let _ = writeln!(nova, "limit {}", limit.word());
                break;
            }
        }
        // Not reaped yet, so its PID is still that of its group.
        let group = self.status.is_none().then_some(self.pid);
        end_all(group, |pid, status| {
            if pid == self.pid {
                self.status = Some(status);
            }
        });
        self.status.map_or(NOT_STARTED, exit_code)
    }

    /// The limit for all processes together that was exceeded.
    fn reached_limit(&self) -> Option<ReachedLimit> {
        let Limits { all_memory, all_processes, .. } = self.limits;
        if all_memory.is_none() && all_processes.is_none() {
            return None;
        }
        let used = use_of_all(self.pid);
        if all_processes.is_some_and(|most| used.tasks > most) {
            return Some(ReachedLimit::Processes);
        }
        all_memory.is_some_and(|most| used.memory > most).then_some(ReachedLimit::Memory)
    }

    /// Reaps ended orphans; the command itself is reaped last, so that its PID is not reused until then.
    fn runs(&mut self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None)) {
            return false;
        }
        reap(|pid, status| {
            if pid == self.pid {
                self.status = Some(status);
            }
        });
        self.status.is_none()
    }

    /// Interval between checks of the limits for all processes together.
    fn pause(&self) -> Option<Timespec> {
        const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        (self.limits.all_memory.is_some() || self.limits.all_processes.is_some()).then_some(PAUSE)
    }

    /// Returns whether to end.
    fn wait_for_event(&self, nova: &UnixStream) -> bool {
        let mut polled = [
            PollFd::new(nova, PollFlags::IN),
            PollFd::new(&self.ends, PollFlags::IN),
            PollFd::new(&self.children, PollFlags::IN),
        ];
        if poll(&mut polled, self.pause().as_ref()).is_err_and(|error| error != rustix::io::Errno::INTR) {
            return true;
        }
        if !polled[2].revents().is_empty() {
            // Drained before reaping, so that a child that ends later wakes this up again.
            while matches!(rustix::io::read(&self.children, &mut [0; 64]), Ok(1..)) {}
        }
        // Nova sends nothing after its order: readable means end of file.
        polled[..2].iter().any(|polled| !polled.revents().is_empty())
    }
}

pub(crate) fn exit_code(status: WaitStatus) -> u8 {
    let code = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => NOT_STARTED.into(),
    };
    // The kernel keeps both below 256.
    u8::try_from(code).unwrap_or(NOT_STARTED)
}
