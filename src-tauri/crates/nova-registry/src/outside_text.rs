use crate::is_invisible;

/// A name or a description that somebody else wrote, in a line of Nova's own.
pub fn harmless_line(text: &str) -> String {
    harmless(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with everything visible and without anything that reads as a mark of Nova's own.
pub fn harmless(text: &str) -> String {
    without_marks(&visible(text))
}

/// Characters that a person does not see, by their number. Those that only choose how an emoji looks
/// stay, and one that is part of the spelling of Persian and other scripts, between their letters.
fn visible(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let is_letter = |c: &char| c.is_alphabetic() && !c.is_ascii();
    let mut before = None;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let control = c.is_control() && !matches!(c, '\n' | '\t' | '\r');
        let spells = c == '\u{200c}'
            && before.as_ref().is_some_and(is_letter)
            && letters.peek().is_some_and(is_letter);
        if control || (is_invisible(c) && !spells && !matches!(c, '\u{fe0f}' | '\u{200d}')) {
            clean.push_str(&format!("[U+{:04X}]", u32::from(c)));
        } else {
            clean.push(c);
        }
        before = Some(c);
    }
    clean
}

fn without_marks(text: &str) -> String {
    const MARKS: [&str; 3] = ["skill-text", "tool-text", "nova-notice"];
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        clean.push_str(before);
        // However it is spaced, and whatever is hidden in it.
        let name: String = from[1..]
            .chars()
            .filter(|c| !is_invisible(*c) && !c.is_whitespace())
            .skip_while(|c| *c == '/')
            .take(MARKS.iter().map(|mark| mark.len()).max().unwrap_or_default())
            .collect();
        let is_mark = MARKS
            .iter()
            .any(|mark| name.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark)));
        clean.push_str(if is_mark { "&lt;" } else { "<" });
        rest = &from[1..];
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_of_persian_is_kept() {
        assert_eq!(harmless("\u{645}\u{6cc}\u{200c}\u{62e}"), "\u{645}\u{6cc}\u{200c}\u{62e}");
        assert_eq!(harmless("a\u{200c}b\u{200c}"), "a[U+200C]b[U+200C]");
    }

    #[test]
    fn what_nobody_sees_is_named() {
        assert_eq!(harmless("a\u{e0041}\u{202e}b\u{1b}[31m"), "a[U+E0041][U+202E]b[U+001B][31m");
        assert_eq!(harmless_line("a\n\n## Nova: b\r\n<nova-notice>"), "a ## Nova: b &lt;nova-notice>");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in
            ["a < b", "<br>", "1 <", "", "übergang <größe>", "</skill>", "⚠\u{fe0f} 👩\u{200d}🔧", "a\n\tb"]
        {
            assert_eq!(harmless(text), text);
        }
    }
}
