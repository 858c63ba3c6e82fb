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

/// A vault bound to its reader's privacy: no query through it returns a hidden note. All tools read through
/// a view.
#[derive(Debug, Clone)]
pub struct View {
    vault: Vault,
    privacy: Arc<Privacy>,
}

/// Records, and unreadable notes that may be records, from one snapshot.
#[derive(Debug, Clone, Default)]
pub struct RecordsRead {
    /// Sorted by path.
    pub notes: Vec<Note>,
    /// Unreadable notes that may be such records, sorted by path.
    pub unreadable: Vec<Problem>,
}

impl Vault {
    /// The vault as a reader with this privacy sees it.
    pub fn seen_by(&self, privacy: Arc<Privacy>) -> View {
        View { vault: self.clone(), privacy }
    }

    /// The whole vault, as its owner sees it.
    pub fn seen_by_owner(&self) -> View {
        self.seen_by(Arc::default())
    }
}

impl View {
    /// The underlying vault, without privacy.
    pub(crate) fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The privacy of the reader.
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

    /// As [`Vault::find`]; [`VaultError::Private`] if only hidden notes match.
    pub fn find(&self, name: &str) -> Result<Vec<VaultPath>, VaultError> {
        let mut found = self.vault.find(name)?;
        if !self.privacy.remote || found.is_empty() {
            return Ok(found);
        }
        found.retain(|path| match self.read(path) {
            Err(VaultError::Private { .. }) => false,
            // Errors are reported when the note is read.
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

    /// The problems of notes that may be such records: those in the given or a recognised folder, or whose
    /// text contains a type. Empty for a remote reader: an unreadable note cannot declare itself public.
    pub fn unreadable(&self, folder: &str, recogniser: &Recogniser) -> Result<Vec<Problem>, VaultError> {
        if self.privacy.remote {
            return Ok(Vec::new());
        }
        let mut problems = self.vault.problems()?;
        problems.retain(|problem| self.seems_to_be(problem, &[folder], recogniser));
        Ok(problems)
    }

    /// [`View::records`] and [`View::unreadable`] for several folders, from one snapshot.
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
        // Its properties are unreadable, so look for the type in its lines.
        let says_type = || {
            let text = self.vault.read(&path).map(|note| note.text).unwrap_or_default();
            text.lines().filter_map(|line| line.split_once(':')).any(|(key, value)| {
                let value = folded(value.trim().trim_matches(['"', '\'']));
                folded(key.trim()) == "type" && recogniser.types().contains(&value)
            })
        };
        path.is_note() && (folders.iter().any(is_in) || recogniser.has_folder_of(&path) || says_type())
    }

    /// All visible notes, sorted by path. Unreadable ones are left out.
    pub fn notes(&self) -> Result<Vec<Note>, VaultError> {
        let disk = &self.vault.core().disk;
        let listing = self.vault.index().listing(disk, Texts::All)?;
        let notes = listing.heads.iter().filter_map(|head| self.vault.index().note(disk, head));
        Ok(notes.filter(|note| !self.hides(note)).collect())
    }

    /// The visible files outside dot-folders that are no notes, sorted by path.
    pub fn files(&self) -> Result<Vec<VaultPath>, VaultError> {
        let listing = self.vault.index().listing(&self.vault.core().disk, Texts::Nobodys)?;
        Ok(listing.files.iter().filter(|path| !self.privacy.lists(path)).cloned().collect())
    }

    /// The bytes of any file, such as a bank statement.
    pub fn read_file(&self, path: &VaultPath) -> Result<Vec<u8>, VaultError> {
        if path.is_note() {
            return Ok(self.read(path)?.text.as_bytes().to_vec());
        }
        if self.privacy.lists(path) {
            return Err(VaultError::Private { name: path.as_str().to_owned() });
        }
        self.vault.bytes(path)
    }

    /// The vault's path for a location on disk; `None` outside of the vault.
    pub fn name_of(&self, place: &Path) -> Option<String> {
        self.vault.core().disk.name_of(place)
    }

    /// Whether a folder exists, ignoring case; a private folder is hidden from remote readers.
    pub fn has_folder(&self, folder: &str) -> Result<bool, VaultError> {
        if VaultPath::parse(folder.trim_matches('/')).is_ok_and(|folder| self.privacy.lists(&folder)) {
            return Ok(false);
        }
        Ok(!self.vault.spellings(folder)?.whole.is_empty())
    }

    /// As [`Vault::obsidian`]: settings are not private.
    pub fn obsidian(&self) -> ObsidianSettings {
        self.vault.obsidian()
    }

    /// Where a deleted note goes: as set in Obsidian, but to the vault's own trash if the system's cannot
    /// take it.
    pub fn trash(&self, note: &VaultPath) -> Trash {
        self.vault.core().trash(note)
    }

    /// As [`Vault::template_folder`].
    pub fn template_folder(&self) -> TemplateFolder {
        self.vault.template_folder()
    }

    /// Whether the note must be hidden.
    pub fn hides(&self, note: &Note) -> bool {
        self.privacy.hides(&note.path, &note.document)
    }

    /// Whether the existence of this file must be hidden from remote readers, by its present content. An
    /// unreadable note cannot declare itself public.
    pub fn is_local_only(&self, path: &VaultPath) -> bool {
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
