use std::panic::{AssertUnwindSafe, catch_unwind};

use mail_parser::MimeHeaders as _;

use super::{Finding, Message, parse, visible_line};

/// The most characters of the text.
const TEXT: usize = 160;

/// What a list shows of a message besides its headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// How its text begins, one visible line; empty if that is not among its first bytes.
    pub text: String,
    /// Whether a file is attached beside its text.
    pub attached: bool,
    /// Whether the receiving server found that the sender is not who it claims to be.
    pub not_verified: bool,
}

impl Preview {
    /// From some headers, which end with an empty line, and the first bytes of the body. `receiver` as for
    /// [`Message::read`].
    pub(crate) fn of(headers: &[u8], start: &[u8], receiver: &[&str]) -> Self {
        // Parts are encoded line by line: a partial line may not decode.
        let lines = start.iter().rposition(|byte| *byte == b'\n').map_or(start, |end| &start[..=end]);
        let by_lines = Self::of_start(headers, lines, receiver);
        if by_lines.text.is_empty() { Self::of_start(headers, start, receiver) } else { by_lines }
    }

    fn of_start(headers: &[u8], start: &[u8], receiver: &[&str]) -> Self {
        let ends = ends(&[headers, start].concat());
        let Ok(message) = Message::read(&[headers, start, &ends].concat(), receiver) else {
            return Self::default();
        };
        Self {
            text: visible_line(&message.text, TEXT),
            attached: false,
            not_verified: message.findings.iter().any(|one| matches!(one, Finding::NotVerified { .. })),
        }
    }
}

/// How many nested parts are closed.
const LEVELS: usize = 20;

/// Closes all parts that the start of a message opens: the parser finds no text in an unclosed part.
fn ends(raw: &[u8]) -> Vec<u8> {
    const NAME: &[u8] = b"boundary=";
    let lower = raw.to_ascii_lowercase();
    let named = memchr::memmem::find_iter(&lower, NAME).take(LEVELS).map(|at| &raw[at + NAME.len()..]);
    let boundaries: Vec<&[u8]> = named
        .map(|rest| match rest.strip_prefix(b"\"") {
            Some(quoted) => quoted.split(|byte| *byte == b'"').next().unwrap_or_default(),
            None => rest.split(|byte| matches!(byte, b';' | b'\r' | b'\n' | b' ')).next().unwrap_or_default(),
        })
        .collect();
    boundaries.iter().rev().flat_map(|boundary| [b"\r\n--", *boundary, b"--\r\n"].concat()).collect()
}

/// Whether a message with these headers has parts beside its text that may be files.
pub(crate) fn is_mixed(headers: &[u8]) -> bool {
    of_headers(headers, |headers| headers.is_content_type("multipart", "mixed"))
}

/// Whether a part with these headers is shown as a file: neither text nor an inline image.
pub(crate) fn is_file(headers: &[u8]) -> bool {
    of_headers(headers, |part| {
        let is_said = |kind: &str| {
            part.content_disposition().is_some_and(|said| said.ctype().eq_ignore_ascii_case(kind))
        };
        let kind = part.content_type().map_or("text", |kind| kind.ctype()).to_ascii_lowercase();
        is_said("attachment")
            || (!matches!(kind.as_str(), "text" | "multipart")
                && !is_said("inline")
                && part.content_id().is_none())
    })
}

fn of_headers(raw: &[u8], holds: impl Fn(&mail_parser::Message<'_>) -> bool) -> bool {
    // The parser has panicked on malformed messages.
    let read = catch_unwind(AssertUnwindSafe(|| parse::headers(raw).is_some_and(|headers| holds(&headers))));
    read.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::{Preview, is_file, is_mixed};

    #[track_caller]
    fn check(headers: &str, start: &str, expected: &str) {
        let headers = format!("{}\r\n\r\n", headers.replace('\n', "\r\n"));
        assert_eq!(Preview::of(headers.as_bytes(), start.as_bytes(), &[]).text, expected, "{start}");
    }

    #[test]
    fn text_is_found_in_any_part() {
        check("Subject: x", "One\r\ntwo\r\n\r\nthree\r\nfour", "One two three");
        check(
            "MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b",
            "--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
             Gr=C3=BC=C3=9Fe aus\r\nK=C3=B6l",
            "Grüße aus",
        );
        check(
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64",
            "SGVsbG8gd29ybGQsIHRoaXMgaXMgbG9u\r\nZ2VyIHRoYW4gdGhhd",
            "Hello world, this is lon",
        );
        check(
            "MIME-Version: 1.0\nContent-Type: text/html",
            "<p>Hello <b>Jane</b></p>\r\n<style>",
            "Hello Jane",
        );
        check("MIME-Version: 1.0\nContent-Type: text/html", "<!doctype html>\r\n<p>Hello <b>Ja", "Hello Ja");
    }

    #[test]
    fn unclosed_part_has_its_text() {
        let text = "Content-Type: text/plain\r\n\r\nHello.\r\nJa";
        check("Content-Type: multipart/mixed; boundary=b", &format!("--b\r\n{text}"), "Hello.");
        check("Content-Type: multipart/mixed; boundary=\"b c\"", &format!("--b c\r\n{text}"), "Hello.");
        let html = "Content-Type: text/html\r\n\r\n<p>Hello.</p>\r\n<p";
        let inner = format!("--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\n{html}");
        check("Content-Type: multipart/mixed; boundary=b", &inner, "Hello.");
    }

    #[test]
    fn non_text_part_is_a_file() {
        for (headers, expected) in [
            ("Content-Type: application/pdf\r\n\r\n", true),
            ("content-type: TEXT/plain\r\nContent-Disposition: ATTACHMENT; filename=a.txt\r\n\r\n", true),
            ("Content-Type: message/rfc822\r\n\r\n", true),
            ("Content-Type: text/plain\r\n\r\n", false),
            ("Content-Type: image/png\r\nContent-ID: <a@b>\r\n\r\n", false),
            ("Content-Type: image/png\r\nContent-Disposition: inline\r\n\r\n", false),
            ("Content-Type: multipart/alternative; boundary=b\r\n\r\n", false),
            ("", false),
        ] {
            assert_eq!(is_file(headers.as_bytes()), expected, "{headers}");
        }
        assert!(is_mixed(b"Content-Type: multipart/MIXED; boundary=b\r\n\r\n"));
        assert!(!is_mixed(b"Content-Type: multipart/related; boundary=b\r\n\r\n"));
    }

    #[test]
    fn unreadable_message_has_no_text() {
        check(
            "MIME-Version: 1.0\nContent-Type: image/png\nContent-Transfer-Encoding: base64",
            "iVBORw0KGgo=",
            "",
        );
        check("MIME-Version: 1.0\nContent-Type: text/html", "<style>\r\np { color: red }", "");
        assert_eq!(Preview::of(b"", b"", &[]).text, "");
    }
}
