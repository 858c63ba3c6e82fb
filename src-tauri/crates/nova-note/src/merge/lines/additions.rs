//! Lines that two sides added at the same end of a section.

use super::super::super::sections::headings;

/// Both additions, whole lines each: `first`, then `second`. What begins the same is there once, and
/// so is an addition that the other holds as a whole. Where they bring headings of their own,
/// what stands before the first heading stays before it, because it belongs to the section above.
/// `None` for more lines than anybody adds at once.
pub(super) fn both(first: &str, second: &str) -> Option<String> {
    let mut result = String::new();
    let mut first: Vec<&str> = first.split_inclusive('\n').collect();
    let mut second: Vec<&str> = second.split_inclusive('\n').collect();
    if first.len().max(second.len()) > MAX_LINES {
        return None;
    }
    loop {
        // Under another heading the same line is another thing.
        if holds(&first[..above(&first, &second)], &second) {
            result.extend(first);
            return Some(result);
        }
        if holds(&second[..above(&second, &first)], &first) {
            result.extend(second);
            return Some(result);
        }
        let same = first.iter().zip(&second).take_while(|(one, other)| one == other).count();
        result.extend(first.drain(..same));
        second.drain(..same);

        let (first_own, second_own) = (before_heading(&first), before_heading(&second));
        if first_own + second_own == 0 {
            result.extend(first);
            result.extend(second);
            return Some(result);
        }
        // Blank lines before a heading stay before it.
        let blank = first[..first_own].iter().rev().take_while(|line| line.trim().is_empty()).count();
        result.extend(first[..first_own - blank].iter().copied());
        result.extend(second[..second_own].iter().copied());
        result.extend(first[first_own - blank..first_own].iter().copied());
        first.drain(..first_own);
        second.drain(..second_own);
    }
}

/// Comparing takes the square of it.
const MAX_LINES: usize = 2_000;

/// Whether `part` stands in `whole`, in one piece.
fn holds(whole: &[&str], part: &[&str]) -> bool {
    part.is_empty() || whole.windows(part.len()).any(|lines| lines == part)
}

/// How much of `whole` may hold `part`: what stands above its first heading, or all of it where the
/// part brings headings of its own.
fn above(whole: &[&str], part: &[&str]) -> usize {
    if before_heading(part) < part.len() { whole.len() } else { before_heading(whole) }
}

/// How many lines stand before the first heading.
fn before_heading(lines: &[&str]) -> usize {
    let text = lines.concat();
    let Some(heading) = headings(&text, 0).into_iter().next() else {
        return lines.len();
    };
    text[..heading.lines.start].matches('\n').count()
}
