//! Stops a process before each system call that concerns files of the bed, with ptrace.
//!
//! While one thread is stopped for the user's action, no other stopped thread is continued. A thread that is
//! running user code at that moment runs on until its next system call.

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Child;

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options, regset::NT_PRSTATUS};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// A system call the process is about to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: &'static str,
    /// Whether it may change a file. A kill before any other call equals a kill before the next such call.
    pub(super) changes: bool,
    /// The files it concerns, relative to the bed.
    pub(super) files: Vec<String>,
    flags: u64,
}

impl Call {
    /// Whether acting before this call can differ from acting before the next one: it concerns the vault or
    /// displaced files, changes something or takes a lock.
    pub(super) fn is_a_moment(&self) -> bool {
        let is_users = |file: &String| file.starts_with("vault/") || file.starts_with("data/displaced/");
        self.changes || self.name == "flock" || self.files.iter().any(is_users)
    }

    /// Whether it reads this file of the vault.
    pub(super) fn reads(&self, path: &str) -> bool {
        self.name.contains("read") && self.files.iter().any(|file| file.strip_prefix("vault/") == Some(path))
    }

    /// Whether it concerns a temporary file beside a note, or a displaced one outside of the vault.
    pub(super) fn is_of_displaced(&self) -> bool {
        self.files.iter().any(|file| file.contains("/.nova-") || file.starts_with("data/displaced/"))
    }

    /// Whether it may change a file in the vault.
    pub(super) fn changes_vault(&self) -> bool {
        self.changes && self.files.iter().any(|file| file.starts_with("vault/"))
    }

    /// Returns the new path in the vault, if the call renames a file.
    pub(super) fn renames_to(&self) -> Option<&str> {
        let to = self.files.last().filter(|_| self.name.starts_with("rename"))?;
        to.strip_prefix("vault/")
    }

    /// Whether it exchanges two files, or tries to.
    pub(super) fn exchanges(&self) -> bool {
        self.name == "renameat2" && self.flags == u64::from(libc::RENAME_EXCHANGE)
    }

    /// Whether it renames over the file at `path` of the vault, unlinking that one.
    pub(super) fn replaces(&self, path: &str) -> bool {
        self.flags == 0 && self.renames_to() == Some(path)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = if self.changes { "*" } else { " " };
        write!(f, "{change} {} {}", self.name, self.files.join(" -> "))
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Exited(i32),
    Killed,
}

/// A traced process. It is its own process group, so that waiting for it reaps no child of another test.
#[derive(Debug)]
pub(super) struct Traced {
    /// Kept for its handles; `waitpid` below reaps it.
    _child: Child,
    process: Pid,
    bed: PathBuf,
    threads: HashSet<Pid>,
    /// The thread stopped before its system call.
    stopped: Option<Pid>,
    end: Option<End>,
}

impl Traced {
    /// Traces a child that is waiting for its start. All other methods must be called by the same thread.
    pub(super) fn attach(child: Child, bed: &Path) -> Traced {
        let process = Pid::from_raw(i32::try_from(child.id()).unwrap());
        let options =
            Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACECLONE | Options::PTRACE_O_EXITKILL;
        let mut traced = Traced {
            _child: child,
            process,
            bed: bed.to_owned(),
            threads: HashSet::new(),
            stopped: None,
            end: None,
        };
        for task in fs::read_dir(format!("/proc/{process}/task")).unwrap() {
            let thread = Pid::from_raw(task.unwrap().file_name().to_str().unwrap().parse().unwrap());
            ptrace::seize(thread, options).unwrap();
            ptrace::interrupt(thread).unwrap();
            waitpid(thread, Some(WaitPidFlag::__WALL)).unwrap();
            ptrace::syscall(thread, None).unwrap();
            traced.threads.insert(thread);
        }
        traced
    }

    /// Continues to the next call; `None` if the process ended.
    pub(super) fn next_call(&mut self) -> Option<Call> {
        loop {
            if let Some(thread) = self.stopped.take() {
                // It may have been killed from outside.
                ptrace::syscall(thread, None).ok();
            }
            let thread = self.wait_for_stop()?;
            self.stopped = Some(thread);
            let is_entry =
                ptrace::syscall_info(thread).is_ok_and(|info| info.op == libc::PTRACE_SYSCALL_INFO_ENTRY);
            if is_entry && let Some(call) = self.call(thread) {
                return Some(call);
            }
        }
    }

    fn wait_for_stop(&mut self) -> Option<Pid> {
        let group = Pid::from_raw(-self.process.as_raw());
        loop {
            match waitpid(group, Some(WaitPidFlag::__WALL)) {
                Ok(WaitStatus::PtraceSyscall(thread)) => return Some(thread),
                Ok(WaitStatus::PtraceEvent(thread, ..)) => {
                    self.threads.insert(thread);
                    ptrace::syscall(thread, None).ok();
                }
                Ok(WaitStatus::Stopped(thread, signal)) => {
                    ptrace::syscall(thread, signal).ok();
                }
                Ok(WaitStatus::Exited(process, code)) if process == self.process => {
                    self.end = Some(End::Exited(code));
                    return None;
                }
                Ok(WaitStatus::Signaled(process, ..)) if process == self.process => {
                    self.end = Some(End::Killed);
                    return None;
                }
                Ok(WaitStatus::Exited(thread, _) | WaitStatus::Signaled(thread, ..)) => {
                    self.threads.remove(&thread);
                }
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => panic!("lost the traced process: {error}"),
            }
        }
    }

    /// Continues to the end.
    pub(super) fn go_on(mut self) -> End {
        while self.end.is_none() {
            self.next_call();
        }
        self.end.unwrap()
    }

    /// Kills the process before the call it is stopped at.
    pub(super) fn kill(mut self) -> End {
        kill(self.process, Signal::SIGKILL).unwrap();
        while self.end.is_none() {
            self.wait_for_stop();
        }
        self.end.unwrap()
    }

    fn call(&self, thread: Pid) -> Option<Call> {
        let (number, args) = registers(thread)?;
        let (_, name, does, concerns) = CALLS.iter().find(|(known, ..)| *known == number)?;
        let files: Vec<String> = concerns.iter().filter_map(|file| self.file(thread, *file, &args)).collect();
        if files.is_empty() {
            return None;
        }
        let flags = match does {
            Does::Looks | Does::Changes => 0,
            Does::ByFlags(at) => args[*at],
            Does::ByHow(at) => memory::<8>(thread, args[*at]).map_or(0, u64::from_ne_bytes),
        };
        let creates = u64::try_from(libc::O_CREAT | libc::O_TRUNC).unwrap();
        let changes = match does {
            Does::Looks => false,
            Does::Changes => true,
            Does::ByFlags(_) | Does::ByHow(_) if name.starts_with("open") => flags & creates != 0,
            Does::ByFlags(_) | Does::ByHow(_) => true,
        };
        Some(Call { name, changes, files, flags })
    }

    /// Returns the file an argument refers to, if it lies in the bed.
    fn file(&self, thread: Pid, concerned: Concerned, args: &[u64; 6]) -> Option<String> {
        let opened = |number: u64| fs::read_link(format!("/proc/{thread}/fd/{}", number as u32 as i32)).ok();
        let file = match concerned {
            Concerned::Handle(at) => opened(args[at])?,
            Concerned::Named(at) => PathBuf::from(text(thread, args[at])?),
            Concerned::Beneath(at) => {
                let name = PathBuf::from(text(thread, args[at + 1])?);
                match name.strip_prefix("/proc/self/fd") {
                    Ok(number) => opened(number.to_str()?.parse().ok()?)?,
                    Err(_) if name.is_absolute() => name,
                    Err(_) => opened(args[at])?.join(name),
                }
            }
        };
        Some(file.strip_prefix(&self.bed).ok()?.display().to_string())
    }
}

/// Returns the number of the system call and its arguments.
fn registers(thread: Pid) -> Option<(libc::c_long, [u64; 6])> {
    let all = ptrace::getregset::<NT_PRSTATUS>(thread).ok()?;
    #[cfg(target_arch = "x86_64")]
    let (number, args) = (all.orig_rax, [all.rdi, all.rsi, all.rdx, all.r10, all.r8, all.r9]);
    #[cfg(target_arch = "aarch64")]
    let (number, args) = (all.regs[8], std::array::from_fn(|at| all.regs[at]));
    Some((libc::c_long::try_from(number).ok()?, args))
}

fn memory<const N: usize>(thread: Pid, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    File::open(format!("/proc/{thread}/mem")).ok()?.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

/// Reads a zero-terminated string of the process.
fn text(thread: Pid, at: u64) -> Option<String> {
    let mut bytes = [0; 4096];
    let read = File::open(format!("/proc/{thread}/mem")).ok()?.read_at(&mut bytes, at).ok()?;
    let end = bytes[..read].iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

#[derive(Debug, Clone, Copy)]
enum Does {
    Looks,
    Changes,
    /// The flags are in this argument.
    ByFlags(usize),
    /// The flags are the first field of the structure this argument points to.
    ByHow(usize),
}

/// How a system call refers to a file, with the index of the argument.
#[derive(Debug, Clone, Copy)]
enum Concerned {
    Handle(usize),
    /// A path.
    Named(usize),
    /// The handle of a folder, followed by a path relative to it.
    Beneath(usize),
}

type Known = (libc::c_long, &'static str, Does, &'static [Concerned]);

use Concerned::{Beneath, Handle, Named};
use Does::{ByFlags, ByHow, Changes, Looks};

/// The system calls that read or change files. `fsync` and its kin are missing on purpose: acting or
/// killing before one equals doing so before the next call.
const CALLS: &[Known] = &[
    (libc::SYS_openat, "openat", ByFlags(2), &[Beneath(0)]),
    (libc::SYS_openat2, "openat2", ByHow(2), &[Beneath(0)]),
    (libc::SYS_read, "read", Looks, &[Handle(0)]),
    (libc::SYS_pread64, "pread", Looks, &[Handle(0)]),
    (libc::SYS_readv, "readv", Looks, &[Handle(0)]),
    (libc::SYS_write, "write", Changes, &[Handle(0)]),
    (libc::SYS_pwrite64, "pwrite", Changes, &[Handle(0)]),
    (libc::SYS_writev, "writev", Changes, &[Handle(0)]),
    (libc::SYS_copy_file_range, "copy_file_range", Changes, &[Handle(0), Handle(2)]),
    (libc::SYS_fallocate, "fallocate", Changes, &[Handle(0)]),
    (libc::SYS_ftruncate, "ftruncate", Changes, &[Handle(0)]),
    (libc::SYS_renameat, "renameat", Changes, &[Beneath(0), Beneath(2)]),
    (libc::SYS_renameat2, "renameat2", ByFlags(4), &[Beneath(0), Beneath(2)]),
    (libc::SYS_linkat, "linkat", Changes, &[Beneath(0), Beneath(2)]),
    (libc::SYS_symlinkat, "symlinkat", Changes, &[Beneath(1)]),
    (libc::SYS_unlinkat, "unlinkat", Changes, &[Beneath(0)]),
    (libc::SYS_mkdirat, "mkdirat", Changes, &[Beneath(0)]),
    (libc::SYS_fchmod, "fchmod", Changes, &[Handle(0)]),
    (libc::SYS_fchmodat, "fchmodat", Changes, &[Beneath(0)]),
    (libc::SYS_fchown, "fchown", Changes, &[Handle(0)]),
    (libc::SYS_fchownat, "fchownat", Changes, &[Beneath(0)]),
    (libc::SYS_utimensat, "utimensat", Changes, &[Beneath(0)]),
    (libc::SYS_fsetxattr, "fsetxattr", Changes, &[Handle(0)]),
    (libc::SYS_fstat, "fstat", Looks, &[Handle(0)]),
    (libc::SYS_newfstatat, "newfstatat", Looks, &[Beneath(0)]),
    (libc::SYS_statx, "statx", Looks, &[Beneath(0)]),
    (libc::SYS_faccessat, "faccessat", Looks, &[Beneath(0)]),
    (libc::SYS_readlinkat, "readlinkat", Looks, &[Beneath(0)]),
    (libc::SYS_getdents64, "getdents64", Looks, &[Handle(0)]),
    (libc::SYS_flock, "flock", Looks, &[Handle(0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, "open", ByFlags(1), &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rename, "rename", Changes, &[Named(0), Named(1)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_link, "link", Changes, &[Named(0), Named(1)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_unlink, "unlink", Changes, &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, "mkdir", Changes, &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rmdir, "rmdir", Changes, &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, "chmod", Changes, &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_stat, "stat", Looks, &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lstat, "lstat", Looks, &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_access, "access", Looks, &[Named(0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_readlink, "readlink", Looks, &[Named(0)]),
];
