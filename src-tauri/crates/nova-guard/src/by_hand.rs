//! A guard started by a user or a script instead of Nova: `nova guard -- COMMAND`.
//!
//! Without a control socket, the parent process takes its role: when it ends for whatever reason, the command
//! and all its descendants are killed. The command inherits the guard's standard streams, and only `PATH` of
//! the environment.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{PidfdFlags, getppid, pidfd_open};

use crate::NOT_STARTED;
use crate::channel::{self, Order};
use crate::confinement::{CommandLine, Confinement};
use crate::supervise::start;

const PATH: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

pub(crate) fn main(own: &[OsString], args: Vec<OsString>) -> ExitCode {
    let errors = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3).map(File::from);
    match guard(own, args) {
        Ok(code) => ExitCode::from(code),
        Err(reason) => {
            if let Ok(mut errors) = errors {
                // There is nowhere else to report to.
                let _ = writeln!(errors, "nova guard: {reason}");
            }
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn guard(own: &[OsString], args: Vec<OsString>) -> Result<u8, String> {
    let reported = |error: std::io::Error| error.to_string();
    let failed = |error: rustix::io::Errno| error.to_string();
    let starter = getppid().ok_or("the process that started it has ended")?;
    let starter = pidfd_open(starter, PidfdFlags::empty()).map_err(failed)?;
    let (mut order, mut control) = UnixStream::pair().map_err(reported)?;
    let given = Order {
        stdin: rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3).map_err(failed)?,
        proxy: None,
        environment: vec![("PATH".into(), PATH.join(":").into())],
    };
    channel::send(&mut order, &given).map_err(reported)?;
    drop(given);
    let guard = start(own, whole(args)?, &mut control)?;
    // Closes its end of the socket when the parent has ended, as the kernel does for Nova.
    std::thread::spawn(move || wait_for_end(&starter, order));
    Ok(guard.supervise(&control))
}

/// Without options: supervised, in the guard's working directory.
fn whole(args: Vec<OsString>) -> Result<Vec<OsString>, String> {
    if args.first().is_none_or(|first| first != "--") {
        return Ok(args);
    }
    let mut words = args.into_iter().skip(1);
    let program = find(words.next().ok_or("the command after `--` is missing")?)?;
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let line = CommandLine { confinement: Confinement::supervised(), folder, program, args: words.collect() };
    Ok(line.to_args())
}

fn find(program: OsString) -> Result<PathBuf, String> {
    let given = Path::new(&program);
    if given.components().count() > 1 {
        return std::path::absolute(given).map_err(|error| error.to_string());
    }
    let places = PATH.iter().map(|folder| Path::new(folder).join(given));
    let missing = || format!("{} was not found in {}", program.display(), PATH.join(", "));
    places.into_iter().find(|file| file.is_file()).ok_or_else(missing)
}

fn wait_for_end(starter: &OwnedFd, order: UnixStream) {
    while poll(&mut [PollFd::new(starter, PollFlags::IN)], None).is_err() {}
    drop(order);
}
