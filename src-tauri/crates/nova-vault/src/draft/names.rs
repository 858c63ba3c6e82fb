//! Name collisions. Even on a case-sensitive file system no two notes or folders are created whose paths
//! differ in case only: in a synchronised copy elsewhere they would be one.

use std::collections::{HashMap, HashSet};

use super::{Draft, NewNote, file_part, writable};
use crate::disk::Spellings;
use crate::error::VaultError;
use crate::note::{PathError, VaultPath, file_name, folded};

impl Draft {
    /// Plans many new notes, each under the first free name derived from its own, like
    /// [`Draft::free_path`], but lists each folder only once. Returns their paths in the same order.
    pub fn create_all(&mut self, mut notes: Vec<NewNote>) -> Result<Vec<VaultPath>, VaultError> {
        let mut spelled: HashMap<String, String> = HashMap::new();
        for note in &mut notes {
            if !spelled.contains_key(&note.folder) {
                spelled.insert(note.folder.clone(), self.spelled(&note.folder)?);
            }
            note.folder.clone_from(&spelled[&note.folder]);
        }
        let mut taken: HashMap<String, HashSet<String>> = HashMap::new();
        for path in self.items.keys().chain(self.files.keys()) {
            taken.entry(path.folder().to_owned()).or_default().insert(folded(file_part(path)));
        }
        let mut listed = HashSet::new();
        // The last number used per name; avoids quadratic probing for many equal names.
        let mut numbers: HashMap<(String, String), u32> = HashMap::new();
        let mut paths = Vec::with_capacity(notes.len());
        for note in &notes {
            let names = taken.entry(note.folder.clone()).or_default();
            if listed.insert(note.folder.clone()) {
                let there = self.vault().names(&note.folder)?;
                names.extend(there.iter().map(|name| folded(name)));
            }
            let name = file_name(&note.name);
            let number = numbers.entry((note.folder.clone(), folded(&name))).or_insert(0);
            let file = loop {
                *number += 1;
                let file = if *number == 1 { format!("{name}.md") } else { format!("{name} {number}.md") };
                if names.insert(folded(&file)) {
                    break file;
                }
            };
            let path = VaultPath::in_folder(&note.folder, &file)?;
            writable(&path)?;
            paths.push(path);
        }
        for (path, note) in paths.iter().zip(notes) {
            self.put(path, note.text);
        }
        Ok(paths)
    }

    /// A free path in `folder` for a note called `display_name`: its file name, followed by ` 2`, ` 3` … if
    /// taken. A folder that exists in another case is used.
    pub fn free_path(&self, folder: &str, display_name: &str) -> Result<VaultPath, VaultError> {
        let folder = &self.spelled(folder)?;
        let name = file_name(display_name);
        let names = (1u32..).map(|n| match n {
            1 => format!("{name}.md"),
            n => format!("{name} {n}.md"),
        });
        let path = self.first_free(folder, names)?;
        writable(&path)?;
        Ok(path)
    }

    /// The first name that no file of the folder has, ignoring case.
    pub(super) fn first_free(
        &self,
        folder: &str,
        mut names: impl Iterator<Item = String>,
    ) -> Result<VaultPath, VaultError> {
        let there = self.vault().names(folder)?;
        let planned = self.items.keys().chain(self.files.keys()).filter(|path| path.folder() == folder);
        let taken: HashSet<String> =
            there.iter().map(String::as_str).chain(planned.map(file_part)).map(folded).collect();
        let free = names.find(|candidate| !taken.contains(&folded(candidate))).unwrap_or_default();
        Ok(VaultPath::in_folder(folder, &free)?)
    }

    /// Refuses a new note that exists in a case variant of its folder, or that would create such a variant.
    pub(crate) fn refuse_twin(&self, path: &VaultPath) -> Result<(), VaultError> {
        let folder = path.folder();
        let spellings = self.vault().spellings(folder)?;
        let file = folded(file_part(path));
        for other in spellings.whole.iter().filter(|other| *other != folder) {
            if let Some(path) = self.taken_in(other, &file)? {
                return Err(VaultError::Exists { path });
            }
        }
        let there = self.spelled_as(folder, &spellings);
        if there == folder {
            return Ok(());
        }
        let instead = Some(VaultPath::in_folder(&there, file_part(path))?);
        let problem = "its folder exists in another case";
        Err(PathError { path: path.as_str().to_owned(), problem, instead }.into())
    }

    /// The spelling of the folder that exists, or is planned, ignoring case.
    pub(super) fn spelled(&self, folder: &str) -> Result<String, VaultError> {
        let folder = folder.strip_suffix('/').unwrap_or(folder);
        Ok(self.spelled_as(folder, &self.vault().spellings(folder)?))
    }

    fn spelled_as(&self, folder: &str, spellings: &Spellings) -> String {
        let on_disk = spellings.best(folder);
        let planned = self.items.iter().filter(|(_, item)| item.text.is_some() && item.origin.is_none());
        let planned = planned.map(|(at, _)| at).chain(self.files.keys());
        let others = planned.map(VaultPath::folder).filter(|other| *other != on_disk);
        // The longest prefix that a planned folder has in another case.
        let (mut best, mut longest) = (on_disk.clone(), 0);
        for other in others {
            let pairs = on_disk.split('/').zip(other.split('/'));
            let same = pairs.take_while(|(ours, theirs)| folded(ours) == folded(theirs)).count();
            let spelled: Vec<&str> = other.split('/').take(same).collect();
            if same > longest.max(spellings.depth) {
                let rest = on_disk.split('/').skip(same);
                best = spelled.into_iter().chain(rest).collect::<Vec<_>>().join("/");
                longest = same;
            }
        }
        best
    }

    /// The note with this path, ignoring case.
    pub(super) fn taken(&self, path: &VaultPath) -> Result<Option<VaultPath>, VaultError> {
        let wanted = folded(path.as_str());
        let planned =
            self.items.iter().find(|(at, item)| item.text.is_some() && folded(at.as_str()) == wanted);
        if let Some((at, _)) = planned {
            return Ok(Some(at.clone()));
        }
        self.taken_in(path.folder(), &folded(file_part(path)))
    }

    /// The note in this folder on disk with the folded name, unless it is to be moved or deleted.
    fn taken_in(&self, folder: &str, file: &str) -> Result<Option<VaultPath>, VaultError> {
        for name in self.vault().names(folder)? {
            if folded(&name) != file {
                continue;
            }
            let there = VaultPath::in_folder(folder, &name)?;
            let goes =
                self.items.get(&there).is_some_and(|item| item.text.is_none()) || self.is_removed(&there);
            if !goes {
                return Ok(Some(there));
            }
        }
        Ok(None)
    }
}
