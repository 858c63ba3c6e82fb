//! Shared by Nova's two programs: the command line, and starting the app.
//!
//! `nova` is the command line only; `nova-window` also has the window. The window's libraries take a tenth of
//! a second to load, which commands must not wait for, so only `nova-window` is linked to them. Neither
//! contains logic: they read environment and arguments, print and display; the logic is in `nova-app`.
//!
//! # Invariants
//!
//! - Only `nova-window` is linked to the window's libraries, so that a command starts without loading them
//!   and can print on Windows.
//! - The page can only call the Tauri commands `rpc` and `subscribe`; `src-tauri/capabilities` grants no
//!   permission, so dialogs and links are opened by the backend: `tests/e2e/opening.rs`.
//! - Nova's environment variables are read here; `Places::find` of `nova-app` receives a function for it.
//! - The command line, its exit codes and its JSON are a public interface: `tests/journeys/command_line.rs`.

mod approve;
mod args;
mod children;
mod command;
mod documents;
mod passphrase;
mod print;
mod start;

use std::process::ExitCode;

use clap::Parser;
use nova_protocol::UserError;

pub use args::Args;
pub use print::DONE;
pub use start::{app, places};

/// Runs the command in the arguments, otherwise `open_window`, which returns the exit code.
pub fn run(open_window: fn(&Args) -> Result<u8, UserError>) -> ExitCode {
    if let Some(code) = children::run_child(std::env::args_os()) {
        return code;
    }
    let mut args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { print::BAD_USAGE } else { print::DONE });
        }
    };
    args.json &= !args.stdout_is_taken();
    let _log = start::log();
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
