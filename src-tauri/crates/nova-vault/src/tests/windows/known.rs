//! Windows found earlier, each searched exhaustively.

use super::*;

/// Runs the operations with the user acting before each call selected by `stops`, first without a kill and
/// then with each of `kills`.
#[track_caller]
fn search(
    operations: &[&str],
    action: Action,
    stops: impl Fn(&Operation, &Call) -> bool,
    kills: fn(&[Call]) -> Vec<usize>,
) {
    let operations = operations.iter().map(|name| Operation::named(name));
    let cases: Vec<Case> = operations
        .flat_map(|operation| {
            let stops = which(&calls_of(operation.does), |call| stops(operation, call)).into_iter();
            stops.map(move |stop| Case::without_kill(operation, action, stop))
        })
        .collect();
    assert!(!cases.is_empty());
    assert_nothing_wrong(run_all(&cases, kills));
}

/// Selects the next calls that change something.
fn soon(calls: &[Call]) -> Vec<usize> {
    which(calls, |call| call.changes).into_iter().take(12).collect()
}

/// Whether the call may change which file is the note: between the last comparison and this nothing is read.
fn changes_note(operation: &Operation, call: &Call) -> bool {
    let is_note = |note| call.files.contains(&format!("vault/{note}"));
    call.changes && [operation.before, operation.after].into_iter().flatten().any(is_note)
}

#[test]
fn save_before_exchange_survives_kill() {
    let operations = ["append", "edit", "set", "move", "undo-edit", "undo-move", "finish"];
    search(&operations, Action::Save, changes_note, soon);
}

#[test]
fn conflicting_save_before_exchange_survives_kill() {
    search(&["append", "edit", "set", "undo-edit"], Action::SaveSame, changes_note, soon);
}

#[test]
fn displaced_text_goes_to_its_own_note() {
    search(&["move-link", "undo-move-link", "finish-link"], Action::Save, changes_note, soon);
}

#[test]
fn undo_of_delete_keeps_new_note() {
    search(&["undo-delete"], Action::Create, |_, call| call.is_a_moment(), no_kills);
}

#[test]
fn folder_renamed_before_kill_keeps_no_temp() {
    let stops = |_: &Operation, call: &Call| call.changes_vault();
    search(&["append", "edit", "set"], Action::SaveRenameFolder, stops, soon);
}

#[test]
fn unmergeable_late_write_is_put_beside_note() {
    let stops = |_: &Operation, call: &Call| call.is_of_displaced();
    search(&["edit", "set", "undo-edit"], Action::RewriteOpenedSame, stops, no_kills);
}

#[test]
fn failed_move_returns_note_to_its_renamed_folder() {
    let stops = |_: &Operation, call: &Call| call.files.iter().any(|file| file.starts_with("vault/Done"));
    search(&["move", "finish"], Action::RenameFolder, stops, no_kills);
}

#[test]
fn late_write_into_deleted_note_survives_kill() {
    let stops = |_: &Operation, call: &Call| call.files.iter().any(|file| file.starts_with("vault/.trash"));
    search(&["delete"], Action::RewriteOpened, stops, soon);
}

#[test]
fn without_exchange_rename_before_ours_lands_is_a_conflict() {
    let operations = ["append-without-exchange"];
    search(&operations, Action::RenameNote, changes_note, soon);
    search(&operations, Action::SaveRenameNote, changes_note, soon);
}
