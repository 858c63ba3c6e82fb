//! The `nova` program: a command line, and with feature `desktop` the window.
//!
//! It reads the environment and the arguments, prints and shows; what Nova does is in `nova-app`.

#![cfg_attr(all(feature = "desktop", not(debug_assertions)), windows_subsystem = "windows")]

mod approve;
mod args;
mod children;
mod command;
mod passphrase;
mod print;
mod start;
#[cfg(feature = "desktop")]
mod window;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    if let Some(code) = children::be_one(std::env::args_os()) {
        return code;
    }
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { print::BAD_USAGE } else { print::DONE });
        }
    };
    start::log();
    let result = match args.command {
        Some(ref command) => start::on_runtime(command::run(&args, command)),
        None => open_window(&args),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            print::error(&error, args.json);
            ExitCode::from(print::FAILED)
        }
    }
}

#[cfg(feature = "desktop")]
fn open_window(args: &args::Args) -> Result<u8, nova_protocol::UserError> {
    window::open(args)
}

#[cfg(not(feature = "desktop"))]
fn open_window(_args: &args::Args) -> Result<u8, nova_protocol::UserError> {
    Err(nova_protocol::UserError::new(
        nova_protocol::ErrorCode::BadRequest,
        "This nova was built without a window.",
        "Build it with --features desktop, or use the command line: nova --help.",
    ))
}
