//! Creating, deleting and moving one note, and the parts shared by all writes. A note's name always has a
//! whole text, and a replaced text is dropped only when the journal has it.

use std::io;

use super::late::File;
use super::note_write::{NoteWrite, Outcome, Texts};
use super::{Announced, Displaced, Writing};
use crate::change::NoteChangeKind;
use crate::content::{Content, holds_text};
use crate::disk::{Fsync, Like, Place, write_all};
use crate::error::VaultError;
use crate::note::ContentHash;
use crate::step::Step;
use crate::writing::journal::{Line, TempName, TempTexts};

impl Writing<'_> {
    pub(super) fn one(&mut self, write: &mut NoteWrite) -> Result<Outcome, VaultError> {
        match write.kind() {
            NoteChangeKind::Created => self.create(write),
            NoteChangeKind::Deleted => self.delete(write),
            NoteChangeKind::Renamed => self.rename(write),
            NoteChangeKind::Modified => {
                let place = self.core.disk.place(&write.path)?;
                self.replace(&place, write)
            }
        }
    }

    fn create(&mut self, write: &mut NoteWrite) -> Result<Outcome, VaultError> {
        let content = write.after.clone().unwrap_or_else(|| Content::from(""));
        let (place, made) = self.core.disk.make_place(&write.path)?;
        let temp = self.temp(write, None, Some(&content));
        let put = self
            .write_temp(&place, &temp, &content, write.like(Like::New))
            .and_then(|()| self.step(Step::Exchange, write))
            .and_then(|()| place.put(&temp));
        if let Err(error) = put {
            place.remove(&temp).ok();
            if error.kind() != io::ErrorKind::AlreadyExists {
                self.core.disk.remove_empty(&made);
                return Err(VaultError::io_at("create", &write.path)(error));
            }
            return match place.content()? {
                Some(there) if there == content => Ok(Outcome::AlreadySo),
                Some(there) => Err(write.taken_by(&there)),
                None => Err(write.conflict("", "created outside")),
            };
        }
        let synced = self
            .step(Step::SyncFolder, write)
            .and_then(|()| place.sync_folder())
            .and_then(|()| self.core.disk.sync_made(&made));
        if let Err(error) = synced {
            // Durability is uncertain: undo the creation, unless the note was edited already.
            let temp = self.temp(write, Some(&content), None);
            write.stays = true;
            if place.take(&temp).is_ok() {
                match place.bytes_of(&temp) {
                    Ok(Some(bytes)) if bytes == content.as_bytes() => {
                        write.stays = place.remove(&temp).is_err();
                        self.core.disk.remove_empty(&made);
                    }
                    _ => {
                        place.put(&temp).ok();
                    }
                }
            }
            return Err(VaultError::io_at("create", &write.path)(error));
        }
        Ok(Outcome::Written)
    }

    fn delete(&mut self, write: &mut NoteWrite) -> Result<Outcome, VaultError> {
        let known = write.before.clone().unwrap_or_else(|| Content::from(""));
        let place = self.core.disk.place(&write.path)?;
        self.step(Step::Recheck, write).map_err(VaultError::io_at("read", &write.path))?;
        let there = match holds_text(&write.path) {
            true => self.open(&place)?.map(|note| note.text.into()),
            false => place.content()?,
        };
        match there {
            None => return Ok(Outcome::AlreadySo),
            Some(there) if there != known => {
                return Err(write.conflict(&there.shown(), "edited outside"));
            }
            Some(_) => {}
        }
        let temp = self.temp(write, Some(&known), None);
        let taken = self.step(Step::Exchange, write).and_then(|()| place.take(&temp));
        match taken {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Outcome::AlreadySo),
            Err(error) => return Err(VaultError::io_at("delete", &write.path)(error)),
        }
        let file = File::Temp(temp.clone());
        let error = match self.displaced_text(&place, &file, write, &known) {
            Ok(None) => {
                let synced = self.step(Step::SyncFolder, write).and_then(|()| place.sync_folder());
                match synced {
                    Ok(()) => {
                        self.recheck(&place, file, &known, None, write);
                        return Ok(Outcome::Written);
                    }
                    Err(error) => VaultError::io_at("delete", &write.path)(error),
                }
            }
            Ok(Some(newer)) => write.conflict(&newer, "edited outside"),
            Err(error) => VaultError::io_at("delete", &write.path)(error),
        };
        let back = self.step(Step::SwapBack, write).and_then(|()| place.put(&temp));
        match back {
            Ok(()) => {}
            // Another note took the name: the edited one becomes a copy at its last check.
            Err(back) if back.kind() == io::ErrorKind::AlreadyExists => {
                self.recheck(&place, file, &known, None, write);
            }
            Err(_) => write.stays = true,
        }
        Err(error)
    }

    fn rename(&mut self, write: &mut NoteWrite) -> Result<Outcome, VaultError> {
        let Some(from) = write.from.clone() else {
            return Err(write.conflict("", "deleted outside"));
        };
        let old = self.core.disk.place(&from)?;
        // If the note already has both names, only the old one must be removed, so do not refuse it.
        if !write.half_moved && self.open(&old)?.is_none() {
            return Err(write.conflict("", "deleted outside"));
        }
        let (new, made) = self.core.disk.make_place(&write.path)?;
        let temp = self.writer.next_temp(write.n);
        let moved = self
            .step(Step::Exchange, write)
            .and_then(|()| old.move_to(&new, &temp, &|step| self.step(step, write)));
        if let Err(error) = moved {
            self.core.disk.remove_empty(&made);
            return Err(match error.kind() {
                io::ErrorKind::AlreadyExists => VaultError::Exists { path: write.path.clone() },
                io::ErrorKind::NotFound => write.conflict("", "deleted outside"),
                _ => VaultError::io_at("move", &write.path)(error),
            });
        }
        let finished = self
            .step(Step::SyncFolder, write)
            .and_then(|()| new.sync_folder())
            .and_then(|()| self.core.disk.sync_made(&made))
            .and_then(|()| old.sync_folder())
            .map_err(VaultError::io_at("move", &write.path))
            .and_then(|()| self.replace(&new, write));
        if let Err(error) = finished {
            // Only the name is reverted: concurrent edits move along.
            let temp = self.writer.next_temp(write.n);
            let back = self.place_to_return_to(&old).map_err(io::Error::other);
            match back.and_then(|back| new.move_to(&back, &temp, &|_| Ok(()))) {
                Ok(()) => self.core.disk.remove_empty(&made),
                Err(_) => write.stays = true,
            }
            return Err(error);
        }
        write.came_from = Some(old);
        Ok(Outcome::Written)
    }

    /// Where to move a note back that was moved out of `old`: into the same folder under its present name.
    /// If that folder left the vault or became hidden (deleted in Obsidian, for example), the note goes to
    /// its old path instead.
    fn place_to_return_to(&self, old: &Place) -> Result<Place, VaultError> {
        let path = self.core.disk.path_now(old).unwrap_or_else(|| old.path().clone());
        self.core.disk.make_place(&path).map(|(place, _)| place)
    }

    pub(super) fn step(&self, step: Step, write: &NoteWrite) -> io::Result<()> {
        self.core.steps.before(step, write.path.as_str())
    }

    /// Writes a whole, durable file beside the note; on an error none is left. Also makes pending journal
    /// entries durable.
    pub(super) fn write_temp(
        &mut self,
        place: &Place,
        temp: &str,
        content: &(impl AsRef<[u8]> + ?Sized),
        like: Like<'_>,
    ) -> io::Result<()> {
        let steps = &self.core.steps;
        let step = |step| steps.before(step, place.path().as_str());
        step(Step::CreateTemp)?;
        let mut file = place.create_temp(temp, like)?;
        let written = step(Step::WriteTemp).and_then(|()| write_all(&mut file, content)).and_then(|()| {
            if self.announced == Announced::Lasts {
                step(Step::SyncTemp)?;
                return file.fsync();
            }
            steps.before(Step::SyncJournal, self.set.id())?;
            step(Step::SyncTemp)?;
            self.writer.sync_with(|| file.fsync())?;
            self.announced = Announced::Lasts;
            Ok(())
        });
        if written.is_err() {
            drop(file);
            place.remove(temp).ok();
        }
        written
    }

    /// A name for a temporary file that displaces `expected` from the note and puts `ours` in place.
    pub(super) fn temp<T: AsRef<[u8]> + ?Sized>(
        &mut self,
        write: &NoteWrite,
        expected: Option<&T>,
        ours: Option<&T>,
    ) -> String {
        let temp = self.writer.next_temp(write.n);
        let hash = |content: Option<&T>| content.map(|content| ContentHash::of(content.as_ref()));
        if write.announced != (Texts { expected: hash(expected), ours: hash(ours) }) {
            self.turn(write.n, &temp, expected, ours);
        }
        temp
    }

    /// Records in the journal new texts of a temporary file. If that fails, the next start treats an edit
    /// in the file as one of the text announced before.
    pub(super) fn turn<T: AsRef<[u8]> + ?Sized>(
        &mut self,
        n: u64,
        temp: &str,
        expected: Option<&T>,
        ours: Option<&T>,
    ) {
        let Some(name) = TempName::parse(self.set.id(), temp) else { return };
        let said = self.writer.images([expected, ours]).and_then(|[expected, ours]| {
            let texts = TempTexts { expected, ours };
            self.writer.append(&Line::Temp { n, temp: name.number, texts })
        });
        match said {
            Ok(()) => self.announced = Announced::WaitsForTemp,
            Err(error) => tracing::warn!(id = %self.set.id(), %error, "cannot announce a temporary file"),
        }
    }

    /// Schedules the last check of a displaced file. `expected` is the note's text when last compared;
    /// `found` the file's actual text if that was merged into the note.
    pub(super) fn recheck<T: AsRef<[u8]> + ?Sized>(
        &mut self,
        place: &Place,
        file: File,
        expected: &T,
        found: Option<&T>,
        write: &NoteWrite,
    ) {
        let is_deleted = write.kind() == NoteChangeKind::Deleted;
        match place.try_clone() {
            Ok(place) => self.displaced.push(Displaced::new(
                self.set,
                write.n,
                place,
                file,
                [expected, found.unwrap_or(expected)].map(AsRef::as_ref),
                is_deleted.then(|| write.folders.clone()),
                is_deleted && !self.taking_back && self.set.deletes_for_somebody(),
            )),
            // Stays where it is; the next start checks it.
            Err(error) => tracing::warn!(path = %write.path, %error, "cannot open a displaced file"),
        }
    }
}
