//! Temporary files that no line of the journal tells of, as a power cut leaves them.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// As after a start of the system: what the last one looked through is looked through again.
fn restart(bed: &Bed) {
    for file in files_below(&bed.history()) {
        if file.file_name().unwrap().to_str().unwrap().starts_with(".swept-") {
            fs::remove_file(file).unwrap();
        }
    }
}

fn mark(bed: &Bed) -> String {
    fs::read_to_string(bed.history().join(".mark")).unwrap()
}

#[test]
fn what_nobody_announced_is_swept_and_nothing_else_is() {
    let bed = Bed::new(&[("a.md", JANE), ("Deep/er/b.md", "b\n")]);
    let (announced, _) = change(&bed.vault(), |d| d.append(&path("a.md"), "more", None)).unwrap();
    let mark = mark(&bed);
    drop(bed.vault());
    let ours = ["Deep/er/.nova-gone-1.MARK.tmp", ".nova-0a-2b-17.MARK.tmp"];
    let others = [
        // Without a mark, of an earlier Nova or another one; with the mark of another one.
        ".nova-gone-1.tmp".to_owned(),
        ".nova-gone-1.0123abcd.tmp".to_owned(),
        // Announced.
        format!("Deep/.nova-{announced}-1.MARK.tmp"),
        // No names that Nova gives.
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
    assert!(bed.exists(&real(ours[0])), "the vault was looked through since the system started");
    restart(&bed);
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
fn the_file_of_a_running_nova_stays() {
    let _alone = one_at_a_time();
    let bed = Bed::new(&[("a.md", JANE)]);
    change(&bed.vault(), |d| d.append(&path("a.md"), "more", None)).unwrap();
    let temp = format!(".nova-live-1.{}.tmp", mark(&bed));
    bed.put(&temp, "x");
    // It has its journal, and has not announced anything in it.
    let lines = fs::File::create(bed.history().join("live.jsonl")).unwrap();
    lines.lock().unwrap();
    restart(&bed);
    drop(bed.vault());
    assert!(bed.exists(&temp));
    drop(lines);
    restart(&bed);
    drop(bed.vault());
    assert!(!bed.exists(&temp));
}
