//! Writes of a chat that has read private notes: none reaches a place readable elsewhere unless the user
//! agrees.

use nova_app::{ApprovalRequest, TurnEnd};
use nova_protocol::Decision;
use nova_testkit::{Answer, ScriptedApprover, TempVault, call, decided, edited, text};
use serde_json::json;

use super::nova::{Nova, turn};

const NOTES: &str = "
//- Diary/Secret.md
---
nova: private
---
quartz
//- Open.md
An open note.
//- Other.md
Another.
";

fn append(path: &str, text: &str) -> Answer {
    call("vault__append_to_note", json!({"path": path, "text": text}))
}

fn read(path: &str) -> Answer {
    call("vault__read_note", json!({ "path": path }))
}

/// Runs one turn with these steps, answers in order, and returns the questions and the vault after it.
async fn questions(
    steps: impl IntoIterator<Item = Answer>,
    answers: impl IntoIterator<Item = nova_app::Answer>,
) -> (Vec<ApprovalRequest>, TempVault) {
    let nova = Nova::new(NOTES, steps);
    let app = nova.start().await;
    let approver = ScriptedApprover::new(answers);
    let (end, _) = turn(&app, None, "Write it down", approver.clone()).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Done.".into() });
    nova.model.finish();
    (approver.asked(), nova.vault)
}

#[tokio::test]
async fn writes_into_open_notes_ask_and_say_why() {
    let steps = [append("Open.md", "one"), read("Secret"), append("Open.md", "quartz"), text("Done.")];
    let (asked, vault) = questions(steps, [decided(Decision::Session), decided(Decision::Deny)]).await;

    assert_eq!(asked.len(), 2, "the grant for the chat does not cover the second: {asked:?}");
    assert_eq!(asked[0].question, "Change 1 note?");
    assert_eq!(
        asked[1].question,
        "Change 1 note? This chat was given private notes, and a remote model may read Open.md."
    );
    assert_eq!(asked[1].decisions, [Decision::Once, Decision::Session, Decision::Deny]);
    assert_eq!(vault.read("Open.md"), "An open note.\none\n", "a denied write is not made");
}

#[tokio::test]
async fn first_write_of_a_chat_says_why_too() {
    let steps = [read("Secret"), append("Open.md", "quartz"), text("Done.")];
    let (asked, vault) = questions(steps, [decided(Decision::Once)]).await;
    assert!(asked[0].question.contains("private notes"), "{asked:?}");
    assert!(vault.read("Open.md").contains("quartz"), "the user agreed");
}

#[tokio::test]
async fn allow_for_the_chat_covers_only_that_note() {
    let steps = [
        read("Secret"),
        append("Open.md", "one"),
        append("Open.md", "two"),
        append("Other.md", "three"),
        text("Done."),
    ];
    let (asked, vault) = questions(steps, [decided(Decision::Session), decided(Decision::Deny)]).await;
    assert!(asked[1].question.ends_with("a remote model may read Other.md."), "{asked:?}");
    assert!(vault.read("Open.md").ends_with("one\ntwo\n"));
    assert_eq!(vault.read("Other.md"), "Another.\n");
}

#[tokio::test]
async fn private_and_new_notes_need_no_more_than_a_grant() {
    let steps = [
        append("Open.md", "one"),
        read("Secret"),
        append("Secret", "more"),
        call("vault__create_note", json!({"path": "New.md", "content": "quartz"})),
        text("Done."),
    ];
    let (asked, vault) = questions(steps, [decided(Decision::Session)]).await;
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(vault.read("New.md").starts_with("---\nnova: private\n---\n"));
}

#[tokio::test]
async fn files_that_cannot_be_marked_ask() {
    let attach = call("vault__add_attachment", json!({"name": "codes.txt", "text": "quartz"}));
    let steps = [append("Open.md", "one"), read("Secret"), attach, text("Done.")];
    let (asked, vault) = questions(steps, [decided(Decision::Session), decided(Decision::Deny)]).await;
    assert!(asked[1].question.contains("codes.txt"), "{asked:?}");
    assert!(!vault.exists("codes.txt"));
}

#[tokio::test]
async fn removing_the_private_mark_asks() {
    let set = call("vault__set_properties", json!({"path": "Secret", "properties": {"nova": null}}));
    let steps = [append("Open.md", "one"), read("Secret"), set, text("Done.")];
    let (asked, vault) = questions(steps, [decided(Decision::Session), decided(Decision::Deny)]).await;
    assert!(asked[1].question.ends_with("a remote model may read Diary/Secret.md."), "{asked:?}");
    assert!(vault.read("Diary/Secret.md").contains("nova: private"));
}

#[tokio::test]
async fn edited_arguments_that_reach_an_open_note_ask_again() {
    let steps = [read("Secret"), append("Secret", "more"), text("Done.")];
    let to_open = edited(json!({"path": "Open.md", "text": "quartz"}));
    let (asked, vault) = questions(steps, [to_open, decided(Decision::Deny)]).await;
    assert_eq!(asked[0].question, "Change 1 note?");
    assert!(asked[1].question.ends_with("a remote model may read Open.md."), "{asked:?}");
    assert_eq!(vault.read("Open.md"), "An open note.\n");
}

#[tokio::test]
async fn edited_arguments_that_open_the_shown_note_ask_again() {
    let set = |properties| json!({"path": "Secret", "properties": properties});
    let steps = [read("Secret"), call("vault__set_properties", set(json!({"mood": "calm"}))), text("Done.")];
    let opens = edited(set(json!({"nova": null})));
    let (asked, vault) = questions(steps, [opens, decided(Decision::Deny)]).await;
    assert!(asked[1].question.ends_with("a remote model may read Diary/Secret.md."), "{asked:?}");
    assert!(vault.read("Diary/Secret.md").contains("nova: private"));
}

#[tokio::test]
async fn revised_arguments_change_the_reason() {
    let steps = [read("Secret"), append("Secret", "more"), text("Done.")];
    let to_open = nova_testkit::revised(json!({"path": "Open.md", "text": "quartz"}));
    let (asked, vault) = questions(steps, [to_open, decided(Decision::Deny)]).await;
    assert!(asked[1].question.ends_with("a remote model may read Open.md."), "{asked:?}");
    assert_eq!(asked[1].decisions, [Decision::Once, Decision::Session, Decision::Deny]);
    assert_eq!(vault.read("Open.md"), "An open note.\n");
}
