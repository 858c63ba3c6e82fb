use std::path::PathBuf;

use async_trait::async_trait;
use nova_app::{Answer, App, ApprovalRequest, Approver};
use nova_protocol::{
    ChangeSetKind, Commands as _, ConflictSide, Decision, ErrorCode, Event, NoteChangeKind, NoteRef,
    ResolveConflict,
};
use nova_testkit::{ScriptedApprover, call, decided, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, turn, wait_for};

const JANE: &str = "CRM/People/Jane Doe.md";

/// Nova sets a stage, the user sets another, and Nova's change is undone: both edit one line.
async fn conflict(nova: &Nova) -> (nova_app::App, String) {
    let app = nova.start().await;
    turn(&app, None, "Jane is won", ScriptedApprover::always(Decision::Once)).await;
    nova.vault.write(JANE, &nova.vault.read(JANE).replace("stage: won", "stage: lost"));
    let set = app.change_sets(None, None, None).await.unwrap().remove(0);
    let undone = app.undo(&set.id, None, None).await.unwrap();
    assert_eq!(undone.conflicts.len(), 1);
    assert!(nova.vault.read(JANE).contains("stage: lost"), "the outside edit stays");
    (app, set.id)
}

fn won_by_nova() -> Nova {
    Nova::new(
        PEOPLE,
        [call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"})), text("Done.")],
    )
}

fn choose(set: &str, keep: ConflictSide) -> ResolveConflict {
    ResolveConflict { session: None, change_set: Some(set.into()), note: JANE.into(), keep }
}

#[tokio::test]
async fn novas_side_is_written_and_can_be_undone() {
    let nova = won_by_nova();
    let before = nova.vault.read(JANE);
    let (app, undone) = conflict(&nova).await;
    let outside = nova.vault.read(JANE);

    let resolved = app.resolve_conflict(choose(&undone, ConflictSide::Mine)).await.unwrap();

    assert_eq!(nova.vault.read(JANE), before, "the version before the change");
    let set = app.change_set(&resolved.change_set.unwrap()).await.unwrap();
    assert_eq!(set.kind, ChangeSetKind::Form);
    app.undo(&set.id, None, None).await.unwrap();
    assert_eq!(nova.vault.read(JANE), outside);
    let again = app.resolve_conflict(choose(&undone, ConflictSide::Mine)).await.unwrap_err();
    assert_eq!(again.code, ErrorCode::BadRequest, "a second click writes nothing");
    nova.model.finish();
}

#[tokio::test]
async fn notes_side_is_kept_without_a_write() {
    let nova = won_by_nova();
    let (app, undone) = conflict(&nova).await;
    let outside = nova.vault.read(JANE);
    let sets = app.change_sets(None, None, None).await.unwrap().len();

    let resolved = app.resolve_conflict(choose(&undone, ConflictSide::Theirs)).await.unwrap();

    assert_eq!(resolved.change_set, None);
    assert_eq!(nova.vault.read(JANE), outside);
    assert_eq!(app.change_sets(None, None, None).await.unwrap().len(), sets);
    nova.model.finish();
}

#[tokio::test]
async fn edit_made_after_the_conflict_is_not_overwritten() {
    let nova = won_by_nova();
    let (app, undone) = conflict(&nova).await;
    let edited = nova.vault.read(JANE).replace("stage: lost", "stage: paused");
    nova.vault.write(JANE, &edited);

    let resolved = app.resolve_conflict(choose(&undone, ConflictSide::Mine)).await.unwrap();

    assert_eq!(nova.vault.read(JANE), edited);
    assert_eq!(resolved.change_set, None);
    assert_eq!(resolved.conflict.unwrap().theirs, edited, "the sides as they are now");
    nova.model.finish();
}

#[tokio::test]
async fn empty_note_is_emptied_again_and_not_deleted() {
    let append = call("vault__append_to_note", json!({"path": "Empty.md", "text": "From Nova"}));
    let nova = Nova::new("//- Empty.md\n", [append, text("Done.")]);
    let app = nova.start().await;
    turn(&app, None, "Write it down", ScriptedApprover::always(Decision::Once)).await;
    nova.vault.write("Empty.md", &nova.vault.read("Empty.md").replace("Nova", "me"));
    let set = app.change_sets(None, None, None).await.unwrap().remove(0);
    assert_eq!(app.undo(&set.id, None, None).await.unwrap().conflicts.len(), 1);

    let keep = ResolveConflict { note: "Empty.md".into(), ..choose(&set.id, ConflictSide::Mine) };
    app.resolve_conflict(keep).await.unwrap();

    assert_eq!(nova.vault.read("Empty.md"), "");
    nova.model.finish();
}

/// Edits a note, then approves Nova's planned change to it.
struct EditsFirst(PathBuf, &'static str);

#[async_trait]
impl Approver for EditsFirst {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        std::fs::write(&self.0, self.1).unwrap();
        decided(Decision::Once)
    }
}

/// A call of the model that conflicts with an edit of `Draft.md`. Returns its events and the choice of Nova's
/// side.
async fn conflicting_call(
    tool: &str,
    args: Value,
    edit: &'static str,
) -> (Nova, App, Event, ResolveConflict) {
    let nova = Nova::new("//- Draft.md\nSee [[Draft]] today.\n", [call(tool, args), text("Hm.")]);
    let app = nova.start().await;
    let person = EditsFirst(nova.vault.root().join("Draft.md"), edit);
    let (end, events) = turn(&app, None, "Go on", person).await;
    assert_eq!(nova.vault.read("Draft.md"), edit, "the user's text is kept");
    let found = events.into_iter().find(|event| matches!(event, Event::ConflictFound { .. })).unwrap();
    let Event::ConflictFound { note, .. } = &found else { panic!("{found:?}") };
    let keep = ConflictSide::Mine;
    let choice = ResolveConflict { session: Some(end.session), change_set: None, note: note.clone(), keep };
    (nova, app, found, choice)
}

#[tokio::test]
async fn novas_side_of_a_move_moves_the_note_without_a_copy() {
    let to = json!({"path": "Draft.md", "to": "Done/Essay.md"});
    let (nova, app, found, choice) =
        conflicting_call("vault__move_note", to, "See [[Draft]] tomorrow.\n").await;
    let Event::ConflictFound { note, from, kind, what, .. } = found else { panic!("{found:?}") };
    assert_eq!((note.as_str(), from.as_deref()), ("Done/Essay.md", Some("Draft.md")));
    assert_eq!((kind, what), (Some(NoteChangeKind::Renamed), vec!["body, line 1".to_owned()]));

    let resolved = app.resolve_conflict(choice).await.unwrap();

    assert!(!nova.vault.exists("Draft.md"));
    assert_eq!(nova.vault.read("Done/Essay.md"), "See [[Essay]] today.\n");
    app.undo(&resolved.change_set.unwrap(), None, None).await.unwrap();
    assert_eq!(nova.vault.read("Draft.md"), "See [[Draft]] tomorrow.\n");
    assert!(!nova.vault.exists("Done/Essay.md"));
    nova.model.finish();
}

#[tokio::test]
async fn novas_side_deletes_a_deleted_note_and_empties_an_emptied_one() {
    let delete = json!({"path": "Draft.md"});
    let (nova, app, found, choice) = conflicting_call("vault__delete_note", delete, "Mine.\n").await;
    assert!(matches!(found, Event::ConflictFound { kind: Some(NoteChangeKind::Deleted), .. }), "{found:?}");
    app.resolve_conflict(choice).await.unwrap();
    assert!(!nova.vault.exists("Draft.md"));

    let empty = json!({"path": "Draft.md", "old": "See [[Draft]] today.\n", "new": ""});
    let (nova, app, _, choice) = conflicting_call("vault__edit_note", empty, "Mine.\n").await;
    app.resolve_conflict(choice).await.unwrap();
    assert_eq!(nova.vault.read("Draft.md"), "");
}

#[tokio::test]
async fn configuration_edited_to_name_another_vault_opens_it() {
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
