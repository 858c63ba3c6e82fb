//! Starts child processes under a guard, which confines them and leaves no descendant behind, however Nova
//! itself ends.
//!
//! This crate knows nothing of tools, skills or notes, and never starts a command without its caller having
//! named it with its complete environment.
//!
//! ```text
//! Nova ──control socket──► guard ──socket──► enter ──exec──► the command
//!   │                        │
//!   │ holds the other end    │ own session, adopts orphans (subreaper),
//!   │ of the socket and of   │ outside the confinement, holds no end of
//!   │ the command's pipes    │ the command's pipes
//! ```
//!
//! The guard kills all its descendants when Nova closes the control socket, which the kernel does if Nova is
//! killed; when the command ends; and on SIGTERM, SIGINT and SIGHUP. Orphans of double forks are reparented
//! to the guard, whatever session they moved to, so that none escapes.
//!
//! The control socket is the guard's stdin, and the command's stdin is sent over it as a descriptor.
//! Inheriting another descriptor would need `pre_exec` in the parent and converting a raw number to an owned
//! descriptor in the child: the crate `command-fds` wraps the former, which makes the parent fork instead of
//! `posix_spawn`, and leaves the latter as `unsafe` to its users. The environment is sent the same way, so
//! that it (`LD_PRELOAD`) does not affect the guard itself, and no secret is passed as an argument, which
//! other users can read.
//!
//! # A view
//!
//! For a command with [`Files::View`], the inner step does not execute the command itself: it creates
//! namespaces, and its child `init`, PID 1 in them, builds the command's root, confines itself and starts the
//! command. When `init` ends, the kernel kills every process of the namespace.
//!
//! ```text
//! guard ──► enter: unshare ──► init: mounts, pivot_root, Landlock, seccomp ──► the command
//! ```
//!
//! A view may have a proxy: the inner step creates a listening socket in the new network namespace and passes
//! it to Nova, which accepts the command's connections. There is no relay process, and no other address can
//! be reached.
//!
//! If a user or a script starts `nova guard -- COMMAND`, the guard has no control socket; its parent process
//! takes that role.
//!
//! # If the guard itself is killed with SIGKILL
//!
//! The command is killed with it (parent-death signal). Descendants of the command keep running as orphans.
//! With a command whose files are confined on Linux 6.12 or later, only the user and the OOM killer can cause
//! this: Landlock then restricts its signals to processes in the same confinement.
//!
//! # Other systems
//!
//! Only Linux supports confinement and limits. Elsewhere, a [`Confinement`] that requires it is refused, and
//! the command starts without a guard, on macOS in its own process group, which is killed with it. If Nova is
//! killed there, the command only sees end of file on its stdin.
//!
//! # Invariants
//!
//! - On Linux no process outlives Nova or the guarded command, however it ends, unless the guard itself is
//!   killed: `tests/guard/ends.rs`, `tests/journeys/running_typescript.rs`.
//! - A command with a view reaches nothing outside of it; on a kernel without user namespaces it does not
//!   start: `tests/guard/view.rs`.
//! - A command with a proxy connects to it and to nothing else: `tests/guard/proxy.rs`.
//! - Child processes are only started under a guard: `tests/invariants.rs`.
//!
//! `nova-guard` and `nova-script` are separate programs because `nova-window` loads the window's libraries at
//! startup: 110 ms and 60 MB per process. If they are not installed beside `nova` or `nova-window`, that
//! program acts in their place (`src-tauri/src/children.rs`).

// On other systems there is no guard whose command line would be written or read.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod confinement;
mod error;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod view;

#[cfg(target_os = "linux")]
mod by_hand;
#[cfg(target_os = "linux")]
mod channel;
#[cfg(target_os = "linux")]
mod descendants;
#[cfg(target_os = "linux")]
mod dispatch;
#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod opened;
#[cfg(target_os = "linux")]
mod root;
#[cfg(target_os = "linux")]
mod start;
#[cfg(target_os = "linux")]
mod supervise;

#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod start;

pub use confinement::{Confinement, Enforced, Files, Limits, ReachedLimit};
pub use error::GuardError;
#[cfg(target_os = "linux")]
pub use opened::{Opened, OpenedFiles};
pub use start::{Guard, Guarded, GuardedCommand};
#[cfg(not(target_os = "linux"))]
pub use start::{Opened, OpenedFiles};
pub use view::{PROXY, ShownFolder, View};

use std::ffi::OsString;
use std::process::ExitCode;

/// Exit code of a guard that could not start its command.
pub const NOT_STARTED: u8 = 125;

/// Entry point of the program `nova-guard` and of Nova's hidden command `guard`.
///
/// `args` are the arguments after the program's name, or after `guard`. The exit code is the
/// command's, 128 + n if signal n ended it, and [`NOT_STARTED`] if it was not started.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = args.into_iter().collect();
    #[cfg(target_os = "linux")]
    return dispatch::main(args);
    #[cfg(not(target_os = "linux"))]
    {
        let _: Vec<OsString> = args;
        eprintln!("nova-guard: commands can be confined on Linux only");
        ExitCode::from(NOT_STARTED)
    }
}
