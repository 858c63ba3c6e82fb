//! Writes a note in place, because its file has hard links from which an exchange would separate it.
//!
//! Two guarantees are weaker than with an exchange. Another program that reads during the write may see a
//! mixture of both texts. And an edit that it makes between the last comparison and the write, two system
//! calls apart, is not detected.
//!
//! A kill leaves a mixture of both texts. The journal has both texts and the note's path, and the next
//! start completes the write: this yields a whole text even if it is killed in turn. It does so only if
//! every byte is from one of the two texts at its offset, and stores what it found, because a later edit
//! could be such a mixture. Anything else is certainly a later edit and stays; then the text to be written
//! is stored beside the journal and the note is reported as a problem.

use std::io;
use std::sync::Arc;

use super::note_write::NoteWrite;
use super::{SetJournal, Writing};
use crate::core::Core;
use crate::disk::{InPlace, NoteFile, Place};
use crate::error::VaultError;
use crate::note::ContentHash;
use crate::step::Step;
use crate::writing::journal::{Line, Overwrite, SetLog, lock_writing};

impl Writing<'_> {
    /// Opens the note for writing; one with hard links is refused unless `write_through` is set.
    pub(super) fn open(&self, place: &Place) -> Result<Option<NoteFile>, VaultError> {
        match place.open_to_replace()? {
            Some(note) if note.names > 1 && !self.core.write_through => {
                Err(VaultError::HardLink { path: place.path().clone(), links: note.names })
            }
            note => Ok(note),
        }
    }

    /// Writes `ours` in place over the expected text. `false` if another text or file was found under the
    /// note's name; then no file contains our text.
    pub(super) fn overwrite(
        &mut self,
        place: &Place,
        write: &NoteWrite,
        ours: &str,
    ) -> Result<bool, VaultError> {
        let failed = || VaultError::io_at("write", &write.path);
        let Some(note) = place.open_in_place()? else {
            return Ok(false);
        };
        self.announce(place, write.n, &write.in_place, ours).map_err(VaultError::io("write the journal"))?;
        let checked = self.step(Step::Recheck, write).and_then(|()| note.bytes());
        let is_expected = match checked {
            Ok(bytes) => bytes == write.in_place.as_bytes() && place.leads_to(&note),
            Err(error) => {
                self.is_whole(write.n);
                return Err(failed()(error));
            }
        };
        if !is_expected {
            self.is_whole(write.n);
            return Ok(false);
        }
        if let Err(error) = self.write_over(&note, write, ours) {
            self.write_back(place, &note, write, ours)?;
            return Err(failed()(error));
        }
        if !place.leads_to(&note) {
            // The name refers to another file now, and this file's other names are not ours to change.
            self.write_back(place, &note, write, ours)?;
            return Ok(false);
        }
        self.is_whole(write.n);
        Ok(true)
    }

    fn write_over(&self, note: &InPlace, write: &NoteWrite, text: &str) -> io::Result<()> {
        self.step(Step::Overwrite, write)?;
        note.write(text.as_bytes())?;
        self.step(Step::Truncate, write)?;
        note.cut(text.len())?;
        self.step(Step::SyncNote, write)?;
        note.sync()
    }

    /// Restores the old text of a file that may be a mixture.
    fn write_back(
        &mut self,
        place: &Place,
        note: &InPlace,
        write: &NoteWrite,
        ours: &str,
    ) -> Result<(), VaultError> {
        let before = &write.in_place;
        let torn = |source| VaultError::Torn { path: write.path.clone(), source };
        let there = note.bytes().map_err(torn)?;
        if there == before.as_bytes() || !is_mixture(&there, before.as_bytes(), ours.as_bytes()) {
            // Not begun, or edited concurrently: the text is whole.
            self.is_whole(write.n);
            return Ok(());
        }
        if let Err(error) = self.announce(place, write.n, ours, before) {
            // If this is interrupted as well, the next start completes the write.
            tracing::warn!(path = %write.path, %error, "cannot announce a rollback");
        }
        note.write(before.as_bytes())
            .and_then(|()| note.cut(before.len()))
            .and_then(|()| note.sync())
            .map_err(torn)?;
        self.is_whole(write.n);
        Ok(())
    }

    /// Records both texts of a write in place in the journal, and syncs it.
    fn announce(&mut self, place: &Place, n: u64, from: &str, to: &str) -> io::Result<()> {
        let overwrite = Overwrite {
            n,
            path: place.path().clone(),
            from: self.writer.image(from.as_bytes())?,
            to: self.writer.image(to.as_bytes())?,
        };
        self.writer.append(&Line::InPlace(overwrite))?;
        self.writer.sync()
    }

    /// If the line cannot be written, the next start finds one of the two texts or another program's edit,
    /// and leaves either alone.
    fn is_whole(&mut self, n: u64) {
        self.writer.append(&Line::Whole { n }).ok();
    }
}

/// At the start: completes an unfinished write in place. `false` if it must be retried.
pub(super) fn finish_overwrite(
    core: &Core,
    set: &Arc<SetJournal>,
    log: &SetLog,
    overwrite: &Overwrite,
) -> bool {
    let path = &overwrite.path;
    let finished = || -> io::Result<()> {
        // Gone, or now a link: nothing of ours has that name.
        let Some(place) = core.disk.place_again(path)? else { return Ok(()) };
        let note = match place.open_in_place() {
            Ok(Some(note)) => note,
            Err(VaultError::Io { source, .. }) => return Err(source),
            Ok(None) | Err(_) => return Ok(()),
        };
        let _alone = lock_writing(core.journal.folder())?;
        let there = note.bytes()?;
        if [&overwrite.from, &overwrite.to].iter().any(|image| image.hash == ContentHash::of(&there)) {
            return Ok(());
        }
        let from = core.journal.bytes(&log.id, &overwrite.from)?;
        let to = core.journal.bytes(&log.id, &overwrite.to)?;
        if !is_mixture(&there, &from, &to) {
            return set.keep_cut(core, overwrite.n, path, &to);
        }
        set.keep_cut(core, overwrite.n, path, &there)?;
        note.write(&to)?;
        note.cut(to.len())?;
        note.sync()
    };
    match finished() {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%path, %error, "cannot finish an interrupted write");
            false
        }
    }
}

/// Whether every byte is from one of two texts at its offset, and the length is between theirs. This holds
/// for any interruption of writing one over the other, even repeated, and for a power cut that loses some
/// blocks.
fn is_mixture(bytes: &[u8], one: &[u8], other: &[u8]) -> bool {
    let lengths = one.len().min(other.len())..=one.len().max(other.len());
    lengths.contains(&bytes.len())
        && bytes.iter().enumerate().all(|(at, byte)| one.get(at) == Some(byte) || other.get(at) == Some(byte))
}
