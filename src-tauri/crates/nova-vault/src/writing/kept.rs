//! Outside edits that cannot be merged into their note. Each becomes a visible copy beside the note, named
//! like those of sync programs. The copy is the displaced file itself, which works on a full disk, and a
//! program that holds it open continues to write there.
//!
//! If that fails, the text is stored in a file under `<data>/conflicts`, and so is what an interrupted
//! write in place left. Such a file is written atomically, and the journal refers to it only once it is
//! durable. If that fails as well, the file with the text stays where it is, or is held open if it has no
//! name, and is retried every minute and at the next start; until then it is reported among the vault's
//! problems ([`Unsaved`](crate::writing::unsaved::Unsaved)).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::core::Core;
use crate::disk::{Place, sync_path, write_private};
use crate::note::{VaultPath, file_name_about};
use crate::step::Step;
use crate::writing::journal::{Line, Writer};

impl Core {
    /// Renames the file `temp`, an outside edit that could not be merged, to a visible name beside its
    /// note.
    pub(crate) fn name_copy(&self, place: &Place, temp: &str) -> io::Result<VaultPath> {
        self.steps.before(Step::Keep, place.path().as_str())?;
        let name = place.name_copy(temp, self.now().to_zoned(self.zone.clone()).date())?;
        let folder = self.disk.path_now(place).unwrap_or_else(|| place.path().clone());
        VaultPath::in_folder(folder.folder(), &name).map_err(io::Error::other)
    }

    /// Folder for these texts: `<data>/conflicts`.
    pub(crate) fn conflicts(&self) -> PathBuf {
        let history = self.journal.folder();
        history.parent().unwrap_or(history).join("conflicts")
    }

    /// Stores an outside version in a file of its own, and records it in the journal.
    pub(crate) fn keep(&self, writer: &mut Writer, n: u64, path: &VaultPath, bytes: &[u8]) -> io::Result<()> {
        self.keep_as(writer, n, path, bytes, false)
    }

    /// As [`Core::keep`]; `cut` if the bytes come from an interrupted write in place.
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
        // From here on, another file with this text is dispensable.
        self.unmerged.add(self.conflicts().join(&file));
        writer.append(&Line::SavedText { n, file, text, cut })?;
        writer.sync()
    }
}

/// Writes a file whose name begins with `prefix` and continues with its note's name; returns that name. A
/// file with these bytes, left by a process that was killed right then, is reused; one with other bytes is
/// kept, because a person may have edited it.
fn write_whole(folder: &Path, prefix: &str, note: &str, bytes: &[u8]) -> io::Result<String> {
    let temp = folder.join(format!(".{prefix}.tmp"));
    // Only this set's writer creates it, so an existing one is incomplete.
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
