//! Files other than notes.

use serde::Serialize;

use super::Draft;
use crate::content::{Content, MAX_FILE_BYTES};
use crate::disk::{Attributes, MAX_NOTE_BYTES, refuse_hidden};
use crate::error::VaultError;
use crate::note::{VaultPath, file_name};

/// Extensions allowed for new text files: text formats that no program executes on opening. SVG and XML are
/// excluded, because browsers run scripts in them.
pub const ATTACHMENTS: [&str; 10] =
    ["csv", "tsv", "txt", "json", "ics", "vcf", "bib", "tex", "gpx", "geojson"];

/// Further extensions allowed for binary files from elsewhere, such as mail attachments. No system executes
/// them on opening, and office programs ask before running macros.
pub const BINARY_ATTACHMENTS: [&str; 41] = [
    "pdf", "docx", "xlsx", "pptx", "doc", "xls", "ppt", "odt", "ods", "odp", "rtf", "epub", "pages",
    "numbers", "key", "png", "jpg", "jpeg", "gif", "webp", "heic", "avif", "tif", "tiff", "bmp", "mp3",
    "m4a", "wav", "ogg", "opus", "flac", "mp4", "m4v", "mov", "webm", "mkv", "zip", "gz", "ofx", "qif",
    "eml",
];

/// The file name for an attachment, in which characters that links or some systems refuse are replaced; `None`
/// if its extension is neither in [`ATTACHMENTS`] nor in [`BINARY_ATTACHMENTS`].
pub fn attachment_name(name: &str) -> Option<String> {
    let (stem, extension) = name.trim().rsplit_once('.')?;
    let mut known = ATTACHMENTS.iter().chain(&BINARY_ATTACHMENTS);
    let is_known = known.any(|known| known.eq_ignore_ascii_case(extension));
    is_known.then(|| format!("{}.{extension}", file_name(stem)))
}

/// A file to be created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attached {
    /// The target path.
    pub path: VaultPath,
    /// The embed for a note, in the vault's link format: `![[plan.csv]]`.
    pub link: String,
}

/// The planned creation or deletion of a file that is no note; such files are never changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileItem {
    pub(super) before: Option<Content>,
    pub(super) after: Option<Content>,
    /// For a restored file: the attributes it had when it was deleted.
    pub(super) file: Option<Attributes>,
    /// Folders to remove with the file if they are empty.
    pub(super) folders: Vec<String>,
}

impl Draft {
    /// Plans a new text file in `folder`, with the embed for the given note or for one in the vault's root.
    /// Never replaces a file: if the name is taken, in any case, it is numbered as Obsidian does
    /// (`plan 1.csv`). `name` must have one of the extensions in [`ATTACHMENTS`]; characters that links or
    /// some systems refuse are replaced.
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

    /// As [`Draft::attach`] for binary content of at most [`MAX_FILE_BYTES`]. `name` may also have an
    /// extension in [`BINARY_ATTACHMENTS`]. The file cannot be read through the draft.
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

    /// Plans the deletion of a file that is no note and has this content, and of folders that become empty.
    pub(crate) fn delete_file(&mut self, path: &VaultPath, now: Content, folders: &[String]) {
        let was_planned = self.files.shift_remove(path).is_some_and(|item| item.before.is_none());
        if !was_planned {
            let item = FileItem { before: Some(now), after: None, file: None, folders: folders.to_vec() };
            self.files.insert(path.clone(), item);
        }
    }

    /// The planned content of a file that is no note, `None` if there is none.
    pub(crate) fn file(&self, path: &VaultPath) -> Result<Option<Content>, VaultError> {
        match self.files.get(path) {
            Some(item) => Ok(item.after.clone()),
            None => self.vault().core().disk.content(path),
        }
    }

    /// Plans to restore a file that is no note, with its former attributes.
    pub(crate) fn restore_file(&mut self, path: &VaultPath, content: Content, file: Option<&Attributes>) {
        let item = FileItem { after: Some(content), file: file.cloned(), ..FileItem::default() };
        self.files.insert(path.clone(), item);
    }

    /// The planned files that are no notes, without those planned before a fork.
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
        // Do not reveal that a file of that name exists.
        if let Some(hidden) = [&wanted, &path].into_iter().find(|path| self.view.privacy().lists(path)) {
            return Err(VaultError::Private { name: hidden.as_str().to_owned() });
        }
        let link = self.view.embed_of_new(&path, note)?;
        Ok(Attached { path, link })
    }
}
