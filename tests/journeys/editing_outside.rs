use nova_app::NoApprover;
use nova_protocol::{Decision, Event, VaultChangeAuthor, VaultChangeKind};
use nova_testkit::{Answer, ScriptedApprover, call, pause, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, turn, wait_for};

const JANE: &str = "CRM/People/Jane Doe.md";

#[tokio::test]
async fn edit_in_obsidian_is_reported_and_the_next_answer_uses_it() {
    let read = || call("crm__get_contact", json!({"name": "Jane Doe"}));
    let nova = Nova::new(PEOPLE, [read(), text("A lead."), read(), text("Won.")]);
    let app = nova.start().await;
    app.watch();
    let (end, _) = turn(&app, None, "Where does Jane stand?", NoApprover).await;

    let mut events = app.events();
    nova.vault.write(JANE, &nova.vault.read(JANE).replace("stage: lead", "stage: won"));
    let changed = wait_for(&mut events, |event| matches!(event, Event::VaultChanged { .. })).await;
    assert_eq!(
        changed,
        Event::VaultChanged {
            kind: VaultChangeKind::Modified,
            path: JANE.into(),
            from: None,
            by: VaultChangeAuthor::OUTSIDE,
            summary: Some("stage: lead → won".into()),
        }
    );

    let told = wait_for(&mut events, |event| matches!(event, Event::NotesChangedOutside { .. })).await;
    let summaries = [(JANE.to_owned(), "stage: lead → won".to_owned())].into();
    assert_eq!(told, Event::NotesChangedOutside { paths: vec![JANE.into()], summaries });

    turn(&app, Some(&end.session), "And now?", NoApprover).await;
    let request = nova.model.requests()[2].to_string();
    assert!(request.contains("stage: lead → won"), "the prompt names what changed: {request}");
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains("won") && !told.contains("lead"), "{told}");
    nova.model.finish();
}

#[tokio::test]
async fn novas_change_is_reported_with_its_author_not_as_an_outside_edit() {
    let nova = Nova::new(
        PEOPLE,
        [call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"})), text("Done.")],
    );
    let app = nova.start().await;
    app.watch();
    let mut events = app.events();

    let (_, _) = turn(&app, None, "Jane is won", ScriptedApprover::always(Decision::Once)).await;

    let changed = wait_for(&mut events, |event| matches!(event, Event::VaultChanged { .. })).await;
    let Event::VaultChanged { by: VaultChangeAuthor::Nova { skill, .. }, path, .. } = changed else {
        panic!("{changed:?}");
    };
    assert_eq!((path.as_str(), skill.as_deref()), (JANE, Some("crm")));
    nova.model.finish();
}

#[tokio::test]
async fn models_own_moves_and_deletions_are_not_announced_to_it() {
    let notes = "//- Ideas.md\nMine.\n//- Old.md\nNobody's.\n//- Jane.md\nA lead.\n";
    let read = |path: &str| call("vault__read_note", json!({"path": path}));
    let script = [
        read("Ideas.md"),
        read("Old.md"),
        read("Jane.md"),
        call("vault__move_note", json!({"path": "Ideas.md", "to": "Kept/Ideas.md"})),
        call("vault__delete_note", json!({"path": "Old.md"})),
        text("Tidied up."),
        text("Still so."),
        text("I see."),
        text("Back again."),
    ];
    let nova = Nova::new(notes, script);
    let app = nova.start().await;
    app.watch();
    let (end, _) = turn(&app, None, "Tidy up", ScriptedApprover::always(Decision::Once)).await;
    assert!(nova.vault.exists("Kept/Ideas.md") && !nova.vault.exists("Old.md"));

    turn(&app, Some(&end.session), "And now?", NoApprover).await;
    let sent = nova.model.requests().pop().unwrap().to_string();
    assert!(!sent.contains("out of date"), "{sent}");

    // Nor by a process that read the chat from its log; an edit is.
    drop(app);
    let app = nova.start().await;
    nova.vault.write("Jane.md", "Won.\n");
    turn(&app, Some(&end.session), "And Jane?", NoApprover).await;
    let sent = nova.model.requests().pop().unwrap().to_string();
    assert!(sent.contains("out of date") && sent.contains("\\n- Jane.md"), "{sent}");
    assert!(!sent.contains("\\n- Ideas.md") && !sent.contains("\\n- Old.md"), "{sent}");

    // The user's undo is announced, and not as an outside change.
    let set = app.change_sets(None, None, None).await.unwrap().remove(0);
    app.undo(&set.id, None, None).await.unwrap();
    turn(&app, Some(&end.session), "I took it back", NoApprover).await;
    let sent = nova.model.requests().pop().unwrap().to_string();
    assert!(sent.contains("\\n- Kept/Ideas.md") && !sent.contains("utside of Nova"), "{sent}");
    nova.model.finish();
}

#[tokio::test]
async fn undo_keeps_later_edits() {
    let nova = Nova::new(
        PEOPLE,
        [call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"})), text("Done.")],
    );
    let before = nova.vault.read(JANE);
    let app = nova.start().await;
    turn(&app, None, "Jane is won", ScriptedApprover::always(Decision::Once)).await;
    nova.vault.write(JANE, &nova.vault.read(JANE).replace("Met at the fair.", "Met at the big fair."));

    let set = app.change_sets(None, None, None).await.unwrap().remove(0);
    assert!(set.notes[0].edited_since);
    let undone = app.undo(&set.id, None, None).await.unwrap();

    assert_eq!((undone.undone.len(), undone.merged.len(), undone.conflicts.len()), (1, 1, 0));
    assert_eq!(nova.vault.read(JANE), before.replace("Met at the fair.", "Met at the big fair."));
    nova.model.finish();
}

#[tokio::test]
async fn undo_of_a_line_edited_since_asks() {
    let nova = Nova::new(
        PEOPLE,
        [call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"})), text("Done.")],
    );
    let app = nova.start().await;
    turn(&app, None, "Jane is won", ScriptedApprover::always(Decision::Once)).await;
    let edited = nova.vault.read(JANE).replace("stage: won", "stage: lost");
    nova.vault.write(JANE, &edited);

    let set = app.change_sets(None, None, None).await.unwrap().remove(0);
    let undone = app.undo(&set.id, None, None).await.unwrap();

    assert_eq!(undone.conflicts.len(), 1);
    assert!(undone.conflicts[0].what[0].starts_with("stage"), "{:?}", undone.conflicts[0].what);
    assert_eq!(nova.vault.read(JANE), edited, "the newer edit is kept");
    nova.model.finish();
}

#[tokio::test]
async fn session_reports_changes_made_while_nova_was_closed() {
    let nova = Nova::new(
        PEOPLE,
        [call("crm__get_contact", json!({"name": "Jane Doe"})), text("A lead."), text("Hm."), text("Hm.")],
    );
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Where does Jane stand?", NoApprover).await;
    drop(app);
    nova.vault.write(JANE, &nova.vault.read(JANE).replace("stage: lead", "stage: won"));

    let again = nova.start().await;
    turn(&again, Some(&end.session), "And now?", NoApprover).await;
    turn(&again, Some(&end.session), "Sure?", NoApprover).await;

    let notices: Vec<usize> = nova.model.requests()[2..]
        .iter()
        .map(|body| body.to_string().matches("out of date").count())
        .collect();
    assert_eq!(notices, [1, 1], "announced in the first turn only");
    nova.model.finish();
}

#[tokio::test]
async fn model_learns_that_its_change_was_undone() {
    let nova = Nova::new(
        PEOPLE,
        [
            call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"})),
            text("Done."),
            text("I see."),
            text("Ok."),
        ],
    );
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Jane is won", ScriptedApprover::always(Decision::Once)).await;
    turn(&app, Some(&end.session), "Thanks", NoApprover).await;
    assert!(!nova.model.requests()[2].to_string().contains("out of date"), "its own change was announced");

    let set = app.change_sets(None, None, None).await.unwrap().remove(0);
    app.undo(&set.id, None, None).await.unwrap();
    turn(&app, Some(&end.session), "And now?", NoApprover).await;
    let request = nova.model.requests().pop().unwrap().to_string();
    assert!(request.contains("out of date") && request.contains(JANE), "{request}");
    nova.model.finish();
}

/// The model has read Jane's stage as "lead" and changes it, while the user edits the note before that call.
/// Returns the call's output and the note.
async fn moved_while_edited(
    edit: impl Fn(&str) -> String,
    then: impl IntoIterator<Item = Answer>,
) -> [String; 2] {
    let set = call("vault__set_properties", json!({"path": JANE, "properties": {"stage": "won"}}));
    let script = [call("vault__read_note", json!({"path": JANE})), pause().and(set)];
    let nova = Nova::new(PEOPLE, script.into_iter().chain(then));
    let app = nova.start().await;
    let edited = async {
        nova.model.wait_for_pause(1).await;
        let file = nova.vault.root().join(JANE);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, edit(&text)).unwrap();
        nova.model.resume();
    };
    let ((_, events), ()) =
        tokio::join!(turn(&app, None, "Jane is won", ScriptedApprover::always(Decision::Once)), edited);
    let mut outputs = events.into_iter().filter_map(|event| match event {
        Event::ToolCallCompleted { output, .. } => Some(output.to_string()),
        _ => None,
    });
    nova.model.finish();
    [outputs.nth(1).unwrap(), nova.vault.read(JANE)]
}

#[tokio::test]
async fn value_just_set_by_the_user_is_not_overwritten_from_a_stale_read() {
    let lost = |text: &str| text.replace("stage: lead", "stage: lost");
    let [answer, note] = moved_while_edited(lost, [text("You have lost her.")]).await;
    assert!(answer.contains("conflict") && answer.contains("stage"), "{answer}");
    assert!(note.contains("stage: lost # since May"), "{note}");

    // After reading the current version, the model may set it.
    let read = call("vault__read_note", json!({"path": JANE}));
    let set = call("vault__set_properties", json!({"path": JANE, "properties": {"stage": "won"}}));
    let [_, note] = moved_while_edited(lost, [read, set, text("Won after all.")]).await;
    assert!(note.contains("stage: won # since May"), "{note}");
}

#[tokio::test]
async fn edits_elsewhere_in_a_note_do_not_block_a_change() {
    let written_on =
        |text: &str| format!("{}\nShe called again.\n", text.replace("tags: [design", "tags: [art, design"));
    let [answer, note] = moved_while_edited(written_on, [text("Won.")]).await;
    assert!(answer.contains("stage"), "{answer}");
    assert!(note.contains("stage: won # since May") && note.contains("She called again."), "{note}");
    assert!(note.contains("tags: [art, design"), "{note}");
}
