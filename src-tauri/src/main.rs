//! The `nova` program: the command line. Without a command it becomes `nova-window`, which lies beside it.

use std::path::Path;
use std::process::{Command, ExitCode};

use nova_program::Args;
use nova_protocol::{ErrorCode, UserError};

fn main() -> ExitCode {
    nova_program::run(open_window)
}

fn open_window(_: &Args) -> Result<u8, UserError> {
    // Where a link leads to it, the window lies beside what it leads to.
    let own =
        std::env::current_exe().and_then(|own| own.canonicalize()).map_err(|error| not_started(&error))?;
    let window = own.with_file_name(format!("nova-window{}", std::env::consts::EXE_SUFFIX));
    if !window.is_file() {
        return Err(UserError::new(
            ErrorCode::BadRequest,
            "This nova was built without a window.",
            "Build it with --features desktop, or use the command line: nova --help.",
        ));
    }
    become_program(&window)
}

/// In the same process: who started it waits for the window, and ends it by the same id.
#[cfg(unix)]
fn become_program(program: &Path) -> Result<u8, UserError> {
    use std::os::unix::process::CommandExt as _;
    let mut window = Command::new(program);
    // By this name the desktop finds the icon and the entry of the window: `StartupWMClass`.
    window.arg0("nova").args(std::env::args_os().skip(1));
    Err(not_started(&window.exec()))
}

#[cfg(not(unix))]
fn become_program(program: &Path) -> Result<u8, UserError> {
    let ended = Command::new(program).args(std::env::args_os().skip(1)).status();
    let code = ended.map_err(|error| not_started(&error))?.code();
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

fn not_started(error: &std::io::Error) -> UserError {
    UserError::new(
        ErrorCode::Io,
        format!("The window could not be started: {error}."),
        "Install Nova again, or use the command line: nova --help.",
    )
}
