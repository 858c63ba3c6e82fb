//! Replaces a note's text by exchanging it with a new file, and compares the displaced text with the
//! expected one.

use std::io;

use super::late::File;
use super::note_write::{Found, NoteWrite, Outcome};
use super::settled::settled;
use super::{Announced, Displaced, Writing};
use crate::content::Content;
use crate::disk::{Like, NoteFile, Place};
use crate::error::VaultError;
use crate::note::ContentHash;
use crate::step::Step;
use crate::writing::journal::Line;

/// Maximum number of attempts for a note that keeps changing concurrently.
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
            let target = write.target();
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
            let expected = write.in_place.clone();
            let temp = self.temp(write, Some(&expected), Some(&target));
            self.write_temp(place, &temp, &target, write.like(Like::Note(&note)))
                .map_err(VaultError::io_at("write", &write.path))?;
            let checked = self
                .step(Step::Recheck, write)
                .map_err(VaultError::io_at("read", &write.path))
                .and_then(|()| self.open(place));
            let note = match checked {
                Ok(Some(note)) if note.text == expected && note.names == 1 => note,
                other => {
                    place.remove(&temp).ok();
                    match other? {
                        // It has got another hard link.
                        Some(note) if note.text == expected => {}
                        Some(note) => self.take_in_found(place, write, note.text)?,
                        None => return Err(write.conflict("", "deleted outside")),
                    }
                    continue;
                }
            };
            let displaced = self
                .step(Step::Exchange, write)
                .and_then(|()| self.displace(place, &temp, note, write, [Some(&expected), Some(&target)]));
            let file = match displaced {
                Ok(file) => file,
                Err(error) => {
                    place.remove(&temp).ok();
                    return Err(match error.kind() {
                        io::ErrorKind::NotFound => write.conflict("", "deleted outside"),
                        _ => VaultError::io_at("write", &write.path)(error),
                    });
                }
            };
            let ours_was_there = write.ours_is_there;
            let (before, displaced) = (write.before.clone(), write.displaced.clone());
            match self.end_round(place, &file, write, &expected) {
                Ok(None) => {
                    self.recheck(place, file, &expected, None, write);
                    return Ok(Outcome::Written);
                }
                Ok(Some(newer)) => self.recheck(place, file, &expected, Some(&newer), write),
                Err(error) => {
                    // Restore the state before this round.
                    write.before = before;
                    write.displaced = displaced;
                    write.ours_is_there = ours_was_there;
                    let (error, is_back) = match file {
                        File::Temp(temp) => self.swap_back(place, &temp, write, [&expected, &target], error),
                        File::Opened(_) => {
                            let is_back = self.write_back_displaced(place, file, write, &expected, &target);
                            (error, is_back)
                        }
                    };
                    write.stays = !is_back;
                    write.in_place = expected;
                    return Err(error);
                }
            }
        }
        Err(write.conflict(&write.in_place, "it keeps changing"))
    }

    /// After the exchange: syncs the folder if the displaced text is the `expected` one; otherwise merges
    /// the displaced text and returns it.
    fn end_round(
        &mut self,
        place: &Place,
        file: &File,
        write: &mut NoteWrite,
        expected: &str,
    ) -> Result<Option<String>, VaultError> {
        let newer = self
            .displaced_text(place, file, write, expected)
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

    /// Puts the file `temp` in the note's place and returns the displaced file. `texts` are the expected
    /// content of the displaced file and the content of `temp`.
    fn displace(
        &mut self,
        place: &Place,
        temp: &str,
        note: NoteFile,
        write: &NoteWrite,
        texts: [Option<&str>; 2],
    ) -> io::Result<File> {
        if !matches!(place.abilities().exchange(), Some(Err(_))) {
            match place.exchange(temp) {
                Ok(()) => {
                    place.abilities().exchanged();
                    return Ok(File::Temp(temp.to_owned()));
                }
                Err(error) if unsupported(&error) => place.abilities().refuse_exchange(&error),
                Err(error) => return Err(error),
            }
        }
        // Without exchange the note is hard-linked first, which also allows recovery after a kill.
        let pinned = self.temp(write, texts[0], texts[1]);
        let file = match place.link(&pinned)? {
            true => {
                drop(note);
                File::Temp(pinned.clone())
            }
            false => File::Opened(note.into_opened()),
        };
        let names = place.names_of(&pinned);
        // The note is closed here, because FUSE preserves a replaced file that is open under another name.
        place.rename_over(temp).inspect_err(|_| drop(place.remove(&pinned)))?;
        let kept_its_names = names.is_some_and(|names| names > 1) && place.names_of(&pinned) >= names;
        if kept_its_names && !place.hides_open_files() {
            self.take_away(place, write, texts[1])?;
            return place.remove(&pinned).and(Err(io::ErrorKind::NotFound.into()));
        }
        Ok(file)
    }

    /// Removes `ours` from the note's name, which lost its note to a concurrent rename just before.
    fn take_away(&mut self, place: &Place, write: &NoteWrite, ours: Option<&str>) -> io::Result<()> {
        let aside = self.temp(write, ours, None);
        place.take(&aside)?;
        if place.bytes_of(&aside)?.as_deref() != ours.map(str::as_bytes) {
            return place.put(&aside);
        }
        // Later writes to our text are detected at its last check.
        self.recheck(place, File::Temp(aside), ours.unwrap_or_default(), None, write);
        place.sync_folder()
    }

    /// The displaced text, if it is not the expected one.
    pub(super) fn displaced_text(
        &self,
        place: &Place,
        file: &File,
        write: &NoteWrite,
        expected: &(impl AsRef<[u8]> + ?Sized),
    ) -> io::Result<Option<String>> {
        let expected = expected.as_ref();
        self.step(Step::HashDisplaced, write)?;
        let read = || file.bytes(place);
        let gone = || io::Error::new(io::ErrorKind::NotFound, "the displaced note is gone");
        let bytes = read()?.ok_or_else(gone)?;
        if bytes == expected {
            return Ok(None);
        }
        let bytes = settled(&self.core.steps, write.path.as_str(), Some(bytes), read)?.ok_or_else(gone)?;
        if bytes == expected {
            return Ok(None);
        }
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
    }

    /// Merges the unexpected text found in the note.
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

    /// Merges an outside text and records the new texts in the journal, durably before they are put in
    /// place.
    fn take_in(&mut self, write: &mut NoteWrite, theirs: String, found: Found) -> Result<(), VaultError> {
        let took = (found == Found::Displaced).then(|| ContentHash::of(theirs.as_bytes()));
        for older in write.take_in(theirs, found)? {
            self.not_merged(write.n, &older);
        }
        if self.taking_back {
            return Ok(());
        }
        self.writer
            .images([write.before.as_ref(), write.after.as_ref()])
            .and_then(|[before, after]| {
                self.writer.append(&Line::Amended { n: write.n, before, after, took })
            })
            .map_err(VaultError::io("write the journal"))?;
        self.announced = Announced::WaitsForTemp;
        Ok(())
    }

    /// A displaced outside text is not in the note after all: its last check restores it.
    fn not_merged(&mut self, n: u64, text: &str) {
        self.displaced.iter_mut().filter(|one| one.held(n, text)).for_each(Displaced::not_merged);
    }

    /// Puts the outside version back after a failed exchange. Returns `error`, updated if the note changed
    /// again, and whether our text is out of the note.
    fn swap_back(
        &mut self,
        place: &Place,
        temp: &str,
        write: &NoteWrite,
        [expected, ours]: [&str; 2],
        error: VaultError,
    ) -> (VaultError, bool) {
        let swapped = self.step(Step::SwapBack, write).and_then(|()| {
            self.turn(write.n, temp, Some(ours), None);
            self.displace_again(place, temp, write, [Some(ours), None])
        });
        let taken_out = match swapped {
            Ok(temp) => temp,
            Err(failed) => {
                // The displaced file stays where it is, and the next start restores it.
                self.turn(write.n, temp, Some(expected), None);
                tracing::warn!(path = %write.path, error = %failed, "cannot restore a displaced file");
                return (error, false);
            }
        };
        match place.bytes_of(&taken_out) {
            Ok(Some(newest)) if newest != ours.as_bytes() => {
                // Edited again concurrently: the newest version belongs in the note, and the one just put
                // there is merged into it.
                self.turn(write.n, &taken_out, Some(expected), None);
                if let Ok(temp) = self.displace_again(place, &taken_out, write, [Some(expected), None]) {
                    self.recheck(place, File::Temp(temp), expected, None, write);
                }
                (write.conflict(&String::from_utf8_lossy(&newest), "it keeps changing"), true)
            }
            Ok(_) => {
                place.sync_folder().ok();
                self.recheck(place, File::Temp(taken_out), ours, None, write);
                (error, true)
            }
            Err(_) => (error, true),
        }
    }

    /// As [`Writing::displace`], for a named file; the displaced file has a name, too.
    fn displace_again(
        &mut self,
        place: &Place,
        temp: &str,
        write: &NoteWrite,
        texts: [Option<&str>; 2],
    ) -> io::Result<String> {
        let note = place.open_to_replace().map_err(io::Error::other)?.ok_or(io::ErrorKind::NotFound)?;
        match self.displace(place, temp, note, write, texts)? {
            File::Temp(temp) => Ok(temp),
            File::Opened(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// As [`Writing::swap_back`], for an unlinked displaced file. Returns whether our text is out of the
    /// note.
    fn write_back_displaced(
        &mut self,
        place: &Place,
        file: File,
        write: &NoteWrite,
        expected: &str,
        ours: &str,
    ) -> bool {
        let text = file.bytes(place).ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok());
        self.recheck(place, file, expected, text.as_deref(), write);
        let Some(text) = text else { return false };
        let is_back = self.put_outside(place, write, ours, &text).is_ok();
        if !is_back {
            self.not_merged(write.n, &text);
        }
        is_back
    }

    /// Removes our text from the note again. Displaced outside texts that are not put back by this are
    /// restored at their last check.
    fn restore(&mut self, place: &Place, write: &mut NoteWrite) {
        let Some(outside) = write.before.as_ref().and_then(Content::text) else { return };
        let restored = self.put_outside(place, write, &write.in_place, outside);
        write.stays = restored.is_err();
        if restored.is_ok() && write.before_is_whole {
            return;
        }
        for outside in &write.displaced {
            self.not_merged(write.n, outside);
        }
    }

    /// Replaces our text by `outside`. An error if the note has another text.
    fn put_outside(&mut self, place: &Place, write: &NoteWrite, ours: &str, outside: &str) -> io::Result<()> {
        let edited = || io::Error::other("it changed once more");
        let open = || match place.open_to_replace() {
            Ok(Some(note)) if note.text == *ours && note.names == 1 => Ok(note),
            _ => Err(edited()),
        };
        let texts = [Some(ours), Some(outside)];
        let temp = self.temp(write, texts[0], texts[1]);
        self.write_temp(place, &temp, outside, Like::Note(&open()?))?;
        let displaced = open().and_then(|note| self.displace(place, &temp, note, write, texts));
        let file = displaced.inspect_err(|_| drop(place.remove(&temp)))?;
        if let File::Temp(taken_out) = &file
            && place.bytes_of(taken_out)?.as_deref() != Some(ours.as_bytes())
        {
            let again = self.displace_again(place, taken_out, write, texts)?;
            place.remove(&again)?;
            return Err(edited());
        }
        // Later writes to our text are detected at its last check.
        self.recheck(place, file, ours, None, write);
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
