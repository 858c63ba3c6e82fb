//! The output of a command: its beginning and end, and a file with all of it if it is long.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

use nova_skill::{Folder, SaidSoFar};

/// Size of the beginning and the end in the result, in bytes.
const BEGINNING: usize = 8 << 10;
const END: usize = 24 << 10;
/// Size of the end reported while it runs, in bytes.
const SO_FAR: usize = 8 << 10;

/// The combined output of a command.
pub(super) struct CommandOutput {
    /// Folder and name of the file for long output; `None` without a scratch folder.
    scratch: Option<(Arc<Folder>, String)>,
    file: Option<File>,
    beginning: Vec<u8>,
    end: VecDeque<u8>,
    bytes: u64,
    lines: u64,
    ends_in_line: bool,
}

impl CommandOutput {
    pub(super) fn new(scratch: Option<Arc<Folder>>, call: &str) -> Self {
        let letters = call.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-');
        let name = format!("output-{}.txt", letters.collect::<String>());
        Self {
            scratch: scratch.map(|folder| (folder, name)),
            file: None,
            beginning: Vec::new(),
            end: VecDeque::new(),
            bytes: 0,
            lines: 0,
            ends_in_line: false,
        }
    }

    /// The total size.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn lines(&self) -> u64 {
        self.lines + u64::from(self.ends_in_line)
    }

    pub(super) fn add(&mut self, output: &[u8]) {
        let Some(last) = output.last() else { return };
        self.bytes += output.len() as u64;
        self.lines += output.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.ends_in_line = *last != b'\n';
        let was_whole = self.file.is_none();
        let (first, rest) = output.split_at(output.len().min(BEGINNING - self.beginning.len()));
        self.beginning.extend(first);
        if was_whole && self.end.len() + rest.len() > END {
            self.keep_all();
        }
        self.end.extend(rest);
        if let Some(file) = &mut self.file {
            let written = match was_whole {
                true => {
                    let (one, other) = self.end.as_slices();
                    file.write_all(&self.beginning)
                        .and_then(|()| file.write_all(one))
                        .and_then(|()| file.write_all(other))
                }
                false => file.write_all(output),
            };
            if let Err(error) = written {
                tracing::warn!(%error, "cannot save a command's output");
                self.file = None;
                self.scratch = None;
            }
        }
        let over = self.end.len().saturating_sub(END);
        self.end.drain(..over);
    }

    /// Starts to write all output to a file in the scratch folder.
    fn keep_all(&mut self) {
        let Some((folder, name)) = &mut self.scratch else { return };
        // An existing file may be the command's own, so it is not overwritten.
        let names = (2..100).map(|number| name.replace(".txt", &format!("-{number}.txt")));
        let names: Vec<String> = std::iter::once(name.clone()).chain(names).collect();
        let made = names.into_iter().find_map(|free| Some((folder.create(&free).ok()?, free)));
        match made {
            Some((file, free)) => {
                *name = free;
                self.file = Some(file);
            }
            None => self.scratch = None,
        }
    }

    /// The name of the file with all output, if the text is truncated.
    pub(super) fn file(&self) -> Option<&str> {
        self.file.as_ref().and(self.scratch.as_ref()).map(|(_, name)| name.as_str())
    }

    pub(super) fn so_far(&self) -> SaidSoFar {
        let all: Vec<u8> = self.beginning.iter().chain(&self.end).copied().collect();
        let end = &all[all.len().saturating_sub(SO_FAR)..];
        // Starts at a line boundary, if there is one.
        let from = match end.len() < all.len() || self.is_cut() {
            true => end.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1),
            false => 0,
        };
        let end = String::from_utf8_lossy(&end[from..]).into_owned();
        SaidSoFar { lines: self.lines(), end, ..SaidSoFar::default() }
    }

    pub(super) fn text(&self) -> String {
        let beginning = String::from_utf8_lossy(&self.beginning);
        let end: Vec<u8> = self.end.iter().copied().collect();
        let end = String::from_utf8_lossy(&end);
        let left_out = self.bytes - (self.beginning.len() + self.end.len()) as u64;
        match left_out {
            0 => {
                let all: Vec<u8> = self.beginning.iter().chain(&self.end).copied().collect();
                String::from_utf8_lossy(&all).into_owned()
            }
            _ => format!("{beginning}\n[{left_out} bytes left out]\n{end}"),
        }
    }

    fn is_cut(&self) -> bool {
        self.bytes > (self.beginning.len() + self.end.len()) as u64
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn output(parts: &[&str]) -> CommandOutput {
        let mut output = CommandOutput::new(None, "c1");
        parts.iter().for_each(|part| output.add(part.as_bytes()));
        output
    }

    #[test]
    fn short_output_is_returned_completely() {
        let output = output(&["one\ntw", "o\nthr", "ee"]);
        assert_eq!((output.text().as_str(), output.lines(), output.file()), ("one\ntwo\nthree", 3, None));
        let expected = SaidSoFar { lines: 3, end: "one\ntwo\nthree".into(), ..SaidSoFar::default() };
        assert_eq!(output.so_far(), expected);
    }

    #[test]
    fn character_split_between_reads_is_preserved() {
        let mut output = CommandOutput::new(None, "c1");
        let line = "é".repeat(BEGINNING);
        line.as_bytes().chunks(7).for_each(|chunk| output.add(chunk));
        assert_eq!(output.text(), line);
    }

    #[cfg(unix)]
    #[test]
    fn long_output_is_truncated_in_the_middle_and_saved_to_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Arc::new(Folder::open("scratch", folder.path(), nova_skill::Access::Write).unwrap());
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("output-c1.txt")).unwrap();
        let mut output = CommandOutput::new(Some(scratch), "../c1");
        let lines: Vec<String> = (0..20_000).map(|number| format!("line {number}\n")).collect();
        lines.iter().for_each(|line| output.add(line.as_bytes()));
        let text = output.text();
        assert!(text.starts_with("line 0\nline 1\n") && text.ends_with("line 19999\n"), "{text}");
        assert!(text.len() < BEGINNING + END + 100 && text.contains(" bytes left out]\n"));
        assert_eq!(output.file(), Some("output-c1-2.txt"), "a symlink is not followed");
        let kept = std::fs::read_to_string(folder.path().join("output-c1-2.txt")).unwrap();
        assert!(kept == lines.concat());
        let so_far = output.so_far();
        assert!(so_far.end.starts_with("line 1") && so_far.end.len() <= SO_FAR && so_far.lines == 20_000);
    }
}
