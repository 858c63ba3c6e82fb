//! Mails moved, marked, archived and deleted, in two mailboxes.

use nova_skill::{Value, json};
use nova_testkit::SkillInVault;

use crate::reading::{both, entry, server, skill_with, subjects};

/// The id of the one mail with that subject.
fn id(skill: &SkillInVault, mailbox: &str, folder: &str, subject: &str) -> String {
    let found = skill.value("list", json!({"mailbox": mailbox, "folder": folder}));
    let row = found["messages"].as_array().unwrap().iter().find(|row| row["subject"] == subject);
    row.unwrap_or_else(|| panic!("{subject} in {found}"))["id"].as_str().unwrap().to_owned()
}

fn listed(skill: &SkillInVault, mailbox: &str, folder: &str) -> Vec<String> {
    let found = skill.value("list", json!({"mailbox": mailbox, "folder": folder}));
    subjects(&found).into_iter().map(str::to_owned).collect()
}

#[test]
fn mails_of_two_mailboxes_are_archived_in_one_call() {
    let server = server();
    let skill = both(&server);
    let ids = [id(&skill, "Home", "inbox", "Old"), id(&skill, "Work", "inbox", "Meeting")];
    let answer = skill.value("archive", json!({"ids": ids}));
    let done = answer["done"].as_array().unwrap();
    assert_eq!(done.len(), 2, "{answer}");
    assert_eq!(listed(&skill, "Home", "archive"), ["Old"]);
    assert_eq!(done[1]["new_id"].as_str(), None, "without a Message-ID nothing can be found again");
    assert_eq!(listed(&skill, "Work", "archive"), ["Meeting"]);
    assert_eq!(listed(&skill, "Home", "inbox"), ["Invoice 7"]);
}

#[test]
fn a_card_shows_which_mails_are_changed_and_how() {
    let server = server();
    let skill = both(&server);
    let invoice = id(&skill, "Home", "inbox", "Invoice 7");
    let moved = skill.value("move", json!({"ids": [invoice], "to": "archive"}));
    let asked = skill.approver.asked();
    let asked = asked.last().unwrap();
    assert_eq!(asked.question, "Move 1 mail to archive?");
    let line = asked.details[0].line();
    assert_eq!(line, "Mail: billing@fernhill.example <x@evil.example>: Invoice 7 (Home, INBOX → Archive)");
    let new = moved["done"][0]["new_id"].as_str().unwrap();
    assert_eq!(new, id(&skill, "Home", "archive", "Invoice 7"));

    skill.value("mark", json!({"ids": [new], "as": "flagged"}));
    let row = skill.value("list", json!({"mailbox": "Home", "folder": "archive"}));
    assert_eq!(row["messages"][0]["flagged"], true);
    skill.value("mark", json!({"ids": [new], "as": "read"}));
    let row = skill.value("list", json!({"mailbox": "Home", "folder": "archive"}));
    assert_eq!(row["messages"][0].get("unread"), None);
}

#[test]
fn deleting_only_moves_to_the_trash() {
    let server = server();
    let skill = both(&server);
    let invoice = id(&skill, "Home", "inbox", "Invoice 7");
    skill.value("delete", json!({"ids": [invoice]}));
    let trashed = id(&skill, "Home", "trash", "Invoice 7");
    let error = skill.error("delete", json!({"ids": [trashed]}));
    assert!(error.message.contains("already in the trash"), "{error}");
    assert_eq!(listed(&skill, "Home", "trash"), ["Invoice 7"]);
    let gone = skill.error("delete", json!({"ids": [invoice]}));
    assert!(gone.message.contains("no longer exists"), "{gone}");
}

#[test]
fn failures_are_reported_beside_successes() {
    let server = server();
    let skill = both(&server);
    let (old, gone) = (id(&skill, "Home", "inbox", "Old"), "Home/Nowhere/1.1");
    let answer = skill.value("archive", json!({"ids": [old, gone]}));
    assert_eq!(answer["done"].as_array().map(Vec::len), Some(1), "{answer}");
    assert_eq!(answer["problems"][0]["id"], gone);
    assert!(answer["problems"][0]["remedy"].as_str().unwrap().contains("List the messages"), "{answer}");
    let error =
        skill.error("move", json!({"ids": [id(&skill, "Work", "inbox", "Meeting")], "to": "Nowhere"}));
    assert!(error.message.contains("no folder \"Nowhere\""), "{error}");
    for ids in [json!(["nonsense"]), json!([]), json!(["Club/INBOX/1.1"])] {
        skill.error("archive", json!({"ids": ids}));
    }
}

#[test]
fn read_only_mailbox_is_reported_and_unchanged() {
    let server = server();
    let mut home = entry("Home", &server, "jane");
    home["read_only"] = true.into();
    let skill = skill_with(&server, json!([home, entry("Work", &server, "work")]));
    let ids = [id(&skill, "Work", "inbox", "Meeting"), id(&skill, "Home", "inbox", "Old")];
    let before = (server.messages("jane"), server.messages("work"));
    let asked = skill.approver.asked().len();
    let calls: [(&str, Value); 5] = [
        ("move", json!({"ids": ids, "to": "archive"})),
        ("mark", json!({"ids": ids, "as": "read"})),
        ("archive", json!({"ids": ids})),
        ("delete", json!({"ids": ids})),
        ("draft", json!({"mailbox": "Home", "text": "Hi"})),
    ];
    for (tool, args) in calls {
        let error = skill.error(tool, args);
        assert!(error.message.contains("Home is read-only"), "{tool}: {error}");
    }
    assert_eq!((server.messages("jane"), server.messages("work")), before);
    assert_eq!(skill.approver.asked().len(), asked, "no call is asked about that must fail");
}

#[test]
fn a_wrong_password_changes_nothing() {
    let server = server();
    let mut skill = both(&server);
    let old = id(&skill, "Home", "inbox", "Old");
    skill.credentials =
        std::sync::Arc::new(nova_testkit::FixedCredentials::default().with("mail/test", "no"));
    let before = server.messages("jane");
    let error = skill.error("delete", json!({"ids": [old]}));
    assert_eq!(error.code, nova_protocol::ErrorCode::SignInRefused, "{error}");
    assert_eq!(server.messages("jane"), before);
}

#[test]
fn a_renumbered_folder_is_left_as_it_is() {
    let server = server();
    let skill = both(&server);
    let old = id(&skill, "Home", "inbox", "Old");
    server.renumber("jane", "INBOX");
    let before = server.messages("jane");
    for (tool, args) in [
        ("move", json!({"ids": [old], "to": "archive"})),
        ("archive", json!({"ids": [old]})),
        ("delete", json!({"ids": [old]})),
        ("mark", json!({"ids": [old], "as": "unread"})),
    ] {
        let error = skill.error(tool, args);
        assert!(error.message.contains("no longer exists"), "{tool}: {error}");
        let asked = skill.approver.asked();
        assert!(asked.last().unwrap().details[0].line().contains("no longer exists"), "{tool}: {asked:?}");
    }
    assert_eq!(server.messages("jane"), before);
    assert_ne!(id(&skill, "Home", "inbox", "Old"), old);
}

#[test]
fn the_mailbox_of_a_call_is_that_of_its_ids() {
    let server = server();
    let skill = both(&server);
    let old = id(&skill, "Home", "inbox", "Old");
    assert_eq!(skill.value("read", json!({"id": old, "mailbox": "home"}))["subject"], "Old");
    let before = (server.messages("jane"), server.messages("work"));
    for (tool, args) in [
        ("read", json!({"id": old})),
        ("thread", json!({"id": old})),
        ("save_attachment", json!({"id": old, "name": "a.pdf"})),
        ("move", json!({"ids": [old], "to": "archive"})),
        ("mark", json!({"ids": [old], "as": "read"})),
        ("archive", json!({"ids": [old]})),
        ("delete", json!({"ids": [old]})),
        ("reply", json!({"id": old, "text": "Yes."})),
        ("draft", json!({"reply_to": old, "text": "Yes."})),
    ] {
        let mut args = args;
        args["mailbox"] = "Work".into();
        let error = skill.error(tool, args);
        assert!(error.message.contains("must be the mailbox of the message"), "{tool}: {error}");
    }
    assert_eq!((server.messages("jane"), server.messages("work")), before);
}
