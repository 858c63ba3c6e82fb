//! What can be merged with nothing is kept: as a whole, under a name that a file can have, and said.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::step::Step;

const NOTE: &str = "---\nstage: lead\n---\n# Jane\n";
const NO_NOTE: &str = "---\nstage: [\n---\n";

fn conflicts(bed: &Bed) -> Vec<PathBuf> {
    let mut files = files_below(&bed.dir.path().canonicalize().unwrap().join("data/conflicts"));
    files.sort();
    files
}

fn texts(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// Changes the note, with an edit made in its displaced file and a note that cannot be read in its
/// place by the next start: nothing to merge the edit with.
fn edited_too_late(bed: &Bed, note: &str) -> Vault {
    let mut editor = OpenOptions::new().append(true).open(bed.root().join(note)).unwrap();
    change(&bed.vault(), |d| d.set_properties(&path(note), &[set("stage", "won")])).unwrap();
    editor.write_all(b"- late\n").unwrap();
    bed.put(note, NO_NOTE);
    bed.vault()
}

#[test]
fn an_edit_is_kept_however_long_the_name_of_its_note_is() {
    for name in ["x".repeat(252), "é".repeat(126), "日".repeat(84), "𝄞".repeat(63)] {
        let note = format!("{name}.md");
        let bed = Bed::new(&[(&note, NOTE)]);
        let vault = edited_too_late(&bed, &note);

        let kept = conflicts(&bed);
        assert_eq!(texts(&kept), [format!("{NOTE}- late\n")], "{name}");
        let problems = vault.problems().unwrap();
        let named = kept[0].display().to_string();
        assert!(problems.iter().any(|p| p.path == note && p.remedy.contains(&named)), "{problems:?}");
    }
}

#[test]
fn a_file_that_a_full_disk_cut_short_does_not_count_as_the_kept_edit() {
    for there in ["", "---\nstage"] {
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        let text = format!("{NOTE}- late\n");
        let hash = crate::ContentHash::of(text.as_bytes()).to_string();
        let folder = bed.history().with_file_name("conflicts");
        fs::create_dir_all(&folder).unwrap();
        let short = folder.join(format!("set0-1-{} Jane.md", &hash[..8]));
        fs::write(&short, there).unwrap();

        let vault = edited_too_late(&bed, "Jane.md");

        let mut kept = conflicts(&bed);
        kept.retain(|file| *file != short);
        assert_eq!(texts(&kept), [text], "beside {there:?}");
        let problems = vault.problems().unwrap();
        let named = kept[0].display().to_string();
        assert!(problems.iter().any(|problem| problem.remedy.contains(&named)), "{problems:?}");
    }
}

#[test]
fn an_edit_that_finds_no_room_is_kept_at_the_next_start() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let file = bed.root().join("Jane.md");
    let full = Arc::new(AtomicBool::new(false));
    let was_full = Arc::clone(&full);
    let vault = bed.hooked(move |step, _| match step {
        // Edited while it is deleted, and another note takes its name.
        Step::Exchange => fs::write(&file, format!("{NOTE}- mine\n")),
        Step::SwapBack => fs::write(&file, NO_NOTE),
        Step::Keep => {
            was_full.store(true, Ordering::SeqCst);
            Err(std::io::ErrorKind::StorageFull.into())
        }
        _ => Ok(()),
    });
    change(&vault, |d| d.delete(&path("Jane.md"))).unwrap_err();
    drop(vault);
    assert!(full.load(Ordering::SeqCst));
    assert_eq!(conflicts(&bed), Vec::<PathBuf>::new());

    let vault = bed.vault();
    assert_eq!(texts(&conflicts(&bed)), [format!("{NOTE}- mine\n")]);
    let problems = vault.problems().unwrap();
    assert!(problems.iter().any(|problem| problem.remedy.contains("conflicts")), "{problems:?}");
    assert_eq!((bed.text("Jane.md"), bed.leftovers()), (NO_NOTE.to_owned(), Vec::new()));
}

#[test]
fn what_was_kept_twice_is_said_once() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    drop(edited_too_late(&bed, "Jane.md"));
    let kept = conflicts(&bed);
    // As a Nova that ended between the file and the end of the write finds it.
    let lines = bed.history().join("set0.jsonl");
    bed.without_log();
    let text = fs::read_to_string(&lines).unwrap();
    let line = text.lines().find(|line| line.contains("\"kept\"")).unwrap();
    fs::write(&lines, format!("{text}{line}\n")).unwrap();

    let vault = bed.vault();
    let named = kept[0].display().to_string();
    let problems = vault.problems().unwrap();
    assert_eq!(problems.iter().filter(|p| p.remedy.contains(&named)).count(), 1, "{problems:?}");
}
