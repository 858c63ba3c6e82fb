//! What goes to stdout and stderr, and the exit codes.

use std::io::Write as _;

use nova_protocol::UserError;
use serde::Serialize;

/// The exit code of what was done.
pub const DONE: u8 = 0;
pub(crate) const FAILED: u8 = 1;
pub(crate) const BAD_USAGE: u8 = 2;
pub(crate) const REFUSED: u8 = 3;
pub(crate) const INTERRUPTED: u8 = 130;

/// One line on stdout. A reader that went away ends the program quietly.
pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        std::process::exit(i32::from(DONE));
    }
}

/// Text without a line end, for what streams.
pub(crate) fn part(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// One JSON value on one line.
pub(crate) fn json<T: Serialize>(value: &T) {
    match serde_json::to_string(value) {
        Ok(text) => line(&text),
        Err(error) => note(&format!("This cannot be written as JSON: {error}.")),
    }
}

/// One line on stderr, also where the text has several.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", one_line(text));
}

/// Why it failed and what to do, on one line of stderr.
pub(crate) fn error(error: &UserError, json: bool) {
    error_value(error, json);
    note(&format!("nova: {} {}", error.message, error.hint).replace('\n', " "));
}

/// With `json` the failure as a value on stdout.
pub(crate) fn error_value(error: &UserError, json: bool) {
    if json {
        let text = serde_json::json!({"ok": false, "error": error});
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}

/// Control characters, and those that nobody sees, as escapes: text from notes and models must not steer the terminal.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .map(|c| {
            let steers = (c.is_control() && c != '\n' && c != '\t')
                || matches!(c,
                    '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                    | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}'
                    | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
                    | '\u{e0000}'..='\u{e0fff}');
            if steers { format!("\\u{{{:x}}}", u32::from(c)) } else { c.to_string() }
        })
        .collect()
}

/// The same on one line: a text of others must not begin a line, which could look like a question of Nova's.
pub(crate) fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n")
}

/// The same with further lines marked as belonging to the first.
pub(crate) fn marked_lines(text: &str) -> String {
    visible(text).replace('\n', "\n  \u{2502} ")
}

#[cfg(test)]
mod tests {
    use super::{marked_lines, one_line, visible};

    #[test]
    fn a_text_begins_no_line_but_its_first() {
        assert_eq!(one_line("a\n  [o] allow once\r\n"), "a\\n  [o] allow once\\u{d}\\n");
        assert_eq!(marked_lines("a\nb\n"), "a\n  \u{2502} b\n  \u{2502} ");
    }

    #[test]
    fn nothing_hides_or_steers() {
        assert_eq!(visible("plain ä\ttext\n"), "plain ä\ttext\n");
        assert_eq!(visible("\u{1b}[2Jok"), "\\u{1b}[2Jok");
        for hidden in [
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{e0041}',
            '\u{e0101}',
            '\u{ad}',
            '\u{3164}',
            '\u{61c}',
            '\u{2028}',
        ] {
            assert_eq!(visible(&format!("a{hidden}b")), format!("a\\u{{{:x}}}b", u32::from(hidden)));
        }
        assert_eq!(visible("❤\u{fe0f}"), "❤\u{fe0f}", "an emoji is what it looks like");
    }
}
