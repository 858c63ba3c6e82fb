//! Moves a note, also where the file system has no rename without replacing: the note then has two names
//! for a moment, and what other programs save under either is preserved.

use std::io;

use super::Place;
use super::place::link_new;
use super::platform::{self, Kind, Stamp};
use crate::step::Step;

impl Place {
    /// Moves the note to `to`; `AlreadyExists` if another note is there. Where the file system cannot do so
    /// atomically, the note has both names for a moment, `temp` must be an unused name, and `before` is
    /// called with each step. On an error the note stays where it is. A kill may leave both names; calling
    /// this again then removes the old one.
    pub(crate) fn move_to(
        &self,
        to: &Place,
        temp: &str,
        before: &dyn Fn(Step) -> io::Result<()>,
    ) -> io::Result<()> {
        let is_there =
            |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists && self.is_one_file_with(to);
        let is_linked = match self.abilities.rename_no_replace(&self.folder, &self.name, &to.folder, &to.name)
        {
            Ok(true) => return Ok(()),
            Ok(false) => false,
            Err(error) if is_there(&error) => true,
            Err(error) => return Err(error),
        };
        // Held open so that the inode is not reused, whatever is saved under its names.
        let source = platform::open_file(&self.folder, &self.name)?;
        let known = platform::stat_file(&source)?.stamp;
        if !is_linked {
            match link_new(&self.folder, &self.name, &to.folder, &to.name) {
                Ok(true) => {}
                Ok(false) => return self.folder.rename(&self.name, &to.folder, &to.name),
                Err(error) if is_there(&error) => {}
                Err(error) => return Err(error),
            }
        }
        self.drop_old_name(to, temp, known, before)
    }

    /// End of a move: removes the old name of file `known`, which already has the name `to`.
    fn drop_old_name(
        &self,
        to: &Place,
        temp: &str,
        mut known: Stamp,
        before: &dyn Fn(Step) -> io::Result<()>,
    ) -> io::Result<()> {
        /// Maximum number of concurrent saves under the old name that are followed.
        const ATTEMPTS: usize = 8;
        let mut begun = before(Step::Unname);
        for _ in 0..ATTEMPTS {
            let begun = std::mem::replace(&mut begun, Ok(()));
            let found = match begun.and_then(|()| self.unname(temp, &known, to, before)) {
                Ok(None) => return Ok(()),
                Ok(Some(found)) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => {
                    to.give_up(temp, &known, self);
                    return Err(error);
                }
            };
            // Another program saved under the old name: that file is now the note to move.
            match to.unname(temp, &known, self, before) {
                Ok(None) => {
                    if !link_new(&self.folder, &self.name, &to.folder, &to.name)? {
                        return Err(io::ErrorKind::Unsupported.into());
                    }
                }
                // Saved before the link was made.
                Ok(Some(there)) if there.is_of_same_file(&found) => {}
                Ok(Some(_)) => return Err(io::ErrorKind::AlreadyExists.into()),
                Err(error) => {
                    to.give_up(temp, &known, self);
                    return Err(error);
                }
            }
            known = found;
        }
        to.give_up(temp, &known, self);
        Err(io::Error::other("other programs keep saving it"))
    }

    /// Removes the note's name while it refers to file `known` and the name `other` exists. A file that
    /// another program put there stays and is returned. On an error the name is restored.
    fn unname(
        &self,
        temp: &str,
        known: &Stamp,
        other: &Place,
        before: &dyn Fn(Step) -> io::Result<()>,
    ) -> io::Result<Option<Stamp>> {
        self.take(temp)?;
        let dropped = platform::stat(&self.folder, temp).and_then(|found| {
            if !found.stamp.is_of_same_file(known) {
                return Ok(Some(found.stamp));
            }
            before(Step::DropName)?;
            if platform::stat(&other.folder, &other.name).is_err() {
                // Deleted, or a case variant of the same name: this is the last name.
                return Err(io::Error::other("its other name is gone"));
            }
            self.folder.remove_file(temp).map(|()| None)
        });
        match dropped {
            Ok(None) => Ok(None),
            Ok(Some(found)) => self.put(temp).map(|()| Some(found)),
            Err(error) => {
                self.put(temp).ok();
                Err(error)
            }
        }
    }

    /// Removes the name that a move gave to file `known`, if `other` still refers to it.
    fn give_up(&self, temp: &str, known: &Stamp, other: &Place) {
        // A file under that name could not be restored; the next start handles it.
        let is_free =
            platform::stat(&self.folder, temp).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let given_up = if is_free { self.unname(temp, known, other, &|_| Ok(())) } else { Ok(None) };
        if let Err(error) = given_up {
            tracing::warn!(path = %self.path, %error, "cannot remove the temporary name of a move");
        }
    }

    /// Whether both places are the only two names of one file: the state after a kill during a move.
    pub(crate) fn is_one_file_with(&self, other: &Place) -> bool {
        // Other systems do not report file identity.
        let here = platform::stat(&self.folder, &self.name).ok();
        let there = platform::stat(&other.folder, &other.name).ok();
        here.zip(there).is_some_and(|(here, there)| {
            cfg!(unix)
                && here.kind == Kind::File
                && here.names == 2
                && here.stamp.is_of_same_file(&there.stamp)
        })
    }

    /// Whether `temp` is a hard link to the note `other`, in this folder or another.
    pub(crate) fn is_name_of(&self, temp: &str, other: &Place) -> bool {
        let temp = platform::stat(&self.folder, temp).ok();
        let note = platform::stat(&other.folder, &other.name).ok();
        temp.zip(note).is_some_and(|(temp, note)| {
            cfg!(unix) && temp.kind == Kind::File && temp.stamp.is_of_same_file(&note.stamp)
        })
    }

    /// Whether `temp` has another hard link.
    pub(crate) fn has_names(&self, temp: &str) -> bool {
        platform::stat(&self.folder, temp).is_ok_and(|stat| stat.names > 1)
    }
}
