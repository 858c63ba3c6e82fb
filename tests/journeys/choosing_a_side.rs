use nova_protocol::{
    ChangeSetKind, Commands as _, Decision, ErrorCode, Event, KeptSide, NoteRef, ResolveConflict,
};
use nova_testkit::{ScriptedApprover, call, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, turn, wait_for};

const JANE: &str = "CRM/People/Jane Doe.md";

/// Nova sets a stage, the user another one, and Nova's change is undone: both touch one line.
async fn conflict(nova: &Nova) -> nova_app::App {
    let app = nova.start().await;
    turn(&app, None, "Jane is won", ScriptedApprover::always(Decision::Once)).await;
    nova.vault.write(JANE, &nova.vault.read(JANE).replace("stage: won", "stage: lost"));
    let set = app.change_sets(None, None).await.unwrap().remove(0);
    let undone = app.undo(&set.id, None, None).await.unwrap();
    assert_eq!(undone.conflicts.len(), 1);
    assert!(nova.vault.read(JANE).contains("stage: lost"), "the outside edit stays");
    app
}

fn won_by_nova() -> Nova {
    Nova::new(
        PEOPLE,
        [call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"})), text("Done.")],
    )
}

fn choose(keep: KeptSide) -> ResolveConflict {
    ResolveConflict { note: JANE.into(), keep }
}

#[tokio::test]
async fn novas_side_is_written_when_it_is_chosen_and_can_be_undone() {
    let nova = won_by_nova();
    let before = nova.vault.read(JANE);
    let app = conflict(&nova).await;
    let outside = nova.vault.read(JANE);

    let resolved = app.resolve_conflict(choose(KeptSide::Mine)).await.unwrap();

    assert_eq!(nova.vault.read(JANE), before, "what the undo was to bring back");
    let set = app.change_set(&resolved.change_set.unwrap()).await.unwrap();
    assert_eq!(set.kind, ChangeSetKind::Form);
    app.undo(&set.id, None, None).await.unwrap();
    assert_eq!(nova.vault.read(JANE), outside);
    let again = app.resolve_conflict(choose(KeptSide::Mine)).await.unwrap_err();
    assert_eq!(again.code, ErrorCode::BadRequest, "a second click writes nothing");
    nova.model.finish();
}

#[tokio::test]
async fn the_notes_side_is_kept_without_a_write() {
    let nova = won_by_nova();
    let app = conflict(&nova).await;
    let outside = nova.vault.read(JANE);
    let sets = app.change_sets(None, None).await.unwrap().len();

    let resolved = app.resolve_conflict(choose(KeptSide::Theirs)).await.unwrap();

    assert_eq!(resolved.change_set, None);
    assert_eq!(nova.vault.read(JANE), outside);
    assert_eq!(app.change_sets(None, None).await.unwrap().len(), sets);
    nova.model.finish();
}

#[tokio::test]
async fn an_edit_made_after_the_conflict_is_not_written_over() {
    let nova = won_by_nova();
    let app = conflict(&nova).await;
    let edited = nova.vault.read(JANE).replace("stage: lost", "stage: paused");
    nova.vault.write(JANE, &edited);

    let error = app.resolve_conflict(choose(KeptSide::Mine)).await.unwrap_err();

    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(nova.vault.read(JANE), edited);
    nova.model.finish();
}

#[tokio::test]
async fn a_configuration_edited_to_name_another_vault_opens_it() {
    let nova = Nova::new(PEOPLE, []);
    let other = nova_testkit::TempVault::from("//- Other.md\nAnother vault.\n");
    let app = nova.start().await;
    app.watch();
    let mut events = app.events();

    nova.settings(&json!({"vault": other.root()}));

    wait_for(&mut events, |event| matches!(event, Event::VaultOpened { name: Some(_) })).await;
    let note = app.read_note(NoteRef { path: "Other.md".into() }).await.unwrap();
    assert!(format!("{note:?}").contains("Another vault."));
    other.write("Other.md", "Changed.\n");
    wait_for(&mut events, |event| matches!(event, Event::VaultChanged { path, .. } if path == "Other.md"))
        .await;
}
