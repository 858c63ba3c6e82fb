//! Ending every descendant of this process.

use std::collections::HashSet;
use std::fs;
use std::str::FromStr;

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, pidfd_open,
    pidfd_send_signal, wait,
};

/// What all descendants use together.
#[derive(Default)]
pub(crate) struct Use {
    /// Bytes of memory in use that no file is behind.
    pub(crate) memory: u64,
    /// Processes and threads.
    pub(crate) tasks: u64,
}

/// What the command and all that it started use at the moment, as far as the kernel lists them.
pub(crate) fn use_of_all(command: Pid) -> Use {
    let mut used = Use::default();
    for pid in in_view_of(command).unwrap_or_else(descendants) {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        used.memory += field(&status, "RssAnon:") << 10;
        used.tasks += field(&status, "Threads:");
    }
    used
}

/// The processes of the view that `command` stands in front of, and itself. A process cannot leave its namespace, so
/// none is missed while they fork and end, as one whose parent changes is in a walk over lists of children.
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
        // A number may be found twice while processes come and go.
        parents
            .extend(children_of(parent).unwrap_or_default().into_iter().filter(|child| seen.insert(*child)));
    }
    seen.remove(&getpid());
    seen.into_iter().collect()
}

/// A number of `/proc/PID/status`, of memory in kilobytes; 0 of a process that has ended.
fn field(status: &str, name: &str) -> u64 {
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    value.and_then(|value| value.split_ascii_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Reaps the children that have ended, without waiting, and tells each.
///
/// Returns whether children are left.
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

/// Kills every descendant and returns when none is left. Needs this process to be a subreaper: as
/// long as a descendant is left, there is a child.
///
/// `group` is the command's process group, if its leader is not yet reaped: killing a group is one
/// step for the kernel, into which no fork can slip. Who has left the group is first stopped, one
/// by one, until a round finds nobody new, so that nobody is born behind our back; then killed.
pub(crate) fn end_all(group: Option<Pid>, mut ended: impl FnMut(Pid, WaitStatus)) {
    if let Some(group) = group {
        // Gone already is as good.
        let _ = kill_process_group(group, Signal::KILL);
    }
    while reap(&mut ended) {
        let mut family = Family::of_this_process();
        while family.stop_new() {}
        family.kill();
        // A child that was killed ends, so this wait has an end. A round that caught nobody met
        // somebody on the move, from an ended parent to us: look again at once.
        if family.children > 0
            && let Ok(Some((pid, status))) = wait(WaitOptions::empty())
        {
            ended(pid, status);
        }
    }
}

/// The descendants of this process that have been found and stopped.
struct Family {
    me: Pid,
    /// And this process itself.
    pids: HashSet<Pid>,
    /// How many of them are children of this process.
    children: usize,
}

impl Family {
    fn of_this_process() -> Self {
        let me = getpid();
        Self { me, pids: HashSet::from([me]), children: 0 }
    }

    /// Stops descendants that were not known. Returns whether there were any.
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
            // A kernel without lists of children. Parents mostly have the lower number.
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
        // The number may be another process's by now. What the descriptor means stays, so it is
        // opened first; the parent read afterwards is this process's, or its successor's, and then
        // the signal goes to nobody.
        let descriptor = pidfd_open(pid, PidfdFlags::empty());
        let Some(parent) = parent_of(pid).filter(|parent| self.pids.contains(parent)) else { return };
        let stopped = match descriptor {
            Ok(descriptor) => pidfd_send_signal(&descriptor, Signal::STOP),
            // Out of descriptors: the number read just now has to do.
            Err(_) => kill_process(pid, Signal::STOP),
        };
        if stopped.is_ok() {
            self.children += usize::from(parent == self.me);
            self.pids.insert(pid);
        }
    }

    /// From here numbers are enough: nobody in the family runs who could reap another.
    fn kill(&self) {
        for pid in self.pids.iter().filter(|pid| **pid != self.me) {
            // An error means that it is gone.
            let _ = kill_process(*pid, Signal::KILL);
        }
    }
}

/// The children of all threads of a process, if the kernel lists them. While they fork and end, the
/// list may lack some.
fn children_of(pid: Pid) -> Option<Vec<Pid>> {
    let folder = format!("/proc/{pid}/task");
    let mut children = Vec::new();
    for thread in numbers_in(&folder) {
        match fs::read_to_string(format!("{folder}/{thread}/children")) {
            Ok(list) => children.extend(list.split_ascii_whitespace().filter_map(number)),
            // A thread that has ended, or a kernel without the list.
            Err(_) if thread == pid => return None,
            Err(_) => {}
        }
    }
    Some(children)
}

/// The parent, from `PID (NAME) STATE PARENT …`; the name may hold anything but a NUL.
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
