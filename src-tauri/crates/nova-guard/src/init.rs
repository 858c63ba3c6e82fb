//! PID 1 of a view: builds the root, confines itself and starts the command.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use nix::sched::{CloneFlags, unshare};
use rustix::process::{Pid, Signal, WaitOptions, wait};
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::NOT_STARTED;
use crate::channel::{self, Order, RUNS};
use crate::confinement::{CommandLine, Confinement, Enforced};
use crate::limits::limits;
use crate::supervise::{control, exit_code};
use crate::view::View;
use crate::{files, filter, network, root};

/// The argument that selects this role.
pub(crate) const INIT: &str = "init";

/// Creates the namespaces of a view and waits for its PID 1. `own` is this program's command line up to its
/// first word. Returns the command's exit code.
pub(crate) fn start(
    own: &[OsString],
    line: &CommandLine,
    mut order: Order,
    socket: &mut UnixStream,
) -> Result<u8, String> {
    let describe = |error: io::Error| error.to_string();
    namespaces(&line.confinement)?;
    if line.confinement.has_proxy() {
        let nova = order.proxy.take().ok_or("there is no proxy for it")?;
        network::listen(nova.as_fd()).map_err(|error| format!("its network: {error}"))?;
    }
    let (mut inner, theirs) = UnixStream::pair().map_err(describe)?;
    let (name, hidden) = own.split_first().ok_or("this program has no name")?;
    let mut command = Command::new("/proc/self/exe");
    command.arg0(name).args(hidden).arg(INIT).args(line.to_args());
    let mut child =
        command.env_clear().stdin(Stdio::from(OwnedFd::from(theirs))).spawn().map_err(describe)?;
    // It holds the other end of the inner socket as long as it exists.
    drop(command);
    let sent = channel::send(&mut inner, &order).map_err(describe);
    drop(order);
    let mut reported = false;
    for said in BufReader::new(&inner).lines() {
        let said = said.map_err(describe)?;
        reported = true;
        // An error means that the guard is gone, and this process is about to be killed.
        let _ = writeln!(socket, "{said}");
    }
    sent?;
    if !reported {
        return Err("the first process of the view ended before the command".into());
    }
    // This process keeps running, so end of file on the socket cannot signal the start.
    let _ = writeln!(socket, "{RUNS}");
    let status = child.wait().map_err(describe)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(128 + 9))
}

/// Moves this process into new namespaces, where it may mount; its children get a new PID namespace.
fn namespaces(confinement: &Confinement) -> Result<(), String> {
    let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    let mut flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWCGROUP;
    flags.set(CloneFlags::CLONE_NEWNET, !confinement.network);
    unshare(flags).map_err(|error| not_allowed(&error))?;
    for (file, text) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{user} {user} 1")),
        ("gid_map", format!("{group} {group} 1")),
    ] {
        std::fs::write(Path::new("/proc/self").join(file), text).map_err(|error| not_allowed(&error))?;
    }
    retain_mount_capability().map_err(|error| format!("capabilities: {error}"))?;
    // Changing credentials clears it.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| format!("death signal: {error}"))
}

/// Keeps CAP_SYS_ADMIN across `exec`, where a non-root program would lose it.
fn retain_mount_capability() -> rustix::io::Result<()> {
    let own = rustix::thread::capabilities(None)?;
    let inheritable = CapabilitySet::SYS_ADMIN;
    rustix::thread::set_capabilities(None, CapabilitySets { inheritable, ..own })?;
    rustix::thread::configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)
}

fn not_allowed(error: &dyn std::fmt::Display) -> String {
    format!(
        "this system does not let a program make namespaces ({error}); an administrator allows it with \
         `sysctl user.max_user_namespaces=10000`, on Debian also `sysctl kernel.unprivileged_userns_clone=1`, on \
         Ubuntu 24.04 and later also `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
    )
}

/// Ends with the command, and the view with it.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    let mut socket = match control() {
        Ok(socket) => socket,
        Err(_) => return ExitCode::from(NOT_STARTED),
    };
    match command(args, &mut socket) {
        Ok(command) => {
            drop(socket);
            ExitCode::from(wait_for(command))
        }
        Err(reason) => {
            // An error means that the receiver is gone.
            let _ = writeln!(socket, "failed {}", reason.replace('\n', " "));
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn command(args: Vec<OsString>, socket: &mut UnixStream) -> Result<Pid, String> {
    let failed = |what: &'static str| move |error: rustix::io::Errno| format!("{what}: {error}");
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("death signal"))?;
    let CommandLine { confinement, folder, program, args } = CommandLine::from_args(args)?;
    let crate::Files::View(view) = &confinement.files else { return Err("there is no view".into()) };
    if !confinement.spawn {
        return Err("a command with a view must be allowed to start processes".into());
    }
    let Order { stdin, environment, .. } = channel::receive(socket).map_err(|error| error.to_string())?;
    rustix::stdio::dup2_stdin(stdin).map_err(failed("standard input"))?;

    nix::unistd::sethostname("nova").map_err(|error| format!("host name: {error}"))?;
    root::make(view, &confinement.limits)
        .map_err(|reason| format!("its view cannot be created: {reason}"))?;
    std::env::set_current_dir(&folder)
        .map_err(|error| format!("cannot start it in {}: {error}", folder.display()))?;
    rustix::thread::set_no_new_privs(true).map_err(failed("privileges"))?;
    for (resource, limit) in limits(&confinement.limits) {
        rustix::process::setrlimit(resource, limit).map_err(failed("limits"))?;
    }
    within(view, &program)?;
    let nothing = CapabilitySet::empty();
    let none = CapabilitySets { effective: nothing, permitted: nothing, inheritable: nothing };
    rustix::thread::set_capabilities(None, none).map_err(failed("capabilities"))?;
    let calls = filter::install(&confinement)?;

    let mut command = Command::new(&program);
    command.args(args).env_clear().envs(environment);
    let child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    writeln!(socket, "confined files={} calls={}", Enforced::Fully.word(), calls.word())
        .map_err(|error| error.to_string())?;
    close_stdio().map_err(|error| format!("/dev/null: {error}"))?;
    i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(|| "no process number".into())
}

/// Repeats the restrictions of the view's mounts with Landlock, if available.
fn within(view: &View, program: &Path) -> Result<(), String> {
    let read = [Path::new("/").to_owned()];
    let write = view.writable().chain([Path::new("/tmp")]).map(Path::to_owned);
    files::confine(program, &read, &write.collect::<Vec<_>>(), false).map(drop)
}

/// Closes the standard streams, so that only the command holds them.
fn close_stdio() -> rustix::io::Result<()> {
    let nothing = rustix::fs::open("/dev/null", rustix::fs::OFlags::RDWR, rustix::fs::Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)
}

fn wait_for(command: Pid) -> u8 {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == command => return exit_code(status),
            // An orphan was reaped.
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return NOT_STARTED,
        }
    }
}
