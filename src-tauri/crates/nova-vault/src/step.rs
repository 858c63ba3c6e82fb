//! The named steps of a write. A no-op in production; tests install a hook to edit the note between two
//! steps, to fail a step, or to end the process.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A step in writing one note; the hook runs *before* it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// Read the state to write against.
    ReadCurrent,
    /// Write intent and pre-images to the journal.
    Journal,
    /// Sync the journal.
    SyncJournal,
    /// Re-read an unexpected text after a moment.
    Settle,
    /// Create the temporary file.
    CreateTemp,
    /// Write the temporary file.
    WriteTemp,
    /// Sync the temporary file.
    SyncTemp,
    /// Compare the note once more with what was read.
    Recheck,
    /// Exchange, move away, or put the note in place.
    Exchange,
    /// Remove the old name of a moved note that has its new one already; only without atomic rename.
    Unname,
    /// Unlink the old name of a moved note, now a temporary one.
    DropName,
    /// Compare the displaced file.
    HashDisplaced,
    /// Revert the exchange.
    SwapBack,
    /// Sync the folder.
    SyncFolder,
    /// Record in the journal that the note is done.
    JournalDone,
    /// Record in the journal that the change set is committed.
    JournalCommit,
    /// Check the displaced file for the last time.
    LastLook,
    /// Store an outside version that could not be merged in a file of its own.
    Keep,
    /// Move a deleted note to its announced place in the system's trash.
    Trash,
    /// Overwrite the note in place.
    Overwrite,
    /// Truncate the note to its new length.
    Truncate,
    /// Sync the note written in place.
    SyncNote,
}

type Hook = dyn Fn(Step, &str) -> io::Result<()> + Send + Sync;

/// Called before each step with the note's path (or the change set's id).
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

    /// Gives another program a moment to finish writing the note. With a hook, the hook decides instead of
    /// a wait.
    pub(crate) fn settle(&self, what: &str, moment: Duration) {
        match &self.0 {
            // A failure of the hook says nothing about the note.
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
