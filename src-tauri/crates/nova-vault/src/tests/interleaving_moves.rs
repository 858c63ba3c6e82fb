//! A person edits a note, or takes its new name, at every step of a move.

use std::fs;
use std::sync::Mutex;

use super::interleaving::NOTE;
use super::*;
use crate::step::Step;

/// Saves the note at this step of a move, by a new file under the old name. Returns the resulting notes.
fn saved_while_moved(system: System, moment: Step) -> (Vec<String>, Result<(String, Applied), VaultError>) {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let root = bed.root();
    let once = Mutex::new(false);
    let vault = bed.hooked(move |step, _| {
        if step == moment && !std::mem::replace(&mut *once.lock().unwrap(), true) {
            fs::write(root.join(".swap"), format!("{NOTE}edited\n"))?;
            fs::rename(root.join(".swap"), root.join("Jane.md"))?;
        }
        Ok(())
    });
    let vault = system.under(vault);
    let result = change(&vault, |d| d.rename(&path("Jane.md"), &path("People/Jane.md")));
    drop(vault);
    assert_eq!(bed.leftovers(), Vec::<String>::new(), "{system:?} {moment:?}");
    let notes = files_below(&bed.root()).into_iter().map(|file| {
        let path = file.strip_prefix(bed.root()).unwrap().display().to_string();
        let edited = fs::read_to_string(&file).unwrap().ends_with("edited\n");
        if edited { format!("{path}, edited") } else { path }
    });
    (notes.collect(), result)
}

#[test]
fn edit_concurrent_with_a_move_moves_along() {
    for system in System::EACH {
        for moment in [Step::ReadCurrent, Step::Journal, Step::Exchange, Step::Unname] {
            if moment == Step::Unname && system != System::NoReplacing {
                continue;
            }
            let (notes, result) = saved_while_moved(system, moment);
            assert_eq!(notes, ["People/Jane.md, edited"], "{system:?} {moment:?}: {result:?}");
            result.unwrap();
        }
    }
}

#[test]
fn move_to_a_concurrently_taken_name_changes_nothing() {
    for system in System::EACH {
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        let root = bed.root();
        let vault = system.under(bed.hooked(move |step, _| {
            if step == Step::Exchange {
                fs::write(root.join("Else.md"), "theirs")?;
            }
            Ok(())
        }));
        let error = change(&vault, |d| d.rename(&path("Jane.md"), &path("Else.md"))).unwrap_err();
        drop(vault);
        assert_eq!(error.code().as_str(), "note_exists", "{system:?}: {error}");
        assert_eq!((bed.text("Jane.md").as_str(), bed.text("Else.md").as_str()), (NOTE, "theirs"));
        assert_eq!(bed.leftovers(), Vec::<String>::new());
    }
}

#[test]
fn name_taken_during_a_move_is_not_replaced() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let root = bed.root();
    let steps = Mutex::new(vec![Step::DropName, Step::Unname]);
    let vault = System::NoReplacing.under(bed.hooked(move |step, _| {
        if steps.lock().unwrap().pop_if(|next| *next == step).is_none() {
            return Ok(());
        }
        if step == Step::Unname {
            // Saved under the old name, so that the move abandons the new name for the newer text.
            fs::write(root.join(".swap"), format!("{NOTE}edited\n"))?;
            return fs::rename(root.join(".swap"), root.join("Jane.md"));
        }
        // Another note gets the name concurrently.
        fs::write(root.join("Else.md"), "theirs")
    }));
    let error = change(&vault, |d| d.rename(&path("Jane.md"), &path("Else.md"))).unwrap_err();
    drop(vault);
    assert_eq!(error.code().as_str(), "note_exists", "{error}");
    assert_eq!(bed.text("Jane.md"), format!("{NOTE}edited\n"));
    assert_eq!(bed.text("Else.md"), "theirs");
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}

#[test]
fn note_keeps_its_old_name_if_the_new_one_is_deleted_during_a_move() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let file = bed.root().join("Else.md");
    let vault = System::NoReplacing.under(bed.hooked(move |step, _| match step {
        Step::DropName => fs::remove_file(&file),
        _ => Ok(()),
    }));
    change(&vault, |d| d.rename(&path("Jane.md"), &path("Else.md"))).unwrap_err();
    drop(vault);
    assert_eq!((bed.text("Jane.md").as_str(), bed.exists("Else.md")), (NOTE, false));
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}
