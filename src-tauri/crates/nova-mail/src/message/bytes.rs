//! File types by the first bytes, whatever a file's name and its sender say.

use infer::MatcherType;

/// The detected media type; `None` for plain text and unknown types.
pub fn media_type_of(bytes: &[u8]) -> Option<&'static str> {
    infer::get(bytes).map(|found| found.mime_type())
}

/// Whether the bytes are a program or script for Windows, Linux, macOS or a virtual machine.
pub fn is_program(bytes: &[u8]) -> bool {
    let is_binary = || bytes.iter().take(64).any(|byte| *byte == 0);
    // Its certificates and disk images are not, nor its object files, guessed from two bytes.
    let runs = |found: infer::Type| {
        found.matcher_type() == MatcherType::App
            && !matches!(found.extension(), "der" | "pem" | "obj" | "qcow2" | "bc")
    };
    bytes.starts_with(b"#!") || is_binary() && infer::get(bytes).is_some_and(runs)
}

#[cfg(test)]
mod tests {
    use super::{is_program, media_type_of};

    #[test]
    fn detects_file_types_by_their_first_bytes() {
        let elf = [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 60]].concat();
        for (bytes, media_type, program) in [
            (b"%PDF-1.7\n".as_slice(), Some("application/pdf"), false),
            (b"\x89PNG\r\n\x1a\n", Some("image/png"), false),
            (b"<!DOCTYPE html><script>", Some("text/html"), false),
            (b"Date;Amount\n", None, false),
            (b"", None, false),
            (b"MZ\x90\0\x03\0\0\0", Some("application/vnd.microsoft.portable-executable"), true),
            (&elf, Some("application/x-executable"), true),
            (b"#!/bin/sh\nrm -r ~\n", Some("text/x-shellscript"), true),
        ] {
            assert_eq!((media_type_of(bytes), is_program(bytes)), (media_type, program), "{bytes:?}");
        }
        assert!(!is_program(b"MZ;Amount\n"), "a table");
    }
}
