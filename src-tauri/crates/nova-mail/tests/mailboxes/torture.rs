//! Public messages that broke mail programs: from the RFCs on MIME, and collected by authors of mail programs. They
//! come with the source of the parser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nova_mail::Message;

/// One of them makes the parser panic; such a message is rejected.
const PANICS: &str = "malformed/023.eml";

#[test]
fn public_torture_messages_are_read_or_refused() {
    let all = collection();
    assert!(all.len() > 100, "{} messages", all.len());
    let mut refused = Vec::new();
    for (name, raw) in &all {
        let lines = raw.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let lines: Vec<&[u8]> = lines.collect();
        for raw in [raw.clone(), lines.join(&b"\n"[..]), lines.join(&b"\r\n"[..])] {
            match Message::read(&raw, &[]) {
                Ok(message) => shown(name, &message),
                Err(_) => refused.push(name.clone()),
            }
        }
        // A connection may end anywhere.
        for part in 1..16 {
            if let Ok(message) = Message::read(&raw[..raw.len() * part / 16], &[]) {
                shown(name, &message);
            }
        }
    }
    refused.dedup();
    assert!(refused.iter().all(|name| name == PANICS), "{refused:?}");
}

/// No text breaks a line of a list, and no name is a path.
#[track_caller]
fn shown(name: &str, message: &Message) {
    assert!(!message.envelope.subject.contains(char::is_control), "{name}: {:?}", message.envelope.subject);
    let invisible = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}')
    };
    assert!(!message.text.contains(invisible), "{name}: {:?}", message.text);
    for part in &message.parts {
        assert!(!part.name.contains(['/', '\\', '\n', '\0']), "{name}: {:?}", part.name);
    }
}

fn collection() -> Vec<(String, Vec<u8>)> {
    let folder = parser().join("resources/eml");
    let mut all = Vec::new();
    for kind in fs::read_dir(&folder).expect("the folder of the messages") {
        let files = fs::read_dir(kind.expect("a folder").path()).expect("its files");
        for file in files.map(|file| file.expect("a file").path()) {
            if file.extension().is_some_and(|extension| extension == "eml") {
                let name = file.strip_prefix(&folder).expect("below it").display().to_string();
                all.push((name, fs::read(&file).expect("a message")));
            }
        }
    }
    all
}

/// The folder of the parser's source.
fn parser() -> PathBuf {
    let cargo = |args: &[&str]| {
        let output = Command::new(env!("CARGO")).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        String::from_utf8(output.expect("cargo").stdout).expect("text")
    };
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("the platform");
    // Packages of other platforms may be missing.
    let listed = cargo(&["metadata", "--format-version", "1", "--offline", "--filter-platform", host]);
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let packages = listed["packages"].as_array().expect("the packages");
    let parser = packages.iter().find(|package| package["name"] == "mail-parser").expect("the parser");
    let manifest = Path::new(parser["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("its folder").to_owned()
}
