//! Limits of this process and its descendants.

use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::{Resource, Rlimit};

use crate::confinement::Limits;

/// The limits to set, capped at this process's own. Core files are always disabled: they would contain the
/// secrets that a process was given.
pub(crate) fn limits(limits: &Limits) -> Vec<(Resource, Rlimit)> {
    let processes = limits.processes.map(|more| more.saturating_add(tasks_of_user()));
    [
        (Resource::Core, Some(0)),
        (Resource::Data, limits.memory),
        (Resource::As, limits.address_space),
        (Resource::Nofile, limits.open_files),
        (Resource::Nproc, processes),
        (Resource::Fsize, limits.file_size),
        (Resource::Cpu, limits.cpu_seconds),
    ]
    .into_iter()
    .filter_map(|(resource, limit)| {
        let highest = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let limit = Some(limit?.min(highest));
        Some((resource, Rlimit { current: limit, maximum: limit }))
    })
    .collect()
}

/// Number of processes and threads of this user.
fn tasks_of_user() -> u64 {
    let user = rustix::process::getuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|entry| entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit))
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == user))
        .map(|entry| fs::read_dir(entry.path().join("task")).map_or(0, |tasks| tasks.count() as u64))
        .sum()
}
