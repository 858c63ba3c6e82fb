//! The `nova` program: the command line. Without a command it executes `nova-window` in the same folder.

use std::path::Path;
use std::process::{Command, ExitCode};

use nova_program::Args;
use nova_protocol::{ErrorCode, UserError};

fn main() -> ExitCode {
    nova_program::run(open_window)
}

fn open_window(_: &Args) -> Result<u8, UserError> {
    // For a symbolic link, the window's program is beside the link's target.
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

/// Replaces this process, so that the caller waits for the window and can end it by the same PID.
#[cfg(unix)]
fn become_program(program: &Path) -> Result<u8, UserError> {
    use std::os::unix::process::CommandExt as _;
    let mut window = Command::new(program);
    // The desktop matches icon and window by this name: `StartupWMClass`.
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
