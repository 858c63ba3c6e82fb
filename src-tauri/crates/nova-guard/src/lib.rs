//! How Nova starts a child process and how that process ends: under a guard that confines it and
//! leaves no descendant behind, however Nova itself ends.
//!
//! This crate knows nothing of tools, skills or notes, and it never starts a command that its
//! caller has not named with its whole environment.
//!
//! ```text
//! Nova ──control socket──► guard ──socket──► enter ──exec──► the command
//!   │                        │
//!   │ holds the other end    │ own session, adopts orphans (subreaper),
//!   │ of the socket and of   │ outside the confinement, holds no end of
//!   │ the command's pipes    │ the command's pipes
//! ```
//!
//! The guard ends every descendant of itself when Nova closes the control socket, which the kernel
//! does when Nova is killed; when the command ends; and on SIGTERM, SIGINT and SIGHUP. Orphans of
//! double forks come to the guard whatever session they have moved to, so none escapes.
//!
//! The control socket is the guard's standard input, and the command's standard input goes over it
//! as a descriptor. A further inherited descriptor would need `pre_exec` on one side and taking a
//! number for an owned descriptor on the other: the crate `command-fds` hides the first, which
//! makes the parent fork instead of `posix_spawn`, and leaves the second as `unsafe` to its users.
//! The environment goes the same way: nothing in it (`LD_PRELOAD`) acts on the guard itself, and no
//! secret stands in an argument that other users may read.
//!
//! # A view
//!
//! A command with [`Files::View`] does not become the inner step's process: the inner step makes namespaces, and its
//! child `init`, process 1 in them, puts the command's root together, confines itself and starts the command. When
//! `init` ends, the kernel ends every process of the namespace.
//!
//! ```text
//! guard ──► enter: unshare ──► init: mounts, pivot_root, Landlock, seccomp ──► the command
//! ```
//!
//! A view may have a proxy: the inner step makes a listening socket in the new network namespace and passes it to Nova,
//! which accepts the command's connections. No process stands between, and no other address can be reached.
//!
//! Started by a person or a script, `nova guard -- COMMAND`, the guard has no control socket; the
//! process that started it takes the socket's place.
//!
//! # What is left if the guard itself is killed with SIGKILL
//!
//! The command dies with it (parent-death signal). Processes that the command has started stay, as
//! nobody's children. Nobody but the user and the kernel short of memory can bring this about for a
//! command whose files are confined on Linux 6.12 or later: there, Landlock lets it send signals
//! only to processes that are confined with it.
//!
//! # Other systems
//!
//! Elsewhere than on Linux nothing can be confined or limited: a [`Confinement`] that requires it is
//! refused, the command starts without a guard between, in a process group of its own on macOS, and is ended
//! with that group. If Nova is killed there, the command only sees the end of its input.
//!
//! # Invariants
//!
//! - On Linux no process outlives Nova or the guard's command, however it ends, unless the guard itself is
//!   killed: `tests/guard/ends.rs`, `tests/journeys/running_typescript.rs`.
//! - A command with a view reaches nothing outside of it, on a kernel without user namespaces it does not start:
//!   `tests/guard/view.rs`.
//! - A command with a proxy connects to it and to nothing else: `tests/guard/proxy.rs`.
//! - Child processes are started under the guard alone: `tests/invariants.rs`.
//!
//! `nova-guard` and `nova-script` are programs of their own because `nova-window` loads the window's libraries before
//! its first line: 110 ms and 60 MB per process. Where they do not lie beside `nova` or `nova-window`, that program
//! acts in their place (`src-tauri/src/children.rs`).

// Elsewhere nobody writes or reads a guard's command line.
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

/// The exit code of a guard that could not start its command.
pub const NOT_STARTED: u8 = 125;

/// What the program `nova-guard`, or Nova's hidden command `guard`, does.
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
        eprintln!("nova-guard: only on Linux a guard stands between Nova and a command");
        ExitCode::from(NOT_STARTED)
    }
}
