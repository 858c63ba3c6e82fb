//! The `## Log` section of a note: a bullet for each interaction, newest last.

use nova_skill::{Date, Note};

/// The heading, with its level.
pub(crate) const HEADING: &str = "## Log";

/// Formats "- 2026-11-12 Called.", with further lines indented below the bullet; `None` if the text is blank.
pub(crate) fn line(date: Date, text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut bullet = format!("- {date} {}", lines.next()?);
    for line in lines {
        bullet.push_str("\n  ");
        bullet.push_str(line);
    }
    Some(bullet)
}

/// Where to insert an entry of `date` before later ones: the text from the heading to the end of the first
/// later bullet's first line, and the byte offset of that bullet in it. `None` if the entry goes last.
pub(crate) fn before_later(note: &Note, date: Date) -> Option<(String, usize)> {
    let body_start = note.document.body_start();
    let mut from = None;
    let mut at = body_start;
    let mut fence = None;
    for line in note.text.get(body_start..)?.split_inclusive('\n') {
        let end = at + line.len();
        let was_fenced = fence.is_some();
        fence = fence_after(fence, line);
        match from {
            // Neither headings nor bullets are recognised in a code block.
            _ if was_fenced || fence.is_some() => {}
            None if line.trim_end().eq_ignore_ascii_case(HEADING) => from = Some(at),
            None => {}
            // Any heading ends the section, whatever its level.
            Some(_) if line.starts_with('#') => return None,
            Some(start) if day_of(line).is_some_and(|day| day > date) => {
                return Some((note.text[start..end].to_owned(), at - start));
            }
            Some(_) => {}
        }
        at = end;
    }
    None
}

/// The character and length of the code fence that is open after `line`.
fn fence_after(open: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    let text = line.trim_start_matches(' ');
    let indented = line.len() - text.len() > 3;
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~') && !indented);
    let Some(mark) = mark else { return open };
    let rest = text.trim_start_matches(mark);
    let length = text.len() - rest.len();
    match open {
        None if length >= 3 && !(mark == '`' && rest.contains('`')) => Some((mark, length)),
        Some((own, least)) if mark == own && length >= least && rest.trim().is_empty() => None,
        open => open,
    }
}

/// The date at the start of a bullet.
fn day_of(line: &str) -> Option<Date> {
    let bullet = line.strip_prefix(['-', '*', '+'])?.trim_start();
    bullet.get(.."2026-11-12".len())?.parse().ok()
}
