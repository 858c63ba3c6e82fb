//! Outside edits that this process could neither merge nor save.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::note::VaultPath;
use crate::problem::Problem;

/// Outside edits that are in no note and not saved elsewhere yet, by the change set and record they
/// conflicted with.
#[derive(Debug, Default)]
pub(crate) struct Unsaved(Mutex<BTreeMap<(String, u64), Waiting>>);

#[derive(Debug)]
struct Waiting {
    /// The file with the edit; `None` for an unlinked file held open by this process.
    at: Option<PathBuf>,
    problem: Problem,
}

impl Unsaved {
    pub(crate) fn add(&self, path: &VaultPath, of: (&str, u64), at: Option<PathBuf>, error: &io::Error) {
        let remedy = match &at {
            Some(at) => format!(
                "Free some space on the disk, or give your user the right to write in Nova's folders: Nova \
                 retries, at the latest at its next start. Until then the edit lies in {}.",
                at.display()
            ),
            None => "Free some space on the disk before you close Nova, which tries again every minute: the \
                     edit is in no file, and only Nova has it."
                .to_owned(),
        };
        let problem = Problem {
            path: path.as_str().to_owned(),
            line: 1,
            problem: format!(
                "an edit made by another program during a write could neither be merged nor saved ({error})"
            ),
            remedy,
        };
        tracing::error!(%path, remedy = %problem.remedy, "{}", problem.problem);
        self.lock().insert((of.0.to_owned(), of.1), Waiting { at, problem });
    }

    /// The edit was merged or saved.
    pub(crate) fn remove(&self, of: (&str, u64)) {
        self.lock().remove(&(of.0.to_owned(), of.1));
    }

    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut waiting = self.lock();
        // Another process may have saved it.
        waiting.retain(|_, waiting| waiting.at.as_ref().is_none_or(|at| at.exists()));
        waiting.values().map(|waiting| waiting.problem.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(String, u64), Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Files with outside edits that this process could not merge.
#[derive(Debug, Default)]
pub(crate) struct Unmerged(Mutex<Vec<PathBuf>>);

impl Unmerged {
    pub(crate) fn add(&self, file: PathBuf) {
        tracing::warn!(copy = %file.display(), "cannot merge an outside edit; kept it as a copy");
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    }

    /// Takes the files since the last call.
    pub(crate) fn take(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
