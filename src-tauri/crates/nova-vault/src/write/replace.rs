//! Replacing one note's text: exchanged with a whole new file, and what the exchange displaced
//! compared with what was expected.

use std::io;

use super::note_write::{Found, NoteWrite, Outcome};
use super::one::settled;
use super::{Displaced, Writing};
use crate::disk::{Like, NoteFile, OpenedFile, Place};
use crate::error::VaultError;
use crate::journal::Line;
use crate::step::Step;

/// How often a note that keeps changing under the write is tried before it is left alone.
const ATTEMPTS: usize = 8;

impl Writing<'_> {
    pub(super) fn replace(&mut self, place: &Place, write: &mut NoteWrite) -> Result<Outcome, VaultError> {
        let result = self.rounds(place, write);
        if result.is_err() && write.ours_is_there {
            self.restore(place, write);
        }
        result
    }

    fn rounds(&mut self, place: &Place, write: &mut NoteWrite) -> Result<Outcome, VaultError> {
        for _ in 0..ATTEMPTS {
            let target = write.after.clone().unwrap_or_default();
            if target == write.in_place {
                if !write.ours_is_there {
                    return Ok(Outcome::AlreadySo);
                }
                self.step(Step::SyncFolder, write)
                    .and_then(|()| place.sync_folder())
                    .map_err(VaultError::io_at("write", &write.path))?;
                return Ok(Outcome::Written);
            }
            let Some(note) = self.open(place)? else {
                return Err(write.conflict("", "deleted outside"));
            };
            if note.text != write.in_place {
                self.take_in_found(place, write, note.text)?;
                continue;
            }
            if note.names > 1 {
                if self.overwrite(place, write, &target)? {
                    return Ok(Outcome::Written);
                }
                continue;
            }
            let temp = self.writer.next_temp();
            self.write_temp(place, &temp, &target, write.like(Like::Note(&note)))
                .map_err(VaultError::io_at("write", &write.path))?;
            let checked = self
                .step(Step::Recheck, write)
                .map_err(VaultError::io_at("read", &write.path))
                .and_then(|()| self.open(place));
            let note = match checked {
                Ok(Some(note)) if note.text == write.in_place && note.names == 1 => note,
                other => {
                    place.remove(&temp).ok();
                    match other? {
                        // It has got a further name.
                        Some(note) if note.text == write.in_place => {}
                        Some(note) => self.take_in_found(place, write, note.text)?,
                        None => return Err(write.conflict("", "deleted outside")),
                    }
                    continue;
                }
            };
            let exchanged = self.step(Step::Exchange, write).and_then(|()| Self::exchange(place, &temp));
            match exchanged {
                Ok(true) => {}
                Ok(false) => match self.rename_over(place, &temp, note, write)? {
                    None => {
                        let synced = self.step(Step::SyncFolder, write).and_then(|()| place.sync_folder());
                        if let Err(error) = synced {
                            write.in_place = target;
                            write.ours_is_there = true;
                            return Err(VaultError::io_at("write", &write.path)(error));
                        }
                        return Ok(Outcome::Written);
                    }
                    Some(late) => {
                        if let Err(error) = self.take_in(write, late.clone(), Found::Displaced) {
                            write.in_place = target;
                            write.displaced.push(late.clone());
                            write.before = Some(late);
                            write.ours_is_there = true;
                            return Err(error);
                        }
                        continue;
                    }
                },
                Err(error) => {
                    place.remove(&temp).ok();
                    return Err(match error.kind() {
                        io::ErrorKind::NotFound => write.conflict("", "deleted outside"),
                        _ => VaultError::io_at("write", &write.path)(error),
                    });
                }
            }
            let expected = write.in_place.clone();
            let ours_was_there = write.ours_is_there;
            let (before, displaced) = (write.before.clone(), write.displaced.clone());
            let ended = self.end_round(place, &temp, write, &expected);
            match ended {
                Ok(None) => {
                    self.look_again(place, temp, &expected, write);
                    return Ok(Outcome::Written);
                }
                Ok(Some(newer)) => self.look_again(place, temp, &newer, write),
                Err(error) => {
                    let (error, is_back) = self.swap_back(place, &temp, write, &target, error);
                    write.stays = !is_back;
                    // As it was before this round.
                    write.in_place = expected;
                    write.before = before;
                    write.displaced = displaced;
                    write.ours_is_there = ours_was_there;
                    return Err(error);
                }
            }
        }
        Err(write.conflict(&write.in_place, "it keeps changing"))
    }

    /// After the exchange: makes it last when it displaced what was `expected`; else takes the
    /// displaced text in and gives it.
    fn end_round(
        &mut self,
        place: &Place,
        temp: &str,
        write: &mut NoteWrite,
        expected: &str,
    ) -> Result<Option<String>, VaultError> {
        let newer = self
            .displaced_text(place, temp, write, expected)
            .map_err(VaultError::io_at("write", &write.path))?;
        if let Some(newer) = newer {
            self.take_in(write, newer.clone(), Found::Displaced)?;
            return Ok(Some(newer));
        }
        self.step(Step::SyncFolder, write)
            .and_then(|()| place.sync_folder())
            .map_err(VaultError::io_at("write", &write.path))?;
        Ok(None)
    }

    /// `false` when the file system does not know the exchange.
    fn exchange(place: &Place, temp: &str) -> io::Result<bool> {
        if matches!(place.abilities().exchange(), Some(Err(_))) {
            return Ok(false);
        }
        match place.exchange(temp) {
            Ok(()) => {
                place.abilities().exchanged();
                Ok(true)
            }
            Err(error) if unsupported(&error) => {
                place.abilities().refuse_exchange(&error);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// What the exchange or the taking away displaced, when it is not what was expected.
    pub(super) fn displaced_text(
        &self,
        place: &Place,
        temp: &str,
        write: &NoteWrite,
        expected: &str,
    ) -> io::Result<Option<String>> {
        self.step(Step::HashDisplaced, write)?;
        let read = || place.bytes_of(temp);
        let gone = || io::Error::new(io::ErrorKind::NotFound, "the displaced note is gone");
        let bytes = read()?.ok_or_else(gone)?;
        if bytes == expected.as_bytes() {
            return Ok(None);
        }
        let bytes = settled(&self.core.steps, write.path.as_str(), Some(bytes), read)?.ok_or_else(gone)?;
        if bytes == expected.as_bytes() {
            return Ok(None);
        }
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
    }

    /// Takes in what was found in the note in place of what was expected there.
    fn take_in_found(
        &mut self,
        place: &Place,
        write: &mut NoteWrite,
        found: String,
    ) -> Result<(), VaultError> {
        match settled(&self.core.steps, write.path.as_str(), Some(found), || place.text())? {
            Some(theirs) => self.take_in(write, theirs, Found::InPlace),
            None => Err(write.conflict("", "deleted outside")),
        }
    }

    /// Takes an outside text in and tells the journal the new texts before they are put in
    /// place.
    fn take_in(&mut self, write: &mut NoteWrite, theirs: String, found: Found) -> Result<(), VaultError> {
        for aside in write.take_in(theirs, found)? {
            self.core
                .keep(self.writer, write.n, &write.path, aside.as_bytes())
                .map_err(VaultError::io_at("keep an outside edit of", &write.path))?;
        }
        if self.taking_back {
            return Ok(());
        }
        let mut announce = || {
            let mut image = |text: &Option<String>| {
                text.as_ref().map(|text| self.writer.image(text.as_bytes())).transpose()
            };
            let line =
                Line::Amended { n: write.n, before: image(&write.before)?, after: image(&write.after)? };
            self.writer.append(&line)?;
            self.writer.sync()
        };
        announce().map_err(VaultError::io("write the journal"))
    }

    /// Puts the outside version back in the note's place after an exchange that was wrong,
    /// and gives `error` back, made right should the note have changed once more; with it whether ours is
    /// out of the note.
    fn swap_back(
        &mut self,
        place: &Place,
        temp: &str,
        write: &NoteWrite,
        ours: &str,
        error: VaultError,
    ) -> (VaultError, bool) {
        let swapped = self.step(Step::SwapBack, write).and_then(|()| place.exchange(temp));
        if let Err(failed) = swapped {
            // The displaced file stays where it is and is seen to at the next start.
            tracing::warn!("{}: could not be put back: {failed}", write.path);
            return (error, false);
        }
        match place.bytes_of(temp) {
            Ok(Some(bytes)) if bytes == ours.as_bytes() => {
                place.sync_folder().ok();
                self.look_again(place, temp.to_owned(), ours, write);
                (error, true)
            }
            Ok(Some(newest)) => {
                // Edited once more in that moment: the newest version belongs in the place.
                if place.exchange(temp).is_ok() {
                    self.keep_temp(place, temp, write);
                }
                (write.conflict(&String::from_utf8_lossy(&newest), "it keeps changing"), true)
            }
            _ => (error, true),
        }
    }

    /// Puts `temp` over the note where there is no exchange. Gives what was written into the
    /// replaced file between the last look and now, as far as can be seen. The file stays open: what
    /// is written into it from now on shows at its last look.
    fn rename_over(
        &mut self,
        place: &Place,
        temp: &str,
        replaced: NoteFile,
        write: &NoteWrite,
    ) -> Result<Option<String>, VaultError> {
        if let Err(error) = place.rename_over(temp) {
            place.remove(temp).ok();
            return Err(VaultError::io_at("write", &write.path)(error));
        }
        let replaced = replaced.into_opened();
        let read = || replaced.bytes().map(Some);
        let mut late = read().ok().flatten();
        if late.as_deref().is_some_and(|late| late != write.in_place.as_bytes()) {
            late = settled(&self.core.steps, write.path.as_str(), late, read).ok().flatten();
        }
        let late = late.and_then(|late| String::from_utf8(late).ok()).filter(|late| *late != write.in_place);
        self.hold_open(place, replaced, late.as_deref().unwrap_or(&write.in_place), write);
        Ok(late)
    }

    fn hold_open(&mut self, place: &Place, replaced: OpenedFile, known: &str, write: &NoteWrite) {
        if let Ok(place) = place.try_clone() {
            self.displaced.push(Displaced::opened(self.set, write.n, place, replaced, known));
        }
    }

    /// Takes ours out of the note again, and keeps the outside texts that it displaced when that
    /// does not bring them back.
    fn restore(&mut self, place: &Place, write: &mut NoteWrite) {
        let Some(outside) = &write.before else { return };
        let restored = self.put_outside(place, write, outside);
        write.stays = restored.is_err();
        if restored.is_ok() && write.before_is_whole {
            return;
        }
        for outside in &write.displaced {
            if let Err(failed) = self.core.keep(self.writer, write.n, &write.path, outside.as_bytes()) {
                tracing::error!("{}: {failed}", write.path);
                // The file that it came with is the only one that has it: its last look tries again.
                for displaced in self.displaced.iter_mut().filter(|one| one.held(write.n, outside)) {
                    displaced.holds_an_edit_of(write.base());
                }
            }
        }
    }

    /// Puts `outside` in place of ours. An error where the note is not ours any more.
    fn put_outside(&mut self, place: &Place, write: &NoteWrite, outside: &str) -> io::Result<()> {
        let ours = &write.in_place;
        let edited = || io::Error::other("it changed once more");
        let open = || match place.open_to_replace() {
            Ok(Some(note)) if note.text == *ours && note.names == 1 => Ok(note),
            _ => Err(edited()),
        };
        let temp = self.writer.next_temp();
        self.write_temp(place, &temp, outside, Like::Note(&open()?))?;
        if Self::exchange(place, &temp)? {
            return match place.bytes_of(&temp)? {
                Some(bytes) if bytes == ours.as_bytes() => place.remove(&temp),
                _ => {
                    place.exchange(&temp)?;
                    place.remove(&temp)?;
                    Err(edited())
                }
            };
        }
        let replaced = match open() {
            Ok(note) => note.into_opened(),
            Err(error) => {
                place.remove(&temp).ok();
                return Err(error);
            }
        };
        place.rename_over(&temp)?;
        // What was written into ours in that moment shows at its last look.
        self.hold_open(place, replaced, ours, write);
        place.sync_folder()
    }
}

fn unsupported(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        matches!(Errno::from_io_error(error), Some(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP))
            || error.kind() == io::ErrorKind::Unsupported
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::Unsupported
    }
}
