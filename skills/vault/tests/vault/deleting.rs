use nova_protocol::{Decision, Effect, ErrorCode, NoteChangeKind};
use nova_skill::json;
use nova_testkit::ScriptedApprover;

use crate::{LISBON, NOTES, vault};

#[test]
fn user_sees_the_note_and_decides() {
    let vault = vault(NOTES);
    let outcome = vault.call("delete_note", json!({"path": "Lisbon"}));
    assert_eq!(
        outcome.result.unwrap(),
        json!({"path": LISBON, "deleted": true, "kept_in": "the vault's folder .trash"})
    );
    assert_eq!(outcome.changes[0].kind, NoteChangeKind::Deleted);
    assert!(!vault.vault.exists(LISBON));

    let asked = &vault.approver.asked()[0];
    assert_eq!((asked.effect, asked.question.as_str()), (Effect::Destructive, "Delete 1 note?"));
    assert_eq!(asked.decisions, [Decision::Once, Decision::Deny]);
    let diff = asked.diff.as_ref().unwrap();
    assert_eq!((diff[0].path.as_str(), diff[0].kind), (LISBON, NoteChangeKind::Deleted));

    assert!(vault.closed().exists(".trash/Lisbon.md"), "no system trash");
}

#[test]
fn denied_deletion_keeps_the_note() {
    let mut vault = vault(NOTES);
    vault.approver = ScriptedApprover::always(Decision::Deny);
    let before = vault.vault.read(LISBON);
    assert_eq!(vault.error("delete_note", json!({"path": "Lisbon"})).code, ErrorCode::DeniedByUser);
    assert_eq!(vault.vault.read(LISBON), before);
}
