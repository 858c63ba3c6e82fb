//! PDF and office files as text.
//!
//! The libraries meet files of strangers: each runs on a thread of its own, whose panic ends nothing but the
//! reading, and which is not waited for longer than [`PATIENCE`].

use std::sync::mpsc;
use std::time::Duration;

/// The largest document that is read, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 32 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(20);
/// Nested objects are read by recursion.
const STACK: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Pdf,
    Office,
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

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pdf => "PDF",
            Self::Office => "an office document",
        }
    }
}

/// The text of a document: Markdown of an office file, the pages of a PDF one after the other.
pub(crate) fn text_of(format: Format, bytes: Vec<u8>) -> Result<String, String> {
    apart(move || match format {
        Format::Pdf => pdf(&bytes),
        Format::Office => office(&bytes),
    })
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

fn apart(work: impl FnOnce() -> Result<String, String> + Send + 'static) -> Result<String, String> {
    let (done, result) = mpsc::channel();
    let thread = std::thread::Builder::new().name("document".to_owned()).stack_size(STACK);
    let run = move || {
        let text = work();
        let _ = done.send(text);
    };
    thread.spawn(run).map_err(|error| error.to_string())?;
    match result.recv_timeout(PATIENCE) {
        Ok(text) => text,
        Err(mpsc::RecvTimeoutError::Timeout) => Err("it took too long".to_owned()),
        // It panicked.
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            Err("the file is damaged, or its fonts are unusual".to_owned())
        }
    }
}
