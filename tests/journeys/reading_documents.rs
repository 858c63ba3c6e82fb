//! PDF and office files, including malicious ones.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::nova::Nova;

const LETTER: &[u8] = include_bytes!("../../src-tauri/crates/nova-workspace/tests/workspace/letter.docx");

/// A page whose form draws itself: overflows the reader's stack.
const CALLS_ITSELF: &[u8] = include_bytes!("calls_itself.pdf");

/// The exit code and output when a program calls for this attachment to be read.
fn read(name: &str, bytes: &[u8]) -> (i32, Value) {
    let nova = Nova::new("", []);
    std::fs::write(nova.vault.root().join(name), bytes).unwrap();
    let args = json!({"path": format!("vault/{name}")}).to_string();
    nova.json(&["tool", "call", "core.read", "--args", &args])
}

#[test]
fn document_is_read_by_its_own_process() {
    let (code, answer) = read("letter.docx", LETTER);
    assert_eq!(code, 0, "{answer}");
    assert!(answer["value"]["text"].as_str().unwrap().contains("Send the offer to Ada."), "{answer}");
}

#[test]
fn document_that_kills_its_reader_is_reported() {
    let (code, answer) = read("deep.pdf", CALLS_ITSELF);
    assert_eq!(code, 1, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("vault/deep.pdf could not be read as PDF: the file is damaged"), "{message}");
}

#[test]
fn reader_process_reads_one_document_and_no_other_format() {
    let nova = Nova::new("", []);
    let run = |format: &str| {
        let mut child = nova.command(&["document", format]);
        let mut child =
            child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // It may have ended already.
        let _ = child.stdin.take().unwrap().write_all(LETTER);
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = run("office");
    assert!(code == Some(0) && text.contains("# Quarter plan"), "{code:?} {text}");
    let (code, reason) = run("pdf");
    assert!(code == Some(3) && !reason.is_empty(), "{code:?} {reason}");
    assert_eq!(run("other"), (Some(1), String::new()));
}
