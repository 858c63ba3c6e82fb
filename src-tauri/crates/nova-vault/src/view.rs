//! The vault as one reader may see it.

use std::path::Path;
use std::sync::Arc;

use crate::error::VaultError;
use crate::note::{VaultPath, folded};
use crate::obsidian::{ObsidianSettings, TemplateFolder, Trash};
use crate::privacy::Privacy;
use crate::problem::Problem;
use crate::reading::index::{Note, Selection as _, Texts};
use crate::reading::query::Recogniser;
use crate::vault::Vault;

/// A vault bound to what its reader may see: whatever is asked through it, a hidden note is not
/// in the answer. Every question of a tool goes through one.
#[derive(Debug, Clone)]
pub struct View {
    vault: Vault,
    privacy: Arc<Privacy>,
}

/// The records of some types, read at one moment.
#[derive(Debug, Clone, Default)]
pub struct RecordsRead {
    /// By path.
    pub notes: Vec<Note>,
    /// Notes that seem to be such records and cannot be read, by path.
    pub unreadable: Vec<Problem>,
}

impl Vault {
    /// The vault as a reader with these limits sees it.
    pub fn seen_by(&self, privacy: Arc<Privacy>) -> View {
        View { vault: self.clone(), privacy }
    }

    /// The vault as its owner sees it: all of it.
    pub fn seen_by_owner(&self) -> View {
        self.seen_by(Arc::default())
    }
}

impl View {
    /// The whole vault, whoever reads.
    pub(crate) fn vault(&self) -> &Vault {
        &self.vault
    }

    /// What is hidden.
    pub fn privacy(&self) -> &Privacy {
        &self.privacy
    }

    /// As [`Vault::read`]; [`VaultError::Private`] for a hidden note.
    pub fn read(&self, path: &VaultPath) -> Result<Note, VaultError> {
        if self.privacy.lists(path) {
            return Err(VaultError::Private { name: path.as_str().to_owned() });
        }
        let note = self.vault.read(path)?;
        self.check(&note)?;
        Ok(note)
    }

    /// As [`Vault::find`]; where only hidden notes go by the name, [`VaultError::Private`].
    pub fn find(&self, name: &str) -> Result<Vec<VaultPath>, VaultError> {
        let mut found = self.vault.find(name)?;
        if !self.privacy.remote || found.is_empty() {
            return Ok(found);
        }
        found.retain(|path| match self.read(path) {
            Err(VaultError::Private { .. }) => false,
            // What cannot be read is said when it is read.
            Ok(_) | Err(_) => true,
        });
        if found.is_empty() {
            return Err(VaultError::Private { name: name.to_owned() });
        }
        Ok(found)
    }

    /// As [`Vault::recognised`], without hidden notes.
    pub fn records(&self, recogniser: &Recogniser) -> Result<Vec<Note>, VaultError> {
        let mut notes = self.vault.recognised(recogniser)?;
        notes.retain(|note| !self.hides(note));
        Ok(notes)
    }

    /// The problems of notes that seem to be such records: they lie in their folder or in one that is
    /// recognised, or their text names a type. A reader elsewhere is told none: what cannot be
    /// read cannot say that it may be shown.
    pub fn unreadable(&self, folder: &str, recogniser: &Recogniser) -> Result<Vec<Problem>, VaultError> {
        if self.privacy.remote {
            return Ok(Vec::new());
        }
        let mut problems = self.vault.problems()?;
        problems.retain(|problem| self.seems_to_be(problem, &[folder], recogniser));
        Ok(problems)
    }

    /// [`View::records`] and [`View::unreadable`] of their folders, from one look at
    /// the disk.
    pub fn read_records(&self, folders: &[&str], recogniser: &Recogniser) -> Result<RecordsRead, VaultError> {
        let (mut notes, mut unreadable) = self.vault.records_and_problems(recogniser)?;
        notes.retain(|note| !self.hides(note));
        unreadable.retain(|problem| !self.privacy.remote && self.seems_to_be(problem, folders, recogniser));
        Ok(RecordsRead { notes, unreadable })
    }

    fn seems_to_be(&self, problem: &Problem, folders: &[&str], recogniser: &Recogniser) -> bool {
        let Ok(path) = VaultPath::parse(&problem.path) else { return false };
        let place = folded(path.as_str());
        let is_in = |folder: &&str| {
            place.strip_prefix(&folded(folder.trim_matches('/'))).is_some_and(|rest| rest.starts_with('/'))
        };
        // Its properties cannot be read, so its lines say what it is.
        let says_type = || {
            let text = self.vault.read(&path).map(|note| note.text).unwrap_or_default();
            text.lines().filter_map(|line| line.split_once(':')).any(|(key, value)| {
                let value = folded(value.trim().trim_matches(['"', '\'']));
                folded(key.trim()) == "type" && recogniser.types().contains(&value)
            })
        };
        path.is_note() && (folders.iter().any(is_in) || recogniser.has_folder_of(&path) || says_type())
    }

    /// All notes that may be shown, in order of their paths. One that cannot be read is left out.
    pub fn notes(&self) -> Result<Vec<Note>, VaultError> {
        let disk = &self.vault.core().disk;
        let listing = self.vault.index().listing(disk, Texts::All)?;
        let notes = listing.heads.iter().filter_map(|head| self.vault.index().note(disk, head));
        Ok(notes.filter(|note| !self.hides(note)).collect())
    }

    /// The files outside of dot-folders that are no notes and may be shown, in order of their paths.
    pub fn files(&self) -> Result<Vec<VaultPath>, VaultError> {
        let listing = self.vault.index().listing(&self.vault.core().disk, Texts::Nobodys)?;
        Ok(listing.files.iter().filter(|path| !self.privacy.lists(path)).cloned().collect())
    }

    /// The bytes of a file that need not be a note, such as a bank's list of transactions.
    pub fn read_file(&self, path: &VaultPath) -> Result<Vec<u8>, VaultError> {
        if path.is_note() {
            return Ok(self.read(path)?.text.as_bytes().to_vec());
        }
        if self.privacy.lists(path) {
            return Err(VaultError::Private { name: path.as_str().to_owned() });
        }
        self.vault.bytes(path)
    }

    /// What lies at a place of the disk, as the vault names it; `None` outside of the vault.
    pub fn name_of(&self, place: &Path) -> Option<String> {
        self.vault.core().disk.name_of(place)
    }

    /// Whether a folder of that path is there, in whatever case; of a private one nobody elsewhere is told.
    pub fn has_folder(&self, folder: &str) -> Result<bool, VaultError> {
        if VaultPath::parse(folder.trim_matches('/')).is_ok_and(|folder| self.privacy.lists(&folder)) {
            return Ok(false);
        }
        Ok(!self.vault.spellings(folder)?.whole.is_empty())
    }

    /// As [`Vault::obsidian`]: settings are no notes, and whoever may read here may know them.
    pub fn obsidian(&self) -> ObsidianSettings {
        self.vault.obsidian()
    }

    /// Where a deleted note goes: as Obsidian is set, and to the vault's own trash where the system's
    /// cannot take it.
    pub fn trash(&self, note: &VaultPath) -> Trash {
        self.vault.core().trash(note)
    }

    /// As [`Vault::template_folder`].
    pub fn template_folder(&self) -> TemplateFolder {
        self.vault.template_folder()
    }

    /// Whether the note must not be shown.
    pub fn hides(&self, note: &Note) -> bool {
        self.privacy.hides(&note.path, &note.document)
    }

    /// Whether whoever reads elsewhere may not even hear of this file, as it is now. A note that cannot
    /// be read cannot say that it may be shown.
    pub fn stays_here(&self, path: &VaultPath) -> bool {
        let elsewhere = self.privacy.elsewhere();
        let hides = |note: Note| elsewhere.hides(&note.path, &note.document);
        elsewhere.lists(path) || path.is_note() && self.vault.read(path).map_or(true, hides)
    }

    fn check(&self, note: &Note) -> Result<(), VaultError> {
        if self.hides(note) {
            return Err(VaultError::Private { name: note.path.as_str().to_owned() });
        }
        Ok(())
    }
}
