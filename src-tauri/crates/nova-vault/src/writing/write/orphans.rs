//! Temporary files that no journal knows. The journal and the first temporary file wait for the
//! disk together, so a power cut can leave the file without the lines that announce it.
//!
//! What is removed is certain to be Nova's and to hold nothing that is nowhere else. Its name is
//! `.nova-<set>-<number>.<mark>.tmp` with the mark of this data folder, and the set announced no
//! write and has no process. A note is exchanged only after its intent lasts, so such a file holds a
//! text, whole or in part, that was to be written and never was. A name with another mark, or with
//! none, is of another process and stays.
//!
//! A kill alone loses no line. So the vault is scanned once after each start of the system,
//! and where the system does not say when that was, once a day.

use std::fs;
use std::io;

use crate::core::Core;
use crate::disk::write_private;
use crate::note::ContentHash;
use crate::writing::journal::TempName;

/// Removes them, when that was not done since the system started.
pub(super) fn sweep_orphans(core: &Core) {
    // Without a mark there was never a write.
    let Some(mark) = core.journal.known_mark() else { return };
    let vault = ContentHash::of(core.journal.vault().as_bytes()).to_string();
    let done = core.journal.folder().join(format!(".swept-{}", &vault[..16]));
    let since = system_start().unwrap_or_else(|| core.now().strftime("%Y-%m-%d").to_string());
    if fs::read_to_string(&done).is_ok_and(|at| at == since) {
        return;
    }
    let removed = core.disk.remove_hidden(&|name| {
        TempName::set_of(name, mark).is_some_and(|set| core.journal.announced_nothing(set))
    });
    if removed > 0 {
        tracing::info!("removed {removed} temporary files that a power cut left");
    }
    fs::remove_file(&done).ok();
    if let Err(error) = write_private(&done, since.as_bytes())
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        tracing::warn!("{}: {error}", done.display());
    }
}

/// What differs after each start of the system.
fn system_start() -> Option<String> {
    #[cfg(target_os = "linux")]
    {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(id.trim().to_owned())
    }
    #[cfg(not(target_os = "linux"))]
    None
}
