//! Temporary files without journal entries, as left by a power cut.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn only_unannounced_files_are_swept() {
    let bed = Bed::new(&[("a.md", JANE), ("Deep/er/b.md", "b\n")]);
    let (announced, _) = change(&bed.vault(), |d| d.append(&path("a.md"), "more", None)).unwrap();
    let mark = bed.mark();
    drop(bed.vault());
    let ours = ["Deep/er/.nova-gone-1.MARK.tmp", ".nova-0a-2b-17.MARK.tmp"];
    let others = [
        // Without a mark, from an older version or another Nova; with another mark.
        ".nova-gone-1.tmp".to_owned(),
        ".nova-gone-1.0123abcd.tmp".to_owned(),
        // Announced.
        format!("Deep/.nova-{announced}-1.MARK.tmp"),
        // Not names that Nova uses.
        ".nova-gone.MARK.tmp".to_owned(),
        ".nova-gone-1.MARK.tmp.md".to_owned(),
        ".nova--1.MARK.tmp".to_owned(),
        "nova-gone-1.MARK.tmp".to_owned(),
        ".trash/.nova-gone-1.MARK.tmp".to_owned(),
    ];
    let real = |name: &str| name.replace("MARK", &mark);
    for name in ours {
        bed.put(&real(name), "---\ntype: con");
    }
    for name in &others {
        bed.put(&real(name), "x");
    }
    fs::create_dir(bed.root().join(real(".nova-folder-1.MARK.tmp"))).unwrap();
    symlink(bed.root().join("a.md"), bed.root().join(real(".nova-link-1.MARK.tmp"))).unwrap();

    drop(bed.vault());
    assert!(bed.exists(&real(ours[0])), "the vault was already swept since boot");
    bed.restart();
    drop(bed.vault());
    for name in ours {
        assert!(!bed.exists(&real(name)), "{name}");
    }
    let stay = [".nova-folder-1.MARK.tmp".to_owned(), ".nova-link-1.MARK.tmp".to_owned()];
    for name in others.iter().chain(&stay) {
        assert!(bed.exists(&real(name)), "{name}");
    }
    assert_eq!(bed.text("a.md"), format!("{JANE}more\n"));
}

#[test]
fn file_of_a_running_process_stays() {
    let _alone = one_at_a_time();
    let bed = Bed::new(&[("a.md", JANE)]);
    change(&bed.vault(), |d| d.append(&path("a.md"), "more", None)).unwrap();
    let temp = format!(".nova-live-1.{}.tmp", bed.mark());
    bed.put(&temp, "x");
    // Its journal exists, but has no announcement yet.
    let lines = fs::File::create(bed.history().join("live.jsonl")).unwrap();
    lines.lock().unwrap();
    bed.restart();
    drop(bed.vault());
    assert!(bed.exists(&temp));
    drop(lines);
    bed.restart();
    drop(bed.vault());
    assert!(!bed.exists(&temp));
}

#[test]
fn file_that_cannot_be_removed_does_not_keep_others() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let left = ["A/.nova-gone-1.tmp", "B/.nova-gone-2.tmp", "C/.nova-gone-3.tmp"];
    left.iter().for_each(|file| bed.put(file, "x"));
    let vault = bed.vault();
    // Another process removes the first file encountered.
    let first = std::cell::Cell::new(true);
    let removed = vault.core().disk.remove_hidden(&|name| {
        if first.replace(false) {
            let file = left.iter().find(|file| file.ends_with(name)).unwrap();
            fs::remove_file(bed.root().join(file)).unwrap();
        }
        true
    });
    assert_eq!((removed, bed.leftovers()), (2, Vec::new()));
}

#[test]
fn copied_data_folder_does_not_claim_files_of_the_original() {
    let bed = Bed::new(&[("a.md", JANE)]);
    change(&bed.vault(), |d| d.append(&path("a.md"), "more", None)).unwrap();
    let copy = bed.dir.path().join("copy/history");
    fs::create_dir_all(&copy).unwrap();
    // As on another machine that has the vault through a sync program.
    for file in files_below(&bed.history()) {
        let name = file.file_name().unwrap().to_owned();
        if !name.to_str().unwrap().starts_with(".swept-") {
            fs::copy(file, copy.join(name)).unwrap();
        }
    }
    let mark = bed.mark();
    let temp = format!(".nova-later-1.{mark}.tmp");
    bed.put(&temp, "x");
    let on_copy = Vault::open(VaultOptions { history: copy, ..bed.options() }).unwrap();
    assert!(bed.exists(&temp));
    change(&on_copy, |d| d.append(&path("a.md"), "and more", None)).unwrap();
    assert_ne!(on_copy.core().journal.known_mark(), Some(&*mark));
}
