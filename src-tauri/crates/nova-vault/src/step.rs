//! The named steps of a write. Production code passes through them untouched; tests
//! put a hook in to edit the note between two steps, fail a step, or end the process.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A moment in the writing of one note, each *before* the thing it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// The state to write against is about to be read.
    ReadCurrent,
    /// Intent and pre-images are about to be written into the journal.
    Journal,
    /// What the journal was told is about to be made to last.
    SyncJournal,
    /// A text that was not expected is about to be read again, a moment later.
    Settle,
    /// The temporary file is about to be created.
    CreateTemp,
    /// The temporary file's bytes are about to be written.
    WriteTemp,
    /// The temporary file is about to be synced.
    SyncTemp,
    /// The note is about to be compared once more with what was read.
    Recheck,
    /// The note is about to be exchanged, moved away, or put in place.
    Exchange,
    /// A moved note, which has its new name already, is about to lose its old one: only where the file
    /// system cannot do both in one step.
    Unname,
    /// The old name of a moved note, which lies under a temporary one, is about to go.
    DropName,
    /// The displaced file is about to be compared.
    HashDisplaced,
    /// The exchange is about to be reverted.
    SwapBack,
    /// The folder is about to be synced.
    SyncFolder,
    /// The journal is about to say that the note is done.
    JournalDone,
    /// The journal is about to say that the change set is committed.
    JournalCommit,
    /// The displaced file is about to be checked for the last time.
    LastLook,
    /// An outside version that could be merged with nothing is about to be given a file of its own.
    Keep,
    /// A deleted note that is announced in the system's trash is about to be moved there.
    Trash,
    /// The note's bytes are about to be written over in place.
    Overwrite,
    /// What is left of the longer text before is about to be cut off.
    Truncate,
    /// The note written in place is about to be synced.
    SyncNote,
}

type Hook = dyn Fn(Step, &str) -> io::Result<()> + Send + Sync;

/// Called before each step with the path of the note (or the change set's id).
#[derive(Clone, Default)]
pub(crate) struct Steps(Option<Arc<Hook>>);

impl Steps {
    #[cfg(test)]
    pub(crate) fn hooked(hook: impl Fn(Step, &str) -> io::Result<()> + Send + Sync + 'static) -> Steps {
        Steps(Some(Arc::new(hook)))
    }

    pub(crate) fn before(&self, step: Step, what: &str) -> io::Result<()> {
        match &self.0 {
            Some(hook) => hook(step, what),
            None => Ok(()),
        }
    }

    /// Gives another program a moment to finish what it is writing into the note. With a hook
    /// that moment is the hook's: nothing has to be waited for.
    pub(crate) fn settle(&self, what: &str, moment: Duration) {
        match &self.0 {
            // Whether it fails says nothing about the note.
            Some(hook) => drop(hook(Step::Settle, what)),
            None => thread::sleep(moment),
        }
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Steps")
    }
}
