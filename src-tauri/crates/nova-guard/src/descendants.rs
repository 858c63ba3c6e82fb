//! Kills all descendants of this process.

use std::collections::HashSet;
use std::fs;
use std::str::FromStr;

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, pidfd_open,
    pidfd_send_signal, wait,
};

/// Resource usage of all descendants together.
#[derive(Default)]
pub(crate) struct Use {
    /// Anonymous memory in use, in bytes.
    pub(crate) memory: u64,
    /// Processes and threads.
    pub(crate) tasks: u64,
}

/// Current usage of the command and its descendants, as far as the kernel lists them.
pub(crate) fn use_of_all(command: Pid) -> Use {
    let mut used = Use::default();
    for pid in in_view_of(command).unwrap_or_else(descendants) {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        used.memory += field(&status, "RssAnon:") << 10;
        used.tasks += field(&status, "Threads:");
    }
    used
}

/// `command` and the processes of the view whose parent it is. A process cannot leave its PID namespace, so
/// unlike a walk over lists of children, this misses none while they fork and are reparented.
fn in_view_of(command: Pid) -> Option<Vec<Pid>> {
    let namespace = |pid: Pid, of: &str| fs::read_link(format!("/proc/{pid}/ns/{of}")).ok();
    let view = namespace(command, "pid_for_children")
        .filter(|view| Some(view) != namespace(command, "pid").as_ref())?;
    let is_inside = |pid: &Pid| *pid == command || namespace(*pid, "pid").as_ref() == Some(&view);
    Some(numbers_in("/proc").into_iter().filter(is_inside).collect())
}

fn descendants() -> Vec<Pid> {
    let mut seen = HashSet::from([getpid()]);
    let mut parents = vec![getpid()];
    while let Some(parent) = parents.pop() {
        // A PID may be found twice while processes start and end.
        parents
            .extend(children_of(parent).unwrap_or_default().into_iter().filter(|child| seen.insert(*child)));
    }
    seen.remove(&getpid());
    seen.into_iter().collect()
}

/// A number from `/proc/PID/status`, in kilobytes for memory; 0 if the process has ended.
fn field(status: &str, name: &str) -> u64 {
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    value.and_then(|value| value.split_ascii_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Reaps ended children without blocking, and reports each to `ended`.
///
/// Returns whether any children remain.
pub(crate) fn reap(mut ended: impl FnMut(Pid, WaitStatus)) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => ended(pid, status),
            Ok(None) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Kills every descendant, and returns when none remains. This process must be a subreaper: then it has a
/// child as long as a descendant exists.
///
/// `group` is the command's process group, if its leader is not yet reaped: the kernel kills a group
/// atomically with respect to forks. Processes that left the group are first stopped one by one until a round
/// finds no new ones, so that none can fork any more, and then killed.
pub(crate) fn end_all(group: Option<Pid>, mut ended: impl FnMut(Pid, WaitStatus)) {
    if let Some(group) = group {
        // An error means that the group is gone.
        let _ = kill_process_group(group, Signal::KILL);
    }
    while reap(&mut ended) {
        let mut family = Family::of_this_process();
        while family.stop_new() {}
        family.kill();
        // A killed child ends, so this wait terminates. A round that caught nothing met a process being
        // reparented to this one: retry at once.
        if family.children > 0
            && let Ok(Some((pid, status))) = wait(WaitOptions::empty())
        {
            ended(pid, status);
        }
    }
}

/// The descendants found and stopped so far.
struct Family {
    me: Pid,
    /// Including this process.
    pids: HashSet<Pid>,
    /// Number of direct children of this process.
    children: usize,
}

impl Family {
    fn of_this_process() -> Self {
        let me = getpid();
        Self { me, pids: HashSet::from([me]), children: 0 }
    }

    /// Stops descendants that are not yet known. Returns whether there were any.
    fn stop_new(&mut self) -> bool {
        let known = self.pids.len();
        if children_of(self.me).is_some() {
            let mut parents = vec![self.me];
            while let Some(parent) = parents.pop() {
                for child in children_of(parent).unwrap_or_default() {
                    self.stop(child);
                    if self.pids.contains(&child) {
                        parents.push(child);
                    }
                }
            }
        } else {
            // Fallback for kernels without lists of children. A parent usually has the lower PID.
            for pid in numbers_in("/proc") {
                self.stop(pid);
            }
        }
        self.pids.len() > known
    }

    fn stop(&mut self, pid: Pid) {
        if self.pids.contains(&pid) {
            return;
        }
        // The PID may have been reused. The descriptor is opened before the parent is read: if the parent
        // matches, it refers to this process; otherwise the signal is not sent.
        let descriptor = pidfd_open(pid, PidfdFlags::empty());
        let Some(parent) = parent_of(pid).filter(|parent| self.pids.contains(parent)) else { return };
        let stopped = match descriptor {
            Ok(descriptor) => pidfd_send_signal(&descriptor, Signal::STOP),
            // Out of descriptors: rely on the PID just read.
            Err(_) => kill_process(pid, Signal::STOP),
        };
        if stopped.is_ok() {
            self.children += usize::from(parent == self.me);
            self.pids.insert(pid);
        }
    }

    /// PIDs are safe here: no descendant is running that could reap another.
    fn kill(&self) {
        for pid in self.pids.iter().filter(|pid| **pid != self.me) {
            // An error means that it has ended.
            let _ = kill_process(*pid, Signal::KILL);
        }
    }
}

/// The children of all threads of a process, if the kernel lists them. The list may be incomplete while they
/// fork and end.
fn children_of(pid: Pid) -> Option<Vec<Pid>> {
    let folder = format!("/proc/{pid}/task");
    let mut children = Vec::new();
    for thread in numbers_in(&folder) {
        match fs::read_to_string(format!("{folder}/{thread}/children")) {
            Ok(list) => children.extend(list.split_ascii_whitespace().filter_map(number)),
            // The thread has ended, or the kernel does not provide the list.
            Err(_) if thread == pid => return None,
            Err(_) => {}
        }
    }
    Some(children)
}

/// Parses the parent from `PID (NAME) STATE PARENT …`; the name may contain anything but NUL.
fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    str::from_utf8(&stat[after_name..]).ok()?.split_ascii_whitespace().nth(1).and_then(number)
}

fn numbers_in(folder: &str) -> Vec<Pid> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| number(entry.file_name().to_str()?)).collect()
}

fn number(text: &str) -> Option<Pid> {
    i32::from_str(text).ok().and_then(Pid::from_raw)
}
