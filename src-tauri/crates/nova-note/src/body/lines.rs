//! Reads and replaces single lines of a note.

use crate::error::EditError;
use crate::split::{eol, lines_from};

/// The text of line `number`, 1-based, without its line break.
pub fn line_of(text: &str, number: u32) -> Option<&str> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    let line = lines_from(text, 0).nth(index)?;
    Some(without_break(&text[line]))
}

pub(crate) fn without_break(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Replaces line `line`, 1-based, which must equal `old`, by `new`; the new lines carry no line breaks.
/// Every other byte stays, including the note's line endings and a missing final one.
///
/// # Errors
/// [`EditError::Line`] if the line differs from `old`.
pub fn replace_line(text: &str, line: u32, old: &str, new: &[String]) -> Result<String, EditError> {
    let wrong = || EditError::Line { line };
    let index = usize::try_from(line).ok().and_then(|line| line.checked_sub(1)).ok_or_else(wrong)?;
    let span = lines_from(text, 0).nth(index).ok_or_else(wrong)?;
    let whole = &text[span.clone()];
    let end = whole.strip_suffix('\n').map_or("", |line| if line.ends_with('\r') { "\r\n" } else { "\n" });
    if whole[..whole.len() - end.len()] != *old {
        return Err(wrong());
    }
    let (before, after) = (&text[..span.start], &text[span.end..]);
    if let (true, true) = (new.is_empty(), end.is_empty()) {
        // The line before becomes the last one and loses its line break, too.
        let before = before.strip_suffix('\n').unwrap_or(before);
        return Ok(before.strip_suffix('\r').unwrap_or(before).to_owned());
    }
    let between = if end.is_empty() { eol(text) } else { end };
    let lines = new.join(between);
    let end = if new.is_empty() { "" } else { end };
    Ok(format!("{before}{lines}{end}{after}"))
}
