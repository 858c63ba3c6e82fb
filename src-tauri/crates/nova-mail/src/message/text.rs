//! Text as its reader sees it: without invisible characters, quoted messages and signatures.

/// One visible line of untrusted text, of at most `most` characters.
pub fn visible_line(text: &str, most: usize) -> String {
    let line = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The most lines of a signature.
const SIGNATURE: usize = 12;

/// The text of a message.
pub(super) struct Body {
    pub(super) text: String,
    pub(super) folded: usize,
    pub(super) cut: bool,
}

impl Body {
    pub(super) fn of(text: &str, most: usize) -> Self {
        // Enough that `most` characters remain after folding, and no more work than that.
        let (text, mut cut) = first(text, most.saturating_mul(4));
        let (kept, folded) = own_lines(&visible(text));
        let (kept, also_cut) = first(&kept, most);
        cut |= also_cut;
        Self { text: kept.trim().to_owned(), folded, cut }
    }
}

/// The first visible characters of a text.
pub(super) fn first_visible(text: &str, most: usize) -> String {
    visible(first(text, most).0)
}

fn first(text: &str, most: usize) -> (&str, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// Removes control and invisible characters.
pub(super) fn visible(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let is_letter = |c: &char| c.is_alphabetic() && !c.is_ascii();
    let mut before = None;
    while let Some(c) = letters.next() {
        // Part of the spelling in Persian and other scripts, and of emoji.
        let spells = matches!(c, '\u{200c}' | '\u{200d}')
            && before.as_ref().is_some_and(is_letter)
            && letters.peek().is_some_and(is_letter);
        match c {
            '\r' if letters.peek() == Some(&'\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' => clean.push('\n'),
            '\n' | '\t' => clean.push(c),
            c if c.is_control() || (is_invisible(c) && !spells) => {}
            c => clean.push(c),
        }
        before = Some(c);
    }
    clean
}

/// Characters without a glyph (Default_Ignorable_Code_Point), direction controls, the blank of Braille, and those for
/// private use.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}')
}

/// The sender's own lines, and how many quoted ones were left out. A quote stays if the sender's own lines follow it:
/// they answer it.
fn own_lines(text: &str) -> (String, usize) {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let history = (0..lines.len()).find(|at| begins_history(&lines[*at..]));
    let (lines, mut folded) = match history {
        Some(at) if at > 0 && lines[..at].iter().any(|line| !line.is_empty()) => {
            (&lines[..at], lines.len() - at)
        }
        _ => (&lines[..], 0),
    };
    // Lines are trimmed; a longer block is not a signature.
    let signature = lines.iter().rposition(|line| *line == "--").filter(|at| lines.len() - at <= SIGNATURE);
    let lines = &lines[..signature.unwrap_or(lines.len())];
    let last_own = lines.iter().rposition(|line| !line.is_empty() && !is_quote(line));
    let end = last_own.map_or(0, |at| at + 1);
    let rest = &lines[end..];
    let mut kept = &lines[..end];
    if end == 0 {
        // A message that is only a quote keeps it.
        kept = lines;
    } else {
        folded += rest.iter().filter(|line| is_quote(line)).count();
        if rest.iter().any(|line| is_quote(line)) && kept.last().is_some_and(|line| introduces_quote(line)) {
            kept = &kept[..kept.len() - 1];
        }
    }
    let mut text = String::new();
    let mut blank = 0;
    for line in kept {
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if blank <= 1 {
            text.push_str(line);
            text.push('\n');
        }
    }
    (text, folded)
}

fn is_quote(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// Whether the earlier messages begin here, as mail programs mark them.
fn begins_history(lines: &[&str]) -> bool {
    let line = lines.first().map_or("", |line| line.trim());
    let words = ["original message", "ursprüngliche nachricht", "message d'origine", "mensaje original"];
    let marked = line.starts_with("-----") && line.ends_with("-----") && line.len() <= 100;
    if marked && words.iter().any(|words| line.to_lowercase().contains(words)) {
        return true;
    }
    // A bare rule counts only above the headers of an earlier message.
    let is_header =
        |line: &str| ["From:", "Von:", "De :", "De:"].iter().any(|name| line.trim().starts_with(name));
    let is_rule = line.len() >= 20 && line.chars().all(|c| c == '_');
    is_rule && lines.iter().skip(1).take(2).any(|line| is_header(line))
}

/// "On Tuesday Jane wrote:".
fn introduces_quote(line: &str) -> bool {
    let line = line.trim();
    line.ends_with(':') && line.len() <= 200 && line.chars().any(|c| c.is_ascii_digit() || c == '@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> (String, usize) {
        let body = Body::of(text, 1_000);
        (body.text, body.folded)
    }

    #[test]
    fn the_quote_below_an_answer_is_folded() {
        assert_eq!(
            folded("Yes, at three.\n\nOn 3 Nov 2026 Jane wrote:\n> Shall we meet?\n> Jane\n"),
            ("Yes, at three.".into(), 2)
        );
        assert_eq!(
            folded("Fine.\n\n-----Original Message-----\nFrom: Jane\nOld text\n"),
            ("Fine.".into(), 3)
        );
    }

    #[test]
    fn a_quote_between_answers_stays() {
        let text = "> Shall we meet?\nYes.\n> Where?\nHere.";
        assert_eq!(folded(text), (text.into(), 0));
        assert_eq!(folded("> only a quote"), ("> only a quote".into(), 0));
    }

    #[test]
    fn a_signature_is_left_out() {
        assert_eq!(folded("Hello.\n-- \nJane\nAcme Ltd.\n"), ("Hello.".into(), 0));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let body = Body::of(&"ä".repeat(30), 20);
        assert_eq!((body.text.chars().count(), body.cut), (20, true));
    }
}
