//! Text extraction from PDF and office files.
//!
//! The libraries parse untrusted files, and deep nesting can crash the process. The program therefore runs
//! [`InProcess`] in a child process.

use std::io::{self, Read, Write};

/// Size limit of documents, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 32 * 1024 * 1024;
/// Nested objects are parsed recursively.
const STACK: usize = 64 * 1024 * 1024;

/// A document format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Pdf,
    /// DOCX, PPTX or XLSX.
    Office,
}

/// Extracts text from documents.
pub trait Documents: Send + Sync {
    /// Markdown for an office file, concatenated pages for a PDF.
    ///
    /// # Errors
    /// The reason, phrased as the end of a sentence.
    fn text_of(&self, format: Format, bytes: Vec<u8>) -> Result<String, String>;
}

/// Extracts on a separate thread of this process, which contains panics. A stack overflow or running out of
/// memory still aborts the process, and there is no time limit.
#[derive(Debug, Clone, Copy)]
pub struct InProcess;

impl Documents for InProcess {
    fn text_of(&self, format: Format, bytes: Vec<u8>) -> Result<String, String> {
        let thread = std::thread::Builder::new().name("document".to_owned()).stack_size(STACK);
        let read = move || match format {
            Format::Pdf => pdf(&bytes),
            Format::Office => office(&bytes),
        };
        let reading = thread.spawn(read).map_err(|error| error.to_string())?;
        reading.join().unwrap_or_else(|_| Err(DAMAGED.to_owned()))
    }
}

/// The reason reported if the parser panics or crashes.
pub const DAMAGED: &str = "the file is damaged, or its fonts are unusual";

/// Main function of the child process: reads one document from `input` and writes its text, or the reason of
/// failure, to `output`. Returns whether it wrote the text.
///
/// # Errors
/// When reading or writing fails.
pub fn read_document(format: &str, input: impl Read, mut output: impl Write) -> io::Result<bool> {
    let Some(format) = [Format::Pdf, Format::Office].into_iter().find(|known| known.word() == format) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "unknown format"));
    };
    let mut bytes = Vec::new();
    input.take(MAX_DOCUMENT_BYTES).read_to_end(&mut bytes)?;
    let text = InProcess.text_of(format, bytes);
    let is_text = text.is_ok();
    output.write_all(text.unwrap_or_else(|reason| reason).as_bytes())?;
    output.flush()?;
    Ok(is_text)
}

impl Format {
    pub(crate) fn of(head: &[u8], name: &str) -> Option<Self> {
        let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        if head.starts_with(b"%PDF-") {
            return Some(Self::Pdf);
        }
        let zipped = head.starts_with(b"PK\x03\x04");
        (zipped && ["docx", "pptx", "xlsx"].contains(&ending.as_str())).then_some(Self::Office)
    }

    /// As expected by [`read_document`].
    pub fn word(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Office => "office",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pdf => "PDF",
            Self::Office => "an office document",
        }
    }
}

fn pdf(bytes: &[u8]) -> Result<String, String> {
    let pages = pdf_extract::extract_text_from_mem_by_pages(bytes).map_err(|error| error.to_string())?;
    if pages.iter().all(|page| page.trim().is_empty()) {
        return Err("it has no text, only pictures of pages".to_owned());
    }
    let mut text = String::new();
    for (number, page) in (1..).zip(&pages) {
        text.push_str(&format!("[page {number} of {}]\n{}\n", pages.len(), page.trim()));
    }
    Ok(text)
}

fn office(bytes: &[u8]) -> Result<String, String> {
    let document = undoc::parse_bytes(bytes).map_err(|error| error.to_string())?;
    undoc::render::to_markdown(&document, &undoc::render::RenderOptions::default())
        .map_err(|error| error.to_string())
}
