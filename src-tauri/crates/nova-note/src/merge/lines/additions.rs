//! Lines that both sides added at the end of the same section.

use super::super::super::sections::headings;

/// Both additions as whole lines: `first`, then `second`. A common prefix is kept once, and so is an
/// addition that the other contains. If they add headings, lines before the first heading stay before it,
/// because they belong to the section above. `None` above [`MAX_LINES`].
pub(super) fn both(first: &str, second: &str) -> Option<String> {
    let mut result = String::new();
    let mut first: Vec<&str> = first.split_inclusive('\n').collect();
    let mut second: Vec<&str> = second.split_inclusive('\n').collect();
    if first.len().max(second.len()) > MAX_LINES {
        return None;
    }
    loop {
        // Under a different heading an equal line is no duplicate.
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

/// The comparison is quadratic.
const MAX_LINES: usize = 2_000;

/// Whether `part` is a contiguous part of `whole`.
fn holds(whole: &[&str], part: &[&str]) -> bool {
    part.is_empty() || whole.windows(part.len()).any(|lines| lines == part)
}

/// How much of `whole` may contain `part`: the lines above its first heading, or all of it if the part adds
/// headings itself.
fn above(whole: &[&str], part: &[&str]) -> usize {
    if before_heading(part) < part.len() { whole.len() } else { before_heading(whole) }
}

/// Number of lines before the first heading.
fn before_heading(lines: &[&str]) -> usize {
    let text = lines.concat();
    let Some(heading) = headings(&text, 0).into_iter().next() else {
        return lines.len();
    };
    text[..heading.lines.start].matches('\n').count()
}
