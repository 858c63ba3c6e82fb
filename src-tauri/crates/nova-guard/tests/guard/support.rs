use std::path::{Path, PathBuf};
use std::time::Duration;

use nova_guard::{Confinement, Guard, Guarded, GuardedCommand};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::time::timeout;

/// Within which no process may be left.
pub(crate) const BOUND: Duration = Duration::from_secs(5);

pub(crate) fn guard() -> Guard {
    Guard::new(guard_program(), [])
}

pub(crate) fn guard_program() -> &'static str {
    env!("CARGO_BIN_EXE_nova-guard")
}

/// The program under test. `cargo test -p nova-guard` builds it; `--test guard` uses the last build.
pub(crate) fn probe() -> PathBuf {
    let path = Path::new(guard_program()).with_file_name("examples").join("probe");
    assert!(path.exists(), "build what the tests start: cargo build -p nova-guard --example probe");
    path
}

/// A shell script, supervised but not confined.
pub(crate) fn script(text: &str) -> GuardedCommand {
    let command = guard().command(&Confinement::supervised(), "/bin/sh");
    command.args(["-c", text]).env("PATH", "/usr/bin:/bin")
}

/// A command's stdout, exit code and stderr.
pub(crate) async fn said(command: GuardedCommand) -> (String, Option<i32>, String) {
    let mut guarded = command.start().await.expect("a start");
    drop(guarded.stdin.take());
    let (mut output, mut errors) = (String::new(), String::new());
    let (mut stdout, mut stderr) = (guarded.stdout.take().unwrap(), guarded.stderr.take().unwrap());
    let (read, read_errors) =
        tokio::join!(stdout.read_to_string(&mut output), stderr.read_to_string(&mut errors));
    read.unwrap();
    read_errors.unwrap();
    (output, guarded.wait().await.unwrap().code(), errors)
}

/// Reads this many PIDs, one per line.
pub(crate) async fn pids(output: &mut (impl AsyncRead + Unpin), count: usize) -> Vec<Process> {
    let mut lines = BufReader::with_capacity(1, output).lines();
    let mut pids = Vec::new();
    while pids.len() < count {
        let line = lines.next_line().await.unwrap().expect("another process id");
        pids.push(Process::open(line.trim_start_matches("guard ").trim().parse().expect("a process id")));
    }
    pids
}

pub(crate) async fn pids_of(guarded: &mut Guarded, count: usize) -> Vec<Process> {
    pids(guarded.stdout.as_mut().unwrap(), count).await
}

/// A process by PID and start time, as PIDs are reused.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    descriptor: std::os::fd::OwnedFd,
}

impl Process {
    pub(crate) fn open(pid: i32) -> Self {
        let pid = Pid::from_raw(pid).expect("a process id");
        Self { pid, descriptor: pidfd_open(pid, PidfdFlags::empty()).expect("the process runs") }
    }

    pub(crate) fn kill(&self) {
        rustix::process::pidfd_send_signal(&self.descriptor, rustix::process::Signal::KILL).unwrap();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ends_within(Duration::ZERO)
    }

    pub(crate) fn ends_within(&self, bound: Duration) -> bool {
        let bound = rustix::event::Timespec::try_from(bound).unwrap();
        let polled = || poll(&mut [PollFd::new(&self.descriptor, PollFlags::IN)], Some(&bound));
        rustix::io::retry_on_intr(polled).unwrap() > 0
    }
}

/// Awaits with the timeout [`BOUND`].
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(BOUND, what).await.expect("timed out after 5 s")
}
