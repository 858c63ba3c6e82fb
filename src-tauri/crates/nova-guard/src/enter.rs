//! The inner step: this process confines itself and executes the command.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Pid, Signal};

use crate::NOT_STARTED;
use crate::channel;
use crate::confinement::{CommandLine, Enforced, Files};
use crate::files;
use crate::filter;
use crate::init;
use crate::limits::limits;
use crate::supervise::control;

/// Returns only for a command with a view, with its exit code, or on failure, after reporting it. `own` is
/// this program's command line up to the word that selected this step.
pub(crate) fn main(own: &[OsString], args: Vec<OsString>) -> ExitCode {
    if let Ok(mut socket) = control() {
        match become_command(own, args, &mut socket) {
            Ok(code) => return ExitCode::from(code),
            Err(reason) => {
                // An error means that the guard is gone.
                let _ = writeln!(socket, "failed {}", reason.replace('\n', " "));
            }
        }
    }
    ExitCode::from(NOT_STARTED)
}

fn become_command(own: &[OsString], args: Vec<OsString>, socket: &mut UnixStream) -> Result<u8, String> {
    let failed = |what: &'static str| move |error: rustix::io::Errno| format!("{what}: {error}");

    // First, so that this process does not outlive the guard.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("death signal"))?;
    let mut args = args.into_iter();
    let guard = args.next().and_then(|guard| Pid::from_raw(guard.to_str()?.parse().ok()?));
    if guard != rustix::process::getppid() {
        return Err("the guard has ended".into());
    }
    rustix::process::setsid().map_err(failed("session"))?;

    let line = CommandLine::from_args(args)?;
    let order = channel::receive(socket).map_err(|error| error.to_string())?;
    // The OOM killer chooses the command before the guard and Nova, if the system supports it.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    if matches!(line.confinement.files, Files::View(_)) {
        return init::start(own, &line, order, socket);
    }
    let CommandLine { confinement, folder, program, args } = line;
    rustix::stdio::dup2_stdin(order.stdin).map_err(failed("standard input"))?;
    std::env::set_current_dir(&folder)
        .map_err(|error| format!("cannot start it in {}: {error}", folder.display()))?;

    // A setuid program could not be killed.
    rustix::thread::set_no_new_privs(true).map_err(failed("privileges"))?;
    let limits = limits(&confinement.limits);
    let files = match &confinement.files {
        Files::Any | Files::View(_) => Enforced::NotAsked,
        Files::Only { read, write } => files::confine(&program, read, write, confinement.require)?,
    };
    let mut command = Command::new(&program);
    command.args(args).env_clear().envs(order.environment);
    for (resource, limit) in limits {
        rustix::process::setrlimit(resource, limit).map_err(failed("limits"))?;
    }
    writeln!(socket, "confined files={} calls={}", files.word(), filter::install(&confinement)?.word())
        .map_err(|error| error.to_string())?;

    let error = command.exec();
    Err(format!("{}: {error}", program.display()))
}
