//! Child processes of Nova: the guard, the script process, and those that read documents.
//!
//! The first two are small separate programs, `nova-guard` and `nova-script`, in the same folder. If they are
//! missing, this program acts in their place: `nova guard -- COMMAND` and `nova script`. In `nova-window`
//! that loads the window's libraries needlessly, at a higher cost in time and memory than the process itself.
//! `nova document` reads a document.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use nova_app::{Desktop, Documents, LaunchEnvironment, Places, ToolHost, Unconfined};
use nova_guard::Guard;
use nova_script::host::{HostOptions, MayRunUnconfined, ScriptHost, UnderGuard};

use crate::documents::{self, DOCUMENT, InChild};

const GUARD: &str = "guard";
const SCRIPT: &str = "script";

/// Runs the child process selected by the first argument; `None` for any other. Must be called before
/// anything else: guard and script process require a single-threaded start.
pub(crate) fn run_child(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter().skip(1);
    let first = args.next()?;
    if first == GUARD {
        return Some(nova_guard::main(args));
    }
    if first == DOCUMENT {
        return Some(documents::child(args));
    }
    (first == SCRIPT).then(nova_script::child::main)
}

/// Runs MCP servers under the guard, with the essential variables of Nova's environment.
pub(crate) fn launch_environment() -> LaunchEnvironment {
    LaunchEnvironment::new(guard(), std::env::vars_os())
}

fn guard() -> Guard {
    let own = own();
    let (guard, args) = program(&own, "nova-guard", GUARD);
    Guard::new(guard, args)
}

fn own() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| "nova".into())
}

/// Runs TypeScript tools under the guard.
pub(crate) fn tool_host(places: &Places, desktop: Arc<dyn Desktop>) -> Arc<dyn ToolHost> {
    let own = own();
    let (program, args) = program(&own, "nova-script", SCRIPT);
    let spawn = UnderGuard {
        guard: guard(),
        program,
        args,
        // The engine has its own limit; this one applies if the engine is compromised.
        memory: 512 << 20,
        require: false,
        unconfined: Arc::new(AskedOnce(Unconfined::new(&places.data, desktop))),
    };
    Arc::new(ScriptHost::new(Arc::new(spawn), HostOptions::new(places.data.join("scripts"))))
}

/// Reads PDF and office files under the guard; always uses `nova`, even from `nova-window`.
pub(crate) fn documents() -> Arc<dyn Documents> {
    let own = own();
    let without_window = own.with_file_name(format!("nova{}", std::env::consts::EXE_SUFFIX));
    let program = if without_window.is_file() { without_window } else { own };
    Arc::new(InChild { guard: guard(), program })
}

struct AskedOnce(Unconfined);

#[async_trait]
impl MayRunUnconfined for AskedOnce {
    async fn may_run_unconfined(&self) -> bool {
        self.0.is_allowed().await
    }
}

fn program(own: &Path, name: &str, hidden: &str) -> (PathBuf, Vec<OsString>) {
    let beside = own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if beside.is_file() { (beside, Vec::new()) } else { (own.to_owned(), vec![hidden.into()]) }
}
