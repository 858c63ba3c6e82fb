//! New files of any kind.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use nova_workspace::{Contents, FileDraft, FileError, FileRecord, Folders};

use super::Place;
use super::writing::made;

const PDF: &[u8] = b"%PDF-1.4\n\xff\0\x01";

impl Place {
    /// Attaches a file as one change set; returns its path.
    fn attach(&self, set: &str, folder: &str, name: &str) -> Result<String, FileError> {
        let mut draft = FileDraft::default();
        let path = draft.attach(&self.writable().find(folder)?, name, PDF.to_vec())?;
        self.journal().apply(&draft, set, &made()).map(|_| path.to_string())
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.code().join(path)).unwrap()
    }

    fn records(&self, set: &str) -> Vec<FileRecord> {
        self.journal().records(set).unwrap()
    }
}

#[test]
fn bytes_are_written_undone_and_restored() {
    let place = Place::new(&[]);
    assert_eq!(place.attach("set1", "code/papers/2026", "Offer.pdf").unwrap(), "code/papers/2026/Offer.pdf");
    assert_eq!(place.bytes("papers/2026/Offer.pdf"), PDF);
    let records = place.records("set1");
    assert!(records[0].attached && !records[0].uncertain, "{records:?}");
    assert_eq!(
        place.journal().contents("set1", &records[0]).unwrap(),
        Contents { before: None, after: Some(PDF.to_vec()) }
    );

    assert_eq!(place.undo("set1").paths.len(), 1);
    assert_eq!(fs::read_dir(place.code().join("papers/2026")).unwrap().count(), 0, "no file is left");
    // The undo is itself a change set.
    assert_eq!(place.undo("set1-undo").paths.len(), 1);
    assert_eq!(place.bytes("papers/2026/Offer.pdf"), PDF);
}

#[test]
fn existing_files_are_kept_and_the_new_one_is_numbered() {
    let place = Place::new(&[("a.pdf", "theirs"), ("a 1.pdf", "theirs"), ("README", "theirs")]);
    symlink(place.outside().join("nowhere"), place.code().join("a 2.pdf")).unwrap();
    assert_eq!(place.attach("set1", "code", "a.pdf").unwrap(), "code/a 3.pdf");
    assert_eq!(place.attach("set2", "code", "README").unwrap(), "code/README 1");
    for name in ["a.pdf", "a 1.pdf", "README"] {
        assert_eq!(place.bytes(name), b"theirs");
    }
    assert!(!place.outside().join("nowhere").exists());

    let mut draft = FileDraft::default();
    let folder = place.writable().find("code").unwrap();
    let two = [0, 1].map(|_| draft.attach(&folder, "b.pdf", PDF.to_vec()).unwrap().to_string());
    assert_eq!(two, ["code/b.pdf", "code/b 1.pdf"]);
}

#[test]
fn name_taken_before_the_write_is_not_overwritten() {
    let place = Place::new(&[]);
    let mut draft = FileDraft::default();
    draft.attach(&place.writable().find("code").unwrap(), "a.pdf", PDF.to_vec()).unwrap();
    place.write("a.pdf", "theirs");
    let error = place.journal().apply(&draft, "set1", &made()).unwrap_err();
    assert!(matches!(error, FileError::Changed { .. }), "{error}");
    assert_eq!(draft.conflict(&error), None, "bytes are no side to choose");
    assert_eq!((place.bytes("a.pdf"), place.files().len()), (b"theirs".to_vec(), 1));
    assert_eq!(place.records("set1"), []);
}

#[test]
fn changed_file_is_not_removed_by_undo() {
    for theirs in [&b"text"[..], b"%PDF-1.4\n\xff\0\x02", b""] {
        let place = Place::new(&[]);
        place.attach("set1", "code", "a.pdf").unwrap();
        place.write("a.pdf", theirs);
        let undone = place.undo("set1");
        assert_eq!((undone.paths.len(), undone.conflicts.len()), (0, 1));
        let conflict = &undone.conflicts[0];
        assert_eq!(conflict.unreadable, str::from_utf8(theirs).is_err(), "{conflict:?}");
        assert_eq!(conflict.mine, "");
        assert_eq!(place.bytes("a.pdf"), theirs);
    }
}

#[test]
fn restored_bytes_do_not_replace_a_later_file() {
    let place = Place::new(&[]);
    place.attach("set1", "code", "a.pdf").unwrap();
    place.undo("set1");
    place.write("a.pdf", "theirs");
    let undone = place.undo("set1-undo");
    assert_eq!((undone.paths.len(), undone.conflicts.len()), (0, 1));
    assert!(undone.conflicts[0].unreadable, "a PDF cannot be chosen as text");
    assert_eq!(place.bytes("a.pdf"), b"theirs");
}

#[test]
fn file_removed_by_the_user_needs_no_undo() {
    let place = Place::new(&[]);
    place.attach("set1", "code", "a.pdf").unwrap();
    fs::remove_file(place.code().join("a.pdf")).unwrap();
    assert_eq!(place.undo("set1").paths.len(), 1);
}

#[test]
fn hostile_names_and_folders_are_refused() {
    let place = Place::new(&[("file.txt", "text")]);
    fs::create_dir(place.outside().join("keys")).unwrap();
    symlink(place.outside().join("keys"), place.code().join("link")).unwrap();
    for name in ["", "../a.pdf", "/etc/a.pdf", "..\\a.pdf", "a\0.pdf", ".hidden.pdf", ".."] {
        let error = place.attach("set1", "code", name).unwrap_err();
        assert!(matches!(error, FileError::Outside { .. } | FileError::Hidden { .. }), "{name:?}: {error}");
    }
    for folder in ["code/.git/hooks", "code/.vscode"] {
        assert!(matches!(place.attach("set1", folder, "a.json"), Err(FileError::Hidden { .. })), "{folder}");
    }
    for folder in ["code/..", "elsewhere", "code/file.txt", "code/file.txt/x", "code/link"] {
        assert!(place.attach("set1", folder, "a.pdf").is_err(), "{folder}");
    }
    assert_eq!(place.files(), ["file.txt", "link"].map(Path::new));
    assert_eq!(fs::read_dir(place.outside().join("keys")).unwrap().count(), 0);
}

#[test]
fn read_only_folder_and_too_many_bytes_are_refused() {
    let place = Place::new(&[]);
    let attach = |folders: Folders, bytes| {
        let folder = folders.find("code").unwrap();
        FileDraft::default().attach(&folder, "a.pdf", bytes).map(drop)
    };
    assert!(matches!(attach(place.folders(), PDF.to_vec()), Err(FileError::ReadOnly { .. })));
    let most = 50 * 1024 * 1024;
    assert!(attach(place.writable(), vec![0; most]).is_ok());
    let error = attach(place.writable(), vec![0; most + 1]).unwrap_err();
    assert_eq!(error.to_string(), "code/a.pdf is larger than 50 MB");
}

#[test]
fn interrupted_write_of_bytes_is_swept_and_undone() {
    let place = Place::new(&[]);
    place.attach("set1", "code", "a.pdf").unwrap();
    fs::remove_file(place.outside().join("kept/set1/1.done")).unwrap();
    place.write(".nova-set1-1.tmp", PDF);
    place.journal().sweep(|_| place.writable()).unwrap();
    assert_eq!(place.files(), [Path::new("a.pdf")]);
    assert_eq!(place.undo("set1").paths.len(), 1);
    assert!(place.files().is_empty());
}
