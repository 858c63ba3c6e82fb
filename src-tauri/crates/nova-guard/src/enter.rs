//! The inner step: this process confines itself and becomes the command.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Pid, Resource, Rlimit, Signal};

use crate::NOT_STARTED;
use crate::channel;
use crate::confinement::{CommandLine, Enforced, Files, Limits};
use crate::files;
use crate::filter;
use crate::supervise::control;

/// Returns only if the command could not be started, and has then told why.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    if let Ok(mut socket) = control() {
        let Err(reason) = become_command(args, &mut socket);
        // The guard that would have listened may be gone.
        let _ = writeln!(socket, "failed {}", reason.replace('\n', " "));
    }
    ExitCode::from(NOT_STARTED)
}

fn become_command(args: Vec<OsString>, socket: &mut UnixStream) -> Result<Infallible, String> {
    let failed = |what: &'static str| move |error: rustix::io::Errno| format!("{what}: {error}");

    // First: from here this process does not outlive the guard.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("death signal"))?;
    let mut args = args.into_iter();
    let guard = args.next().and_then(|guard| Pid::from_raw(guard.to_str()?.parse().ok()?));
    if guard != rustix::process::getppid() {
        return Err("the guard is gone".into());
    }
    rustix::process::setsid().map_err(failed("session"))?;

    let CommandLine { confinement, folder, program, args } = CommandLine::from_args(args)?;
    let (stdin, environment) = channel::receive(socket).map_err(|error| error.to_string())?;
    rustix::stdio::dup2_stdin(stdin).map_err(failed("standard input"))?;
    std::env::set_current_dir(&folder)
        .map_err(|error| format!("cannot start it in {}: {error}", folder.display()))?;

    // A program with another user's rights could not be ended.
    rustix::thread::set_no_new_privs(true).map_err(failed("privileges"))?;
    // Where memory runs out, the kernel ends the command before the guard and Nova. A system that
    // does not know the order ends whom it likes.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    let limits = limits(&confinement.limits);
    let files = match &confinement.files {
        Files::Any => Enforced::NotAsked,
        Files::Only { read, write } => files::confine(&program, read, write, confinement.require)?,
    };
    let mut command = Command::new(&program);
    command.args(args).env_clear().envs(environment);
    for (resource, limit) in limits {
        rustix::process::setrlimit(resource, limit).map_err(failed("limits"))?;
    }
    writeln!(socket, "confined files={} calls={}", files.word(), filter::install(&confinement)?.word())
        .map_err(|error| error.to_string())?;

    let error = command.exec();
    Err(format!("{}: {error}", program.display()))
}

/// The limits to set, none above what this process has itself. No core files in any case: they hold
/// the secrets that a process was given.
fn limits(limits: &Limits) -> Vec<(Resource, Rlimit)> {
    let processes = limits.processes.map(|more| more.saturating_add(tasks_of_user()));
    [
        (Resource::Core, Some(0)),
        (Resource::Data, limits.memory),
        (Resource::As, limits.address_space),
        (Resource::Nofile, limits.open_files),
        (Resource::Nproc, processes),
        (Resource::Fsize, limits.file_size),
        (Resource::Cpu, limits.cpu_seconds),
    ]
    .into_iter()
    .filter_map(|(resource, limit)| {
        let highest = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let limit = Some(limit?.min(highest));
        Some((resource, Rlimit { current: limit, maximum: limit }))
    })
    .collect()
}

/// How many processes and threads this user has.
fn tasks_of_user() -> u64 {
    let user = rustix::process::getuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|entry| entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit))
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == user))
        .map(|entry| fs::read_dir(entry.path().join("task")).map_or(0, |tasks| tasks.count() as u64))
        .sum()
}
