//! A copy of the vault without private notes, for commands.
//!
//! A copy is the only way to hide notes reliably while a command runs: a mount over a private note is lost
//! when an editor replaces the note, and a note may become private at any time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use nova_skill::VaultPath;
use nova_vault::note::ContentHash;
use nova_vault::{Privacy, Vault};

/// Size limit for files other than notes, in bytes.
const LARGEST: u64 = 16 << 20;

/// A copy that is updated before each command.
pub(super) struct VaultCopy {
    folder: PathBuf,
    /// The root of the copied vault.
    root: PathBuf,
    files: BTreeMap<VaultPath, Mark>,
}

/// The state of a file when it was copied.
#[derive(PartialEq, Eq)]
enum Mark {
    Note(ContentHash),
    File { bytes: u64, modified: Option<SystemTime> },
}

impl VaultCopy {
    /// `folder` must be empty; the caller deletes it.
    pub(super) fn new(folder: PathBuf, vault: &Vault) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, root: vault.root().to_owned(), files: BTreeMap::new() })
    }

    pub(super) fn is_of(&self, vault: &Vault) -> bool {
        self.root == vault.root()
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Updates the copy, without private files; returns the number of files too large for it.
    pub(super) fn update(&mut self, vault: &Vault, private: Vec<String>) -> io::Result<usize> {
        let view = vault.seen_by(Arc::new(Privacy { remote: true, private }));
        let (mut there, mut left_out) = (BTreeMap::new(), 0);
        for note in view.notes().map_err(io::Error::other)? {
            let mark = Mark::Note(note.hash);
            if self.files.get(&note.path) != Some(&mark) {
                write(&self.folder, &note.path, note.text.as_bytes())?;
            }
            there.insert(note.path, mark);
        }
        for path in view.files().map_err(io::Error::other)? {
            // Deleted meanwhile.
            let Ok(found) = fs::metadata(self.root.join(path.as_str())) else { continue };
            if found.len() > LARGEST {
                left_out += 1;
                continue;
            }
            let mark = Mark::File { bytes: found.len(), modified: found.modified().ok() };
            if self.files.get(&path) != Some(&mark) {
                let Ok(bytes) = view.read_file(&path) else { continue };
                write(&self.folder, &path, &bytes)?;
            }
            there.insert(path, mark);
        }
        for gone in self.files.keys().filter(|path| !there.contains_key(*path)) {
            remove(&self.folder, gone)?;
        }
        self.files = there;
        Ok(left_out)
    }
}

/// Atomic, because a running command may be reading the file.
fn write(folder: &Path, path: &VaultPath, bytes: &[u8]) -> io::Result<()> {
    let file = folder.join(path.as_str());
    let parent = file.parent().unwrap_or(folder);
    fs::create_dir_all(parent)?;
    let mut fresh = tempfile::NamedTempFile::new_in(parent)?;
    io::Write::write_all(&mut fresh, bytes)?;
    fresh.persist(&file)?;
    Ok(())
}

fn remove(folder: &Path, path: &VaultPath) -> io::Result<()> {
    let mut gone = folder.join(path.as_str());
    match fs::remove_file(&gone) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Removes parent folders while they are empty.
    while gone.pop() && gone != folder && fs::remove_dir(&gone).is_ok() {}
    Ok(())
}
