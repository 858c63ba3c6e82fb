//! How editors save a note.

use super::*;

#[test]
fn saved_in_place() {
    let vault = Fixture::with("a.md = stage: lead", patient());
    vault.save_in_place("a.md", "stage: won");
    vault.expect("modified a.md: stage: lead → stage: won");
}

#[test]
fn created_and_removed() {
    let vault = Fixture::new("old.md = old");
    vault.write("People/Jane Doe.md", "new");
    vault.remove("old.md");
    vault.expect(
        "created People/Jane Doe.md = new
         removed old.md: old",
    );
}

#[test]
fn saved_by_renaming_a_temporary_file() {
    for temporary in [".a.md.tmp", "a.md.tmp"] {
        let vault = Fixture::new("a.md = one");
        vault.save_in_place(temporary, "two");
        vault.rename(temporary, "a.md");
        vault.expect("modified a.md: one → two");
    }
}

#[test]
fn saved_as_by_vim() {
    let vault = Fixture::with("a.md = one", patient());
    vault.rename("a.md", "a.md~");
    vault.save_in_place("a.md", "two");
    vault.remove("a.md~");
    vault.expect("modified a.md: one → two");
}

#[cfg(target_os = "linux")]
#[test]
fn saved_by_exchanging_two_files() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    let vault = Fixture::new("a.md = one");
    vault.write(".nova-1.tmp", "two");
    let (new, note) = (vault.path(".nova-1.tmp"), vault.path("a.md"));
    renameat_with(CWD, new, CWD, note, RenameFlags::EXCHANGE).expect("exchange");
    vault.remove(".nova-1.tmp");
    vault.expect("modified a.md: one → two");
}

#[test]
fn renamed() {
    let vault = Fixture::with("Jane.md = hello", patient());
    vault.rename("Jane.md", "Jane Doe.md");
    vault.expect("renamed Jane.md to Jane Doe.md: hello → hello");
}

#[test]
fn renamed_into_another_folder_and_edited() {
    let vault = Fixture::with("Inbox/a.md = one\nDone/b.md = b", patient());
    vault.rename("Inbox/a.md", "Done/a.md");
    vault.expect("renamed Inbox/a.md to Done/a.md: one → one");
    vault.write("Done/a.md", "two");
    vault.expect("modified Done/a.md: one → two");
}

#[test]
fn renamed_over_another_note() {
    let vault = Fixture::new("a.md = one\nb.md = two");
    vault.rename("a.md", "b.md");
    vault.expect(
        "modified b.md: two → one
         removed a.md: one",
    );
}

#[test]
fn renamed_without_events() {
    let vault = Fixture::deaf("a.md = one\nb.md = two\nc.md = three");
    vault.rename("a.md", "x.md");
    vault.save_in_place("x.md", "one, edited");
    vault.rename("b.md", "y.md");
    vault.watch.flush();
    vault.expect(
        "renamed a.md to x.md: one → one, edited
         renamed b.md to y.md: two → two",
    );
}

#[test]
fn new_file_with_a_reused_id_is_not_a_rename() {
    let vault = Fixture::deaf("a.md = one");
    vault.remove("a.md");
    vault.write("b.md", "another text");
    vault.watch.flush();
    vault.expect(
        "created b.md = another text
         removed a.md: one",
    );
}

#[test]
fn five_hundred_notes_written_several_times() {
    let vault = Fixture::new("a.md = a");
    for round in 1..=4 {
        for n in 0..500 {
            vault.save_in_place(&format!("{n}.md"), &format!("{n} round {round}"));
        }
    }
    let mut reported = BTreeMap::from([("a.md".to_owned(), "a".to_owned())]);
    vault.follow(&mut reported);
    assert_eq!(reported.len(), 501);
}

#[test]
fn reads_are_not_reported() {
    let vault = Fixture::new("a.md = a\nFolder/b.md = b");
    for _ in 0..100 {
        fs::read(vault.path("a.md")).expect("read");
        fs::read_dir(vault.path("Folder")).expect("list").for_each(drop);
    }
    vault.expect_silence();
}

#[test]
fn dot_folders_and_other_files_are_not_reported() {
    let vault = Fixture::new("a.md = a\n.obsidian/plugins.md = x");
    vault.write(".obsidian/plugins.md", "y");
    vault.write(".obsidian/new/deep.md", "y");
    vault.write("Folder/.git/COMMIT.md", "y");
    vault.write(".nova-01J.tmp", "y");
    vault.write("Folder/.hidden.md", "y");
    vault.write("Folder/picture.png", "y");
    vault.rename("Folder/picture.png", "Folder/other.png");
    vault.expect_silence();
    fs::create_dir(vault.path(".trash")).expect("create");
    vault.rename("a.md", ".trash/a.md");
    vault.expect("removed a.md: a");
}

#[test]
fn unchanged_bytes_are_not_reported() {
    let vault = Fixture::with("a.md = a", patient());
    vault.save_in_place("a.md", "a");
    vault.write("a.md", "a");
    set_modified(&vault.path("a.md"), std::time::SystemTime::UNIX_EPOCH);
    vault.expect_silence();
}

#[test]
fn edit_that_keeps_size_and_time_is_found() {
    let vault = Fixture::deaf("a.md = one");
    let time = fs::metadata(vault.path("a.md")).and_then(|note| note.modified());
    vault.save_in_place("a.md", "two");
    set_modified(&vault.path("a.md"), time.expect("a time"));
    vault.watch.flush();
    vault.expect("modified a.md: one → two");
}

/// How programs save `a.md` once; each line is a step: `file = text`, `file -> file` or `- file`.
#[test]
#[rustfmt::skip] // one program a line
fn saves_of_various_programs_are_one_change() {
    let check = |program: &str, steps: &[&str]| {
        let vault = Fixture::with("a.md = one", patient());
        for step in steps {
            if let Some((file, text)) = step.split_once(" = ") {
                vault.save_in_place(file, text);
            } else if let Some((from, to)) = step.split_once(" -> ") {
                vault.rename(from, to);
            } else if let Some(file) = step.strip_prefix("- ") {
                vault.remove(file);
            }
        }
        eprintln!("{program}");
        vault.expect("modified a.md: one → two");
    };
    check("Obsidian, VS Code: in place", &["a.md = two"]);
    check("vim, backup kept", &["a.md -> a.md~", "a.md = two"]);
    check("vim, backupcopy=yes", &["a.md~ = one", "a.md = two", "- a.md~"]);
    check("vim, with its swap file", &[".a.md.swp = x", "4913 = x", "- 4913", "a.md -> a.md~", "a.md = two", "- a.md~", "- .a.md.swp"]);
    check("Emacs", &["#a.md# = two", "a.md -> a.md~", "a.md = two", "- #a.md#"]);
    check("GNOME Text Editor, Gedit", &[".goutputstream-X1Y2Z3 = two", ".goutputstream-X1Y2Z3 -> a.md"]);
    check("Kate", &["a.md.AbCdEf = two", "a.md.AbCdEf -> a.md"]);
    check("Syncthing", &[".syncthing.a.md.tmp = two", ".syncthing.a.md.tmp -> a.md"]);
    check("Syncthing on Windows", &["~syncthing~a.md.tmp = two", "~syncthing~a.md.tmp -> a.md"]);
    check("Dropbox", &[".dropbox.cache-new = two", ".dropbox.cache-new -> a.md"]);
    check("Nextcloud", &[".a.md.~4f2a = two", ".a.md.~4f2a -> a.md"]);
    check("OneDrive", &["a.md.tmp = two", "- a.md", "a.md.tmp -> a.md"]);
    check("iCloud Drive", &[".a.md.icloud = x", "- a.md", "a.md = two", "- .a.md.icloud"]);
    check("deleted and made anew", &["- a.md", "a.md = two"]);
}

#[test]
fn edit_by_a_clock_that_was_set_back_is_found() {
    let vault = Fixture::deaf("a.md = one");
    let hour = std::time::Duration::from_secs(3600);
    let now = std::time::SystemTime::now();
    for (text, time) in [("two", now - hour), ("six", now + hour), ("ten", now - 2 * hour)] {
        let before = fs::read_to_string(vault.path("a.md")).expect("read");
        vault.save_in_place("a.md", text);
        set_modified(&vault.path("a.md"), time);
        vault.watch.flush();
        vault.expect(&format!("modified a.md: {before} → {text}"));
    }
}
