//! Files that are no notes, beside them.

use serde::Serialize;

use super::Draft;
use crate::content::{Content, MAX_FILE_BYTES};
use crate::disk::{Attributes, MAX_NOTE_BYTES, refuse_hidden};
use crate::error::VaultError;
use crate::note::{VaultPath, file_name};

/// The endings of the files that can be made of text: text that other programs read, and that none runs when
/// it is opened. SVG and XML are not among them: a browser runs the scripts in both.
pub const ATTACHMENTS: [&str; 10] =
    ["csv", "tsv", "txt", "json", "ics", "vcf", "bib", "tex", "gpx", "geojson"];

/// The further endings of the files that can be made of bytes from elsewhere, such as the attachment of a
/// mail. No system runs such a file when it is opened, and an office program asks before it runs a macro.
pub const BINARY_ATTACHMENTS: [&str; 41] = [
    "pdf", "docx", "xlsx", "pptx", "doc", "xls", "ppt", "odt", "ods", "odp", "rtf", "epub", "pages",
    "numbers", "key", "png", "jpg", "jpeg", "gif", "webp", "heic", "avif", "tif", "tiff", "bmp", "mp3",
    "m4a", "wav", "ogg", "opus", "flac", "mp4", "m4v", "mov", "webm", "mkv", "zip", "gz", "ofx", "qif",
    "eml",
];

/// A file that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attached {
    /// Where it goes.
    pub path: VaultPath,
    /// What shows it in the note it is for, as the vault writes links: `![[plan.csv]]`.
    pub link: String,
}

/// What is to become of a file that is no note: it is made or goes, and never changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileItem {
    pub(super) before: Option<Content>,
    pub(super) after: Option<Content>,
    /// What it had when it was deleted, of one that is restored.
    pub(super) file: Option<Attributes>,
    /// Folders to remove with it when they are empty.
    pub(super) folders: Vec<String>,
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
        let attached = self.new_file(folder, name, &[&ATTACHMENTS], note)?;
        let bytes = text.len() as u64;
        if bytes > MAX_NOTE_BYTES {
            return Err(VaultError::TooLarge { path: attached.path, bytes });
        }
        self.put(&attached.path, text);
        Ok(attached)
    }

    /// As [`Draft::attach`] for bytes of any kind, at most [`MAX_FILE_BYTES`] of them. `name` may also end in one
    /// of [`BINARY_ATTACHMENTS`]. It cannot be read through the draft.
    pub fn attach_file(&mut self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<Attached, VaultError> {
        let attached = self.new_file(folder, name, &[&ATTACHMENTS, &BINARY_ATTACHMENTS], None)?;
        let size = bytes.len() as u64;
        if size > MAX_FILE_BYTES {
            return Err(VaultError::TooLarge { path: attached.path, bytes: size });
        }
        let item = FileItem { after: Some(bytes.into()), ..FileItem::default() };
        self.files.insert(attached.path.clone(), item);
        Ok(attached)
    }

    /// Plans the removal of a file that is no note and holds this, with folders to remove when they are empty
    /// then.
    pub(crate) fn delete_file(&mut self, path: &VaultPath, now: Content, folders: &[String]) {
        let was_planned = self.files.shift_remove(path).is_some_and(|item| item.before.is_none());
        if !was_planned {
            let item = FileItem { before: Some(now), after: None, file: None, folders: folders.to_vec() };
            self.files.insert(path.clone(), item);
        }
    }

    /// What a file that is no note holds as planned, `None` when there is none.
    pub(crate) fn file(&self, path: &VaultPath) -> Result<Option<Content>, VaultError> {
        match self.files.get(path) {
            Some(item) => Ok(item.after.clone()),
            None => self.vault().core().disk.content(path),
        }
    }

    /// Plans a file that is no note as it was, and what its file had.
    pub(crate) fn restore_file(&mut self, path: &VaultPath, content: Content, file: Option<&Attributes>) {
        let item = FileItem { after: Some(content), file: file.cloned(), ..FileItem::default() };
        self.files.insert(path.clone(), item);
    }

    /// The files that are no notes, without those that were planned before a fork.
    pub(super) fn changing_files(&self) -> impl Iterator<Item = (&VaultPath, &FileItem)> {
        let before = self.before.as_deref();
        self.files
            .iter()
            .filter(move |(path, item)| before.is_none_or(|before| before.files.get(*path) != Some(*item)))
    }

    fn new_file(
        &self,
        folder: &str,
        name: &str,
        endings: &[&[&str]],
        note: Option<&VaultPath>,
    ) -> Result<Attached, VaultError> {
        let folder = &self.spelled(folder)?;
        let (stem, extension) = name.trim().rsplit_once('.').unwrap_or((name, ""));
        let stem = file_name(stem);
        let wanted = VaultPath::in_folder(folder, &format!("{stem}.{extension}"))?;
        refuse_hidden(&wanted)?;
        if !endings.iter().any(|endings| endings.iter().any(|known| known.eq_ignore_ascii_case(extension))) {
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
        let link = self.view.embed_of_new(&path, note)?;
        Ok(Attached { path, link })
    }
}
