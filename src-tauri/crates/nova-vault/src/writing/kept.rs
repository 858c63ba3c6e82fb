//! Edits of other programs that cannot be merged into their note. Each becomes a visible file beside the
//! note, named as sync programs name theirs: the displaced file itself, so that a full disk has room for
//! it and whoever holds it open keeps writing there.
//!
//! Where that fails, the text goes to a file of its own under `<data>/conflicts`, as does what a write in
//! place left that was cut short. Such a file exists as a whole or not at all, and the journal names it
//! only once it lasts. Where that fails, too, the file that holds the text stays where it is, or open when
//! it has no name, and is tried again every minute and at the next start; until then it is among the
//! problems of the vault ([`Unsaved`](crate::writing::unsaved::Unsaved)).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::core::Core;
use crate::disk::{Place, sync_path, write_private};
use crate::note::{VaultPath, file_name_about};
use crate::step::Step;
use crate::writing::journal::{Line, Writer};

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

/// Writes a file whose name begins with `prefix` and continues with that of its note; gives its name.
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
