//! What can be merged with nothing is kept: as a whole, under a name that a file can have, and said.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::step::Step;
use crate::write::{Displaced, SetJournal};

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

/// A vault for which some steps fail for want of room while that is said.
fn with_disk(bed: &Bed, system: System, fails: &'static [Step], full: &Arc<AtomicBool>) -> Vault {
    let full = Arc::clone(full);
    system.under(bed.hooked(move |step, _| match fails.contains(&step) && full.load(Ordering::SeqCst) {
        true => Err(std::io::ErrorKind::StorageFull.into()),
        false => Ok(()),
    }))
}

fn not_kept(vault: &Vault) -> Vec<String> {
    let problems = vault.problems().unwrap().into_iter();
    let not_kept = problems.filter(|one| one.path == "Jane.md" && one.problem.contains("nor kept"));
    not_kept.map(|one| one.remedy).collect()
}

#[test]
fn a_late_edit_that_finds_no_room_waits_for_the_next_start_and_is_told_until_then() {
    for system in System::EACH {
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        // Nova's own disk, not the vault's.
        let full = Arc::new(AtomicBool::new(false));
        let vault = with_disk(&bed, system, &[Step::Keep], &full);
        let mut editor = OpenOptions::new().append(true).open(bed.root().join("Jane.md")).unwrap();
        change(&vault, |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap();
        editor.write_all(b"- late\n").unwrap();
        bed.put_whole("Jane.md", NO_NOTE);
        full.store(true, Ordering::SeqCst);
        drop(vault);

        // Full still.
        let vault = with_disk(&bed, system, &[Step::Keep], &full);
        let [beside] = &bed.leftovers()[..] else { panic!("{system:?}: {:?}", bed.leftovers()) };
        assert_eq!(bed.text(beside), format!("{NOTE}- late\n"), "{system:?}");
        let told = not_kept(&vault);
        assert!(told.len() == 1 && told[0].contains(beside), "{system:?}: {told:?}");
        assert_eq!(conflicts(&bed), Vec::<PathBuf>::new(), "{system:?}");
        // Another Nova finds room.
        drop(bed.vault());
        assert_eq!(not_kept(&vault), [""; 0], "{system:?}");
        assert_eq!(texts(&conflicts(&bed)), [format!("{NOTE}- late\n")], "{system:?}");
        assert_eq!((bed.text("Jane.md"), bed.leftovers()), (NO_NOTE.to_owned(), Vec::new()), "{system:?}");
    }
}

#[test]
fn a_late_edit_that_has_no_room_anywhere_is_held_open_and_tried_again() {
    let _alone = one_at_a_time();
    for also_the_vaults in [true, false] {
        let fails: &[Step] = if also_the_vaults { &[Step::Keep, Step::CreateTemp] } else { &[Step::Keep] };
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        let full = Arc::new(AtomicBool::new(false));
        let vault = with_disk(&bed, System::NoExchange, fails, &full);
        let mut editor = OpenOptions::new().append(true).open(bed.root().join("Jane.md")).unwrap();
        let mut draft = vault.draft();
        draft.set_properties(&path("Jane.md"), &[set("stage", "won")]).unwrap();
        let changes = Arc::new(SetJournal::new("late".to_owned(), ChangeSetKind::Turn, "a turn".to_owned()));
        let (applied, displaced) = changes.apply(vault.core(), &draft.plan(), &model("call_1"));
        applied.unwrap();
        let look = |displaced: Vec<Displaced>| -> Vec<Displaced> {
            displaced.into_iter().flat_map(|one| one.last_look(vault.core())).collect()
        };
        editor.write_all(b"- late\n").unwrap();
        bed.put_whole("Jane.md", NO_NOTE);
        full.store(true, Ordering::SeqCst);

        let displaced = look(displaced);
        assert_eq!(bed.leftovers().len(), usize::from(!also_the_vaults));
        // The person writes on, and what lies beside the note is what the file holds now.
        editor.write_all(b"- later\n").unwrap();
        let displaced = look(displaced);
        let told = not_kept(&vault);
        assert_eq!(told.len(), 1, "{told:?}");
        match &bed.leftovers()[..] {
            [] => assert!(also_the_vaults && told[0].contains("before you close Nova"), "{told:?}"),
            [beside] => {
                assert!(!also_the_vaults && told[0].contains(beside), "{told:?}");
                assert_eq!(bed.text(beside), format!("{NOTE}- late\n- later\n"));
            }
            more => panic!("{more:?}"),
        }

        full.store(false, Ordering::SeqCst);
        drop(look(displaced));
        assert_eq!(texts(&conflicts(&bed)), [format!("{NOTE}- late\n- later\n")]);
        assert_eq!((bed.leftovers(), not_kept(&vault)), (Vec::new(), Vec::new()));
    }
}

#[test]
fn an_edit_that_a_write_displaced_is_not_dropped_when_it_can_neither_be_put_back_nor_kept() {
    for system in System::EACH {
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        let (full, file) = (Arc::new(AtomicBool::new(false)), bed.root().join("Jane.md"));
        let is_full = Arc::clone(&full);
        let theirs = NOTE.replace("lead", "lost");
        let edit = Mutex::new(Some(theirs.clone()));
        let vault = system.under(bed.hooked(move |step, _| {
            if step == Step::Exchange
                && let Some(theirs) = edit.lock().unwrap().take()
            {
                // Saved in the last instant, and the disk fills up.
                is_full.store(true, Ordering::SeqCst);
                return fs::write(&file, theirs);
            }
            match is_full.load(Ordering::SeqCst) && matches!(step, Step::Keep | Step::CreateTemp) {
                true => Err(std::io::ErrorKind::StorageFull.into()),
                false => Ok(()),
            }
        }));
        change(&vault, |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap_err();
        full.store(false, Ordering::SeqCst);
        drop(vault);
        let kept = [vec![bed.text("Jane.md")], texts(&conflicts(&bed))].concat();
        assert!(kept.contains(&theirs), "{system:?}: {kept:?}");
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{system:?}");
    }
}
