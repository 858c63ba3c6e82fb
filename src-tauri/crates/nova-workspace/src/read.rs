//! Reads one file in a form a model can use.

use std::io::{BufReader, Cursor, Read as _, Seek as _, SeekFrom};

use crate::Stop;
use crate::document::{Documents, Format, MAX_DOCUMENT_BYTES};
use crate::error::FileError;
use crate::folder::FilePath;
use crate::kind::{described, picture};
use crate::page::{Page, Range};

/// Bytes inspected to detect the type of a file.
const HEAD: usize = 16 * 1024;
/// Size limit of files in encodings other than UTF-8, in bytes.
const MAX_DECODED_BYTES: u64 = 16 * 1024 * 1024;

/// A range of lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRead {
    pub page: Page,
    /// Size of the whole file, in bytes.
    pub size: u64,
    /// `UTF-8`, `UTF-16LE`, `windows-1252`; for a document its format, for an image its media type.
    pub read_as: &'static str,
    /// Set for an image, which has no lines.
    pub image: Option<FileImage>,
}

/// A PNG, JPEG, GIF or WebP image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileImage {
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
    pub bytes: Vec<u8>,
}

impl FilePath {
    /// Reads a range of lines: text in any encoding, or text extracted from PDF and office files. Images are
    /// read whole.
    ///
    /// # Errors
    /// [`FileError::NotText`] names the type and size of other files.
    pub fn read(
        &self,
        range: Range,
        documents: &dyn Documents,
        stop: Stop<'_>,
    ) -> Result<FileRead, FileError> {
        let shown = self.to_string();
        let fault = |error| FileError::of(&shown, error);
        let mut file = self.open()?.into_std();
        let size = file.metadata().map_err(fault)?.len();
        let mut head = Vec::with_capacity(HEAD);
        file.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(fault)?;
        file.seek(SeekFrom::Start(0)).map_err(fault)?;
        if Format::of(&head, &self.below).is_some() || encoding(&head) != Some(encoding_rs::UTF_8) {
            let most = MAX_DOCUMENT_BYTES.max(MAX_DECODED_BYTES);
            let mut bytes = Vec::new();
            if size <= most {
                file.take(most).read_to_end(&mut bytes).map_err(fault)?;
            } else {
                bytes = head;
            }
            return read_bytes(&shown, bytes, size, range, documents, stop);
        }
        let skipped = if head.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        file.seek(SeekFrom::Start(skipped)).map_err(fault)?;
        let page = Page::read(BufReader::with_capacity(HEAD * 4, file), range, stop).map_err(fault)?;
        Ok(FileRead { page: page.ok_or(FileError::Stopped)?, size, read_as: "UTF-8", image: None })
    }
}

/// Like [`FilePath::read`], for bytes in memory: the whole file of `size` bytes, or the start of a larger
/// one.
///
/// # Errors
/// See [`FilePath::read`].
pub fn read_bytes(
    path: &str,
    bytes: Vec<u8>,
    size: u64,
    range: Range,
    documents: &dyn Documents,
    stop: Stop<'_>,
) -> Result<FileRead, FileError> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let not_text = |kind: String| Err(FileError::NotText { path: path.to_owned(), kind, size });
    let whole = bytes.len() as u64 == size;
    let (text, read_as) = match (Format::of(head, path), encoding(head)) {
        (Some(format), _) if !whole => return not_text(format!("{} (too large to read)", format.name())),
        (Some(format), _) => {
            let text = documents.text_of(format, bytes).map_err(|reason| FileError::Document {
                path: path.to_owned(),
                kind: format.name(),
                reason,
            })?;
            (text.into_bytes(), format.name())
        }
        (None, None) => match picture(&bytes).filter(|_| whole) {
            Some((read_as, width, height)) => {
                let image = Some(FileImage { width, height, bytes });
                return Ok(FileRead { page: Page::default(), size, read_as, image });
            }
            None => return not_text(described(head)),
        },
        (None, Some(encoding)) if encoding == encoding_rs::UTF_8 => {
            let text = bytes.strip_prefix(b"\xEF\xBB\xBF").map(<[u8]>::to_vec);
            (text.unwrap_or(bytes), encoding.name())
        }
        (None, Some(encoding)) if !whole => {
            return not_text(format!("text in {} (too large to read)", encoding.name()));
        }
        (None, Some(encoding)) => (encoding.decode(&bytes).0.into_owned().into_bytes(), encoding.name()),
    };
    let page = Page::read(Cursor::new(text), range, stop).map_err(|error| FileError::of(path, error))?;
    Ok(FileRead { page: page.ok_or(FileError::Stopped)?, size, read_as, image: None })
}

/// Detects the encoding by the beginning of a text; `None` for binary data.
fn encoding(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(head) {
        return Some(encoding);
    }
    if memchr::memchr(0, head).is_some() || infer::get(head).is_some_and(|kind| !is_text(&kind)) {
        return None;
    }
    let (mut wide, mut broken) = (0_usize, 0_usize);
    for chunk in head.utf8_chunks() {
        wide += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    // The last character may be truncated.
    if broken <= 1 || wide >= broken { Some(encoding_rs::UTF_8) } else { Some(encoding_rs::WINDOWS_1252) }
}

fn is_text(kind: &infer::Type) -> bool {
    kind.matcher_type() == infer::MatcherType::Text || kind.mime_type().ends_with("xml")
}
