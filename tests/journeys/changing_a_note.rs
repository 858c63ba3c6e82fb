use nova_app::{NoApprover, TurnEnd};
use nova_protocol::{ChangeSetState, Decision, Event, NoteChangeKind};
use nova_testkit::{ScriptedApprover, call, calls, decided, denied, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, drain, turn, wait_for};

const JANE: &str = "CRM/People/Jane Doe.md";

fn set_stage(stage: &str) -> nova_testkit::Answer {
    call("crm__update_contact", json!({"name": "Jane Doe", "stage": stage}))
}

#[tokio::test]
async fn card_shows_exactly_what_is_written_and_undo_reverts_it() {
    let nova = Nova::new(PEOPLE, [set_stage("won"), text("Done.")]);
    let before = nova.vault.read(JANE);
    let app = nova.start().await;
    let approver = ScriptedApprover::new([decided(Decision::Once)]);

    let (_, events) = turn(&app, None, "Jane is won", approver.clone()).await;

    let asked = approver.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].question, "Change 1 note?");
    assert_eq!(asked[0].decisions, [Decision::Once, Decision::Session, Decision::Always, Decision::Deny]);
    let diff = &asked[0].diff.as_ref().unwrap()[0];
    assert_eq!((diff.path.as_str(), diff.summary.as_str()), (JANE, "1 property, nothing else in the note"));
    let property = &diff.properties[0];
    assert_eq!((property.key.as_str(), property.line), ("stage", 6));
    assert_eq!((property.before.as_deref(), property.after.as_deref()), (Some("lead"), Some("won")));

    assert_eq!(nova.vault.read(JANE), before.replace("stage: lead # since May", "stage: won # since May"));
    let sets = app.change_sets(None, None, None).await.unwrap();
    assert_eq!((sets.len(), sets[0].state, sets[0].notes.len()), (1, ChangeSetState::Committed, 1));
    assert!(events.iter().any(|event| matches!(event, Event::ToolCallCompleted { ok: true, changes, .. }
        if changes[0].path == JANE && changes[0].kind == NoteChangeKind::Modified)));

    let undone = app.undo(&sets[0].id, None, None).await.unwrap();
    assert_eq!(undone.undone, [JANE]);
    assert_eq!(nova.vault.read(JANE), before, "every byte is restored");
    nova.model.finish();
}

#[tokio::test]
async fn table_is_saved_in_the_attachment_folder_and_shown_in_its_note() {
    let table = "stage,people\nlead,1\n";
    let nova = Nova::new(
        PEOPLE,
        [
            call("vault__add_attachment", json!({"name": "Stages.csv", "text": table, "note": "Ideas"})),
            call("vault__append_to_note", json!({"path": "Ideas", "text": "![[Stages.csv]]"})),
            text("It is in Ideas."),
        ],
    );
    nova.vault.write(".obsidian/app.json", r#"{"attachmentFolderPath": "./files"}"#);
    let before = (nova.vault.files(), nova.vault.read("Ideas.md"));
    let app = nova.start().await;
    let approver = ScriptedApprover::always(Decision::Once);

    turn(&app, None, "Keep the stages as a CSV in Ideas", approver.clone()).await;

    let told = nova.model.last_texts("tool");
    assert!(told[0].contains(r#""link":"![[Stages.csv]]""#), "{told:?}");
    let asked = approver.asked();
    let diff = &asked[0].diff.as_ref().unwrap()[0];
    assert_eq!((diff.path.as_str(), diff.kind), ("files/Stages.csv", NoteChangeKind::Created));
    assert!(format!("{:?}", diff.hunks).contains("stage,people"), "{diff:?}");
    assert_eq!(nova.vault.read("files/Stages.csv"), table);
    assert!(nova.vault.read("Ideas.md").ends_with("![[Stages.csv]]\n"));
    let links = nova.json(&["vault", "links", "Ideas"]).1;
    assert!(
        links["out"].to_string().contains("files/Stages.csv") && links["unresolved"] == json!([]),
        "{links}"
    );

    let sets = app.change_sets(None, None, None).await.unwrap();
    let changed: Vec<_> = sets[0].notes.iter().map(|note| (note.path.as_str(), note.kind)).collect();
    assert_eq!(
        changed,
        [("files/Stages.csv", NoteChangeKind::Created), ("Ideas.md", NoteChangeKind::Modified)]
    );
    let shown = nova.run(&["changes", "show", &sets[0].id]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("stage,people"));
    let undone = app.undo(&sets[0].id, None, None).await.unwrap();
    assert!(undone.conflicts.is_empty(), "{undone:?}");
    assert_eq!((nova.vault.files(), nova.vault.read("Ideas.md")), before);
    nova.model.finish();
}

#[tokio::test]
async fn denied_change_is_not_made_and_the_model_is_informed() {
    let nova = Nova::new(PEOPLE, [set_stage("won"), text("Then not.")]);
    let before = nova.vault.read(JANE);
    let app = nova.start().await;

    let (end, _) = turn(&app, None, "Jane is won", ScriptedApprover::new([denied("not yet")])).await;

    assert_eq!(end.end, TurnEnd::Completed { text: "Then not.".into() });
    assert_eq!(nova.vault.read(JANE), before);
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains("denied_by_user") && told.contains("not yet"), "{told}");
    assert!(app.change_sets(None, None, None).await.unwrap().is_empty());
    nova.model.finish();
}

#[tokio::test]
async fn missing_approver_is_a_denial() {
    let nova = Nova::new(PEOPLE, [set_stage("won"), text("Then not.")]);
    let before = nova.vault.read(JANE);
    let app = nova.start().await;

    turn(&app, None, "Jane is won", NoApprover).await;

    assert_eq!(nova.vault.read(JANE), before);
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains("approval_unanswered"), "{told}");
    nova.model.finish();
}

#[tokio::test]
async fn allow_for_this_chat_asks_once_in_this_chat_only() {
    let nova = Nova::new(
        PEOPLE,
        [set_stage("talking"), set_stage("won"), text("Done."), set_stage("lost"), text("Done.")],
    );
    let app = nova.start().await;
    let approver = ScriptedApprover::new([decided(Decision::Session)]);

    let (end, _) = turn(&app, None, "Move Jane twice", approver.clone()).await;
    assert_eq!(approver.asked().len(), 1);
    assert!(nova.vault.read(JANE).contains("stage: won"));
    let sets = app.change_sets(Some(&end.session), None, None).await.unwrap();
    assert_eq!(sets.len(), 1, "one turn is one change set");

    let elsewhere = ScriptedApprover::new([denied("other chat")]);
    turn(&app, None, "Move Jane again", elsewhere.clone()).await;
    assert_eq!(elsewhere.asked().len(), 1, "another chat asks again");
    assert!(nova.vault.read(JANE).contains("stage: won"));
    nova.model.finish();
}

#[tokio::test]
async fn always_writes_a_rule_that_survives_a_restart() {
    let nova = Nova::new(PEOPLE, [set_stage("talking"), text("Done."), set_stage("won"), text("Done.")]);
    let app = nova.start().await;
    turn(&app, None, "Move Jane", ScriptedApprover::new([decided(Decision::Always)])).await;
    let rules = std::fs::read_to_string(nova.config().join("permissions.yaml")).unwrap();
    assert!(rules.contains("crm__update_contact"), "{rules}");
    drop(app);

    let again = nova.start().await;
    turn(&again, None, "Move Jane on", NoApprover).await;
    assert!(nova.vault.read(JANE).contains("stage: won"));
    nova.model.finish();
}

#[tokio::test]
async fn deny_rule_holds_whatever_the_answer() {
    let nova = Nova::new(PEOPLE, [set_stage("won"), text("Then not.")]);
    nova.rules("permissions:\n  deny: [ \"crm__update_*\" ]\n");
    let before = nova.vault.read(JANE);
    let app = nova.start().await;
    let approver = ScriptedApprover::always(Decision::Once);

    turn(&app, None, "Jane is won", approver.clone()).await;

    assert!(approver.asked().is_empty());
    assert_eq!(nova.vault.read(JANE), before);
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains("denied_by_rule") && told.contains("crm__update_*"), "{told}");
    nova.model.finish();
}

#[tokio::test]
async fn notes_of_a_turn_are_undone_together_or_singly() {
    let nova = Nova::new(
        PEOPLE,
        [
            calls([
                ("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"})),
                ("crm__update_contact", json!({"name": "Tomasz Wirek", "stage": "lost"})),
                ("crm__add_contact", json!({"name": "Odile Farrow", "email": "odile@pinecrest.example"})),
            ]),
            text("Done."),
        ],
    );
    let (jane, tomasz) = (nova.vault.read(JANE), nova.vault.read("Friends/Tomasz Wirek.md"));
    let app = nova.start().await;
    turn(&app, None, "Three changes", ScriptedApprover::always(Decision::Once)).await;
    assert!(nova.vault.exists("CRM/People/Odile Farrow.md"));
    let set = app.change_sets(None, None, None).await.unwrap().remove(0);
    assert_eq!(set.notes.len(), 3);

    app.undo(&set.id, Some(JANE), None).await.unwrap();
    assert_eq!(nova.vault.read(JANE), jane);
    assert!(nova.vault.read("Friends/Tomasz Wirek.md").contains("lost"));
    assert_eq!(app.change_set(&set.id).await.unwrap().state, ChangeSetState::PartlyUndone);

    app.undo(&set.id, None, None).await.unwrap();
    assert_eq!(nova.vault.read("Friends/Tomasz Wirek.md"), tomasz);
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));
    nova.model.finish();
}

#[tokio::test]
async fn note_that_changes_while_the_card_waits_is_shown_again() {
    let nova = Nova::new(PEOPLE, [set_stage("won"), text("Done.")]);
    let app = nova.start().await;
    app.watch();
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    let send = nova_protocol::SendMessage {
        session: session.clone(),
        text: "Jane is won".into(),
        ..Default::default()
    };
    nova_protocol::Commands::send_message(&app, send).await.unwrap();

    let first = wait_for(&mut events, |event| matches!(event, Event::ApprovalRequested { .. })).await;
    let edited = nova.vault.read(JANE).replace("stage: lead", "stage: talking");
    nova.vault.write(JANE, &edited);
    let second = wait_for(&mut events, |event| matches!(event, Event::ApprovalRequested { .. })).await;

    let (
        Event::ApprovalRequested { call, revision: old, .. },
        Event::ApprovalRequested { revision, diff, .. },
    ) = (first, second)
    else {
        unreachable!("both were matched above")
    };
    assert!(revision > old);
    assert_eq!(diff.unwrap()[0].properties[0].before.as_deref(), Some("talking"));
    let answer = |revision| nova_protocol::DecideApproval {
        session: session.clone(),
        call: call.clone(),
        decision: Decision::Once,
        revision,
        args: None,
        reason: None,
    };
    let stale = nova_protocol::Commands::decide_approval(&app, answer(old)).await;
    assert!(stale.is_err(), "an answer to the old diff was accepted");
    nova_protocol::Commands::decide_approval(&app, answer(revision)).await.unwrap();
    wait_for(&mut events, |event| matches!(event, Event::TurnCompleted { .. })).await;
    assert_eq!(nova.vault.read(JANE), edited.replace("stage: talking", "stage: won"));
    drain(&mut events);
    nova.model.finish();
}

#[tokio::test]
async fn allowing_a_read_for_this_chat_allows_no_write() {
    let nova = Nova::new(
        PEOPLE,
        [call("crm__get_contact", json!({"name": "Jane Doe"})), set_stage("won"), text("Done.")],
    );
    nova.rules("permissions:\n  human_approval: [ \"crm__get_*\" ]\n");
    let before = nova.vault.read(JANE);
    let app = nova.start().await;
    let approver = ScriptedApprover::new([decided(Decision::Once)]);

    turn(&app, None, "Jane is won", approver.clone()).await;

    assert_eq!(approver.asked()[0].decisions, [Decision::Once, Decision::Deny]);
    assert_eq!(approver.asked().len(), 2, "the write asks separately");
    assert_eq!(nova.vault.read(JANE), before);
    nova.model.finish();
}

#[tokio::test]
async fn answer_that_was_not_offered_allows_nothing() {
    let nova = Nova::new(PEOPLE, [set_stage("won"), text("Then not.")]);
    nova.rules("permissions:\n  human_approval: [ \"crm__*\" ]\n");
    let before = nova.vault.read(JANE);
    let app = nova.start().await;

    turn(&app, None, "Jane is won", ScriptedApprover::new([decided(Decision::Always)])).await;

    assert_eq!(nova.vault.read(JANE), before);
    nova.model.finish();
}

#[tokio::test]
async fn quitting_leaves_no_file_of_a_recent_change_in_the_vault() {
    let nova = Nova::new(PEOPLE, [set_stage("won"), text("Done.")]);
    let replaced = || {
        let beside = std::fs::read_dir(nova.vault.root().join("CRM/People")).unwrap();
        beside
            .filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with(".nova-"))
            .count()
    };
    let app = nova.start().await;
    turn(&app, None, "Jane is won", ScriptedApprover::new([decided(Decision::Once)])).await;

    // A displaced file waits two seconds for a last check. This ends as the window's program does, which
    // drops nothing.
    app.stop_everything().await;
    assert_eq!(replaced(), 0);

    let args = r#"{"name": "Jane Doe", "stage": "talking"}"#;
    let (code, result) =
        nova.json(&["tool", "call", "crm.update_contact", "--args", args, "--approve", "all"]);
    assert_eq!((code, replaced()), (0, 0), "{result}");
    nova.model.finish();
}
