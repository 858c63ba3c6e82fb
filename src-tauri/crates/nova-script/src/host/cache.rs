use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::definition::{self, MAX_SCHEMA};
use crate::protocol::{Definition, Fault, FaultKind};

/// Cache of loaded definitions by content hash: one JSON file each in `<data>/scripts`.
///
/// Errors are not fatal: an unreadable or invalid entry is a miss, and a failed write means that the file is
/// loaded again.
pub(super) struct Cache {
    folder: PathBuf,
    seen: Mutex<HashMap<blake3::Hash, Arc<Known>>>,
}

/// The result of loading a content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Known {
    Defines(Box<Definition>),
    /// Permanent until Nova is updated.
    Faulty(Fault),
}

/// Version of the entries. Each release of Nova reloads all files, because it may compile them differently.
const FORMAT: &str = concat!("2 ", env!("CARGO_PKG_VERSION"));
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Above the size of any definition: schema, description and lists.
const MAX_ENTRY: u64 = 2 * MAX_SCHEMA as u64;
/// Maximum number of entries in memory.
const MAX_SEEN: usize = 1_000;

impl Cache {
    /// Creates the folder if necessary, and removes entries unused for 30 days.
    pub(super) fn open(folder: PathBuf) -> Self {
        let opened = make_private(&folder).and_then(|()| sweep(&folder, SystemTime::now()));
        if let Err(error) = opened {
            tracing::warn!(path = %folder.display(), %error, "cannot open the cache of tool definitions");
        }
        Self { folder, seen: Mutex::default() }
    }

    pub(super) fn get(&self, source: &str) -> Option<Arc<Known>> {
        let key = key(source);
        if let Some(known) = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Some(known.clone());
        }
        let known = Arc::new(read(&self.path(&key))?);
        self.see(key, known.clone());
        Some(known)
    }

    pub(super) fn put(&self, source: &str, known: Known) {
        let key = key(source);
        if let Err(error) = self.write(&key, &known) {
            tracing::warn!(path = %self.folder.display(), %error, "cannot cache a tool's definition");
        }
        self.see(key, Arc::new(known));
    }

    fn see(&self, key: blake3::Hash, known: Arc<Known>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MAX_SEEN {
            seen.clear();
        }
        seen.insert(key, known);
    }

    fn write(&self, key: &blake3::Hash, known: &Known) -> io::Result<()> {
        // Created with mode 0600.
        let mut file = tempfile::Builder::new().prefix(".").tempfile_in(&self.folder)?;
        file.write_all(&serde_json::to_vec(known)?)?;
        file.persist(self.path(key))?;
        Ok(())
    }

    fn path(&self, key: &blake3::Hash) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

impl Known {
    /// Whether loading the same content again would give the same result.
    pub(super) fn lasts(&self) -> bool {
        match self {
            Self::Defines(_) => true,
            // Limits are in processor time and loading has no external input, so these faults are
            // deterministic. The machine may have been out of memory.
            Self::Faulty(fault) => matches!(
                fault.kind,
                FaultKind::Syntax
                    | FaultKind::Import
                    | FaultKind::Definition
                    | FaultKind::Thrown
                    | FaultKind::Time
            ),
        }
    }
}

fn key(source: &str) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(FORMAT.as_bytes()).update(&[0]).update(source.as_bytes());
    hasher.finalize()
}

fn read(path: &Path) -> Option<Known> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_file() || found.len() > MAX_ENTRY {
        return None;
    }
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_ENTRY).read_to_end(&mut text).ok()?;
    let known: Known = serde_json::from_slice(&text).ok()?;
    if let Known::Defines(definition) = &known {
        definition::check(definition).ok()?;
    }
    if !known.lasts() {
        return None;
    }
    let used = found.modified().ok();
    if used.and_then(|used| used.elapsed().ok()).is_none_or(|unused| unused > DAY) {
        let touched = File::options().write(true).open(path).map(|file| file.set_modified(SystemTime::now()));
        if let Err(error) = touched {
            tracing::debug!(path = %path.display(), %error, "cannot touch a cache entry");
        }
    }
    Some(known)
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        builder.mode(0o700).create(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    #[cfg(not(unix))]
    builder.create(folder)?;
    Ok(())
}

/// Removes entries unused for 30 days, and partial files of a killed instance.
fn sweep(folder: &Path, now: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let Ok(found) = entry.metadata() else { continue };
        let unused = found.modified().ok().and_then(|used| now.duration_since(used).ok()).unwrap_or_default();
        let name = entry.file_name();
        let half_written = name.as_encoded_bytes().starts_with(b".");
        if found.is_file() && (unused > UNUSED || half_written && unused > DAY) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
