//! Temporary files without journal entries. The journal and the first temporary file are synced in
//! parallel, so a power cut can leave the file without the lines that announce it.
//!
//! Only files that certainly belong to Nova and contain nothing unique are removed: the name is
//! `.nova-<set>-<number>.<mark>.tmp` with this data folder's mark, and the set announced no write and has
//! no process. A note is exchanged only after its intent is durable, so such a file contains all or part of
//! a text that was never written. A name with another mark, or none, belongs to another process and stays.
//!
//! A kill alone loses no lines. So the vault is scanned once after each boot, or once a day if the system
//! does not report the boot.

use std::fs;
use std::io;

use crate::core::Core;
use crate::disk::write_private;
use crate::note::ContentHash;
use crate::writing::journal::TempName;

/// Removes them, once per boot.
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
        tracing::info!(removed, "removed temporary files left by a power cut");
    }
    fs::remove_file(&done).ok();
    if let Err(error) = write_private(&done, since.as_bytes())
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        tracing::warn!(path = %done.display(), %error, "cannot record the sweep");
    }
}

/// An identifier that changes with each boot.
fn system_start() -> Option<String> {
    #[cfg(target_os = "linux")]
    {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(id.trim().to_owned())
    }
    #[cfg(not(target_os = "linux"))]
    None
}
