//! Whether inserted lines would merge with the Markdown block before or after them.

use crate::outline::is_delimiter_row;

/// Whether the addition would merge with the block that ends `before`: text into a table, quotation or
/// list, a thematic break into a setext underline, a table into a paragraph.
pub(super) fn joins_previous(before: &str, addition: &str) -> bool {
    let block = last_block(before);
    let (Some(last), Some(first)) = (block.last(), addition.lines().next()) else { return false };
    let is_text = is_text(first);
    if addition.lines().nth(1).is_some_and(is_delimiter_row) {
        return true;
    }
    if block.iter().skip(1).any(|line| is_delimiter_row(line)) {
        return is_text && !first.contains('|');
    }
    if is_quote(last) {
        return is_text || first.trim_start().starts_with("> [!");
    }
    if block.iter().any(|line| is_item(line) || is_footnote(line)) || last.starts_with([' ', '\t']) {
        return is_text && !first.starts_with([' ', '\t']);
    }
    // A rule directly below a paragraph would turn it into a setext heading.
    is_underline(first)
}

/// Whether the first line of `after` would merge with the last line of the addition: a footnote, or the
/// title of a setext heading.
pub(super) fn joins_next(addition: &str, after: &str) -> bool {
    let mut lines = after.lines();
    let Some(title) = lines.next() else { return false };
    let ends_in_text = addition.lines().last().is_some_and(|last| !last.trim().is_empty() && !is_fence(last));
    let mut is_title = || is_text(title) && lines.next().is_some_and(is_underline);
    ends_in_text && (is_footnote(title) && !addition.lines().all(is_footnote) || is_title())
}

/// The lines of the last block of `before`.
fn last_block(before: &str) -> Vec<&str> {
    let goes_on =
        |line: &&str| !line.trim().is_empty() && !is_fence(line) && !is_heading(line) && !is_rule(line);
    let mut block: Vec<&str> = before.lines().rev().take_while(goes_on).collect();
    block.reverse();
    block
}

/// Whether the line is paragraph text, which starts no block of its own.
fn is_text(line: &str) -> bool {
    let begins = is_footnote(line)
        || is_item(line)
        || is_quote(line)
        || is_fence(line)
        || is_heading(line)
        || is_rule(line);
    !line.trim().is_empty() && !begins && !["%%", "$$", "<!--"].iter().any(|mark| line.starts_with(mark))
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mark = &line[digits..];
    let is_mark = if digits == 0 { mark.starts_with(['-', '*', '+']) } else { mark.starts_with(['.', ')']) };
    is_mark && mark[1..].chars().next().is_none_or(|c| matches!(c, ' ' | '\t'))
}

/// `[^1]: See there.`
pub(super) fn is_footnote(line: &str) -> bool {
    line.starts_with("[^") && line.contains("]:")
}

fn is_quote(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

fn is_fence(line: &str) -> bool {
    ["```", "~~~", "$$"].iter().any(|mark| line.trim_start().starts_with(mark))
}

fn is_heading(line: &str) -> bool {
    super::atx_heading(line).is_some()
}

/// `---`, `* * *`
fn is_rule(line: &str) -> bool {
    let marks: Vec<char> = line.chars().filter(|c| !c.is_whitespace()).collect();
    marks.len() >= 3 && ['-', '*', '_'].iter().any(|mark| marks.iter().all(|c| c == mark))
}

/// The underline of a setext heading: `===`, `---`.
fn is_underline(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && ['=', '-'].iter().any(|mark| line.chars().all(|c| c == *mark))
}
