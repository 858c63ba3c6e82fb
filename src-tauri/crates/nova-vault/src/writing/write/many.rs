//! Creates many notes at once. As with a single note, each name always has a whole text; but all notes are
//! synced together, and each folder once.

use std::collections::HashMap;
use std::io;

use super::Writing;
use super::note_write::{NoteWrite, Outcome};
use crate::change::NoteChangeKind;
use crate::disk::{Fsync, Like, Place, write_all};
use crate::error::VaultError;
use crate::step::Step;

/// From this number on, a single sync of the file system is faster.
const MANY: usize = 32;

/// Number of new notes at the start of the writes, if there are many.
pub(super) fn many_creates(writes: &[NoteWrite]) -> usize {
    let count = writes.iter().take_while(|write| write.kind() == NoteChangeKind::Created).count();
    if count >= MANY { count } else { 0 }
}

/// The opened folder of each note (shared), and its temporary file.
#[derive(Default)]
struct Batch {
    folders: HashMap<String, Place>,
    temps: Vec<String>,
    made: Vec<String>,
}

impl Writing<'_> {
    /// Creates all of them. On an error those marked `written` must be reverted; of the others nothing is
    /// left.
    pub(super) fn create_many(&mut self, writes: &mut [NoteWrite]) -> Result<(), VaultError> {
        let mut batch = Batch::default();
        let done = self
            .write_temps(writes, &mut batch)
            .and_then(|()| self.sync_temps(writes, &batch))
            .and_then(|()| self.put_temps(writes, &batch));
        if done.is_err() {
            for (write, temp) in writes.iter().zip(&batch.temps).filter(|(write, _)| !write.written) {
                if let Some(folder) = batch.folders.get(write.path.folder()) {
                    folder.remove(temp).ok();
                }
            }
            self.core.disk.remove_empty(&batch.made);
        }
        done
    }

    fn write_temps(&mut self, writes: &[NoteWrite], batch: &mut Batch) -> Result<(), VaultError> {
        for write in writes {
            let failed = |error| VaultError::io_at("create", &write.path)(error);
            if !batch.folders.contains_key(write.path.folder()) {
                let (place, made) = self.core.disk.make_place(&write.path)?;
                batch.made.extend(made);
                batch.folders.insert(write.path.folder().to_owned(), place);
            }
            let Some(folder) = batch.folders.get(write.path.folder()) else { continue };
            let temp = self.writer.next_temp(write.n);
            self.step(Step::CreateTemp, write).map_err(failed)?;
            let mut file = folder.create_temp(&temp, write.like(Like::New)).map_err(failed)?;
            batch.temps.push(temp);
            self.step(Step::WriteTemp, write)
                .and_then(|()| write.after.as_ref().map_or(Ok(()), |after| write_all(&mut file, after)))
                .and_then(|()| if Place::SYNCS_TOGETHER { Ok(()) } else { file.fsync() })
                .map_err(failed)?;
        }
        Ok(())
    }

    /// All texts are durable before the first note gets its name.
    fn sync_temps(&self, writes: &[NoteWrite], batch: &Batch) -> Result<(), VaultError> {
        let Some(write) = writes.first() else { return Ok(()) };
        let failed = |error| VaultError::io_at("create", &write.path)(error);
        self.step(Step::SyncTemp, write).map_err(failed)?;
        let mut synced: Vec<&Place> = Vec::new();
        for folder in batch.folders.values() {
            if !synced.iter().any(|other| other.is_on_file_system_of(folder)) {
                folder.sync_all_files().map_err(failed)?;
                synced.push(folder);
            }
        }
        Ok(())
    }

    fn put_temps(&mut self, writes: &mut [NoteWrite], batch: &Batch) -> Result<(), VaultError> {
        let mut lines = Vec::with_capacity(writes.len());
        for (write, temp) in writes.iter_mut().zip(&batch.temps) {
            let Some(folder) = batch.folders.get(write.path.folder()) else { continue };
            let put = self.step(Step::Exchange, write).and_then(|()| folder.put_as_note(temp, &write.path));
            let outcome = match put {
                Ok(()) => Outcome::Written,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    let there = self.core.disk.content(&write.path)?;
                    if there != write.after {
                        return Err(match there {
                            Some(there) => write.taken_by(&there),
                            None => write.conflict("", "created outside"),
                        });
                    }
                    folder.remove(temp).ok();
                    Outcome::AlreadySo
                }
                Err(error) => return Err(VaultError::io_at("create", &write.path)(error)),
            };
            write.written = outcome == Outcome::Written;
            lines.push(outcome.line(write.n));
        }
        for folder in batch.folders.values() {
            self.core
                .steps
                .before(Step::SyncFolder, folder.path().as_str())
                .and_then(|()| folder.sync_folder())
                .map_err(VaultError::io_at("create", folder.path()))?;
        }
        self.core.disk.sync_made(&batch.made).map_err(VaultError::io("create the folders of new notes"))?;
        // If killed before these lines, the set is interrupted, and finishing it finds every note in its
        // final state.
        writes
            .iter()
            .try_for_each(|write| self.step(Step::JournalDone, write))
            .and_then(|()| self.writer.append_all(&lines))
            .map_err(VaultError::io("write the journal"))
    }
}
