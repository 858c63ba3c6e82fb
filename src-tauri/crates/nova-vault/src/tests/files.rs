//! Binary files next to notes: created, never modified, and removed only if unchanged.

use std::fs;

use super::*;
use crate::step::Step;
use crate::{ChangeSetState, MAX_FILE_BYTES, Privacy, Scope, VaultChangeKind};

/// The start of a PDF, followed by bytes that are no text.
const SCAN: &[u8] = b"%PDF-1.7\n\xff\xfe\0\x80scan";

fn attach(name: &str, bytes: &[u8]) -> impl FnOnce(&mut Draft) -> Result<(), VaultError> {
    let (name, bytes) = (name.to_owned(), bytes.to_vec());
    move |draft| draft.attach_file("Files", &name, bytes).map(drop)
}

fn bytes(bed: &Bed, path: &str) -> Vec<u8> {
    fs::read(bed.root().join(path)).unwrap()
}

#[test]
fn file_is_created_undone_and_restored() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    let mut draft = vault.draft();
    let made = draft.attach_file("Files", "Scan.pdf", SCAN.to_vec()).unwrap();
    assert_eq!((made.path.as_str(), made.link.as_str()), ("Files/Scan.pdf", "![[Scan.pdf]]"));
    assert_eq!(draft.paths(), [path("Files/Scan.pdf")]);
    assert_eq!(draft.diffs()[0].diff.summary, "new file, 17 bytes");
    assert!(draft.fork().is_empty(), "a fork does not own the parent's plan");
    assert!(!bed.exists("Files"), "nothing is written yet");
    drop(draft);

    let (id, applied) = change(&vault, attach("Scan.pdf", SCAN)).unwrap();
    assert_eq!(applied.changes.len(), 1);
    assert_eq!(bytes(&bed, "Files/Scan.pdf"), SCAN);
    let shown = vault.history().show(&id).unwrap();
    assert_eq!((&shown.texts[0].after, shown.texts[0].diff.summary.as_str()), (&None, "new file, 17 bytes"));

    let user = Author::new("user");
    let undone = vault.history().undo(&id, Scope::All, &user).unwrap();
    assert_eq!((undone.undone.as_slice(), undone.conflicts.len()), ([path("Files/Scan.pdf")].as_slice(), 0));
    assert!(!bed.exists("Files/Scan.pdf"));
    let redone = vault.history().undo(&undone.change_set, Scope::All, &user).unwrap();
    assert_eq!(redone.undone, [path("Files/Scan.pdf")]);
    assert_eq!(bytes(&bed, "Files/Scan.pdf"), SCAN);
    drop(vault);
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}

#[test]
fn undo_leaves_a_file_that_was_changed_since() {
    for edited in [b"%PDF-1.7\n\xff signed".as_slice(), b"now a text\n", b""] {
        let bed = Bed::new(&[]);
        let vault = bed.vault();
        let (id, _) = change(&vault, attach("Scan.pdf", SCAN)).unwrap();
        fs::write(bed.root().join("Files/Scan.pdf"), edited).unwrap();
        let undone = vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
        assert_eq!(undone.undone, []);
        assert_eq!(undone.conflicts[0].what, ["edited since"]);
        let kept = vault.change_set(ChangeSetKind::Form, String::new());
        kept.keep_mine(&undone.conflicts[0], &Author::new("user")).ok();
        assert!(!bed.exists("Files/Scan.pdf") || bytes(&bed, "Files/Scan.pdf") == edited);
    }
}

#[test]
fn file_created_concurrently_is_not_replaced() {
    for there in [b"\xff theirs".as_slice(), b"their text\n"] {
        let bed = Bed::new(&[]);
        let vault = bed.vault();
        let mut draft = vault.draft();
        draft.attach_file("", "Scan.pdf", SCAN.to_vec()).unwrap();
        fs::write(bed.root().join("Scan.pdf"), there).unwrap();
        let changes = vault.change_set(ChangeSetKind::Turn, String::new());
        let refused = changes.apply(draft, &model("call_1")).unwrap_err();
        assert!(matches!(refused, VaultError::Exists { .. }), "{refused}");
        assert_eq!(bytes(&bed, "Scan.pdf"), there);

        // Just before our file gets its name.
        let bed = Bed::new(&[]);
        let at = bed.root().join("Scan.pdf");
        let vault = bed.hooked(move |step, _| match step {
            Step::Exchange => fs::write(&at, there),
            _ => Ok(()),
        });
        let refused = change(&vault, |draft| draft.attach_file("", "Scan.pdf", SCAN.to_vec()).map(drop));
        assert!(matches!(refused, Err(VaultError::Exists { .. })), "{refused:?}");
        assert_eq!(bytes(&bed, "Scan.pdf"), there);
        assert_eq!(bed.leftovers(), Vec::<String>::new());
    }
}

#[test]
fn taken_name_gets_a_number() {
    let bed = Bed::new(&[("Files/scan.PDF", "theirs"), ("Files/Scan 1.pdf", "theirs")]);
    let vault = bed.vault();
    let mut draft = vault.draft();
    let mut made = |name: &str| draft.attach_file("files/", name, SCAN.to_vec()).unwrap().path.to_string();
    assert_eq!(
        [made("Scan.pdf"), made("Scan.pdf"), made("Scan.png")],
        ["Files/Scan 2.pdf", "Files/Scan 3.pdf", "Files/Scan.png"]
    );
    let changes = vault.change_set(ChangeSetKind::Turn, String::new());
    assert_eq!(changes.apply(draft, &model("call_1")).unwrap().changes.len(), 3);
    assert_eq!(bytes(&bed, "Files/Scan 3.pdf"), SCAN);
}

#[test]
fn hostile_names_become_safe_ones_or_are_refused() {
    let bed = Bed::new(&[]);
    let vault = bed.vault();
    let long = format!("{}.pdf", "ä".repeat(300));
    for (name, made) in [
        ("../../etc/passwd.pdf", "-..-etc-passwd.pdf"),
        ("..\\..\\a.pdf", "-..-a.pdf"),
        ("/etc/a.pdf", "-etc-a.pdf"),
        ("C:\\a.pdf", "C--a.pdf"),
        ("a\0b\nc\u{7f}.pdf", "a-b-c-.pdf"),
        (".hidden.pdf", "hidden.pdf"),
        (".pdf", "Untitled.pdf"),
        ("   .pdf", "Untitled.pdf"),
        ("CON.pdf", "CON_.pdf"),
        ("nul.tar.gz", "nul.tar_.gz"),
        ("invoice.exe.pdf", "invoice.exe.pdf"),
        ("a[[b]]#c^d|e.PDF", "a--b--#c^d|e.PDF"),
        (long.as_str(), ""),
    ] {
        let path = vault.draft().attach_file("Files", name, SCAN.to_vec()).unwrap().path;
        let file = path.as_str().strip_prefix("Files/").unwrap();
        match made {
            "" => assert!(file.len() < 240 && file.ends_with("ä.pdf"), "{file}"),
            // Characters that links cannot contain are replaced.
            made => assert_eq!(file, made.replace(['#', '^', '|'], "-"), "{name:?}"),
        }
    }
    for name in [
        "a.md",
        "a.MD",
        "a.base",
        "a.canvas",
        "a.exe",
        "invoice.pdf.exe",
        "a.desktop",
        "a.html",
        "a.svg",
        "a.xml",
        "a.js",
        "a.pdf.",
        "a.pdf ..",
        "a",
        "",
        "pdf",
        "a.sh",
        "a.lnk",
        "a.url",
        "a.docm",
        "a.pdf/..",
        "a.\u{202e}fdp",
    ] {
        let refused = vault.draft().attach_file("Files", name, SCAN.to_vec());
        assert!(refused.is_err(), "{name:?}: {refused:?}");
    }
    for folder in ["..", "a/../..", "/etc", ".obsidian", "a/.git", "a//b", "C:\\x"] {
        let refused = vault.draft().attach_file(folder, "a.pdf", SCAN.to_vec());
        assert!(refused.is_err(), "{folder:?}: {refused:?}");
    }
    assert_eq!(files_below(&bed.root()), Vec::<PathBuf>::new());
}

#[test]
fn file_of_50_mib_is_written_and_a_larger_one_refused() {
    let bed = Bed::in_memory(&[]);
    let vault = bed.vault();
    let most = usize::try_from(MAX_FILE_BYTES).unwrap();
    let mut large = vec![0xff; most];
    change(&vault, attach("Large.zip", &large)).unwrap();
    assert_eq!(fs::metadata(bed.root().join("Files/Large.zip")).unwrap().len(), MAX_FILE_BYTES);
    large.push(0);
    let refused = change(&vault, attach("Larger.zip", &large)).unwrap_err();
    assert_eq!(
        refused.message(),
        "\"Files/Larger.zip\" has 52428801 bytes, more than the 50 MiB a file may have"
    );
}

#[test]
fn file_and_note_of_a_draft_are_written_together_or_not_at_all() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let plan = |draft: &mut Draft| {
        draft.append(&path("a.md"), "![[Scan.pdf]]", None)?;
        draft.attach_file("Files", "Scan.pdf", SCAN.to_vec()).map(drop)
    };
    let vault = bed.hooked(|step, what| match step {
        Step::SyncFolder if what == "Files/Scan.pdf" => Err(std::io::Error::other("the disk is gone")),
        _ => Ok(()),
    });
    change(&vault, plan).unwrap_err();
    assert_eq!(bed.text("a.md"), JANE);
    assert!(!bed.exists("Files"), "{:?}", files_below(&bed.root()));
    drop(vault);
    change(&bed.vault(), plan).unwrap();
    assert!(bed.text("a.md").ends_with("![[Scan.pdf]]\n"));
    assert_eq!(bytes(&bed, "Files/Scan.pdf"), SCAN);
}

#[test]
fn failed_set_removes_its_file_again() {
    let bed = Bed::new(&[]);
    let vault = bed.hooked(|step, what| match step {
        Step::SyncFolder if what == "Files/b.pdf" => Err(std::io::Error::other("the disk is gone")),
        _ => Ok(()),
    });
    let mut draft = vault.draft();
    draft.attach_file("Files", "a.pdf", SCAN.to_vec()).unwrap();
    draft.attach_file("Files", "b.pdf", b"\xff second".to_vec()).unwrap();
    let changes = vault.change_set(ChangeSetKind::Turn, String::new());
    changes.apply(draft, &model("call_1")).unwrap_err();
    drop((changes, vault));
    let left: Vec<_> = files_below(&bed.root());
    assert_eq!(left, Vec::<PathBuf>::new());
}

#[test]
fn watcher_names_nova_as_the_author() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    let mut changes = vault.changes();
    change(&vault, attach("Scan.pdf", SCAN)).unwrap();
    change(&vault, |draft| draft.append(&path("a.md"), "more", None)).unwrap();
    vault.flush_changes();
    let reported: Vec<_> = std::iter::from_fn(|| changes.try_recv().ok()).collect();
    assert!(reported.iter().all(|change| change.by != crate::By::Outside), "{reported:?}");
    assert!(reported.iter().any(|change| change.kind == VaultChangeKind::Modified), "{reported:?}");
}

#[test]
fn remote_reader_cannot_attach_to_a_private_folder() {
    let bed = Bed::new(&[]);
    let privacy = Privacy { remote: true, private: vec!["Private".to_owned()] };
    let refused =
        bed.vault().seen_by(Arc::new(privacy)).draft().attach_file("Private", "a.pdf", SCAN.to_vec());
    assert!(matches!(refused, Err(VaultError::Private { .. })), "{refused:?}");
}

#[test]
fn undo_works_for_binary_files_of_any_size() {
    // Sizes around the journal's buffer limits.
    for len in [0, 1, 4095, 128 * 1024, 256 * 1024, 256 * 1024 + 1, 3 * 1024 * 1024] {
        let content: Vec<u8> = (0..len).map(|at| u8::try_from(at * 7 % 256).unwrap()).collect();
        let bed = Bed::new(&[]);
        let vault = bed.vault();
        let (id, _) = change(&vault, attach("a.zip", &content)).unwrap();
        assert_eq!(bytes(&bed, "Files/a.zip"), content, "{len}");
        drop(vault);
        let vault = bed.vault();
        let undone = vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
        assert!(!bed.exists("Files/a.zip"), "{len}");
        vault.history().undo(&undone.change_set, Scope::All, &Author::new("user")).unwrap();
        assert_eq!(bytes(&bed, "Files/a.zip"), content, "{len}: restored");
        let states: Vec<_> = vault.history().list().unwrap().iter().map(|set| set.state).collect();
        assert_eq!(
            states,
            [ChangeSetState::Committed, ChangeSetState::Undone, ChangeSetState::Committed],
            "{len}"
        );
    }
}
