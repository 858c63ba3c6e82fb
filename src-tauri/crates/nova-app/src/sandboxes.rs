//! State shared by the sandboxes of all chats: the guard, and the copies of files.

mod skill_copies;
mod vault_copy;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nova_guard::{Confinement, Files, Guard, Limits, View};
use nova_registry::{Commands, Snapshot};
use nova_vault::Vault;

use self::skill_copies::SkillCopies;
use self::vault_copy::VaultCopy;

/// Maximum number of processes of a command.
pub(crate) const PROCESSES: u64 = 256;

/// The shared state.
pub(crate) struct Sandboxes {
    pub(crate) guard: Guard,
    /// In the data folder, with one subfolder per Nova process.
    folder: PathBuf,
    copies: Mutex<Option<Copies>>,
    /// Whether this system can confine commands.
    commands: Mutex<Commands>,
}

/// The copies visible to commands, deleted when this process ends.
struct Copies {
    vault: Option<VaultCopy>,
    skills: SkillCopies,
    folder: tempfile::TempDir,
    /// Locked for as long as this process runs.
    _lock: File,
}

impl Sandboxes {
    pub(crate) fn new(guard: Guard, data: &Path) -> Self {
        Self {
            guard,
            folder: data.join("sandbox"),
            copies: Mutex::default(),
            commands: Mutex::new(Commands::NotYet),
        }
    }

    /// Starts a command that does nothing, as a test.
    pub(crate) async fn try_one(&self) -> Commands {
        let limits = Limits { all_processes: Some(PROCESSES), ..Limits::default() };
        let confinement = confinement(View::default(), limits);
        let command = self.guard.command(&confinement, "/bin/sh").args(["-c", ":"]);
        let tried = match command.start().await {
            Ok(mut guarded) => match guarded.wait().await {
                Ok(status) if status.success() => Commands::Confined,
                Ok(status) => Commands::Unconfined(format!("a first command ended with {status}")),
                Err(error) => Commands::Unconfined(error.to_string()),
            },
            Err(error) => Commands::Unconfined(error.to_string()),
        };
        *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = tried.clone();
        tried
    }

    pub(crate) fn commands(&self) -> Commands {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Updates the copies. Blocking.
    ///
    /// # Errors
    /// When they cannot be written, or the vault cannot be read.
    pub(crate) fn copied(
        &self,
        skills: &Snapshot,
        vault: Option<&Vault>,
        private: Vec<String>,
    ) -> io::Result<Copied> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let copies = match copies.take() {
            Some(there) => copies.insert(there),
            None => copies.insert(Copies::new(&self.folder)?),
        };
        let mut copied = Copied { skills: copies.skills.update(skills)?, ..Copied::default() };
        if let Some(vault) = vault {
            if let Some(other) = copies.vault.take_if(|copy| !copy.is_of(vault)) {
                std::fs::remove_dir_all(other.folder())?;
            }
            if copies.vault.is_none() {
                let folder =
                    tempfile::Builder::new().prefix("vault").tempdir_in(copies.folder.path())?.keep();
                copies.vault = Some(VaultCopy::new(folder, vault)?);
            }
            if let Some(copy) = &mut copies.vault {
                copied.left_out = copy.update(vault, private)?;
                copied.vault = Some((copy.folder().to_owned(), vault.root().to_owned()));
            }
        }
        Ok(copied)
    }
}

impl Copies {
    fn new(sandboxes: &Path) -> io::Result<Self> {
        nova_files::private_folder(sandboxes)?;
        // One process at a time, so that none deletes a folder that another is about to lock.
        let of_all = nova_files::open_lock(&sandboxes.join("lock"))?;
        of_all.lock()?;
        sweep(sandboxes)?;
        let folder = tempfile::Builder::new().prefix("nova").tempdir_in(sandboxes)?;
        let lock = nova_files::open_lock(&folder.path().join("lock"))?;
        lock.lock()?;
        Ok(Self { vault: None, skills: SkillCopies::new(folder.path().join("skills"))?, folder, _lock: lock })
    }
}

/// Deletes the copies of killed processes.
fn sweep(sandboxes: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(sandboxes)? {
        let left = entry?.path();
        // Only subfolders contain one.
        let Ok(lock) = File::open(left.join("lock")) else { continue };
        if lock.try_lock().is_ok() {
            std::fs::remove_dir_all(&left)?;
        }
    }
    Ok(())
}

/// The copies for one command.
#[derive(Default)]
pub(crate) struct Copied {
    /// The copy, and the path of the vault itself.
    pub(crate) vault: Option<(PathBuf, PathBuf)>,
    /// Number of files that are too large for the copy.
    pub(crate) left_out: usize,
    /// By skill id.
    pub(crate) skills: Vec<(String, PathBuf)>,
}

/// Only the view, without network.
pub(crate) fn confinement(view: View, limits: Limits) -> Confinement {
    Confinement { files: Files::View(view), network: false, spawn: true, limits, require: true }
}
