//! Files that a write displaced. A program that opened the note before the exchange may still
//! write into the displaced file, so it is checked once more before it leaves the vault.

mod aside;

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::settled::settled;
use super::{Planned, SetJournal};
use crate::change::Author;
use crate::content::Content;
use crate::core::Core;
use crate::disk::{OpenedFile, Place};
use crate::note::{ContentHash, VaultPath};
use crate::step::Step;

pub(super) use aside::{check_displaced, put_aside};
pub(crate) use aside::{displaced_bytes, remove_displaced};
use aside::{keep_open, move_aside};

/// The principal of an edit that another program made.
pub(super) const OUTSIDE: &str = "outside";

/// How long a displaced file stays beside its note before the last check there.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long after that the files moved out of the vault are checked.
const LATER: Duration = Duration::from_secs(60);

/// The most files held open; the oldest are closed first.
const MOST_OPEN: usize = 256;

/// After this many edits a displaced file is not checked again.
const MOST_EDITS: u32 = 8;

/// A file that was a note until a write displaced it.
#[derive(Debug)]
pub(crate) struct Displaced {
    set: Arc<SetJournal>,
    n: u64,
    place: Place,
    file: File,
    /// Its last known text, which is in the note or in the journal.
    known: Content,
    /// What was expected in the note when the file was displaced.
    expected: Content,
    /// Set if the note was deleted, not replaced: the folders to remove when empty.
    deleted: Option<Vec<String>>,
    /// Whether it goes to the trash: someone deleted it, and Nova did not merely revert a write.
    to_trash: bool,
    /// How many edits were restored from it.
    edits: u32,
    quiet: Quiet,
    /// The copy of it beside the note: an edit that could be saved nowhere else.
    copy: Option<(String, ContentHash)>,
}

/// The state of a file that was unchanged at its last check and could not be moved away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quiet {
    /// Not checked yet, or written into since.
    NotYet,
    /// It holds an edit that could be neither merged nor saved; retried every minute.
    Unsaved,
    /// Unchanged; its two seconds are not over.
    Waits,
    /// Held open, because it can be saved nowhere.
    KeptOpen,
}

/// What to do with a quiet file that cannot be moved away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unmovable {
    LosesItsName,
    Waits,
}

/// A displaced file.
#[derive(Debug)]
pub(super) enum File {
    /// It lies beside the note under this name.
    Temp(String),
    /// It no longer has a name; this handle is the only way to it.
    Opened(OpenedFile),
}

impl File {
    /// What it holds now; `None` when it is gone.
    pub(super) fn bytes(&self, place: &Place) -> io::Result<Option<Vec<u8>>> {
        match self {
            File::Temp(temp) => place.bytes_of(temp),
            File::Opened(file) => file.bytes().map(Some),
        }
    }
}

impl Displaced {
    /// The `texts` are what was expected in the note, and what the file held. `deleted`: the folders that go
    /// with a deleted note.
    pub(super) fn new(
        set: &Arc<SetJournal>,
        n: u64,
        place: Place,
        file: File,
        [expected, known]: [&[u8]; 2],
        deleted: Option<Vec<String>>,
        to_trash: bool,
    ) -> Displaced {
        let of_known = Content::from(known);
        let expected = if expected == known { of_known.clone() } else { Content::from(expected) };
        Displaced {
            set: Arc::clone(set),
            n,
            place,
            file,
            known: of_known,
            expected,
            deleted,
            to_trash,
            edits: 0,
            quiet: Quiet::NotYet,
            copy: None,
        }
    }

    /// Moves the file out of the vault if it is unchanged; otherwise merges the edit into the note, or
    /// stores it beside the note or the journal. Returns the files displaced thereby, and itself if it must
    /// be checked again.
    pub(crate) fn last_check(self, core: &Core) -> Vec<Displaced> {
        self.check(core, Unmovable::LosesItsName)
    }

    fn check(self, core: &Core, unmovable: Unmovable) -> Vec<Displaced> {
        if let Err(error) = core.steps.before(Step::LastLook, self.place.path().as_str()) {
            tracing::warn!(path = %self.place.path(), %error, "skipping the last check of a displaced file");
            return Vec::new();
        }
        let bytes = match self.settled_bytes(core) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Vec::new(),
            Err(error) => {
                tracing::warn!(path = %self.place.path(), %error, "cannot read a displaced file");
                return match self.file {
                    // Stays where it is; the next start handles it.
                    File::Temp(_) => Vec::new(),
                    File::Opened(_) => vec![Displaced { quiet: Quiet::KeptOpen, ..self }],
                };
            }
        };
        if bytes == self.known.as_bytes() {
            return self.drop_file(core, unmovable).into_iter().collect();
        }
        if self.deleted.is_some()
            && let File::Temp(temp) = &self.file
            && self.place.put(temp).is_ok()
        {
            // A concurrent edit outweighs the deletion.
            core.unmerged.add(core.disk.root().join(self.place.path().as_str()));
            self.mark_saved(core);
            return Vec::new();
        }
        let base = self.deleted.is_none().then(|| self.known.clone());
        let copy = || self.copy_beside_note(core, &bytes);
        let late = Late { place: &self.place, base, bytes: &bytes, copy: &copy };
        let (brought, mut more) = bring_back(core, &self.set, self.n, &late);
        match brought {
            Ok(brought) => {
                let this = self.mark_saved(core);
                let is_gone = brought == Brought::Copied && matches!(this.file, File::Temp(_));
                if !is_gone {
                    more.extend(this.after_an_edit(core, bytes));
                }
            }
            Err(error) => more.push(self.mark_unsaved(core, &bytes, &error)),
        }
        more
    }

    /// Gives an edit that could not be merged a visible name beside the note: the file itself, or a copy if
    /// it is unlinked.
    fn copy_beside_note(&self, core: &Core, bytes: &[u8]) -> io::Result<VaultPath> {
        match &self.file {
            File::Temp(temp) => core.name_copy(&self.place, temp),
            File::Opened(opened) => {
                let temp = self.set.copy_beside(core, self.n, &self.place, opened, bytes)?;
                if self.deleted.is_some() && self.place.put(&temp).is_ok() {
                    return Ok(self.place.path().clone());
                }
                core.name_copy(&self.place, &temp).inspect_err(|_| drop(self.place.remove(&temp)))
            }
        }
    }

    /// The file to check again after an edit from it was restored, if any.
    fn after_an_edit(self, core: &Core, bytes: Vec<u8>) -> Option<Displaced> {
        // The program that wrote holds it open and may continue, but not forever. After a deletion there is
        // nothing to wait for: the file goes.
        let stays = self.deleted.is_none() && self.edits < MOST_EDITS;
        match self.file.bytes(&self.place) {
            // It may have been written again while the edit was being restored.
            Ok(Some(now)) if stays || now != bytes => {
                self.set.brought_back(self.n, &bytes);
                let known = String::from_utf8_lossy(&bytes).into_owned().into();
                Some(Displaced { known, edits: self.edits + 1, quiet: Quiet::NotYet, ..self })
            }
            _ => {
                if let File::Temp(temp) = &self.file {
                    let known = ContentHash::of(&bytes);
                    put_aside(core, &self.place, temp, self.set.id(), self.n, known);
                }
                None
            }
        }
    }

    /// Holds on to a file with an edit that has no other copy. An unlinked file is copied beside the note,
    /// whose disk may not be the full one; the next start finds it there. The user is told where it is.
    fn mark_unsaved(mut self, core: &Core, bytes: &[u8], error: &io::Error) -> Displaced {
        let name = match &self.file {
            File::Temp(temp) => Some(temp.clone()),
            File::Opened(opened) => {
                let hash = ContentHash::of(bytes);
                if self.copy.as_ref().is_none_or(|(_, copied)| *copied != hash) {
                    match self.set.copy_beside(core, self.n, &self.place, opened, bytes) {
                        Ok(name) => {
                            let older = self.copy.replace((name, hash));
                            self.remove(older);
                        }
                        Err(error) => {
                            tracing::error!(path = %self.place.path(), %error, "cannot copy an outside edit beside its note")
                        }
                    }
                }
                self.copy.as_ref().map(|(name, _)| name.clone())
            }
        };
        let at = name.map(|name| core.beside(&self.place, &name));
        core.unsaved.add(self.place.path(), (self.set.id(), self.n), at, error);
        Displaced { quiet: Quiet::Unsaved, ..self }
    }

    fn mark_saved(mut self, core: &Core) -> Displaced {
        let copy = self.copy.take();
        self.remove(copy);
        core.unsaved.remove((self.set.id(), self.n));
        self
    }

    fn remove(&self, copy: Option<(String, ContentHash)>) {
        if let Some((name, _)) = copy
            && let Err(error) = self.place.remove(&name)
        {
            tracing::warn!(path = %self.place.path(), %error, "cannot remove a copy");
        }
    }

    /// Its content is not in the note after all: it is an outside edit with no other copy.
    pub(super) fn not_merged(&mut self) {
        self.known = self.expected.clone();
    }

    /// Whether it is of the write `n` and held this text.
    pub(super) fn held(&self, n: u64, known: &(impl AsRef<[u8]> + ?Sized)) -> bool {
        self.n == n && self.known.as_bytes() == known.as_ref()
    }

    /// Whether nothing more is done at the end: it has no new content, or its edit could not be stored and
    /// waits beside the note for the next start.
    fn is_left_behind(&self) -> bool {
        if self.quiet == Quiet::Unsaved && matches!(self.file, File::Opened(_)) && self.copy.is_none() {
            tracing::error!(
                path = %self.place.path(),
                "lost an outside edit that was made during a write: no space to save it"
            );
        }
        matches!(self.quiet, Quiet::KeptOpen | Quiet::Unsaved)
    }

    /// The file's name beside the note, if write `n` displaced it with this text.
    pub(super) fn is_beside(&self, n: u64, known: &Content) -> Option<&str> {
        match &self.file {
            File::Temp(temp) if self.held(n, known) => Some(temp),
            _ => None,
        }
    }

    /// Moves the file to the trash or out of the vault. If it cannot be moved, it waits or is unlinked but
    /// held open, and is returned.
    fn drop_file(self, core: &Core, unmovable: Unmovable) -> Option<Displaced> {
        let known = ContentHash::of(self.known.as_bytes());
        let mut before_it_went = None;
        let moved = match &self.file {
            File::Temp(temp) => {
                before_it_went = self.place.open_temp(temp).ok();
                self.to_trash && core.to_trash(&self.place, temp, unmovable == Unmovable::LosesItsName)
                    || move_aside(core, &self.place, temp, self.set.id(), self.n, known)
            }
            File::Opened(_) => false,
        };
        if !moved && unmovable == Unmovable::Waits {
            return Some(Displaced { quiet: Quiet::Waits, ..self });
        }
        if let Some(opened) = before_it_went.take_if(|opened| self.to_trash && self.was_written_into(opened))
        {
            // Edited meanwhile: no later check would look in the trash.
            let file = match self.file {
                File::Temp(temp) if self.place.has_names(&temp) => File::Temp(temp),
                _ => File::Opened(opened),
            };
            return Some(Displaced { file, quiet: Quiet::NotYet, ..self });
        }
        if moved && let File::Temp(temp) = &self.file {
            // Last, so that the next start checks it again after a kill. Without hard links it has been
            // moved already.
            self.place.remove(temp).ok();
        }
        let opened = match self.file {
            File::Opened(opened) => Some(opened),
            // It was copied: whoever has the original open does not write to the copy.
            File::Temp(_) if moved => before_it_went.filter(OpenedFile::has_no_name),
            File::Temp(temp) => keep_open(&self.place, &temp),
        };
        if let Some(folders) = &self.deleted {
            core.disk.remove_empty(folders);
        }
        let file = File::Opened(opened?);
        Some(Displaced { file, quiet: Quiet::KeptOpen, ..self })
    }
}

impl Displaced {
    /// Its content once a concurrent writer has finished.
    fn settled_bytes(&self, core: &Core) -> io::Result<Option<Vec<u8>>> {
        let bytes = self.file.bytes(&self.place)?;
        if bytes.as_deref() == Some(self.known.as_bytes()) {
            return Ok(bytes);
        }
        settled(&core.steps, self.place.path().as_str(), bytes, || self.file.bytes(&self.place))
    }

    fn was_written_into(&self, opened: &OpenedFile) -> bool {
        opened.bytes().is_ok_and(|bytes| bytes != self.known.as_bytes())
    }
}

/// An outside edit that is in no note.
pub(super) struct Late<'a> {
    /// The note, in the folder where the file is or was.
    pub(super) place: &'a Place,
    /// The base of the edit; `None` if it cannot be merged.
    pub(super) base: Option<Content>,
    pub(super) bytes: &'a [u8],
    /// Stores it under a visible name beside the note.
    pub(super) copy: &'a dyn Fn() -> io::Result<VaultPath>,
}

/// Where an outside edit was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brought {
    /// Into the note.
    Merged,
    /// Beside the note.
    Copied,
    /// Under `<data>/conflicts`.
    Kept,
}

/// Merges a late outside edit into its note in a change set of its own; otherwise stores it beside the
/// note, otherwise under `<data>/conflicts`. After an error it is only where it was.
pub(super) fn bring_back(
    core: &Core,
    set: &Arc<SetJournal>,
    n: u64,
    late: &Late<'_>,
) -> (io::Result<Brought>, Vec<Displaced>) {
    let path = late.place.path();
    let mut more = Vec::new();
    // The folder may have been renamed, and another one may have its old path.
    let note = core.disk.path_now(late.place);
    if let (Some(base), Ok(text), Some(note)) = (&late.base, std::str::from_utf8(late.bytes), note) {
        let own = Arc::new(SetJournal::new(
            core.free_id(),
            set.kind,
            format!("{note}: an outside edit made during a write"),
        ));
        let plan = Planned {
            path: note,
            from: None,
            base: Some(base.clone()),
            after: Some(text.into()),
            file: None,
            folders: Vec::new(),
        };
        let (result, displaced) = own.apply(core, &[plan], &Author::new(OUTSIDE));
        more = displaced;
        match result.and_then(|_| own.commit(core)) {
            Ok(()) => return (Ok(Brought::Merged), more),
            Err(error) => tracing::info!(%error, "cannot merge an outside edit"),
        }
    }
    match (late.copy)() {
        Ok(copy) => {
            core.unmerged.add(core.disk.root().join(copy.as_str()));
            return (Ok(Brought::Copied), more);
        }
        Err(error) => tracing::warn!(%path, %error, "cannot copy an outside edit beside its note"),
    }
    let kept = set
        .keep(core, n, path, late.bytes)
        .inspect_err(|error| tracing::error!(%path, %error, "cannot save an outside edit"));
    (kept.map(|()| Brought::Kept), more)
}

/// Holds displaced files for two seconds, then checks them. Dropping it checks all of them and waits: at
/// once, except for files that can be stored nowhere, which get their full two seconds.
#[derive(Debug)]
pub(crate) struct LateChecker {
    sender: Option<mpsc::Sender<Displaced>>,
    thread: Option<JoinHandle<()>>,
}

impl LateChecker {
    pub(crate) fn start(core: Arc<Core>) -> LateChecker {
        let (sender, receiver) = mpsc::channel();
        LateChecker {
            sender: Some(sender),
            thread: Some(thread::spawn(move || wait_and_check(&core, &receiver))),
        }
    }

    pub(crate) fn hold(&self, displaced: Vec<Displaced>) {
        if let Some(sender) = &self.sender {
            for one in displaced {
                sender.send(one).ok();
            }
        }
    }
}

impl Drop for LateChecker {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn wait_and_check(core: &Core, receiver: &mpsc::Receiver<Displaced>) {
    let mut waiting: VecDeque<(Instant, Displaced)> = VecDeque::new();
    // Files that cannot be moved, or whose edit cannot be stored, in the order in which they are due.
    let mut kept_open: VecDeque<(Instant, Displaced)> = VecDeque::new();
    let mut later: Option<Instant> = None;
    loop {
        let fronts = [waiting.front(), kept_open.front()].into_iter().flatten();
        let due = fronts.map(|(due, _)| *due).chain(later).min();
        let received = match due {
            Some(due) => receiver.recv_timeout(due.saturating_duration_since(Instant::now())),
            None => receiver.recv().map_err(|mpsc::RecvError| mpsc::RecvTimeoutError::Disconnected),
        };
        let now = Instant::now();
        match received {
            Ok(displaced) => waiting.push_back((now + PATIENCE, displaced)),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let is_due = |(due, _): &mut (Instant, Displaced)| *due <= now;
                let displaced = waiting.pop_front_if(is_due).or_else(|| kept_open.pop_front_if(is_due));
                if let Some((_, displaced)) = displaced {
                    let (quiet, more): (Vec<_>, Vec<_>) = displaced
                        .last_check(core)
                        .into_iter()
                        .partition(|one| matches!(one.quiet, Quiet::KeptOpen | Quiet::Unsaved));
                    let now = Instant::now();
                    waiting.extend(more.into_iter().map(|displaced| (now + PATIENCE, displaced)));
                    kept_open.extend(quiet.into_iter().map(|displaced| (now + LATER, displaced)));
                    if kept_open.len() > MOST_OPEN
                        && let Some(at) = kept_open.iter().position(|(_, one)| one.quiet == Quiet::KeptOpen)
                    {
                        kept_open.remove(at);
                    }
                    later = Some(Instant::now() + LATER);
                }
                if later.is_some_and(|due| due <= now) {
                    check_displaced(core);
                    core.journal.ahead().settle();
                    later = None;
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    // Open files have had their two seconds.
    let now = Instant::now();
    let kept_open = kept_open.into_iter().map(|(_, displaced)| (now, displaced));
    check_before_exit(core, kept_open.chain(waiting).collect());
    check_displaced(core);
}

/// Checks at once all files that the next start can find again. Files that cannot be moved are lost after
/// their last check, so they keep their full delay: two seconds, and again after each restored edit.
fn check_before_exit(core: &Core, mut waiting: VecDeque<(Instant, Displaced)>) {
    let mut unmovable: VecDeque<(Instant, Displaced)> = VecDeque::new();
    let again = |more: Vec<Displaced>, due: Instant| {
        let fresh = Instant::now() + PATIENCE;
        let more = more.into_iter().filter(|one| !one.is_left_behind());
        more.map(move |one| (if one.quiet == Quiet::Waits { due } else { fresh }, one))
    };
    loop {
        while let Some((due, one)) = waiting.pop_front() {
            let (waits, more): (Vec<_>, Vec<_>) =
                again(one.check(core, Unmovable::Waits), due).partition(|(_, one)| one.quiet == Quiet::Waits);
            unmovable.extend(waits);
            waiting.extend(more);
        }
        let Some((due, one)) = unmovable.pop_front() else { return };
        core.steps.settle(one.place.path().as_str(), due.saturating_duration_since(Instant::now()));
        // No file is held open afterwards.
        waiting.extend(again(one.last_check(core), due));
    }
}

/// Checks all of them at once, and the files displaced thereby. No file is held open afterwards.
pub(super) fn check_all(core: &Core, displaced: Vec<Displaced>) {
    let mut displaced = VecDeque::from(displaced);
    while let Some(one) = displaced.pop_front() {
        displaced.extend(one.last_check(core).into_iter().filter(|more| !more.is_left_behind()));
    }
}
