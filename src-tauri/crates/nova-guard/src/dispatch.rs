//! Selects the role of this process: guard, guard started by hand, or inner step.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use rustix::fs::FileType;

use crate::init::{self, INIT};
use crate::supervise::{ENTER, control, start};
use crate::{NOT_STARTED, by_hand, enter};

pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    let own: Vec<OsString> = std::env::args_os().collect();
    let own = &own[..own.len().saturating_sub(args.len())];
    match args.first() {
        Some(first) if first == ENTER => return enter::main(own, args[1..].to_vec()),
        Some(first) if first == INIT => return init::main(args[1..].to_vec()),
        _ => {}
    }
    // Nova's guard has a socket as stdin; a guard started by hand has a terminal, a pipe or a file.
    if !rustix::fs::fstat(rustix::stdio::stdin())
        .is_ok_and(|input| FileType::from_raw_mode(input.st_mode) == FileType::Socket)
    {
        return by_hand::main(own, args);
    }
    let mut nova = match control() {
        Ok(nova) => nova,
        Err(error) => {
            eprintln!("nova-guard: {error}");
            return ExitCode::from(NOT_STARTED);
        }
    };
    match start(own, args, &mut nova) {
        Ok(guard) => ExitCode::from(guard.supervise(&nova)),
        Err(reason) => {
            // An error means that Nova is gone.
            let _ = writeln!(nova, "failed {}", reason.replace('\n', " "));
            ExitCode::from(NOT_STARTED)
        }
    }
}
