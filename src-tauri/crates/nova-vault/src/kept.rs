//! Edits of other programs that cannot be merged into their note. Each becomes a visible file beside the
//! note, named as sync programs name theirs: the displaced file itself, so that a full disk has room for
//! it and whoever holds it open goes on writing there.
//!
//! Where that fails, the text goes to a file of its own under `<data>/conflicts`, as does what a write in
//! place left that was cut short. Such a file exists as a whole or not at all, and the journal names it
//! only once it lasts. Where that fails, too, the file that holds the text stays where it is, or open when
//! it has no name, and is tried again every minute and at the next start; until then it is among the
//! problems of the vault ([`NotKept`]).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::core::Core;
use crate::disk::Place;
use crate::journal::{Line, Writer, sync_path, write_private};
use crate::note::{VaultPath, file_name_about};
use crate::step::Step;
use crate::vault::Problem;

/// Outside edits that are in no note and could be kept nowhere yet, by the set and the record that they
/// came in the way of.
#[derive(Debug, Default)]
pub(crate) struct NotKept(Mutex<BTreeMap<(String, u64), Waiting>>);

#[derive(Debug)]
struct Waiting {
    /// The file that holds the edit; `None` when this process holds it open and it has no name.
    at: Option<PathBuf>,
    problem: Problem,
}

impl NotKept {
    pub(crate) fn add(&self, path: &VaultPath, of: (&str, u64), at: Option<PathBuf>, error: &io::Error) {
        let remedy = match &at {
            Some(at) => format!(
                "Free some space on the disk, or give your user the right to write in Nova's folders: Nova \
                 tries again, at the latest when it starts next. Until then the edit lies in {}.",
                at.display()
            ),
            None => "Free some space on the disk before you close Nova, which tries again every minute: the \
                     edit is in no file any more, and only Nova has it."
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
        tracing::error!("{path}: {}. {}", problem.problem, problem.remedy);
        self.lock().insert((of.0.to_owned(), of.1), Waiting { at, problem });
    }

    /// That edit is in its note now, or kept.
    pub(crate) fn remove(&self, of: (&str, u64)) {
        self.lock().remove(&(of.0.to_owned(), of.1));
    }

    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut waiting = self.lock();
        // Another Nova may have kept it meanwhile.
        waiting.retain(|_, waiting| waiting.at.as_ref().is_none_or(|at| at.exists()));
        waiting.values().map(|waiting| waiting.problem.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(String, u64), Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Files that hold outside edits which this process could merge with nothing.
#[derive(Debug, Default)]
pub(crate) struct Unmerged(Mutex<Vec<PathBuf>>);

impl Unmerged {
    pub(crate) fn add(&self, file: PathBuf) {
        tracing::warn!("an edit made outside could not be merged: {}", file.display());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    }

    /// Those since the last call.
    pub(crate) fn take(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Core {
    /// Gives the file `temp` beside a note, which holds an outside edit that could not be merged, a
    /// visible name there.
    pub(crate) fn name_copy(&self, place: &Place, temp: &str) -> io::Result<VaultPath> {
        self.steps.before(Step::Keep, place.path().as_str())?;
        let name = place.name_copy(temp, self.now().to_zoned(self.zone.clone()).date())?;
        let folder = self.disk.path_now(place).unwrap_or_else(|| place.path().clone());
        VaultPath::in_folder(folder.folder(), &name).map_err(io::Error::other)
    }

    /// Where these texts are kept: `<data>/conflicts`.
    pub(crate) fn conflicts(&self) -> PathBuf {
        let history = self.journal.folder();
        history.parent().unwrap_or(history).join("conflicts")
    }

    /// Keeps an outside version as a file of its own, and in the journal, which names that file.
    pub(crate) fn keep(&self, writer: &mut Writer, n: u64, path: &VaultPath, bytes: &[u8]) -> io::Result<()> {
        self.keep_as(writer, n, path, bytes, false)
    }

    /// As [`Core::keep`]; `cut` when the bytes are of a write in place that was cut short.
    pub(crate) fn keep_as(
        &self,
        writer: &mut Writer,
        n: u64,
        path: &VaultPath,
        bytes: &[u8],
        cut: bool,
    ) -> io::Result<()> {
        let text = writer.image(bytes)?;
        let short = &text.hash.to_string()[..8];
        let prefix = format!("{}-{n}-{short}", writer.id());
        self.steps.before(Step::Keep, path.as_str())?;
        let file = write_whole(&self.conflicts(), &prefix, path.name(), bytes)?;
        // From here on a file that holds this text counts as one that nobody needs.
        self.unmerged.add(self.conflicts().join(&file));
        writer.append(&Line::Kept { n, file, text, cut })?;
        writer.sync()
    }
}

/// Writes a file whose name begins with `prefix` and goes on with that of its note; gives its name.
/// One that holds these bytes already, of a Nova that ended just then, is taken as it is; one that
/// holds others stays, because a person may have edited it.
fn write_whole(folder: &Path, prefix: &str, note: &str, bytes: &[u8]) -> io::Result<String> {
    let temp = folder.join(format!(".{prefix}.tmp"));
    // Only the writer of this set makes it: what is there was cut short.
    match fs::remove_file(&temp) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut count = 1;
    let name = loop {
        let number = if count == 1 { String::new() } else { format!("-{count}") };
        let name = file_name_about(&format!("{prefix}{number} "), note, ".md");
        match fs::read(folder.join(&name)) {
            Ok(there) if there == bytes => return Ok(name),
            Ok(_) => count += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => break name,
            Err(error) => return Err(error),
        }
    };
    write_private(&temp, bytes)?;
    if let Err(error) = fs::rename(&temp, folder.join(&name)) {
        fs::remove_file(&temp).ok();
        return Err(error);
    }
    sync_path(folder)?;
    Ok(name)
}
