//! An edit that cannot be merged becomes a visible copy beside its note and is reported.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::step::Step;
use crate::writing::write::{Displaced, SetJournal};

const NOTE: &str = "---\nstage: lead\n---\n# Jane\n";
const NO_NOTE: &str = "---\nstage: [\n---\n";

fn texts(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// Changes the note, edits its displaced file, and makes the note unreadable before the next start, so that
/// the edit cannot be merged.
fn edited_too_late(bed: &Bed, note: &str) -> Vault {
    let mut editor = OpenOptions::new().append(true).open(bed.root().join(note)).unwrap();
    change(&bed.vault(), |d| d.set_properties(&path(note), &[set("stage", "won")])).unwrap();
    editor.write_all(b"- late\n").unwrap();
    bed.put(note, NO_NOTE);
    bed.vault()
}

#[test]
fn edit_is_kept_for_notes_with_the_longest_names() {
    for name in ["x".repeat(252), "é".repeat(126), "日".repeat(84), "𝄞".repeat(63)] {
        let note = format!("{name}.md");
        let bed = Bed::new(&[(&note, NOTE)]);
        let vault = edited_too_late(&bed, &note);

        let kept = bed.copies();
        assert_eq!(texts(&kept), [format!("{NOTE}- late\n")], "{name}");
        let problems = vault.problems().unwrap();
        let named = kept[0].file_name().unwrap().to_str().unwrap();
        assert!(problems.iter().any(|p| p.path == named), "{problems:?}");
        assert_eq!(vault.finish_writing(), kept);
    }
}

#[test]
fn second_copy_of_a_day_is_numbered() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let taken = "Jane (Nova's conflicted copy 2026-11-21).md";
    bed.put(taken, "of before\n");

    let vault = edited_too_late(&bed, "Jane.md");

    let numbered = "Jane (Nova's conflicted copy 2026-11-21 (1)).md";
    assert_eq!((bed.text(taken), bed.text(numbered)), ("of before\n".to_owned(), format!("{NOTE}- late\n")));
    assert!(path(numbered).is_sync_conflict());
    assert_eq!(vault.finish_writing(), [bed.root().join(numbered)]);
    assert_eq!(vault.finish_writing(), Vec::<PathBuf>::new());
}

#[cfg(unix)]
#[test]
fn edit_is_kept_in_the_data_folder_if_there_is_no_room_beside_the_note() {
    use std::os::unix::fs::PermissionsExt;
    if rustix::process::geteuid().is_root() {
        return;
    }
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let mut editor = OpenOptions::new().append(true).open(bed.root().join("Jane.md")).unwrap();
    change(&bed.vault(), |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap();
    editor.write_all(b"- late\n").unwrap();
    bed.put("Jane.md", NO_NOTE);
    fs::set_permissions(bed.root(), fs::Permissions::from_mode(0o500)).unwrap();
    let vault = bed.vault();
    let kept = vault.finish_writing();
    fs::set_permissions(bed.root(), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(texts(&kept), [format!("{NOTE}- late\n")]);
}

#[test]
fn edit_without_room_is_kept_at_the_next_start() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let file = bed.root().join("Jane.md");
    let full = Arc::new(AtomicBool::new(false));
    let was_full = Arc::clone(&full);
    let vault = bed.hooked(move |step, _| match step {
        // Edited while being deleted, and another note takes its name.
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
    assert_eq!(bed.copies(), Vec::<PathBuf>::new());

    let vault = bed.vault();
    assert_eq!(texts(&bed.copies()), [format!("{NOTE}- mine\n")]);
    let problems = vault.problems().unwrap();
    assert!(problems.iter().any(|problem| problem.path.contains("conflicted copy")), "{problems:?}");
    assert_eq!((bed.text("Jane.md"), bed.leftovers()), (NO_NOTE.to_owned(), Vec::new()));
}

/// A vault in which some steps fail with *disk full* while `full` is set.
fn with_disk(bed: &Bed, system: System, fails: &'static [Step], full: &Arc<AtomicBool>) -> Vault {
    let full = Arc::clone(full);
    system.under(bed.hooked(move |step, _| match fails.contains(&step) && full.load(Ordering::SeqCst) {
        true => Err(std::io::ErrorKind::StorageFull.into()),
        false => Ok(()),
    }))
}

fn not_kept(vault: &Vault) -> Vec<String> {
    let problems = vault.problems().unwrap().into_iter();
    let not_kept = problems.filter(|one| one.path == "Jane.md" && one.problem.contains("nor saved"));
    not_kept.map(|one| one.remedy).collect()
}

#[test]
fn late_edit_without_room_is_reported_until_the_next_start_saves_it() {
    for system in System::EACH {
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        // Nova's own disk is full, not the vault's.
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
        let problems = not_kept(&vault);
        assert!(problems.len() == 1 && problems[0].contains(beside), "{system:?}: {problems:?}");
        assert_eq!(bed.copies(), Vec::<PathBuf>::new(), "{system:?}");
        // Another process finds room.
        drop(bed.vault());
        assert_eq!(not_kept(&vault), [""; 0], "{system:?}");
        assert_eq!(texts(&bed.copies()), [format!("{NOTE}- late\n")], "{system:?}");
        assert_eq!((bed.text("Jane.md"), bed.leftovers()), (NO_NOTE.to_owned(), Vec::new()), "{system:?}");
    }
}

#[test]
fn late_edit_without_room_anywhere_is_held_open_and_retried() {
    let _alone = one_at_a_time();
    for also_the_vaults in [true, false] {
        let fails: &[Step] = if also_the_vaults { &[Step::Keep, Step::CreateTemp] } else { &[Step::Keep] };
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        let full = Arc::new(AtomicBool::new(false));
        let vault = with_disk(&bed, System::OneName, fails, &full);
        let mut editor = OpenOptions::new().append(true).open(bed.root().join("Jane.md")).unwrap();
        let mut draft = vault.draft();
        draft.set_properties(&path("Jane.md"), &[set("stage", "won")]).unwrap();
        let changes = Arc::new(SetJournal::new("late".to_owned(), ChangeSetKind::Turn, "a turn".to_owned()));
        let (applied, displaced) = changes.apply(vault.core(), &draft.plan(), &model("call_1"));
        applied.unwrap();
        let look = |displaced: Vec<Displaced>| -> Vec<Displaced> {
            displaced.into_iter().flat_map(|one| one.last_check(vault.core())).collect()
        };
        editor.write_all(b"- late\n").unwrap();
        bed.put_whole("Jane.md", NO_NOTE);
        full.store(true, Ordering::SeqCst);

        let displaced = look(displaced);
        assert_eq!(bed.leftovers().len(), usize::from(!also_the_vaults));
        // The person continues writing; the copy beside the note has the file's present content.
        editor.write_all(b"- later\n").unwrap();
        let displaced = look(displaced);
        let problems = not_kept(&vault);
        assert_eq!(problems.len(), 1, "{problems:?}");
        match &bed.leftovers()[..] {
            [] => assert!(also_the_vaults && problems[0].contains("before you close Nova"), "{problems:?}"),
            [beside] => {
                assert!(!also_the_vaults && problems[0].contains(beside), "{problems:?}");
                assert_eq!(bed.text(beside), format!("{NOTE}- late\n- later\n"));
            }
            more => panic!("{more:?}"),
        }

        full.store(false, Ordering::SeqCst);
        drop(look(displaced));
        assert_eq!(texts(&bed.copies()), [format!("{NOTE}- late\n- later\n")]);
        assert_eq!((bed.leftovers(), not_kept(&vault)), (Vec::new(), Vec::new()));
    }
}

#[test]
fn keeps_a_displaced_edit_that_can_be_neither_restored_nor_moved() {
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
                // Saved at the last moment, just before the disk fills up.
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
        let kept = [vec![bed.text("Jane.md")], texts(&bed.copies())].concat();
        assert!(kept.contains(&theirs), "{system:?}: {kept:?}");
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{system:?}");
    }
}
