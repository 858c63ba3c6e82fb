//! Detects the encoding of a page and decodes it.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// Bytes of a page that are searched for its declaration.
const HEAD: usize = 4096;

/// The text of a page, decoded by its byte order mark, its header or its declaration. A declaration that the
/// bytes contradict is ignored.
pub(super) fn decoded(bytes: &[u8], content_type: &str) -> String {
    let declared = in_header(content_type).or_else(|| in_page(bytes));
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None if std::str::from_utf8(bytes).is_ok() && declared.is_none_or(is_ascii_based) => UTF_8,
        None => declared.filter(|encoding| *encoding != UTF_8).unwrap_or_else(|| guessed(bytes)),
    };
    encoding.decode(bytes).0.into_owned()
}

/// Bytes that are valid UTF-8 throughout are almost never text in a single-byte encoding.
fn is_ascii_based(encoding: &'static Encoding) -> bool {
    encoding.is_single_byte() || encoding == UTF_8
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    let broken = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    let wide = bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars()).filter(|c| !c.is_ascii()).count();
    if broken == 0 || wide > broken {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

fn in_header(content_type: &str) -> Option<&'static Encoding> {
    let (_, charset) = content_type.split_once("charset=")?;
    label(charset)
}

/// `<meta charset="…">`, `<meta … content="text/html; charset=…">` or `<?xml … encoding="…"?>`.
fn in_page(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_ascii_lowercase();
    let of_xml = head.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    if let Some((_, encoding)) = of_xml.and_then(|(declaration, _)| declaration.split_once("encoding=")) {
        return label(encoding);
    }
    head.split("<meta").skip(1).find_map(|rest| {
        let tag = rest.split('>').next().unwrap_or_default();
        label(tag.split_once("charset=")?.1)
    })
}

fn label(text: &str) -> Option<&'static Encoding> {
    let text = text.trim_start_matches([' ', '"', '\'']);
    let end = text.find([' ', '"', '\'', ';', '/', '>', ',']).unwrap_or(text.len());
    Encoding::for_label(&text.as_bytes()[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], content_type: &str, expected: &str) {
        assert_eq!(decoded(bytes, content_type), expected);
    }

    #[test]
    fn declared_encodings_are_used() {
        check(b"gr\xfc\xdfe", "text/html; charset=iso-8859-1", "grüße");
        check(b"<meta charset=windows-1252>gr\xfc\xdfe", "text/html", "<meta charset=windows-1252>grüße");
        check(b"\x93\xfa\x96\x7b", "text/html; charset=\"Shift_JIS\"", "日本");
        check(
            b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>",
            "application/xml",
            "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>",
        );
        check(b"\xff\xfeh\0i\0", "text/plain; charset=utf-8", "hi");
    }

    #[test]
    fn wrong_declarations_are_ignored() {
        // Windows-1252 declared as UTF-8.
        check(
            "Die Tür ist grün und schön.".chars().map(|c| c as u8).collect::<Vec<_>>().as_slice(),
            "text/html; charset=utf-8",
            "Die Tür ist grün und schön.",
        );
        // UTF-8 declared as Latin-1.
        check("Grüße aus Kiel".as_bytes(), "text/html; charset=iso-8859-1", "Grüße aus Kiel");
        check(b"plain", "text/html; charset=nonsense", "plain");
    }

    #[test]
    fn utf_8_with_a_broken_byte_stays_utf_8() {
        check("Grüße \u{00e4}\u{00f6}".replace('x', "").as_bytes(), "text/html", "Grüße äö");
        check(&[b"Gr\xc3\xbc\xc3\x9fe ".as_slice(), b"\xff"].concat(), "text/html", "Grüße \u{fffd}");
    }
}
