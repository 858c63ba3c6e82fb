//! Output to stdout and stderr, and exit codes.

use std::io::Write as _;

use nova_protocol::UserError;
use serde::Serialize;

/// Exit code for success.
pub const DONE: u8 = 0;
pub(crate) const FAILED: u8 = 1;
pub(crate) const BAD_USAGE: u8 = 2;
pub(crate) const REFUSED: u8 = 3;
pub(crate) const INTERRUPTED: u8 = 130;

/// Prints a line to stdout. A closed pipe ends the program silently.
pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        std::process::exit(i32::from(DONE));
    }
}

/// Prints text without a line ending, for streaming.
pub(crate) fn part(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Prints a JSON value on one line.
pub(crate) fn json<T: Serialize>(value: &T) {
    match serde_json::to_string(value) {
        Ok(text) => line(&text),
        Err(error) => note(&format!("This cannot be written as JSON: {error}.")),
    }
}

/// Prints one line to stderr, even if the text has several.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", one_line(text));
}

/// Prints an error with its remedy on one line of stderr.
pub(crate) fn error(error: &UserError, json: bool) {
    error_value(error, json);
    note(&format!("nova: {} {}", error.message, error.hint).replace('\n', " "));
}

/// With `json`, prints the error as a value on stdout.
pub(crate) fn error_value(error: &UserError, json: bool) {
    if json {
        let text = serde_json::json!({"ok": false, "error": error});
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}

/// Escapes control and invisible characters: text from notes and models must not control the terminal.
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

/// Escapes line breaks as well: untrusted text at the start of a line could look like a question by Nova.
pub(crate) fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n")
}

/// Like [`visible`], with continuation lines marked.
pub(crate) fn marked_lines(text: &str) -> String {
    visible(text).replace('\n', "\n  \u{2502} ")
}

#[cfg(test)]
mod tests {
    use super::{marked_lines, one_line, visible};

    #[test]
    fn text_stays_on_its_line() {
        assert_eq!(one_line("a\n  [o] allow once\r\n"), "a\\n  [o] allow once\\u{d}\\n");
        assert_eq!(marked_lines("a\nb\n"), "a\n  \u{2502} b\n  \u{2502} ");
    }

    #[test]
    fn control_and_invisible_characters_are_escaped() {
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
        assert_eq!(visible("❤\u{fe0f}"), "❤\u{fe0f}", "an emoji is printed as is");
    }
}
