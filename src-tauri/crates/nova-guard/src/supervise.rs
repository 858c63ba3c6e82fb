//! The guard itself.

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

/// The word that makes this program the inner step.
pub(crate) const ENTER: &str = "enter";

/// The socket that came as standard input, for this process alone; its place gets nothing to read.
///
/// To be called first: closes all descriptors but the standard ones.
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

/// `own` is how this program was started, up to `args`.
pub(crate) fn start(own: &[OsString], args: Vec<OsString>, nova: &mut UnixStream) -> Result<Guard, String> {
    let told = |error: std::io::Error| error.to_string();
    let failed = |error: rustix::io::Errno| error.to_string();

    // Out of the terminal's reach: Ctrl-C is for Nova, which decides what ends.
    match rustix::process::setsid() {
        // A shell with job control has made the guard the leader of a group of its own already.
        Ok(_) | Err(rustix::io::Errno::PERM) => {}
        Err(error) => return Err(error.to_string()),
    }
    let me = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(me)).map_err(failed)?;
    let (children, child_signal) = UnixStream::pair().map_err(told)?;
    let (ends, end_signal) = UnixStream::pair().map_err(told)?;
    children.set_nonblocking(true).map_err(told)?;
    pipe::register(SIGCHLD, child_signal).map_err(told)?;
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        pipe::register(signal, end_signal.try_clone().map_err(told)?).map_err(told)?;
    }

    let limits = CommandLine::from_args(args.clone())?.confinement.limits;
    let order = channel::receive(nova).map_err(told)?;
    let (mut inner, theirs) = UnixStream::pair().map_err(told)?;
    // The same program in the same way, so also as a hidden command of Nova's.
    let (name, hidden) = own.split_first().ok_or("this program has no name")?;
    let mut command = Command::new("/proc/self/exe");
    command.arg0(name).args(hidden).arg(ENTER).arg(me.to_string()).args(args);
    let child = command.env_clear().stdin(Stdio::from(OwnedFd::from(theirs))).spawn().map_err(told)?;
    // It keeps the other end of the inner socket as long as it lives.
    drop(command);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or("no process number")?;
    let guard = Guard { pid, status: None, children, ends, limits };

    // The command's output ends when the command's own ends of it are closed, not when ours are.
    let result = let_go_of_output().and_then(|()| hand_over(&mut inner, order, nova));
    match result {
        Ok(()) => Ok(guard),
        Err(reason) => {
            end_all(Some(pid), |_, _| {});
            Err(reason)
        }
    }
}

/// What Nova's libraries forgot to mark as "close on exec" is none of the command's business, and
/// none of a process's that outlives Nova for a moment.
fn close_leaked() -> std::io::Result<()> {
    // Read whole before the first is closed: the list itself takes a descriptor.
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for number in open.into_iter().filter(|number| *number > 2) {
        // Nothing here owns a descriptor yet. An error means the list's own, gone already.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

fn let_go_of_output() -> Result<(), String> {
    let nothing =
        File::options().write(true).open("/dev/null").map_err(|error| format!("/dev/null: {error}"))?;
    rustix::stdio::dup2_stdout(&nothing)
        .and_then(|()| rustix::stdio::dup2_stderr(&nothing))
        .map_err(|error| error.to_string())
}

/// Gives the inner step what the command gets, and tells Nova how that went.
fn hand_over(inner: &mut UnixStream, order: Order, nova: &mut UnixStream) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let sent = channel::send(inner, &order).map_err(told);
    drop(order);
    let mut confined = false;
    // The inner step's end closes when it becomes the command, or ends; in front of a view it stays.
    for line in BufReader::new(&*inner).lines() {
        let line = line.map_err(told)?;
        if line == RUNS {
            break;
        }
        if let Some(reason) = line.strip_prefix("failed ") {
            return Err(reason.to_owned());
        }
        confined = true;
        // If Nova is gone, supervising finds out.
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
    /// The command, once its inner step is over.
    pid: Pid,
    /// How the command ended, as soon as it is reaped.
    status: Option<WaitStatus>,
    /// Has something to read after a child ended.
    children: UnixStream,
    /// Has something to read after a signal to end.
    ends: UnixStream,
    limits: Limits,
}

impl Guard {
    /// Waits until the command has ended, Nova has closed the socket, or a signal says to end; ends
    /// every descendant; returns the exit code.
    pub(crate) fn supervise(mut self, mut nova: &UnixStream) -> u8 {
        while self.runs() && !self.wait_for_event(nova) {
            if let Some(limit) = self.reached_limit() {
                // If Nova is gone, the command ends all the same.
                let _ = writeln!(nova, "limit {}", limit.word());
                break;
            }
        }
        // Not reaped yet, its number still is its group's.
        let group = self.status.is_none().then_some(self.pid);
        end_all(group, |pid, status| {
            if pid == self.pid {
                self.status = Some(status);
            }
        });
        self.status.map_or(NOT_STARTED, exit_code)
    }

    /// The limit for all processes together that they have reached.
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

    /// Reaps orphans that have ended; the command itself stays to be reaped at the end, so that
    /// until then no other process gets its number.
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

    /// How long may pass until the limits for all processes are looked at.
    fn pause(&self) -> Option<Timespec> {
        const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        (self.limits.all_memory.is_some() || self.limits.all_processes.is_some()).then_some(PAUSE)
    }

    /// Returns whether it is time to end.
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
            // Emptied before looking at the children: who ends later is heard again.
            while matches!(rustix::io::read(&self.children, &mut [0; 64]), Ok(1..)) {}
        }
        // Nova sends nothing after its order: whatever there is to read is the end.
        polled[..2].iter().any(|polled| !polled.revents().is_empty())
    }
}

pub(crate) fn exit_code(status: WaitStatus) -> u8 {
    let code = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => NOT_STARTED.into(),
    };
    // Both are below 256 as the kernel gives them.
    u8::try_from(code).unwrap_or(NOT_STARTED)
}
