//! Moving a note to another place, also where the file system cannot do that in one step: then the note
//! has two names for a moment, and what another program saves under either of them stays.

use std::io;

use super::Place;
use super::place::link_new;
use super::platform::{self, Kind, Stamp};
use crate::step::Step;

impl Place {
    /// Gives the note the place `to`; `AlreadyExists` when another note has that. Where the file system
    /// cannot do that in one step, the note has both names for a moment, `temp` is a name that nothing
    /// else has, and `before` is called with each step from there on. An error leaves the note where it
    /// is; a kill may leave both names, and then this continues with the old one.
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
        // Held open: no other file is taken for it, whatever is saved under its names from here on.
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

    /// The end of a move: the file `known` has the name `to`, too.
    fn drop_old_name(
        &self,
        to: &Place,
        temp: &str,
        mut known: Stamp,
        before: &dyn Fn(Step) -> io::Result<()>,
    ) -> io::Result<()> {
        /// So often a note that is saved under its old name in just these moments is followed.
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
            // Saved under the old name at this moment: that is the note, and it is what moves.
            match to.unname(temp, &known, self, before) {
                Ok(None) => {
                    if !link_new(&self.folder, &self.name, &to.folder, &to.name)? {
                        return Err(io::ErrorKind::Unsupported.into());
                    }
                }
                // Saved before it was linked.
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

    /// Takes the note's name away while it leads to the file `known` and something has the name `other`,
    /// too. What another program put there meanwhile stays, and is given. An error leaves the name where
    /// it was.
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
                // Deleted, or one name in two spellings: this is the last one.
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

    /// Takes a name away again that a move gave to the file `known`, where it is `other` as well.
    fn give_up(&self, temp: &str, known: &Stamp, other: &Place) {
        // What lies under that name could not be put back, and is seen to at the next start.
        let is_free =
            platform::stat(&self.folder, temp).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let given_up = if is_free { self.unname(temp, known, other, &|_| Ok(())) } else { Ok(None) };
        if let Err(error) = given_up {
            tracing::warn!("{}: {error}", self.path);
        }
    }

    /// Whether both places are names of one file, which has no others: what a kill in the middle of a
    /// move leaves.
    pub(crate) fn is_one_file_with(&self, other: &Place) -> bool {
        // Elsewhere the system does not tell one file from another.
        let here = platform::stat(&self.folder, &self.name).ok();
        let there = platform::stat(&other.folder, &other.name).ok();
        here.zip(there).is_some_and(|(here, there)| {
            cfg!(unix)
                && here.kind == Kind::File
                && here.names == 2
                && here.stamp.is_of_same_file(&there.stamp)
        })
    }

    /// Whether the file `temp` is a second name of the note `other`, in this folder or in another one.
    pub(crate) fn is_name_of(&self, temp: &str, other: &Place) -> bool {
        let temp = platform::stat(&self.folder, temp).ok();
        let note = platform::stat(&other.folder, &other.name).ok();
        temp.zip(note).is_some_and(|(temp, note)| {
            cfg!(unix) && temp.kind == Kind::File && temp.stamp.is_of_same_file(&note.stamp)
        })
    }

    /// Whether the file `temp` has a second name.
    pub(crate) fn has_names(&self, temp: &str) -> bool {
        platform::stat(&self.folder, temp).is_ok_and(|stat| stat.names > 1)
    }
}
