use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};

use nova_workspace::{FileError, Grep, InProcess, Range};
use rustix::fs::{CWD, FileType, Mode};

use super::{ALL, Place};

#[test]
fn pipe_is_refused_without_blocking() {
    let place = Place::new(&[("a.txt", "needle")]);
    let pipe = place.code().join("pipe");
    rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert_eq!(place.read("code/pipe").unwrap_err(), "code/pipe is a pipe");
    assert_eq!(place.found("needle"), ["code/a.txt:1:needle"]);
    assert_eq!(place.glob("*"), ["code/a.txt"]);
}

#[test]
fn binary_file_is_named_by_kind_and_size() {
    let place = Place::new(&[]);
    let mut bmp = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x03\0\0\0".to_vec();
    bmp.resize(70, 0);
    place.write("a.bmp", &bmp);
    place.write("broken.png", b"\x89PNG\r\n\x1a\n\0\0");
    place.write("a.bin", [0, 1, 2, 3]);
    assert!(place.read("code/a.bmp").unwrap_err().contains("image/bmp of 70 bytes"));
    assert!(place.read("code/broken.png").unwrap_err().contains("image/png of 10 bytes"));
    assert!(place.read("code/a.bin").unwrap_err().contains("a binary file of 4 bytes"));
}

#[test]
fn five_gigabyte_file_is_read_by_lines() {
    let place = Place::new(&[]);
    let text: String = (1..=3000).map(|number| format!("line {number}\n")).collect();
    place.write("log.txt", &text);
    // The rest is a hole: a line that never ends.
    let log = File::options().write(true).open(place.code().join("log.txt")).unwrap();
    log.set_len(5 * 1024 * 1024 * 1024).unwrap();
    let file = place.folders().find("code/log.txt").unwrap();
    let read = file.read(Range { offset: 2500, limit: 2 }, &InProcess, &|| false).unwrap();
    assert_eq!(read.page.lines, [(2500, "line 2500".to_owned()), (2501, "line 2501".to_owned())]);
    assert_eq!((read.page.next, read.size), (Some(2502), 5 * 1024 * 1024 * 1024));
}

#[test]
fn reading_can_be_stopped() {
    let place = Place::new(&[]);
    place.write("hole.txt", "text\n".repeat(5000));
    File::options().write(true).open(place.code().join("hole.txt")).unwrap().set_len(1 << 40).unwrap();
    let file = place.folders().find("code/hole.txt").unwrap();
    let stopped = AtomicBool::new(false);
    let stop = || stopped.swap(true, Ordering::Relaxed);
    let read = file.read(Range { offset: 6000, limit: 1 }, &InProcess, &stop);
    assert!(matches!(read, Err(FileError::Stopped)), "{read:?}");
}

#[test]
fn long_line_is_truncated_at_a_character_boundary() {
    let place = Place::new(&[("long.txt", &format!("x{}\nnext", "é".repeat(5000)))]);
    let text = place.read("code/long.txt").unwrap();
    let (long, next) = text.split_once('\n').unwrap();
    assert!(long.starts_with(&format!("x{} …", "é".repeat(999))), "{}", &long[1990..]);
    assert!(long.ends_with("(8002 more bytes in this line)"), "{}", &long[1990..]);
    assert_eq!(next, "next");
}

#[test]
fn page_size_is_limited() {
    let place = Place::new(&[("log.txt", &format!("{}\n", "x".repeat(999)).repeat(1000))]);
    let file = place.folders().find("code/log.txt").unwrap();
    let page = file.read(ALL, &InProcess, &|| false).unwrap().page;
    assert_eq!((page.lines.len(), page.next), (66, Some(67)), "64 KiB, and the line that passed them");
}

#[test]
fn broken_utf8_is_shown_and_counted() {
    let place = Place::new(&[]);
    place.write("broken.txt", b"na\xc3\xafve caf\xff\n");
    let read = place.folders().find("code/broken.txt").unwrap().read(ALL, &InProcess, &|| false).unwrap();
    assert_eq!(read.page.lines, [(1, "naïve caf\u{fffd}".to_owned())]);
    assert_eq!((read.page.replaced, read.read_as), (1, "UTF-8"));
}

#[test]
fn other_encodings_are_decoded_and_named() {
    let place = Place::new(&[]);
    place.write("latin.txt", b"Stra\xdfe, K\xf6ln, caf\xe9");
    place.write("wide.txt", b"\xff\xfeh\0i\0");
    let read = |name: &str| {
        let read = place.folders().find(name).unwrap().read(ALL, &InProcess, &|| false).unwrap();
        (read.page.lines[0].1.clone(), read.read_as)
    };
    assert_eq!(read("code/latin.txt"), ("Straße, Köln, café".to_owned(), "windows-1252"));
    assert_eq!(read("code/wide.txt"), ("hi".to_owned(), "UTF-16LE"));
}

#[test]
fn glob_of_very_many_files_is_limited() {
    let place = Place::new(&[]);
    (0..3000).for_each(|number| place.write(&format!("{number:04}.txt"), ""));
    let answer = place.folders().find("code").unwrap().glob("*.txt", 100, &|| false).unwrap();
    assert_eq!((answer.paths.len(), answer.more), (100, true));
    assert_eq!(answer.paths[99], "code/0099.txt");
    let listing = place.folders().find("code").unwrap().list(100, &|| false).unwrap();
    assert_eq!((listing.entries.len(), listing.more), (100, 2900));
}

#[test]
fn folder_that_changes_during_a_search_is_handled() {
    let files: Vec<(String, String)> = (0..200).map(|n| (format!("d{n}/f.txt"), "needle".into())).collect();
    let place = Place::new(&[]);
    files.iter().for_each(|(path, text)| place.write(path, text));
    place.write("kept.txt", "needle");
    let removed = AtomicBool::new(false);
    let grep = Grep { pattern: "needle".into(), limit: 1000, ..Grep::default() };
    let remove = |_: &[nova_workspace::GrepHit]| {
        if !removed.swap(true, Ordering::Relaxed) {
            (0..200).for_each(|n| drop(std::fs::remove_dir_all(place.code().join(format!("d{n}")))));
        }
    };
    let answer = place.folders().find("code").unwrap().grep(&grep, &remove, &|| false).unwrap();
    assert!(removed.into_inner() && !answer.hits.is_empty());
}

#[test]
fn invalid_pattern_is_refused() {
    let place = Place::new(&[]);
    let code = place.folders().find("code").unwrap();
    for pattern in ["(", "(a{1000}){1000}{1000}"] {
        let grep = Grep { pattern: pattern.into(), limit: 1, ..Grep::default() };
        assert!(matches!(code.grep(&grep, &|_| (), &|| false), Err(FileError::Pattern { .. })), "{pattern}");
    }
    assert!(matches!(code.glob("[", 1, &|| false), Err(FileError::Pattern { .. })));
}
