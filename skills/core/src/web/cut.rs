//! Splits a long text into parts at paragraph boundaries.

/// Maximum bytes of one part.
const PART: usize = 20_000;
/// Maximum bytes of one line; a longer one is broken at a space.
const LINE: usize = 4000;

/// Lines of a text, from `offset` on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) text: String,
    /// The first line of the rest, from 1.
    pub(super) next: Option<u64>,
}

/// The lines of a text, none longer than [`LINE`], with at most one empty one between two others.
pub(super) fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() && lines.last().is_none_or(String::is_empty) {
            continue;
        }
        let mut rest = line;
        while rest.len() > LINE {
            let end = rest.floor_char_boundary(LINE);
            let at = rest[..end].rfind(' ').filter(|at| *at > 0).unwrap_or(end);
            lines.push(rest[..at].to_owned());
            rest = rest[at..].trim_start();
        }
        lines.push(rest.to_owned());
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// As many lines as fit, starting at number `offset`; `more` says that others follow the last. Ends before an
/// empty line if there is one in the second half.
pub(super) fn part(lines: &[String], offset: u64, more: bool) -> Part {
    let mut used = 0;
    let fitting = lines.iter().take_while(|line| {
        used += line.len() + 1;
        used <= PART
    });
    let mut end = fitting.count().max(1).min(lines.len());
    let cut = end < lines.len();
    if cut && let Some(empty) = (end / 2..=end).rev().find(|at| lines.get(*at).is_some_and(String::is_empty))
    {
        end = empty.max(1);
    }
    let next = (cut || more).then(|| offset + end as u64);
    Part { text: lines[..end].join("\n").trim_end().to_owned(), next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_one_part() {
        let lines = lines("# Title\n\n\n\nText.  \n\n");
        assert_eq!(lines, ["# Title", "", "Text."]);
        assert_eq!(part(&lines, 1, false), Part { text: "# Title\n\nText.".into(), next: None });
        assert_eq!(part(&[], 1, false), Part { text: String::new(), next: None });
    }

    #[test]
    fn long_text_is_cut_between_paragraphs_without_loss() {
        let text: Vec<String> =
            (0..300).map(|at| format!("{at} {}", "word ".repeat(60).trim_end())).collect();
        let lines = lines(&text.join("\n\n"));
        let (mut offset, mut read) = (1, Vec::new());
        loop {
            let part = part(&lines[offset as usize - 1..], offset, false);
            assert!(part.text.len() <= PART, "{}", part.text.len());
            read.push(part.text.trim_start_matches('\n').to_owned());
            match part.next {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert!(read.len() > 3);
        assert_eq!(read.join("\n\n"), text.join("\n\n"));
    }

    #[test]
    fn endless_line_is_broken_at_spaces() {
        let lines = lines(&format!("{}{}", "words ".repeat(2000), "x".repeat(10_000)));
        assert!(lines.iter().all(|line| line.len() <= LINE));
        let letters: usize = lines.iter().map(|line| line.matches('x').count()).sum();
        assert_eq!(letters, 10_000);
        let wide = super::lines(&"日".repeat(4000));
        assert_eq!(wide.concat(), "日".repeat(4000));
    }
}
