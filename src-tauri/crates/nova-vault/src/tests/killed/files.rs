//! Killed while a binary file is created, and while that is undone.

use super::*;

/// Bytes that are no text; no part of them resembles a note.
pub(super) const BYTES: &[u8] = b"%PDF-1.7\n\xff\xfe\0\x80scan";

pub(super) fn attach(draft: &mut Draft) -> Result<(), VaultError> {
    draft.attach_file("Files", "Scan.pdf", BYTES.to_vec()).map(drop)
}

fn file(bed: &Bed) -> Option<Vec<u8>> {
    fs::read(bed.root().join("Files/Scan.pdf")).ok()
}

const AT: &str = "Files/Scan.pdf";

#[test]
fn file_is_whole_or_missing_after_a_kill() {
    let _alone = one_at_a_time();
    for (step, made) in [
        (Step::CreateTemp, false),
        (Step::WriteTemp, false),
        (Step::SyncTemp, false),
        (Step::Exchange, false),
        (Step::SyncFolder, true),
        (Step::JournalDone, true),
    ] {
        for way in ["finish", "undo"] {
            let bed = bed();
            kill(start(&bed, step, AT, Job::File).unwrap());
            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{step:?}");
            assert_eq!(file(&bed), made.then(|| BYTES.to_vec()), "{step:?}");
            assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted), "{step:?}");
            let user = Author::new("user");
            match way {
                "finish" => drop(vault.history().finish("child", &user).unwrap()),
                _ => drop(vault.history().undo("child", Scope::All, &user).unwrap()),
            }
            drop(vault);
            assert_eq!(file(&bed), (way == "finish").then(|| BYTES.to_vec()), "{step:?}: {way}");
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{step:?}: {way}");
        }
    }
}

#[test]
fn file_is_whole_or_gone_after_its_undo_is_killed() {
    let _alone = one_at_a_time();
    for step in [Step::Recheck, Step::Exchange, Step::HashDisplaced, Step::SyncFolder, Step::JournalDone] {
        for way in ["finish the undo", "undo again", "undo the undo"] {
            let bed = bed();
            let (id, _) = change(&bed.vault(), attach).unwrap();
            assert_eq!(id, "set0");
            kill(start(&bed, step, AT, Job::Undo).unwrap());
            let vault = bed.vault();
            assert!(file(&bed).is_none_or(|bytes| bytes == BYTES), "{step:?}");
            let user = Author::new("user");
            match way {
                "finish the undo" => drop(vault.history().finish("undo0", &user).unwrap()),
                "undo again" => drop(vault.history().undo("set0", Scope::All, &user).unwrap()),
                _ => drop(vault.history().undo("undo0", Scope::All, &user).unwrap()),
            }
            drop(vault);
            assert_eq!(file(&bed), (way == "undo the undo").then(|| BYTES.to_vec()), "{step:?}: {way}");
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{step:?}: {way}");
        }
    }
}
