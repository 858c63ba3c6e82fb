//! A range of lines of a text, reading no more than necessary.

use std::borrow::Cow;
use std::io::{self, BufRead};

use crate::Stop;

/// A range of lines.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// The first line, from 1.
    pub offset: u64,
    /// Maximum number of lines.
    pub limit: usize,
}

/// Lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Line number and text.
    pub lines: Vec<(u64, String)>,
    /// The first line after the page, if any.
    pub next: Option<u64>,
    /// Number of invalid bytes, shown as `�`.
    pub replaced: u64,
}

/// Size limit of a page, in bytes.
const MOST_BYTES: usize = 64 * 1024;
/// Bytes shown of a line.
const LONGEST_LINE: usize = 2000;
/// Maximum number of lines of a page.
const MOST_LINES: usize = 2000;

impl Page {
    /// `None` when stopped.
    pub(crate) fn read(mut text: impl BufRead, range: Range, stop: Stop<'_>) -> io::Result<Option<Self>> {
        let mut page = Self::default();
        let first = range.offset.max(1);
        let mut number = 1;
        while number < first {
            if stop() {
                return Ok(None);
            }
            let Some(ended) = skip_line(&mut text)? else { return Ok(Some(page)) };
            number += u64::from(ended);
        }
        let mut bytes = 0;
        loop {
            if stop() {
                return Ok(None);
            }
            let Some((line, hidden)) = take_line(&mut text)? else { return Ok(Some(page)) };
            if page.lines.len() == range.limit.clamp(1, MOST_LINES) || bytes > MOST_BYTES {
                page.next = Some(number);
                return Ok(Some(page));
            }
            let shown = String::from_utf8_lossy(&line);
            if let Cow::Owned(owned) = &shown {
                page.replaced += owned.matches(char::REPLACEMENT_CHARACTER).count() as u64;
            }
            bytes += shown.len();
            let mut shown = shown.into_owned();
            if hidden > 0 {
                shown.push_str(&format!(" … ({hidden} more bytes in this line)"));
            }
            page.lines.push((number, shown));
            number += 1;
        }
    }
}

/// Skips a buffer or the rest of a line; returns whether the line ended. `None` at the end of the text.
fn skip_line(text: &mut impl BufRead) -> io::Result<Option<bool>> {
    let buffer = text.fill_buf()?;
    if buffer.is_empty() {
        return Ok(None);
    }
    let end = memchr::memchr(b'\n', buffer);
    let used = end.map_or(buffer.len(), |at| at + 1);
    text.consume(used);
    Ok(Some(end.is_some()))
}

/// Reads the next line without its ending, truncated; also returns the number of bytes cut off.
fn take_line(text: &mut impl BufRead) -> io::Result<Option<(Vec<u8>, u64)>> {
    let mut line = Vec::new();
    let mut hidden = 0;
    let mut any = false;
    loop {
        let buffer = text.fill_buf()?;
        if buffer.is_empty() {
            return Ok(any.then_some((line, hidden)));
        }
        any = true;
        let end = memchr::memchr(b'\n', buffer);
        let part = &buffer[..end.unwrap_or(buffer.len())];
        let room = LONGEST_LINE.saturating_sub(line.len()).min(part.len());
        line.extend_from_slice(&part[..room]);
        hidden += (part.len() - room) as u64;
        let used = end.map_or(buffer.len(), |at| at + 1);
        text.consume(used);
        if end.is_some() {
            if hidden == 0 && line.last() == Some(&b'\r') {
                line.pop();
            }
            return Ok(Some((whole_characters(line, &mut hidden), hidden)));
        }
    }
}

/// Moves the cut of a truncated line to a character boundary.
fn whole_characters(mut line: Vec<u8>, hidden: &mut u64) -> Vec<u8> {
    if *hidden > 0
        && let Err(error) = std::str::from_utf8(&line)
        && error.error_len().is_none()
    {
        *hidden += (line.len() - error.valid_up_to()) as u64;
        line.truncate(error.valid_up_to());
    }
    line
}
