//! Files that are no notes, beside them.

use serde::Serialize;

use super::Draft;
use crate::disk::{MAX_NOTE_BYTES, refuse_hidden};
use crate::error::VaultError;
use crate::note::{VaultPath, file_name};

/// The endings of the files that can be made: text that other programs read, and that none runs when it
/// is opened. SVG and XML are not among them: a browser runs the scripts in both.
pub const ATTACHMENTS: [&str; 10] =
    ["csv", "tsv", "txt", "json", "ics", "vcf", "bib", "tex", "gpx", "geojson"];

/// A file that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attached {
    /// Where it goes.
    pub path: VaultPath,
    /// What shows it in the note it is for, as the vault writes links: `![[plan.csv]]`.
    pub link: String,
}

impl Draft {
    /// Plans a new text file in `folder` for the note it is to be shown in, or for one in the vault's root.
    /// It never replaces a file: a name that is taken, in whatever case, gets a number as Obsidian
    /// gives it (`plan 1.csv`). `name` ends in one of [`ATTACHMENTS`]; what links and some system
    /// cannot hold in it is replaced.
    pub fn attach(
        &mut self,
        folder: &str,
        name: &str,
        text: String,
        note: Option<&VaultPath>,
    ) -> Result<Attached, VaultError> {
        let folder = &self.spelled(folder)?;
        let (stem, extension) = name.trim().rsplit_once('.').unwrap_or((name, ""));
        let stem = file_name(stem);
        let wanted = VaultPath::in_folder(folder, &format!("{stem}.{extension}"))?;
        refuse_hidden(&wanted)?;
        if !ATTACHMENTS.iter().any(|known| known.eq_ignore_ascii_case(extension)) {
            return Err(VaultError::NotANote { path: wanted });
        }
        let names = (0u32..).map(|n| match n {
            0 => format!("{stem}.{extension}"),
            n => format!("{stem} {n}.{extension}"),
        });
        let path = self.first_free(folder, names)?;
        // Not even that there is a file of that name is told.
        if let Some(hidden) = [&wanted, &path].into_iter().find(|path| self.view.privacy().lists(path)) {
            return Err(VaultError::Private { name: hidden.as_str().to_owned() });
        }
        let bytes = text.len() as u64;
        if bytes > MAX_NOTE_BYTES {
            return Err(VaultError::TooLarge { path, bytes });
        }
        let link = self.view.embed_of_new(&path, note)?;
        self.put(&path, text);
        Ok(Attached { path, link })
    }
}
