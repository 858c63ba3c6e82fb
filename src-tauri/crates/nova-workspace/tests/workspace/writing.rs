use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use nova_workspace::{Access, FileDraft, FileError, FileJournal, FileRecord, Folder, Folders, Made, Undone};

use super::Place;

impl Place {
    pub(super) fn journal(&self) -> FileJournal {
        FileJournal::new(self.outside().join("kept"))
    }

    pub(super) fn writable(&self) -> Folders {
        Folders::new(vec![Folder::open("code", &self.code(), Access::Write).unwrap()])
    }

    fn plan(&self, plan: impl FnOnce(&mut FileDraft, &Folders) -> Result<(), FileError>) -> FileDraft {
        let mut draft = FileDraft::default();
        plan(&mut draft, &self.writable()).unwrap();
        draft
    }

    /// Writes the text of a file as one change set.
    fn put(&self, set: &str, path: &str, text: &str) -> Result<(), FileError> {
        let draft = self.plan(|draft, folders| draft.write(&folders.find(path)?, text.into()).map(drop));
        self.journal().apply(&draft, set, &made()).map(drop)
    }

    pub(super) fn undo(&self, set: &str) -> Undone {
        let open = |_: &Path| self.writable();
        self.journal().undo(set, |_| true, open, &format!("{set}-undo"), &made()).unwrap()
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.code().join(path)).unwrap()
    }

    /// All files in the folder, to show that no temporary file is left over.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> =
            fs::read_dir(self.code()).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.sort();
        found.iter().map(|path| path.strip_prefix(self.code()).unwrap().to_owned()).collect()
    }
}

pub(super) fn made() -> Made {
    Made { call: "call1".into(), author: "model".into(), at: "2026-11-24T10:00:00Z".into() }
}

#[test]
fn edits_of_one_file_in_a_draft_build_on_each_other() {
    let place = Place::new(&[("a.txt", "one two\n")]);
    let draft = place.plan(|draft, folders| {
        draft.edit(&folders.find("code/a.txt")?, "one", "1", None)?;
        draft.edit(&folders.find("code/a.txt")?, "two", "2", None)?;
        assert!(draft.write(&folders.find("code/b.txt")?, "b".into())?);
        assert!(draft.write(&folders.find("code/b.txt")?, "bb".into())?, "it is still new");
        Ok(())
    });
    assert_eq!(draft.changes().count(), 2);
    place.journal().apply(&draft, "set1", &made()).unwrap();
    assert_eq!((place.text("a.txt"), place.text("b.txt")), ("1 2\n".into(), "bb".into()));
    place.undo("set1");
    assert_eq!(place.text("a.txt"), "one two\n");
}

#[test]
fn undo_restores_the_previous_bytes() {
    let place = Place::new(&[("run.sh", "#!/bin/sh\r\n")]);
    fs::set_permissions(place.code().join("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    place.put("set1", "code/run.sh", "echo\n").unwrap();
    place.put("set1", "code/new/deep/file.txt", "new").unwrap();
    assert_eq!((place.text("run.sh"), place.text("new/deep/file.txt")), ("echo\n".into(), "new".into()));
    let mode = fs::metadata(place.code().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    assert_eq!(place.files(), [Path::new("new"), Path::new("run.sh")]);
    let kept: Vec<_> =
        place.journal().records("set1").unwrap().into_iter().map(|record| record.uncertain).collect();
    assert_eq!(kept, [false, false]);

    let undone = place.undo("set1");
    assert_eq!((undone.paths.len(), undone.conflicts.len()), (2, 0));
    assert_eq!(place.text("run.sh"), "#!/bin/sh\r\n");
    assert!(!place.code().join("new/deep/file.txt").exists());
    // The undo is itself a change set.
    assert_eq!(place.undo("set1-undo").paths.len(), 2);
    assert_eq!((place.text("run.sh"), place.text("new/deep/file.txt")), ("echo\n".into(), "new".into()));
    assert_eq!(place.undo("set1").paths.len(), 0, "undo is idempotent");
}

#[test]
fn undo_can_be_limited_to_one_file() {
    let place = Place::new(&[("a.txt", "a"), ("b.txt", "b")]);
    for name in ["a.txt", "b.txt"] {
        place.put("set1", &format!("code/{name}"), "after").unwrap();
    }
    let open = |_: &Path| place.writable();
    let is_a = |record: &FileRecord| record.path.ends_with("a.txt");
    let undone = place.journal().undo("set1", is_a, open, "set2", &made()).unwrap();
    assert_eq!(undone.paths.len(), 1);
    assert_eq!((place.text("a.txt"), place.text("b.txt")), ("a".into(), "after".into()));
}

#[test]
fn journal_is_private_and_stays_in_its_folder() {
    let place = Place::new(&[("a.txt", "before")]);
    place.put("set1", "code/a.txt", "after").unwrap();
    let folder = place.outside().join("kept/set1");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    for set in ["../kept/set1", "", "."] {
        assert!(place.journal().records(set).is_err(), "{set:?} names no change set");
    }
}

#[test]
fn later_edit_is_kept() {
    let place = Place::new(&[("a.txt", "before")]);
    let draft =
        place.plan(|draft, folders| draft.write(&folders.find("code/a.txt")?, "mine".into()).map(drop));
    place.write("a.txt", "theirs");
    assert!(matches!(place.journal().apply(&draft, "set1", &made()), Err(FileError::Changed { .. })));
    assert_eq!((place.text("a.txt"), place.files().len()), ("theirs".into(), 1));
    assert_eq!(place.journal().records("set1").unwrap(), []);

    place.put("set2", "code/a.txt", "mine").unwrap();
    place.write("a.txt", "theirs again");
    let undone = place.undo("set2");
    assert_eq!((undone.paths.len(), undone.conflicts.len()), (0, 1));
    assert_eq!(undone.conflicts[0].theirs, "theirs again");
    assert_eq!((undone.conflicts[0].mine.as_str(), place.text("a.txt")), ("theirs", "theirs again".into()));
}

#[test]
fn concurrently_created_file_is_kept() {
    let place = Place::new(&[]);
    let draft =
        place.plan(|draft, folders| draft.write(&folders.find("code/a.txt")?, "mine".into()).map(drop));
    place.write("a.txt", "theirs");
    assert!(matches!(place.journal().apply(&draft, "set1", &made()), Err(FileError::Changed { .. })));
    assert_eq!((place.text("a.txt"), place.files().len()), ("theirs".into(), 1));
}

#[test]
fn edit_requires_the_expected_number_of_occurrences() {
    let place = Place::new(&[("a.txt", "one\r\ntwo\r\none\r\n")]);
    let edit = |old: &str, new: &str, count| {
        let mut draft = FileDraft::default();
        draft.edit(&place.writable().find("code/a.txt").unwrap(), old, new, count).map(|()| draft)
    };
    for (old, count) in [("one", None), ("three", None), ("one", Some(3)), ("", None), ("one", Some(0))] {
        assert!(matches!(edit(old, "x", count), Err(FileError::Count { .. })), "{old} {count:?}");
    }
    let draft = edit("one\ntwo\n", "1\n2\n", None).unwrap();
    place.journal().apply(&draft, "set1", &made()).unwrap();
    assert_eq!(place.text("a.txt"), "1\r\n2\r\none\r\n");
}

#[test]
fn writes_to_read_only_binary_and_hard_linked_files_are_refused() {
    let place = Place::new(&[("a.txt", "text")]);
    place.write("a.bin", b"\x80\0\x01");
    fs::hard_link(place.code().join("a.txt"), place.outside().join("second-name")).unwrap();
    let mut draft = FileDraft::default();
    let read_only = place.folders().find("code/a.txt").unwrap();
    assert!(matches!(draft.write(&read_only, "x".into()), Err(FileError::ReadOnly { .. })));
    let folders = place.writable();
    assert!(matches!(
        draft.write(&folders.find("code/a.bin").unwrap(), "x".into()),
        Err(FileError::NotText { .. })
    ));
    assert!(matches!(draft.write(&folders.find("code").unwrap(), "x".into()), Err(FileError::Kind { .. })));
    assert!(matches!(place.put("set1", "code/a.txt", "x"), Err(FileError::Kind { .. })));
    assert_eq!(fs::read_to_string(place.outside().join("second-name")).unwrap(), "text");
}

#[test]
fn files_of_more_than_eight_megabytes_are_not_written() {
    let place = Place::new(&[("a.txt", "aaaa")]);
    let most = 8 * 1024 * 1024;
    let file = place.writable().find("code/a.txt").unwrap();
    let is_refused = |planned: Result<(), FileError>| matches!(planned, Err(FileError::TooLarge { .. }));
    let mut draft = FileDraft::default();
    assert!(is_refused(draft.write(&file, "b".repeat(most + 1)).map(drop)));
    assert!(is_refused(draft.edit(&file, "aaaa", &"b".repeat(most + 1), None)));
    draft.write(&file, "b".repeat(most)).unwrap();
    place.write("a.txt", "b".repeat(most + 1));
    let mut draft = FileDraft::default();
    assert!(is_refused(draft.write(&file, "short".into()).map(drop)), "the replaced bytes are kept for undo");
}

#[test]
fn link_is_not_followed_by_a_write() {
    let place = Place::new(&[]);
    fs::write(place.outside().join("key"), "key").unwrap();
    fs::create_dir(place.outside().join("keys")).unwrap();
    symlink(place.outside().join("key"), place.code().join("link")).unwrap();
    symlink(place.outside().join("keys"), place.code().join("folder")).unwrap();
    let mut draft = FileDraft::default();
    let folders = place.writable();
    for path in ["code/link", "code/folder/new.txt"] {
        let planned = draft.write(&folders.find(path).unwrap(), "mine".into());
        assert!(planned.is_err() || place.journal().apply(&draft, "set1", &made()).is_err(), "{path}");
    }
    assert_eq!(fs::read_to_string(place.outside().join("key")).unwrap(), "key");
    assert_eq!(fs::read_dir(place.outside().join("keys")).unwrap().count(), 0);
}

#[test]
fn link_swapped_in_during_a_write_is_not_followed() {
    let place = Place::new(&[("sub/a.txt", "start")]);
    let outside = place.outside().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.txt"), "untouched").unwrap();
    symlink(&outside, place.outside().join("link")).unwrap();
    let (sub, aside, link) =
        (place.code().join("sub"), place.outside().join("aside"), place.outside().join("link"));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::rename(&sub, &aside).unwrap();
                // The writer may have recreated the folder meanwhile.
                if fs::rename(&link, &sub).is_ok() {
                    fs::rename(&sub, &link).unwrap();
                } else {
                    let _ = fs::remove_dir_all(&sub);
                }
                while fs::rename(&aside, &sub).is_err() {
                    let _ = fs::remove_dir_all(&sub);
                }
            }
        });
        let mut outcomes = BTreeMap::<String, usize>::new();
        // Until the writes have met both the folder and the link.
        let enough = |outcomes: &BTreeMap<String, usize>| {
            let times =
                |part: &str| outcomes.iter().filter(|(said, _)| said.contains(part)).map(|(_, n)| n).sum();
            let (made, refused): (usize, usize) = (times("made"), times("outside its folder"));
            made > 2 && refused > 10
        };
        for number in 0..1_000_000 {
            if enough(&outcomes) {
                break;
            }
            let mut draft = FileDraft::default();
            let path = place.writable().find("code/sub/a.txt").unwrap();
            let written = draft
                .write(&path, format!("mine {number}"))
                .and_then(|_| place.journal().apply(&draft, "set1", &made()));
            let outcome = written.map_or_else(|error| error.to_string(), |_| "made".to_owned());
            *outcomes.entry(outcome).or_default() += 1;
        }
        done.store(true, Ordering::Relaxed);
        swapping.join().unwrap();
        assert!(enough(&outcomes), "{outcomes:?}");
    });
    assert_eq!(fs::read_to_string(outside.join("a.txt")).unwrap(), "untouched");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn interrupted_write_is_undone_by_the_files_contents() {
    let place = Place::new(&[("a.txt", "before")]);
    place.put("set1", "code/a.txt", "after").unwrap();
    fs::remove_file(place.outside().join("kept/set1/1.done")).unwrap();
    assert!(place.journal().records("set1").unwrap()[0].uncertain);
    assert_eq!(place.undo("set1").paths.len(), 1);
    assert_eq!(place.text("a.txt"), "before");
    // Killed before the texts were saved: the file stays as it is.
    place.put("set2", "code/a.txt", "after").unwrap();
    for what in ["before", "after", "done"] {
        fs::remove_file(place.outside().join(format!("kept/set2/1.{what}"))).unwrap();
    }
    assert_eq!(place.undo("set2").paths.len(), 0);
    assert_eq!(place.text("a.txt"), "after");
}

#[test]
fn sweep_removes_temporary_files_and_keeps_edits() {
    let place = Place::new(&[("a.txt", "before"), ("b.txt", "before"), ("c.txt", "before")]);
    for name in ["a.txt", "b.txt", "c.txt"] {
        place.put("set1", &format!("code/{name}"), "after").unwrap();
    }
    for (number, text) in [(1, "before"), (2, "somebody's edit"), (3, "after")] {
        place.write(&format!(".nova-set1-{number}.tmp"), text);
        place.write(&format!(".nova-set1-{number}.tmp.old"), text);
        if number < 3 {
            fs::remove_file(place.outside().join(format!("kept/set1/{number}.done"))).unwrap();
        }
    }
    place.journal().sweep(|_| place.writable()).unwrap();
    let left = [
        ".nova-set1-2.tmp",
        ".nova-set1-2.tmp.old",
        ".nova-set1-3.tmp",
        ".nova-set1-3.tmp.old",
        "a.txt",
        "b.txt",
        "c.txt",
    ];
    assert_eq!(
        place.files(),
        left.map(PathBuf::from),
        "the third write was completed; the file is the user's"
    );
}

#[test]
fn old_change_sets_are_pruned() {
    let place = Place::new(&[]);
    place.put("set1", "code/a.txt", "a").unwrap();
    place.journal().prune("2026-11-24T10:00:00Z").unwrap();
    assert_eq!(place.journal().sets().unwrap(), ["set1"]);
    place.journal().prune("2026-11-25T10:00:00Z").unwrap();
    assert_eq!(place.journal().sets().unwrap(), [""; 0]);
}
