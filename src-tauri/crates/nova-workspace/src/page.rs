//! Some lines of a text, without reading more of it than they need.

use std::borrow::Cow;
use std::io::{self, BufRead};

use crate::Stop;

/// Which lines are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// The first, from 1.
    pub offset: u64,
    /// How many at most.
    pub limit: usize,
}

/// Lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Each with its number.
    pub lines: Vec<(u64, String)>,
    /// Where the rest begins.
    pub next: Option<u64>,
    /// Bytes that are no characters, shown as `�`.
    pub replaced: u64,
}

/// The most bytes of one page.
const MOST_BYTES: usize = 64 * 1024;
/// The most bytes of a line that are shown.
const LONGEST_LINE: usize = 2000;
/// The most lines of one page.
const MOST_LINES: usize = 2000;

impl Page {
    /// `None` when it was stopped.
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

/// Passes a buffer or the rest of a line; whether the line ended. `None` at the end of the text.
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

/// The next line without its end, cut, and how many bytes of it are not shown.
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

/// A line that was cut is cut between two characters.
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
